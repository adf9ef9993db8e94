"""`python -m postprocess score`: score predictions against a dataset, as the shared task did."""

import argparse
import json
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from postprocess.formats.tabular import cut_lines
from postprocess.formats.writing import write_files
from postprocess.reporting.phrases import NONE, write_figure, write_interval, write_p

if TYPE_CHECKING:
    from postprocess.scoring.gold import Part
    from postprocess.scoring.metrics import Track
    from postprocess.scoring.scoring import Scored, SubmissionRefused

FEWEST_SAMPLES, MOST_SAMPLES = 100, 100_000  # of a bootstrap
COLUMNS = {"accuracy": "tag", "ordinal_alpha": "median"}  # of gold, by metric; else score
EPILOG = "Exit status: 0, or 2 if the files are refused. See docs/scoring.md."


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of the command."""
    parser.epilog = EPILOG
    add = parser.add_argument
    add(
        "--gold",
        type=Path,
        required=True,
        metavar="DIR",
        help="with gold_<lang>.tsv, or its folder gold",
    )
    add(
        "--results",
        type=Path,
        nargs="+",
        required=True,
        metavar="FILE",
        help="results_subtask1_<lang>.tsv and the like, their folder, or a zip archive of them",
    )
    add("--data", type=Path, metavar="DIR", help="with data_<lang>.tsv, to check the order of rows")
    add(
        "--metric",
        choices=("change", "harmonic", "spearman", "accuracy", "ordinal_alpha"),
        help="score one column by id, in results_subtask1_<lang>.tsv, instead of both subtasks",
    )
    add("--column", metavar="NAME", help="of the gold with --metric: score, tag or median")
    add("--require", nargs="+", default=[], metavar="CODE", help="languages that must be there")
    add(
        "--against",
        type=Path,
        nargs="+",
        default=[],
        metavar="PATH",
        help="other results to test the differences from",
    )
    add("--json", type=Path, metavar="FILE", help="write everything there, with all digits")
    add(
        "--bootstrap",
        type=_n_samples,
        metavar="N",
        help="also show intervals by a bootstrap of N samples of the pairs, such as 2000",
    )
    add("--seed", type=_seed, default=0, metavar="S", help="of the bootstrap (default: 0)")
    add("--full", action="store_true", help="print all digits, not three decimals")


def run(options: argparse.Namespace) -> int:
    """Score and print; return 2 if the files are refused."""
    from postprocess.scoring.bootstrap import Bootstrap
    from postprocess.scoring.gold import load_parts
    from postprocess.scoring.scoring import SubmissionRefused, describe_scores, write_finding

    tracks = _list_tracks(options)
    parts = load_parts(options.gold, options.data, tracks)
    try:
        scored = _score(options.results, parts, tracks, options.require)
        others = {
            name: _score([path], parts, tracks)
            for name, path in zip(_name(options.against), options.against, strict=True)
        }
    except SubmissionRefused as error:
        return _refuse(error)
    how = Bootstrap(options.bootstrap, options.seed) if options.bootstrap else None
    described = describe_scores(scored, parts, others, tracks=tracks, bootstrap=how)
    for place, warning in scored.warnings:
        sys.stderr.write(f"warning: {write_finding(place, warning)}\n")
    if scored.ignored:
        sys.stderr.write(f"ignored: {', '.join(scored.ignored)}\n")
    titles = {str(track.number): f"subtask {track.number}, {track.title}" for track in tracks}
    sys.stdout.write(render_scores(described, titles, full=options.full))
    if options.json:
        text = json.dumps(described, indent=2, ensure_ascii=False) + "\n"
        (path,) = write_files({options.json.name: text.encode()}, options.json.parent)
        sys.stdout.write(f"written   {path}\n")
    return 0


def _name(paths: Sequence[Path]) -> list[str]:
    """Return each path's stem, or the whole path where stems collide."""
    n_stems = Counter(path.stem for path in paths)
    return [path.stem if n_stems[path.stem] == 1 else path.as_posix() for path in paths]


def _list_tracks(options: argparse.Namespace) -> "Sequence[Track]":
    from postprocess.scoring.metrics import GWSC, Metric, Track

    if options.metric is None:
        return GWSC
    column = options.column or COLUMNS.get(options.metric, "score")
    return [Track(1, column, Metric(options.metric), (column,))]


