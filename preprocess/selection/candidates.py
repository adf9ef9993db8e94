"""Candidates: the windows of a pair that an expert sees.

Each model contributes the window where it takes the two words for most similar and the one for
least similar; the rest are drawn at random. Windows with a warning of a filter, such as one
without an end mark, are picked only if there are too few others. The distance between the two words
alone predicts part of the change that people see, so that both windows of a model can be asked to
have about the same.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from hashlib import blake2b, sha256
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from postprocess.errors import UserError
from postprocess.origin import Origin
from preprocess.windows.duplicates import find_near_duplicates
from preprocess.windows.table import SETTINGS, load_settings

AT_RANDOM = "random"
MOST, LEAST = "most similar", "least similar"


@dataclass(frozen=True, slots=True)
class Choice:
    """How candidates are picked.

    `number` of a pair, if it has as many windows; `seed` of all that is left to chance. With
    `distance_within`, the two windows of a model differ by at most so many words in the distance of
    their target words, if there are two such windows, and else as little as possible.
    """

    number: int = 8
    seed: int = 1
    distance_within: int | None = None


class ChoiceError(UserError):
    """Settings that contradict each other."""


def pick_candidates(
    windows: pd.DataFrame, scores: Mapping[str, pd.Series], choice: Choice
) -> pd.DataFrame:
    """Return the candidates of all pairs, each pair's in a random order.

    `windows` needs the columns window, pair, distance and warnings; `scores` has a score per row of
    it for each model. The columns added are `picked`, why a window is there (such as "e5: most
    similar" or "random"), `order`, its number among those of the pair, from 1, and
    `score_<model>`. Raises ChoiceError.
    """
    if 2 * len(scores) > choice.number:
        raise ChoiceError(
            f"{len(scores)} models contribute {2 * len(scores)} candidates, more than "
            f"{choice.number}; choose some with --models, or ask for more candidates"
        )
    table = windows.reset_index(drop=True).assign(
        **{f"score_{model}": series.to_numpy() for model, series in scores.items()}
    )
    picked = [
        row
        for _, group in table.groupby("pair", sort=True)
        for row in _pick_of_pair(group, list(scores), choice)
    ]
    rows, reasons, places = zip(*picked, strict=True) if picked else ((), (), ())
    return table.loc[list(rows)].assign(picked=reasons, order=places).reset_index(drop=True)


def describe_picking(
    windows: Origin, scores: Sequence[Path], models: Sequence[str], choice: Choice
) -> dict[str, Any]:
    """Return how candidates were found: the origins of windows and of scores, and the choice.

    A file of scores that says nothing is named with its digest. Raises OSError and WindowsError.
    """
    return {
        "windows": windows,
        "scores": {
            path.name: load_settings(path) or {"sha256": sha256(path.read_bytes()).hexdigest()}
            for path in scores
        },
        "candidates": {**asdict(choice), "models": list(models)},
    }


def render_candidates(candidates: pd.DataFrame, origin: Origin) -> bytes:
    """Return candidates as Parquet, with how they were found."""
    table = pa.Table.from_pandas(candidates, preserve_index=False)
    added = {SETTINGS: json.dumps(origin, sort_keys=True).encode()}
    file = BytesIO()
    pq.write_table(table.replace_schema_metadata({**table.schema.metadata, **added}), file)
    return file.getvalue()


def leave_out_known(windows: pd.DataFrame, known: pd.DataFrame) -> pd.DataFrame:
    """Return the windows of a pair that differ from those that are known.

    Both need the columns window, text, file, document, first_sentence and last_sentence. A window
    is left out if it has the identifier of a known one, a sentence in common with one, or nearly
    the same text (`find_near_duplicates`).
    """
    texts = [*known["text"], *windows["text"]]
    is_alike = np.array(list(find_near_duplicates(texts))[len(known) :], dtype=bool)
    is_known = windows["window"].isin(known["window"]).to_numpy()
    shared = windows.reset_index().merge(known, on=["file", "document"], suffixes=("", "_known"))
    overlaps = shared[
        (shared["first_sentence"] <= shared["last_sentence_known"])
        & (shared["last_sentence"] >= shared["first_sentence_known"])
    ]
    return windows[~(is_alike | is_known | windows.index.isin(overlaps["index"]))]


def _pick_of_pair(
    group: pd.DataFrame, models: Sequence[str], choice: Choice
) -> Iterator[tuple[int, str, int]]:
    """Yield the rows of a pair's candidates in the order shown: label, reason, place."""
    reasons: dict[int, str] = {}
    for model in models:
        left = group.drop(index=list(reasons))
        if len(left) < 2:
            break
        sound = left[left["warnings"] == ""]
        left = sound if len(sound) >= 2 else left
        most, least = _extremes(
            left[f"score_{model}"].to_numpy(), left["distance"].to_numpy(), choice.distance_within
        )
        reasons[left.index[most]] = f"{model}: {MOST}"
        reasons[left.index[least]] = f"{model}: {LEAST}"
    names = dict(zip(group.index.tolist(), group["window"].tolist(), strict=True))
    warned = set(group.index[group["warnings"] != ""])
    shuffled = sorted(names, key=lambda row: (row in warned, _draw(names[row], "pick", choice)))
    for row in shuffled:
        if len(reasons) == min(choice.number, len(group)):
            break
        reasons.setdefault(row, AT_RANDOM)
    shown = sorted(reasons, key=lambda row: _draw(names[row], "order", choice))
    for place, row in enumerate(shown, 1):
        yield row, reasons[row], place


def _extremes(
    scores: npt.NDArray[np.float64], distances: npt.NDArray[np.int32], within: int | None
) -> tuple[int, int]:
    """Return the positions of the windows with the highest and the lowest score."""
    contrast = scores[:, None] - scores[None, :]
    np.fill_diagonal(contrast, -np.inf)
    if within is not None:
        apart = np.abs(distances[:, None] - distances[None, :])
        np.fill_diagonal(apart, np.iinfo(apart.dtype).max)
        contrast[apart > max(within, apart.min())] = -np.inf
    most, least = np.unravel_index(int(contrast.argmax()), contrast.shape)
    return int(most), int(least)


def _draw(window: str, purpose: str, choice: Choice) -> bytes:
    return blake2b(f"{choice.seed}\0{purpose}\0{window}".encode(), digest_size=8).digest()
