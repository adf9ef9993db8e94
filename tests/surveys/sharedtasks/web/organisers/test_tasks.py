"""The organisers' pages from the draft to the opening."""

from datetime import datetime

import pytest
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse

from surveys.access.roles import grant_role
from surveys.models import Role
from surveys.sharedtasks.models import Phase, SharedTask, TaskPart
from surveys.sharedtasks.parts import add_part
from tests.factories.organised import page
from tests.factories.repositories import make_complete_release
from tests.factories.sharedtasks import START, make_phase, make_shared_task
from tests.factories.task_files import part_files
from tests.postprocess.release.releases import collect, release

pytestmark = pytest.mark.shared_task(
    has_data=False, has_organiser=True, zone="UTC", text="Predict.", terms="Be fair."
)

EVALUATION = {
    "name": "evaluation", "data": "test", "subtasks": ["1"], "opens_at": "2027-01-04T00:00:00",
    "closes_at": "2027-01-31T23:59:59", "attempts_total": "9", "attempts_a_day": "",
    "visibility": "hidden", "counting": "chosen",
}  # fmt: skip
RULES = {
    "title": "Words", "contact": "lab@example.org", "text": "*Predict*.", "terms": "Be fair.",
    "registration": "links", "names": "shown", "zone": "Europe/Ljubljana", "best_of": "",
    "contact_days": "90", "places": "dense",
}  # fmt: skip
TRACK = {"number": 1, "title": "similarity", "metric": "spearman", "column": "score"}


def upload(**changes):
    files = part_files()
    sent = {
        "test_data": files.data, "test_gold": files.gold, "practice_data": files.practice_data,
        "practice_gold": files.practice_gold,
    } | changes  # fmt: skip
    contents = {name: SimpleUploadedFile("x.tsv", content) for name, content in sent.items()}
    return {"language": "sl", "instructions": "", "reliability": "", "human": "", **contents}


def test_a_researcher_makes_a_shared_task_and_organises_it(as_ana, ana):
    sent = {"title": "Words", "slug": "gwsc", "contact": "lab@example.org"}

    answer = as_ana.post(reverse("organisers:new_task"), sent)

    assert answer.url == page("overview")
    shared_task = SharedTask.objects.get()
    assert [one.user for one in shared_task.organisers.all()] == [ana]
    assert "The shared task has no data yet." in as_ana.get(answer.url).text
    again = as_ana.post(reverse("organisers:new_task"), sent)
    assert (again.status_code, "is taken" in again.text) == (422, True)
    assert "Words" in as_ana.get(reverse("organisers:tasks")).text


def test_the_start_page_of_the_console_leads_to_shared_tasks(as_ana):
    assert reverse("organisers:tasks") in as_ana.get(reverse("console:studies")).text


def test_help_leads_to_the_document_of_organisers(as_ana, own_draft):
    assert "docs/sharedtasks.html#the-organiser" in as_ana.get(page("overview")).text


def test_data_is_uploaded_and_removed(as_ana, own_draft):
    assert as_ana.post(page("add_files"), upload()).url == page("data")
    shown = as_ana.get(page("data")).text
    assert page("remove_data", "sl") in shown
    assert "uploaded" in shown

    assert "are deleted" in as_ana.get(page("remove_data", "sl")).text
    assert as_ana.post(page("remove_data", "sl")).url == page("data")
    assert not TaskPart.objects.exists()


def test_files_that_cannot_be_scored_are_refused_with_reasons(as_ana, own_draft):
    answer = as_ana.post(page("add_files"), upload(test_gold=b"change\n1\n"))

    assert answer.status_code == 422
    assert "The gold of the test data" in answer.text
    assert not TaskPart.objects.exists()


def test_data_comes_from_a_release_of_ones_own_study(as_ana, ana, own_draft):
    made = make_complete_release(made=release(collect(16), n_practice=4))
    refused = as_ana.post(page("add_release"), {"release": made.pk})
    assert (refused.status_code, TaskPart.objects.count()) == (422, 0)

    grant_role(made.study, ana, Role.RESEARCHER)
    assert as_ana.post(page("add_release"), {"release": made.pk}).url == page("data")

    part = TaskPart.objects.get()
    assert (part.release, part.language, part.n_pairs) == (made, made.study.language, 12)
    assert f"release 1 of {made.study.slug}" in as_ana.get(page("data")).text


