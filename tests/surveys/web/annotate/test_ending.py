"""Pages at the end: thanks, one more block, withdrawal, and ended assignments."""

import pytest
from django.urls import reverse
from django.utils import timezone

from surveys.models import Assignment, AuditEntry, Entrance, Response
from surveys.models.participation import make_token
from surveys.participation.arrivals import start_through
from surveys.participation.assignments import start_assignment
from surveys.participation.withdrawal import return_assignment, revoke_invitation
from surveys.privacy.erasure import withdraw_annotator
from surveys.recruitment.links import invite_annotators, open_entrance
from surveys.study.design import configure_study
from tests.factories.arrivals import page, withdraw
from tests.factories.studies import finish, rate_due, start, stored

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.study(
        n_pairs=4,
        block_size=2,
        ratings_per_context=1,
        allows_more_blocks=True,
        contact="lab@example.org",
    ),
]


@pytest.fixture
def finished(study) -> Assignment:
    """An assignment that is finished."""
    assignment = start(study)
    finish(assignment)
    return assignment


@pytest.fixture
def begun(study) -> Assignment:
    """An assignment with the first of two items answered."""
    assignment = start(study)
    rate_due(assignment, 4)
    return assignment


def content_of(client, name: str, assignment: Assignment) -> str:
    return client.get(page(name, assignment)).content.decode()


# Thanks


def test_thanks_shows_the_contact(client, finished):
    contact = '<bdi><a href="mailto:lab@example.org">lab@example.org</a></bdi>'
    assert f"Write to {contact}." in content_of(client, "thanks", finished)


def test_thanks_of_a_personal_link_takes_two_queries(client, finished, django_assert_num_queries):
    configure_study(finished.study, allows_more_blocks=False)
    content_of(client, "thanks", finished)  # keeps the study's texts in memory

    with django_assert_num_queries(2):  # the assignment, a visit that pays for it
        content_of(client, "thanks", finished)


def test_thanks_says_that_nothing_is_left(client, finished):
    configure_study(finished.study, allows_more_blocks=False)

    assert "That is all: you can close this page." in content_of(client, "thanks", finished)


@pytest.mark.parametrize(
    ("paid", "said"),
    [
        ({}, ()),
        ({"pay": "£2"}, ("no extra pay",)),
        ({"pay": "£2", "pay_for_more": "£1"}, ("<bdi>£1</bdi>", "pay you this in addition")),
    ],
)
def test_the_offer_of_more_texts_names_their_number_time_and_pay(client, finished, paid, said):
    configure_study(finished.study, seconds_per_item=60, **paid)

    content = content_of(client, "thanks", finished)

    assert all(fact in content for fact in ("2 more texts", "about 2 minutes", *said))
    assert ("no extra pay" in content) == ("no extra pay" in said)


# One more block


def test_one_more_block_begins_at_its_first_text_with_other_pairs(client, finished):
    assert "Read more texts" in content_of(client, "thanks", finished)

    answer = client.post(page("thanks", finished), follow=True)

    another = Assignment.objects.latest("pk")
    assert answer.redirect_chain[-1][0] == page("engage", another, 1)
    assert (another.annotator, Assignment.objects.count()) == (finished.annotator, 2)
    pairs = Response.objects.filter(annotator=finished.annotator).values_list("pair", flat=True)
    assert len(set(pairs)) == len(pairs) == 4


def test_requesting_one_more_block_twice_starts_one(client, finished):
    first, again = (client.post(page("thanks", finished)) for _ in range(2))

    assert first.url == again.url
    assert Assignment.objects.count() == 2


def test_thanks_of_a_finished_block_leads_to_the_current_one(client, finished):
    client.post(page("thanks", finished))
    another = Assignment.objects.latest("pk")
    rate_due(another, 3)

    content = content_of(client, "thanks", finished)
    assert "Go on with these texts" in content
    assert "Text 2 of 2" in content

    return_assignment(another, "asked by mail")
    assert "Go on with these texts" not in content_of(client, "thanks", finished)


def test_the_personal_link_leads_to_the_current_block(client, finished):
    client.post(page("thanks", finished))

    invitation = finished.annotator.invitation
    answer = client.get(reverse("annotate:welcome", args=[invitation.token]))

    assert answer.url == page("next", Assignment.objects.latest("pk"))


def test_one_more_block_is_not_offered_when_every_block_was_seen(client, finished):
    client.post(page("thanks", finished))
    another = Assignment.objects.latest("pk")
    finish(another)

    assert "Read more texts" not in content_of(client, "thanks", another)
    refused = client.post(page("thanks", another))

    assert refused.status_code == 409
    assert Assignment.objects.count() == 2


