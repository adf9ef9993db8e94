from datetime import UTC, datetime, timedelta

import pytest

from postprocess.release.description.study import parse_description
from surveys.errors import ReleaseRefused
from surveys.models import Annotator, Assignment, Response, TextKind
from surveys.participation.assignments import start_assignment
from surveys.participation.introduction import Step, complete_step
from surveys.privacy.erasure import withdraw_annotator
from surveys.recruitment.links import invite_annotators, invite_scripted_annotators, open_entrance
from surveys.results.description import describe_study
from surveys.results.release import write_form
from surveys.study.design import configure_study
from surveys.study.texts import set_text
from tests.factories.studies import finish, make_study, start
from tests.surveys.management.running import run

pytestmark = pytest.mark.django_db


def test_describe_study_has_design_and_collection():
    study = make_study(
        2, title="Similar?", language="sl", scale_minimum=1, scale_maximum=5, question_forms="text"
    )
    study = configure_study(study, scale_labels={"1": "sploh ne"}, seconds_per_item=45)
    for _ in range(2):
        finish(start(study))
    start(study)
    first = datetime(2026, 10, 1, 23, 30, tzinfo=UTC)
    Assignment.objects.update(started_at=first)
    Assignment.objects.submitted().update(submitted_at=first + timedelta(days=8))
    Response.objects.rated().update(words_shown_at=first, rated_at=first + timedelta(seconds=31))

    described = describe_study(study)

    assert described.dataset.title == "Similar?"
    assert described.language.name == "Slovenian"
    assert (described.scale.minimum, described.scale.maximum, described.scale.step) == (1, 5, 1)
    assert described.scale.labels == {"1": "sploh ne", "5": "Izjemno podobni"}
    collection = described.collection
    assert (str(collection.began_on), str(collection.ended_on)) == ("2026-10-01", "2026-10-09")
    assert (collection.ratings_per_context, collection.pairs_per_sitting) == (2, 20)
    assert (collection.expected_seconds_per_item, collection.median_seconds_per_item) == (45, 31)
    assert collection.question_forms == "text"
    assert collection.n_annotators_started == 3
    assert collection.n_annotators_finished == 2
    assert collection.n_annotators_withdrawn == 0
    assert not described.consent.publishes_words


def test_describe_study_does_not_take_the_slug_for_a_title():
    assert describe_study(make_study()).dataset.title is None


def test_describe_study_counts_annotators_per_channel():
    study = make_study(1, ratings_per_context=3)
    entrance = open_entrance(study, "link")
    (by_link,) = invite_annotators(study, 1)
    by_link.entrance = entrance
    by_link.save()
    for invitation in (
        by_link,
        *invite_annotators(study, 2),
        *invite_scripted_annotators(study, 1),
    ):
        finish(start(study, invitation))

    assert [(one.channel, one.n_annotators) for one in describe_study(study).recruitment] == [
        ("personal links", 2),
        ("scripted annotators of a rehearsal, who are not people", 1),
        ("an open link", 1),
    ]


def test_describe_study_counts_annotators_by_the_variant_that_they_read():
    study = make_study(1, ratings_per_context=3)
    for n in range(3):
        if n == 2:
            set_text(study, TextKind.INSTRUCTIONS, "Our own.")
        assignment = start_assignment(invite_annotators(study, 1)[0])
        for step in (Step.INSTRUCTIONS, Step.PRACTICE):
            complete_step(assignment, step)

    collection = describe_study(study).collection

    assert collection.variant == "plain"
    assert collection.n_annotators_by_variant == {"own": 1, "plain": 2}


def test_describe_study_has_all_versions_of_texts_and_counts_consents():
    study = make_study(1)
    finish(start(study))
    set_text(study, TextKind.CONSENT, "Second *consent*.")
    finish(start(study))
    withdraw_annotator(Annotator.objects.latest("pk"))

    texts = {text.path: text for text in describe_study(study).texts}

    assert sorted(texts) == [
        "texts/consent_1.md", "texts/consent_2.md", "texts/instructions_1.md",
        "texts/practice_1.toml",
    ]  # fmt: skip
    set_text(study, TextKind.REMINDER, "Come back\n{link}")  # not a page of the survey
    assert {text.path for text in describe_study(study).texts} == set(texts)
    assert texts["texts/consent_2.md"].body == "Second *consent*."
    assert [texts[f"texts/consent_{n}.md"].n_annotators for n in (1, 2)] == [1, 1]
    assert texts["texts/instructions_1.md"].n_annotators is None


def test_describe_study_refuses_a_title_with_a_placeholder():
    with pytest.raises(ReleaseRefused, match=r"dataset\.title: still contains the placeholder"):
        describe_study(make_study(title="TODO: a title"))


def test_write_form_is_a_description_with_gaps():
    study = make_study(title="Similar?")

    form = write_form(study, b"[pay]\namount = '2 EUR'")

    described = parse_description(form.encode())
    assert described.pay.amount == "2 EUR"
    assert described.dataset.title == "Similar?"
    assert '# licence = ""  # the licence, one of CC0-1.0' in form
    assert '# released_on = ""' in form
    assert run("describe_study", "study")[0] == write_form(study)
