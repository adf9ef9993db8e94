"""From what was collected to a release: every file of it, checked and sealed."""

import hashlib
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
import pandas as pd

from postprocess.formats.stimuli import ParsedStimuli, StimuliError, parse_stimuli, render_stimuli
from postprocess.formats.writing import write_files
from postprocess.pipeline import Dataset, build_dataset, check_language
from postprocess.release.card import render_card
from postprocess.release.checklist import render_checklist
from postprocess.release.citation import render_citation
from postprocess.release.croissant import render_croissant
from postprocess.release.description import Description
from postprocess.release.errors import ReleaseError
from postprocess.release.figures import Subject
from postprocess.release.individual import (
    SCHEMA,
    Individual,
    find_withdrawn,
    publish_individual,
    render_checks,
    render_ratings,
    write_ratings_parquet,
)
from postprocess.release.kit import PRACTICE, render_kit, render_practice_kit
from postprocess.release.practice import Split, check_disjoint, split_pairs
from postprocess.release.sealing import CHECKSUMS, render_checksums, write_archive
from postprocess.release.statement import render_statement
from postprocess.release.unwritten import Unwritten, find_unwritten, refuse_unwritten
from postprocess.reporting.report import render_report
from postprocess.steps.post_process import Progress
from postprocess.steps.recipe import Recipe
from postprocess.steps.rehearsal import SCRIPTED, tag_files
from postprocess.table.details import DETAILS, PLACE, join_details
from postprocess.table.ratings import check_ratings

REPORT = "report.json"
DESCRIPTION = "description.toml"
CROISSANT = "croissant.json"
CARDS: dict[str, Callable[[Subject], str]] = {
    "README.md": render_card,
    "DATA_STATEMENT.md": render_statement,
    "CHECKLIST.md": render_checklist,
    "CITATION.cff": render_citation,
}


@dataclass(frozen=True)
class Collected:
    """What a study collected.

    `ratings` as `check_ratings` takes it; `checks`, answers to checkpoint items, as
    `count_failed` does; `words`, as `publish_individual` does: those that may be published;
    `details`, as `join_details` does: for the report, and not published; `scripted`: the
    annotators who are scripts.
    """

    stimuli: ParsedStimuli
    ratings: pd.DataFrame
    checks: pd.DataFrame | None = None
    words: pd.DataFrame | None = None
    details: pd.DataFrame | None = None
    scripted: Collection[str] = frozenset()


@dataclass(frozen=True)
class Choices:
    """What is chosen for a release beside the recipe.

    `key` decides the annotators' ids (see `make_pseudonyms`), `n_practice` and `seed` the
    practice kit (see `split_pairs`); with `complete` nothing may be left to be written.
    """

    key: str = field(repr=False)
    n_practice: int = 0
    seed: int = 0
    complete: bool = False


@dataclass(frozen=True)
class Release:
    """A release ready to be written.

    `files`: relative path → content; `archive`: all of them as a zip file; `dataset`: what was
    built, its report with what is still to be written; `unwritten`: that list.
    """

    files: dict[str, bytes]
    archive: bytes
    dataset: Dataset
    unwritten: tuple[Unwritten, ...]


def build_release(
    collected: Collected,
    description: Description,
    recipe: Recipe,
    choices: Choices,
    *,
    language: str,
    notes: Sequence[str] = (),
    add_files: Callable[[Dataset], Mapping[str, bytes]] | None = None,
    progress: Progress | None = None,
) -> Release:
    """Make every file of a release.

    Parameters
    ----------
    collected, description : Collected, Description
        Ratings in points of the recipe's scale; what is known of the study (what is lacking is
        marked in the files).
    recipe, choices : Recipe, Choices
        The steps; the key, the practice kit, and whether gaps are allowed.
    add_files : callable, optional
        Makes further files of the dataset, such as a report for people: path → content.
    language, notes, progress
        As `build_dataset` takes them.

    Returns
    -------
    Release
        The same for the same input, to the byte.

    Raises
    ------
    ReleaseError
        The practice kit is impossible or not disjoint, the key too short, the description
        contradicts the recipe, or something is still to be written and must not be.
    StimuliError, RatingsError, LanguageError
        As `build_dataset`.
    """
    check_language(language)
    _refuse_other_scale(description, recipe)
    split, stimuli = _arrange(collected.stimuli, choices)
    individual = _publish(collected, description, recipe, split, choices.key)
    scripted = _list_scripted(individual.ratings)
    tag = tag_files(language, is_rehearsal=bool(scripted))
    answers = _render_individual(individual, language, tag)
    dataset = build_dataset(
        stimuli,
        individual.ratings,
        language=language,
        recipe=recipe,
        inputs=_digest_inputs(stimuli, answers, individual.ratings),
        checks=individual.checks,
        details=individual.ratings,
        notes=notes,
        scripted=scripted,
        progress=progress,
    )
    files = {**dataset.files, **_render_kits(stimuli, dataset, split, tag), **answers}
    files |= _render_description(description)
    files |= add_files(dataset) if add_files else {}
    subject = _take_stock(dataset, description, split, files, individual.ratings)
    return _seal(subject, files, complete=choices.complete)


