"""Building the files of a dataset from stimuli and ratings."""

import functools
import hashlib
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pandas as pd

from postprocess.designs.design import Design
from postprocess.designs.scored import render_scored
from postprocess.errors import UserError
from postprocess.formats.files import render_dataset, render_gold
from postprocess.formats.parsed import ParsedRows
from postprocess.formats.stimuli import COLUMNS, StimuliError, render_stimuli
from postprocess.naming import LANGUAGE, PUBLISHED, tag_files
from postprocess.reporting.assessment import assess
from postprocess.reporting.report import (
    Report,
    plain_report,
    render_report,
    report_calibration,
    report_counts,
    report_filtering,
    report_findings,
    report_intervals,
    report_notes,
)
from postprocess.statistics.evaluation import table1_row, table1_text
from postprocess.steps.distributions import (
    measure_distributions,
    render_distributions,
    write_distributions_parquet,
)
from postprocess.steps.ledger import name_single, render_annotators, render_ledger, render_scores
from postprocess.steps.post_process import Outcome, Progress, post_process
from postprocess.steps.recipe import Recipe
from postprocess.steps.score_intervals import score_intervals
from postprocess.table.details import find_parts_of_speech, join_details
from postprocess.table.rendering import render_table
from postprocess.version import __version__

RECIPE_FILE = "recipe.toml"
CODE = (".py", ".jinja", ".css", ".js")
Row = tuple[str, ...]


class LanguageError(UserError):
    """An invalid language code."""


@dataclass(frozen=True)
class Dataset:
    """A dataset ready to be written.

    `files`: relative path → content; `outcome`: the result of the steps; `report`: JSON types
    only; `intervals`: see `score_intervals`; `parts_of_speech`: of each pair (the index), if
    known; `rows`: those of the stimuli, with `columns`; `name`: of the dataset in its files;
    `design`: of the collection, None for CoSimLex.
    """

    files: dict[str, bytes]
    outcome: Outcome
    report: Report
    intervals: pd.DataFrame
    parts_of_speech: pd.Series | None = None
    rows: tuple[tuple[str, ...], ...] = ()
    name: str = PUBLISHED
    columns: tuple[str, ...] = COLUMNS
    design: Design | None = None

    @property
    def words(self) -> list[tuple[str, str]]:
        """The words of each pair."""
        first, second = map(self.columns.index, ("word1", "word2"))
        return [(row[first], row[second]) for row in self.rows]


def build_dataset(
    stimuli: ParsedRows[Any],
    ratings: pd.DataFrame,
    *,
    language: str,
    recipe: Recipe,
    design: Design | None = None,
    inputs: Mapping[str, str] | None = None,
    checks: pd.DataFrame | None = None,
    decisions: pd.DataFrame | None = None,
    details: pd.DataFrame | None = None,
    notes: Sequence[str] = (),
    scripted: Collection[str] = (),
    name: str = PUBLISHED,
    progress: Progress | None = None,
) -> Dataset:
    """Post-process ratings and build the dataset files; the same input gives the same bytes.

    Parameters
    ----------
    stimuli : ParsedRows
        Their rows are published verbatim; errors in them are only reported.
    ratings, recipe, checks, decisions, progress
        As `post_process` takes them.
    language : str
        Such as "sl" or "sr-Latn"; used in file names.
    design : Design, optional
        How many contexts a pair has, and the centre of their ratings; without it, as in CoSimLex.
    inputs : mapping, optional
        Name → SHA-256 of the input files, for the report.
    details : DataFrame, optional
        As `join_details` takes it; used by the report alone, not by scores.
    notes : sequence of str
        Further remarks on the ratings for the report.
    scripted : collection of str
        Annotators that are scripts. If any of the ratings is by a script, file names with the
        language also have "REHEARSAL", and the report says so.
    name : str
        Name of the dataset in its file, `<name>_<language>.csv`; see `check_name`. By default
        that of the published layout.

    Raises
    ------
    LanguageError, StimuliError, RatingsError
        An invalid language code; stimuli without the structure of the format; as `post_process`
        and `join_details`.
    """
    check_language(language)
    if stimuli.unreadable:
        raise StimuliError(stimuli.unreadable)
    centre = design.scores.centre if design else "mean"
    outcome = post_process(
        ratings,
        recipe,
        n_pairs=len(stimuli.rows),
        **options_of(design),
        checks=checks,
        decisions=decisions,
        progress=progress,
    )
    used = join_details(outcome.used, details)
    parts_of_speech = find_parts_of_speech(used)
    intervals = pd.DataFrame(index=outcome.pairs.index)
    if centre == "mean":
        intervals = score_intervals(outcome, progress=progress)
    if progress:
        progress("measuring agreement", 0, 1)
    assessed = assess(outcome, stimuli.rows, used, details)
    report = plain_report(
        {
            **_report_origin(language, recipe, inputs or {}),
            **_report_design(design),
            **_report_outcome(outcome, assessed["agreement"]["overall"]["human"], scripted),
            **assessed,
            **({"intervals": report_intervals(intervals)} if "change" in intervals else {}),
            "stimuli_findings": report_findings(stimuli.findings),
            "notes": [
                *notes,
                *report_notes(
                    outcome,
                    assessed["change"]["n_both"] if "change" in assessed else 0,
                    assessed.get("copies", ()),
                ),
            ],
        }
    )
    dataset = Dataset(
        {}, outcome, report, intervals, parts_of_speech, stimuli.rows, name, stimuli.columns,
        design if outcome.n_contexts == 1 else None,
    )  # fmt: skip
    return replace(dataset, files=_render_files(stimuli, dataset))


