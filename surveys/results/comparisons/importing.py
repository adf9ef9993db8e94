"""Import of collections to compare a study with: ratings of its contexts by people or by a model.

They are stored as one text each, to which no rating, quota, run or release refers.
"""

import hashlib
import re
import tempfile
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from django.db import transaction

from surveys.access.audit_log import record
from surveys.errors import ImportRefused
from surveys.models import CollectionKind, ImportedCollection, Study
from surveys.operations.job_process import in_job_process
from surveys.results.numbering import number_next
from surveys.results.ratings_table import scale_of
from surveys.study.stimuli.load import read_stored_stimuli

if TYPE_CHECKING:
    import pandas as pd

    from postprocess.table.scale import Scale
    from postprocess.two_collections.sources import Source

LARGEST_FILE = 4_000_000  # bytes
MOST_COLLECTIONS = 100  # of a study
FURTHEST_POINT, MOST_POINTS = 100, 1001  # of a scale
SUFFIXES = (".csv", ".tsv", ".txt", ".xlsx", ".parquet")
NAME = re.compile(r"[^\x00-\x1f\x7f]{1,60}")
DETAILS = ("model", "model_version", "prompt_sha256", "rated_on")


class CollectionFile(NamedTuple):
    """A ratings file to import, and its description by the researcher.

    `name`: of the collection; `file_name`: its suffix gives the format; `kind`: "people" or
    "model", or "" for what the file says; `model`, `model_version`, `prompt_sha256` and `rated_on`:
    the details of a language model, unless the file has them;
    `language`: of the texts, by default the study's; `scale`: minimum, maximum and step, by default
    the study's.
    """

    name: str
    file_name: str
    data: bytes
    kind: str = ""
    model: str = ""
    model_version: str = ""
    prompt_sha256: str = ""
    rated_on: str = ""
    language: str = ""
    scale: tuple[float, float, float] | None = None


class ImportedTable(NamedTuple):
    """A file's checked ratings as text, and the fields that describe the raters."""

    ratings: str
    n_ratings: int
    n_annotators: int
    source: dict[str, str]


def import_collection(study: Study, file: CollectionFile, by: Any = None) -> ImportedCollection:
    """Store ratings to compare a study with; idempotent for the same name and file.

    Pairs are numbered as in the stimuli of the study, and every context needs a rating. Annotators
    and groups are numbered: their names in the file are not stored. Raises ImportRefused with all
    problems.
    """
    refuse_unusable(file)
    if study.kind.n_contexts == 1:
        raise ImportRefused(
            "This study is compared with published data sets: import one on the page Comparisons."
        )
    language = file.language or study.language
    scale = _read_scale(study, file)
    return store_collection(
        study, file, _read_table(study, file, language, scale), language, scale, by
    )


def refuse_unusable(file: CollectionFile) -> None:
    """Raise ImportRefused for a file that is too large, or a collection without a name."""
    if len(file.data) > LARGEST_FILE:
        raise ImportRefused(
            f"The file has {len(file.data):,} bytes; at most {LARGEST_FILE:,} can be imported."
        )
    if not NAME.fullmatch(file.name.strip()):
        raise ImportRefused(
            "Give the collection a name of one line and at most 60 characters, which tables and "
            "plots show."
        )


@transaction.atomic
def delete_collection(collection: ImportedCollection) -> None:
    """Delete an imported collection; comparisons made with it stay."""
    record("collection.deleted", collection.study, collection.name)
    collection.delete()


def read_imported(collection: ImportedCollection) -> "pd.DataFrame":
    """Return the ratings of an imported collection, as `check_ratings` takes them."""
    from postprocess.formats.reading import read_ratings

    return read_ratings(str(collection.ratings).encode(), collection.language)


def scale_of_collection(collection: ImportedCollection) -> "Scale":
    """Return the rating scale of an imported collection."""
    from postprocess.table.scale import Scale

    ends = collection.scale_minimum, collection.scale_maximum, collection.scale_step
    return Scale(*map(float, ends))


def source_of_collection(collection: ImportedCollection) -> "Source":
    """Return who gave the ratings of an imported collection."""
    from postprocess.two_collections.sources import Source

    return Source(collection.kind, **{name: getattr(collection, name) for name in DETAILS})


def _read_scale(study: Study, file: CollectionFile) -> "Scale":
    from postprocess.table.scale import RatingsError, Scale

    if file.scale is None:
        return scale_of(study)
    if any(abs(x) > FURTHEST_POINT or round(x, 2) != x for x in file.scale):  # true for NaN
        raise ImportRefused(
            f"The numbers of the scale are at most {FURTHEST_POINT} and have at most two decimals."
        )
    try:
        scale = Scale(*file.scale)
    except RatingsError as error:
        raise ImportRefused(f"{str(error)[:1].upper()}{str(error)[1:]}.") from error
    if scale.n_points > MOST_POINTS:
        raise ImportRefused(
            f"The scale has {scale.n_points:,} points; at most {MOST_POINTS:,} are possible."
        )
    return scale


