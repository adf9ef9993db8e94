"""Scoring many texts with a model, each text once, in shards stored as they finish."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path

import numpy as np

from postprocess.formats.marks import MarkedContext
from preprocess.models.cache import Similarities, SimilarityCache, key_of
from preprocess.models.loading import ALL, BATCH_SIZE, LAST, Model, ModelError, load_model
from preprocess.models.similarity import Progress, UnusableTexts, compare_in_batches

SHARD = 4  # batches


def score_contexts(
    folder: Path,
    contexts: Sequence[MarkedContext],
    cache: SimilarityCache,
    *,
    layers: Sequence[int | str] = (LAST,),
    batch_size: int = BATCH_SIZE,
    progress: Progress = lambda done, of: None,
) -> dict[int, Similarities]:
    """Return how similar the target words of one text or more are, by the layers of a model.

    The similarities are those of `compare_targets`, and `layers` has numbers, LAST or ALL. The
    model is loaded only if a text is not in the cache, and texts that it cannot read are refused
    before it reads any. Raises OSError, ModelError, UnusableTexts and ExtraMissing.
    """
    keys = [key_of(context) for context in contexts]
    cached = cache.load()
    new: dict[str, int] = {}
    for number, key in enumerate(keys):
        if key not in cached:
            new.setdefault(key, number)
    if new:
        model = load_model(folder, cache.precision)
        numbers = list_layers(folder, layers, model.n_layers)
        for shard in _compute(model, contexts, new, batch_size, progress):
            cache.save(shard)
            cached |= shard
    else:
        numbers = list_layers(folder, layers, len(cached[keys[0]]) - 1)
    similarities = np.stack([cached[key] for key in keys])
    return {layer: similarities[:, layer] for layer in numbers}


def list_layers(folder: Path, wanted: Sequence[int | str], last: int) -> list[int]:
    """Return the numbers of layers of a model, each once. Raises ModelError.

    >>> list_layers(Path("e5"), ["last", 7, 12], 12)
    [12, 7]
    """
    layers: list[int] = []
    for layer in wanted:
        if layer == ALL:
            layers += range(last + 1)
        elif layer == LAST:
            layers.append(last)
        elif 0 <= int(layer) <= last:
            layers.append(int(layer))
        else:
            what = f"layer {layer} does not exist; the model has layers 0 to {last}"
            raise ModelError(folder, what)
    return list(dict.fromkeys(layers))


def _compute(
    model: Model,
    contexts: Sequence[MarkedContext],
    new: Mapping[str, int],
    batch_size: int,
    progress: Progress,
) -> Iterator[dict[str, Similarities]]:
    """Yield the similarities of new texts in shards; `new` has their numbers by their keys."""
    keys, numbers = list(new), list(new.values())
    texts = [contexts[number] for number in numbers]
    try:
        batches = compare_in_batches(model, texts, batch_size=batch_size, progress=progress)
        while some := list(islice(batches, SHARD)):
            yield {
                keys[row]: similarities
                for batch, result in some
                for row, similarities in zip(batch, result, strict=True)
            }
    except UnusableTexts as error:
        raise UnusableTexts({numbers[row]: what for row, what in error.problems.items()}) from error
