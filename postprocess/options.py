"""The command-line options of post-processing, for every command that offers them."""

import argparse

from postprocess.pipeline import Settings, SettingsError

__all__ = ["SettingsError", "add_settings_arguments", "settings_from"]


def add_settings_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options from which `settings_from` makes Settings."""
    defaults = Settings()
    parser.add_argument(
        "--no-calibration", action="store_true", help="leave ratings of high or low means alone"
    )
    parser.add_argument(
        "--calibration-threshold",
        type=float,
        default=defaults.calibration_threshold,
        metavar="POINTS",
        help="move who lies further than this from the group's mean (default: %(default)s)",
    )
    parser.add_argument(
        "--calibration-step",
        type=float,
        default=defaults.calibration_step,
        metavar="POINTS",
        help="how far ratings are moved (default: %(default)s)",
    )
    parser.add_argument(
        "--no-filtering", action="store_true", help="keep annotators of low agreement"
    )
    parser.add_argument(
        "--filter-k",
        type=float,
        default=defaults.filter_k,
        metavar="K",
        help="leave out who lies more than K deviations below the mean (default: %(default)s)",
    )
    parser.add_argument(
        "--minimum-rho",
        type=float,
        metavar="RHO",
        help="leave out also who agrees less than this on average (default: no such bound)",
    )
    parser.add_argument(
        "--scientific-below",
        type=float,
        default=defaults.scientific_below,
        metavar="P",
        help="write p-values below this as 2.40E-05 (default: %(default)s)",
    )


def settings_from(options: argparse.Namespace) -> Settings:
    """The settings that parsed options ask for, on the default scale. Raises SettingsError."""
    return Settings(
        calibrate=not options.no_calibration,
        calibration_threshold=options.calibration_threshold,
        calibration_step=options.calibration_step,
        filter_annotators=not options.no_filtering,
        filter_k=options.filter_k,
        minimum_rho=options.minimum_rho,
        scientific_below=options.scientific_below,
    )
