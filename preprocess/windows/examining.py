"""Windows read at their places, judged by the filters, and kept or rejected."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import groupby
from pathlib import Path
from string import digits
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from preprocess.corpora.conllu import SOURCE_COLUMNS, SOURCE_COMMENTS
from preprocess.corpora.opening import Report, ignore
from preprocess.pairs.reading import WordPair
from preprocess.windows.duplicates import find_near_duplicates
from preprocess.windows.filters import Filter, judge
from preprocess.windows.reading import WindowText, make_window, read_comments, read_sentences

DUPLICATE = "duplicate"
PASSES = 2  # through a file: for the comments of documents, and for the windows
WINDOW_TYPES = {
    "window": "str", "pair": "int32", "word1": "str", "word2": "str", "text": "str",
    "start1": "int32", "end1": "int32", "start2": "int32", "end2": "int32",
    "form1": "str", "form2": "str", "upos1": "str", "upos2": "str", "distance": "int32",
    "rejected": "str", "warnings": "str", "file": "str",
    "first_sentence": "int64", "last_sentence": "int64", "first_id": "str", "last_id": "str",
    **dict.fromkeys(SOURCE_COLUMNS, "str"),
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Examination:
    """What is done with the windows that were found.

    `most_kept`: windows that are kept per pair. `source`: what is known of all documents
    (`SOURCE_COLUMNS`), where they do not say it themselves. `by_sent_id`: a document without a
    name is named by the sent_id of its first sentence, without the last number.
    """

    size: int
    most_kept: int
    filters: Mapping[str, Filter]
    source: Mapping[str, str]
    by_sent_id: bool = False


def examine_windows(
    paths: Sequence[Path],
    places: Sequence[npt.NDArray[np.void]],
    pairs: Mapping[int, WordPair],
    settings: Examination,
    report: Report = ignore,
) -> pd.DataFrame:
    """Return the windows of pairs, by pair and rank, with the columns of `WINDOW_TYPES`.

    `places` has an array per file, and `pairs` their pairs by number from 0. A pair has its windows
    up to the last one that is kept. `report` is called with the number of bytes that are read, of
    `PASSES` times the files. Raises OSError and CorpusError.
    """
    rows: list[tuple[int, int, dict[str, Any]]] = []
    done = 0
    for path, in_file in zip(paths, places, strict=True):
        ordered = np.sort(in_file, order=["offset", "pair"])
        rows += _read_rows(path, ordered, pairs, settings, partial(_report_from, report, done))
        done += PASSES * path.stat().st_size
        report(done)
    rows.sort(key=lambda row: row[:2])
    windows = [
        row
        for _, group in groupby(rows, key=lambda row: row[0])
        for row in _keep([row for *_, row in group], settings.most_kept)
    ]
    table = pd.DataFrame(windows, columns=list(WINDOW_TYPES))
    return table.astype(WINDOW_TYPES)


def count_windows(
    pairs: Sequence[WordPair],
    n_seen: npt.NDArray[np.int64],
    windows: pd.DataFrame,
    codes: Sequence[str],
) -> pd.DataFrame:
    """Return a row per pair: windows seen, examined, kept, and rejected by each code.

    `windows` needs the columns pair and rejected alone.
    """
    counts = pd.crosstab(windows["pair"], windows["rejected"]).reindex(
        index=range(1, len(pairs) + 1), columns=["", *codes], fill_value=0
    )
    table = pd.DataFrame(
        {
            "word1": [pair.word1 for pair in pairs],
            "word2": [pair.word2 for pair in pairs],
            "seen": n_seen,
            "examined": counts.sum(axis="columns").to_numpy(),
            "kept": counts[""].to_numpy(),
        },
        index=counts.index,
    )
    return pd.concat([table, counts[list(codes)]], axis="columns").rename_axis(columns=None)


def _read_rows(
    path: Path,
    places: npt.NDArray[np.void],
    pairs: Mapping[int, WordPair],
    settings: Examination,
    report: Report,
) -> Iterator[tuple[int, int, dict[str, Any]]]:
    """Yield pair, rank and row of each window of a file."""
    documents = np.unique(places["document_offset"]).tolist()
    comments = dict(zip(documents, read_comments(path, documents, report), strict=True))
    offsets = np.unique(places["offset"]).tolist()
    by_offset = groupby(places.tolist(), key=lambda place: place[2])
    report_second = partial(_report_from, report, path.stat().st_size)
    windows = read_sentences(path, offsets, settings.size, report_second)
    for (_, group), sentences in zip(by_offset, windows, strict=True):
        for pair, rank, _, sentence, document, document_offset in group:
            window = make_window(sentences, pairs[pair])
            first = sentence - document + 1
            yield (
                pair,
                rank,
                {
                    "window": f"{rank:016x}",
                    "pair": pair + 1,
                    "word1": pairs[pair].word1,
                    "word2": pairs[pair].word2,
                    **_describe(window, settings.filters),
                    "file": path.name,
                    "first_sentence": first,
                    "last_sentence": first + settings.size - 1,
                    **_source(comments[document_offset], settings),
                },
            )


def _report_from(report: Report, begin: int, done: int) -> None:
    report(begin + done)


def _describe(window: WindowText, filters: Mapping[str, Filter]) -> dict[str, Any]:
    rejected, warnings = judge(window, filters)
    first, second = (target.word for target in window.targets)
    context = window.context
    spans = (*context.word1, *context.word2) if context else (0, 0, 0, 0)
    return {
        "text": window.text,
        **dict(zip(("start1", "end1", "start2", "end2"), spans, strict=True)),
        "form1": first.form,
        "form2": second.form,
        "upos1": first.upos,
        "upos2": second.upos,
        "distance": window.distance,
        "rejected": rejected,
        "warnings": ",".join(warnings),
        "first_id": window.sentences[0].sent_id,
        "last_id": window.sentences[-1].sent_id,
    }


def _source(comments: Mapping[str, str], settings: Examination) -> dict[str, str]:
    source = {**dict.fromkeys(SOURCE_COLUMNS, ""), **settings.source}
    if settings.by_sent_id:
        source["document"] = comments.get("sent_id", "").rstrip(digits).rstrip("-._:/ ")
    for comment, column in SOURCE_COMMENTS.items():
        if value := comments.get(comment):
            source[column] = value
    return source


def _keep(rows: Sequence[dict[str, Any]], most: int) -> Iterator[dict[str, Any]]:
    """Yield the windows of a pair up to the last that is kept; mark near duplicates."""
    n_kept = 0
    accepted = [row["text"] for row in rows if not row["rejected"]]
    duplicates = find_near_duplicates(accepted)
    for row in rows:
        if n_kept == most:
            return
        is_duplicate = not row["rejected"] and next(duplicates)
        n_kept += not row["rejected"] and not is_duplicate
        yield row | {"rejected": DUPLICATE} if is_duplicate else row
