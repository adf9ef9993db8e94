"""Sentences about the search that found a dataset's texts."""

from collections.abc import Mapping
from typing import Any

from postprocess.origin import Origin

MOST_NAMED = 5  # files or models in a sentence


def describe_origin(origin: Origin) -> str:
    """Return how texts were found, in sentences; "" for an origin that Cosima did not write.

    >>> search = {"corpus": [["a.conllu", 9]], "sentences": 3, "per_pair": 100, "seed": 1}
    >>> describe_origin({"windows": {**search, "version": "1.0"}, "candidates": {"number": 8}})
    'Cosima 1.0 searched the file a.conllu for texts of 3 sentences with both words of a pair, and \
kept up to 100 of each pair by chance. Up to 8 candidates of each pair were drawn from them.'
    """
    search = origin.get("windows", origin)
    try:
        files = [str(name) for name, _ in search["corpus"]]
        search_text = (
            f"Cosima {search['version']} searched {_name('file', files)} for texts of "
            f"{search['sentences']:d} sentences with both words of a pair, and kept up to "
            f"{search['per_pair']:d} of each pair by chance."
        )
        return " ".join([search_text, *_describe_candidates(origin.get("candidates"))])
    except (LookupError, TypeError, ValueError, AttributeError):
        return ""


def _describe_candidates(choice: Mapping[str, Any] | None) -> list[str]:
    if choice is None:
        return []
    models = [str(model) for model in choice.get("models", ())]
    by = f", by the scores of {_name('model', models)} and by chance" if models else ""
    return [f"Up to {choice['number']:d} candidates of each pair were drawn from them{by}."]


def _name(noun: str, names: list[str]) -> str:
    """Return a noun with names: all, or how many there are and the first.

    >>> _name("file", ["a", "b"]), _name("file", list("abcdefg"))
    ('the files a and b', '7 files (a, b, c, d, e and others)')
    """
    if len(names) == 1:
        return f"the {noun} {names[0]}"
    if len(names) <= MOST_NAMED:
        return f"the {noun}s {', '.join(names[:-1])} and {names[-1]}"
    return f"{len(names):,} {noun}s ({', '.join(names[:MOST_NAMED])} and others)"
