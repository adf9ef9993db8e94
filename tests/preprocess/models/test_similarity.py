"""The cosine of two target words, layer by layer."""

import numpy as np
import pytest

from preprocess.models.loading import Precision, load_model
from preprocess.models.similarity import UnusableTexts, compare_targets
from tests.preprocess.models.texts import CONTEXTS, context_without_a_sound, long_context, read


def test_vectors_are_means_of_the_overlapping_sub_words(minilm, torch):
    model = load_model(minilm)
    context = read("The <strong>unbelievableness</strong> of the <strong>ponds</strong>, he said.")

    (found,) = compare_targets(model, [context])

    text = model.tokenizer(context.text, return_offsets_mapping=True, return_tensors="pt")
    edges = text.pop("offset_mapping")[0].tolist()
    places = [
        [n for n, (start, end) in enumerate(edges) if max(start, word[0]) < min(end, word[1])]
        for word in (context.word1, context.word2)
    ]
    assert [len(one) for one in places] == [2, 1]
    with torch.no_grad():
        layers = model.network(**text, output_hidden_states=True).hidden_states
    wanted = [
        torch.cosine_similarity(*(layer[0, one].mean(dim=0) for one in places), dim=0).item()
        for layer in layers
    ]
    assert len(wanted) == 7
    assert found.tolist() == pytest.approx(wanted, abs=1e-6)


@pytest.mark.parametrize("batch_size", [1, 5, 12])
def test_neither_batches_nor_order_change_a_similarity(minilm, batch_size):
    model = load_model(minilm)
    whole = compare_targets(model, CONTEXTS)

    backwards = compare_targets(model, CONTEXTS[::-1], batch_size=batch_size)

    assert np.abs(backwards[::-1] - whole).max() < 1e-5
    assert len(np.unique(whole[:, -1])) == len(CONTEXTS)


def test_fewer_digits_change_little(minilm):
    whole = compare_targets(load_model(minilm), CONTEXTS)

    rounded = compare_targets(load_model(minilm, Precision.BF16), CONTEXTS)

    assert 0 < np.abs(rounded - whole).max() < 0.03


def test_a_model_shows_nothing(tiny_folder, capfd):
    compare_targets(load_model(tiny_folder), CONTEXTS)

    assert capfd.readouterr() == ("", "")


def test_no_texts_have_no_similarities(tiny):
    assert compare_targets(tiny, []).shape == (0, 3)


def test_texts_that_the_model_cannot_read_are_refused_by_number(tiny):
    contexts = [CONTEXTS[0], long_context(60), context_without_a_sound(), long_context(62)]

    with pytest.raises(UnusableTexts) as refused:
        compare_targets(tiny, contexts)

    assert refused.value.problems == {
        2: 'the model has no sub-word for "\x07"',
        3: "66 sub-words, and the model takes at most 64",
    }


def test_a_tokenizer_of_another_model_is_reported(tiny_folder, torch):
    model = load_model(tiny_folder)
    model.network.set_input_embeddings(torch.nn.Embedding(1000, 16))

    with pytest.raises(UnusableTexts, match="text 0: its tokenizer belongs to another model"):
        compare_targets(model, CONTEXTS)


def test_a_longest_text_is_read_to_its_end(tiny):
    shorter, longest = long_context(59), long_context(60)

    found = compare_targets(tiny, [shorter, longest])

    assert np.isfinite(found).all()


def test_a_model_that_gives_no_number_is_reported(tiny_folder, torch):
    model = load_model(tiny_folder)
    with torch.no_grad():
        model.network.embeddings.word_embeddings.weight.fill_(float("nan"))

    with pytest.raises(UnusableTexts, match="text 0: the model gives no number"):
        compare_targets(model, CONTEXTS[:1])
