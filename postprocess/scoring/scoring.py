"""Scoring result files against gold: what `python -m postprocess score` and a site compute."""

import hashlib
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from postprocess.formats.files import GOLD_COLUMNS, read_gold
from postprocess.formats.stimuli import parse_stimuli
from postprocess.formats.tabular import Finding, Severity, TableError
from postprocess.scoring.figures import Figures, Subtask, score_changes, score_similarities
from postprocess.scoring.inference import (
    Interval,
    average_scores,
    compare_scores,
    score_interval,
)
from postprocess.scoring.predictions import read_predictions
from postprocess.scoring.submitted import Submitted
from postprocess.types import Floats

SCORER = "1.0"  # raised when any figure changes
GOLD = "gold_*.tsv"


class GoldError(ValueError):
    """The gold cannot be used: which file, and why."""


@dataclass(frozen=True, eq=False)
class Part:
    """One language of a shared task: its gold, and the words of its pairs if they are known.

    `similarities`, shape (n_pairs, 2); `changes`, shape (n_pairs,), as the gold file has them.
    """

    language: str
    similarities: Floats
    changes: Floats
    sha256: str
    words: tuple[tuple[str, str], ...] = ()

    @property
    def n_pairs(self) -> int:
        """The number of pairs."""
        return len(self.changes)


@dataclass(frozen=True, eq=False)
class Scored:
    """The figures of a submission by subtask and language, and what was odd about its files.

    `digests`: SHA-256 of the result files that were scored.
    """

    figures: dict[Subtask, dict[str, Figures]]
    warnings: list[tuple[str, Finding]]
    ignored: list[str]
    digests: dict[tuple[Subtask, str], str] = field(default_factory=dict)


class SubmissionRefused(ValueError):
    """Result files that cannot be scored; `findings` are all that is wrong, with their paths."""

    def __init__(self, findings: Sequence[tuple[str, Finding]]) -> None:
        self.findings = tuple(findings)
        super().__init__("\n".join(write_finding(*one) for one in findings))


def load_parts(folder: Path, data: Path | None = None) -> dict[str, Part]:
    """Read the gold files in a folder or its folder `gold`, and data files if they are given.

    Raises GoldError, TableError and OSError.
    """
    parts = {}
    for path in sorted((*folder.glob(GOLD), *folder.glob(f"gold/{GOLD}"))):
        language = path.stem.removeprefix("gold_")
        content = path.read_bytes()
        try:
            gold = read_gold(content)
        except TableError as error:
            raise GoldError(f"{path}: {error}") from error
        if language in parts:
            raise GoldError(f"{folder} has two files gold_{language}.tsv; give the folder of one")
        words = _read_words(data, language, len(gold)) if data else ()
        similarities = gold[list(GOLD_COLUMNS[:2])].to_numpy(dtype=float)
        digest = hashlib.sha256(content).hexdigest()
        changes = gold["change"].to_numpy(dtype=float)
        parts[language] = Part(language, similarities, changes, digest, words)
    if not parts:
        raise GoldError(f"{folder} has no file gold_<lang>.tsv, nor has its folder gold")
    return parts


def score_submission(
    submitted: Submitted, parts: Mapping[str, Part], required: Sequence[str] = ()
) -> Scored:
    """Score all result files of a submission; a language that is missing has no score.

    Raises SubmissionRefused with all that is wrong.
    """
    scored = Scored({subtask: {} for subtask in Subtask}, [], submitted.ignored)
    findings = [*submitted.findings, *_list_missing(submitted, required)]
    for file in submitted.files:
        part = parts[file.language]
        read = read_predictions(file.data, file.subtask, part.language, part.n_pairs, part.words)
        findings += [(file.path, finding) for finding in read.findings]
        if read.numbers is not None:
            figures = (
                score_changes(read.numbers, part.changes)
                if file.subtask is Subtask.CHANGES
                else score_similarities(read.numbers, part.similarities)
            )
            scored.figures[file.subtask][file.language] = figures
            digest = hashlib.sha256(file.data).hexdigest()
            scored.digests[file.subtask, file.language] = digest
    if wrong := [one for one in findings if one[1].severity is not Severity.WARNING]:
        raise SubmissionRefused(wrong)
    scored.warnings.extend(findings)
    return scored


