"""Designs of published studies: CoSimLex alone, whose annotators rated two words in a text."""

import pytest

from surveys.study.design import configure_study
from surveys.study.planning.presets import CHOICES, PRESETS
from tests.factories.studies import make_study

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("name", PRESETS)
def test_every_preset_is_a_valid_design(name):
    study = make_study()
    study.opened_at = None
    study.save()
    settings = PRESETS[name].settings

    configured = configure_study(study, **settings)

    assert {key: getattr(configured, key) for key in settings} == settings


def test_only_designs_of_cosimlex_can_be_chosen():
    assert [name for name, _ in CHOICES] == ["", "cosimlex-direct", "cosimlex-crowd"]
    assert [*PRESETS] == ["cosimlex-direct", "cosimlex-crowd"]
