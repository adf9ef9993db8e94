"""`python -m preprocess pairs sample`: draw the pairs of a study from a longer list."""

import argparse
import sys
from collections.abc import Iterator
from dataclasses import astuple
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING

from postprocess.formats.kinds import read_table
from postprocess.formats.tabular import (
    Finding,
    Severity,
    TableError,
    naming_file,
    read_cell,
    render_rows,
)
from postprocess.formats.writing import write_files
from preprocess.commands.options import positive
from preprocess.pairs.reading import COLUMNS, WordPair, list_pairs, read_word

if TYPE_CHECKING:
    import pandas as pd

    from preprocess.pairs.sampling import Quotas

YES = {"1", "yes", "true"}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of the command."""
    commands = parser.add_subparsers(dest="of_pairs", required=True)
    sample = commands.add_parser("sample", help="draw pairs from a list such as SimLex-999")
    add = sample.add_argument
    add("--from", dest="source", type=Path, required=True, metavar="FILE", help="TSV")
    add("--number", type=positive, required=True, help="pairs of the study")
    for name in ("nouns", "verbs", "adjectives"):
        add(f"--{name}", type=_share, metavar="SHARE", help="such as 2/3")
    add("--pos-column", default="POS", help="with N, V and A (default: POS)")
    add("--least-score", type=float, help="leave out pairs with a lower similarity")
    add("--score-column", default="SimLex999", help="(default: SimLex999)")
    add("--bins", type=positive, default=1, help="of concreteness, equally filled (default: 1)")
    add("--concreteness-column", default="concQ", help="(default: concQ)")
    add("--antonyms", type=_share, metavar="SHARE", help="such as 1/10 (default: any)")
    add("--antonym-column", default="antonym", help="with 1, yes or true (default: antonym)")
    add("--seed", type=int, default=1, help="(default: 1)")
    add("--out", type=Path, required=True, metavar="FILE", help="such as pairs.tsv")


def run(options: argparse.Namespace) -> int:
    """Draw and write the pairs; print wanted against reached."""
    import numpy as np

    from preprocess.pairs.sampling import Quotas, sample_pairs

    shares = {"N": options.nouns, "V": options.verbs, "A": options.adjectives}
    given = {pos: share for pos, share in shares.items() if share is not None}
    quotas = Quotas(options.number, given, options.bins, options.least_score, options.antonyms)
    with naming_file(options.source):
        pairs, warnings = _read_list(options, quotas)
    sys.stderr.write("".join(f"{options.source}: warning: {warning}\n" for warning in warnings))
    sampled, reached = sample_pairs(pairs, quotas, rng=np.random.default_rng(options.seed))
    text = render_rows(COLUMNS, sampled[list(COLUMNS)].itertuples(index=False))
    write_files({options.out.name: text.encode()}, options.out.parent)
    sys.stdout.write(reached.to_string(index=False, na_rep="any") + "\n")
    sys.stdout.write(f"written   {options.out}\n")
    return 0


def _read_list(
    options: argparse.Namespace, quotas: "Quotas"
) -> tuple["pd.DataFrame", list[Finding]]:
    """Read pairs, each once, with the columns that the quotas need, and return warnings.

    Raises OSError and TableError.
    """
    import pandas as pd

    needed = {
        "pos": options.pos_column if quotas.shares else None,
        "score": options.score_column if quotas.least_score is not None else None,
        "concreteness": options.concreteness_column if quotas.n_bins > 1 else None,
        "antonym": options.antonym_column if quotas.antonyms is not None else None,
    }
    names = {name: column for name, column in needed.items() if column}
    columns = (*COLUMNS, *names.values())
    table = read_table(options.source.read_bytes(), columns, numbers=names.values())
    words = {row: WordPair(*map(read_word, fields[:2])) for row, fields in table.rows.items()}
    listed, warnings = list_pairs(words, table.findings)
    findings: list[Finding] = []
    cells = [astuple(pair) + table.rows[row][2:] for row, pair in listed.items()]
    pairs = pd.DataFrame(cells, columns=[*COLUMNS, *names], index=list(listed))
    pairs[list(names)] = pairs[list(names)].map(read_cell)
    numbers = [name for name in ("score", "concreteness") if name in names]
    for name in numbers:
        pairs[name] = pd.to_numeric(pairs[name], errors="coerce")
        findings += _list_gaps(pairs[name], names[name])
    if findings:
        raise TableError(findings)
    if "antonym" in names:
        pairs["antonym"] = pairs["antonym"].str.lower().isin(YES)
    return pairs, warnings


def _list_gaps(column: "pd.Series[float]", name: str) -> Iterator[Finding]:
    for row in column.index[column.isna()]:
        yield Finding(Severity.ERROR, "this is not a number", int(row), name, advice="correct it")


def _share(text: str) -> Fraction:
    try:
        share = Fraction(text)
    except (ValueError, ZeroDivisionError):
        share = Fraction(-1)
    if not 0 <= share <= 1:
        raise argparse.ArgumentTypeError(f"{text} is not a share; write it as 2/3 or 0.25")
    return share
