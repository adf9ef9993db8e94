"""Who may do the HITs of a batch → requirements as MTurk takes them."""

import re
from collections.abc import Sequence
from typing import Any

from surveys.errors import BatchRefused
from surveys.models import Qualification

APPROVAL_RATE = "000000000000000000L0"  # reads 100 for who has fewer than 100 assignments
N_APPROVED = "00000000000000000040"
LOCALE = "00000000000000000071"
MOST_COUNTRIES = 30  # of one requirement
COUNTRY = re.compile(r"[A-Z]{2}")
GUARDED = {"ActionsGuarded": "DiscoverPreviewAndAccept"}


def read_countries(text: str) -> list[str]:
    """Two-letter codes of countries, each once. Raises BatchRefused.

    >>> read_countries("si, HR si"), read_countries("")
    (['SI', 'HR'], [])
    """
    codes = list(dict.fromkeys(re.findall(r"[^\s,;]+", text.upper())))
    if wrong := [code for code in codes if not COUNTRY.fullmatch(code)]:
        raise BatchRefused(f"“{wrong[0][:20]}” is no code of a country, such as SI.")
    if len(codes) > MOST_COUNTRIES:
        raise BatchRefused(f"Name {MOST_COUNTRIES} countries at most.")
    return codes


def write_requirements(
    *,
    countries: Sequence[str] = (),
    approval_percent: int | None = None,
    n_approved: int | None = None,
    private_task: Qualification | None = None,
) -> list[dict[str, Any]]:
    """What is asked of workers, as far as something is."""
    found: list[dict[str, Any]] = []
    if countries:
        places = [{"Country": code} for code in countries]
        found.append({"QualificationTypeId": LOCALE, "Comparator": "In", "LocaleValues": places})
    for kind, least in ((APPROVAL_RATE, approval_percent), (N_APPROVED, n_approved)):
        if least is not None:
            found.append({
                "QualificationTypeId": kind, "Comparator": "GreaterThanOrEqualTo",
                "IntegerValues": [least],
            })  # fmt: skip
    if private_task:
        kind = private_task.qualification_type_id
        found.append({"QualificationTypeId": kind, "Comparator": "Exists"})
    return [{**requirement, **GUARDED} for requirement in found]


def tell_requirement(requirement: dict[str, Any]) -> str:
    """A requirement in words.

    >>> [tell_requirement(one) for one in write_requirements(countries=["SI"], n_approved=50)]
    ['in SI', '50 approved HITs or more']
    """
    kind, numbers = requirement.get("QualificationTypeId"), requirement.get("IntegerValues")
    if kind == LOCALE:
        return "in " + ", ".join(place["Country"] for place in requirement["LocaleValues"])
    if kind == APPROVAL_RATE and numbers:
        return f"{numbers[0]} % approved or more"
    if kind == N_APPROVED and numbers:
        return f"{numbers[0]} approved HITs or more"
    return "chosen for a private task"