def describe_scores(
    scored: Scored, parts: Mapping[str, Part], others: Mapping[str, Scored] | None = None
) -> dict[str, Any]:
    """Return everything that was computed, ready for JSON; differences are from `others`."""
    return {
        "scorer": SCORER,
        "subtasks": {
            subtask.value: _describe_subtask(scored, subtask, parts) for subtask in Subtask
        },
        "differences": [
            difference
            for name, other in (others or {}).items()
            for difference in _describe_differences(scored, name, other)
        ],
        "warnings": [
            {"file": path, "row": one.row, "column": one.column, "reason": one.reason}
            for path, one in scored.warnings
        ],
        "ignored": scored.ignored,
    }


def write_finding(path: str, finding: Finding) -> str:
    """Write a finding with the file that it is about.

    >>> write_finding("a.tsv", Finding(Severity.ERROR, "the field is empty", 2, "change"))
    'a.tsv, row 2 (line 3), change: the field is empty'
    """
    if not path:
        return str(finding)
    separator = ", " if finding.row is not None or finding.column else ": "
    return f"{path}{separator}{finding}"


def _list_missing(submitted: Submitted, required: Sequence[str]) -> Iterator[tuple[str, Finding]]:
    for subtask in sorted({file.subtask for file in submitted.files}):
        there = {file.language for file in submitted.files if file.subtask is subtask}
        for language in required:
            if language not in there:
                name = f"results_subtask{subtask}_{language}.tsv"
                what = f"{name} is missing; this language is required"
                yield "", Finding(Severity.ERROR, what)


def _read_words(data: Path, language: str, n_pairs: int) -> tuple[tuple[str, str], ...]:
    name = f"data_{language}.tsv"
    path = next((one for one in (data / name, data / "data" / name) if one.is_file()), None)
    if path is None:
        raise GoldError(f"{data} has no file {name}, nor has its folder data")
    rows = parse_stimuli(path.read_bytes()).rows
    if len(rows) != n_pairs:
        raise GoldError(f"{path} has {len(rows):,} pairs, and the gold has {n_pairs:,}")
    return tuple((row[0], row[1]) for row in rows)


def _describe_subtask(
    scored: Scored, subtask: Subtask, parts: Mapping[str, Part]
) -> dict[str, Any]:
    found = scored.figures[subtask]
    entry: dict[str, Any] = {
        "parts": {
            language: _describe_part(one, subtask)
            | {
                "gold_sha256": parts[language].sha256,
                "file_sha256": scored.digests[subtask, language],
            }
            for language, one in sorted(found.items())
        },
        "missing": sorted(set(parts) - set(found)),
        "average": None, "average_low": None, "average_high": None,
    }  # fmt: skip
    if not entry["missing"]:
        average = average_scores([found[language] for language in sorted(found)])
        ends = _ends(average.interval)
        entry |= {"average": average.score, "average_low": ends[0], "average_high": ends[1]}
    return entry


def _describe_part(figures: Figures, subtask: Subtask) -> dict[str, Any]:
    is_harmonic = subtask is Subtask.SCORES
    low, high = _ends(score_interval(figures, is_harmonic=is_harmonic))
    entry = {"n": figures.n, "score": figures.score, "low": low, "high": high}
    if is_harmonic:
        entry |= {"pearson": _known(figures.pearson), "spearman": _known(figures.spearman)}
    return {**entry, "reason": figures.reason.value or None}


def _describe_differences(scored: Scored, name: str, other: Scored) -> Iterator[dict[str, Any]]:
    for subtask in Subtask:
        own, others = scored.figures[subtask], other.figures[subtask]
        for language in sorted(own.keys() & others.keys()):
            found = compare_scores(own[language], others[language])
            place = {"subtask": int(subtask), "part": language, "against": name}
            yield {**place, "d": found.d, "p": found.p}


def _ends(interval: Interval | None) -> tuple[float | None, float | None]:
    return (interval.low, interval.high) if interval else (None, None)


def _known(figure: float) -> float | None:
    return None if math.isnan(figure) else figure