def write_release(release: Release, folder: Path) -> list[Path]:
    """Write the folder of a release and, beside it, the same as a zip file: all or nothing.

    It is called `<folder>.zip`, or `<folder>_REHEARSAL.zip` with ratings by scripts.

    Raises
    ------
    ReleaseError
        The folder holds files that are not of this release, which would be published with it.
    OSError
        As `write_files`.
    """
    place = folder.resolve()
    _refuse_strangers(place, release.files)
    files = {f"{place.name}/{name}": content for name, content in release.files.items()}
    is_rehearsal = bool(release.dataset.report["counts"]["ratings_scripted"])
    archive = place.parent / f"{tag_files(place.name, is_rehearsal=is_rehearsal)}.zip"
    write_files({**files, archive.name: release.archive}, place.parent)
    return [*(folder / name for name in release.files), archive]


def _refuse_other_scale(description: Description, recipe: Recipe) -> None:
    for name in ("minimum", "maximum", "step"):
        said, used = getattr(description.scale, name), getattr(recipe.scale, name)
        if said is not None and said != used:
            raise ReleaseError(
                f"the description says that the {name} of the scale is {said:g}, and the recipe "
                f"has {used:g}; correct the one that is wrong"
            )


def _arrange(stimuli: ParsedStimuli, choices: Choices) -> tuple[Split, ParsedStimuli]:
    """The stimuli with the practice pairs at the end."""
    if stimuli.unreadable:
        raise StimuliError(stimuli.unreadable)
    split = split_pairs(stimuli.rows, choices.n_practice, seed=choices.seed)
    if not split.practice:
        return split, stimuli
    rows = [stimuli.rows[number] for number in split.order]
    return split, parse_stimuli(render_stimuli(rows).encode())


def _publish(
    collected: Collected, description: Description, recipe: Recipe, split: Split, key: str
) -> Individual:
    """The individual answers under ids and the pairs' numbers of this release."""
    n_pairs = len(collected.stimuli.rows)
    ratings = check_ratings(collected.ratings, recipe.scale.as_scale(), n_pairs=n_pairs)
    ratings = join_details(ratings, collected.details)
    is_scripted = ratings["annotator"].isin(list(collected.scripted))
    if is_scripted[~find_withdrawn(ratings)].any():
        ratings = ratings.assign(**{SCRIPTED: is_scripted})
    words = collected.words if description.consent.publishes_words else None
    individual = publish_individual(ratings, collected.checks, words, key)
    if not split.practice:
        return individual
    number = np.empty(n_pairs + 1, dtype=np.int32)
    number[np.array(split.order) + 1] = np.arange(1, n_pairs + 1)
    renumbered = individual.ratings.assign(pair=number[individual.ratings["pair"]])
    ordered = renumbered.sort_values(["pair", "context", "annotator"], ignore_index=True)
    return replace(individual, ratings=ordered)


def _list_scripted(ratings: pd.DataFrame) -> frozenset[str]:
    """The ids of annotators who are scripts; none of those whose ratings are not published."""
    if SCRIPTED not in ratings:
        return frozenset()
    return frozenset(ratings.loc[ratings[SCRIPTED], "annotator"].astype(str))


