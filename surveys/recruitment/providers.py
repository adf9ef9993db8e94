"""Registry of recruitment channels: everything that is particular to a provider.

A channel has its rules here (`link`, `prolific`) or in an app, whose `Feature` names them (MTurk's
targets). No other module asks which provider it deals with.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cache
from typing import TYPE_CHECKING

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from surveys.errors import ArrivalRefused, SettingRefused
from surveys.features import load_objects
from surveys.models import Provider

if TYPE_CHECKING:
    from django_stubs_ext import StrPromise

IDENTIFIER = re.compile(r"[A-Za-z0-9_-]{1,64}")

FINISH = gettext_lazy("Finish and go back")


@dataclass(frozen=True)
class Disclosure:
    """Sentences of the consent notice about the data that come with an annotator's arrival."""

    identity: "StrPromise"
    arrival: "StrPromise"
    counts_addresses: bool = False  # digests of network addresses, for the arrival limits
    has_identifiers: bool = True  # which are deleted at the end of the retention period
    gets_mail: bool = False  # at an address that is kept


@dataclass(frozen=True)
class SettingsPage:
    """The console page on which researchers open, change and close a channel's entrance."""

    name: str  # of the URL, and of the template in templates/console/recruitment/
    path: str
    title: str
    subject: str  # as in "Close the …"


@dataclass(frozen=True)
class ProviderRules:
    """Everything that is particular to a channel.

    A channel without parameter names sends anonymous annotators, and gives each of them a link.
    """

    description: str  # in the description of a release
    disclosure: Disclosure
    pay: "StrPromise"  # for what, how and when annotators are paid, and what if they stop early
    pay_for_more: "StrPromise | str" = ""  # the same of further blocks
    page: SettingsPage | None = None
    provider_study: str = ""  # name of the parameter, as are the next two
    submission: str = ""
    worker_id: str = ""
    identifiers: tuple[re.Pattern[str], ...] = (IDENTIFIER,) * 3
    needs_code: bool = False  # annotators return with a completion code
    completion_address: str = ""
    finish: "StrPromise" = FINISH  # label of the link to that address
    give_back: "StrPromise | str" = ""  # what annotators without a code do with their place
    find_submit_address: Callable[[], str] | None = None  # of a form, instead of a link
    has_address: bool = True  # of an entrance; otherwise annotators arrive through a HIT

    @property
    def parameters(self) -> tuple[str, str, str]:
        """The names of the three parameters in an arrival's address."""
        return self.provider_study, self.submission, self.worker_id

    @property
    def is_anonymous(self) -> bool:
        """Whether an arrival does not identify its annotator."""
        return not self.worker_id


@dataclass(frozen=True)
class Claims:
    """An arrival's identifiers. They can be forged, so they open nothing but the own link."""

    parameters: dict[str, str]
    provider_study: str
    submission: str
    worker_id: str


PLAIN_LINK = Disclosure(
    identity=gettext_lazy("No name, address or ID is kept with them."),
    arrival=gettext_lazy("Your personal link, which is random."),
    counts_addresses=True,
    has_identifiers=False,
)
NOTED_LINK = Disclosure(
    identity=gettext_lazy(
        "The label or address that the researchers noted for your link is kept apart from them."
    ),
    arrival=gettext_lazy("Your personal link, and the label or address noted for it."),
)
MAILED_LINK = replace(NOTED_LINK, gets_mail=True)

_RULES: dict[str, ProviderRules] = {
    Provider.LINK: ProviderRules(
        description="an open link",
        disclosure=PLAIN_LINK,
        pay=gettext_lazy(
            "The researchers pay you for all texts together, after you finish the last one."
        ),
        pay_for_more=gettext_lazy(
            "The researchers pay you this in addition, after you finish these texts, too."
        ),
        page=SettingsPage("open_link", "recruitment/open-link/", "Open link", "open link"),
    ),
    Provider.PROLIFIC: ProviderRules(
        description="Prolific",
        disclosure=Disclosure(
            identity=gettext_lazy(
                "Your Prolific ID is kept apart from them, to pay you and to prevent taking part "
                "twice."
            ),
            arrival=gettext_lazy(
                "Your Prolific ID, Prolific’s IDs of the study and of your submission, when you "
                "came, and what Prolific reports of the submission."
            ),
            counts_addresses=True,
        ),
        pay=gettext_lazy(
            "Prolific pays you for all texts together, after you use the button on the last page "
            "and the researchers approve your submission. If you stop before the end, please "
            "return your place there: only finished work is paid."
        ),
        pay_for_more=gettext_lazy(
            "The researchers pay you this as a bonus on Prolific, after you finish these texts, "
            "too."
        ),
        page=SettingsPage(
            "prolific", "recruitment/prolific/", "Prolific", "connection to Prolific"
        ),
        provider_study="STUDY_ID",
        submission="SESSION_ID",
        worker_id="PROLIFIC_PID",
        needs_code=True,
        completion_address="https://app.prolific.com/submissions/complete?cc={code}",
        finish=gettext_lazy("Finish on Prolific"),
        give_back=gettext_lazy(
            "Please return your place on Prolific (“Stop without completing”), so that someone "
            "else can take it."
        ),
    ),
}


@cache
def _all_rules() -> dict[str, ProviderRules]:
    """Return the rules of all channels by provider, apps' channels last."""
    rules = dict(_RULES)
    for list_channels in load_objects("channels"):
        rules |= list_channels()
    return rules


def rules_of(provider: str) -> ProviderRules:
    """Return everything that is particular to a provider.

    Raises SettingRefused for a channel of an app that is switched off.
    """
    if (rules := _all_rules().get(provider)) is None:
        raise SettingRefused(
            f"{Provider(provider).label} belongs to a part of this site that is switched off. "
            "The operator can switch it on (APPS)."
        )
    return rules


def list_descriptions() -> list[str]:
    """Return the descriptions of all channels."""
    return [rules.description for rules in _all_rules().values()]


def list_pages() -> dict[Provider, SettingsPage]:
    """Return the console pages of the channels that have one."""
    return {Provider(name): rules.page for name, rules in _all_rules().items() if rules.page}


def read_claims(provider: str, parameters: Mapping[str, str]) -> Claims | None:
    """Return the identifiers in an arrival's parameters, or None for an anonymous channel.

    Raises ArrivalRefused if one is missing or malformed.
    """
    rules = rules_of(provider)
    if rules.is_anonymous:
        return None
    claimed = [parameters.get(name, "") for name in rules.parameters]
    faulty = [
        name
        for name, value, pattern in zip(rules.parameters, claimed, rules.identifiers, strict=True)
        if not pattern.fullmatch(value)
    ]
    if faulty:
        raise ArrivalRefused(
            _(
                "The site that you came from did not pass on your ID (%(names)s). Please go back "
                "there, and open the study again."
            )
            % {"names": ", ".join(faulty)}
        )
    return Claims(dict(zip(rules.parameters, claimed, strict=True)), *claimed)


def arrival_parameters(provider: str) -> str:
    """Return the query string with placeholders for the provider to fill in, or an empty one."""
    rules = rules_of(provider)
    if rules.is_anonymous or not rules.has_address:
        return ""
    names = (rules.worker_id, rules.provider_study, rules.submission)
    return "&".join(f"{name}={{{{%{name}%}}}}" for name in names)


def completion_address(provider: str, code: str) -> str:
    """Return the address that takes a code back to the provider, or an empty string."""
    return rules_of(provider).completion_address.format(code=code) if code else ""
