"""Refusals of shared tasks."""

from collections.abc import Iterable
from typing import Any

from surveys.errors import SurveyError


class SharedTaskRefused(SurveyError):
    """A change of a shared task that cannot be made as requested."""


class TeamRefused(SharedTaskRefused):
    """A change of a team, or of an account for shared tasks, that is not possible as requested."""


class TooManyRequests(SurveyError):
    """More requests of a kind within an hour than the limit allows."""

    status = 429


class UploadRefused(SharedTaskRefused):
    """Result files that cannot be scored; the message lists every problem, one per line."""

    status = 422

    def __init__(
        self, message: str, *, problems: Iterable[tuple[str, int | None, str | None, str]] = ()
    ) -> None:
        """`problems` lists each problem: its file, row, column and reason."""
        super().__init__(message)
        self.problems = list(problems)

    def describe(self) -> list[dict[str, Any]]:
        """Return each problem with its file, row and column."""
        problems = [
            {"message": reason, "file": file or None, "row": row, "column": column}
            for file, row, column, reason in self.problems
        ]
        return problems or super().describe()


class SubmissionRefused(SharedTaskRefused):
    """A submission that cannot be made, or changed, as requested."""


class TooLate(SubmissionRefused):
    """A submission after the end of its phase."""

    def __init__(self, message: str, *, phases: Iterable[Any] = ()) -> None:
        """`phases` are the open phases in which the same files may be submitted."""
        super().__init__(message)
        self.phases = list(phases)

    def describe(self) -> list[dict[str, Any]]:
        """Return the message with the names of the open phases."""
        return [{"message": str(self), "phases": [phase.name for phase in self.phases]}]