@in_job_process
def _read_table(study: Study, file: CollectionFile, language: str, scale: "Scale") -> ImportedTable:
    """Return the ratings of a file. Raises ImportRefused."""
    from postprocess.pipeline import LanguageError, check_language
    from postprocess.table.ratings import RatingsError

    suffix = Path(file.file_name).suffix.lower()
    if suffix not in SUFFIXES:
        raise ImportRefused(f"The name of the file must end in {', '.join(SUFFIXES)}.")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"ratings{suffix}"
        path.write_bytes(file.data)
        try:
            check_language(language)
            return _check(path, study, file, language, scale)
        except (RatingsError, LanguageError) as error:
            raise ImportRefused(str(error).replace(f"{path}", "the file")) from error


def _check(
    path: Path, study: Study, file: CollectionFile, language: str, scale: "Scale"
) -> ImportedTable:
    from postprocess.formats.reading import MODEL, load_ratings
    from postprocess.steps.post_process import post_process
    from postprocess.steps.recipe import read_recipe
    from postprocess.table.ratings import RatingsError, check_ratings
    from postprocess.two_collections.sources import PEOPLE, Source, load_source

    details = {name: getattr(file, name).strip() for name in DETAILS}
    given = Source(MODEL, **details) if any(details.values()) else None
    source = load_source(path, given)
    if file.kind == PEOPLE and source.is_model:
        raise RatingsError(f"the file says: {source.describe()}; choose that a model rated")
    if file.kind == MODEL and not source.is_model:
        raise RatingsError("the file does not say which model rated; give its name")
    n_pairs = len(read_stored_stimuli(study).rows)
    ratings = load_ratings(path, language, accept_models=True)
    checked = check_ratings(ratings, scale, n_pairs=n_pairs)
    post_process(checked, read_recipe("raw").on_scale(scale), n_pairs=n_pairs)  # all contexts
    text, n_annotators = _write(_number(checked)), checked["annotator"].nunique()
    details = {name: getattr(source, name) for name in ("kind", *DETAILS)}
    return ImportedTable(text, len(checked), int(n_annotators), details)


def _number(ratings: "pd.DataFrame") -> "pd.DataFrame":
    """Return the ratings with numbers instead of the names of annotators and groups."""
    columns = {}
    for name, letter in (("annotator", "A"), ("group", "G")):
        if name in ratings:
            codes = ratings[name].astype(str).rank(method="dense").astype(int)
            width = max(2, len(str(int(codes.max()))))
            columns[name] = [f"{letter}{code:0{width}}" for code in codes]
    return ratings.assign(**columns)


@transaction.atomic
def store_collection(
    study: Study, file: CollectionFile, table: ImportedTable, language: str, scale: "Scale", by: Any
) -> ImportedCollection:
    """Store a collection, and log it; see `import_collection`."""
    name, digest = file.name.strip(), hashlib.sha256(file.data).hexdigest()
    number = number_next(study, ImportedCollection.objects.filter(study=study))  # locks the study
    details = {field: table.source[field] for field in DETAILS}
    earlier = ImportedCollection.objects.filter(study=study, name=name).first()
    if earlier is not None:
        if earlier.sha256 == digest and all(getattr(earlier, k) == v for k, v in details.items()):
            return earlier
        raise ImportRefused(
            f"The study has another collection called {name}. Choose another name, or delete that."
        )
    if ImportedCollection.objects.filter(study=study).count() >= MOST_COLLECTIONS:
        raise ImportRefused(
            f"A study can have {MOST_COLLECTIONS} imported collections. Delete one that is no "
            "longer needed."
        )
    ends = {"minimum": scale.minimum, "maximum": scale.maximum, "step": scale.step}
    made = ImportedCollection.objects.create(
        study=study,
        number=number,
        name=name,
        kind=CollectionKind(table.source["kind"]),
        **details,
        language=language,
        **{f"scale_{end}": Decimal(str(value)) for end, value in ends.items()},
        ratings=table.ratings,
        n_ratings=table.n_ratings,
        n_annotators=table.n_annotators,
        sha256=digest,
        imported_by=by,
    )
    kind = {"kind": made.kind, **{field: text for field, text in details.items() if text}}
    record("collection.imported", study, name, **kind, n_ratings=made.n_ratings, sha256=digest)
    return made


def _write(ratings: "pd.DataFrame") -> str:
    from postprocess.table.rendering import render_table

    return render_table(ratings)
