"""Predictions of a model for the pairs of a data file."""

import numpy as np
import pytest

from postprocess.formats.stimuli import StimulusPair
from postprocess.formats.tabular import TableError
from preprocess.models.cache import SimilarityCache
from preprocess.models.loading import ALL, LAST, Precision
from preprocess.models.predicting import predict_similarities
from preprocess.models.similarity import compare_targets
from tests.preprocess.models.texts import CONTEXTS, long_context

PAIRS = [
    StimulusPair("one", "two", *both) for both in zip(CONTEXTS[::2], CONTEXTS[1::2], strict=True)
]


def test_each_context_has_the_cosine_of_its_layer(tiny_folder, tiny, tmp_path):
    cache = SimilarityCache(tmp_path, tiny_folder, Precision.FP32)

    found = predict_similarities(tiny_folder, PAIRS, cache, layer=ALL, batch_size=5)

    expected = compare_targets(tiny, CONTEXTS)
    assert list(found) == [0, 1, 2]
    for layer, similarities in found.items():
        assert similarities.shape == (6, 2)
        assert similarities.ravel() == pytest.approx(expected[:, layer], abs=1e-5)
    last = predict_similarities(tiny_folder, PAIRS, cache, layer=LAST)
    assert {n: one.tolist() for n, one in last.items()} == {2: found[2].tolist()}


def test_texts_that_do_not_fit_are_named_by_row_and_column(tiny_folder, tmp_path):
    cache = SimilarityCache(tmp_path, tiny_folder, Precision.FP32)
    pairs = [*PAIRS, StimulusPair("one", "two", CONTEXTS[0], long_context(70))]

    with pytest.raises(TableError) as refused:
        predict_similarities(tiny_folder, pairs, cache, layer=LAST)

    assert str(refused.value) == (
        "row 7 (line 8), context2: 74 sub-words, and the model takes at most 64; use another "
        "model: texts are not cut"
    )
    assert not np.any(list(cache.load()))
