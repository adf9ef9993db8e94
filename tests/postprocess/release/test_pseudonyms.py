from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from postprocess.release import ReleaseError
from postprocess.release.pseudonyms import make_pseudonyms

KEY, OTHER_KEY = "the first key of all", "another key altogether"
NAMES = [f"worker{number:03}" for number in range(200)]


def test_make_pseudonyms_numbers_each_annotator_once():
    ids = make_pseudonyms(NAMES, KEY)

    assert sorted(ids.values()) == [f"A{number:03}" for number in range(1, 201)]


@given(st.sets(st.text(min_size=1), min_size=1, max_size=20).map(sorted), st.randoms())
def test_make_pseudonyms_ignores_the_order_of_names(names, chance):
    shuffled = chance.sample(names, len(names))

    assert make_pseudonyms([*shuffled, *names], KEY) == make_pseudonyms(names, KEY)


def test_ids_of_two_keys_cannot_be_matched_by_their_order():
    """Of 200 random ids, about one has the same position in two orders."""
    one, other = make_pseudonyms(NAMES, KEY), make_pseudonyms(NAMES, OTHER_KEY)
    orders = [sorted(NAMES, key=ids.__getitem__) for ids in (one, other)]

    for first, second in ((orders[0], orders[1]), (orders[0], NAMES), (orders[1], NAMES)):
        same = sum(a == b for a, b in zip(first, second, strict=True))
        steps = sum(NAMES.index(a) < NAMES.index(b) for a, b in pairwise(first))
        assert same <= 6
        assert 70 <= steps <= 130


def test_an_id_changes_when_other_annotators_leave():
    """Ids must not identify an annotator across releases that differ by a few people."""
    ids, fewer = make_pseudonyms(NAMES, KEY), make_pseudonyms(NAMES[:150], OTHER_KEY)

    assert sum(ids[name] == fewer[name] for name in fewer) <= 6


@pytest.mark.parametrize("key", ["", "short", "fifteen letters"])
def test_make_pseudonyms_refuses_a_short_key(key):
    with pytest.raises(ReleaseError, match="16 characters or more"):
        make_pseudonyms(["ana"], key)
