"""Reasons not to pass on releases, which apps know."""

from collections import defaultdict
from collections.abc import Collection
from typing import NamedTuple

from surveys.features import load_objects


class Embargo(NamedTuple):
    """Why a release is not to be passed on: a mark for lists, and a whole warning."""

    mark: str
    warning: str


def find_embargoes(releases: Collection[int]) -> dict[int, list[Embargo]]:
    """Return the embargoes of releases that have any, by release id."""
    embargoes: defaultdict[int, list[Embargo]] = defaultdict(list)
    for find in load_objects("release_guards"):
        for release, embargo in find(releases).items():
            embargoes[release].append(embargo)
    return dict(embargoes)


def warn_of_embargo(release: int) -> str:
    """Return the warnings for a release, or an empty text."""
    return " ".join(embargo.warning for embargo in find_embargoes([release]).get(release, []))
