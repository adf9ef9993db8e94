"""The similarity of a text's two target words: the cosine of their vectors in a model.

The vector of a word in a layer is the mean of those of the sub-words that overlap it, as in the
baselines of SemEval-2020 Task 3.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

import numpy as np
import numpy.typing as npt

from postprocess.formats.marks import MarkedContext, Span
from preprocess.models.loading import BATCH_SIZE, Model

TOKENISED_AT_ONCE = 1_000  # texts
Places = npt.NDArray[np.int64]  # of the sub-words of a word, in the text
Progress = Callable[[int, int], None]  # done, of


class UnusableTexts(ValueError):
    """Texts that a model cannot read: why, by their number from 0."""

    def __init__(self, problems: Mapping[int, str]) -> None:
        self.problems = dict(problems)
        super().__init__("; ".join(f"text {number}: {what}" for number, what in problems.items()))


@dataclass(frozen=True, slots=True, eq=False)
class SubWords:
    """A text as a model reads it: numbers of sub-words, and the places of both target words."""

    ids: npt.NDArray[np.int64]
    targets: tuple[Places, Places]


def compare_targets(
    model: Model, contexts: Sequence[MarkedContext], *, batch_size: int = BATCH_SIZE
) -> npt.NDArray[np.float32]:
    """Compute how similar the two target words of each text are, in every layer of a model.

    Parameters
    ----------
    model : Model
        Of `load_model`.
    contexts : sequence of MarkedContext
        Texts with the spans of their two target words.
    batch_size : int
        Texts that the model reads at a time; changes the result by less than 1e-5 (fp32).

    Returns
    -------
    array, shape (n_contexts, n_layers + 1)
        Cosines, from -1 to 1. Column 0 is that of the vectors before the first layer, the last one
        that of the last layer.

    Raises
    ------
    UnusableTexts
        A text that is too long for the model, a target word without a sub-word, or a cosine that
        is not a number.
    """
    of_context: dict[int, npt.NDArray[np.float32]] = {}
    for batch, similarities in compare_in_batches(model, contexts, batch_size=batch_size):
        of_context |= dict(zip(batch, similarities, strict=True))
    rows = [of_context[number] for number in range(len(contexts))]
    return np.stack(rows) if rows else np.empty((0, model.n_layers + 1), dtype=np.float32)


def compare_in_batches(
    model: Model,
    contexts: Sequence[MarkedContext],
    *,
    batch_size: int = BATCH_SIZE,
    progress: Progress = lambda done, of: None,
) -> Iterator[tuple[list[int], npt.NDArray[np.float32]]]:
    """Yield the numbers of some texts and their similarities, the longest texts first.

    `progress` counts sub-words. Raises UnusableTexts, for texts that are too long or lack a
    sub-word before the first batch.
    """
    tokenised = split_into_subwords(model, contexts)
    order = sorted(
        range(len(contexts)), key=lambda n: (-len(tokenised[n].ids), tokenised[n].ids.tobytes())
    )
    done, total = 0, sum(len(text.ids) for text in tokenised)
    rest = iter(order)
    while batch := list(islice(rest, batch_size)):
        subwords = [tokenised[number] for number in batch]
        similarities = _run(model, subwords)
        wrong = ~np.isfinite(similarities).all(axis=1)
        if wrong.any():
            what = "the model gives no number; its weights may be damaged"
            raise UnusableTexts({batch[row]: what for row in np.flatnonzero(wrong).tolist()})
        yield batch, similarities
        done += sum(len(text.ids) for text in subwords)
        progress(done, total)


def split_into_subwords(model: Model, contexts: Sequence[MarkedContext]) -> list[SubWords]:
    """Tokenise texts and find their target words. Raises UnusableTexts with all that are wrong."""
    tokenised: list[SubWords] = []
    problems: dict[int, str] = {}
    n_known = model.network.get_input_embeddings().num_embeddings
    for number, (context, ids, edges) in enumerate(_tokenise(model, contexts)):
        first, second = (_overlapping(edges, span) for span in (context.word1, context.word2))
        tokenised.append(SubWords(ids, (first, second)))
        if model.longest is not None and len(ids) > model.longest:
            problems[number] = (
                f"{len(ids):,} sub-words, and the model takes at most {model.longest:,}"
            )
        elif ids.max(initial=0) >= n_known:
            problems[number] = "its tokenizer belongs to another model: the numbers are too high"
        elif not (len(first) and len(second)):
            form = context.form2 if len(first) else context.form1
            problems[number] = f'the model has no sub-word for "{form}"'
    if problems:
        raise UnusableTexts(problems)
    return tokenised


def _tokenise(
    model: Model, contexts: Sequence[MarkedContext]
) -> Iterator[tuple[MarkedContext, npt.NDArray[np.int64], npt.NDArray[np.int64]]]:
    """Yield each text with the numbers of its sub-words and where these begin and end."""
    for first in range(0, len(contexts), TOKENISED_AT_ONCE):
        some = contexts[first : first + TOKENISED_AT_ONCE]
        encoded = model.tokenizer(
            [context.text for context in some],
            truncation=False,
            verbose=False,
            return_offsets_mapping=True,
            return_attention_mask=False,
            return_token_type_ids=False,
        )
        parts = zip(some, encoded["input_ids"], encoded["offset_mapping"], strict=True)
        for context, ids, edges in parts:
            yield context, np.array(ids, np.int64), np.array(edges, np.int64).reshape(-1, 2)


def _overlapping(edges: npt.NDArray[np.int64], span: Span) -> Places:
    """Return the places of sub-words that overlap a word; those without a width overlap none."""
    starts, ends = edges[:, 0], edges[:, 1]
    return np.flatnonzero((starts < span.end) & (ends > span.start) & (starts < ends))


def _run(model: Model, subwords: Sequence[SubWords]) -> npt.NDArray[np.float32]:
    """Return the similarities in all layers of texts that are read at a time."""
    import torch

    longest = max(len(text.ids) for text in subwords)
    ids = np.full((len(subwords), longest), model.tokenizer.pad_token_id or 0)
    mask = np.zeros_like(ids)
    shares = np.zeros((len(subwords), 2, longest), dtype=np.float32)
    for row, text in enumerate(subwords):
        ids[row, : len(text.ids)], mask[row, : len(text.ids)] = text.ids, 1
        for word, places in enumerate(text.targets):
            shares[row, word, places] = 1 / len(places)
    with torch.inference_mode():
        layers = model.network(
            input_ids=torch.from_numpy(ids),
            attention_mask=torch.from_numpy(mask),
            output_hidden_states=True,
        ).hidden_states
        of_words = torch.from_numpy(shares)
        return np.stack([_cosines(of_words @ layer.float()) for layer in layers], axis=1)


def _cosines(vectors: Any) -> npt.NDArray[np.float32]:
    """Return each pair of vectors' cosine; NaN if a vector is 0."""
    first, second = np.moveaxis(vectors.double().numpy(), 1, 0)
    with np.errstate(invalid="ignore", divide="ignore"):
        norms = np.linalg.norm(first, axis=1) * np.linalg.norm(second, axis=1)
        cosines: npt.NDArray[np.float32] = ((first * second).sum(axis=1) / norms).astype(np.float32)
    return cosines
