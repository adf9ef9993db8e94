"""The forms of a recipe: its fields, its TOML, and its effect before it is run."""

import pytest
from django.contrib.auth.models import User
from django.urls import reverse

from postprocess.steps import list_recipes
from postprocess.steps.recipe import parse_recipe, read_recipe
from surveys.access.roles import grant_role
from surveys.errors import RunRefused
from surveys.models import Role, Run
from surveys.results.entries import effect
from surveys.results.entries.recipe import find_changed, read_settings, write_recipe
from surveys.results.runs import request_results
from surveys.web.console.results.recipe_forms import CARDS, SettingsForm
from tests.factories.pages import page, read
from tests.factories.studies import QUICK, finish, make_study, start

pytestmark = pytest.mark.usefixtures("kept_contexts")


@pytest.fixture
def disagreed(db):
    """A study with four annotators of each questionnaire, one of whom disagrees."""
    wanted = make_study(4, slug="rated", ratings_per_context=8, block_size=4)
    for rating in (1, 1, 2, 2, 1, 2, 6, 1):
        finish(start(wanted), rating=rating)
    return wanted


def sent(recipe, **changed):
    """Return what the form of a recipe sends, with some fields changed."""
    form = SettingsForm(study=None, settings=read_settings(recipe))
    values = {name: form[name].value() for name in form.fields}
    ticked = {name: "on" if value is True else value for name, value in values.items()}
    return {
        name: str(value)
        for name, value in {**ticked, **changed}.items()
        if value is not False and value is not None
    }


@pytest.mark.parametrize("name", list_recipes())
def test_the_form_of_a_recipe_gives_the_recipe(name, study):
    recipe = read_recipe(name).render()

    form = SettingsForm(sent(recipe), study=study, settings={})

    assert form.is_valid(), form.errors
    assert parse_recipe(form.recipe.encode()) == read_recipe(name)


def test_every_setting_has_a_field_and_every_recipe_a_card():
    form = SettingsForm(study=None, settings=read_settings(QUICK))
    names = [field.name for group in form.groups + form.details for field in group.fields]

    assert {name.replace(".", "_", 1) for name in read_settings(QUICK)} == {*names, "name"}
    assert sorted([*names, "name"]) == sorted(form.fields)
    assert sorted(card.name for card in CARDS) == list_recipes()


def test_settings_survive_the_form(study):
    changes = [
        'name="ours"', "exclusion.most_failed_checkpoints=2", "calibration.threshold=0.25",
        "filtering.minimum_rho=-0.1", "filtering.gain_share=0.2", "files.scientific_below=2e-5",
        "rescaling.maximum=1", 'report.resample="items and annotators"', "report.pdf=false",
    ]  # fmt: skip
    recipe = read_recipe("simlex", changes)

    form = SettingsForm(sent(recipe.render()), study=study, settings={})

    assert form.is_valid(), form.errors
    assert parse_recipe(form.recipe.encode()) == recipe


@pytest.mark.parametrize(
    ("field", "value", "said"),
    [
        ("name", "", "required"),
        ("calibration_step", "0", "greater than 0"),
        ("calibration_threshold", "-1", "greater than or equal to 0"),
        ("calibration_threshold", "1e400", "Enter a number"),
        ("filtering_gain_share", "1", "less than 1"),
        ("rescaling_maximum", "0", "The minimum must be below the maximum"),
        ("report_n_splits", "0", "greater than or equal to 1"),
    ],
)
def test_an_error_is_shown_at_its_field(field, value, said, study, owner):
    answer = owner.post(page("results", study), sent(QUICK, **{field: value}))

    assert answer.status_code == 422
    assert said in " ".join(answer.context["form"].errors[field])
    assert f'id="id_{field}_error"' in answer.content.decode()
    assert not Run.objects.exists()


def test_fields_are_run_as_the_recipe(disagreed, sign_in):
    client = _owner_of(disagreed, sign_in)
    answer = client.post(
        page("results", disagreed), sent(QUICK, name="ours", rescaling_maximum="1")
    )

    run = Run.objects.get()
    assert answer["Location"] == reverse("console:run", args=(disagreed.slug, run.pk))
    assert run.recipe == read_recipe(
        "raw",
        ['name="ours"', "rescaling.maximum=1", "report.n_resamples=0", "report.n_splits=5",
         "report.pdf=false"],
    ).render()  # fmt: skip


