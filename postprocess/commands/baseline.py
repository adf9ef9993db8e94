"""`python -m postprocess baseline`: predictions that need no trained model, as result files."""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from postprocess.baselines.errors import BaselineError
from postprocess.formats.stimuli import StimulusPair
from postprocess.formats.writing import write_files

if TYPE_CHECKING:
    from postprocess.baselines.words import Known

OF_TEXTS = ("constant", "distance", "form")
OF_FILES = ("static", "scores", "import")
MOST_NAMED = 20  # words that a file lacks
ABOUT = """\
constant   1 for every context
distance   minus the number of words from one target word to the other
form       how many pairs of neighbouring letters the two inflected forms share
static     the cosine of the dictionary forms in a file of vectors (--from)
scores     the scores of a list of word pairs, such as SimLex-999 (--from)
import     the scores of another program, a table with pair, context and score (--from)

A language model (contextual baseline) is in `python -m preprocess predict`. See docs/scoring.md."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of the command."""
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.epilog = ABOUT
    add = parser.add_argument
    add("name", choices=[*OF_TEXTS, *OF_FILES], metavar="NAME", help="one of those below")
    add("--data", type=Path, required=True, metavar="FILE", help="such as data_sl.tsv")
    add("--from", dest="source", type=Path, metavar="FILE", help="vectors or scores")
    add(
        "--column",
        default="score",
        metavar="NAME",
        help="of the list of word pairs (default: score)",
    )
    add("--language", metavar="CODE", help="if the name of the data file does not have it")
    add("--out", type=Path, required=True, metavar="DIR", help="for both result files")


def run(options: argparse.Namespace) -> int:
    """Write the result files; report the words that a file lacks."""
    from postprocess.baselines.results import find_language, read_pairs, render_results

    language = find_language(options.data, options.language)
    pairs = read_pairs(options.data)
    similarities, missing = _predict(options, pairs)
    if missing:
        named = ", ".join(missing[:MOST_NAMED])
        more = f" and {n:,} more" if (n := len(missing) - MOST_NAMED) > 0 else ""
        sys.stderr.write(f"missing, so that their pairs get the mean: {named}{more}\n")
    for path in write_files(render_results(similarities, language), options.out):
        sys.stdout.write(f"written   {path}\n")
    return 0


def _predict(options: argparse.Namespace, pairs: Sequence[StimulusPair]) -> "Known":
    """Return the predictions of the chosen baseline. Raises BaselineError."""
    from postprocess.baselines import texts
    from postprocess.baselines.importing import import_similarities
    from postprocess.baselines.words import Known, predict_scores, predict_static

    if options.name in OF_TEXTS:
        return Known(getattr(texts, f"predict_{options.name}")(pairs), [])
    if options.source is None:
        raise BaselineError(f"the baseline {options.name} needs a file; add --from")
    if options.name == "static":
        return predict_static(pairs, options.source)
    data = options.source.read_bytes()
    if options.name == "scores":
        return predict_scores(pairs, data, options.column, options.source)
    return Known(import_similarities(data, len(pairs)), [])
