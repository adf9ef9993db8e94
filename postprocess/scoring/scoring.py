"""Scoring result files against gold: what `python -m postprocess score` and a site compute."""

import hashlib
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from postprocess.formats.tabular import Finding, Severity, group_findings
from postprocess.scoring.bootstrap import Bootstrap, bootstrap_interval
from postprocess.scoring.figures import Figures, Score, score_once, score_predictions
from postprocess.scoring.gold import Part
from postprocess.scoring.inference import Interval, average_scores, compare_scores, score_interval
from postprocess.scoring.metrics import GWSC, Metric, Track
from postprocess.scoring.predictions import digest_numbers, name_result_file, read_predictions
from postprocess.scoring.submitted import Submitted
from postprocess.types import Floats

SCORER = "1.0"  # raised when any figure changes
Place = tuple[int, str]  # the number of a track, and the language of a part


@dataclass(frozen=True, eq=False)
class Checked:
    """The predictions of a submission by subtask and language, and what was odd about its files.

    `numbers`: shape (n_pairs,), or (n_pairs, 2) for two columns; `digests`: SHA-256 of the result
    files.
    """

    numbers: dict[Place, Floats]
    warnings: list[tuple[str, Finding]]
    ignored: list[str]
    digests: dict[Place, str]

    @property
    def number_digests(self) -> dict[Place, str]:
        """SHA-256 of the numbers of each file, however they are written."""
        return {place: digest_numbers(numbers) for place, numbers in self.numbers.items()}

    @property
    def digest(self) -> str:
        """SHA-256 of all numbers, which identifies a submission."""
        lines = sorted(f"{s} {language} {d}" for (s, language), d in self.number_digests.items())
        return hashlib.sha256("\n".join(lines).encode()).hexdigest()


@dataclass(frozen=True, eq=False)
class Scored:
    """The figures of a submission by subtask and language, and what was odd about its files.

    `digests`: SHA-256 of the result files that were scored; `numbers`: as those of `Checked`.
    """

    figures: dict[int, dict[str, Figures]]
    warnings: list[tuple[str, Finding]]
    ignored: list[str]
    digests: dict[Place, str] = field(default_factory=dict)
    numbers: dict[Place, Floats] = field(default_factory=dict)


class SubmissionRefused(ValueError):
    """Result files that cannot be scored; `findings` are all that is wrong, with their paths."""

    def __init__(self, findings: Sequence[tuple[str, Finding]]) -> None:
        self.findings = tuple(findings)
        super().__init__("\n".join(write_finding(*finding) for finding in findings))


def check_submission(
    submitted: Submitted,
    parts: Mapping[str, Part],
    required: Sequence[str] = (),
    *,
    earlier: Mapping[str, str] | None = None,
    baselines: Mapping[str, str] | None = None,
) -> Checked:
    """Read all result files of a submission without a look at the gold.

    `earlier` names earlier submissions by their `Checked.digest`: the same numbers are refused.
    `baselines` names baselines by the digests of their numbers: the same numbers give a warning.
    Raises SubmissionRefused with all that is wrong.
    """
    findings = [*submitted.findings, *_list_missing(submitted, required)]
    checked = Checked({}, [], submitted.ignored, {})
    for file in submitted.files:
        part, place = parts[file.language], (file.track.number, file.language)
        read = read_predictions(
            file.data, file.track, part.language, part.n_pairs, part.words, part.ids, file.ending
        )
        findings += [(file.path, finding) for finding in read.findings]
        if read.numbers is not None:
            checked.numbers[place] = read.numbers
            checked.digests[place] = hashlib.sha256(file.data).hexdigest()
            if name := (baselines or {}).get(digest_numbers(read.numbers)):
                what = f"these are the numbers of the baseline {name}"
                findings.append((file.path, Finding(Severity.WARNING, what)))
    if wrong := [finding for finding in findings if finding[1].severity is not Severity.WARNING]:
        raise SubmissionRefused(wrong)
    if name := (earlier or {}).get(checked.digest):
        what = f"these are the numbers of {name}, which is not counted again"
        raise SubmissionRefused([("", Finding(Severity.ERROR, what, advice="send others"))])
    checked.warnings.extend(findings)
    return checked


def score_checked(
    checked: Checked, parts: Mapping[str, Part], tracks: Sequence[Track] = GWSC
) -> dict[Place, Score]:
    """Return the scores of a submission without what intervals need, which takes far longer."""
    by_number = {track.number: track for track in tracks}
    return {
        (number, language): score_once(
            by_number[number].metric, numbers, parts[language].find_gold(by_number[number])
        )
        for (number, language), numbers in checked.numbers.items()
    }


