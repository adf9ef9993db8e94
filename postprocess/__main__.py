"""Command line: `python -m postprocess build` makes a dataset from files."""

import argparse
import hashlib
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from postprocess.files import read_ratings
from postprocess.options import add_settings_arguments, settings_from
from postprocess.pipeline import (
    LanguageError,
    Settings,
    SettingsError,
    build_dataset,
    write_dataset,
)
from postprocess.ratings import RatingsError, Scale
from postprocess.report import summarise
from postprocess.stimuli import Finding, parse_stimuli
from postprocess.tabular import TableError


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command and return its exit code: 0, or 2 if nothing was written."""
    options = _parser().parse_args(arguments)
    try:
        return _build(options)
    except (TableError, RatingsError, SettingsError, LanguageError) as error:
        sys.stderr.write(f"error: {error}\n")
    except OSError as error:
        place = f"{error.filename}: " if error.filename else ""
        sys.stderr.write(f"error: {place}{error.strerror or error}\n")
    return 2


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m postprocess", description="Post-process similarity ratings into a dataset."
    )
    build = parser.add_subparsers(dest="command", required=True).add_parser(
        "build", help="make the dataset files from stimuli and ratings"
    )
    build.add_argument(
        "--stimuli", type=Path, required=True, metavar="FILE", help="data_<lang>.tsv"
    )
    build.add_argument(
        "--ratings", type=Path, required=True, metavar="FILE", help="ratings_<lang>.csv"
    )
    build.add_argument("--language", required=True, metavar="CODE", help="such as sl")
    build.add_argument("--out", type=Path, required=True, metavar="DIR", help="made if need be")
    scale = Settings().scale
    build.add_argument(
        "--scale",
        type=float,
        nargs=2,
        default=(scale.minimum, scale.maximum),
        metavar=("MIN", "MAX"),
        help="the ends of the scale of the ratings (default: 0 6)",
    )
    add_settings_arguments(build)
    return parser


def _build(options: argparse.Namespace) -> int:
    settings = replace(settings_from(options), scale=Scale(*options.scale))
    data = {"stimuli": options.stimuli.read_bytes(), "ratings": options.ratings.read_bytes()}
    stimuli = parse_stimuli(data["stimuli"])
    dataset = build_dataset(
        stimuli,
        read_ratings(data["ratings"], options.language),
        language=options.language,
        settings=settings,
        inputs={name: hashlib.sha256(content).hexdigest() for name, content in data.items()},
    )
    paths = write_dataset(dataset, options.out)
    sys.stderr.write("".join(_line(finding) for finding in stimuli.findings))
    if stimuli.errors:
        sys.stderr.write(
            f"The stimuli have {len(stimuli.errors)} errors, told above and in report.json; the "
            "dataset was written from them as they are.\n"
        )
    sys.stdout.write(summarise(dataset.report) + "".join(f"written   {path}\n" for path in paths))
    return 0


def _line(finding: Finding) -> str:
    return f"stimuli {finding.severity}: {finding}\n"


if __name__ == "__main__":
    sys.exit(main())
