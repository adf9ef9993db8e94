"""Scripted annotators and their characters, on the real pages, without a network."""

import random
from collections.abc import Iterator
from decimal import Decimal

import httpx
import pytest
from django.core.handlers.wsgi import WSGIHandler
from django.core.signals import request_finished, request_started
from django.db import close_old_connections
from django.test.utils import override_settings
from django.urls import reverse

from postprocess.designs import list_designs
from postprocess.designs.design import read_design
from surveys.errors import RehearsalFailed
from surveys.models import Annotator, Assignment, Context, Invitation, Pair, Response, SecondAnswer
from surveys.privacy.erasure import withdraw_annotator
from surveys.recruitment.links import invite_scripted_annotators
from surveys.rehearsal.annotator import Acknowledged, Character, ScriptedAnnotator
from surveys.rehearsal.rating_source import ModelledRatings, Person
from surveys.rehearsal.study import Rehearsal, rehearse_study
from surveys.rehearsal.vocabulary import list_vocabulary, list_words
from surveys.study.design import configure_study
from surveys.study.stimuli.checkpoints import import_checkpoints
from tests.factories.second_looks import looking_study
from tests.factories.studies import make_study_of, stimuli_row, stored

pytestmark = [pytest.mark.django_db, pytest.mark.study(n_pairs=4, n_check_tries=2)]

SITE = "http://testserver"
VOCABULARY = ["harbour", "ladder", "silence", "thunder"]
UNTIRING = [character for character in Character if character != Character.QUITTING]


class RecordingTransport(httpx.WSGITransport):
    """The site in this process, with a record of its requests."""

    def __init__(self) -> None:
        super().__init__(app=WSGIHandler())
        self.asked: list[tuple[str, str]] = []

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        self.asked.append((request.method, request.url.path))
        return super().handle_request(request)


@pytest.fixture
def transport() -> Iterator[RecordingTransport]:
    """Yield the site, which answers within the transaction of the test."""
    for signal in (request_started, request_finished):
        signal.disconnect(close_old_connections)
    yield RecordingTransport()
    for signal in (request_started, request_finished):
        signal.connect(close_old_connections)


@pytest.fixture
def invitation(study) -> Invitation:
    return invite_scripted_annotators(study, 1)[0]


@pytest.fixture
def script(transport, invitation):
    """Return a factory of scripted annotators of a character for the invitation."""

    def make(character: Character = Character.CAREFUL) -> ScriptedAnnotator:
        return ScriptedAnnotator(
            httpx.Client(transport=transport, base_url=SITE, follow_redirects=True),
            Person(random.Random(1), bias=0, noise=0.1),
            VOCABULARY,
            ModelledRatings([Decimal(point) for point in range(7)], seed=0),
            invitation=invitation.pk,
            character=character,
        )

    return make


ONE_PAGE = [name for name in list_designs() if read_design(name).item.kind != "text"]


@pytest.mark.parametrize("name", ONE_PAGE)
def test_another_design_is_answered_from_the_link_to_the_end(transport, name):
    study = make_study_of(name, 3, slug=name)
    (invitation,) = invite_scripted_annotators(study, 1)
    annotator = ScriptedAnnotator(
        httpx.Client(transport=transport, base_url=SITE, follow_redirects=True),
        Person(random.Random(1), bias=0, noise=0.1),
        list_vocabulary(study),
        ModelledRatings(study.scale_points, seed=0),
        invitation=invitation.pk,
    )

    assert annotator.work(link(invitation)) == "annotate:thanks"

    assert annotator.n_rated == 3
    for response in Response.objects.filter(annotator__invitation=invitation):
        assert (response.rating is None) == (study.writes == "translations")
        assert (response.written1 == "") == (study.writes == "nothing")


def test_scripted_annotators_keep_and_change_ratings_in_a_second_look(transport, monkeypatch):
    study = looking_study()
    Invitation.objects.update(is_rehearsal=True)
    monkeypatch.setattr(
        "surveys.rehearsal.study.open_browser",
        lambda: httpx.Client(transport=transport, base_url=SITE, follow_redirects=True),
    )
    rehearsal = Rehearsal(SITE, ModelledRatings(study.scale_points, seed=0))

    summary = rehearse_study(study, rehearsal)

    looks = SecondAnswer.objects.with_items()
    assert {look.decision for look in looks} == {"changed", "kept"}  # none without an answer
    changed = {look.rating for look in looks if look.decision == "changed"}
    assert changed == {Decimal(2)}  # the middle of 0 to 4
    assert (summary.n_annotators, summary.n_judgements) == (3, 6)
    assert summary.last_pages == {"annotate:thanks": 3}
    with pytest.raises(RehearsalFailed, match="has 0 places left"):
        rehearse_study(study, rehearsal)


def test_people_are_not_answered_for_in_a_second_look():
    study = looking_study()

    with pytest.raises(RehearsalFailed, match="has 0 places left"):
        rehearse_study(study, Rehearsal(SITE, ModelledRatings(study.scale_points, seed=0)))


def link(invitation: Invitation) -> str:
    return SITE + reverse("annotate:welcome", args=[invitation.token])


def stored_answers(invitation: Invitation) -> list[Acknowledged]:
    """Return the stored answers in the annotator's format."""
    answers = []
    for response in Response.objects.filter(annotator__invitation=invitation).order_by("position"):
        if response.engaged_at:
            words = f"{response.written1} {response.written2}"
            answers.append(Acknowledged(invitation.pk, response.position, "engage", words))
        if response.rated_at:
            rating = f"{response.rating:.0f}"
            answers.append(Acknowledged(invitation.pk, response.position, "rate", rating))
    return answers


