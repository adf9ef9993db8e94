"""The demo stimuli are valid by format and design, without warnings."""

import pytest
from django.conf import settings

from postprocess.formats.stimuli import parse_stimuli
from postprocess.formats.tokens import count_sentences


@pytest.mark.parametrize(
    ("name", "n_pairs"),
    [("data_en", 14), ("data_hr", 6), ("data_sl", 6), ("data_fi", 6), ("finished_sl", 20)],
)
def test_demo_stimuli_are_valid(name, n_pairs):
    stimuli = parse_stimuli((settings.BASE_DIR / f"demo/{name}.tsv").read_bytes())

    assert stimuli.findings == ()
    assert len(stimuli.pairs) == n_pairs
    for pair in stimuli.pairs:
        assert [count_sentences(c.text) for c in (pair.context1, pair.context2)] == [3, 3]


def test_words_of_the_larger_study_fit_its_contexts():
    lines = (settings.BASE_DIR / "demo/finished_sl_answers.tsv").read_text(encoding="utf-8")
    rows = [line.split("\t") for line in lines.splitlines()[1:]]

    assert [(int(pair), int(context)) for pair, context, *_ in rows] == [
        (pair, context) for pair in range(1, 21) for context in (1, 2)
    ]
    assert all(0 <= float(similarity) <= 6 for *_, similarity, _ in rows)
    assert {len(set(words.split())) for *_, words in rows} == {8}
