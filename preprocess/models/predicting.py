"""Predicting the scores of a shared task by a model: the contextual baseline."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from postprocess.formats.stimuli import StimulusPair
from postprocess.formats.tabular import Finding, Severity, TableError
from postprocess.types import Floats
from preprocess.models.cache import SimilarityCache
from preprocess.models.loading import BATCH_SIZE
from preprocess.models.scoring import score_contexts
from preprocess.models.similarity import Progress, UnusableTexts

N_CONTEXTS = 2  # of a pair


def predict_similarities(
    folder: Path,
    pairs: Sequence[StimulusPair],
    cache: SimilarityCache,
    *,
    layer: int | str,
    batch_size: int = BATCH_SIZE,
    progress: Progress = lambda done, of: None,
) -> dict[int, Floats]:
    """Return the cosine of each context's two words in a model's layers.

    Parameters
    ----------
    folder : Path
        Of a model as transformers saves it.
    pairs : sequence of StimulusPair
        Of the data file.
    cache : SimilarityCache
        Texts that it has are not read again.
    layer : int or str
        The number of a layer, LAST, or ALL.
    batch_size : int
        Texts that the model reads at a time.
    progress : callable
        Is given the sub-words that were read, and those of all texts.

    Returns
    -------
    dict
        By the number of the layer, arrays of shape (n_pairs, 2).

    Raises
    ------
    TableError
        Texts that the model cannot read, by row and column of the data file.
    ModelError, ExtraMissing, OSError
        The model cannot be loaded.
    """
    contexts = [context for pair in pairs for context in (pair.context1, pair.context2)]
    try:
        by_layer = score_contexts(
            folder, contexts, cache, layers=[layer], batch_size=batch_size, progress=progress
        )
    except UnusableTexts as error:
        raise TableError(
            _locate(number, what) for number, what in error.problems.items()
        ) from error
    return {
        number: np.asarray(similarities, dtype=float).reshape(-1, N_CONTEXTS)
        for number, similarities in by_layer.items()
    }


def _locate(number: int, what: str) -> Finding:
    """Return the finding for a text, given by its number from 0 in the order of the contexts."""
    row, context = divmod(number, N_CONTEXTS)
    column, advice = f"context{context + 1}", "use another model: texts are not cut"
    return Finding(Severity.ERROR, what, row + 1, column, advice)
