"""Scores in the forms of MTEB and of the Hugging Face Hub."""

import json
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import yaml

from postprocess.boards.board import Board, Row
from postprocess.boards.entries import BoardError
from postprocess.boards.exports.rounding import round_board

# Codes of ISO 639-3 and ISO 15924, as MTEB writes them.
MTEB_LANGUAGES = {
    "ar": "ara-Arab", "bg": "bul-Cyrl", "cs": "ces-Latn", "da": "dan-Latn", "de": "deu-Latn",
    "el": "ell-Grek", "en": "eng-Latn", "es": "spa-Latn", "et": "est-Latn", "fa": "fas-Arab",
    "fi": "fin-Latn", "fr": "fra-Latn", "he": "heb-Hebr", "hi": "hin-Deva", "hr": "hrv-Latn",
    "hu": "hun-Latn", "it": "ita-Latn", "ja": "jpn-Jpan", "ko": "kor-Hang", "lt": "lit-Latn",
    "lv": "lav-Latn", "mk": "mkd-Cyrl", "nl": "nld-Latn", "no": "nor-Latn", "pl": "pol-Latn",
    "pt": "por-Latn", "ro": "ron-Latn", "ru": "rus-Cyrl", "sk": "slk-Latn", "sl": "slv-Latn",
    "sr": "srp-Cyrl", "sv": "swe-Latn", "tr": "tur-Latn", "uk": "ukr-Cyrl", "zh": "zho-Hans",
}  # fmt: skip


class HubDataset(NamedTuple):
    """The dataset on the hub that a result belongs to: its repository, task and revision."""

    id: str
    task_id: str
    revision: str | None = None


class Source(NamedTuple):
    """Where a result is published: the address and the name of the page."""

    url: str
    name: str


def render_mteb(
    board: Board,
    name: str,
    *,
    task_name: str,
    revision: str,
    languages: Mapping[str, str] | None = None,
    is_gold_public: bool = False,
) -> bytes:
    """Return the scores of a row as a result file of MTEB.

    Parameters
    ----------
    board : Board
        The board of the row.
    name : str
        The name of the row.
    task_name : str
        The name of the task in MTEB.
    revision : str
        The digest of the release.
    languages : mapping, optional
        Codes of languages that are not in `MTEB_LANGUAGES`, such as slv-Latn.
    is_gold_public : bool
        Whether figures have all digits.

    Returns
    -------
    bytes
        JSON. The score of each language is `main_score`; subtask 2 has pearson and spearman if
        the gold is public.

    Raises
    ------
    BoardError
        No row of this name, or a language whose code is not known.
    """
    shown = board if is_gold_public else round_board(board)
    row = _find(shown, name)
    codes = {**MTEB_LANGUAGES, **(languages or {})}
    languages_shown = [name for name in shown.rules.languages if name in row.cells]
    if unknown := [name for name in languages_shown if name not in codes]:
        raise BoardError(f"MTEB's code of the language {unknown[0]} is not known; give it")
    scores = []
    for language in shown.rules.languages:
        if cell := row.cells.get(language):
            entry: dict[str, Any] = {
                "main_score": cell.score,
                "hf_subset": language,
                "languages": [codes[language]],
            }
            if cell.pearson is not None and cell.spearman is not None:
                entry |= {"pearson": cell.pearson, "spearman": cell.spearman}
            scores.append(entry)
    content = {
        "dataset_revision": revision,
        "task_name": task_name,
        "mteb_version": None,
        "evaluation_time": None,
        "kg_co2_emissions": None,
        "scores": {"test": scores},
    }
    return (json.dumps(content, ensure_ascii=False, indent=2) + "\n").encode()


def render_hub_results(
    board: Board,
    name: str,
    datasets: Mapping[str, HubDataset],
    *,
    date: str,
    source: Source,
    notes: str = "",
    is_gold_public: bool = False,
) -> bytes:
    """Return the scores of a row as `.eval_results/<slug>.yaml` of a model on the hub.

    Parameters
    ----------
    board, name
        As in `render_mteb`.
    datasets : mapping
        Column → the dataset and task on the hub that its score belongs to; others are left out.
    date : str
        The day of the result, such as 2026-03-12.
    source : Source
        The page of the board or the result.
    notes : str
        Anything a reader should know.
    is_gold_public : bool
        Whether figures have all digits.

    Returns
    -------
    bytes
        YAML, an entry for each column.

    Raises
    ------
    BoardError
        No row of this name.
    """
    shown = board if is_gold_public else round_board(board)
    row = _find(shown, name)
    entries = []
    for column, dataset in datasets.items():
        if cell := row.cells.get(column):
            of_dataset = {key: entry for key, entry in dataset._asdict().items() if entry}
            entry = {
                "dataset": of_dataset,
                "value": cell.score,
                "date": date,
                "source": source._asdict(),
            }
            entries.append(entry | ({"notes": notes} if notes else {}))
    return yaml.safe_dump(entries, sort_keys=False, allow_unicode=True).encode()


def _find(board: Board, name: str) -> Row:
    rows: Sequence[Row] = [row for row in board.rows if row.name == name]
    if not rows:
        raise BoardError(f"the board has no row {name}")
    return rows[0]
