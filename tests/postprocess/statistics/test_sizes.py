import pytest

from postprocess.formats.marks import MarkedContext, Span
from postprocess.formats.stimuli import StimulusPair
from postprocess.statistics.sizes import Spread, measure_stimuli

NEAR = MarkedContext("Ice is water.", Span(0, 3), Span(7, 12))
FAR = MarkedContext("Water is, in winter, ice.", Span(21, 24), Span(0, 5))


def test_sizes_by_hand():
    sizes = measure_stimuli([StimulusPair("ice", "water", NEAR, FAR)] * 2)

    assert sizes.n_pairs == 2
    assert sizes.characters == Spread(13, 19.0, 25)
    assert sizes.words == Spread(3, 4.0, 5)
    assert sizes.distance == Spread(2, 3.0, 4)


def test_sizes_do_not_depend_on_the_order():
    pairs = [StimulusPair("ice", "water", NEAR, FAR), StimulusPair("ice", "water", NEAR, NEAR)]

    assert measure_stimuli(pairs) == measure_stimuli(pairs[::-1])


def test_no_pair_has_no_sizes():
    with pytest.raises(ValueError, match="without a pair"):
        measure_stimuli([])
