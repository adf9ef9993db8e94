"""Pages for annotators from Prolific: stored ids and completion codes."""

from urllib.parse import urlencode

import pytest
from django.urls import reverse

from surveys.crowd.reconciliation import reconcile
from surveys.errors import OwnLinkNeeded
from surveys.models import (
    Annotator,
    Assignment,
    Entrance,
    Invitation,
    Response,
    Visit,
    Worker,
)
from surveys.models.participation import make_token
from surveys.participation.arrivals import start_through
from surveys.participation.withdrawal import revoke_invitation
from surveys.recruitment.links import close_entrance, open_entrance
from surveys.recruitment.providers import read_claims
from surveys.study.design import configure_study
from tests.factories.arrivals import (
    PROLIFIC,
    agree,
    arrive,
    hidden_fields,
    page,
    welcome,
    withdraw,
)
from tests.factories.batches import report
from tests.factories.studies import finish, make_study, rate_due, start

pytestmark = pytest.mark.django_db


@pytest.fixture
def panel() -> Entrance:
    study = configure_study(make_study(2, ratings_per_context=1), contact="lab@example.org")
    return open_entrance(study, "prolific", completion_code="DONE1", no_place_code="FULL1")


def test_an_arrival_from_prolific_stores_nothing_until_they_agree(client, panel):
    answer = client.get(arrive(panel), PROLIFIC)

    assert answer.status_code == 200
    assert (Worker.objects.count(), Visit.objects.count(), Annotator.objects.count()) == (0, 0, 0)
    declined = client.post(arrive(panel), {**hidden_fields(answer), "answer": "decline"})
    assert "return your place on Prolific" in declined.content.decode()
    assert (Worker.objects.count(), Visit.objects.count(), Annotator.objects.count()) == (0, 0, 0)


def test_an_arrival_from_prolific_is_stored_as_a_visit_without_ids_in_later_urls(client, panel):
    seen = hidden_fields(client.get(arrive(panel), PROLIFIC))

    answer = client.post(arrive(panel), {**seen, "answer": "agree"})

    visit = Visit.objects.get()
    assert (visit.provider_study, visit.submission, visit.completion_code) == (
        PROLIFIC["STUDY_ID"], PROLIFIC["SESSION_ID"], "DONE1",
    )  # fmt: skip
    assert visit.worker.worker_id == PROLIFIC["PROLIFIC_PID"]
    assert visit.assignment.annotator.worker == visit.worker
    assert PROLIFIC["PROLIFIC_PID"] not in answer.url


OTHER_SESSION = {**PROLIFIC, "SESSION_ID": "8c" * 12}


@pytest.fixture
def halfway(client, panel) -> Assignment:
    """An assignment from Prolific with the first of two items answered."""
    agree(client, f"{arrive(panel)}?{urlencode(PROLIFIC)}")
    assignment = start(panel.study, Invitation.objects.get())
    rate_due(assignment, 4)
    return assignment


def everything() -> list[list[object]]:
    tables = (Worker, Visit, Annotator, Invitation, Assignment, Response)
    return [list(table.objects.order_by("pk").values()) for table in tables]


def test_returning_with_the_same_submission_resumes_the_assignment(client, panel, halfway):
    before = everything()

    again = client.get(arrive(panel), PROLIFIC)

    assert again.url == page("next", halfway)
    assert everything() == before


@pytest.mark.parametrize("changed", ["SESSION_ID", "STUDY_ID"])
def test_a_known_id_on_another_submission_gives_no_access(client, panel, halfway, changed):
    before, sent = everything(), {**PROLIFIC, changed: "8c" * 12}

    looked = client.get(arrive(panel), sent)
    agreed = client.post(arrive(panel), {**sent, "answer": "agree", "consent": "1"})

    assert (looked.status_code, agreed.status_code) == (403, 403)
    for content in (looked.content.decode(), agreed.content.decode()):
        assert "Please confirm your identity" in content
        assert "lab@example.org" in content
        own = Invitation.objects.get().token
        assert not any(part in content for part in ("DONE1", "FULL1", halfway.token, own))
    assert everything() == before