@pytest.mark.parametrize("name", ["results", "recipe_text"])
def test_the_effect_is_shown_and_nothing_is_stored(name, disagreed, sign_in):
    client = _owner_of(disagreed, sign_in)
    recipe = read_recipe("cosimlex", ["calibration.threshold=0.5"]).render()
    data = sent(recipe) if name == "results" else {"recipe": recipe}

    answer = client.post(page(name, disagreed), {**data, "look": "yes"}, follow=True)

    assert answer.status_code == 200
    assert answer.redirect_chain[0][0].startswith(f"{page('results', disagreed)}?look=")
    assert answer.context["shows_text"] == (name == "recipe_text")
    assert not Run.objects.exists()
    shown = answer.context["effect"]
    assert (shown.original, shown.changed) == ("cosimlex", ["calibration.threshold"])
    assert shown.n_ratings == 32
    assert shown.n_shifted + shown.n_left_out >= 1
    text = " ".join(answer.content.decode().split())
    assert "Effect of this recipe (not saved)" in text
    assert "alpha1 – beta1" in text
    assert "<code>calibration.threshold</code> differ" in text
    # the other form holds the same recipe
    assert answer.context["text"]["recipe"].value() == recipe
    assert answer.context["form"]["calibration_threshold"].value() in (0.5, "0.5")


def test_the_effect_of_raw_is_nothing(disagreed, sign_in):
    client = _owner_of(disagreed, sign_in)

    answer = client.post(page("results", disagreed), {**sent(QUICK), "look": "yes"}, follow=True)

    assert "All scores stay as they are." in answer.content.decode()


def test_the_effect_needs_ratings_and_not_too_many(disagreed, study, owner, monkeypatch):
    answer = owner.post(page("results", study), {**sent(QUICK), "look": "yes"}, follow=True)
    assert answer.status_code == 422
    assert "no rating from a finished questionnaire" in answer.content.decode()
    monkeypatch.setattr(effect, "MOST_RATINGS", 3)

    with pytest.raises(RunRefused, match="32 ratings"):
        effect.preview_recipe(disagreed, QUICK)


def test_an_address_with_invalid_settings_says_what_is_wrong(disagreed, sign_in):
    client = _owner_of(disagreed, sign_in)

    answer = client.get(
        page("results", disagreed), {**sent(QUICK, filtering_k="-1"), "look": "fields"}
    )

    assert answer.status_code == 422
    assert answer.context["form"]["filtering_k"].errors
    assert answer.context["effect"] is None


def test_forms_start_from_a_recipe_or_a_run(study, owner):
    ours = read_recipe("raw", ['name="ours"', "rescaling.maximum=7"]).render()
    run = request_results(study, ours, None)
    form = owner.get(page("results", study), {"recipe": "simlex"}).context["form"]
    assert form["filtering_gain_share"].value() == 0.1

    form = owner.get(page("results", study), {"run": run.pk}).context["form"]

    assert (form["name"].value(), form["rescaling_maximum"].value()) == ("ours", 7)
    assert 'aria-current="true"' in read(owner, "results", study)  # cosimlex
    for unknown in ("999", "x", str(2**70)):
        assert owner.get(page("results", study), {"run": unknown}).status_code == 200


def test_write_recipe_names_each_invalid_setting(study):
    with pytest.raises(RunRefused) as refused:
        write_recipe(study, {"name": "x", "filtering.k": -1, "report.unknown": 1})

    assert [line.partition(":")[0] for line in str(refused.value).splitlines()] == [
        "filtering.k", "report.unknown",
    ]  # fmt: skip


def test_find_changed_compares_with_the_recipe_of_the_name():
    assert find_changed(read_recipe("raw").render()) == ("raw", [])
    assert find_changed(read_recipe("raw", ['name="ours"', "filtering.k=2"]).render()) == ("", [])
    assert find_changed(QUICK)[0] == "raw"


def _owner_of(study, sign_in):
    client = sign_in(None, "owner")
    grant_role(study, User.objects.get(username="owner"), Role.OWNER)
    return client
