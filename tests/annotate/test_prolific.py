"""The pages for who comes from Prolific: who they are is kept, and they get their code back."""

import pytest
from django.urls import reverse

from surveys.configuring import configure_study
from surveys.models import Annotator, Assignment, Entrance, Invitation, Visit, Worker
from surveys.recruiting import close_entrance, open_entrance
from tests.annotate.arriving import PROLIFIC, arrive, hidden_fields, page, welcome
from tests.factories import finish, make_study, start

pytestmark = pytest.mark.django_db


@pytest.fixture
def prolific() -> Entrance:
    study = make_study(2, ratings_per_context=1)
    return open_entrance(study, "prolific", completion_code="DONE1", no_place_code="FULL1")


def test_an_arrival_from_prolific_stores_nothing_until_they_agree(client, prolific):
    answer = client.get(arrive(prolific), PROLIFIC)

    assert answer.status_code == 200
    assert (Worker.objects.count(), Visit.objects.count(), Annotator.objects.count()) == (0, 0, 0)
    declined = client.post(arrive(prolific), {**hidden_fields(answer), "answer": "decline"})
    assert "return the study" in declined.content.decode()
    assert (Worker.objects.count(), Visit.objects.count(), Annotator.objects.count()) == (0, 0, 0)


def test_an_arrival_from_prolific_is_kept_as_a_visit_and_leaves_the_address(client, prolific):
    seen = hidden_fields(client.get(arrive(prolific), PROLIFIC))

    answer = client.post(arrive(prolific), {**seen, "answer": "agree"})

    visit = Visit.objects.get()
    assert (visit.provider_study, visit.submission, visit.completion_code) == (
        PROLIFIC["STUDY_ID"], PROLIFIC["SESSION_ID"], "DONE1",
    )  # fmt: skip
    assert visit.worker.worker_id == PROLIFIC["PROLIFIC_PID"]
    assert visit.assignment.annotator.worker == visit.worker
    assert PROLIFIC["PROLIFIC_PID"] not in answer.url


def test_who_returns_from_prolific_goes_on_in_the_same_assignment(client, prolific):
    seen = hidden_fields(client.get(arrive(prolific), PROLIFIC))
    for _ in range(2):
        client.post(arrive(prolific), {**seen, "answer": "agree"})

    again = client.get(arrive(prolific), {**PROLIFIC, "SESSION_ID": "8c" * 12})

    assignment = Assignment.objects.get()
    assert again.url == reverse("annotate:next", args=[assignment.token])
    assert Visit.objects.count() == 2
    assert (Worker.objects.count(), Annotator.objects.count()) == (1, 1)


def test_who_comes_from_prolific_to_a_closed_study_is_given_the_code_for_that(client, prolific):
    close_entrance(prolific)

    answer = client.get(arrive(prolific), PROLIFIC)

    assert answer.status_code == 410
    assert "FULL1" in answer.content.decode()


@pytest.mark.parametrize("missing", list(PROLIFIC))
@pytest.mark.parametrize("value", [None, "", "{{%PROLIFIC_PID%}}", "x" * 65, "a b"])
def test_an_arrival_without_a_sound_id_is_told_so(client, prolific, missing, value):
    sent = {name: text for name, text in PROLIFIC.items() if name != missing}
    if value is not None:
        sent[missing] = value

    answer = client.get(arrive(prolific), sent)

    assert answer.status_code == 400
    assert f"The address lacks {missing}." in answer.content.decode()
    assert Worker.objects.count() == 0


def test_who_came_from_prolific_is_shown_a_link_that_needs_no_id(client, prolific, settings):
    seen = client.get(arrive(prolific), PROLIFIC)
    client.post(arrive(prolific), {**hidden_fields(seen), "answer": "agree"})
    own = welcome(Invitation.objects.get())

    content = client.get(page("instructions", Assignment.objects.get())).content.decode()

    assert "with the same link" in seen.content.decode()
    assert f'href="{settings.SITE_URL}{own}"' in content
    assert client.get(own).url == page("next", Assignment.objects.get())


def test_who_has_finished_gets_the_completion_code(client, prolific):
    seen = hidden_fields(client.get(arrive(prolific), PROLIFIC))
    client.post(arrive(prolific), {**seen, "answer": "agree"})
    assignment = start(prolific.study, Invitation.objects.get())
    thanks = reverse("annotate:thanks", args=[assignment.token])
    assert "DONE1" not in client.get(thanks, follow=True).content.decode()

    finish(assignment)

    content = client.get(thanks).content.decode()
    assert '<strong class="code">DONE1</strong>' in content
    assert 'href="https://app.prolific.com/submissions/complete?cc=DONE1"' in content


@pytest.fixture
def at_second_block(client) -> Assignment:
    """Somebody from Prolific who has finished a block of two, and begun the other."""
    study = make_study(4, slug="two", block_size=2, ratings_per_context=1)
    configure_study(study, allows_more_blocks=True)
    entrance = open_entrance(study, "prolific", completion_code="DONE1", no_place_code="FULL1")
    seen = hidden_fields(client.get(arrive(entrance), PROLIFIC))
    client.post(arrive(entrance), {**seen, "answer": "agree"})
    first = start(study, Invitation.objects.get())
    finish(first)
    client.post(page("thanks", first))
    return Assignment.objects.latest("pk")


def test_who_returns_in_the_middle_of_a_further_block_finds_the_code_and_the_way_on(
    client, at_second_block
):
    entrance = Entrance.objects.get(study=at_second_block.study)

    answer = client.get(arrive(entrance), PROLIFIC, follow=True)

    assert "submissions/complete?cc=DONE1" in answer.content.decode()
    onwards = client.post(answer.request["PATH_INFO"], follow=True)
    assert onwards.redirect_chain[-1][0] == page("engage", at_second_block, 1)
    assert Assignment.objects.count() == 2


def test_who_stops_in_the_middle_of_a_further_block_is_given_the_code(client, at_second_block):
    shown = client.get(page("withdraw", at_second_block)).content.decode()
    withdrawn = client.post(page("withdraw", at_second_block), follow=True).content.decode()

    for content in (shown, withdrawn):
        assert "submissions/complete?cc=DONE1" in content
        assert "FULL1" not in content


def test_withdraw_shows_no_code_before_a_block_is_done(client, prolific):
    configure_study(prolific.study, allows_more_blocks=True)
    seen = hidden_fields(client.get(arrive(prolific), PROLIFIC))
    client.post(arrive(prolific), {**seen, "answer": "agree"})

    content = client.get(page("withdraw", Assignment.objects.get())).content.decode()

    assert "submissions/complete" not in content


def test_who_finds_no_place_gets_the_code_for_that(client, prolific):
    seen = hidden_fields(client.get(arrive(prolific), PROLIFIC))
    start(prolific.study), start(prolific.study)

    looked = client.get(arrive(prolific), PROLIFIC)
    posted = client.post(arrive(prolific), {**seen, "answer": "agree"})

    for answer in (looked, posted):
        assert "submissions/complete?cc=FULL1" in answer.content.decode()
    assert (Worker.objects.count(), Visit.objects.count()) == (0, 0)
