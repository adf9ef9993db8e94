"""Row by row: what goes wrong with one is kept at it, and the others go on."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

from django.db.models import Model

from surveys.access.redaction import mask_text
from surveys.errors import GatewayDown, SurveyError

Tell = Callable[[str, int, int], None]
Row = TypeVar("Row", bound=Model)
LONGEST_ERROR = 500
PATIENCE = 3  # failures in a row, after which the target counts as down for all


@dataclass
class Outcome:
    """What became of the rows: how many of each kind, and what went wrong with which."""

    counts: Counter[str] = field(default_factory=Counter)
    errors: list[str] = field(default_factory=list)

    def as_report(self) -> dict[str, Any]:
        """What JSON can hold of it."""
        return {"counts": dict(sorted(self.counts.items())), "errors": self.errors}

    def __add__(self, other: "Outcome") -> "Outcome":
        return Outcome(self.counts + other.counts, [*self.errors, *other.errors])


def keep_quiet(stage: str, done: int, of: int) -> None:
    """For who is not told how far it is."""


def go_through(
    rows: Sequence[Row], step: Callable[[Row], str | Counter[str]], stage: str, tell: Tell
) -> Outcome:
    """Do a step with each row; it says what it has done, if anything.

    Raises GatewayDown, when all others were tried or too many failed, for it to be tried again.
    """
    outcome, n_failed, down = Outcome(), 0, None
    for n, row in enumerate(rows):
        tell(stage, n, len(rows))
        try:
            done = step(row)
        except GatewayDown as error:
            down, n_failed = error, n_failed + 1
            _note(row, error, outcome)
            if n_failed == PATIENCE:
                break
        except SurveyError as error:
            n_failed = 0
            _note(row, error, outcome)
        else:
            n_failed = 0
            outcome.counts.update(done if isinstance(done, Counter) else [done] if done else [])
    if down:
        raise down
    return outcome


def clear_error(row: Model) -> None:
    """Forget what went wrong with a row before: it is well now."""
    _keep(row, "")


def _note(row: Model, error: SurveyError, outcome: Outcome) -> None:
    message = mask_text(str(error))[:LONGEST_ERROR]
    outcome.errors.append(f"{row}: {message}")
    _keep(row, message)


def _keep(row: Any, message: str) -> None:
    """The error of a row that has room for one, and of it nothing else."""
    if getattr(row, "error", message) != message:
        row.error = message
        row.save(update_fields=["error"])
