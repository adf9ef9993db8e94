"""MTurk's three targets, each with its endpoint and its workers' site.

Amazon closed MTurk on 30 September 2026. The simulator is the default and the only target expected
to work; the other two are disabled unless three settings enable them.
"""

import re
from dataclasses import dataclass
from functools import partial
from urllib.parse import urlsplit

from django.conf import settings
from django.utils.translation import gettext_lazy

from surveys.crowd.errors import TargetRefused
from surveys.models import Provider
from surveys.recruitment.providers import Disclosure, ProviderRules

SUBMIT_PATH = "/mturk/externalSubmit"
DEFAULT = Provider.SIMULATOR
MTURK_ID = re.compile(r"[A-Z0-9]{1,64}")
MTURK_WORKER = re.compile(r"A[A-Z0-9]{1,63}")


@dataclass(frozen=True)
class Target:
    """A service with MTurk's API."""

    provider: Provider
    endpoint: str
    worker_site: str
    submit_host: str
    is_enabled: bool
    notice: str  # on the pages of its batches
    is_rehearsal: bool = False  # reaches no workers
    is_live: bool = False  # reaches people and spends money


def find_target(provider: str) -> Target:
    """Return a target by name. Raises TargetRefused for any other provider."""
    for target in list_targets():
        if target.provider == provider:
            return target
    raise TargetRefused(f"{provider} is not a target of MTurk.")


def list_targets() -> list[Target]:
    """Return all three targets, the simulator first."""
    simulator, is_live = settings.MTURK_SIMULATOR_URL, settings.MTURK_IS_LIVE
    sandbox, amazon = "https://workersandbox.mturk.com", "https://www.mturk.com"
    requester = "https://mturk-requester{}.us-east-1.amazonaws.com"
    return [
        Target(
            Provider.SIMULATOR, simulator, simulator, simulator, bool(simulator),
            "MTurk simulator: a rehearsal, nobody is paid", is_rehearsal=True,
        ),
        Target(
            Provider.SANDBOX, requester.format("-sandbox"), sandbox, sandbox, is_live,
            "MTurk sandbox: Amazon’s test site, play money",
        ),
        Target(
            Provider.PRODUCTION, requester.format(""), "https://worker.mturk.com", amazon, is_live,
            "MTurk, live: real people, real money", is_live=True,
        ),
    ]  # fmt: skip


def list_enabled() -> list[Target]:
    """Return the targets that may be called, and whose sites may frame our pages."""
    return [target for target in list_targets() if target.is_enabled]


def refuse_disabled(provider: str) -> Target:
    """Return a target. Raises TargetRefused if it is disabled, naming the missing settings."""
    target = find_target(provider)
    if target.is_enabled:
        return target
    if provider == Provider.SIMULATOR:
        raise TargetRefused("The simulator has no address: set MTURK_SIMULATOR_URL.")
    raise TargetRefused(
        f"{Provider(provider).label} is disabled: it needs DEBUG off, a SITE_URL with https and "
        "MTURK_LIVE_KEYS. Amazon closed MTurk on 30 September 2026; use the simulator."
    )


def submit_address(provider: str) -> str:
    """Return the URL at which workers submit: the target's own, whatever an arrival claims."""
    return find_target(provider).submit_host + SUBMIT_PATH


def is_foreign(provider: str, turk_submit_to: str) -> bool:
    """Return whether an arrival's `turkSubmitTo` is given and is not the target's own."""
    named = urlsplit(turk_submit_to.strip())
    expected = urlsplit(find_target(provider).submit_host)
    return bool(turk_submit_to.strip()) and (named.scheme, named.netloc) != (
        expected.scheme, expected.netloc,
    )  # fmt: skip


DISCLOSURE = Disclosure(
    identity=gettext_lazy(
        "Your worker ID is kept apart from them, to pay you and to prevent taking part twice."
    ),
    arrival=gettext_lazy(
        "Your worker ID, the IDs of the HIT and of your assignment, when you came and handed in, "
        "the qualifications that you were given for this study, and what you were paid."
    ),
)
PAY = gettext_lazy(
    "You are paid for the whole HIT, after you hand it in on the last page and the researchers "
    "approve it, at the latest when the time that the HIT names for this is over. If you stop "
    "before the end, please return the HIT: only finished work is paid."
)
GIVE_BACK = gettext_lazy("Please return this HIT. There is nothing to hand in.")
DESCRIPTIONS = {
    Provider.SIMULATOR: "a simulator of Amazon Mechanical Turk, in a rehearsal",
    Provider.SANDBOX: "the sandbox of Amazon Mechanical Turk",
    Provider.PRODUCTION: "Amazon Mechanical Turk",
}


def list_channels() -> dict[str, ProviderRules]:
    """Return the rules of the targets as recruitment channels."""
    return {
        provider: ProviderRules(
            description=description,
            disclosure=DISCLOSURE,
            pay=PAY,
            provider_study="hitId",
            submission="assignmentId",
            worker_id="workerId",
            identifiers=(MTURK_ID, MTURK_ID, MTURK_WORKER),
            find_submit_address=partial(submit_address, provider),
            give_back=GIVE_BACK,
            has_address=False,
        )
        for provider, description in DESCRIPTIONS.items()
    }


def list_frames() -> dict[str, str]:
    """Return the workers' sites of the enabled targets, with the hosts that receive forms."""
    return {target.worker_site: target.submit_host for target in list_enabled()}
