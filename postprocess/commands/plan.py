"""`python -m postprocess plan`: find the number of annotators to detect a change, and the cost."""

import argparse
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from postprocess.commands.options import add_scale_arguments, published_scale_from, scale_from
from postprocess.extras import require_report
from postprocess.formats.writing import write_files
from postprocess.planning.question import Costs, PlanError, Question

if TYPE_CHECKING:
    import pandas as pd

    from postprocess.planning.plan import Plan
    from postprocess.planning.rating_models import RatingModels

Numbers = Mapping[str, tuple[float, str]]  # option → default and meaning
EPILOG = "See docs/planning.md for the model of annotators and the meaning of the figures."


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of the command."""
    parser.epilog = EPILOG
    _add_source_arguments(parser)
    _add_question_arguments(parser)
    _add_cost_arguments(parser)
    parser.add_argument(
        "--out", type=Path, metavar="DIR", help="write the tables, plan.svg and plan.png"
    )


def run(options: argparse.Namespace) -> int:
    """Print the plan of a study; write its files with --out."""
    import numpy as np

    from postprocess.planning.detection import detectable_changes
    from postprocess.planning.plan import plan_study
    from postprocess.planning.text import render_detectable, render_plan

    if options.out:
        require_report()
    models, n_pairs = _read_source(options)
    question = Question(
        tuple(options.change), options.power, options.alpha, options.most, options.simulations
    )
    costs = Costs(
        pairs=n_pairs if options.pairs is None else options.pairs,
        block_size=options.block_size,
        seconds_per_item=options.seconds_per_item,
        minutes_before=options.minutes_before,
        left_out_percent=options.left_out_percent,
        pay_per_hour=options.pay_per_hour,
        fee_percent=options.fee_percent,
    )
    rng = np.random.default_rng(options.seed)
    plan = plan_study(models, question, costs, rng=rng)
    detectable = detectable_changes(models, options.annotators, question, costs, rng=rng)
    sys.stdout.write(render_plan(plan, costs, currency=options.currency))
    if options.annotators:
        sys.stdout.write(render_detectable(detectable, question, currency=options.currency))
    if options.out:
        for path in _write_plan(plan, detectable, options.out):
            sys.stdout.write(f"written   {path}\n")
    return 0


def _add_source_arguments(parser: argparse.ArgumentParser) -> None:
    source = parser.add_mutually_exclusive_group(required=True)
    source.add_argument("--ratings", type=Path, metavar="FILE", help="a pilot's ratings_<lang>.csv")
    source.add_argument(
        "--dataset", type=Path, metavar="FILE", help="the file of a published dataset"
    )
    parser.add_argument("--language", metavar="CODE", help="language of the ratings, such as sl")
    _add_numbers(parser, {"--dataset-n": (10, "ratings per context of the dataset")})
    add_scale_arguments(parser)


def _add_question_arguments(parser: argparse.ArgumentParser) -> None:
    default = Question()
    parser.add_argument(
        "--change",
        type=float,
        nargs="+",
        default=default.changes,
        metavar="POINTS",
        help="changes to detect, in published points (default: 1 2 3)",
    )
    parser.add_argument(
        "--annotators",
        type=int,
        nargs="+",
        default=(),
        metavar="N",
        help="also find the smallest change that N annotators per context detect",
    )
    numbers: Numbers = {
        "--power": (default.power, "share of changes to detect"),
        "--alpha": (default.alpha, "significance level"),
        "--most": (default.most, "maximum number of annotators per context"),
        "--simulations": (default.simulations, "simulations for each change and number"),
        "--seed": (1, "seed of the simulation"),
    }
    _add_numbers(parser, numbers)


def _add_cost_arguments(parser: argparse.ArgumentParser) -> None:
    default, add = Costs(pairs=1), parser.add_argument
    add("--pairs", type=int, metavar="N", help="pairs of the study (default: as in the source)")
    numbers: Numbers = {
        "--block-size": (default.block_size, "maximum number of pairs in an assignment"),
        "--seconds-per-item": (default.seconds_per_item, "for both pages of an item"),
        "--minutes-before": (default.minutes_before, "per assignment: consent and instructions"),
        "--left-out-percent": (default.left_out_percent, "of annotators, paid but left out"),
        "--fee-percent": (default.fee_percent, "of the pay, for the recruitment service"),
    }
    _add_numbers(parser, numbers)
    add("--pay-per-hour", type=float, metavar="X", help="in your currency; required for the cost")
    add("--currency", default="", metavar="CODE", help="shown after the cost")


def _add_numbers(parser: argparse.ArgumentParser, numbers: Numbers) -> None:
    """Add options for numbers; each has the type of its default."""
    for option, (default, meaning) in numbers.items():
        parser.add_argument(
            option,
            type=type(default),
            default=default,
            metavar="N" if isinstance(default, int) else "X",
            help=f"{meaning} (default: {default:g})",
        )


def _read_source(options: argparse.Namespace) -> "tuple[RatingModels, int]":
    from postprocess.formats.files import read_dataset
    from postprocess.formats.reading import load_ratings
    from postprocess.planning.rating_models import models_of_ratings, models_of_scores
    from postprocess.table.ratings import check_ratings

    scale, published = scale_from(options), published_scale_from(options)
    if options.dataset:
        scores = read_dataset(options.dataset.read_bytes())
        models = models_of_scores(scores, scale, published, n_ratings=options.dataset_n)
        return models, len(scores)
    if not options.language:
        raise PlanError("--ratings needs --language, such as sl")
    raw = load_ratings(options.ratings, options.language)
    ratings = check_ratings(raw, scale)
    return models_of_ratings(ratings, scale, published), ratings["pair"].nunique()


def _write_plan(plan: "Plan", detectable: "pd.DataFrame", folder: Path) -> list[Path]:
    # imported here: Matplotlib takes half a second to load
    from postprocess.planning.figure import draw_plan

    figures = draw_plan(plan)
    tables = {"plan.tsv": plan.table, "power.tsv": plan.curve}
    if len(detectable):
        tables["detectable.tsv"] = detectable
    texts = {
        name: table.to_csv(sep="\t", index=False, lineterminator="\n").encode()
        for name, table in tables.items()
    }
    drawings = {f"plan.{form}": data for form, data in figures.items()}
    return write_files({**texts, **drawings}, folder)
