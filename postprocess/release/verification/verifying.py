"""Computing all figures of a release again from the data that it publishes."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from postprocess.extras import has_report
from postprocess.naming import FIGURES, read_tag
from postprocess.pipeline import RECIPE_FILE, Dataset, options_of
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
    name_places,
)
from postprocess.release.verification.published_data import (
    find_dataset,
    read_files,
    read_published,
    read_report,
)
from postprocess.reporting.assessment import report_copies
from postprocess.reporting.phrases import write_count
from postprocess.reporting.report import Report, report_notes
from postprocess.steps.post_process import post_process
from postprocess.steps.recipe import Recipe, read_recipe

TABLES = (".csv", ".tsv")
GIVEN = ("ratings_", "checkpoints_", "adjudicated_")  # tables whose numbers were not computed
EXPLORER = "explorer.html"
OTHERS = (  # files that are not computed again
    "report.html", "report.pdf", "table1.tex", "log.tsv",
    *(f"figures/{name}.{form}" for name in FIGURES for form in ("svg", "png")),
)  # fmt: skip
MOST_SHOWN = 20  # differences listed
LONGEST = 600  # characters of a reservation


@dataclass(frozen=True)
class Verification:
    """The result of `verify_release`.

    `reservations`: what the release contains or claims that could not be checked, in words;
    `n_figures`: different numbers computed again and equal, each counted once wherever it stands;
    `n_rounded`: places whose number is equal only but for rounding; `n_ratings`; `published_by` and
    `computed_by`: version and digest of the code; `unchecked`: files for which only the checksum
    was checked.
    """

    differences: tuple[Difference, ...]
    reservations: tuple[str, ...]
    n_figures: int
    n_rounded: int
    n_ratings: int
    published_by: Mapping[str, object]
    computed_by: Mapping[str, object]
    unchecked: tuple[str, ...]

    @property
    def is_confirmed(self) -> bool:
        """Whether everything is as published, without reservations."""
        return not (self.differences or self.reservations)

    @property
    def summary(self) -> str:
        """The result in one sentence."""
        if self.differences:
            return f"{write_count(len(self.differences), 'difference')} from what the ratings give."
        follow = f"{self.n_figures:,} different figures follow from the ratings"
        if self.is_confirmed:
            return f"All {follow}."
        return f"Confirmed with reservations: {follow}, but {'; '.join(self.reservations)}."


def verify_release(folder: Path) -> Verification:
    """Compute all figures of a release again from its ratings, stimuli, recipe and description.

    Tables and the report are compared number by number, documents as text, and all files with
    `SHA256SUMS`. What other code than this may have written is a reservation, no difference.

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
    done = Comparison(report["code"] == computed["code"])
    _compare_files(done, files, again.files)
    compare_reports(done, report, computed)
    compare_checksums(done, files)  # last: each difference above has one here, too
    foreign = sorted(files.keys() - again.files.keys() - {CHECKSUMS})
    return Verification(
        tuple(done.differences),
        tuple(_list_reservations(done, foreign, report["code"], computed["code"])),
        len(done.figures),
        done.n_rounded,
        len(published.individual.ratings),
        report["code"],
        computed["code"],
        tuple(sorted({*foreign, *filter(_is_unchecked, files)})),
    )


def render_verification(result: Verification) -> str:
    """Return the result as text, its one-sentence summary last."""
    lines = [f"ratings   {result.n_ratings:,}"]
    if result.published_by == result.computed_by:
        lines.append(f"code      {result.computed_by['version']}, the code that made the release")
    else:
        lines.append(
            f"code      made with {_name_code(result.published_by)}, computed again with "
            f"{_name_code(result.computed_by)}"
        )
    if result.n_rounded:
        lines.append(f"rounding  {write_count(result.n_rounded, 'place')} equal but for rounding")
    if result.unchecked:
        lines.append(f"checksum  only: {_clean(', '.join(result.unchecked))}")
    shown = result.differences[:MOST_SHOWN]
    lines += [f"differs   {difference}" for difference in shown]
    if len(result.differences) > len(shown):
        lines.append(f"          and {len(result.differences) - len(shown)} more")
    return "\n".join([*lines, result.summary]) + "\n"


def _list_given_notes(report: Report, published: Published, recipe: Recipe) -> list[str]:
    """Return the notes of a report that came with the data, without those on its figures."""
    answers, n_pairs = published.individual, len(published.stimuli.rows)
    outcome = post_process(
        answers.ratings, recipe, n_pairs=n_pairs, checks=answers.checks,
        decisions=answers.decisions, **options_of(published.design),
    )  # fmt: skip
    copies = report_copies(outcome).get("copies", ())
    computed = report_notes(outcome, report.get("change", {}).get("n_both", 0), copies)
    notes: list[str] = report["notes"]
    return notes[: -len(computed)] if computed and notes[-len(computed) :] == computed else notes


def _list_reservations(
    done: Comparison,
    foreign: Sequence[str],
    published_by: Mapping[str, object],
    computed_by: Mapping[str, object],
) -> Iterator[str]:
    """Yield what could not be checked, in words that continue a sentence."""
    if not done.is_same_code:
        yield _clean(
            f"the release says that {_name_code(published_by)} made it, and "
            f"{_name_code(computed_by)} computed it again"
        )
    if done.unchecked:
        named = ((file, name_places(filter(None, at))) for file, at in done.unchecked.items())
        texts = (f"{file} ({places})" if places else file for file, places in named)
        yield _clean(
            "not checked, since this code writes it differently or not at all: " + ", ".join(texts)
        )
    if foreign:
        count = write_count(len(foreign), "file")
        yield _clean(f"{count} that no release has, known only by checksum: {', '.join(foreign)}")


def _clean(text: str) -> str:
    """Return words of a release as one line of limited length, without control characters."""
    line = "".join(sign if sign.isprintable() else "?" for sign in text)
    return line if len(line) <= LONGEST else f"{line[:LONGEST]} …"


def _compare_files(
    done: Comparison, files: Mapping[str, bytes], computed: Mapping[str, bytes]
) -> None:
    """Compare all files but the report and the checksums: tables first, then documents."""
    for name in sorted(computed, key=lambda name: not name.endswith((*TABLES, ".parquet"))):
        content = computed[name]
        if name in (CHECKSUMS, REPORT):
            continue
        if name not in files:
            done.differ(name, "", "no such file", "a file")
        elif name.endswith(".parquet"):
            compare_parquet(done, name, files[name], content, is_counted=not name.startswith(GIVEN))
        elif name.endswith(TABLES) and not name.startswith(GIVEN):
            compare_tables(done, name, files[name], content)
        elif name.startswith("distributions_"):
            compare_json(done, name, files[name], content)
        elif name == CROISSANT:
            compare_metadata(done, files[name], content)
        elif files[name] != content:
            done.differ(name, "", "another text", "the text that the data give")


def _add_others(dataset: Dataset, files: Mapping[str, bytes]) -> dict[str, bytes]:
    """Return the files that are not data or documents, with the explorer rendered again."""
    others = {name: files[name] for name in files if name in OTHERS or name == EXPLORER}
    if EXPLORER in others and has_report():
        from postprocess.reporting.explorer import render_explorer

        others[EXPLORER] = render_explorer(dataset).encode()
    return others


def _is_unchecked(name: str) -> bool:
    return name in OTHERS or (name == EXPLORER and not has_report())


def _name_code(code: Mapping[str, object]) -> str:
    return f"{code.get('version', '?')} ({str(code.get('sha256', '?'))[:8]})"
