"""Messages on invalid settings files."""

from pydantic import ValidationError
from pydantic_core import ErrorDetails

LONGEST_SHOWN = 40  # characters of a value that is quoted in a message


def explain_refusal(error: ValidationError, noun: str) -> str:
    """Return a line for each problem: the place, the reason, and the value if it is short.

    `noun` is the term for a name in the file, such as "setting". List items count from 1.
    """
    return "\n".join(_explain(one, noun) for one in error.errors())


def _explain(error: ErrorDetails, noun: str) -> str:
    place = ".".join(str(part + 1 if isinstance(part, int) else part) for part in error["loc"])
    if error["type"] == "extra_forbidden":
        return f"{place}: unknown {noun}"
    given = repr(error["input"])
    shown = not isinstance(error["input"], dict) and len(given) <= LONGEST_SHOWN
    reason = error["msg"].removeprefix("Value error, ")
    message = f"{reason[0].lower()}{reason[1:]}{f' (given: {given})' if shown else ''}"
    return f"{place}: {message}" if place else message
