import pytest

from postprocess.auditing.overlap import Overlap, Pairs, find_overlap
from tests.postprocess.published_format import stimuli_row

SWAPPED = (0, 1, 3, 2, 6, 7, 4, 5)
TEST = Pairs("test", {n: stimuli_row(n) for n in (1, 2, 3)}, dict.fromkeys((1, 2, 3), (1.5, 2.5)))


def practice(*rows, scores=((1.5, 2.5),)):
    return Pairs("practice", dict(enumerate(rows, 1)), dict(enumerate(scores, 1)))


def test_a_practice_pair_in_the_test_data_is_found():
    assert list(find_overlap(practice(stimuli_row(2)), TEST)) == [Overlap(1, 2, True, False, True)]


@pytest.mark.parametrize(("scores", "same"), [(((1.5, 2.6),), False), ((), None)])
def test_scores_are_compared(scores, same):
    (one,) = find_overlap(practice(stimuli_row(2), scores=scores), TEST)

    assert one.has_same_scores is same


def test_swapped_contexts_are_found_with_their_scores():
    row = tuple(stimuli_row(3)[i] for i in SWAPPED)

    assert list(find_overlap(practice(row, scores=((2.5, 1.5),)), TEST)) == [
        Overlap(1, 3, True, True, True)
    ]


def test_case_spacing_and_exchanged_words_are_ignored():
    row = list(stimuli_row(1))
    row[0], row[1] = row[1].upper(), row[0]
    row[2] = row[2].replace(" ", "  ")

    (one,) = find_overlap(practice(row), TEST)

    assert one.is_whole


def test_a_shared_text_is_found():
    row = [*stimuli_row(9)]
    row[3] = stimuli_row(2)[2]

    (one,) = find_overlap(practice(row), TEST)

    assert (one.test_row, one.is_whole) == (2, False)


def test_the_same_words_with_other_texts_are_another_pair():
    row = [*stimuli_row(9)]
    row[:2] = stimuli_row(1)[:2]

    assert list(find_overlap(practice(row), TEST)) == []
