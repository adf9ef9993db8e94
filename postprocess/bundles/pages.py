"""The pages of a bundle for teams, and its README for the organisers, as Markdown."""

import re
from collections.abc import Sequence

from postprocess.bundles.task import BundleTask
from postprocess.kits.readme import (
    describe_average,
    describe_contact,
    describe_format,
    describe_formula,
    describe_languages,
    describe_limits,
    make_list,
)
from postprocess.kits.rules import PhaseRules, Visibility
from postprocess.release.documents.markdown import escape
from postprocess.scoring.metrics import Track

ADDRESS = re.compile(r"[^\s@<>,;()]+@[^\s@<>,;()]+")
TITLES = {
    "overview": "Overview",
    "data": "Data",
    "evaluation": "Evaluation",
}  # of pages, by their files


def render_pages(task: BundleTask, track: Track) -> dict[str, str]:
    """Return the pages for teams by their names."""
    parts = [part.for_kit(is_practice=False) for part in task.parts]
    return {
        "overview": _join(
            f"# {name_bundle(task, track)}",
            task.rules.text.strip(),
            f"This site scores subtask {track.number} alone.",
            make_list(describe_contact(task.rules)),
            *(block for phase in task.phases for block in _describe_phase(task, phase)),
        ),
        "data": _join(
            "# Data",
            "The starting kit of a phase has the data, complete result files as examples of the "
            "format, and the scorer. The practice data's kit also has the scores to predict.",
            describe_languages(task.rules, parts),
        ),
        "evaluation": _join(
            "# Evaluation",
            describe_format(PhaseRules("", False, task.phases[0].opens_at, tracks=(track,))),
            "Codabench takes a zip archive. A refused submission has the state Failed, is not "
            "counted, and its standard error (stderr) lists all that is wrong.",
            describe_formula(track),
            describe_average(task.rules, parts),
            "The board shows three decimals. A language that was not submitted has no score; an "
            "average of −1 means that languages are missing.",
        ),
    }


def render_organisers_readme(task: BundleTask, track: Track) -> str:
    """Return the README of a bundle, which Codabench does not show to anybody."""
    return _join(
        f"# Bundle for Codabench: {name_bundle(task, track)}",
        "Upload the zip archive at Codabench (Benchmarks, Management, Upload). Keep it secret: it "
        "has the gold of the test data, in `reference_test/`.",
        "One bundle sets up one subtask. On Codabench every phase has the first leaderboard, one "
        "column ranks it, and phases must not overlap, so that two subtasks on one site would "
        "share a board. Make a bundle and a site for each.",
        "## Check after uploading",
        make_list(_list_checks(task)),
        "## What teams can see",
        _describe_visibility(task.phases),
        "Programs and gold are not offered for download, and what the scorer prints never depends "
        "on the gold. Scores are rounded to three decimals by the scorer itself, since the site "
        "stores ten and hands the file out.",
    )


def find_address(contact: str) -> str | None:
    """Return the first e-mail address in a text, or None.

    >>> find_address("The organisers <words@example.org>")
    'words@example.org'
    """
    match = ADDRESS.search(contact)
    return match[0] if match else None


def name_bundle(task: BundleTask, track: Track) -> str:
    """Return the title of a bundle, escaped."""
    return f"{escape(task.rules.title)}, subtask {track.number}"


def _describe_phase(task: BundleTask, phase: PhaseRules) -> list[str]:
    return [f"## Phase {escape(phase.name)}", make_list(describe_limits(task.rules, phase))]


def _list_checks(task: BundleTask) -> list[str]:
    times = "The times of the phases: Codabench shows UTC, and reads no time zones."
    limits = (
        "The limits of each phase. Where a phase has none, the bundle says 10,000, since Codabench "
        "otherwise allows 5 submissions a day."
    )
    trial = "A trial submission: pack the files of `solution/` (baseline *distance*) and send it."
    registration = "Registration: you accept each team yourself."
    if find_address(task.rules.contact) is None:
        registration += " Add your address as contact."
    return [times, limits, trial, registration]


def _describe_visibility(phases: Sequence[PhaseRules]) -> str:
    if all(phase.visibility is Visibility.BOARD for phase in phases):
        return "The leaderboard is public."
    hidden = [phase.name for phase in phases if phase.visibility is Visibility.HIDDEN]
    names = ", ".join(escape(name) for name in hidden)
    first = "The leaderboard is hidden in all phases: Codabench cannot hide it in one phase alone."
    then = "To publish it, edit the competition and clear *hidden* of the leaderboard."
    if not hidden:
        return f"{first} Teams see the scores of their own submissions. {then}"
    return (
        f"{first} In the phases {names} the scores of a submission are hidden, too, but teams "
        f"still see its state (Finished or Failed) and what the scorer prints. {then} Also clear "
        "*hide score output* of these phases."
    )


def _join(*blocks: str) -> str:
    return "\n\n".join(block for block in blocks if block) + "\n"
