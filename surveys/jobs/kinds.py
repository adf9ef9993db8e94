"""The kinds of background job that the site's features register."""

from surveys.features import Kind, Lane, list_features


def find_kind(name: str) -> Kind:
    """Return the kind with a name. Raises KeyError if its app is not installed."""
    return {kind.name: kind for kind in list_kinds()}[name]


def list_kinds(lane: Lane | None = None) -> list[Kind]:
    """Return the registered kinds, or one lane's."""
    kinds = (kind for feature in list_features() for kind in feature.job_kinds)
    return [kind for kind in kinds if lane in (None, kind.lane)]
