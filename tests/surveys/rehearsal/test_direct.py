"""Rehearsals as a background job, and their deletion in one step."""

from collections import Counter
from datetime import timedelta
from decimal import Decimal

import pytest
from django.db import connection
from django.utils import timezone

from surveys.errors import OpeningRefused, RunRefused, StudyOpen
from surveys.models import (
    Annotator,
    Assignment,
    AuditEntry,
    Context,
    Invitation,
    Job,
    Place,
    Release,
    Response,
    Review,
    Run,
    RunKind,
    Study,
    Verdict,
)
from surveys.rehearsal import direct
from surveys.rehearsal.deletion import Scripted, count_scripted, delete_scripted
from surveys.rehearsal.direct import Manner, ScriptedPerson
from surveys.rehearsal.rating_source import ModelledRatings
from surveys.results.runs import request_export, request_rehearsal, request_results
from surveys.review.queue import file_answers
from surveys.review.verdicts import configure_review, give_verdict
from surveys.study.design import configure_study
from surveys.study.lifecycle import open_study
from tests.factories.jobs import perform_run
from tests.factories.studies import (
    QUICK,
    count_places_left,
    finish,
    make_study,
    make_study_of,
    start,
)

pytestmark = pytest.mark.django_db


def rehearse(study, count):
    run = request_rehearsal(study, count, None)
    perform_run(run.pk)
    run.refresh_from_db()
    assert (run.state, run.error) == ("done", "")
    return run


def draw_people(seed, count):
    ratings = ModelledRatings([Decimal(point) for point in range(7)], seed)
    return [
        ScriptedPerson(f"{seed} {number}", ratings, ["harbour", "ladder", "silence"])
        for number in range(1, count + 1)
    ]


def make_answered(person, study, copied=None):
    contexts = Context.objects.stimuli(study).select_related("pair").order_by("pk")
    return [person.answer(context, copied or {}) for context in contexts]


def of_manner(manner):
    return next(person for person in draw_people(1, 200) if person.manner == manner)


def list_free(study):
    return list(Place.objects.free(study).values_list("pk", flat=True))


@pytest.mark.every_database
def test_scripted_annotators_fill_places_with_plausible_times():
    study = make_study(3, ratings_per_context=4)
    begun_at = timezone.now()

    run = rehearse(study, 6)

    assert run.report == {"n_done": 6}
    done = Assignment.objects.for_study(study).submitted()
    assert done.scripted().count() == 6
    assert Response.objects.for_study(study).rated().count() == 18
    for assignment in done:
        seconds = (assignment.submitted_at - assignment.started_at).total_seconds()
        answers = list(assignment.responses.order_by("position"))
        visible = [r.words_visible_seconds + r.rating_visible_seconds for r in answers]
        assert 0 < sum(visible) <= seconds < sum(visible) + 10
        assert abs(assignment.submitted_at - begun_at) < timedelta(minutes=1)


def test_a_draft_is_rehearsed_and_not_opened_until_that_is_deleted():
    study = make_study(2)
    Study.objects.update(opened_at=None, organisation="Lab", contact="lab@example.org")
    study.refresh_from_db()
    rehearse(study, 2)

    with pytest.raises(OpeningRefused, match="Delete the rehearsal first"):
        open_study(study)
    with pytest.raises(StudyOpen, match="Delete the rehearsal first"):
        configure_study(study, seed=5)

    delete_scripted(study)
    assert configure_study(study, seed=5).seed == 5


@pytest.mark.parametrize("count", [0, 5])
def test_a_rehearsal_needs_free_places(count):
    study = make_study(2)

    with pytest.raises(RunRefused, match="4 places are free"):
        request_rehearsal(study, count, None)

    assert not Run.objects.exists()


@pytest.mark.every_database
def test_one_rehearsal_at_a_time():
    study = make_study(2)
    request_rehearsal(study, 1, None)

    with pytest.raises(RunRefused, match="already in progress"):
        request_rehearsal(study, 1, None)


def test_a_closed_study_is_not_rehearsed():
    study = make_study(2)
    study.closed_at = timezone.now()

    with pytest.raises(RunRefused, match="closed"):
        request_rehearsal(study, 1, None)


def test_a_rehearsal_ends_when_all_places_are_taken():
    study = make_study(2)
    run = request_rehearsal(study, 4, None)
    finish(start(study))

    perform_run(run.pk)

    run.refresh_from_db()
    assert (run.state, run.report) == ("done", {"n_done": 3})


