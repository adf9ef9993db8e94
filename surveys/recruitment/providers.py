"""What is particular to each provider that sends people: its parameters and its way back."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from django.utils.translation import gettext as _

from surveys.errors import ArrivalRefused
from surveys.models import Provider

IDENTIFIER = re.compile(r"[A-Za-z0-9_-]{1,64}")


@dataclass(frozen=True)
class ProviderRules:
    """The names under which a provider says who comes, and where it wants them sent back.

    One without names says nothing of who comes.
    """

    provider_study: str = ""
    submission: str = ""
    worker_id: str = ""
    identifiers: tuple[re.Pattern[str], ...] = (IDENTIFIER,) * 3
    completion_address: str = ""
    find_submit_address: Callable[[], str] | None = None  # of a form, in place of a link
    fees: str = ""  # the setting of its rates
    has_address: bool = True  # of an entrance; else people come to a HIT, and for it alone

    @property
    def parameters(self) -> tuple[str, str, str]:
        """The names in the address."""
        return self.provider_study, self.submission, self.worker_id


@dataclass(frozen=True)
class Claims:
    """Who an arrival says they are. Anybody can type it: it opens nothing but their own link."""

    parameters: dict[str, str]
    provider_study: str
    submission: str
    worker_id: str


NO_RULES = ProviderRules()
RULES: dict[str, ProviderRules] = {
    Provider.LINK: NO_RULES,
    Provider.PROLIFIC: ProviderRules(
        provider_study="STUDY_ID",
        submission="SESSION_ID",
        worker_id="PROLIFIC_PID",
        completion_address="https://app.prolific.com/submissions/complete?cc={code}",
    ),
}


def register_provider(provider: Provider, rules: ProviderRules) -> None:
    """Let people come by a provider; called once, when the site starts."""
    RULES[provider] = rules


def rules_of(provider: str) -> ProviderRules:
    """What is particular to a provider."""
    return RULES[Provider(provider)]


def read_claims(provider: str, parameters: Mapping[str, str]) -> Claims | None:
    """Who an arrival's parameters say they are; None for a provider that says nothing.

    Raises ArrivalRefused when one is missing or is no identifier.
    """
    rules = rules_of(provider)
    if not rules.worker_id:
        return None
    claimed = [parameters.get(name, "") for name in rules.parameters]
    faulty = [
        name
        for name, value, pattern in zip(rules.parameters, claimed, rules.identifiers, strict=True)
        if not pattern.fullmatch(value)
    ]
    if faulty:
        raise ArrivalRefused(
            _("The address lacks %(names)s. Please open the study again where you found it.")
            % {"names": ", ".join(faulty)}
        )
    return Claims(dict(zip(rules.parameters, claimed, strict=True)), *claimed)


def arrival_parameters(provider: str) -> str:
    """What stands behind the address that a provider is given, for it to fill in; or nothing."""
    rules = rules_of(provider)
    if not rules.worker_id or not rules.has_address:
        return ""
    names = (rules.worker_id, rules.provider_study, rules.submission)
    return "&".join(f"{name}={{{{%{name}%}}}}" for name in names)


def completion_address(provider: str, code: str) -> str:
    """Where to send somebody with a code; empty where there is nowhere to send them."""
    return rules_of(provider).completion_address.format(code=code) if code else ""
