"""`python -m postprocess audit`: check the figures and files of a published dataset."""

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from postprocess.auditing import MOST_RATINGS, AuditError
from postprocess.commands.options import add_scale_arguments, published_scale_from, scale_from
from postprocess.formats.writing import write_files

if TYPE_CHECKING:
    from postprocess.auditing.findings import Audit

EPILOG = "Exit status: 0 no errors, 1 errors were found, 2 nothing to audit. See docs/audit.md."


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of the command."""
    parser.epilog = EPILOG
    add = parser.add_argument
    add("places", type=Path, nargs="+", metavar="DIR", help="a folder of datasets, or a file")
    add("--layout", metavar="NAME", help="audit data sets of another layout, such as simlex")
    add("--practice", type=Path, metavar="DIR", help="a practice kit in another folder")
    number = parser.add_mutually_exclusive_group()
    number.add_argument(
        "--ratings",
        type=int,
        nargs="+",
        metavar="N",
        help="the known number of ratings per context; two numbers: from the first to the second",
    )
    number.add_argument(
        "--most",
        type=int,
        default=MOST_RATINGS,
        metavar="N",
        help="the maximum number of ratings per context (default: %(default)s)",
    )
    add_scale_arguments(parser)
    add(
        "--details",
        action="store_true",
        help="show all findings, and the numbers of ratings that fit each context",
    )
    add(
        "--out",
        type=Path,
        metavar="DIR",
        help="write the findings and the fitting numbers of ratings as tables",
    )


def run(options: argparse.Namespace) -> int:
    """Print the audit; return 1 if there are errors."""
    from postprocess.auditing.rendering import render_audit, render_tables

    audit = _audit_other(options) if options.layout else _audit(options)
    sys.stdout.write(render_audit(audit, with_details=options.details))
    if options.out:
        for path in write_files(render_tables(audit), options.out):
            sys.stdout.write(f"written   {path}\n")
    return 1 if audit.n_errors else 0


def _audit(options: argparse.Namespace) -> "Audit":
    from postprocess.auditing.examining import audit_dataset
    from postprocess.auditing.reconstruction.contexts import Assumptions

    if len(options.places) > 1:
        raise AuditError("give one folder or file; several are for --layout")
    scales = scale_from(options), published_scale_from(options)
    given = options.ratings
    sizes = range(min(given), max(given) + 1) if given else range(1, options.most + 1)
    assumptions = Assumptions(*scales, sizes, is_known=bool(given))
    return audit_dataset(options.places[0], options.practice, assumptions)


def _audit_other(options: argparse.Namespace) -> "Audit":
    from postprocess.layouts.auditing import audit_layout
    from postprocess.layouts.published import find_layout

    return audit_layout(find_layout(options.layout), options.places)
