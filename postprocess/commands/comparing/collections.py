"""`python -m postprocess compare-collections`: two collections of ratings of the same items."""

import argparse
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, get_args

from postprocess.commands.options import add_report_argument
from postprocess.extras import require_report
from postprocess.formats.writing import write_files
from postprocess.steps import list_recipes
from postprocess.table.scale import RatingsError, Scale
from postprocess.two_collections import By

if TYPE_CHECKING:
    from postprocess.two_collections.collection import Collection
    from postprocess.two_collections.loading import Reading

SIDES = ("first", "second")
OF_MODEL = {"model": "its name", "model_version": "its version", "prompt_sha256": "of the prompt",
            "rated_on": "the day, such as 2026-05-31"}  # fmt: skip


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of the command."""
    add = parser.add_argument
    for side in SIDES:
        add(
            side,
            type=Path,
            metavar=side.upper(),
            help="folder of a release, file of ratings, or dataset cosimlex_<lang>.csv; the "
            "folder of `load`, and the release of a design",
        )
    add("--stimuli", type=Path, metavar="FILE", help="data_<lang>.tsv of a file of ratings")
    add("--second-stimuli", type=Path, metavar="FILE", help="of the second, if it has others")
    add("--language", metavar="CODE", help="of a file, such as sl")
    add("--second-language", metavar="CODE", help="of the second, if it has another")
    add("--scale", type=float, nargs=3, metavar=("MIN", "MAX", "STEP"), help="of files of ratings")
    add("--second-scale", type=float, nargs=3, metavar=("MIN", "MAX", "STEP"), help="of the second")
    add("--names", nargs=2, metavar=("FIRST", "SECOND"), help="in tables and figures")
    add(
        "--recipe",
        default="raw",
        metavar="NAME_OR_FILE",
        help=f"of both: one of {', '.join(list_recipes())}, or a file (default: %(default)s)",
    )
    add("--set", dest="changes", action="append", default=[], metavar="SETTING=VALUE",
        help="change a setting of the recipe; repeatable")  # fmt: skip
    add("--match", choices=("id", *get_args(By)), help="key of the pairs (default: texts, or "
        "number for equal stimuli or two languages; for designs id, texts or words)")  # fmt: skip
    add("--only-matched", action="store_true", help="leave out pairs that only one has")
    for name, what in OF_MODEL.items():
        add(f"--{name.replace('_', '-')}", default="", help=f"the second is a model's: {what}")
    add("--out", type=Path, metavar="DIR", help="also write page, tables and plots to DIR")
    add_report_argument(parser)


def run(options: argparse.Namespace) -> int:
    """Compare the collections, print the main figures and write the files."""
    from postprocess.reporting.two_collections.tables import write_summary
    from postprocess.steps.recipe import read_recipe
    from postprocess.two_collections.comparing import compare_collections, render_tables
    from postprocess.two_collections.items import is_of_items
    from postprocess.two_collections.loading import load_collection

    if options.out and not options.no_report:
        require_report()
    if is_of_items(options.second):
        return _compare_items(options)
    recipe = read_recipe(options.recipe, options.changes)
    first = load_collection(options.first, _reading(options, "first"), recipe)
    second = load_collection(options.second, _reading(options, "second"), recipe)
    first, second = _name_apart(first, second, options.names)
    comparison = compare_collections(
        first, second, by=options.match, only_matched=options.only_matched, wanted=recipe.report
    )
    sys.stdout.write("".join(f"{warning}\n" for warning in comparison.report["warnings"]))
    sys.stdout.write(write_summary(comparison))
    if options.out:
        files = render_tables(comparison)
        if not options.no_report:
            # imported here: loading Matplotlib takes longer than a small comparison
            from postprocess.reporting.two_collections.comparison_files import render_comparison

            files = render_comparison(comparison)
        for path in write_files(files, options.out):
            sys.stdout.write(f"written   {path}\n")
    return 0


def _compare_items(options: argparse.Namespace) -> int:
    """Compare a published data set with a release of a design whose pairs have one context."""
    from postprocess.two_collections.items import (
        compare_items,
        load_designed,
        load_published,
        write_comparison,
    )

    second, design = load_designed(options.second)
    first = load_published(options.first, design)
    comparison = compare_items(
        first, second, design, by=options.match, only_matched=options.only_matched
    )
    sys.stdout.write(write_comparison(comparison))
    if options.out:
        files = comparison.render()
        if not options.no_report:
            from postprocess.reporting.two_collections.items_page import render_items

            files = render_items(comparison)
        for path in write_files(files, options.out):
            sys.stdout.write(f"written   {path}\n")
    return 0


def _reading(options: argparse.Namespace, side: str) -> "Reading":
    """Return how to read one side; the second side takes missing options from the first."""
    from postprocess.formats.reading import KIND, MODEL
    from postprocess.two_collections.loading import Reading
    from postprocess.two_collections.sources import Source

    scale, stimuli, language = options.scale, options.stimuli, options.language
    source = None
    if side == "second":
        scale = options.second_scale or scale
        stimuli = options.second_stimuli or stimuli
        language = options.second_language or language
        if details := {name: text for name in OF_MODEL if (text := getattr(options, name))}:
            source = Source(**{KIND: MODEL, **details})
    return Reading(language or "", stimuli, Scale(*scale) if scale else None, source)


def _name_apart(
    first: "Collection", second: "Collection", names: Sequence[str] | None
) -> "tuple[Collection, Collection]":
    """Return the collections with the given names. Raises RatingsError for equal names."""
    one, other = names or (first.name, second.name)
    if one == other:
        raise RatingsError(f'both collections are called "{one}"; name them with --names')
    return replace(first, name=one), replace(second, name=other)
