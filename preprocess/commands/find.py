"""`python -m preprocess find`: find the windows of all pairs in a corpus."""

import argparse
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from postprocess.formats.writing import write_files
from preprocess.commands.options import corpus_file, language_code, positive
from preprocess.commands.progress import showing_progress
from preprocess.corpora.conllu import SOURCE_COLUMNS
from preprocess.pairs.reading import WordPair, load_pairs

if TYPE_CHECKING:
    import pandas as pd

EPILOG = "See docs/contexts.md for the filters and an example."


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of the command."""
    parser.epilog = EPILOG
    add = parser.add_argument
    add(
        "--corpus", type=corpus_file, nargs="+", required=True, metavar="FILE",
        help="CoNLL-U, also .gz, .bz2 or .xz, and addresses such as s3://bucket/corpus.conllu",
    )  # fmt: skip
    add("--pairs", type=Path, required=True, metavar="FILE", help="TSV with word1 and word2")
    add(
        "--language", type=language_code, required=True, metavar="CODE", help="such as hr",
    )  # fmt: skip
    add("--out", type=Path, required=True, metavar="FILE", help="such as windows.parquet")
    add("--sentences", type=positive, default=3, help="per window (default: 3)")
    add("--per-pair", type=positive, default=100, help="windows kept per pair (default: 100)")
    add("--seed", type=int, default=1, help="of the choice among many windows (default: 1)")
    add(
        "--by-sent-id", action="store_true",
        help="begin a document where the sent_id, without its last number, changes",
    )  # fmt: skip
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


def run(options: argparse.Namespace) -> int:
    """Find, judge and write the windows; print what was found."""
    from preprocess.windows.dividing import Processes
    from preprocess.windows.searching import Search, check_search, search_corpus

    pairs, warnings = load_pairs(options.pairs)
    sys.stderr.write("".join(f"{options.pairs}: warning: {warning}\n" for warning in warnings))
    search = Search(
        options.corpus,
        pairs,
        options.language,
        per_pair=options.per_pair,
        size=options.sentences,
        seed=options.seed,
        by_paragraph=options.by_paragraph,
        by_sent_id=options.by_sent_id,
        filters=options.filters,
        source={name: getattr(options, name) for name in SOURCE_COLUMNS[1:]},
    )
    sys.stderr.write("".join(f"warning: {warning}\n" for warning in check_search(search)))
    processes = Processes(options.processes, cluster=options.cluster)
    store = search.open_store(options.out.with_suffix(".parts"))
    with showing_progress() as progress:
        counts = search_corpus(
            search, options.out, store=store, processes=processes, progress=progress
        )
    path = options.out.with_suffix(".counts.tsv")
    text = counts.to_csv(sep="\t", index_label="pair", lineterminator="\n")
    write_files({path.name: text.encode()}, path.parent)
    store.remove()
    sys.stdout.write(_summarise(pairs, counts, options.per_pair))
    sys.stdout.write(f"written   {options.out}\nwritten   {path}\n")
    return 0


def _summarise(pairs: list[WordPair], counts: "pd.DataFrame", n_wanted: int) -> str:
    reasons = counts.iloc[:, 5:].sum()
    named = ", ".join(f"{code} {n:,}" for code, n in reasons.items() if n)
    without = int((counts["kept"] == 0).sum())
    return (
        f"pairs     {len(pairs):,}, {without:,} of them without a window, "
        f"{int((counts['kept'] >= n_wanted).sum()):,} with {n_wanted}\n"
        f"windows   {counts['seen'].sum():,} seen, {counts['examined'].sum():,} examined, "
        f"{counts['kept'].sum():,} kept\n"
        f"rejected  {named or 'none'}\n"
    )