def _render_files(stimuli: ParsedRows[Any], dataset: Dataset) -> dict[str, bytes]:
    outcome, report, language = dataset.outcome, dataset.report, dataset.report["language"]
    tag, recipe, distributions = tag_report(report), outcome.recipe, measure_distributions(outcome)
    scored = [stimuli.rows[pair - 1] for pair in outcome.scores.index]
    design = dataset.design
    texts = {
        **(
            _render_items(stimuli, dataset, tag, design)
            if design
            else _render_published(stimuli, scored, dataset, tag)
        ),
        "scores.tsv": render_scores(outcome),
        "intervals.tsv": render_table(name_single(dataset.intervals).reset_index()),
        "annotators.tsv": render_annotators(outcome),
        "ledger.tsv": render_ledger(outcome),
        f"distributions_{tag}.json": render_distributions(distributions, outcome, language),
        RECIPE_FILE: recipe.render(),
        "report.json": render_report(report),
    }
    if dataset.intervals.empty:
        del texts["intervals.tsv"]
    unscored = outcome.pairs.index.difference(outcome.scores.index).tolist()
    if unscored and not design:
        texts[f"data/data_{tag}.tsv"] = render_stimuli(scored)
        texts[name_unscored(tag)] = render_stimuli([stimuli.rows[pair - 1] for pair in unscored])
    files = {path: text.encode() for path, text in texts.items()}
    parquet = write_distributions_parquet(distributions)
    return {**files, f"distributions_{tag}.parquet": parquet}


def _render_published(
    stimuli: ParsedRows[Any], scored: Sequence[Row], dataset: Dataset, tag: str
) -> dict[str, str]:
    """Return the files of pairs with two contexts that are in the layout of CoSimLex."""
    scores, pvalues = dataset.outcome.scores, dataset.outcome.recipe.files.as_style()
    return {
        f"{dataset.name}_{tag}.csv": render_dataset(scored, scores, pvalues=pvalues),
        f"data/data_{tag}.tsv": stimuli.text,
        f"gold/gold_{tag}.tsv": render_gold(scores),
    }


def _render_items(
    stimuli: ParsedRows[Any], dataset: Dataset, tag: str, design: Design
) -> dict[str, str]:
    """Return the files of pairs with one context: all items, and the scores by id."""
    outcome = dataset.outcome
    scored = render_scored(design, outcome.recipe, stimuli.columns, stimuli.rows, outcome.pairs)
    return {
        f"{dataset.name}_{tag}.csv": scored["csv"].decode(),
        name_data(design, tag): stimuli.text,
        f"gold/gold_{tag}.tsv": scored["gold"].decode(),
    }


def options_of(design: Design | None) -> dict[str, Any]:
    """Return the arguments of `post_process` that follow from a design; None for CoSimLex."""
    if design is None:
        return {}
    return {"n_contexts": design.n_contexts, "centre": design.scores.centre}


def name_data(design: Design | None, tag: str) -> str:
    """Return the path of the file of the items or, for CoSimLex, of the stimuli."""
    return f"data/items_{tag}.tsv" if design else f"data/data_{tag}.tsv"


def name_unscored(tag: str) -> str:
    """Return the path of the file of the pairs without two scores."""
    return f"data/unscored_{tag}.tsv"


def tag_report(report: Report) -> str:
    """Return the tag in the names of a dataset's files, from its report."""
    is_rehearsal = bool(report["counts"]["ratings_scripted"])
    return tag_files(report["language"], is_rehearsal=is_rehearsal)


def check_language(language: str) -> None:
    """Raise LanguageError for an invalid language code."""
    if not LANGUAGE.fullmatch(language):
        raise LanguageError(
            f'"{language}" is not a language code; give one such as sl, fi or sr-Latn'
        )


@functools.cache  # read once: the code that runs does not change
def digest_code() -> str:
    """Return the SHA-256 of the library's modules and templates, by name and content."""
    digest = hashlib.sha256()
    home = Path(__file__).parent
    for path in sorted(path for path in home.rglob("*") if path.suffix in CODE):
        name = path.relative_to(home).as_posix()
        digest.update(name.encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()


def _report_origin(language: str, recipe: Recipe, inputs: Mapping[str, str]) -> Report:
    return {
        "language": language,
        "code": {"version": __version__, "sha256": digest_code()},
        "inputs": dict(sorted(inputs.items())),
        "recipe": {"sha256": recipe.digest(), **_plain_recipe(recipe)},
    }


def _report_design(design: Design | None) -> Report:
    """Return the name and the digest of a design of items with one context."""
    if design is None or design.n_contexts == 2:
        return {}
    return {"design": {"name": design.name, "sha256": design.digest()}}


def _plain_recipe(recipe: Recipe) -> Report:
    """Return a recipe's settings; settings that later versions added only if they are set."""
    settings = recipe.model_dump()
    if recipe.filtering.constant_from is None:
        del settings["filtering"]["constant_from"]
    return settings


def _report_outcome(outcome: Outcome, human: float, scripted: Collection[str]) -> Report:
    table1, counts = table1_row(outcome.scores, human), report_counts(outcome, scripted)
    text = table1_text(table1)
    if "share_q" in text and counts.get("contexts_uncompared"):
        text["share_q"] += " †"
    return {
        "counts": counts,
        "groups_given": outcome.groups_given,
        "table1": {"figures": table1, "text": text},
        "calibration": report_calibration(outcome),
        "filtering": report_filtering(outcome),
    }
