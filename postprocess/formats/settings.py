"""Settings files: models of their tables, and messages on invalid entries."""

from typing import Any, Self

from pydantic import BaseModel, ConfigDict, ValidationError
from pydantic_core import ErrorDetails

LONGEST_SHOWN = 40  # characters of a value that is quoted in a message


class Section(BaseModel):
    """A table of a settings file: strict, immutable, without unknown entries or infinities."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False, strict=True)

    @classmethod
    def read(cls, entries: dict[str, Any], noun: str, refusal: type[ValueError]) -> Self:
        """Return the entries as a section; `noun` is the term for an entry, such as "setting".

        Raises the given kind of error with a line for each problem: the place, the reason, and
        the value if it is short. List items count from 1.
        """
        try:
            return cls.model_validate(entries)
        except ValidationError as error:
            raise refusal("\n".join(_explain(e, noun) for e in error.errors())) from error


def _explain(error: ErrorDetails, noun: str) -> str:
    place = ".".join(str(part + 1 if isinstance(part, int) else part) for part in error["loc"])
    if error["type"] == "extra_forbidden":
        return f"{place}: unknown {noun}"
    given = repr(error["input"])
    shown = not isinstance(error["input"], dict) and len(given) <= LONGEST_SHOWN
    reason = error["msg"].removeprefix("Value error, ")
    message = f"{reason[0].lower()}{reason[1:]}{f' (given: {given})' if shown else ''}"
    return f"{place}: {message}" if place else message
