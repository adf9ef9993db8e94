import pytest

from postprocess.auditing.repeats import Figures, find_repeats
from postprocess.formats.tabular import Severity
from tests.postprocess.published_format import stimuli_row

SWAPPED_CONTEXTS = (0, 1, 3, 2, 6, 7, 4, 5)
SWAPPED_WORDS = (1, 0, 2, 3, 5, 4, 7, 6)
FIGURES = Figures((8.17, 8.48), (2.14, 1.57), 0.441)
OTHERS = Figures((8.5, 8.33), (1.66, 1.97), 0.47)


def repeats(*rows, figures=()):
    found = find_repeats(dict(enumerate(rows, 1)), dict(enumerate(figures, 1)))
    return [(one.severity, one.row, one.reason) for one in found]


def only(*rows, figures=()):
    (found,) = repeats(*rows, figures=figures)
    return found


def reordered(row, places):
    return tuple(row[place] for place in places)


def test_find_repeats_finds_nothing_in_different_rows():
    rows = [stimuli_row(number) for number in (1, 2, 3)]

    assert repeats(*rows, figures=[FIGURES] * 3) == []


def test_a_row_with_the_same_scores_is_an_error():
    rows = [stimuli_row(1), stimuli_row(2), stimuli_row(1)]

    severity, row, reason = only(*rows, figures=[FIGURES, OTHERS, FIGURES])

    assert (severity, row) == (Severity.ERROR, 3)
    assert reason.startswith("the same words and contexts as row 1, with the same scores")


def test_a_row_with_other_scores_is_a_warning():
    severity, row, reason = only(stimuli_row(1), stimuli_row(1), figures=[FIGURES, OTHERS])

    assert (severity, row) == (Severity.WARNING, 2)
    assert "8.5 and 8.33 (deviations 1.66 and 1.97) here" in reason
    assert "8.17 and 8.48 (deviations 2.14 and 1.57) there" in reason


@pytest.mark.parametrize("figure", ["sims", "stdevs", "pvalue"])
def test_one_different_figure_is_a_warning(figure):
    figures = [FIGURES, FIGURES._replace(**{figure: getattr(OTHERS, figure)})]

    severity, *_ = only(stimuli_row(1), stimuli_row(1), figures=figures)

    assert severity is Severity.WARNING


def test_swapped_contexts_are_the_same_row_with_swapped_scores():
    rows = [stimuli_row(1), reordered(stimuli_row(1), SWAPPED_CONTEXTS)]

    same = only(*rows, figures=[FIGURES, FIGURES.swapped()])
    other = only(*rows, figures=[FIGURES, FIGURES])

    assert (same[0], other[0]) == (Severity.ERROR, Severity.WARNING)
    assert "(the contexts exchanged), with the same scores" in same[2]
    assert "8.17 and 8.48 (deviations 2.14 and 1.57) here and 8.48 and 8.17" in other[2]


def test_swapped_words_are_the_same_row():
    rows = [stimuli_row(1), reordered(stimuli_row(1), SWAPPED_WORDS)]

    severity, _, reason = only(*rows, figures=[FIGURES, FIGURES])

    assert severity is Severity.ERROR
    assert "(the words exchanged), with the same scores" in reason


@pytest.mark.parametrize(
    ("old", "new"), [(" ", "  "), ("The", "THE"), ("<strong>bank1</strong>", "bank1")]
)
def test_repeats_are_found_despite_spelling(old, new):
    row = list(stimuli_row(1))
    row[2] = row[2].replace(old, new)

    with_scores = only(stimuli_row(1), row, figures=[FIGURES, FIGURES])
    without = only(stimuli_row(1), row)

    assert (with_scores[0], without[0]) == (Severity.ERROR, Severity.WARNING)
    assert "except for letter case, spacing or marks" in without[2]


def test_the_same_row_without_scores_is_an_error():
    assert only(stimuli_row(1), stimuli_row(1))[0] is Severity.ERROR


def test_a_row_is_compared_with_the_earlier_row_of_the_same_scores():
    rows, figures = [stimuli_row(1)] * 3, [FIGURES, OTHERS, OTHERS]

    second, third = repeats(*rows, figures=figures)

    assert (second[0], third[0]) == (Severity.WARNING, Severity.ERROR)
    assert "as row 2, with the same scores" in third[2]


def test_one_context_with_the_same_words_is_a_warning():
    row = [*stimuli_row(1)]
    row[3] = stimuli_row(2)[3]

    severity, number, reason = only(stimuli_row(1), row, figures=[FIGURES, OTHERS])

    assert (severity, number) == (Severity.WARNING, 2)
    assert reason.startswith(
        "context1 is context1 of row 1 (8.5 here and 8.17 there), with the same words"
    )


@pytest.mark.parametrize(("words", "contexts"), [(1, 2), (2, 1)])
def test_other_words_or_other_contexts_are_not_a_repeat(words, contexts):
    row = [*stimuli_row(words)[:2], *stimuli_row(contexts)[2:]]

    assert repeats(stimuli_row(1), row) == []