def render_scores(
    described: dict[str, Any], titles: Mapping[str, str], *, full: bool = False
) -> str:
    """Return the description of scores as a table in plain text; `titles` of subtasks."""
    rows = [("", "language", "pairs", "score", "95 % interval", "r", "ρ", "")]
    for subtask, entry in described["subtasks"].items():
        name = titles[subtask]
        for language, part in entry["parts"].items():
            correlations = (_write(part.get(key), full=full) for key in ("pearson", "spearman"))
            rows.append(
                (name, language, f"{part['n']:,}", *_write_score(part, "score", full=full),
                 *correlations, part["reason"] or "")
            )  # fmt: skip
        if entry["average"] is not None and len(entry["parts"]) > 1:
            names = {"score": "average", "low": "average_low", "high": "average_high"}
            average = {key: entry[column] for key, column in names.items()}
            rows.append((name, "mean", "", *_write_score(average, "score", full=full), "", "", ""))
        if entry["parts"] and entry["missing"]:
            rows += [(name, lang, "", NONE, NONE, "", "", "missing") for lang in entry["missing"]]
    text = _align(rows)
    if "bootstrap" in described:
        text += "\n" + _render_bootstrap(described, titles, full=full)
    if described["differences"]:
        header = ("difference from", "subtask", "language", "d", "p")
        apart = [
            (test["against"], str(test["subtask"]), test["part"], _write(test["d"], full=full),
             repr(test["p"]) if full else write_p(test["p"]))
            for test in described["differences"]
        ]  # fmt: skip
        text += "\n" + _align([header, *apart])
    return text


def _render_bootstrap(described: dict[str, Any], titles: Mapping[str, str], *, full: bool) -> str:
    rows = [
        (f"bootstrap of {described['bootstrap']['samples']:,} samples", "language", "95 % interval")
    ]
    for subtask, entry in described["subtasks"].items():
        for language, part in entry["parts"].items():
            ends = {"low": part["bootstrap_low"], "high": part["bootstrap_high"]}
            rows.append((titles[subtask], language, _write_interval(ends, full=full)))
    return _align(rows)


def _n_samples(text: str) -> int:
    if not text.isdecimal() or not FEWEST_SAMPLES <= int(text) <= MOST_SAMPLES:
        raise argparse.ArgumentTypeError(
            f"{text} is not a number from {FEWEST_SAMPLES} to {MOST_SAMPLES:,}"
        )
    return int(text)


def _seed(text: str) -> int:
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(f"{text} is not a whole number from 0")
    return int(text)


def _score(
    paths: Sequence[Path],
    parts: "dict[str, Part]",
    tracks: "Sequence[Track]",
    required: Sequence[str] = (),
) -> "Scored":
    from postprocess.scoring.scoring import score_submission
    from postprocess.scoring.submitted import read_submission

    submitted = read_submission(paths, sorted(parts), tracks)
    return score_submission(submitted, parts, required, tracks)


def _refuse(error: "SubmissionRefused") -> int:
    from postprocess.scoring.scoring import group_by_file, write_finding

    lines = cut_lines(write_finding(*finding) for finding in group_by_file(error.findings))
    sys.stderr.write("".join(f"error: {line}\n" for line in lines))
    return 2


def _write_score(entry: dict[str, Any], key: str, *, full: bool) -> tuple[str, str]:
    return _write(entry[key], full=full), _write_interval(entry, full=full)


def _write_interval(entry: dict[str, Any], *, full: bool) -> str:
    low, high = entry["low"], entry["high"]
    return f"{low!r} to {high!r}" if full and low is not None else write_interval(low, high, 3)


def _write(figure: float | None, *, full: bool) -> str:
    if figure is None:
        return ""
    return repr(figure) if full else write_figure(figure, 3)


def _align(rows: Sequence[tuple[str, ...]]) -> str:
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = (
        "  ".join(f"{cell:<{width}}" for cell, width in zip(row, widths, strict=True))
        for row in rows
    )
    return "".join(f"{line.rstrip()}\n" for line in lines)