def test_times_are_entered_in_the_zone_and_shown_in_both(as_ana, own_draft):
    SharedTask.objects.update(zone="Etc/GMT+12")

    assert as_ana.post(page("add_phase"), EVALUATION).url == page("phases")

    phase = Phase.objects.get()
    assert phase.closes_at.isoformat() == "2027-02-01T11:59:59+00:00"
    shown = as_ana.get(page("phases")).text.replace("\xa0", " ")
    assert "31 January 2027, 23:59:59" in shown
    assert "1 February 2027, 11:59:59 UTC" in shown
    assert 'value="2027-01-31T23:59:59"' in as_ana.get(page("phase", "evaluation")).text


@pytest.mark.parametrize(
    ("time", "reason"),
    [
        ("2027-03-28T02:30", "does not exist"),
        ("2027-10-31T02:30", "comes twice"),
        ("soon", "Write the time as"),
        ("2027-03-28T04:30Z", "without a zone"),
    ],
)
def test_times_that_the_zone_does_not_have_once_are_refused(as_ana, own_draft, time, reason):
    SharedTask.objects.update(zone="Europe/Ljubljana")

    answer = as_ana.post(page("add_phase"), {**EVALUATION, "closes_at": time})

    assert (answer.status_code, reason in answer.text) == (422, True)
    assert not Phase.objects.exists()


def test_the_phases_of_gwsc_are_added_at_once(as_ana, own_draft):
    times = {"practice_opens_at": "2027-01-02T00:00", "opens_at": "2027-02-01T00:00",
             "closes_at": "2027-03-01T00:00"}  # fmt: skip

    assert as_ana.post(page("gwsc"), times).url == page("phases")

    names = ["practice", "evaluation", "post-evaluation"]
    assert [phase.name for phase in Phase.objects.all()] == names


def test_the_end_of_a_running_phase_is_moved_and_its_rules_stay(as_ana, shared_task):
    phase = make_phase(shared_task)

    shown = as_ana.get(page("phase", phase.name)).text
    as_ana.post(page("phase", phase.name), {"closes_at": "2027-01-20T00:00", "attempts_total": 99})

    assert ("attempts_total" in shown, "closes_at" in shown) == (False, True)
    phase.refresh_from_db()
    assert (phase.closes_at.day, phase.attempts_total, phase.moved_at) == (20, 9, START)
    assert "moved on" in as_ana.get(page("overview")).text


def test_an_end_in_the_past_is_refused(as_ana, shared_task):
    phase = make_phase(shared_task)

    answer = as_ana.post(page("phase", phase.name), {"closes_at": "2027-01-01T12:00:00"})

    assert (answer.status_code, "in the past" in answer.text) == (422, True)
    later = as_ana.post(page("phase", phase.name), {"closes_at": "2027-01-01T12:00:01"})
    assert later.status_code == 302


def test_a_phase_that_has_not_begun_is_changed_and_removed(as_ana, own_draft):
    as_ana.post(page("add_phase"), EVALUATION)

    as_ana.post(page("phase", "evaluation"), {**EVALUATION, "attempts_total": "3"})
    assert Phase.objects.get().attempts_total == 3
    assert as_ana.get(page("remove_phase", "evaluation")).status_code == 200
    assert as_ana.post(page("remove_phase", "evaluation")).url == page("phases")

    assert not Phase.objects.exists()


@pytest.mark.parametrize(
    "wrong", [{"column": "id"}, {"column": "a tag"}, {"column2": "x,y"}, {"number": 0},
              {"number": 10**11}, {"title": " "}]
)  # fmt: skip
def test_a_subtask_that_no_file_could_have_is_refused_on_its_form(as_ana, own_draft, wrong):
    own_draft.tracks.all().delete()
    sent = {**TRACK, **wrong}

    answer = as_ana.post(page("add_track"), sent)

    assert answer.status_code == 422
    assert "Constraint" not in answer.text
    assert not own_draft.tracks.exists()