@pytest.mark.parametrize("character", [c for c in UNTIRING if c != Character.HASTY])
def test_a_character_works_from_the_link_to_the_end(study, script, invitation, character):
    annotator = script(character)

    assert annotator.work(link(invitation)) == "annotate:thanks"

    assert annotator.n_rated == 4
    assert annotator.acknowledged == stored_answers(invitation)
    assert stored(Assignment.objects.get(), "state") == ("submitted",)


def test_a_careful_annotator_writes_words_that_are_not_in_the_text(script, invitation):
    annotator = script()
    annotator.work(link(invitation))

    words = {tuple(a.answer.split()) for a in annotator.acknowledged if a.page == "engage"}
    assert all(set(pair) <= set(VOCABULARY) and pair[0] != pair[1] for pair in words)


def test_a_hasty_annotator_writes_poor_words_and_rates_the_middle(study, script, invitation):
    configure_study(study, n_check_tries=0)
    annotator = script(Character.HASTY)

    assert annotator.work(link(invitation)) == "annotate:thanks"

    assert {a.answer for a in annotator.acknowledged if a.page == "rate"} == {"3"}
    for response in Response.objects.all():
        words = {response.written1, response.written2}
        in_text = set(list_words([response.context.text]))
        assert all(set(word) <= set("asdfghjkl") for word in words - in_text)
        assert len(words) == 2


def test_a_hasty_annotator_fails_the_check(script, invitation):
    annotator = script(Character.HASTY)

    assert annotator.work(link(invitation)) == "annotate:ended"

    assert annotator.acknowledged == []
    assert stored(Assignment.objects.get(), "state", "ended_because") == (
        "returned", "comprehension check not passed",
    )  # fmt: skip


def test_a_quitting_annotator_stops_half_way(script, invitation):
    annotator = script(Character.QUITTING)

    assert annotator.work(link(invitation)) == "annotate:engage"

    assert annotator.n_rated == 2
    assert annotator.acknowledged == stored_answers(invitation)
    assert stored(Assignment.objects.get(), "state") == ("started",)


def test_another_annotator_gets_an_abandoned_place(script, invitation):
    quitting, careful = script(Character.QUITTING), script()
    quitting.work(link(invitation))

    assert careful.work(link(invitation)) == "annotate:thanks"

    assert quitting.acknowledged + careful.acknowledged == stored_answers(invitation)


@pytest.mark.parametrize(
    ("character", "n_gets", "n_posts"), [("careful", 0, 1), ("reloading", 1, 2), ("two-tabs", 0, 2)]
)
def test_a_character_requests_a_text_the_expected_number_of_times(
    transport, script, invitation, character, n_gets, n_posts
):
    annotator = script(Character(character))
    annotator.work(link(invitation))

    token = Assignment.objects.get().token
    asked = [
        method
        for method, path in transport.asked
        if path == reverse("annotate:rate", args=[token, 1])
    ]
    assert asked.count("POST") == n_posts
    n_redirects = 2 if n_posts == 2 else 1  # both answers to page 1 redirect to page 2
    assert asked.count("GET") == n_redirects + n_gets


def test_checkpoint_items_are_rated_as_expected(study, script, invitation):
    fields = stimuli_row().split("\t")
    row = "\t".join([*fields[:3], "cats", "dog", "5", "6"])
    header = "word1\tword2\tcontext\tword1_context\tword2_context\tlowest\thighest"
    import_checkpoints(study, f"{header}\n{row}\n".encode(), per_assignment=1)

    script().work(link(invitation))

    checkpoint = Response.objects.get(pair__is_checkpoint=True)
    assert checkpoint.rating == 5
    assert not Response.objects.failed_checkpoints().exists()


def test_a_page_that_shows_another_text_is_not_rated(script, invitation):
    annotator = script(Character.QUITTING)
    annotator.work(link(invitation))
    annotator.character = Character.CAREFUL
    Context.objects.update(word1_start=0, word1_end=1)
    before = stored_answers(invitation)

    with pytest.raises(RehearsalFailed, match="does not show its text and its two words"):
        annotator.work(link(invitation))

    assert [a for a in stored_answers(invitation) if a.page == "rate"] == [
        a for a in before if a.page == "rate"
    ]


def test_a_page_that_names_other_words_is_not_rated(script, invitation):
    annotator = script(Character.QUITTING)
    annotator.work(link(invitation))
    annotator.character = Character.CAREFUL
    Pair.objects.update(word1="other")

    with pytest.raises(RehearsalFailed, match=r"does not name .*alpha"):
        annotator.work(link(invitation))


def test_a_full_study_stops_the_script_at_its_message(study, script, invitation):
    study.places.all().delete()

    with pytest.raises(RehearsalFailed, match="stopped at its page annotate:welcome: All places"):
        script().work(link(invitation))

    assert Annotator.objects.count() == 0


def test_a_link_whose_annotator_withdrew_leads_to_the_end(script, invitation):
    script(Character.QUITTING).work(link(invitation))
    withdraw_annotator(Annotator.objects.get())

    assert script().work(link(invitation)) == "annotate:ended"

    assert stored_answers(invitation) == []


@override_settings(ALLOWED_HOSTS=["elsewhere.example"])
def test_an_error_of_the_site_is_shown_without_the_link(script, invitation):
    with pytest.raises(
        RehearsalFailed, match="GET annotate:welcome was answered with 400"
    ) as error:
        script().work(link(invitation))

    assert invitation.token not in str(error.value)
