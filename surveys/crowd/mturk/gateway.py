"""Amazon's client for the targets of MTurk, with guards against accidental spending.

An error does not show whether a request was carried out: the caller reads the state afterwards.
"""

import functools
import os
import threading
from collections.abc import Iterator
from decimal import Decimal, InvalidOperation
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from django.conf import settings
from django.db import transaction
from django.utils import timezone
from django.views.decorators.debug import sensitive_variables

from surveys.access.redaction import mask_text
from surveys.crowd.errors import TargetRefused
from surveys.crowd.models import HIGHEST_REWARD_CENTS, MOST_PLACES
from surveys.crowd.mturk.targets import Target, refuse_disabled
from surveys.errors import GatewayDown, GatewayRefused
from surveys.models import Provider
from surveys.money import format_cents

if TYPE_CHECKING:
    from botocore.client import BaseClient

REGION = "us-east-1"
LOOPBACK = {"127.0.0.1", "localhost", "::1"}
SIMULATED_KEYS = ("simulator", "simulated")
PAGE = {"PageSize": 100}
SERVER_ERROR = 500
THROTTLED = {"ThrottlingException", "Throttling", "TooManyRequestsException", "RequestTimeout"}
# Operations that spend money without a row in our tables, or that harm a worker's account.
NEVER_CALLED = ("CreateHIT", "CreateAdditionalAssignmentsForHIT", "CreateWorkerBlock")
UNSET = (None, None, None, None)  # a botocore variable without file, environment or default
_kept = threading.local()


class Gateway:
    """A client of one target. Every method may raise GatewayDown or GatewayRefused."""

    def __init__(self, target: Target, client: "BaseClient") -> None:
        self.target, self._client = target, client

    @property
    def provider(self) -> Provider:
        return self.target.provider

    @sensitive_variables("arguments")
    def call(self, operation: str, **arguments: Any) -> dict[str, Any]:
        """Call an operation, named as the client's method, and return its answer."""
        answer: dict[str, Any] = self._send(lambda: getattr(self._client, operation)(**arguments))
        return answer

    @sensitive_variables("arguments")
    def read_all(self, operation: str, listed: str, **arguments: Any) -> Iterator[dict[str, Any]]:
        """Yield every row of a list, from all of its pages."""
        paginator = self._client.get_paginator(operation)
        pages = iter(paginator.paginate(**arguments, PaginationConfig=PAGE))
        while (page := self._send(lambda: next(pages, None))) is not None:
            yield from page[listed]

    def _send(self, request: Any) -> Any:
        from botocore.exceptions import BotoCoreError, ClientError, ParamValidationError

        _refuse_in_transaction()
        try:
            return request()
        except ClientError as error:
            fault = error.response.get("Error", {})
            status = error.response.get("ResponseMetadata", {}).get("HTTPStatusCode", SERVER_ERROR)
            message = f"{self.provider.label} says: {mask_text(fault.get('Message', str(error)))}"
            if fault.get("Code") in THROTTLED or status >= SERVER_ERROR:
                raise GatewayDown(message) from None
            raise GatewayRefused(message) from None
        except ParamValidationError as error:
            raise GatewayRefused(mask_text(str(error))) from None
        except BotoCoreError as error:
            raise GatewayDown(
                f"{self.provider.label} cannot be reached: {mask_text(str(error))}"
            ) from None


def open_gateway(provider: str) -> Gateway:
    """Return a client of a target. Raises TargetRefused if the target is disabled."""
    target = refuse_disabled(provider)
    key, secret = _find_keys(target)
    return Gateway(target, make_client(target, key, secret))


def _find_keys(target: Target) -> tuple[str, str]:
    if target.provider == Provider.SIMULATOR:
        address = urlsplit(target.endpoint)
        if address.scheme != "http" or address.hostname not in LOOPBACK:
            raise TargetRefused("The simulator must be on this machine: MTURK_SIMULATOR_URL.")
        return SIMULATED_KEYS
    key, secret = settings.MTURK_LIVE_KEYS
    return key, secret


@sensitive_variables("key", "secret")
def make_client(target: Target, key: str, secret: str) -> "BaseClient":
    from botocore.config import Config

    is_simulator = target.provider == Provider.SIMULATOR
    client: BaseClient = _session_of_thread().client(
        "mturk",
        endpoint_url=target.endpoint,
        region_name=REGION,
        aws_access_key_id=key,
        aws_secret_access_key=secret,
        config=Config(
            retries={"mode": "standard", "total_max_attempts": 3},
            connect_timeout=5,
            read_timeout=30,
            proxies={} if is_simulator else None,
        ),
    )
    register_guards(target, client)
    return client


def _session_of_thread() -> Any:
    """Return boto3's session, kept: making one takes twice as long as making a client.

    Threads must not share one.
    """
    if not hasattr(_kept, "session"):
        import boto3
        import botocore.session

        no_file = (None, None, os.devnull, None)
        # use no profile, file or endpoint of this machine's AWS configuration
        core: Any = botocore.session.Session(
            {"profile": UNSET, "config_file": no_file, "credentials_file": no_file}
        )
        core.register_component("data_loader", _load_descriptions())
        _kept.session = boto3.session.Session(botocore_session=core)
    return _kept.session


@functools.cache
def _load_descriptions() -> Any:
    """Return botocore's loader, shared by all clients: reading the descriptions is slow."""
    from botocore.loaders import create_loader

    return create_loader()


def register_guards(target: Target, client: "BaseClient") -> None:
    expected = urlsplit(target.endpoint)

    def refuse_other_host(request: Any, **_more: Any) -> None:
        address = urlsplit(request.url)
        if (address.scheme, address.netloc) != (expected.scheme, expected.netloc):
            raise GatewayRefused(f"A request for {target.provider.label} went to {address.netloc}.")

    events = client.meta.events
    events.register("before-send.mturk.*", refuse_other_host)
    for operation in NEVER_CALLED:
        events.register(f"provide-client-params.mturk.{operation}", _refuse_operation)
    for operation, refuse in (
        ("CreateHITWithHITType", _refuse_crowds),
        ("CreateHITType", _refuse_high_reward),
        ("UpdateExpirationForHIT", _refuse_later_end),
    ):
        events.register(f"provide-client-params.mturk.{operation}", refuse)


def _refuse_operation(model: Any, **_more: Any) -> None:
    raise GatewayRefused(f"{model.name} is never called by this site.")


def _refuse_crowds(params: dict[str, Any], **_more: Any) -> None:
    if not 1 <= params.get("MaxAssignments", MOST_PLACES + 1) <= MOST_PLACES:
        raise GatewayRefused(f"A HIT has 1 to {MOST_PLACES} places, named in its request.")


def _refuse_high_reward(params: dict[str, Any], **_more: Any) -> None:
    try:
        cents = Decimal(params["Reward"]) * 100
    except (KeyError, TypeError, InvalidOperation):
        raise GatewayRefused("A reward is written as text, such as 0.50.") from None
    if not 0 < cents <= HIGHEST_REWARD_CENTS:
        raise GatewayRefused(f"A reward is at most {format_cents(HIGHEST_REWARD_CENTS)}.")


def _refuse_later_end(params: dict[str, Any], **_more: Any) -> None:
    if params["ExpireAt"] > timezone.now():
        raise GatewayRefused("This site may only shorten the lifetime of a HIT.")


def _refuse_in_transaction() -> None:
    """Raise RuntimeError in a transaction: a rollback would undo our half of the call alone."""
    with transaction.atomic(durable=True):
        pass
