"""Building a release from the collected ratings, and writing it to a folder and an archive."""

import hashlib
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path, PurePath
from typing import Any

import pandas as pd

from postprocess.designs.design import Design
from postprocess.formats.parsed import ParsedRows, render_checked
from postprocess.formats.stimuli import StimuliError
from postprocess.formats.writing import write_files
from postprocess.naming import PUBLISHED, check_name, propose_name, tag_files
from postprocess.origin import Origin
from postprocess.pipeline import (
    Dataset,
    build_dataset,
    check_language,
    name_data,
    name_unscored,
    options_of,
)
from postprocess.release import ReleaseError
from postprocess.release.checksums import CHECKSUMS, render_checksums, write_archive
from postprocess.release.description.missing_text import Unwritten, find_unwritten, refuse_unwritten
from postprocess.release.description.study import Description
from postprocess.release.documents.attribution import render_sources_files
from postprocess.release.documents.cards import render_card, render_checklist, render_statement
from postprocess.release.documents.citation import render_citation
from postprocess.release.documents.croissant import render_croissant
from postprocess.release.documents.summaries import Subject
from postprocess.release.individual import (
    SCHEMA,
    Individual,
    find_withdrawn,
    publish_individual,
    render_second_look,
    write_word,
)
from postprocess.release.kit import PRACTICE, render_kit, render_practice_kit
from postprocess.release.origin import describe_origin
from postprocess.release.practice import Split, check_disjoint, split_pairs, take_compared
from postprocess.release.published import render_published
from postprocess.release.sources import ContextSource, Publishing, list_documents, renumber_sources
from postprocess.release.withholding import withhold_texts
from postprocess.reporting.phrases import write_count
from postprocess.reporting.report import describe_gaps, render_report, report_gaps
from postprocess.steps.post_process import Progress, post_process
from postprocess.steps.recipe import Recipe
from postprocess.steps.rehearsal import SCRIPTED
from postprocess.table.details import LAYOUT, MEASURES, RELEASED, join_details
from postprocess.table.ratings import check_ratings, name_some

REPORT = "report.json"
DESCRIPTION = "description.toml"
DESIGN = "design.toml"
CROISSANT = "croissant.json"
CARDS: dict[str, Callable[[Subject], str]] = {
    "README.md": render_card,
    "DATA_STATEMENT.md": render_statement,
    "CHECKLIST.md": render_checklist,
    "CITATION.cff": render_citation,
}


@dataclass(frozen=True)
class Collected:
    """The data that a study collected.

    `ratings`: see `check_ratings`; `checks`: answers to checkpoint items, see `count_failed`;
    `words`: engagement words that may be published, see `publish_individual`; `details`: see
    `join_details`; positions and seconds are neither published nor used;
    `scripted`: annotators that are scripts; `sources`: where the contexts come from, and `origin`:
    how they were found, if that is known; `design`: None for CoSimLex; `decisions`: see
    `post_process`.
    """

    stimuli: ParsedRows[Any]
    ratings: pd.DataFrame
    checks: pd.DataFrame | None = None
    words: pd.DataFrame | None = None
    details: pd.DataFrame | None = None
    scripted: Collection[str] = frozenset()
    sources: tuple[ContextSource, ...] = ()
    origin: Origin = field(default_factory=dict)
    design: Design | None = None
    decisions: pd.DataFrame | None = None


@dataclass(frozen=True)
class Published:
    """The data of a release: what its figures are computed from.

    `stimuli`: test pairs, then practice pairs; `individual`: the answers with this release's
    annotator ids and pair numbers; `split`: which pairs are for practice; `sources`: with the same
    pair numbers; `origin`: how the texts were found; `design`: None for CoSimLex.
    """

    stimuli: ParsedRows[Any]
    individual: Individual
    split: Split
    sources: tuple[ContextSource, ...] = ()
    origin: Origin = field(default_factory=dict)
    design: Design | None = None


@dataclass(frozen=True)
class Choices:
    """Settings of a release other than the recipe.

    `key` decides the annotators' ids (see `make_pseudonyms`), `n_practice` and `seed` the
    practice kit (see `split_pairs`); with `complete` a missing text is an error. `name`: of the
    dataset in its files, instead of that in the description; see `choose_name`. `withheld`:
    texts whose licence is judged so are masked in all files; see `withhold_texts`. Without
    `accepts_unscored`, contexts without a score are an error.
    """

    key: str = field(repr=False)
    n_practice: int = 0
    seed: int = 0
    complete: bool = False
    name: str | None = None
    withheld: Collection[Publishing] = (Publishing.FORBIDDEN,)
    accepts_unscored: bool = False


