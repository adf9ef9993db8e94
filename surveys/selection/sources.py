"""The licences of texts, and what they mean for publishing a dataset."""

import re
from collections.abc import Iterable
from enum import StrEnum
from typing import NamedTuple

from django.db.models import Count

from surveys.models import ContextSource, Study

FORBIDDING = re.compile(
    r"\bND\b|no[ -]?deriv|all rights reserved|proprietary|no redistribution|not for publication"
    r"|confidential",
    re.IGNORECASE,
)
ALLOWING = re.compile(
    r"\bCC0|\bCC[ -]BY|creative ?commons|public domain|\bPDDL|\bODC-By|\bODbL|\bGFDL"
    r"|GNU Free Documentation|\bMIT\b|\bApache|\bBSD\b",
    re.IGNORECASE,
)


class Publishing(StrEnum):
    """What a licence says about publishing a text in a dataset."""

    ALLOWED = "allowed"
    FORBIDDEN = "forbidden"
    UNKNOWN = "unknown"


class LicenceCount(NamedTuple):
    """How many contexts have a licence, and what it says; empty if it is not known."""

    licence: str
    n_contexts: int
    publishing: Publishing


def read_licence(licence: str) -> Publishing:
    """Return what a licence says about publishing, by its name.

    >>> read_licence("CC BY-SA 4.0").value, read_licence("CC BY-NC-ND 4.0").value
    ('allowed', 'forbidden')
    >>> read_licence("").value, read_licence("as agreed with the author").value
    ('unknown', 'unknown')
    """
    if FORBIDDING.search(licence):
        return Publishing.FORBIDDEN
    return Publishing.ALLOWED if ALLOWING.search(licence) else Publishing.UNKNOWN


def list_doubtful(study: Study) -> list[LicenceCount]:
    """Return the licences of a study's contexts that do not clearly allow publishing them."""
    found = ContextSource.objects.filter(context__pair__study=study).order_by()
    counted = found.values_list("candidate__licence").annotate(n=Count("pk"))
    return [one for one in count_licences(counted) if one.publishing is not Publishing.ALLOWED]


def count_licences(counted: Iterable[tuple[str, int]]) -> list[LicenceCount]:
    """Return licences with what they say, the most frequent first."""
    ordered = sorted(counted, key=lambda one: (-one[1], one[0]))
    return [LicenceCount(licence, n, read_licence(licence)) for licence, n in ordered]
