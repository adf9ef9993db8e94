"""The files of a kit, and its zip archive: the same bytes from the same input."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from postprocess.baselines.results import render_results
from postprocess.baselines.texts import predict_distance
from postprocess.bundles import scorer
from postprocess.formats.stimuli import StimulusPair, parse_stimuli
from postprocess.kits.readme import render_readme
from postprocess.kits.rules import KitError, KitPart, PhaseRules, TaskRules
from postprocess.release.checksums import CHECKSUMS, render_checksums, write_archive
from postprocess.scoring.gold import GoldError, make_part
from postprocess.scoring.predictions import name_result_file

SCORER = "score.py"
README = "README.md"


def write_kit(
    parts: Sequence[KitPart], rules: TaskRules, phase: PhaseRules, *, folder: str
) -> bytes:
    """Return the zip archive of a kit, whose files are in a folder.

    Raises KitError as `render_kit`.
    """
    return write_archive(render_kit(parts, rules, phase), folder)


def render_kit(parts: Sequence[KitPart], rules: TaskRules, phase: PhaseRules) -> dict[str, bytes]:
    """Return the files of a kit, relative path → content.

    Parameters
    ----------
    parts : sequence of KitPart
        Of practice data with gold, of test data without.
    rules : TaskRules
        Of the shared task.
    phase : PhaseRules
        Of the phase in which the kit is used.

    Returns
    -------
    dict
        README, data, gold (practice data), instructions of annotators, checksums; for pairs in
        contexts also complete results of the baseline *distance*, examples of submissions, scorer.

    Raises
    ------
    KitError
        There is no part or one language twice, gold in a kit of test data or none in one of
        practice data, or a file that cannot be read.
    """
    _check(parts, phase)
    files = {README: render_readme(rules, phase, parts).encode()}
    for part in parts:
        files |= dict(_list_files(part))
    if phase.has_contexts:
        files |= {SCORER: read_scorer(), **dict(_list_examples(parts, phase))}
    return {**files, CHECKSUMS: render_checksums(files)}


def _list_examples(parts: Sequence[KitPart], phase: PhaseRules) -> Iterator[tuple[str, bytes]]:
    """Yield the baseline's result files, and archives of them, by path."""
    predicted: dict[str, bytes] = {}
    for part in parts:
        predicted |= render_results(predict_distance(_read_pairs(part)), part.language)
    for track in phase.tracks:
        names = [name_result_file(track.number, part.language) for part in parts]
        contents = {name: predicted[name] for name in names}
        yield from ((f"res{track.number}/{name}", content) for name, content in contents.items())
        yield f"submission_examples/res{track.number}.zip", write_archive(contents)


def read_scorer() -> bytes:
    """Return the scorer as a program by itself."""
    return Path(scorer.__file__).read_bytes()


def _check(parts: Sequence[KitPart], phase: PhaseRules) -> None:
    languages = [part.language for part in parts]
    if not parts or len(set(languages)) < len(parts):
        raise KitError("a kit needs a part for each language, and one alone")
    for part in parts:
        if part.gold is None and phase.is_practice:
            raise KitError(f"the practice data of {part.language} has no gold")
        if part.gold is not None and not phase.is_practice:
            raise KitError(f"the kit of test data must not have gold, and {part.language} has it")
        if part.gold is not None:
            try:
                make_part(part.language, part.gold, part.data, phase.tracks)
            except GoldError as error:
                raise KitError(f"{part.language}: {error}") from error


def _list_files(part: KitPart) -> Iterator[tuple[str, bytes]]:
    yield f"data/data_{part.language}.tsv", part.data
    if part.gold is not None:
        yield f"gold/gold_{part.language}.tsv", part.gold
    for name, content in sorted(part.instructions.items()):
        yield f"instructions/{part.language}/{name}", content


def _read_pairs(part: KitPart) -> tuple[StimulusPair, ...]:
    stimuli = parse_stimuli(part.data)
    if stimuli.errors:
        raise KitError(f"data_{part.language}.tsv: {stimuli.errors[0]}")
    return stimuli.pairs