@dataclass(frozen=True)
class Release:
    """A release ready to be written.

    `files`: relative path → content; `archive`: the same files as a zip archive; `dataset`: the
    dataset, with the missing texts in its report; `unwritten`: the missing texts; `unscored`:
    the rows of the stimuli, from 0, whose pairs have no score.
    """

    files: dict[str, bytes]
    archive: bytes
    dataset: Dataset
    unwritten: tuple[Unwritten, ...]
    unscored: tuple[int, ...] = ()


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
    """Build all files of a release; the same input gives the same bytes.

    Ratings are in points of the recipe's scale; texts that are missing in the description are
    marked in the files. `add_files` returns further files for the dataset, such as the HTML report:
    path → content. `language`, `notes` and `progress` are those of `build_dataset`.

    Raises
    ------
    ReleaseError
        The practice kit is impossible or not disjoint, the key is too short, the description
        contradicts the recipe, texts are missing although `choices.complete` is set, or contexts
        have no score although `choices.accepts_unscored` is not.
    StimuliError, RatingsError, LanguageError
        See `build_dataset`.
    """
    check_language(language)
    _refuse_other_scale(description, recipe)
    if collected.stimuli.unreadable:
        raise StimuliError(collected.stimuli.unreadable)
    individual = _publish(collected, description, recipe, choices.key)
    split, stimuli = _split_stimuli(
        collected.stimuli, choices, _find_unscored(individual, recipe, collected, choices)
    )
    if split.is_reordered:
        individual = individual.renumbered(split.order)
    sources = renumber_sources(collected.sources, split.order)
    stimuli, sources = withhold_texts(stimuli, sources, choices.withheld)
    release = assemble_release(
        Published(stimuli, individual, split, sources, collected.origin, collected.design),
        description,
        recipe,
        language=language,
        name=choose_name(description, choices.name, collected.design),
        complete=choices.complete,
        notes=notes,
        add_files=add_files,
        progress=progress,
    )
    return replace(release, unscored=split.unscored)


def assemble_release(
    published: Published,
    description: Description,
    recipe: Recipe,
    *,
    language: str,
    name: str,
    complete: bool = False,
    notes: Sequence[str] = (),
    add_files: Callable[[Dataset], Mapping[str, bytes]] | None = None,
    progress: Progress | None = None,
) -> Release:
    """Compute all figures of a release from its data and render all files.

    `name` is that of the dataset in its files; the other arguments, and the errors but for those
    of the key, are those of `build_release`.
    """
    stimuli, ratings = published.stimuli, published.individual.ratings
    scripted = published.individual.scripted
    tag = tag_files(language, is_rehearsal=bool(scripted))
    answers = published.individual.render(language, tag)
    dataset = build_dataset(
        stimuli,
        ratings,
        language=language,
        recipe=recipe,
        design=published.design,
        inputs=_digest_inputs(stimuli, answers),
        checks=published.individual.checks,
        decisions=published.individual.decisions,
        details=ratings,
        notes=notes,
        scripted=scripted,
        name=name,
        progress=progress,
    )
    files = {**dataset.files, **_render_kits(stimuli, dataset, published.split, tag), **answers}
    if published.design:
        files |= _render_design(dataset, published.split, published.design)
    files |= _render_description(description)
    files |= render_second_look(ratings)
    files |= render_sources_files(published.sources, published.origin, len(stimuli.rows), tag)
    files |= add_files(dataset) if add_files else {}
    subject = _make_subject(dataset, description, published, files)
    return _add_documents(subject, files, complete=complete)


def choose_name(
    description: Description, given: str | None = None, design: Design | None = None
) -> str:
    """Return the name of a dataset in its files: as given, as described, or of its design.

    Raises ReleaseError if the given name cannot be one.
    """
    published = propose_name(design.name, "") if design else PUBLISHED
    try:
        return check_name(given) if given else description.dataset.name or published
    except ValueError as error:
        raise ReleaseError(f"the name of the dataset {error}") from error


