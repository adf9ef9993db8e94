"""Published designs and the power of a design, on the pages of a study."""

import html
import re

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse

from surveys.models import Role, Study
from surveys.study.planning import power
from tests.factories.pages import page
from tests.factories.reviews import submit
from tests.factories.studies import numbered_stimuli
from tests.surveys.web.console.test_design import CHANGEABLE, LOCKED

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("kept_contexts")]


def stimuli():
    return SimpleUploadedFile("stimuli.tsv", numbered_stimuli(2))


def read(answer):
    return " ".join(html.unescape(answer.content.decode()).split())


def test_a_design_shows_the_change_that_it_detects(unopened, researcher):
    sent = {**CHANGEABLE, **LOCKED, "scale_maximum": 6, "scale_step": 1, "ratings_per_context": 12}

    pressed = read(researcher.post(page("design", unopened), {**sent, "calculate": "yes"}))
    typed = read(researcher.get(page("workload", unopened), {**sent, "pay_per_hour": "12"}))
    stored = read(researcher.get(page("design", unopened)))

    said = "a change of <strong>2.6 points</strong> on the published scale from 0 to 10 (1.5 on the"
    assert f"With 12 ratings of each context, {said}" in pressed
    assert said in typed
    assert (">Cost</th>" in typed, ">Cost</th>" in pressed) == (True, False)
    assert "With fewer than 3 ratings of each context" in stored  # two of each
    assert Study.objects.get().ratings_per_context == 2


@pytest.mark.parametrize("sent", [{"scale_step": "7"}, {"scale_step": "0"}, {"scale_minimum": "x"}])
def test_no_change_is_shown_for_an_invalid_scale(unopened, sign_in, sent):
    typed = sign_in(Role.OWNER).get(page("workload", unopened), {**CHANGEABLE, **LOCKED, **sent})

    assert "Correct the numbers" in read(typed)


def test_an_open_study_calculates_from_its_own_ratings_on_request(study, researcher, monkeypatch):
    sent = {**CHANGEABLE, "estimate": "yes"}

    refused = researcher.post(page("design", study), sent)
    assert refused.status_code == 422
    assert "20 contexts with 5 or more finished ratings are needed" in read(refused)
    assert "CoSimLex, Slovene" in read(refused)

    monkeypatch.setattr(power, "FEWEST_CONTEXTS", 1)
    monkeypatch.setattr(power, "FEWEST_RATINGS", 1)
    monkeypatch.setattr(power, "SIMULATIONS", 100)
    submit(study)
    before = Study.objects.values().get()
    assert "The contexts are like this study’s contexts" in read(
        researcher.post(page("design", study), sent)
    )
    assert "The contexts are like this study’s contexts" in read(
        researcher.get(page("design", study))
    )
    assert Study.objects.values().get() == before


def test_a_published_design_fills_the_form_and_stores_nothing(unopened, researcher):
    Study.objects.update(scale_labels={"0": "unlike", "6": "alike"})
    before = Study.objects.values().get()

    shown = researcher.get(page("design", unopened), {"design": "cosimlex-crowd"})

    text = read(shown)
    assert "Armendariz et al. (2020)" in text
    changes = [(one.label, one.before, one.after) for one in shown.context["form"].changes]
    assert ("Ratings per context", "2", "27") in changes
    assert ("Labels of points", "0 = unlike\n6 = alike", "–") in changes
    assert shown.context["plan"].ratings_per_context == 27
    assert 'name="ratings_per_context" value="27"' in text
    assert "data-unsaved" in text
    assert Study.objects.values().get() == before


def test_a_new_study_starts_from_a_published_one(owner, study):
    sent = {"title": "New", "slug": "new", "language": "en", "design": "cosimlex-crowd"}

    for _ in range(2):  # the second of a double click
        answer = owner.post(reverse("console:new_study"), {**sent, "file": stimuli()})
        assert answer.status_code == 302, read(answer)

    new = Study.objects.get(slug="new")
    assert (new.ratings_per_context, new.block_size, new.question_forms) == (27, 20, "dictionary")
    assert [*map(int, (new.scale_minimum, new.scale_maximum, new.scale_step))] == [0, 6, 1]
    assert new.scale_labels == {}


def test_an_unknown_design_is_refused(sign_in, study):
    name = "other"
    sent = {"title": "New", "slug": "new", "language": "en", "design": name}
    client = sign_in(Role.OWNER)

    refused = client.post(reverse("console:new_study"), {**sent, "file": stimuli()})

    assert refused.status_code == 422
    assert f"{name} is not one of the available choices" in read(refused)
    assert not Study.objects.filter(slug="new").exists()
    shown = read(client.get(reverse("console:new_study")))
    assert name not in re.findall(r'id="design_(\S+)"', shown)


def test_a_new_study_without_a_published_design_has_cosimas_start_values(sign_in, study):
    sent = {"title": "New", "slug": "new", "language": "en", "file": stimuli()}

    assert sign_in(Role.OWNER).post(reverse("console:new_study"), sent).status_code == 302

    new = Study.objects.get(slug="new")
    assert (new.ratings_per_context, new.scale_maximum, new.scale_labels) == (11, 6, {})


@pytest.mark.parametrize("name", ["", "other", "cosimlex-crowd\0"])
def test_an_unknown_design_changes_nothing_on_the_page(unopened, sign_in, name):
    shown = sign_in(Role.OWNER).get(page("design", unopened), {"design": name})

    assert (shown.status_code, shown.context["form"].changes) == (200, [])
    assert "Would be" not in read(shown)


def test_an_open_study_takes_no_published_design(study, sign_in):
    shown = sign_in(Role.OWNER).get(page("design", study), {"design": "cosimlex-crowd"})

    assert shown.context["form"].changes == []
    assert "Start from a published study" not in read(shown)


def test_a_published_design_that_agrees_says_so(unopened, sign_in):
    Study.objects.update(ratings_per_context=12)

    shown = sign_in(Role.OWNER).get(page("design", unopened), {"design": "cosimlex-direct"})

    assert "nothing would change" in read(shown)
