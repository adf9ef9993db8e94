"""The file `competition.yaml` of a bundle, as far as Codabench accepts and needs it.

Source: Codabench's own unpacker and serializers, March 2026.
"""

from collections.abc import Sequence
from itertools import pairwise
from typing import Annotated, Literal, Self

from pydantic import Field, StringConstraints, model_validator

from postprocess.formats.toml import Section

Text = Annotated[str, StringConstraints(min_length=1)]
Time = Annotated[str, StringConstraints(pattern=r"^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$")]  # UTC
YesNo = Literal["true", "false"]  # Codabench compares these texts
Index = Annotated[int, Field(ge=0)]
Limit = Annotated[int, Field(ge=1)]
RANKING = "average"  # the column that ranks a board


class Question(Section):
    """A question of the fact sheet that teams fill in with a submission."""

    key: Text
    type: Literal["text", "checkbox", "select"]
    title: Text
    selection: str | list[bool] | list[str]
    is_required: YesNo
    is_on_leaderboard: YesNo


class Page(Section):
    """A page of the competition; an empty file is refused."""

    title: Text
    file: Text


class Task(Section):
    """Data with their scoring program."""

    index: Index
    name: Text
    description: Text
    scoring_program: Text
    reference_data: Text


class Solution(Section):
    """An example of a submission."""

    index: Index
    name: Text
    path: Text
    tasks: Annotated[list[int], Field(min_length=1)]


class Phase(Section):
    """A phase; times are in UTC, without a zone."""

    index: Index
    name: Text
    description: Text
    start: Time
    end: Time | None = None
    max_submissions: Limit
    max_submissions_per_day: Limit
    execution_time_limit: Limit
    hide_output: Literal[False]  # the findings of refused submissions are there
    hide_prediction_output: bool
    hide_score_output: bool
    starting_kit: Text
    tasks: Annotated[list[int], Field(min_length=1)]


class Column(Section):
    """A column of the leaderboard."""

    title: Annotated[Text, StringConstraints(max_length=36)]
    key: Annotated[Text, StringConstraints(max_length=36)]
    index: Index
    sorting: Literal["desc"]
    precision: Literal[3]
    hidden: bool


class Leaderboard(Section):
    """The leaderboard; the column with index 0 ranks."""

    title: Annotated[Text, StringConstraints(max_length=64)]
    key: Annotated[Text, StringConstraints(max_length=36)]
    hidden: bool
    submission_rule: Literal["Force_Last", "Add_And_Delete", "Force_Best"]
    columns: Annotated[list[Column], Field(min_length=2)]

    @model_validator(mode="after")
    def _is_ranked(self) -> Self:
        _check_unique([column.key for column in self.columns], "keys of columns")
        _check_unique([column.index for column in self.columns], "indexes of columns")
        if [column.key for column in self.columns if column.index == 0] != [RANKING]:
            raise ValueError(f"the column with index 0 must be {RANKING}")
        return self


class Competition(Section):
    """The whole file."""

    version: Literal[2]
    title: Annotated[Text, StringConstraints(max_length=256)]
    description: str
    image: Text
    terms: Text
    contact_email: Annotated[str, StringConstraints(pattern=r"^[^\s@]+@[^\s@]+$")] | None = None
    docker_image: Text
    registration_auto_approve: bool
    make_programs_available: Literal[False]
    make_input_data_available: Literal[False]
    enable_detailed_results: Literal[False]
    can_participants_make_submissions_public: Literal[False]
    auto_run_submissions: bool
    fact_sheet: dict[str, Question]
    pages: Annotated[list[Page], Field(min_length=1)]
    tasks: Annotated[list[Task], Field(min_length=1)]
    solutions: list[Solution]
    phases: Annotated[list[Phase], Field(min_length=1)]
    leaderboards: Annotated[list[Leaderboard], Field(min_length=1, max_length=1)]

    @model_validator(mode="after")
    def _is_consistent(self) -> Self:
        for key, question in self.fact_sheet.items():
            if key != question.key:
                raise ValueError(f"the question {key} has the key {question.key}")
        for numbered, what in (
            (self.tasks, "tasks"), (self.solutions, "solutions"), (self.phases, "phases"),
        ):  # fmt: skip
            _check_unique([entry.index for entry in numbered], f"indexes of {what}")
        indexes = {task.index for task in self.tasks}
        used = [(solution.name, solution.tasks) for solution in self.solutions]
        used += [(phase.name, phase.tasks) for phase in self.phases]
        for name, tasks in used:
            if not indexes.issuperset(tasks):
                raise ValueError(f"{name} names a task that does not exist")
        _check_order(sorted(self.phases, key=lambda phase: phase.index))
        return self

    def list_paths(self) -> list[str]:
        """Return the paths of files and folders that the file names."""
        paths = [self.image, self.terms, *(page.file for page in self.pages)]
        for task in self.tasks:
            paths += [task.scoring_program, task.reference_data]
        paths += [solution.path for solution in self.solutions]
        return [*paths, *(phase.starting_kit for phase in self.phases)]


def _check_unique(entries: Sequence[object], what: str) -> None:
    if len(set(entries)) < len(entries):
        raise ValueError(f"the {what} must differ")


def _check_order(phases: Sequence[Phase]) -> None:
    """Raise ValueError unless each phase ends before the next one begins."""
    for phase in phases:
        if phase.end is not None and phase.end <= phase.start:
            raise ValueError(f"the phase {phase.name} ends before it begins")
    for phase, following in pairwise(phases):
        if phase.end is None:
            raise ValueError(f"the phase {phase.name} needs an end, since another one follows")
        if phase.end >= following.start:
            raise ValueError(
                f"the phase {phase.name} must end before {following.name} begins: Codabench has "
                "one phase at a time"
            )
