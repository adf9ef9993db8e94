"""The estimates against those of R, and what cannot be estimated.

The figures are of R 4.2.2 with ordinal 2022.11-16 and Matrix 1.5-3, for the ratings of `study` as
a data frame d with factors:

    d$item <- factor(paste(d$pair, d$context))
    m <- clmm(factor(rating, ordered = TRUE) ~ 1 + (1|pair) + (1|item) + (1|annotator) + (1|group),
              data = d, control = clmm.control(gradTol = 1e-6))

The change of a pair is the difference of its two `ranef(m)$item`; that of the second table is for
the same ratings with 3 instead of 2, so that point 2 does not occur. R stops a little below the
maximum (its log likelihood is lower by 8e-9), hence the tolerance.
"""

import numpy as np
import pytest

from postprocess.statistics.effects import fitting
from postprocess.statistics.effects.design import design_study
from postprocess.statistics.effects.fitting import EffectsError, fit_model
from postprocess.statistics.effects.tables import crossed_tables, thresholds_table
from postprocess.table.ratings import Scale

TOLERANCE = {"rel": 1e-4, "abs": 1e-4}
THRESHOLDS = [
    -2.6468247842, -1.3574991359, -0.2336909348, 1.1156969365, 2.1751120206, 3.8066750721,
]  # fmt: skip
ERRORS = [0.48450465, 0.45917757, 0.45090638, 0.45901355, 0.48235596, 0.54821182]
CHANGES = [
    0.384505097, 1.275094779, 0.824350828, 1.093157114, -0.652231061, -2.153862861, -0.048762254,
    0.628643741, 1.261543164, 0.986868411, -3.866542589, -1.959044829, 1.796355260, -0.794011208,
    0.600321349, 0.857672222, -0.771593290, -0.969777945, -0.361415387, -1.367105146, -0.947098874,
    0.091409084, -1.324468026, -3.344832021,
]  # fmt: skip
GROUPS = {"A": -0.012270755, "B": -0.356910008, "C": -0.206535639, "D": 0.584797015}
ANNOTATORS = {"A1": -0.429963049, "A4": 1.049274190, "C3": 0.207939266, "D5": -0.186241449}
VARIANCES = {"A1": 0.15277797, "A4": 0.15692371, "C3": 0.14650738, "D5": 0.16054145}


def test_the_estimates_are_those_of_r(fit):
    assert fit.mode.log_likelihood == pytest.approx(-420.20216422917, abs=1e-6)
    assert fit.deviations == pytest.approx(
        {
            "pair": 1.1792348351, "context": 1.2691631938, "annotator": 0.5216186461,
            "questionnaire": 0.5311143617,
        },
        **TOLERANCE,
    )  # fmt: skip
    thresholds = thresholds_table(fit)
    assert thresholds["threshold"].tolist() == pytest.approx(THRESHOLDS, **TOLERANCE)
    assert thresholds["deviation"].tolist() == pytest.approx(ERRORS, **TOLERANCE)


def test_the_effects_are_those_of_r(fit):
    mode, design = fit.mode, fit.mode.design
    changes = np.diff(mode.contexts, axis=1)[np.argsort(design.pairs), 0]
    annotators, questionnaires = crossed_tables(fit, np.arange(7.0))
    variances = dict(zip(design.names, mode.precision.covariance.crossed, strict=True))

    assert changes.tolist() == pytest.approx(CHANGES, **TOLERANCE)
    assert questionnaires["effect"].to_dict() == pytest.approx(GROUPS, **TOLERANCE)
    assert annotators.loc[list(ANNOTATORS), "effect"].to_dict() == pytest.approx(
        ANNOTATORS, **TOLERANCE
    )
    assert {name: variances[name] for name in VARIANCES} == pytest.approx(VARIANCES, **TOLERANCE)


def test_the_estimates_with_an_unused_point_are_those_of_r(sample):
    fit = fit_model(design_study(sample.assign(rating=sample["rating"].replace(2, 3)), Scale()))

    assert fit.mode.log_likelihood == pytest.approx(-362.25119793085, abs=1e-5)
    assert thresholds_table(fit)["below"].tolist() == [0, 1, 3, 4, 5]
    assert fit.mode.parameters.thresholds.tolist() == pytest.approx(
        [-2.615346707, -1.335889040, 1.104796797, 2.145551363, 3.756113392], rel=1e-3
    )
    assert list(fit.deviations.values()) == pytest.approx(
        [1.2092722814, 1.1790440846, 0.4718004804, 0.5790418971], rel=1e-3
    )


def test_a_maximum_that_is_not_reached_is_an_error(design, monkeypatch):
    monkeypatch.setattr(fitting, "MOST_STEPS", 1)
    monkeypatch.setattr(fitting, "MOST_CORRECTIONS", 1)

    with pytest.raises(EffectsError, match=r"no maximum of the likelihood was found.*collect more"):
        fit_model(design)


def test_annotators_who_always_agree_are_an_error(sample):
    means = sample.groupby(["pair", "context"])["rating"].transform("mean").round()

    with pytest.raises(EffectsError, match=r"grows without limit.*Use the means and tests"):
        fit_model(design_study(sample.assign(rating=means), Scale()))


def test_pairs_that_do_not_change_are_an_error(sample):
    of_first = sample["rating"].where(sample["context"] == 1)
    of_pair = of_first.groupby(sample["pair"]).transform(lambda x: sorted(x.dropna()) * 2)

    with pytest.raises(EffectsError, match="variance between the two contexts of a pair is 0"):
        fit_model(design_study(sample.assign(rating=of_pair), Scale()))
