"""The three targets of MTurk: where each is asked, and where its workers are.

Amazon closed MTurk on 30 September 2026. The simulator is the default, and alone is expected to
work; the other two stay shut unless the site is told otherwise in three ways.
"""

import re
from dataclasses import dataclass
from functools import partial
from urllib.parse import urlsplit

from django.conf import settings

from surveys.errors import TargetRefused
from surveys.models import Provider
from surveys.recruitment.providers import ProviderRules, register_provider

SUBMIT_PATH = "/mturk/externalSubmit"
MTURK_ID = re.compile(r"[A-Z0-9]{1,64}")
MTURK_WORKER = re.compile(r"A[A-Z0-9]{1,63}")


@dataclass(frozen=True)
class Target:
    """A service that speaks MTurk's interface."""

    provider: Provider
    endpoint: str
    worker_site: str
    submit_host: str
    is_enabled: bool

    @property
    def submit_address(self) -> str:
        """Where workers hand in: of the target itself, whatever an arrival says."""
        return f"{self.submit_host}{SUBMIT_PATH}"


def find_target(provider: str) -> Target:
    """A target by its name. Raises TargetRefused for any other provider."""
    for target in list_targets():
        if target.provider == provider:
            return target
    raise TargetRefused(f"{provider} is no target of MTurk.")


def list_targets() -> list[Target]:
    """All three, the simulator first."""
    here, is_live = settings.MTURK_SIMULATOR_URL, settings.MTURK_IS_LIVE
    sandbox, amazon = "https://workersandbox.mturk.com", "https://www.mturk.com"
    requester = "https://mturk-requester{}.us-east-1.amazonaws.com"
    return [
        Target(Provider.SIMULATOR, here, here, here, bool(here)),
        Target(Provider.SANDBOX, requester.format("-sandbox"), sandbox, sandbox, is_live),
        Target(
            Provider.PRODUCTION, requester.format(""), "https://worker.mturk.com", amazon, is_live
        ),
    ]


def list_enabled() -> list[Target]:
    """Those that may be asked, and whose sites may show our pages."""
    return [target for target in list_targets() if target.is_enabled]


def refuse_disabled(provider: str) -> Target:
    """A target that may be asked. Raises TargetRefused for any other, and says what it lacks."""
    target = find_target(provider)
    if target.is_enabled:
        return target
    if provider == Provider.SIMULATOR:
        raise TargetRefused("The simulator has no address: set MTURK_SIMULATOR_URL.")
    raise TargetRefused(
        f"{Provider(provider).label} stays shut: it needs DEBUG off, a SITE_URL with https and "
        "MTURK_ALLOW_LIVE=1. Amazon closed MTurk on 30 September 2026; use the simulator."
    )


def submit_address(provider: str) -> str:
    """Where a worker hands in at a target."""
    return find_target(provider).submit_address


def is_foreign(provider: str, turk_submit_to: str) -> bool:
    """Whether an arrival names another place to hand in than its target's; none is not foreign."""
    named = urlsplit(turk_submit_to.strip())
    ours = urlsplit(find_target(provider).submit_host)
    return bool(turk_submit_to.strip()) and (named.scheme, named.netloc) != (
        ours.scheme, ours.netloc,
    )  # fmt: skip


def register_targets() -> None:
    """Let workers come by the targets; called once, when the site starts."""
    for provider in (Provider.SIMULATOR, Provider.SANDBOX, Provider.PRODUCTION):
        rules = ProviderRules(
            provider_study="hitId",
            submission="assignmentId",
            worker_id="workerId",
            identifiers=(MTURK_ID, MTURK_ID, MTURK_WORKER),
            find_submit_address=partial(submit_address, provider),
            fees="MTURK_FEES",
            has_address=False,
        )
        register_provider(provider, rules)
