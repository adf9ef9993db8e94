"""The demo stimuli are valid by format and design, without warnings."""

import pytest
from django.conf import settings

from postprocess.formats.stimuli import parse_stimuli
from postprocess.formats.tokens import count_sentences


@pytest.mark.parametrize(("language", "n_pairs"), [("en", 14), ("hr", 6), ("sl", 6), ("fi", 6)])
def test_demo_stimuli_are_valid(language, n_pairs):
    stimuli = parse_stimuli((settings.BASE_DIR / f"demo/data_{language}.tsv").read_bytes())

    assert stimuli.findings == ()
    assert len(stimuli.pairs) == n_pairs
    for pair in stimuli.pairs:
        assert [count_sentences(c.text) for c in (pair.context1, pair.context2)] == [3, 3]
