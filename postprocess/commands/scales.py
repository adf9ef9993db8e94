"""Command-line options for scales."""

import argparse

from postprocess.table.ratings import Scale


def add_scale_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of `scale_from` and `published_scale_from`."""
    parser.add_argument(
        "--scale",
        type=float,
        nargs=2,
        default=(0.0, 6.0),
        metavar=("MIN", "MAX"),
        help="the ends of the rating scale (default: 0 6)",
    )
    parser.add_argument(
        "--step",
        type=float,
        default=1.0,
        metavar="POINTS",
        help="the distance between adjacent ratings (default: 1)",
    )
    parser.add_argument(
        "--published-scale",
        type=float,
        nargs=2,
        default=(0.0, 10.0),
        metavar=("MIN", "MAX"),
        help="the ends of the scale of the published scores (default: 0 10)",
    )


def scale_from(options: argparse.Namespace) -> Scale:
    """Return the rating scale of parsed options. Raises RatingsError."""
    low, high = options.scale
    return Scale(low, high, options.step)


def published_scale_from(options: argparse.Namespace) -> Scale:
    """Return the scale of the published scores. Raises RatingsError."""
    low, high = options.published_scale
    return Scale(low, high, high - low)