def test_one_more_block_is_not_offered_without_a_free_place(client, study, finished):
    for _ in range(3):
        start(study)

    assert "Read more texts" not in content_of(client, "thanks", finished)
    refused = client.post(page("thanks", finished))

    assert refused.status_code == 409
    assert "We have enough people for this study now" in refused.content.decode()
    assert Assignment.objects.count() == 4
    assert refused["Cache-Control"] == "private, no-store"
    assert "default-src 'none'" in refused["Content-Security-Policy"]


def test_a_refused_further_block_links_back_to_the_code(client, study):
    ticket, entrance = make_token(), open_entrance(study, "link", completion_code="DONE1")
    assignment = start_through(entrance, ticket)
    finish(start(study, assignment.annotator.invitation))
    for _ in range(3):
        start(study)

    refused = client.post(page("thanks", assignment))

    back = f'href="{page("next", assignment)}">Back to the study</a>'
    assert (refused.status_code, back in refused.content.decode()) == (409, True)
    assert "DONE1" in client.get(page("next", assignment), follow=True).content.decode()


def test_one_more_block_is_refused_if_the_study_does_not_allow_it(client, finished):
    configure_study(finished.study, allows_more_blocks=False)

    assert "Read more texts" not in content_of(client, "thanks", finished)
    refused = client.post(page("thanks", finished))

    assert refused.status_code == 409
    assert "There is nothing more to do in this study." in refused.content.decode()
    assert Assignment.objects.count() == 1


def test_one_more_block_is_refused_before_the_first_is_finished(client, begun):
    answer = client.post(page("thanks", begun))

    assert answer.url == page("engage", begun, 2)
    assert Assignment.objects.count() == 1


# Withdrawing


def test_withdrawing_is_logged(client, begun):
    withdraw(client, begun)

    entry = AuditEntry.objects.get(action="annotator.withdrew")
    assert (entry.actor, entry.subject) == ("the annotator", f"annotator {begun.annotator.code}")


def test_reading_the_withdrawal_page_changes_nothing(client, begun):
    for ask in (client.get, client.head):
        assert ask(page("withdraw", begun)).status_code == 200

    assert stored(begun, "state", "annotator__withdrawn_at") == ("started", None)


def test_withdrawing_asks_for_confirmation_and_says_what_is_erased(client, finished):
    answer = client.post(page("withdraw", finished))

    content = answer.content.decode()
    assert answer.status_code == 200
    assert "Withdraw for good?" in content
    assert "Texts that you have answered in this study: 2" in content
    assert "Withdrawing erases your words, ratings and comments" in content
    assert stored(finished, "state", "annotator__withdrawn_at") == ("submitted", None)
    assert finished.responses.rated().count() == 2


@pytest.mark.parametrize(
    ("erases", "before", "after"),
    [
        (True, "all your answers in this study are erased", "Your answers have been erased."),
        (False, "none of your answers in this study is used", "Your answers will not be used."),
    ],
)
def test_withdrawing_says_and_does_what_was_agreed_to(client, study, erases, before, after):
    configure_study(study, erases_withdrawn=erases)
    assignment = start(study)
    finish(assignment)
    configure_study(study, erases_withdrawn=not erases)

    assert before in content_of(client, "withdraw", assignment)
    answer = withdraw(client, assignment)

    assert answer.redirect_chain == [(page("ended", assignment), 302)]
    assert "You have withdrawn" in answer.content.decode()
    assert after in answer.content.decode()
    assert assignment.responses.rated().count() == (0 if erases else 2)


def test_withdrawing_is_idempotent(client, begun):
    withdraw(client, begun)
    before = stored(begun, "annotator__withdrawn_at")

    answer = client.post(page("withdraw", begun), {"confirmed": "yes"})

    assert answer.url == page("ended", begun)
    assert stored(begun, "annotator__withdrawn_at") == before


def test_withdrawing_by_the_link_of_one_block_ends_the_other_too(client, finished):
    client.post(page("thanks", finished))
    another = Assignment.objects.latest("pk")

    withdraw(client, finished)

    assert client.get(page("next", another)).url == page("ended", another)
    assert "You have withdrawn" in content_of(client, "ended", another)


@pytest.mark.parametrize(
    ("name", "sent"),
    [
        ("engage", {"inspired_word1": "morje", "inspired_word2": "sol"}),
        ("rate", {"rating": "3"}),
        ("thanks", {}),
        ("instructions", {}),
        ("check", {"question0": "1"}),
        ("practice_answer", {}),
    ],
)
def test_nothing_is_stored_after_withdrawing(client, begun, name, sent):
    withdraw_annotator(begun.annotator)
    before = list(Response.objects.values()), list(Assignment.objects.values())
    position = (2,) if name in {"engage", "rate"} else ()

    answer = client.post(page(name, begun, *position), sent)

    assert answer.url == page("ended", begun)
    assert (list(Response.objects.values()), list(Assignment.objects.values())) == before