def test_a_known_id_is_refused_even_if_it_started_between_reading_and_agreeing(client, panel):
    """Both arrivals read the page before either agreed."""
    seen = hidden_fields(client.get(arrive(panel), OTHER_SESSION))
    start_through(panel, make_token(), read_claims("prolific", PROLIFIC))

    with pytest.raises(OwnLinkNeeded):
        start_through(panel, make_token(), read_claims("prolific", OTHER_SESSION))
    answer = client.post(arrive(panel), {**seen, "answer": "agree"})

    assert answer.status_code == 403
    assert (Annotator.objects.count(), Visit.objects.count()) == (1, 1)


@pytest.mark.parametrize("way", ["personal link", "address of a page"])
def test_the_own_link_resumes_from_another_submission(client, panel, halfway, settings, way):
    own = (
        welcome(Invitation.objects.get()) if way == "personal link" else page("engage", halfway, 2)
    )
    asked = hidden_fields(client.get(arrive(panel), OTHER_SESSION))

    answer = client.post(
        arrive(panel), {**asked, "own_link": f" {settings.SITE_URL}{own}?from=mail "}
    )

    assert answer.url == page("next", halfway)
    assert Visit.objects.count() == 2
    assert (Worker.objects.count(), Annotator.objects.count()) == (1, 1)
    assert client.get(arrive(panel), OTHER_SESSION).url == page("next", halfway)


def test_the_own_link_of_another_annotator_is_refused(client, panel, halfway):
    other = make_study(2, slug="other")
    theirs = start_through(open_entrance(panel.study, "link"), make_token())
    elsewhere = start(other)
    before = everything()

    for link in (
        "", "nonsense", page("next", theirs), welcome(theirs.annotator.invitation),
        page("next", elsewhere), arrive(panel), "x" * 100_000,
    ):  # fmt: skip
        answer = client.post(arrive(panel), {**OTHER_SESSION, "own_link": link})

        assert answer.status_code == 422, link
        assert "This is not your own link in this study." in answer.content.decode()
    assert everything() == before


def test_a_revoked_link_is_no_proof_of_identity(client, panel, halfway):
    own = Invitation.objects.get()
    revoke_invitation(own, "sent on")

    for link in (welcome(own), page("next", halfway)):
        answer = client.post(arrive(panel), {**OTHER_SESSION, "own_link": link})

        assert answer.status_code == 422
    assert Visit.objects.count() == 1


def test_work_submitted_twice_is_payable_once(client, panel, halfway):
    rate_due(halfway, 4)
    client.post(arrive(panel), {**OTHER_SESSION, "own_link": page("next", halfway)})
    for visit in Visit.objects.select_related("worker"):
        reconcile(panel, report(visit))

    assert [visit.standing for visit in Visit.objects.all()] == ["payable", "held"]
    assert "a second time" in Visit.objects.latest("pk").held_because
    for visit in Visit.objects.select_related("worker"):
        reconcile(panel, report(visit))
    assert [visit.standing for visit in Visit.objects.all()] == ["payable", "held"]


def test_a_closed_entrance_shows_the_no_place_code(client, panel):
    close_entrance(panel)

    answer = client.get(arrive(panel), PROLIFIC)

    assert answer.status_code == 410
    assert "FULL1" in answer.content.decode()


@pytest.mark.parametrize("missing", list(PROLIFIC))
@pytest.mark.parametrize("value", [None, "", "{{%PROLIFIC_PID%}}", "x" * 65, "a b"])
def test_an_arrival_with_an_invalid_id_gets_an_error(client, panel, missing, value):
    sent = {name: text for name, text in PROLIFIC.items() if name != missing}
    if value is not None:
        sent[missing] = value

    answer = client.get(arrive(panel), sent)

    assert answer.status_code == 400
    assert f"did not pass on your ID ({missing})." in answer.content.decode()
    assert Worker.objects.count() == 0


