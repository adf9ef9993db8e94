"""Names of dataset files: the dataset's name, its language, and the mark of a rehearsal."""

import re
from collections.abc import Iterable
from typing import NamedTuple

STAMP = "REHEARSAL"
PUBLISHED = "cosimlex"  # the name in the published layout
UNNAMED = "dataset"
LANGUAGE = re.compile(r"[a-z]{2,3}(-[A-Za-z0-9]{2,8})*")
NAME = re.compile(r"[A-Za-z0-9]+([-_][A-Za-z0-9]+)*")
LONGEST = 50
OF_OTHER_FILES = (
    "adjudicated", "annotators", "checkpoints", "data", "distributions", "gold", "intervals",
    "ratings", "results", "scores",
)  # fmt: skip
FIGURES = (  # of the report, in its order
    "ratings-per-context", "coverage-over-time", "annotator-means", "annotator-correlations",
    "agreement", "scores", "changes", "change-against-p", "p-values", "score-against-distance",
)  # fmt: skip
FILE = re.compile(rf"(?P<name>{NAME.pattern})_(?P<tag>{LANGUAGE.pattern}(_{STAMP})?)\.csv")


class NamedFile(NamedTuple):
    """The file of a dataset: its path, the dataset's name, and the tag of `tag_files`."""

    path: str
    name: str
    tag: str


def tag_files(language: str, *, is_rehearsal: bool) -> str:
    """Return the tag in the names of a dataset's files: its language, and "REHEARSAL" if it is one.

    >>> tag_files("sl", is_rehearsal=True), tag_files("sl", is_rehearsal=False)
    ('sl_REHEARSAL', 'sl')
    """
    return f"{language}_{STAMP}" if is_rehearsal else language


def read_tag(tag: str) -> str:
    """Return the language in a tag of `tag_files`.

    >>> read_tag("sl_REHEARSAL"), read_tag("sl")
    ('sl', 'sl')
    """
    return tag.removesuffix(f"_{STAMP}")


def check_name(name: str) -> str:
    """Return a name that the files of a dataset can have.

    Raises
    ------
    ValueError
        Other characters than letters from a to z, digits, and single hyphens or underscores
        between them, more than 50 characters, or the name of another file of a release.

    Examples
    --------
    >>> check_name("usim-2")
    'usim-2'
    """
    if not NAME.fullmatch(name) or len(name) > LONGEST:
        raise ValueError(
            f"must be 1 to {LONGEST} letters a to z and digits, with single hyphens or underscores "
            "between them, such as usim-2"
        )
    if name.casefold().partition("_")[0] in OF_OTHER_FILES:
        raise ValueError("is the name of other files of a release; choose another")
    return name


def propose_name(slug: str, language: str) -> str:
    """Return a name for the dataset of a study: its slug, without the language at the end.

    >>> propose_name("usim-2-sl", "sl"), propose_name("sl", "sl"), propose_name("data", "sl")
    ('usim-2', 'sl', 'dataset')
    """
    name = re.sub(rf"[-_]{re.escape(language)}$", "", slug)[:LONGEST].rstrip("-_")
    try:
        return check_name(name)
    except ValueError:
        return UNNAMED


def read_name(path: str) -> NamedFile | None:
    """Return the parts of the name of a dataset's file; None for a file with another name.

    The name alone does not tell a dataset from every other CSV file.

    >>> read_name("usim-2_sl_REHEARSAL.csv")
    NamedFile(path='usim-2_sl_REHEARSAL.csv', name='usim-2', tag='sl_REHEARSAL')
    >>> read_name("ratings_sl.csv") is None
    True
    """
    match = FILE.fullmatch(path)
    if match is None or match["name"].casefold().partition("_")[0] in OF_OTHER_FILES:
        return None
    return NamedFile(path, match["name"], match["tag"])


def find_datasets(paths: Iterable[str]) -> list[NamedFile]:
    """Return the dataset files at the top of a release or in the folder that `build` wrote."""
    return [named for path in paths if (named := read_name(path))]
