"""Loading a collection from a release, a file of ratings, or a published dataset."""

from pathlib import Path
from typing import NamedTuple

from postprocess.formats.files import DATASET_COLUMNS, read_dataset
from postprocess.formats.reading import load_ratings
from postprocess.formats.stimuli import StimuliError, parse_stimuli
from postprocess.naming import read_tag
from postprocess.pipeline import RECIPE_FILE, check_language
from postprocess.release.verification.published_data import find_dataset, read_files, read_published
from postprocess.steps.post_process import post_process
from postprocess.steps.recipe import Recipe, parse_recipe
from postprocess.steps.rehearsal import load_scripted
from postprocess.table.details import load_details
from postprocess.table.ratings import RatingsError, Scale
from postprocess.two_collections.collection import (
    Collection,
    collection_of_outcome,
    collection_of_scores,
)
from postprocess.two_collections.sources import Source, load_source


class Reading(NamedTuple):
    """How to read a file: what it does not say itself.

    `language`: code; `stimuli`: file of the stimuli; `scale`: of the ratings, by default that of
    the recipe; `source`: a model, if one rated.
    """

    language: str = ""
    stimuli: Path | None = None
    scale: Scale | None = None
    source: Source | None = None


def load_collection(path: Path, reading: Reading, recipe: Recipe) -> Collection:
    """Load a collection and post-process its ratings by a recipe.

    Parameters
    ----------
    path : Path
        The folder of a release, which says its language, stimuli and scale; a file of ratings
        (.csv, .tsv or .parquet); or a published dataset, cosimlex_<lang>.csv, which has scores
        from 0 to 10 without ratings, and its stimuli.
    reading : Reading
        For files: language, and for ratings the stimuli and the scale.
    recipe : Recipe
        On another scale, it is used on that of the ratings.

    Returns
    -------
    Collection
        Named by the file or folder, or by the model.

    Raises
    ------
    RatingsError
        Language or stimuli are missing; or the errors of the readers and of `post_process`.
    ReleaseError, TableError, LanguageError, OSError
        As the readers.
    """
    if path.is_dir():
        return load_release(path, recipe)
    if not reading.language:
        raise RatingsError(f"{path.name} is a file; give its language (--language), such as sl")
    check_language(reading.language)
    if _is_dataset(path):
        return collection_of_scores(
            read_dataset(path.read_bytes()),
            Scale(0, 10),
            name=path.stem,
            language=reading.language,
            source=reading.source,
        )
    return _load_ratings(path, reading, recipe)


def load_release(folder: Path, recipe: Recipe | None = None) -> Collection:
    """Load the collection of a release, by default with its own recipe; see `load_collection`."""
    files = read_files(folder)
    tag = find_dataset(files).tag
    recipe_of_release = parse_recipe(files[RECIPE_FILE])
    published = read_published(folder, files, tag, recipe_of_release)
    rows, ratings = published.stimuli.rows, folder / f"ratings_{tag}.tsv"
    recipe = recipe or recipe_of_release
    outcome = post_process(
        published.individual.ratings,
        recipe.on_scale(recipe_of_release.scale.as_scale()),
        n_pairs=len(rows),
        checks=published.individual.checks,
    )
    return collection_of_outcome(
        outcome,
        rows,
        name=folder.resolve().name,
        language=read_tag(tag),
        details=load_details(ratings),
        scripted=load_scripted(ratings),
    )


def _load_ratings(path: Path, reading: Reading, recipe: Recipe) -> Collection:
    if reading.stimuli is None:
        raise RatingsError(
            f"{path.name} has ratings without texts; give the file of its stimuli (--stimuli)"
        )
    stimuli = parse_stimuli(reading.stimuli.read_bytes())
    if stimuli.unreadable:
        raise StimuliError(stimuli.unreadable)
    source = load_source(path, reading.source)
    ratings = load_ratings(path, reading.language, accept_models=True)
    scaled = recipe if reading.scale is None else recipe.on_scale(reading.scale)
    return collection_of_outcome(
        post_process(ratings, scaled, n_pairs=len(stimuli.rows)),
        stimuli.rows,
        name=source.name or path.stem,
        language=reading.language,
        source=source,
        details=load_details(path),
        scripted=load_scripted(path),
    )


def _is_dataset(path: Path) -> bool:
    if path.suffix == ".parquet":
        return False
    with path.open("rb") as file:
        header = file.readline().decode("utf-8-sig", "replace").rstrip("\r\n").split("\t")
    return set(DATASET_COLUMNS) <= set(header)
