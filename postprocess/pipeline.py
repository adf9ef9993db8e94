"""The steps in order: stimuli and ratings in, the files of a dataset out."""

import contextlib
import errno
import hashlib
import math
import os
import re
import uuid
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path

import pandas as pd

from postprocess import __version__
from postprocess.aggregation import aggregate_ratings, refuse_unrated
from postprocess.calibration import Calibration, calibrate_ratings
from postprocess.evaluation import table1_row, table1_text
from postprocess.files import render_dataset, render_gold
from postprocess.filtering import Filtering, filter_annotators
from postprocess.ratings import RatingsError, Scale, check_ratings, with_groups
from postprocess.report import (
    Report,
    plain_report,
    render_report,
    report_agreement,
    report_calibration,
    report_counts,
    report_filtering,
    report_findings,
    report_notes,
)
from postprocess.rescaling import rescale_ratings
from postprocess.stimuli import ParsedStimuli, StimuliError, render_stimuli

LANGUAGE = re.compile(r"[a-z]{2,3}(-[A-Za-z0-9]{2,8})*")


class LanguageError(ValueError):
    """A language code that cannot name files."""


class SettingsError(ValueError):
    """Settings that make no sense."""


@dataclass(frozen=True)
class Settings:
    """How ratings become scores; the defaults are those of the published files."""

    calibrate: bool = True
    calibration_threshold: float = 1.0
    calibration_step: float = 1.0
    filter_annotators: bool = True
    filter_k: float = 1.0
    minimum_rho: float | None = None
    scale: Scale = field(default_factory=Scale)
    published_scale: Scale = field(default_factory=lambda: Scale(0, 10))
    scientific_below: float = 1e-7

    def __post_init__(self) -> None:
        for name in ("calibration_threshold", "calibration_step", "filter_k", "scientific_below"):
            number = getattr(self, name)
            if not (math.isfinite(number) and number >= 0):
                raise SettingsError(f"{name} must be a number from 0, got {number}")
        if self.minimum_rho is not None and not -1 <= self.minimum_rho <= 1:
            raise SettingsError(f"minimum_rho must lie from -1 to 1, got {self.minimum_rho}")


@dataclass(frozen=True)
class Dataset:
    """A dataset ready to be written: relative path → text, with its scores and report.

    The report holds only what JSON can.
    """

    files: dict[str, str]
    scores: pd.DataFrame
    report: Report


@dataclass(frozen=True)
class _Steps:
    """The ratings that are left, on the scale they were given on, and what was done."""

    used: pd.DataFrame
    calibration: Calibration | None
    filtering: Filtering | None


def build_dataset(
    stimuli: ParsedStimuli,
    ratings: pd.DataFrame,
    *,
    language: str,
    settings: Settings,
    inputs: Mapping[str, str],
    notes: Sequence[str] = (),
) -> Dataset:
    """Calibrate, filter, rescale and aggregate ratings, and write them up with their stimuli.

    Parameters
    ----------
    stimuli : ParsedStimuli
        Their rows are published verbatim. Errors in them do not refuse, since the ratings are
        collected by now; they stand in the report.
    ratings : DataFrame, shape (n_ratings, 4 or more)
        As `check_ratings` takes it, in points of `settings.scale`; the order does not matter.
    language : str
        Such as "sl" or "sr-Latn"; names the files.
    settings : Settings
        The steps and their bounds.
    inputs : mapping
        Name → SHA-256 of what went in, for the report.
    notes : sequence of str
        What else a reader of the report should know of the ratings.

    Returns
    -------
    Dataset
        The same for the same input, to the byte.

    Raises
    ------
    LanguageError
        Not a language code.
    StimuliError
        Rows that have not the shape of the format.
    RatingsError
        As `check_ratings`; or contexts without ratings, before or after filtering.
    """
    check_language(language)
    if stimuli.unreadable:
        raise StimuliError(stimuli.unreadable)
    n_pairs = len(stimuli.rows)
    checked = with_groups(check_ratings(ratings, settings.scale, n_pairs=n_pairs))
    refuse_unrated(checked, n_pairs)
    steps = _take_steps(checked, settings, n_pairs)
    rescaled = rescale_ratings(steps.used, settings.scale, settings.published_scale)
    scores = aggregate_ratings(rescaled, n_pairs)
    table1 = table1_row(scores)
    report: Report = {
        "language": language,
        "code": {"version": __version__, "sha256": digest_code()},
        "inputs": dict(sorted(inputs.items())),
        "settings": asdict(settings),
        "counts": report_counts(checked, steps.used, n_pairs),
        "table1": {"figures": table1, "text": table1_text(table1)},
        "agreement": report_agreement(steps.used),
        "calibration": report_calibration(steps.calibration),
        "filtering": report_filtering(steps.filtering),
        "stimuli_findings": report_findings(stimuli.findings),
        "notes": [*notes, *report_notes(steps.used, groups_given="group" in ratings)],
    }
    dataset = render_dataset(stimuli.rows, scores, scientific_below=settings.scientific_below)
    report = plain_report(report)
    files = {
        f"cosimlex_{language}.csv": dataset,
        f"data/data_{language}.tsv": render_stimuli(stimuli.rows),
        f"gold/gold_{language}.tsv": render_gold(scores),
        "report.json": render_report(report),
    }
    return Dataset(files, scores, report)