@pytest.mark.every_database
def test_everything_scripted_is_deleted_and_nothing_else(django_user_model):
    study = make_study(2, ratings_per_context=3)
    person = start(study)
    finish(person)
    before, free = count_places_left(study), list_free(study)
    rehearse(study, 4)
    configure_review(study, sample_percent=100, double_percent=0)
    file_answers(study)
    olga = django_user_model.objects.create_user("olga")
    for review in Review.objects.answers(study):
        give_verdict(review, olga, "good")
    run = request_results(study, QUICK, None)
    perform_run(run.pk)
    perform_run(request_export(study, "csv", None).pk)
    run.refresh_from_db()
    assert run.is_rehearsal
    assert count_scripted(study) == Scripted(4, 8, 8, 1, 0, 0)

    delete_scripted(study)

    assert count_scripted(study).is_empty
    assert list(Assignment.objects.all()) == [person]
    assert list(Annotator.objects.all()) == [person.annotator]
    assert not Invitation.objects.filter(is_rehearsal=True).exists()
    assert (count_places_left(study), list_free(study)) == (before, free)
    assert Verdict.objects.count() == Review.objects.answers(study).count() == 2
    assert set(Run.objects.values_list("kind", "archive")) == {
        (RunKind.EXPORT, ""), (RunKind.REHEARSE, ""),
    }  # fmt: skip
    entry = AuditEntry.objects.get(action="rehearsal.deleted")
    assert entry.details["annotators"] == 4


@pytest.mark.every_database
def test_deleting_twice_does_no_harm():
    study = make_study(2)
    rehearse(study, 2)

    delete_scripted(study)
    again = delete_scripted(study)

    assert again.is_empty
    assert AuditEntry.objects.filter(action="rehearsal.deleted").count() == 1


def test_releases_with_scripted_ratings_are_deleted():
    study = make_study(2)
    rehearse(study, 1)
    _, of_people = (
        Release.objects.create(
            study=study, number=n, report={"counts": {"ratings_scripted": n_scripted}}
        )
        for n, n_scripted in ((1, 2), (2, 0))
    )

    delete_scripted(study)

    assert list(Release.objects.all()) == [of_people]


@pytest.mark.every_database
def test_nothing_is_deleted_while_a_job_reads_answers():
    study = make_study(2)
    rehearse(study, 1)
    request_results(study, QUICK, None)

    with pytest.raises(RunRefused, match="background job"):
        delete_scripted(study)

    assert count_scripted(study).annotators == 1


def test_the_demo_study_is_kept(monkeypatch):
    study = make_study(2)
    rehearse(study, 1)
    monkeypatch.setattr("surveys.rehearsal.deletion.is_demonstration", lambda study: True)

    with pytest.raises(RunRefused, match="demo study"):
        delete_scripted(study)

    assert count_scripted(study).annotators == 1


@pytest.mark.parametrize("seed", range(20))
def test_no_questionnaire_gets_careless_people_only(seed):
    is_careless = [person.manner != Manner.CAREFUL for person in draw_people(seed, 96)]

    assert 5 <= sum(is_careless) <= 30
    for n_questionnaires in (2, 4, 6, 12):  # filled evenly
        careless = [sum(is_careless[n::n_questionnaires]) for n in range(n_questionnaires)]
        assert max(careless) <= 96 / n_questionnaires * 0.75


def test_careless_people_are_of_several_kinds_and_the_same_for_a_seed():
    people = draw_people(1, 200)

    assert set(Counter(person.manner for person in people)) == set(Manner)
    again = draw_people(1, 200)
    assert [(p.manner, p.poor_words, p.seed) for p in people] == [
        (p.manner, p.poor_words, p.seed) for p in again
    ]


def test_careless_people_write_different_words():
    study = make_study(4)
    people = [person for person in draw_people(1, 200) if person.manner != Manner.CAREFUL]

    words = [tuple(answer.words for answer in make_answered(person, study)) for person in people]

    assert len(set(words)) == len(people)
    firsts = {some[0] for some in words}
    assert len(firsts) > len(people) / 2
    assert all(word1 != word2 for some in words for word1, word2 in some)


def test_people_rate_by_their_manner():
    study = make_study(20)
    copied = {context.pk: Decimal(context.pk % 7) for context in Context.objects.stimuli(study)}

    rated = {
        manner: [answer.rating for answer in make_answered(of_manner(manner), study, copied)]
        for manner in Manner
    }

    assert len(set(rated[Manner.CONSTANT])) == 1
    assert all(len(set(rated[manner])) > 2 for manner in Manner if manner != Manner.CONSTANT)
    n_equal = sum(
        one == two for one, two in zip(rated[Manner.COPYING], copied.values(), strict=True)
    )
    assert n_equal >= 30


def test_a_copying_person_copies_the_last_scripted_person_of_the_questionnaire():
    study = make_study(12, ratings_per_context=3)
    for manner in (Manner.CAREFUL, Manner.COPYING):
        person = of_manner(manner)
        for _ in "AB":  # filled evenly
            answers = direct.draw_answers(study, person)
            direct.take_part(study, person, answers)

    first, _, copy, _ = Assignment.objects.order_by("pk")
    assert first.questionnaire == copy.questionnaire
    rated = [
        list(some.responses.order_by("context").values_list("rating", flat=True))
        for some in (first, copy)
    ]
    assert sum(one == two for one, two in zip(*rated, strict=True)) >= 9


