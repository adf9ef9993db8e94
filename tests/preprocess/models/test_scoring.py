"""Scores that are kept: the model reads each text once, also after a stop."""

import shutil
from contextlib import ExitStack

import numpy as np
import pytest

from postprocess.formats.marks import MarkedContext
from preprocess.models import scoring
from preprocess.models.cache import SimilarityCache
from preprocess.models.loading import ALL, BATCH_SIZE, LAST, ModelError, Precision
from preprocess.models.scoring import score_contexts
from preprocess.models.similarity import UnusableTexts, compare_targets
from tests.preprocess.disk import full_disk
from tests.preprocess.models.texts import CONTEXTS, long_context

FP32, BF16 = Precision.FP32, Precision.BF16
MANY = [long_context(n) for n in range(1, 56)]


class Runs:
    """How often a model was loaded."""

    def __init__(self, monkeypatch) -> None:
        self.n = 0
        load = scoring.load_model

        def count(*given):
            self.n += 1
            return load(*given)

        monkeypatch.setattr(scoring, "load_model", count)


@pytest.fixture
def runs(monkeypatch) -> Runs:
    return Runs(monkeypatch)


def test_what_is_stored_is_not_computed_again(tiny_folder, tiny, tmp_path, runs):
    cache = SimilarityCache(tmp_path, tiny_folder, FP32)
    first = score_contexts(tiny_folder, CONTEXTS, cache)
    again = score_contexts(tiny_folder, [*CONTEXTS, CONTEXTS[0]], cache, layers=[ALL])

    assert runs.n == 1
    assert list(first) == [2]
    assert list(again) == [0, 1, 2]
    wanted = compare_targets(tiny, CONTEXTS)
    assert np.array_equal(np.stack(list(again.values()), axis=1)[:-1], wanted)
    assert again[2][-1] == first[2][0]


def test_another_text_place_model_or_precision_is_computed(tiny_folder, tmp_path, runs):
    one = CONTEXTS[0]
    swapped = MarkedContext(one.text, one.word2, one.word1)
    other = shutil.copytree(tiny_folder, tmp_path / "other")
    (other / "vocab.txt").unlink()

    for folder, context, precision in [
        (tiny_folder, one, FP32), (tiny_folder, CONTEXTS[1], FP32), (tiny_folder, swapped, FP32),
        (other, one, FP32), (tiny_folder, one, BF16),
    ]:  # fmt: skip
        cache = SimilarityCache(tmp_path / "cache", folder, precision)
        score_contexts(folder, [context], cache)

    assert runs.n == 5


def test_a_stopped_run_goes_on_and_loses_one_shard_at_most(
    tiny_folder, tmp_path, monkeypatch, runs
):
    def stop(done: int, of: int) -> None:
        if stopped := len(list(cache.folder.glob("*.npz"))) == 2:
            raise KeyboardInterrupt(stopped)

    monkeypatch.setattr(scoring, "SHARD", 1)
    whole = score_contexts(tiny_folder, MANY, SimilarityCache(tmp_path / "a", tiny_folder, FP32))
    cache = SimilarityCache(tmp_path / "b", tiny_folder, FP32)
    with pytest.raises(KeyboardInterrupt):
        score_contexts(tiny_folder, MANY, cache, progress=stop)
    assert len(cache.load()) == 2 * BATCH_SIZE
    seen = []
    resumed = score_contexts(tiny_folder, MANY, cache, progress=lambda *step: seen.append(step))

    assert np.array_equal(resumed[2], whole[2])
    assert len(seen) == 2
    assert seen[-1][0] == seen[-1][1]


def test_a_full_disk_stops_a_run_that_goes_on_where_it_was(
    tiny_folder, tmp_path, monkeypatch, runs
):
    monkeypatch.setattr(scoring, "SHARD", 1)
    whole = score_contexts(tiny_folder, MANY, SimilarityCache(tmp_path / "a", tiny_folder, FP32))
    cache = SimilarityCache(tmp_path / "b", tiny_folder, FP32)
    with ExitStack() as disk:

        def fill(done: int, of: int) -> None:
            if len(list(cache.folder.glob("*.npz"))) == 2:
                disk.enter_context(full_disk())

        with pytest.raises(OSError, match="File too large"):
            score_contexts(tiny_folder, MANY, cache, progress=fill)

    assert {path.suffix for path in cache.folder.iterdir()} == {".npz"}  # none is half written
    assert len(cache.load()) == 2 * BATCH_SIZE
    seen = []
    resumed = score_contexts(tiny_folder, MANY, cache, progress=lambda *step: seen.append(step))
    assert np.array_equal(resumed[2], whole[2])
    assert len(seen) == 2


def test_a_damaged_file_of_the_cache_is_computed_again(tiny_folder, tmp_path, runs):
    cache = SimilarityCache(tmp_path, tiny_folder, FP32)
    first = score_contexts(tiny_folder, CONTEXTS, cache)
    (stored,) = cache.folder.glob("*.npz")
    stored.write_bytes(stored.read_bytes()[:100])

    again = score_contexts(tiny_folder, CONTEXTS, cache)

    assert runs.n == 2
    assert np.array_equal(again[2], first[2])


def test_unusable_texts_are_named_by_their_number_and_nothing_is_computed(tiny_folder, tmp_path):
    cache = SimilarityCache(tmp_path, tiny_folder, FP32)
    score_contexts(tiny_folder, CONTEXTS[:1], cache)
    before = cache.load().keys()

    with pytest.raises(UnusableTexts) as refused:
        score_contexts(tiny_folder, [*CONTEXTS, long_context(70)], cache)

    assert list(refused.value.problems) == [len(CONTEXTS)]
    assert cache.load().keys() == before


def test_a_layer_that_the_model_lacks_is_refused_before_it_runs(tiny_folder, tmp_path):
    cache = SimilarityCache(tmp_path, tiny_folder, FP32)

    with pytest.raises(ModelError, match="layer 3 does not exist; the model has layers 0 to 2"):
        score_contexts(tiny_folder, CONTEXTS, cache, layers=[LAST, 3])
    assert cache.load() == {}
    score_contexts(tiny_folder, CONTEXTS, cache)
    with pytest.raises(ModelError, match="layer 3 does not exist; the model has layers 0 to 2"):
        score_contexts(tiny_folder, CONTEXTS, cache, layers=[3])
