"""The bridges between designs and the settings of studies, and the rules that both keep."""

import pytest

from postprocess.designs import list_designs
from postprocess.designs.design import DesignError
from surveys.errors import ImportRefused, SettingRefused
from surveys.models import Study
from surveys.study.design import (
    configure_study,
    design_of,
    published_designs,
    settings_of,
    start_study,
)
from surveys.study.settings import SETTINGS
from surveys.study.stimuli.load import list_design_problems, read_stimuli
from tests.factories.studies import invented_items, make_study_of, stored, study_of
from tests.surveys.test_constraints import KEPT, REFUSED

TOGETHER = "These settings do not go together: "


@pytest.mark.parametrize("name", list_designs())
def test_a_study_by_a_published_design_is_of_it(name):
    study = study_of(name)

    assert list_design_problems(study) == []
    assert design_of(study) == published_designs()[name]


@pytest.mark.django_db
@pytest.mark.parametrize("name", [n for n in list_designs() if not n.startswith("cosimlex")])
def test_a_stored_study_is_of_its_published_design(name):
    answers = published_designs()[name].answers

    study = make_study_of(name, 2, ratings_per_context=answers.number, n_doubled=answers.doubled)

    assert design_of(study) == published_designs()[name]


def test_designs_tell_the_hours_that_all_pairs_take_and_what_is_published():
    names = ("lease_hours", "second_look_above", "n_doubled", "adjudicates", "publishes_words")
    told = {name: settings_of(design) for name, design in published_designs().items()}

    assert {name: [settings.get(n) for n in names] for name, settings in told.items()} == {
        "cosimlex-crowd": [24, None, 0, False, None],
        "cosimlex-direct": [24, None, 0, False, None],
        "durel": [24, None, 0, False, None],
        "mclwic": [24, None, 500, True, None],
        "scws": [24, None, 0, False, None],
        "semeval2017": [336, 1, 0, False, None],
        "semeval2017-translation": [336, None, 0, True, True],
        "simlex": [24, None, 0, False, None],
        "usim": [336, None, 0, False, None],
        "wic": [24, None, 0, False, None],
    }


@pytest.mark.parametrize(("language", "n_labels"), [("en", 4), ("en-GB", 4), ("ar", 0)])
def test_english_labels_are_left_out_in_other_languages(language, n_labels):
    study = start_study("durel", language=language)
    assert len(study.scale_labels) == n_labels


def test_a_changed_study_has_a_design_of_its_own():
    study = study_of("simlex")
    study.title, study.ratings_per_context, study.centre = "Study", 20, "majority"

    design = design_of(study)

    assert (design.name, design.title, design.answers.number) == ("study", "Study", 20)
    assert (design.about, design.scores.model_dump()) == (
        "It started from the design simlex.",
        {"centre": "majority", "recipe": "raw", "rescaled": False},
    )
    assert design_of(Study(slug="own", language="en")).scores.recipe == "cosimlex"


def test_possible_designs_are_taken():
    assert [values for values in KEPT[3:] if list_design_problems(with_(values))] == []


@pytest.mark.parametrize("values", [v for rows in REFUSED.values() for v in rows], ids=str)
def test_a_design_that_the_database_refuses_is_refused_in_words(values):
    problems = list_design_problems(with_(values))

    assert problems
    assert all(problem[0].isupper() and problem.endswith(".") for problem in problems)


def with_(values: dict[str, object]) -> Study:
    recipe = {"design": "usim"} if values.get("centre") == "majority" else {}
    return Study(slug="study", title="Study", language="en", **{**recipe, **values})


@pytest.mark.django_db
def test_a_study_is_not_created_or_changed_against_the_rules():
    data = invented_items("wic", 2)
    with pytest.raises(ImportRefused, match=f"{TOGETHER}the question for the same meaning needs"):
        read_stimuli(data, with_({**REFUSED["same_meaning_is_yes_or_no"][2]}))
    study = make_study_of("mclwic", 2, block_size=1, n_doubled=1)
    Study.objects.update(opened_at=None)
    with pytest.raises(SettingRefused, match="Choosing a number sends it: A choice cannot send"):
        configure_study(study, sends_choice=True)
    with pytest.raises(SettingRefused, match=f"{TOGETHER}doubled items need blocks"):
        configure_study(study, block_size=None)

    assert stored(study, "sends_choice", "block_size") == (False, 1)


@pytest.mark.django_db
def test_who_writes_as_well_has_more_time_for_an_item():
    study = make_study_of("wic", 2)
    Study.objects.update(opened_at=None)
    before = study.seconds_per_item

    changed = configure_study(study, writes="substitutes")
    assert changed.seconds_per_item - before == 20  # seconds to write two words
    assert configure_study(study, writes="nothing").seconds_per_item == before
    assert configure_study(study, writes="substitutes", seconds_per_item=9).seconds_per_item == 9


def test_a_design_of_an_impossible_study_is_refused():
    with pytest.raises(DesignError, match="only majorities are adjudicated"):
        design_of(Study(slug="s", language="en", adjudicates=True))


@pytest.mark.django_db
@pytest.mark.parametrize("name", ["cosimlex-crowd", "cosimlex-direct"])
def test_a_draft_takes_the_settings_of_a_published_design(name, study):
    Study.objects.update(opened_at=None)
    given = settings_of(published_designs()[name])
    settings = {name: given[name] for name in SETTINGS if name in given}

    configured = configure_study(study, **settings)

    assert {key: getattr(configured, key) for key in settings} == settings