@pytest.mark.every_database
@pytest.mark.django_db(transaction=True)
def test_answers_are_drawn_without_a_lock(monkeypatch):
    study = make_study(2)
    draw, is_locked = ScriptedPerson.answer, []

    def watch(person, *given):
        is_locked.append(connection.in_atomic_block)
        return draw(person, *given)

    monkeypatch.setattr(ScriptedPerson, "answer", watch)

    rehearse(study, 2)

    assert is_locked == [False] * 4


@pytest.mark.every_database
def test_others_may_write_between_people_for_longer_than_a_person_takes(monkeypatch):
    slept = []
    monkeypatch.setattr("surveys.rehearsal.direct.time.sleep", slept.append)

    rehearse(make_study(2), 3)

    assert len(slept) == 3
    assert all(seconds > 0 for seconds in slept)


def test_a_person_with_other_texts_than_expected_thinks_again(monkeypatch):
    study = make_study(2, ratings_per_context=2)
    draw = direct.draw_answers

    def draw_and_be_late(*given):
        answers = draw(*given)
        if not Assignment.objects.by_people().exists():
            finish(start(study))  # takes the place that the person would have got
        return answers

    monkeypatch.setattr(direct, "draw_answers", draw_and_be_late)

    rehearse(study, 3)

    assert Assignment.objects.submitted().scripted().count() == 3
    assert not Response.objects.filter(rated_at=None).exists()


@pytest.mark.every_database
@pytest.mark.parametrize("place", ["store_rows", "submit_assignment", "store_part"])
def test_an_interrupted_rehearsal_leaves_whole_people_and_continues(monkeypatch, place):
    study = make_study(2, ratings_per_context=3)
    run = request_rehearsal(study, 3, None)
    original, calls = getattr(direct, place), []

    def interrupt(*given, **named):
        calls.append(place)
        if len(calls) == 2:
            raise SystemExit
        return original(*given, **named)

    monkeypatch.setattr(direct, place, interrupt)

    with pytest.raises(SystemExit):
        perform_run(run.pk)

    run.refresh_from_db()
    assert (run.state, run.report) == ("waiting", {"n_done": 1})
    assert (
        Assignment.objects.count() == Annotator.objects.count() == Invitation.objects.count() == 1
    )
    assert not Response.objects.filter(rated_at=None).exists()
    perform_run(run.pk)
    run.refresh_from_db()
    assert (run.state, run.report) == ("done", {"n_done": 3})
    assert Assignment.objects.submitted().scripted().count() == 3


def interfere(monkeypatch, act):
    """Let something happen after the first person has answered, before the second is stored."""
    draw = direct.draw_answers

    def draw_first(*given):
        answers = draw(*given)
        if Assignment.objects.count() == 1:
            act()
        return answers

    monkeypatch.setattr(direct, "draw_answers", draw_first)


@pytest.mark.every_database
@pytest.mark.parametrize("what", ["closed", "deleted", "taken"])
def test_a_rehearsal_that_is_overtaken_ends_with_whole_people(monkeypatch, what):
    study = make_study(2)
    run = request_rehearsal(study, 4, None)
    acts = {
        "closed": lambda: Study.objects.update(closed_at=timezone.now()),
        "deleted": lambda: Job.objects.filter(run=run).delete(),
        "taken": lambda: Job.objects.filter(run=run).update(lease="another process"),
    }
    interfere(monkeypatch, acts[what])

    perform_run(run.pk)

    assert Assignment.objects.submitted().scripted().count() == Assignment.objects.count() == 1
    assert Annotator.objects.count() == Invitation.objects.count() == 1
    assert not Response.objects.filter(rated_at=None).exists()
    states = list(Job.objects.values_list("state", flat=True))
    assert states == {"closed": ["done"], "deleted": [], "taken": ["running"]}[what]


@pytest.mark.every_database
@pytest.mark.parametrize(
    ("name", "is_rated", "is_written"),
    [("simlex", True, False), ("mclwic", True, True), ("semeval2017-translation", False, True)],
)
def test_scripted_annotators_answer_items_of_one_page(name, is_rated, is_written):
    more = {"language2": "fi", "publishes_words": True} if not is_rated else {}
    study = make_study_of(name, 3, **more)

    rehearse(study, 2)

    answered = list(Response.objects.for_study(study))
    assert len(answered) == 6
    for response in answered:
        assert (response.rating is not None, bool(response.written2)) == (is_rated, is_written)
        assert (response.words_visible_seconds, response.words_shown_at) == (0, None)
        seconds = (response.rated_at - response.rating_shown_at).total_seconds()
        assert seconds == pytest.approx(response.rating_visible_seconds, abs=0.001)
