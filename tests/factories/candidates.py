"""Files of candidates as `preprocess candidates` writes them."""

from io import BytesIO
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from preprocess.windows.table import SETTINGS

LICENCE = "CC0-1.0"


def candidate_rows(n_pairs: int, n_candidates: int, **changed: Any) -> list[dict[str, Any]]:
    """Return the rows of a file with this many pairs and candidates of each."""
    return [
        {**_make_row(pair, number), **changed}
        for pair in range(1, n_pairs + 1)
        for number in range(1, n_candidates + 1)
    ]


def candidates_file(n_pairs: int = 2, n_candidates: int = 3, **changed: Any) -> bytes:
    """Return a file with this many pairs and candidates of each; name columns to change them."""
    return write_parquet(candidate_rows(n_pairs, n_candidates, **changed))


def window_rows(n_pairs: int, n_windows: int) -> list[dict[str, Any]]:
    """Return the rows of a file of windows, of which none was rejected."""
    left_out = ("picked", "order", "score_e5")
    return [
        {name: cell for name, cell in row.items() if name not in left_out}
        | {"rejected": "", "warnings": ""}
        for row in candidate_rows(n_pairs, n_windows)
    ]


def write_parquet(rows: list[dict[str, Any]], origin: bytes = b"{}") -> bytes:
    """Return a file of rows that says this of its origin."""
    table = pa.Table.from_pylist(rows)
    file = BytesIO()
    pq.write_table(table.replace_schema_metadata({SETTINGS: origin}), file)
    return file.getvalue()


def _make_row(pair: int, number: int) -> dict[str, Any]:
    word1, word2 = f"alpha{pair}", f"beta{pair}"
    text = f"Story {number} has an {word1} here. It rains. Then a {word2} comes."
    start1, start2 = text.index(word1), text.index(word2)
    return {
        "window": f"w{pair}-{number}", "pair": pair, "word1": word1, "word2": word2, "text": text,
        "start1": start1, "end1": start1 + len(word1), "start2": start2,
        "end2": start2 + len(word2), "distance": 5 + number, "file": "corpus.conllu",
        "first_sentence": 3 * number, "last_sentence": 3 * number + 2, "first_id": f"s{number}",
        "last_id": f"s{number + 2}", "document": f"story{number}", "title": f"Story {number}",
        "url": f"https://example.org/{number}", "revision": "7", "licence": LICENCE,
        "score_e5": number / 10, "picked": "random", "order": number,
    }  # fmt: skip