def write_release(release: Release, folder: Path) -> list[Path]:
    """Write a release as a folder and, next to it, as a zip archive: both or neither.

    The archive is called `<folder>.zip`, or `<folder>_REHEARSAL.zip` if scripts rated. Raises
    ReleaseError if the folder holds other files, which would be published with the release, OSError
    as `write_files`.
    """
    path = folder.resolve()
    _refuse_other_files(path, release.files)
    files = {f"{path.name}/{name}": content for name, content in release.files.items()}
    is_rehearsal = bool(release.dataset.report["counts"]["ratings_scripted"])
    archive = path.parent / f"{tag_files(path.name, is_rehearsal=is_rehearsal)}.zip"
    write_files({**files, archive.name: release.archive}, path.parent)
    return [*(folder / name for name in release.files), archive]


def _refuse_other_scale(description: Description, recipe: Recipe) -> None:
    for name in ("minimum", "maximum", "step"):
        described, used = getattr(description.scale, name), getattr(recipe.scale, name)
        if described is not None and described != used:
            raise ReleaseError(
                f"the {name} of the scale is {described:g} in the description, but {used:g} in "
                "the recipe; correct the one that is wrong"
            )


def _find_unscored(
    individual: Individual, recipe: Recipe, collected: Collected, choices: Choices
) -> list[int]:
    """Return the rows of the pairs that lack a score. Raises ReleaseError unless it is accepted."""
    design = collected.design
    if not (recipe.filtering.constant_from or design):
        return []
    outcome = post_process(
        individual.ratings, recipe, n_pairs=len(collected.stimuli.rows), checks=individual.checks,
        decisions=individual.decisions, **options_of(design),
    )  # fmt: skip
    unscored = outcome.pairs.index.difference(outcome.scores.index)
    if len(unscored) and design and design.rounds.adjudicates:
        ids = [collected.stimuli.rows[pair - 1][0] for pair in unscored]
        raise ReleaseError(
            f"these items have no majority, and nobody has decided them: {name_some(ids)}; decide "
            "them first (on the site under Collection, Adjudication)"
        )
    if len(unscored) and not choices.accepts_unscored:
        gaps = describe_gaps(report_gaps(outcome)) or "Items without a majority have no score."
        raise ReleaseError(
            f"{gaps} {write_count(len(unscored), 'pair')} would be "
            "missing from the dataset. Collect more ratings, or confirm the release without scores "
            "of these pairs (on the command line --accept-unscored, in the API accepts_unscored)"
        )
    return [pair - 1 for pair in unscored]


def _split_stimuli(
    stimuli: ParsedRows[Any], choices: Choices, unscored: Collection[int]
) -> tuple[Split, ParsedRows[Any]]:
    """Return the split, and the stimuli with practice pairs, then those without a score, last."""
    rows = take_compared(stimuli.columns, stimuli.rows)
    split = split_pairs(rows, choices.n_practice, seed=choices.seed, unscored=unscored)
    return split, stimuli.reordered(split.order) if split.is_reordered else stimuli


def _publish(
    collected: Collected, description: Description, recipe: Recipe, key: str
) -> Individual:
    """Return the individual answers with this release's annotator ids."""
    n_pairs = len(collected.stimuli.rows)
    n_contexts = collected.design.n_contexts if collected.design else 2
    check = partial(
        check_ratings, scale=recipe.scale.as_scale(), n_pairs=n_pairs, n_contexts=n_contexts
    )
    decisions = None if collected.decisions is None else check(collected.decisions)
    ratings = _join_traits(check(collected.ratings), collected.details)
    is_scripted = ratings["annotator"].isin(list(collected.scripted))
    if is_scripted[~find_withdrawn(ratings)].any():
        ratings = ratings.assign(**{SCRIPTED: is_scripted})
    words = collected.words if description.consent.publishes_words else None
    individual = publish_individual(ratings, collected.checks, words, key)
    return replace(individual, decisions=decisions)


def _join_traits(ratings: pd.DataFrame, details: pd.DataFrame | None) -> pd.DataFrame:
    """Add the columns of `RELEASED` that are known, each entry on one line."""
    joined = join_details(ratings, details).drop(columns=list(MEASURES), errors="ignore")
    released = {name: joined[name] for name in RELEASED if name in joined}
    return joined.assign(
        **{name: column.map(write_word, na_action="ignore") for name, column in released.items()}
    )


