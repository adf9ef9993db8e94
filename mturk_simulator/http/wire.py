"""Parse requests and write answers by botocore's model of the service.

This uses internals of botocore, so its version is pinned and each step is tested.
"""

import copy
import functools
import hmac
import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from botocore.auth import SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials
from botocore.loaders import Loader
from botocore.model import ListShape, ServiceModel, Shape, StructureShape
from botocore.parsers import create_parser
from botocore.serialize import create_serializer
from botocore.validate import ParamValidator

from mturk_simulator.http.messages import Request, read_json
from mturk_simulator.refusals import (
    Invalid,
    Refusal,
    UnknownOperation,
    Unreadable,
    Unsigned,
    WronglySigned,
)

CONTENT_TYPE = "application/x-amz-json-1.1"
REGION = "us-east-1"
SIGNING_NAME = "mturk-requester"
# The secret of every access key. It protects nothing: every program on this machine may use it.
SECRET_KEY = "simulated"  # noqa: S105  # nosec B105
LARGEST = {"integer": 2**31 - 1, "long": 2**63 - 1}
AUTHORIZATION = re.compile(
    r"AWS4-HMAC-SHA256 Credential=(?P<key>[^/]+)/(?P<scope>[^,]+), ?"
    r"SignedHeaders=(?P<headers>[^,]+), ?Signature=(?P<signature>[0-9a-f]{64})"
)


@functools.cache
def _load_description() -> Any:
    return Loader().load_service_model("mturk", "service-2")


@functools.cache
def service() -> ServiceModel:
    """Return the model of the service, as clients use it."""
    return ServiceModel(_load_description(), "mturk")


@functools.cache
def _mirrored_service() -> ServiceModel:
    """Return the model with inputs and outputs exchanged, to write and check answers."""
    description = copy.deepcopy(_load_description())
    description["shapes"]["Nothing"] = {"type": "structure", "members": {}}
    for operation in description["operations"].values():
        input_shape, answered = operation.get("input"), operation.get("output")
        operation["input"] = answered or {"shape": "Nothing"}
        operation["output"] = input_shape or {"shape": "Nothing"}
    return ServiceModel(description, "mturk")


def name_operation(headers: Mapping[str, str]) -> str:
    """Return the operation of a request. Raises UnknownOperation."""
    prefix = service().metadata["targetPrefix"]
    start, _, operation = headers.get("x-amz-target", "").rpartition(".")
    if start != prefix or operation not in service().operation_names:
        raise UnknownOperation("This service has no such operation.")
    return operation


def identify_requester(request: Request) -> str:
    """Return the access key that signed a request. Raises Unsigned or WronglySigned."""
    signed = AUTHORIZATION.fullmatch(request.headers.get("authorization", ""))
    if signed is None:
        raise Unsigned("The request is not signed.")
    date = request.headers.get("x-amz-date", "")
    if signed["scope"] != f"{date[:8]}/{REGION}/{SIGNING_NAME}/aws4_request":
        raise WronglySigned(f"The request is not signed for {SIGNING_NAME} in {REGION}.")
    expected = _sign(request, signed["key"], signed["headers"].split(";"), date)
    if not hmac.compare_digest(expected, signed["signature"]):
        raise WronglySigned("The signature does not match this request and the secret key.")
    return signed["key"]


def _sign(request: Request, access_key: str, names: list[str], date: str) -> str:
    headers = {name: request.headers.get(name, "") for name in names}
    url = f"{request.origin}/"
    rebuilt = AWSRequest(method="POST", url=url, data=request.body, headers=headers)
    rebuilt.context["timestamp"] = date
    signer = SigV4Auth(Credentials(access_key, SECRET_KEY), SIGNING_NAME, REGION)
    text = signer.string_to_sign(rebuilt, signer.canonical_request(rebuilt))
    return str(signer.signature(text, rebuilt))


def read_arguments(operation: str, body: bytes) -> dict[str, Any]:
    """Return an operation's arguments, times as aware datetimes. Raises Unreadable or Invalid."""
    shape = _shape_of_arguments(operation)
    _check(_read_json(body), shape)
    answer = {"body": body or b"{}", "headers": {}, "status_code": 200}
    arguments: dict[str, Any] = create_parser("json").parse(answer, shape)
    arguments.pop("ResponseMetadata", None)
    return arguments


def _shape_of_arguments(operation: str) -> Shape:
    shape = service().operation_model(operation).input_shape
    return shape or StructureShape("Nothing", {"type": "structure", "members": {}})


def _read_json(body: bytes) -> Any:
    try:
        content = read_json(body)
        json.dumps(content, ensure_ascii=False).encode()  # lone surrogates cannot be stored
    except ValueError as error:
        raise Unreadable("The body is not JSON.") from error
    return content


def _check(given: Any, shape: Shape) -> None:
    """Raise Invalid for values that the model forbids: first the client's checks, then ours."""
    try:
        result = ParamValidator().validate(given, shape)
    except (OverflowError, RuntimeError) as error:  # a time out of range
        raise Invalid(str(error)) from error
    report = result.generate_report() if result.has_errors() else "\n".join(_faults(given, shape))
    if report:
        raise Invalid(report)


def _faults(given: Any, shape: Shape, where: str = "") -> Iterator[str]:
    """Yield faults the client does not check: maximum, pattern, enumeration, true as number."""
    if isinstance(shape, StructureShape):
        for name, member in shape.members.items():
            if name in given:
                yield from _faults(given[name], member, f"{where}.{name}" if where else name)
        return
    if isinstance(shape, ListShape):
        for number, member in enumerate(given):
            yield from _faults(member, shape.member, f"{where}[{number}]")
    pattern = shape.metadata.get("pattern")
    most = shape.metadata.get("max", LARGEST.get(shape.type_name))
    size = given if shape.type_name in {"integer", "long"} else len(str(given))
    if isinstance(given, list):
        size = len(given)
    if isinstance(given, bool) and shape.type_name != "boolean":
        yield f"{where}: {given} is not a number"
    elif most is not None and abs(size) > most:
        yield f"{where}: more than {most}"
    elif pattern and not re.fullmatch(pattern, given):
        yield f"{where}: does not match {pattern}"
    elif (allowed := shape.metadata.get("enum")) and given not in allowed:
        yield f"{where}: not one of {', '.join(allowed)}"


def write_answer(operation: str, answer: Mapping[str, Any]) -> bytes:
    """Return an answer as bytes; fails on values that the model does not know."""
    serializer = create_serializer("json", include_validation=True)
    model = _mirrored_service().operation_model(operation)
    return bytes(serializer.serialize_to_request(dict(answer), model)["body"])


def write_refusal(refusal: Refusal) -> bytes:
    """Return an error as bytes."""
    content = {"__type": refusal.kind, "Message": refusal.message}
    if refusal.code:
        content["TurkErrorCode"] = refusal.code
    return json.dumps(content).encode()