def test_annotators_from_prolific_are_shown_their_own_link(client, panel, settings):
    seen = client.get(arrive(panel), PROLIFIC)
    client.post(arrive(panel), {**hidden_fields(seen), "answer": "agree"})
    own = welcome(Invitation.objects.get())

    content = client.get(page("instructions", Assignment.objects.get())).content.decode()

    assert "your link brings you back" in seen.content.decode()
    assert f'href="{settings.SITE_URL}{own}"' in content
    assert client.get(own).url == page("next", Assignment.objects.get())


def test_a_finished_assignment_shows_the_completion_code(client, panel):
    seen = hidden_fields(client.get(arrive(panel), PROLIFIC))
    client.post(arrive(panel), {**seen, "answer": "agree"})
    assignment = start(panel.study, Invitation.objects.get())
    thanks = reverse("annotate:thanks", args=[assignment.token])
    assert "DONE1" not in client.get(thanks, follow=True).content.decode()

    finish(assignment)

    content = client.get(thanks).content.decode()
    assert '<strong class="code">DONE1</strong>' in content
    assert 'href="https://app.prolific.com/submissions/complete?cc=DONE1"' in content


@pytest.fixture
def at_second_block(client) -> Assignment:
    """The second assignment of an annotator from Prolific who has finished the first."""
    study = make_study(4, slug="two", block_size=2, ratings_per_context=1)
    configure_study(study, allows_more_blocks=True)
    entrance = open_entrance(study, "prolific", completion_code="DONE1", no_place_code="FULL1")
    seen = hidden_fields(client.get(arrive(entrance), PROLIFIC))
    client.post(arrive(entrance), {**seen, "answer": "agree"})
    first = start(study, Invitation.objects.get())
    finish(first)
    client.post(page("thanks", first))
    return Assignment.objects.latest("pk")


def test_returning_during_a_further_block_shows_the_code_and_a_way_on(client, at_second_block):
    entrance = Entrance.objects.get(study=at_second_block.study)

    answer = client.get(arrive(entrance), PROLIFIC, follow=True)

    assert "submissions/complete?cc=DONE1" in answer.content.decode()
    onwards = client.post(answer.request["PATH_INFO"], follow=True)
    assert onwards.redirect_chain[-1][0] == page("engage", at_second_block, 1)
    assert Assignment.objects.count() == 2


def test_withdrawing_during_a_further_block_shows_the_code(client, at_second_block):
    shown = client.get(page("withdraw", at_second_block)).content.decode()
    asked = client.post(page("withdraw", at_second_block)).content.decode()
    withdrawn = withdraw(client, at_second_block).content.decode()

    for content in (shown, asked, withdrawn):
        assert "submissions/complete?cc=DONE1" in content
        assert "FULL1" not in content


def test_withdraw_shows_no_code_before_a_block_is_done(client, panel):
    configure_study(panel.study, allows_more_blocks=True)
    seen = hidden_fields(client.get(arrive(panel), PROLIFIC))
    client.post(arrive(panel), {**seen, "answer": "agree"})

    content = client.get(page("withdraw", Assignment.objects.get())).content.decode()

    assert "submissions/complete" not in content


def test_an_arrival_without_a_free_place_gets_the_no_place_code(client, panel):
    seen = hidden_fields(client.get(arrive(panel), PROLIFIC))
    start(panel.study), start(panel.study)

    looked = client.get(arrive(panel), PROLIFIC)
    posted = client.post(arrive(panel), {**seen, "answer": "agree"})

    for answer in (looked, posted):
        assert "submissions/complete?cc=FULL1" in answer.content.decode()
    assert (Worker.objects.count(), Visit.objects.count()) == (0, 0)