def score_submission(
    submitted: Submitted,
    parts: Mapping[str, Part],
    required: Sequence[str] = (),
    tracks: Sequence[Track] = GWSC,
) -> Scored:
    """Score all result files of a submission; a language that is missing has no score.

    Raises SubmissionRefused with all that is wrong.
    """
    checked = check_submission(submitted, parts, required)
    scored = Scored(
        {track.number: {} for track in tracks},
        checked.warnings,
        checked.ignored,
        checked.digests,
        checked.numbers,
    )
    for track in tracks:
        for language, part in parts.items():
            if (place := (track.number, language)) in checked.numbers:
                scored.figures[track.number][language] = score_predictions(
                    track.metric, checked.numbers[place], part.find_gold(track)
                )
    return scored


def describe_scores(
    scored: Scored,
    parts: Mapping[str, Part],
    others: Mapping[str, Scored] | None = None,
    *,
    tracks: Sequence[Track] = GWSC,
    bootstrap: Bootstrap | None = None,
) -> dict[str, Any]:
    """Return everything that was computed, ready for JSON; differences are from `others`.

    With `bootstrap` each part also has the interval of that method.
    """
    described: dict[str, Any] = {
        "scorer": SCORER,
        "subtasks": {
            str(track.number): _describe_subtask(scored, track, parts) for track in tracks
        },
        "differences": [
            difference
            for name, other in (others or {}).items()
            for difference in _describe_differences(scored, name, other)
        ],
        "warnings": [
            {"file": path, "row": finding.row, "column": finding.column, "reason": finding.reason}
            for path, finding in scored.warnings
        ],
        "ignored": scored.ignored,
    }
    if bootstrap:
        described["bootstrap"] = {"samples": bootstrap.n_samples, "seed": bootstrap.seed}
        for track in tracks:
            for language, entry in described["subtasks"][str(track.number)]["parts"].items():
                numbers = scored.numbers[track.number, language]
                gold = parts[language].find_gold(track)
                low, high = _ends(bootstrap_interval(track.metric, numbers, gold, bootstrap))
                entry |= {"bootstrap_low": low, "bootstrap_high": high}
    return described


def write_finding(path: str, finding: Finding) -> str:
    """Write a finding with the file that it is about.

    >>> write_finding("a.tsv", Finding(Severity.ERROR, "the field is empty", 2, "change"))
    'a.tsv, row 2 (line 3), change: the field is empty'
    """
    if not path:
        return str(finding)
    separator = ", " if finding.row is not None or finding.column else ": "
    return f"{path}{separator}{finding}"


def group_by_file(findings: Sequence[tuple[str, Finding]]) -> list[tuple[str, Finding]]:
    """Return equal findings on several rows of a file as one; see `group_findings`."""
    paths = dict.fromkeys(path for path, _ in findings)
    of_file = {path: [finding for place, finding in findings if place == path] for path in paths}
    return [(path, finding) for path in paths for finding in group_findings(of_file[path])]


def _list_missing(submitted: Submitted, required: Sequence[str]) -> Iterator[tuple[str, Finding]]:
    for subtask in sorted({file.track.number for file in submitted.files}):
        there = {file.language for file in submitted.files if file.track.number == subtask}
        for language in required:
            if language not in there:
                name = name_result_file(subtask, language)
                what = f"{name} is missing; this language is required"
                yield "", Finding(Severity.ERROR, what)


def _describe_subtask(scored: Scored, track: Track, parts: Mapping[str, Part]) -> dict[str, Any]:
    of_language = scored.figures[track.number]
    entry: dict[str, Any] = {
        "parts": {
            language: _describe_part(part, track.metric)
            | {
                "gold_sha256": parts[language].sha256,
                "file_sha256": scored.digests[track.number, language],
            }
            for language, part in sorted(of_language.items())
        },
        "missing": sorted(set(parts) - set(of_language)),
        "average": None, "average_low": None, "average_high": None,
    }  # fmt: skip
    figures = [of_language[language] for language in sorted(of_language)]
    if not (entry["missing"] or any(math.isnan(part.score) for part in figures)):
        average = average_scores(figures, track.metric)
        ends = _ends(average.interval)
        entry |= {"average": average.score, "average_low": ends[0], "average_high": ends[1]}
    return entry


def _describe_part(figures: Figures, metric: Metric) -> dict[str, Any]:
    low, high = _ends(score_interval(figures, metric))
    entry = {"n": figures.n, "score": _known(figures.score), "low": low, "high": high}
    if metric is Metric.HARMONIC:
        entry |= {"pearson": _known(figures.pearson), "spearman": _known(figures.spearman)}
    return {**entry, "reason": figures.reason.value or None}


def _describe_differences(scored: Scored, name: str, other: Scored) -> Iterator[dict[str, Any]]:
    for subtask, figures in scored.figures.items():
        others = other.figures[subtask]
        for language in sorted(figures.keys() & others.keys()):
            test = compare_scores(figures[language], others[language])
            place = {"subtask": subtask, "part": language, "against": name}
            if not math.isnan(test.d):
                yield {**place, "d": test.d, "p": test.p}


def _ends(interval: Interval | None) -> tuple[float | None, float | None]:
    return (interval.low, interval.high) if interval else (None, None)


def _known(figure: float) -> float | None:
    return None if math.isnan(figure) else figure
