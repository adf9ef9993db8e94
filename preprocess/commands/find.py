"""`python -m preprocess find`: find the windows of all pairs in a corpus."""

import argparse
import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pandas as pd

from postprocess.formats.writing import write_files
from preprocess.commands.options import corpus_file, positive
from preprocess.commands.progress import showing_progress
from preprocess.corpora.checking import check_corpus
from preprocess.corpora.errors import CorpusError
from preprocess.pairs.reading import WordPair, load_pairs
from preprocess.windows.dividing import Processes
from preprocess.windows.examining import (
    DUPLICATE,
    SOURCE_COLUMNS,
    Examination,
    count_windows,
)
from preprocess.windows.filters import Filter, change_filter, default_filters
from preprocess.windows.finding import examine_places, find_places
from preprocess.windows.scanning import SearchSettings
from preprocess.windows.storing import ScanStore
from preprocess.windows.table import write_windows

ALWAYS = ("place", "mark")  # reasons that no setting switches off
EXAMINED = 2  # windows that are read for each that is wanted
EPILOG = "See docs/contexts.md for the filters and an example."


def add_parser(subparsers: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Add the command and its options."""
    parser = subparsers.add_parser(
        "find", help="find texts of a corpus that contain both words of a pair", epilog=EPILOG
    )
    add = parser.add_argument
    add(
        "--corpus", type=corpus_file, nargs="+", required=True, metavar="FILE",
        help="CoNLL-U, .gz or .xz; also addresses such as s3://bucket/corpus.conllu",
    )  # fmt: skip
    add("--pairs", type=Path, required=True, metavar="FILE", help="TSV with word1 and word2")
    add("--language", required=True, metavar="CODE", help="such as hr")
    add("--out", type=Path, required=True, metavar="FILE", help="such as windows.parquet")
    add("--sentences", type=positive, default=3, help="per window (default: 3)")
    add("--per-pair", type=positive, default=100, help="windows kept per pair (default: 100)")
    add("--seed", type=int, default=1, help="of the choice among many windows (default: 1)")
    add("--by-paragraph", action="store_true", help="keep windows within a paragraph")
    add("--processes", type=positive, default=os.cpu_count() or 1, help="(default: all cores)")
    add("--cluster", default="", metavar="ADDRESS", help="of a Dask scheduler: tcp://HOST:PORT")
    add(
        "--filter", dest="filters", action="append", default=[], metavar="CODE=SETTING",
        help="off, warn, reject, or limits such as 20..90; repeatable",
    )  # fmt: skip
    for name in SOURCE_COLUMNS[1:]:
        meaning = {"url": "address"}.get(name, name)
        add(f"--{name}", default="", help=f"{meaning} of documents that do not state their own")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Find, judge and write the windows; print what was found."""
    pairs, warnings = load_pairs(options.pairs)
    sys.stderr.write("".join(f"{options.pairs}: warning: {one}\n" for one in warnings))
    filters = default_filters(options.language)
    for setting in options.filters:
        filters = change_filter(filters, setting)
    names = [path.name for path in options.corpus]
    if repeated := next((name for name in names if names.count(name) > 1), None):
        raise CorpusError(Path(repeated), "two files have this name; rename one of them")
    for path in options.corpus:
        check_corpus(path, options.language)
    search = SearchSettings(
        options.sentences, EXAMINED * options.per_pair, options.seed, options.by_paragraph
    )
    source = {name: getattr(options, name) for name in SOURCE_COLUMNS[1:]}
    examination = Examination(options.sentences, options.per_pair, filters, source)
    processes = Processes(options.processes, cluster=options.cluster)
    store = ScanStore(options.out.with_suffix(".parts"), repr((search, pairs)))
    with showing_progress() as progress:
        found = find_places(
            options.corpus, pairs, search, processes=processes, store=store, progress=progress
        )
        tables = examine_places(
            options.corpus, pairs, found, examination, processes=processes, progress=progress
        )
        settings = _settings(options, filters)
        judged = [
            table[["pair", "rejected"]] for table in write_windows(options.out, tables, settings)
        ]
    counts = count_windows(pairs, found.n_seen, pd.concat(judged), [*ALWAYS, *filters, DUPLICATE])
    path = options.out.with_suffix(".counts.tsv")
    text = counts.to_csv(sep="\t", index_label="pair", lineterminator="\n")
    write_files({path.name: text.encode()}, path.parent)
    store.remove()
    sys.stdout.write(_summarise(pairs, counts, options.per_pair))
    sys.stdout.write(f"written   {options.out}\nwritten   {path}\n")
    return 0


def _settings(options: argparse.Namespace, filters: Mapping[str, Filter]) -> dict[str, Any]:
    return {
        "language": options.language,
        "corpus": [[path.name, path.stat().st_size] for path in options.corpus],
        "sentences": options.sentences,
        "per_pair": options.per_pair,
        "seed": options.seed,
        "by_paragraph": options.by_paragraph,
        "filters": [[one.code, one.least, one.most, one.action] for one in filters.values()],
    }


def _summarise(pairs: list[WordPair], counts: pd.DataFrame, wanted: int) -> str:
    reasons = counts.iloc[:, 5:].sum()
    named = ", ".join(f"{code} {n:,}" for code, n in reasons.items() if n)
    without = int((counts["kept"] == 0).sum())
    return (
        f"pairs     {len(pairs):,}, {without:,} of them without a window, "
        f"{int((counts['kept'] >= wanted).sum()):,} with {wanted}\n"
        f"windows   {counts['seen'].sum():,} seen, {counts['examined'].sum():,} examined, "
        f"{counts['kept'].sum():,} kept\n"
        f"rejected  {named or 'none'}\n"
    )