def write_dataset(dataset: Dataset, folder: Path) -> list[Path]:
    """Write the files of a dataset into a folder, which is made if need be.

    Everything is on disk under temporary names before the first file takes its place, so that
    an error while writing leaves neither half a release nor a changed one; only a crash amid
    the renames that follow could leave files of two releases. Returns the paths. Raises OSError.
    """
    texts = {folder / name: text for name, text in dataset.files.items()}
    temporary = {path: path.with_name(f".{path.name}.{uuid.uuid4().hex}") for path in texts}
    made: list[Path] = []
    with contextlib.ExitStack() as on_failure:
        on_failure.callback(_remove, temporary.values(), made)
        for path, text in texts.items():
            made.extend(_make_folder(path.parent))
            _refuse_folder(path)
            _write_through(temporary[path], text)
        for path in texts:
            temporary[path].replace(path)
        on_failure.pop_all()
    return list(texts)


def check_language(language: str) -> None:
    """Raise LanguageError if a language code cannot name files."""
    if not LANGUAGE.fullmatch(language):
        raise LanguageError(
            f'"{language}" is not a language code; give one such as sl, fi or sr-Latn'
        )


def digest_code() -> str:
    """The SHA-256 of the library's own modules, by name and content."""
    digest = hashlib.sha256()
    for path in sorted(Path(__file__).parent.glob("*.py")):
        digest.update(path.name.encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()


def _take_steps(checked: pd.DataFrame, settings: Settings, n_pairs: int) -> _Steps:
    used, calibration, filtering = checked, None, None
    if settings.calibrate:
        calibration = calibrate_ratings(
            used,
            settings.scale,
            threshold=settings.calibration_threshold,
            step=settings.calibration_step,
        )
        used = calibration.ratings
    if settings.filter_annotators:
        filtering = filter_annotators(used, k=settings.filter_k, minimum_rho=settings.minimum_rho)
        used = filtering.ratings
        _refuse_emptied(used, n_pairs)
    return _Steps(used, calibration, filtering)


def _refuse_emptied(used: pd.DataFrame, n_pairs: int) -> None:
    try:
        refuse_unrated(used, n_pairs)
    except RatingsError as error:
        raise RatingsError(
            f"after filtering, {error}; collect more ratings or filter less strictly"
        ) from error


def _make_folder(folder: Path) -> list[Path]:
    """The folders that had to be made, outermost first."""
    if folder.exists() and not folder.is_dir():
        raise NotADirectoryError(
            errno.ENOTDIR, "a file stands where a folder is to be", str(folder)
        )
    new = [path for path in (folder, *folder.parents) if not path.exists()][::-1]
    folder.mkdir(parents=True, exist_ok=True)
    return new


def _refuse_folder(path: Path) -> None:
    if path.is_dir():
        raise IsADirectoryError(errno.EISDIR, "a folder stands where a file is to be", str(path))


def _write_through(path: Path, text: str) -> None:
    with path.open("xb") as file:
        file.write(text.encode("utf-8"))
        file.flush()
        os.fsync(file.fileno())


def _remove(files: Iterable[Path], folders: Iterable[Path]) -> None:
    for path in files:
        with contextlib.suppress(OSError):
            path.unlink()
    for path in reversed(list(folders)):
        with contextlib.suppress(OSError):  # not empty: it is needed
            path.rmdir()
