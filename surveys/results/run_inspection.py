"""Reading the results of runs: files, ratings ledger, and comparison of two runs."""

import zipfile
from collections.abc import Iterable, Mapping
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from django.core.cache import cache
from django.db.models.fields.files import FieldFile

from surveys.errors import RunRefused
from surveys.models import Annotator, Run, Study
from surveys.operations.job_process import in_job_process
from surveys.query_params import read_number

if TYPE_CHECKING:
    import pandas as pd

    from postprocess.steps.post_process import Outcome
    from postprocess.steps.recipe import Recipe

ROWS_A_PAGE = 100
CACHE_SECONDS = 30 * 24 * 3600  # of comparisons
MAX_DIFFERENCES = 200  # of pairs or annotators that are shown


class LedgerPage(NamedTuple):
    """A page of a run's ratings ledger, and the number of rows found."""

    rows: list[dict[Any, Any]]
    n_found: int
    number: int
    n_pages: int


class RunsApart(NamedTuple):
    """The differences of two runs: figures by name, and the pairs and annotators that differ."""

    summary: dict[str, float]
    pairs: list[dict[Any, Any]]
    annotators: list[dict[Any, Any]]


def write_recipes() -> dict[str, str]:
    """Return the library's recipes as TOML, by name."""
    from postprocess.steps import list_recipes
    from postprocess.steps.recipe import read_recipe

    return {name: read_recipe(name).render() for name in list_recipes()}


def write_recipe(name: str, *changes: str) -> str:
    """Return a recipe of the library as TOML, with changes such as "report.pdf=false"."""
    from postprocess.steps.recipe import read_recipe

    return read_recipe(name, changes).render()


def read_member(run: Run, name: str) -> bytes | None:
    """Return a file of a run's archive by its path, or None if it has no such file."""
    with run.archive.open("rb") as file, zipfile.ZipFile(file) as archive:
        paths = [path for path in archive.namelist() if path.partition("/")[2] == name]
        return archive.read(paths[0]) if paths else None


def unpack_archive(run: Run, into: Path) -> Path:
    """Unpack the archive of a run into a folder, and return the folder that it has."""
    with run.archive.open("rb") as file, zipfile.ZipFile(file) as archive:
        archive.extractall(into)
    (folder,) = into.iterdir()
    return folder


def read_stored_recipe(run: Run) -> "Recipe":
    """Return the recipe of a run."""
    from postprocess.steps.recipe import parse_recipe

    return parse_recipe(run.recipe.encode())


@in_job_process
def find_in_ledger(run: Run, filters: dict[str, str], page: int = 1) -> LedgerPage:
    """Return a page of a run's ratings that match all filters; empty filters match everything.

    Raises RunRefused if a pair or context is not a number.
    """
    from postprocess.steps.stored_runs import search_ledger

    criteria: dict[str, str | int] = {name: text for name, text in filters.items() if text}
    for name in ("pair", "context"):
        if name in criteria:
            number = read_number(filters[name])
            if number is None:
                raise RunRefused(f"{name} must be a number, such as 12.")
            criteria[name] = number
    start = (max(1, page) - 1) * ROWS_A_PAGE
    rows, n_found = search_ledger(_content(run.ledger), criteria, start=start, n_rows=ROWS_A_PAGE)
    n_pages = max(1, -(-n_found // ROWS_A_PAGE))
    return LedgerPage(_list_rows(rows), n_found, max(1, page), n_pages)


def find_codes(study: Study, rows: Iterable[Mapping[Any, Any]]) -> set[str]:
    """Return the annotators in rows that are codes; runs of older versions have numbers."""
    names = {str(row["annotator"]) for row in rows}
    of_study = Annotator.objects.filter(study=study, code__in=names)
    return set(of_study.values_list("code", flat=True)) if names else set()


def compare_runs(first: Run, second: Run) -> RunsApart:
    """Return the second run's differences from the first; computed once, then cached.

    Raises RunRefused unless the ratings are equal.
    """
    key = f"compared-{digest_run(first)}-{digest_run(second)}"
    differences = cache.get(key)
    if differences is None:
        differences = tuple(_compare(first, second))
        cache.set(key, differences, CACHE_SECONDS)
    return RunsApart(*differences)


def digest_run(run: Run) -> str:
    """Return a digest that no other run has, nor the same run performed again."""
    return sha256(f"{run.pk} {run.archive} {run.finished_at}".encode()).hexdigest()


@in_job_process
def _compare(first: Run, second: Run) -> RunsApart:
    from postprocess.steps.comparison import compare_outcomes
    from postprocess.table.ratings import RatingsError

    outcome1, outcome2 = restore_run(first), restore_run(second)
    try:
        apart = compare_outcomes(outcome1, outcome2)
    except RatingsError as error:
        numbers = len(outcome1.ledger), len(outcome2.ledger)
        raise RunRefused(_explain_difference(first, second, numbers)) from error
    pairs = apart.scores[apart.scores["written_differs"]].reset_index().head(MAX_DIFFERENCES)
    annotators = apart.annotators[apart.annotators["differs"]].head(MAX_DIFFERENCES)
    return RunsApart(apart.summary, _list_rows(pairs), _list_rows(annotators))


def _explain_difference(first: Run, second: Run, n_ratings: tuple[int, int]) -> str:
    """Return why two runs cannot be compared, and what to do."""
    if n_ratings[0] != n_ratings[1]:
        why = (
            f"run {first.number} read {n_ratings[0]:,} and run {second.number} {n_ratings[1]:,}. "
            "Answers arrived or were withdrawn between them"
        )
    else:
        why = (
            "their number is the same, but ratings or annotators differ. Answers changed between "
            "them, or an older version of Cosima, which numbered annotators, made one of them"
        )
    return (
        f"These runs are not of the same ratings: {why}. Run the older recipe again (Change this "
        "recipe, on its page), and compare the new run."
    )


def _list_rows(table: "pd.DataFrame") -> list[dict[Any, Any]]:
    """Return the rows of a table, with None for missing values."""
    return table.astype(object).where(table.notna(), None).to_dict("records")


def restore_run(run: Run) -> "Outcome":
    """Return the result of a finished run. Raises RunRefused if it has none."""
    from postprocess.steps.stored_runs import restore_outcome

    files = [read_member(run, name) for name in ("scores.tsv", "annotators.tsv")]
    if run.state != "done" or None in files:
        raise RunRefused(f"Run {run.number} has no results to compare.")
    scores, annotators = (file or b"" for file in files)
    return restore_outcome(read_stored_recipe(run), _content(run.ledger), scores, annotators)


def _content(stored: FieldFile) -> bytes:
    with stored.open("rb") as file:
        return bytes(file.read())
