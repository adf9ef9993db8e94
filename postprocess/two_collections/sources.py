"""The source of a collection: people or a language model, as marked in its ratings file."""

import re
from dataclasses import asdict, dataclass
from datetime import date
from pathlib import Path

import pandas as pd

from postprocess.formats.reading import KIND, MODEL, are_of_model, has_column, load_columns
from postprocess.table.ratings import RatingsError, name_some

PEOPLE = "people"
COLUMNS = (KIND, "model", "model_version", "prompt_sha256", "rated_on")
LONGEST = 200  # characters of an entry
DIGEST = re.compile(r"[0-9a-f]{64}")


@dataclass(frozen=True)
class Source:
    """The source of a collection of ratings.

    `kind`: "people" or "model"; the others are those of a language model: its name and version,
    the SHA-256 of the prompt, and the day on which it rated, such as 2026-05-31; "" if unknown.
    Raises RatingsError for a model without a name, details of people, or an invalid entry.
    """

    kind: str = PEOPLE
    model: str = ""
    model_version: str = ""
    prompt_sha256: str = ""
    rated_on: str = ""

    def __post_init__(self) -> None:
        details = {name: text for name, text in asdict(self).items() if name != KIND and text}
        if self.kind not in (PEOPLE, MODEL):
            raise RatingsError(
                f'{KIND} is "{self.kind[:LONGEST]}"; write {PEOPLE}, or {MODEL} for a model'
            )
        if self.kind == PEOPLE and details:
            raise RatingsError(
                f"{', '.join(details)}: given for ratings of people; write {KIND} = {MODEL} if a "
                "language model gave them"
            )
        if self.kind == MODEL and not self.model:
            raise RatingsError("the ratings are a model's; give its name (column or option model)")
        for name, text in details.items():
            if len(text) > LONGEST or re.search(r"[\x00-\x1f\x7f]", text):
                raise RatingsError(f"{name} must be one line of at most {LONGEST} characters")
        if self.prompt_sha256 and not DIGEST.fullmatch(self.prompt_sha256):
            raise RatingsError("prompt_sha256 must be the SHA-256 of the prompt, 64 digits 0-9a-f")
        if self.rated_on and not _is_day(self.rated_on):
            raise RatingsError("rated_on must be a day, such as 2026-05-31")

    @property
    def is_model(self) -> bool:
        """Whether a language model rated."""
        return self.kind == MODEL

    @property
    def name(self) -> str:
        """The name of the model with its version; "" for people."""
        return f"{self.model} {self.model_version}".strip()

    def describe(self) -> str:
        """Return the source in words.

        >>> Source("model", "Example", "2", rated_on="2026-05-31").describe()
        'language model Example, version 2, rated on 2026-05-31'
        """
        if not self.is_model:
            return PEOPLE
        parts = [f"language model {self.model}"]
        if self.model_version:
            parts.append(f"version {self.model_version}")
        if self.rated_on:
            parts.append(f"rated on {self.rated_on}")
        if self.prompt_sha256:
            parts.append(f"prompt {self.prompt_sha256[:12]}…")
        return ", ".join(parts)


PEOPLE_RATED = Source()


def load_source(path: Path, given: Source | None = None) -> Source:
    """Return a ratings file's source: from its columns, or the given source.

    Parameters
    ----------
    path : Path
        A ratings file. Its columns kind ("people" or "model"), model, model_version,
        prompt_sha256 and rated_on, if it has them, say the same in every row.
    given : Source, optional
        A model for a file without these columns; for a file with them, it must be the same.

    Returns
    -------
    Source
        People, if neither says anything.

    Raises
    ------
    RatingsError
        Rows of different sources, which are named; columns that differ from `given`; or as
        `Source`.
    OSError
        The file cannot be read.
    """
    if not has_column(path, KIND):
        return given or PEOPLE_RATED
    table = load_columns(path, COLUMNS)
    if KIND not in table or table.empty:  # part of another name
        return given or PEOPLE_RATED
    table = table.apply(lambda column: column.str.strip())
    _refuse_mixtures(table)
    entries = table.iloc[0].to_dict()
    kind = MODEL if are_of_model(table[KIND]).iloc[0] else entries[KIND] or PEOPLE
    marked = Source(**{**entries, KIND: kind})
    if given is not None and given != marked:
        raise RatingsError(
            f"the file says: {marked.describe()}; given was: {given.describe()}. Correct the one "
            "that is wrong"
        )
    return marked


def _refuse_mixtures(table: pd.DataFrame) -> None:
    differs = (table != table.iloc[0]).any(axis="columns")
    if differs.any():
        rows = name_some([f"row {row + 1}" for row in differs.to_numpy().nonzero()[0]])
        raise RatingsError(
            f"ratings of different sources in one file: {rows} differ from row 1 in "
            f"{', '.join(map(str, table.columns))}; put each source in a file"
        )


def _is_day(text: str) -> bool:
    try:
        return date.fromisoformat(text).isoformat() == text
    except ValueError:
        return False