def _render_individual(individual: Individual, language: str, tag: str) -> dict[str, bytes]:
    files = {
        f"ratings_{tag}.tsv": render_ratings(individual.ratings, language).encode(),
        f"ratings_{tag}.parquet": write_ratings_parquet(individual.ratings, language),
    }
    if individual.checks is not None:
        checks = render_checks(individual.checks, language)
        files[f"checkpoints_{tag}.csv"] = checks.encode()
    return files


def _render_description(description: Description) -> dict[str, bytes]:
    """The description, and the texts that annotators read."""
    texts = {text.path: f"{text.body}\n".encode() for text in description.texts if text.body}
    return {**texts, DESCRIPTION: description.render().encode()}


def _digest_inputs(
    stimuli: ParsedStimuli, answers: Mapping[str, bytes], ratings: pd.DataFrame
) -> dict[str, str]:
    """The digests of what went in: as the release has it, and of the details, which it has not."""
    contents = {"stimuli": render_stimuli(stimuli.rows).encode()}
    for name, content in answers.items():
        if not name.endswith(".parquet"):
            contents[name.partition("_")[0]] = content
    if known := [name for name in DETAILS if name in ratings]:
        details = ratings[[*PLACE, *known]].to_csv(index=False, lineterminator="\n")
        contents["details"] = details.encode()
    return {name: hashlib.sha256(content).hexdigest() for name, content in contents.items()}


def _render_kits(
    stimuli: ParsedStimuli, dataset: Dataset, split: Split, tag: str
) -> dict[str, bytes]:
    """The files of the test data, those of the practice pairs, and a check of what they share."""
    scores, n_test = dataset.outcome.scores, len(split.test)
    style = dataset.outcome.recipe.files.as_style()
    test, practice = stimuli.rows[:n_test], stimuli.rows[n_test:]
    files = render_kit(test, scores.iloc[:n_test], tag, pvalues=style)
    if not practice:
        return files
    files |= render_practice_kit(practice, scores.iloc[n_test:], tag, pvalues=style)
    for of_test in (f"data/data_{tag}.tsv", f"cosimlex_{tag}.csv"):
        for of_practice in (
            f"{PRACTICE}/data_{tag}.tsv",
            f"{PRACTICE}/cosimlex_{tag}.csv",
        ):
            check_disjoint(files, of_test, of_practice)
    return files


def _take_stock(
    dataset: Dataset,
    description: Description,
    split: Split,
    files: Mapping[str, bytes],
    ratings: pd.DataFrame,
) -> Subject:
    """What the cards are to tell of."""
    return Subject(
        language=dataset.report["language"],
        description=description,
        recipe=dataset.outcome.recipe,
        dataset=dataset,
        n_test=len(split.test),
        n_practice=len(split.practice),
        files=sorted({*files, *CARDS, CROISSANT, CHECKSUMS}),
        rating_columns=["language", *(c for c in SCHEMA if c in ratings)],
    )


def _seal(subject: Subject, files: dict[str, bytes], *, complete: bool) -> Release:
    """Add the texts about the release, then what tells of all files, then their checksums."""
    files = {**files, **{name: render(subject).encode() for name, render in CARDS.items()}}
    draft = {**files, CROISSANT: render_croissant(subject, files).encode()}
    unwritten = find_unwritten(draft)
    if complete:
        refuse_unwritten(unwritten)
    report = {**subject.dataset.report, "to_be_written": [one._asdict() for one in unwritten]}
    files[REPORT] = render_report(report).encode()
    files[CROISSANT] = render_croissant(subject, files).encode()
    files = dict(sorted(files.items()))
    files[CHECKSUMS] = render_checksums(files)
    archive = write_archive(files, f"cosimlex_{subject.tag}")
    return Release(files, archive, replace(subject.dataset, report=report), unwritten)


def _refuse_strangers(folder: Path, files: Mapping[str, bytes]) -> None:
    """Refuse a folder with files of something else; hidden ones, such as git's, may stay."""
    if not folder.is_dir():
        return
    found = (path.relative_to(folder) for path in folder.rglob("*") if path.is_file())
    strangers = sorted(
        path.as_posix()
        for path in found
        if path.as_posix() not in files and not any(p.startswith(".") for p in path.parts)
    )
    if strangers:
        raise ReleaseError(
            f"{folder} holds files that are not of this release, such as {strangers[0]}; choose "
            "an empty folder, or remove them. Nothing was written"
        )