def test_the_personal_link_of_a_withdrawn_annotator_says_so(client, begun):
    withdraw_annotator(begun.annotator)
    link = reverse("annotate:welcome", args=[begun.annotator.invitation.token])

    assert "You have withdrawn" in client.get(link, follow=True).content.decode()


# Ended


def test_ended_says_that_researchers_ended_it_and_that_answers_are_kept(client, begun):
    return_assignment(begun, "asked by mail")

    content = content_of(client, "ended", begun)

    assert "ended by the researchers" in content
    assert 'href="mailto:lab@example.org"' in content
    assert "asked by mail" not in content


def test_ended_does_not_mention_a_check_that_was_not_taken(client, study):
    """The link is revoked while its annotator still reads the instructions."""
    (invitation,) = invite_annotators(study, 1)
    assignment = start_assignment(invitation)
    revoke_invitation(invitation, "sent to the wrong person")

    content = content_of(client, "ended", assignment)

    assert "ended by the researchers" in content
    assert "Some answers did not match the instructions" not in content


def test_annotators_of_an_ended_assignment_can_still_withdraw(client, begun):
    return_assignment(begun, "asked by mail")

    assert page("withdraw", begun) in content_of(client, "ended", begun)
    answer = withdraw(client, begun)

    assert "Your answers have been erased." in answer.content.decode()
    assert page("withdraw", begun) not in answer.content.decode()
    assert not begun.responses.filter(is_erased=False).exists()


@pytest.mark.parametrize("state", ["offered", "started", "expired", "submitted", "returned"])
def test_withdraw_mentions_a_break_only_for_unfinished_assignments(client, begun, state):
    Assignment.objects.update(state=state, submitted_at=begun.offered_at)

    content = content_of(client, "withdraw", begun)

    assert ("Take a break" in content) == (state in {"offered", "started", "expired"})


@pytest.mark.parametrize("name", ["next", "engage", "rate", "thanks", "instructions"])
def test_pages_of_an_ended_assignment_redirect_to_ended(client, begun, name):
    return_assignment(begun, "asked by mail")
    position = (2,) if name in {"engage", "rate"} else ()

    answer = client.get(page(name, begun, *position))

    is_readable = name == "instructions"
    assert (answer.status_code, answer.get("Location")) == (
        (200, None) if is_readable else (302, page("ended", begun))
    )


@pytest.mark.parametrize("fixture", ["begun", "finished"])
def test_ended_is_shown_for_ended_assignments_only(client, request, fixture):
    assignment = request.getfixturevalue(fixture)

    answer = client.get(page("ended", assignment))

    wanted = page("thanks", assignment) if fixture == "finished" else page("engage", assignment, 2)
    assert answer.url == wanted


# The contact


def test_every_page_of_an_assignment_names_the_contact(client, begun, finished):
    pages = [page("engage", begun, 2), page("instructions", begun), page("kept", begun)]
    pages += [page("withdraw", begun), page("thanks", finished)]

    for url in pages:
        assert 'href="mailto:lab@example.org"' in client.get(url).content.decode(), url


def test_refusals_name_the_contact_of_their_study(client, study):
    entrance = open_entrance(study, "link")
    (link,) = invite_annotators(study, 1)
    revoke_invitation(link, "lost")
    Entrance.objects.update(closed_at=timezone.now())
    welcome = reverse("annotate:welcome", args=[link.token])
    joined = reverse("annotate:join", args=[entrance.token, "short"])
    arrived = reverse("annotate:join", args=[entrance.token, make_token()])

    for url, status in ((welcome, 410), (joined, 404), (arrived, 410)):
        answer = client.get(url)
        found = 'href="mailto:lab@example.org"' in answer.content.decode()
        assert (answer.status_code, found) == (status, True), url
    assert "<h1>This study is closed</h1>" in client.get(arrived).content.decode()
    assert b"mailto:" not in client.get(reverse("annotate:next", args=[make_token()])).content


def test_withdrawing_comes_second_and_is_not_offered_without_answers(client, study, begun):
    content = content_of(client, "withdraw", begun)
    unread = start(study)
    return_assignment(unread, "asked by mail")

    assert content.index("Back to the texts") < content.index("Withdraw and erase my answers")
    assert "Withdraw my answers" not in content_of(client, "ended", unread)
