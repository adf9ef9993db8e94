import numpy as np
import pandas as pd
import pytest

from postprocess.statistics.effects import design as design_module
from postprocess.statistics.effects.design import collect, design_study, predict
from postprocess.table.ratings import RatingsError, Scale


def test_design_study_numbers_the_effects_of_each_rating(sample, design):
    names = design.names.to_numpy()
    table = pd.DataFrame(
        {
            "pair": design.pairs[design.context // 2],
            "context": design.context % 2 + 1,
            "annotator": names[design.annotator],
            "rating": design.points[design.point].astype(int),
            "group": names[design.questionnaire],
        }
    )

    columns = list(table)
    found, given = (one.sort_values(columns, ignore_index=True) for one in (table, sample))
    pd.testing.assert_frame_equal(found, given, check_dtype=False)


def test_design_study_finds_the_parts_that_share_nothing(design):
    first, second = design.parts

    assert [first.ratings, second.ratings] == [slice(0, 120), slice(120, 240)]
    assert [first.contexts, second.contexts] == [slice(0, 24), slice(24, 48)]
    assert [first.crossed, second.crossed] == [slice(0, 12), slice(12, 24)]
    assert set(design.names[second.crossed]) == {
        "C",
        "D",
        *(f"{q}{n}" for q in "CD" for n in range(1, 6)),
    }


def test_design_study_of_one_annotator_in_both_blocks_has_one_part(sample):
    same = sample.assign(annotator=sample["annotator"].replace("C1", "A1"))

    assert len(design_study(same, Scale()).parts) == 1


def test_design_study_finds_groups_that_are_not_given(sample):
    design = design_study(sample.drop(columns="group"), Scale())

    assert design.n_questionnaires == 4
    assert set(design.names[~design.is_annotator]) == {"1", "2", "3", "4"}


def test_collect_is_the_transpose_of_predict(design):
    rng = np.random.default_rng(1)
    effects = rng.normal(size=design.n_contexts + design.n_crossed)
    figures = rng.normal(size=len(design.point))

    assert predict(design, effects) @ figures == pytest.approx(effects @ collect(design, figures))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda s: s[s["pair"] < 5], "needs 5 pairs or more, got 4"),
        (
            lambda s: s[(s["pair"] != 7) | (s["context"] == 1)],
            "contexts without ratings: pair 7 context 2",
        ),
        (
            lambda s: s[s["annotator"].str.endswith("1")],
            "every context has only one rating.*collect two or more",
        ),
        (lambda s: s.assign(rating=4), "all ratings are 4"),
        (lambda s: s.assign(rating=s["rating"].where(s["pair"] > 1)), "ratings without a value"),
    ],
)
def test_design_study_refuses_what_cannot_be_estimated(sample, change, message):
    with pytest.raises(RatingsError, match=message):
        design_study(change(sample), Scale())


def test_design_study_refuses_a_part_that_needs_too_much_memory(sample, monkeypatch):
    monkeypatch.setattr(design_module, "MOST_CROSSED", 11)

    with pytest.raises(RatingsError, match="12 annotators and questionnaires are connected"):
        design_study(sample, Scale())
