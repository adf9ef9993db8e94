"""The service's API for requesters: one URL, one operation per request."""

import secrets

from mturk_simulator.faults import Fault, FaultKind, apply_fault, begin_call
from mturk_simulator.http import wire
from mturk_simulator.http.messages import Reply, Request
from mturk_simulator.market.market import Market
from mturk_simulator.refusals import Failed, Refusal, Throttled


def answer(market: Market, request: Request) -> Reply:
    """Perform the operation of a signed request, with the fault that is queued for it."""
    fault = None
    try:
        operation = wire.name_operation(request.headers)
        with market.moment() as moment:
            fault = begin_call(moment, operation)
        reply = _reply(_carry_out(market, operation, request, fault))
    except Refusal as refusal:
        reply = _reply(wire.write_refusal(refusal), refusal.status)
    return apply_fault(reply, fault)


def _carry_out(market: Market, operation: str, request: Request, fault: Fault | None) -> bytes:
    kind = fault.kind if fault else None
    if kind == FaultKind.THROTTLE:
        raise Throttled("Rate exceeded")
    if kind == FaultKind.FAIL:
        raise Failed("The service failed.", "ServiceFault")
    requester = wire.identify_requester(request)
    arguments = wire.read_arguments(operation, request.body)
    done = wire.write_answer(operation, market.call(requester, operation, arguments))
    if kind == FaultKind.DONE_THEN_FAIL:
        raise Failed("The service failed.", "ServiceFault")
    return done


def _reply(body: bytes, status: int = 200) -> Reply:
    identifier = {"x-amzn-RequestId": secrets.token_hex(16)}
    return Reply(status, body, wire.CONTENT_TYPE, identifier)
