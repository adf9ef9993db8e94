"""What is wrong with a file of settings, in words."""

from pydantic import ValidationError
from pydantic_core import ErrorDetails

LONGEST_SHOWN = 40  # characters of a value that is repeated in a message


def explain_refusal(error: ValidationError, noun: str) -> str:
    """All that is wrong, a line each: the place, why, and what was given if that is short.

    `noun` is what an unknown name is none of, such as "setting". Parts of lists count from 1.
    """
    return "\n".join(_explain(one, noun) for one in error.errors())


def _explain(error: ErrorDetails, noun: str) -> str:
    place = ".".join(str(part + 1 if isinstance(part, int) else part) for part in error["loc"])
    if error["type"] == "extra_forbidden":
        return f"{place}: there is no such {noun}"
    given = repr(error["input"])
    shown = not isinstance(error["input"], dict) and len(given) <= LONGEST_SHOWN
    reason = error["msg"].removeprefix("Value error, ")
    told = f"{reason[0].lower()}{reason[1:]}{f' (given: {given})' if shown else ''}"
    return f"{place}: {told}" if place else told