def _render_description(description: Description) -> dict[str, bytes]:
    """Return the description and the texts that annotators read, as files."""
    texts = {text.path: f"{text.body}\n".encode() for text in description.texts if text.body}
    return {**texts, DESCRIPTION: description.render().encode()}


def _render_design(dataset: Dataset, split: Split, design: Design) -> dict[str, bytes]:
    """Return the design, and the test data in its layout."""
    published = render_published(dataset, len(split.test), design)
    return {DESIGN: design.render().encode(), **published}


def _digest_inputs(stimuli: ParsedRows[Any], answers: Mapping[str, bytes]) -> dict[str, str]:
    contents = {"stimuli": stimuli.text.encode()}
    for name, content in answers.items():
        if not name.endswith(".parquet"):
            contents[name.partition("_")[0]] = content
    return {name: hashlib.sha256(content).hexdigest() for name, content in contents.items()}


def _render_kits(
    stimuli: ParsedRows[Any], dataset: Dataset, split: Split, tag: str
) -> dict[str, bytes]:
    """Return the files of the test data and of the practice kit; refuse them if they overlap."""
    pairs, rows, name = dataset.outcome.pairs, stimuli.rows, dataset.name
    start, end = len(split.test), len(split.test) + len(split.practice)
    others = (*rows[:start], *rows[end:])
    files = render_kit(dataset, others, pairs.drop(pairs.index[start:end]), tag)
    if split.unscored and dataset.design:
        files[name_unscored(tag)] = render_checked(stimuli.columns, rows[end:]).encode()
    if not split.practice:
        return files
    files |= render_practice_kit(dataset, rows[start:end], pairs.iloc[start:end], tag)
    data = name_data(dataset.design, tag)
    for of_test in (data, f"{name}_{tag}.csv"):
        for of_practice in (f"{PRACTICE}/{PurePath(data).name}", f"{PRACTICE}/{name}_{tag}.csv"):
            check_disjoint(files, of_test, of_practice)
    return files


def _make_subject(
    dataset: Dataset, description: Description, published: Published, files: Mapping[str, bytes]
) -> Subject:
    return Subject(
        language=dataset.report["language"],
        description=description,
        recipe=dataset.outcome.recipe,
        dataset=dataset,
        n_test=len(published.split.test),
        n_practice=len(published.split.practice),
        files=sorted({*files, *CARDS, CROISSANT, CHECKSUMS}),
        rating_columns=["language", *(c for c in SCHEMA if c in published.individual.ratings)],
        documents=tuple(list_documents(published.sources)),
        search=describe_origin(published.origin),
        layouts=_count_layouts(published.individual.ratings),
    )


def _count_layouts(ratings: pd.DataFrame) -> dict[str, int]:
    """Return the number of ratings by the layout of the scale; empty if all are unknown."""
    if LAYOUT not in ratings:
        return {}
    return dict(Counter(sorted(ratings[LAYOUT].fillna("").astype(str))).most_common())


def _add_documents(subject: Subject, files: dict[str, bytes], *, complete: bool) -> Release:
    """Add the documents, then the report and the metadata of all files, then the checksums."""
    files = {**files, **{name: render(subject).encode() for name, render in CARDS.items()}}
    draft = {**files, CROISSANT: render_croissant(subject, files).encode()}
    unwritten = find_unwritten(draft)
    if complete:
        refuse_unwritten(unwritten)
    report = {**subject.dataset.report, "to_be_written": [text._asdict() for text in unwritten]}
    files[REPORT] = render_report(report).encode()
    files[CROISSANT] = render_croissant(subject, files).encode()
    files = dict(sorted(files.items()))
    files[CHECKSUMS] = render_checksums(files)
    archive = write_archive(files, subject.stem)
    return Release(files, archive, replace(subject.dataset, report=report), unwritten)


def _refuse_other_files(folder: Path, files: Mapping[str, bytes]) -> None:
    """Raise ReleaseError if a folder holds other files, apart from hidden files such as git's."""
    if not folder.is_dir():
        return
    paths = (path.relative_to(folder) for path in folder.rglob("*") if path.is_file())
    others = sorted(
        path.as_posix()
        for path in paths
        if path.as_posix() not in files and not any(p.startswith(".") for p in path.parts)
    )
    if others:
        raise ReleaseError(
            f"{folder} contains files that are not part of this release, such as {others[0]}; "
            "choose an empty folder or remove them. Nothing was written"
        )
