"""Designs of published studies, to start from. Only what their publications tell is set."""

from decimal import Decimal
from typing import Any, NamedTuple

from surveys.models import QuestionForms

TEXTS_OF_ONE = (
    "Its annotators did not rate two words in one text: the scale and the numbers carry over, the "
    "question does not."
)


class Preset(NamedTuple):
    """The design of a published study.

    `labels` of points are English, and used by English studies only.
    """

    name: str
    title: str
    source: str
    about: str
    settings: dict[str, Any]
    labels: dict[str, str]

    def settings_for(self, language: str) -> dict[str, Any]:
        """Return the settings for a study in this language, with the labels of points."""
        is_english = language.lower().split("-")[0] == "en"
        return {**self.settings, "scale_labels": self.labels if is_english else {}}


def _scale(low: int, high: int, step: str = "1") -> dict[str, Any]:
    return {"scale_minimum": Decimal(low), "scale_maximum": Decimal(high),
            "scale_step": Decimal(step)}  # fmt: skip


COSIMLEX = {**_scale(0, 6), "question_forms": QuestionForms.DICTIONARY.value}
COSIMLEX_PAPER = "Armendariz et al. (2020)"
PRESETS = {
    preset.name: preset
    for preset in (
        Preset(
            "cosimlex-direct", "CoSimLex, Croatian, Slovene and Finnish", COSIMLEX_PAPER,
            "Annotators were recruited directly: 12 ratings of each context, of which 9 to 11 were "
            "left after cleaning in the Slovene and Finnish data.",
            {**COSIMLEX, "ratings_per_context": 12}, {},
        ),
        Preset(
            "cosimlex-crowd", "CoSimLex, English", COSIMLEX_PAPER,
            "Annotators came from a crowdsourcing service: 27 ratings of each context.",
            {**COSIMLEX, "ratings_per_context": 27}, {},
        ),
        Preset(
            "simlex", "SimLex-999", "Hill et al. (2015)",
            f"15 or more ratings from 0 to 6 of words without a text. {TEXTS_OF_ONE}",
            {**_scale(0, 6), "ratings_per_context": 15}, {},
        ),
        Preset(
            "scws", "SCWS", "Huang et al. (2012)",
            f"10 ratings from 0 to 10 by a crowd; each word had its own text. {TEXTS_OF_ONE}",
            {**_scale(0, 10, "0.5"), "ratings_per_context": 10}, {},
        ),
        Preset(
            "semeval2017", "SemEval-2017 Task 2", "Camacho-Collados et al. (2017)",
            "3 trained annotators, from 0 to 4 in quarters, of words without a text, with a second "
            f"look at ratings that differed. {TEXTS_OF_ONE}",
            {**_scale(0, 4, "0.25"), "ratings_per_context": 3},
            {"0": "totally dissimilar and unrelated", "1": "dissimilar", "2": "slightly similar",
             "3": "similar", "4": "very similar"},
        ),
        Preset(
            "usim", "Usim-2", "Erk, McCarthy and Gaylord (2013)",
            "8 annotators, from 1 to 5, of two uses of one word; they could say that they did not "
            f"know. {TEXTS_OF_ONE}",
            {**_scale(1, 5), "ratings_per_context": 8, "allows_unjudgeable": True},
            {"1": "completely different", "5": "identical"},
        ),
        Preset(
            "durel", "DURel", "Schlechtweg et al. (2018)",
            "5 annotators, from 1 to 4, of two uses of one word; they could say that they could "
            f"not decide. {TEXTS_OF_ONE}",
            {**_scale(1, 4), "ratings_per_context": 5, "allows_unjudgeable": True},
            {"1": "unrelated", "2": "distantly related", "3": "closely related", "4": "identical"},
        ),
    )
}  # fmt: skip
CHOICES = [("", "Cosima’s start values"), *((p.name, p.title) for p in PRESETS.values())]