def test_a_subtask_is_replaced_by_pages(as_ana, own_draft):
    for number in (1, 2):
        assert as_ana.post(page("remove_track", number))["Location"] == page("data")

    assert as_ana.post(page("add_track"), TRACK)["Location"] == page("data")
    assert "<code>score</code>" in as_ana.get(page("data")).text


def test_texts_and_rules_are_saved_and_shown(as_ana, own_draft):
    add_part(own_draft, "sl", part_files())
    sent = {**RULES, "required_languages": ["sl"], "requires_description": "on"}

    assert as_ana.post(page("rules"), sent).url == page("rules")

    own_draft.refresh_from_db()
    assert (own_draft.zone, own_draft.places) == ("Europe/Ljubljana", "dense")
    assert own_draft.required_languages == ["sl"]
    assert "<em>Predict</em>" in as_ana.get(page("rules")).text


def test_rules_of_an_open_shared_task_are_not_offered(as_ana, shared_task):
    SharedTask.objects.update(zone="Etc/GMT+12")
    shown = as_ana.get(page("rules")).text
    assert "anywhere on earth (UTC−12)" in shown
    assert "Etc/GMT" not in shown
    as_ana.post(page("rules"), {**RULES, "requires_description": "on"})

    assert ('name="zone"' in shown, 'name="terms"' in shown) == (False, True)
    shared_task.refresh_from_db()
    assert (shared_task.zone, shared_task.title) == ("Etc/GMT+12", "Words")


def test_opening_shows_figures_and_what_is_lacking(as_ana, own_draft):
    lacking = as_ana.get(page("opening")).text
    assert "cannot be opened yet" in lacking
    assert as_ana.post(page("opening")).status_code == 422

    add_part(own_draft, "sl", part_files())
    make_phase(own_draft, opens_at=datetime.fromisoformat("2027-01-04T00:00Z"))
    SharedTask.objects.update(text="Predict.", terms="Be fair.")
    assert "Smallest provable difference" in as_ana.get(page("opening")).text
    assert as_ana.post(page("opening")).url == page("overview")

    own_draft.refresh_from_db()
    assert (own_draft.state, own_draft.opened_at) == ("open", START)
    assert own_draft.commitment in as_ana.get(page("overview")).text


def test_probing_has_to_be_confirmed_before_opening(as_ana, own_draft):
    add_part(own_draft, "sl", part_files(60))
    make_phase(own_draft, visibility="board", attempts_total=500)
    SharedTask.objects.update(text="Predict.", terms="Be fair.")

    shown = as_ana.get(page("opening")).text
    assert "√(ρ² + (1 − ρ²)·k/(n − 1))" in shown
    assert as_ana.post(page("opening")).status_code == 422
    assert as_ana.post(page("opening"), {"accepts_probing": "on"}).url == page("overview")


def test_organisers_are_added_and_leave(as_ana, ana, own_draft):
    mate = User.objects.create_user("mate")
    assert as_ana.post(page("organisers"), {"username": "none"}).status_code == 422
    as_ana.post(page("organisers"), {"username": "mate"})

    assert "mate" in as_ana.get(page("organisers")).text
    as_ana.post(page("remove_organiser", mate.pk))
    refused = as_ana.post(page("remove_organiser", ana.pk))
    assert (refused.status_code, "the only organiser" in refused.text) == (409, True)
    as_ana.post(page("organisers"), {"username": "mate"})
    assert as_ana.post(page("remove_organiser", ana.pk)).url == reverse("organisers:tasks")
    assert as_ana.get(page("overview")).status_code == 404


def test_the_log_is_in_words(as_ana, own_draft):
    as_ana.post(page("add_phase"), EVALUATION)

    shown = as_ana.get(page("log")).text

    assert "Added the phase evaluation" in shown
    assert "Who sees scores: hidden" in shown


def test_two_shared_tasks_are_apart(as_ana, own_draft):
    make_shared_task(slug="other", title="Not mine")

    assert as_ana.get(reverse("organisers:overview", args=["other"])).status_code == 404
    assert "Not mine" not in as_ana.get(reverse("organisers:tasks")).text
