"""Designs of CoSimLex, to start from. Only what its publication tells is set."""

from decimal import Decimal
from typing import Any, NamedTuple

from surveys.models import QuestionForms, Variant


class Preset(NamedTuple):
    """The design of a published study."""

    name: str
    title: str
    source: str
    about: str
    settings: dict[str, Any]


COSIMLEX: dict[str, Any] = {
    "scale_minimum": Decimal(0), "scale_maximum": Decimal(6), "scale_step": Decimal(1),
    "scale_labels": {}, "question_forms": QuestionForms.DICTIONARY.value,
    "variant": Variant.PLAIN.value,
}  # fmt: skip
COSIMLEX_PAPER = "Armendariz et al. (2020)"
PRESETS = {
    preset.name: preset
    for preset in (
        Preset(
            "cosimlex-direct", "CoSimLex, Croatian, Slovene and Finnish", COSIMLEX_PAPER,
            "Annotators were recruited directly: 12 ratings of each context; after cleaning, 9 to "
            "11 were left in the Slovene and Finnish data.",
            {**COSIMLEX, "ratings_per_context": 12},
        ),
        Preset(
            "cosimlex-crowd", "CoSimLex, English", COSIMLEX_PAPER,
            "Annotators came from a crowdsourcing service: 27 ratings of each context.",
            {**COSIMLEX, "ratings_per_context": 27},
        ),
    )
}  # fmt: skip
CHOICES = [("", "Cosima’s start values"), *((p.name, p.title) for p in PRESETS.values())]
