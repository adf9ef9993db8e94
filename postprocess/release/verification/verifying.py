"""Computing all figures of a release again from the data that it publishes."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from postprocess.extras import has_report
from postprocess.naming import read_tag
from postprocess.pipeline import RECIPE_FILE, Dataset
from postprocess.release.assembling import (
    CROISSANT,
    DESCRIPTION,
    REPORT,
    Published,
    assemble_release,
)
from postprocess.release.checksums import CHECKSUMS
from postprocess.release.description.study import parse_description
from postprocess.release.verification.comparing import (
    Comparison,
    Difference,
    compare_checksums,
    compare_json,
    compare_metadata,
    compare_parquet,
    compare_reports,
    compare_tables,
)
from postprocess.release.verification.published_data import (
    find_dataset,
    read_files,
    read_published,
    read_report,
)
from postprocess.reporting.phrases import write_count
from postprocess.reporting.report import Report, report_notes
from postprocess.steps.post_process import post_process
from postprocess.steps.recipe import Recipe, read_recipe

TABLES = (".csv", ".tsv")
GIVEN = ("ratings_", "checkpoints_")  # tables whose numbers were not computed
PLOTS = (".pdf", ".png", ".svg")
EXPLORER = "explorer.html"
OTHERS = ("report.html", "table1.tex", "log.tsv")  # files that are not computed again
MOST_SHOWN = 20  # differences listed


@dataclass(frozen=True)
class Verification:
    """The result of `verify_release`.

    `n_figures`: numbers computed again and equal; `n_rounded`: those among them that are equal only
    but for rounding; `n_unpublished`: numbers in the report that rest on unpublished details
    of the ratings (their time, their place in the questionnaire, blocks); `n_ratings`;
    `published_by` and `computed_by`: version and digest of the code; `unchecked`: files for which
    only the checksum was checked.
    """

    differences: tuple[Difference, ...]
    n_figures: int
    n_rounded: int
    n_unpublished: int
    n_ratings: int
    published_by: Mapping[str, str]
    computed_by: Mapping[str, str]
    unchecked: tuple[str, ...]

    @property
    def is_confirmed(self) -> bool:
        """Whether everything that was computed again is as published."""
        return not self.differences

    @property
    def summary(self) -> str:
        """The result in one sentence."""
        if self.is_confirmed:
            return f"All {self.n_figures:,} figures follow from the ratings."
        return f"{write_count(len(self.differences), 'difference')} from what the ratings give."


def verify_release(folder: Path) -> Verification:
    """Compute all figures of a release again from its ratings, stimuli, recipe and description.

    Tables and the report are compared number by number, documents as text (only if the code is
    the one that wrote them), and all files with `SHA256SUMS`.

    Parameters
    ----------
    folder : Path
        The folder of a release, as `write_release` writes it.

    Raises
    ------
    ReleaseError
        The folder is no release: a file is missing or cannot be read as what it should be.
    RatingsError, RecipeError, DescriptionError, OSError
        As the functions that read these files.
    """
    files = read_files(folder)
    dataset, report = find_dataset(files), read_report(files)
    recipe = read_recipe(str(folder / RECIPE_FILE))
    published = read_published(folder, files, dataset.tag, recipe)
    again = assemble_release(
        published,
        parse_description(files[DESCRIPTION]),
        recipe,
        language=read_tag(dataset.tag),
        name=dataset.name,
        notes=_list_given_notes(report, published, recipe),
        add_files=lambda dataset: _add_others(dataset, files),
    )
    computed = json.loads(again.files[REPORT])
    done = Comparison()
    _compare_files(done, files, again.files, is_same_code=report["code"] == computed["code"])
    n_unpublished = compare_reports(done, report, computed)
    compare_checksums(done, files)  # last: each difference above has one here, too
    return Verification(
        tuple(done.differences),
        done.n_figures,
        done.n_rounded,
        n_unpublished,
        len(published.individual.ratings),
        report["code"],
        computed["code"],
        tuple(sorted(name for name in files if _is_unchecked(name, again.files))),
    )


def render_verification(found: Verification) -> str:
    """Return the result as text, its one-sentence summary last."""
    lines = [f"ratings   {found.n_ratings:,}"]
    if found.published_by == found.computed_by:
        lines.append(f"code      {found.computed_by['version']}, the code that made the release")
    else:
        lines.append(
            f"code      made with {_name_code(found.published_by)}, computed again with "
            f"{_name_code(found.computed_by)}; documents were not compared"
        )
    if found.n_rounded:
        lines.append(f"rounding  {write_count(found.n_rounded, 'figure')} equal but for rounding")
    if found.n_unpublished:
        lines.append(
            f"left out  {write_count(found.n_unpublished, 'figure')} of {REPORT}: based on details "
            "that are not published (times, positions, blocks)"
        )
    if found.unchecked:
        lines.append(f"checksum  only: {write_count(len(found.unchecked), 'file')}")
    shown = found.differences[:MOST_SHOWN]
    lines += [f"differs   {difference}" for difference in shown]
    if len(found.differences) > len(shown):
        lines.append(f"          and {len(found.differences) - len(shown)} more")
    return "\n".join([*lines, found.summary]) + "\n"


def _list_given_notes(report: Report, published: Published, recipe: Recipe) -> list[str]:
    """Return the notes of a report that came with the data, without those on its figures."""
    answers, n_pairs = published.individual, len(published.stimuli.rows)
    outcome = post_process(answers.ratings, recipe, n_pairs=n_pairs, checks=answers.checks)
    own = report_notes(outcome, report.get("change", {}).get("n_both", 0))
    notes: list[str] = report["notes"]
    return notes[: -len(own)] if own and notes[-len(own) :] == own else notes


def _compare_files(
    done: Comparison,
    files: Mapping[str, bytes],
    computed: Mapping[str, bytes],
    *,
    is_same_code: bool,
) -> None:
    """Compare all files but the report and the checksums: tables first, then documents."""
    for name in sorted(computed, key=lambda name: not name.endswith((*TABLES, ".parquet"))):
        content = computed[name]
        if name in (CHECKSUMS, REPORT):
            continue
        if name not in files:
            if is_same_code:  # other versions wrote other files; `SHA256SUMS` lists them
                done.differences.append(Difference(name, "", "no such file", "a file"))
        elif name.endswith(".parquet"):
            compare_parquet(done, name, files[name], content, is_counted=not name.startswith(GIVEN))
        elif name.startswith(GIVEN):
            _compare_texts(done, name, files[name], content)
        elif name.endswith(TABLES):
            compare_tables(done, name, files[name], content)
        elif name.startswith("distributions_"):
            compare_json(done, name, files[name], content)
        elif not is_same_code:
            continue
        elif name == CROISSANT:
            compare_metadata(done, files[name], content)
        else:
            _compare_texts(done, name, files[name], content)


def _compare_texts(done: Comparison, name: str, published: bytes, computed: bytes) -> None:
    if published != computed:
        done.differences.append(Difference(name, "", "another text", "the text that the data give"))


def _add_others(dataset: Dataset, files: Mapping[str, bytes]) -> dict[str, bytes]:
    """Return the files that are not data or documents, with the explorer rendered again."""
    others = {name: files[name] for name in files if _is_other(name) or name == EXPLORER}
    if EXPLORER in others and has_report():
        from postprocess.reporting.explorer import render_explorer

        others[EXPLORER] = render_explorer(dataset).encode()
    return others


def _is_other(name: str) -> bool:
    return name.endswith(PLOTS) or name in OTHERS


def _is_unchecked(name: str, computed: Mapping[str, bytes]) -> bool:
    return name not in computed or _is_other(name) or (name == EXPLORER and not has_report())


def _name_code(code: Mapping[str, str]) -> str:
    return f"{code.get('version', '?')} ({code.get('sha256', '?')[:8]})"
