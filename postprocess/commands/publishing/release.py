"""`python -m postprocess release`: write all published files as a folder and a zip archive."""

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from postprocess.commands.build import render_with_notice
from postprocess.commands.options import (
    add_choice_arguments,
    add_design_arguments,
    add_input_arguments,
    add_recipe_arguments,
    read_designed,
)
from postprocess.commands.progress import showing_progress
from postprocess.commands.publishing.keys import describe_key, find_key, stored
from postprocess.extras import require_report
from postprocess.origin import Origin, OriginError, parse_origin
from postprocess.release import ReleaseError
from postprocess.release.sources import ContextSource, parse_sources
from postprocess.release.withholding import list_withheld

if TYPE_CHECKING:
    from postprocess.release.description.study import Description

HINT = "Add these texts to a description; python -m postprocess describe prints a template.\n"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of the command."""
    add_input_arguments(parser)
    add = parser.add_argument
    add(
        "--out",
        type=Path,
        required=True,
        metavar="DIR",
        help="created if it does not exist, with DIR.zip",
    )
    add("--description", type=Path, metavar="FILE", help="TOML; see the command describe")
    add(
        "--sources",
        type=Path,
        metavar="FILE",
        help="where the texts come from: sources_<lang>.tsv, as `preprocess stimuli` writes it",
    )
    add(
        "--origin",
        type=Path,
        metavar="FILE",
        help="how they were found: origin_<lang>.json, as `preprocess stimuli` writes it",
    )
    key = parser.add_mutually_exclusive_group()
    key.add_argument("--key", help="secret key of the annotator ids, 16 characters or more")
    key.add_argument(
        "--key-file",
        type=Path,
        metavar="FILE",
        help="file of the key, created if it does not exist (default: DIR.key)",
    )
    add_choice_arguments(parser)
    add_recipe_arguments(parser)
    add_design_arguments(parser)


def run(options: argparse.Namespace) -> int:
    """Build and write the release; list the missing texts."""
    from postprocess.formats.reading import load_checks, load_ratings
    from postprocess.release.assembling import Choices, Collected, build_release, write_release
    from postprocess.release.individual import load_words
    from postprocess.reporting.report import summarise
    from postprocess.steps.rehearsal import load_scripted
    from postprocess.table.details import load_details

    if not options.no_report:
        require_report()
    key = find_key(options.key, options.key_file, options.out)
    description = read_description(options.description)
    design, recipe, stimuli, decisions = read_designed(options)
    if design and options.sources:
        raise ReleaseError("sources are of contexts from corpora; leave out --sources or --design")
    collected = Collected(
        stimuli,
        load_ratings(options.ratings, options.language),
        load_checks(options.checkpoints) if options.checkpoints else None,
        load_words(options.ratings) if description.consent.publishes_words else None,
        load_details(options.ratings),
        load_scripted(options.ratings),
        _read_sources(options.sources, len(stimuli.rows)),
        _read_origin(options.origin),
        design,
        decisions,
    )
    with showing_progress() as progress:
        release = build_release(
            collected,
            description,
            recipe,
            Choices(
                key.text,
                options.practice,
                options.seed,
                options.complete,
                options.name,
                list_withheld(unknown=options.withhold_unknown),
                options.accept_unscored,
            ),
            language=options.language,
            add_files=None if options.no_report else render_with_notice,
            progress=progress,
        )
    with stored(key):
        paths = write_release(release, options.out)
    sys.stdout.write(summarise(release.dataset.report))
    sys.stdout.write("".join(f"written   {path}\n" for path in paths))
    sys.stdout.write(describe_key(key))
    sys.stderr.write("".join(f"to be written: {text}\n" for text in release.unwritten))
    if release.unwritten:
        sys.stderr.write(HINT)
    return 0


def read_description(path: Path | None) -> "Description":
    """Return the description in a file, or an empty one. Raises DescriptionError or OSError."""
    from postprocess.release.description.study import Description, parse_description

    return parse_description(path.read_bytes()) if path else Description()


def _read_sources(path: Path | None, n_pairs: int) -> tuple[ContextSource, ...]:
    """Return the sources in a file. Raises TableError or OSError."""
    return parse_sources(path.read_bytes(), n_pairs) if path else ()


def _read_origin(path: Path | None) -> Origin:
    """Return the origin in a file. Raises ReleaseError or OSError."""
    try:
        return parse_origin(path.read_bytes()) if path else {}
    except OriginError as error:
        raise ReleaseError(f"{path}: {error}") from error
