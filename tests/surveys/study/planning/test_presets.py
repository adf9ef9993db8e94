"""Designs of published studies: valid, and in English where their labels are."""

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
    settings = PRESETS[name].settings_for("en-GB")

    configured = configure_study(study, **settings)

    assert {key: getattr(configured, key) for key in settings} == settings


@pytest.mark.parametrize("name", PRESETS)
def test_labels_of_points_are_for_english_studies(name):
    assert PRESETS[name].settings_for("sl")["scale_labels"] == {}
    assert PRESETS[name].settings_for("EN")["scale_labels"] == PRESETS[name].labels
    assert PRESETS[name].settings_for("enm")["scale_labels"] == {}


def test_every_preset_can_be_chosen():
    assert [name for name, _ in CHOICES] == ["", *PRESETS]
