import pytest
from django.test import Client
from django.urls import reverse

from surveys import tasks
from surveys.models import Review, ReviewSettings, Role, Verdict, VerdictKind
from surveys.review import queue
from surveys.review.queue import file_answers
from surveys.review.verdicts import configure_review, give_verdict
from tests.factories import make_study
from tests.surveys.reviewed import answers, reviewer, submit, whole

PAGES = ["review", "review_more", "review_questionnaires", "review_disputes", "review_agreement"]
FETCHED = {"X-Requested-With": "fetch"}


@pytest.fixture
def study(db):
    study = make_study(2, language="tlh", ratings_per_context=10)
    submit(study, [("<b>alpha1</b>", "salt")])
    file_answers(study)
    return study


def page(name, study, *more):
    return reverse(f"console:{name}", args=[study.slug, *more])


def text_of(answer):
    return answer.content.decode()


def judge(client, study, review, **sent):
    return client.post(page("review_one", study, review.pk), sent)


def test_review_shows_an_answer_beside_its_text(study, sign_in):
    text = text_of(sign_in(Role.REVIEWER).get(page("review", study)))

    review = answers(study)[0]
    assert review.response.inspired_word2 in text
    assert f"<strong>{review.response.context.form1}</strong>" in text
    assert "If it is not used:" in text
    assert "&lt;b&gt;alpha1&lt;/b&gt;" in text
    assert "<b>alpha1</b>" not in text


def test_review_files_what_has_come_in(study, sign_in):
    submit(study)

    text = text_of(sign_in(Role.REVIEWER).get(page("review", study)))

    assert '<b data-count="open">4</b>' in text


def test_review_is_there_before_what_has_come_in_is_looked_through(study, sign_in, monkeypatch):
    Review.objects.all().delete()
    study.assignments.update(filed_at=None)
    begun = []
    monkeypatch.setattr(tasks, "file_answers", begun.append)
    client = sign_in(Role.REVIEWER)

    text = text_of(client.get(page("review", study)))

    assert begun == [study.pk]
    assert "are being looked through" in text
    assert '<meta http-equiv="refresh"' in text
    monkeypatch.undo()
    assert '<meta http-equiv="refresh"' not in text_of(client.get(page("review", study)))


def test_review_says_when_answers_could_not_be_looked_through(study, sign_in, monkeypatch):
    Review.objects.all().delete()
    study.assignments.update(filed_at=None)
    monkeypatch.setattr(queue, "find_doubted", lambda words, language: words[0])
    with pytest.raises(TypeError):
        queue.file_meanwhile(study)

    text = text_of(sign_in(Role.REVIEWER).get(page("review", study)))

    assert "could not be looked through" in text
    assert '<meta http-equiv="refresh" content="60">' in text


@pytest.mark.parametrize("name", ["review", "review_questionnaires"])
def test_nothing_is_looked_through_where_all_is(study, sign_in, monkeypatch, name):
    monkeypatch.setattr(tasks, "file_answers", None)  # and would fail

    assert sign_in(Role.REVIEWER).get(page(name, study)).status_code == 200


def test_review_says_when_there_is_nothing_to_judge(db, sign_in, study):
    Verdict.objects.all().delete()
    empty = make_study(1, slug="empty")
    client = sign_in(Role.OWNER)
    reviewer(empty, "rea")
    client.force_login(type(reviewer(study, "x")).objects.get(username="rea"))

    assert "nothing to judge yet" in text_of(client.get(page("review", empty)))


def test_a_verdict_leads_on_and_counts_once(study, sign_in):
    client, review = sign_in(Role.REVIEWER), answers(study)[0]

    for _ in range(2):
        answer = judge(client, study, review, kind="good", then="queue")
        assert (answer.status_code, answer.url) == (302, page("review", study))

    assert Verdict.objects.count() == 1
    assert "your last verdict: good" in text_of(client.get(page("review", study)))


def test_a_verdict_by_script_has_no_page(study, sign_in):
    client, review = sign_in(Role.REVIEWER), answers(study)[0]
    where = page("review_one", study, review.pk)

    assert client.post(where, {"kind": "good"}, headers=FETCHED).status_code == 204
    undone = client.post(page("review_undo", study, review.pk), headers=FETCHED)
    assert undone.status_code == 204
    assert not Verdict.objects.standing().exists()


@pytest.mark.parametrize(
    ("sent", "told"),
    [
        ({}, "Choose a verdict"),
        ({"kind": ""}, "Choose a verdict"),
        ({"kind": "awful"}, "Choose one of the three verdicts"),
        ({"kind": "rejected"}, "Give a reason"),
        ({"kind": "rejected", "reason": "   "}, "Give a reason"),
        ({"kind": "rejected", "reason": "x" * 501}, "at most 500 characters"),
        ({"kind": "good\x00"}, "Choose one of the three verdicts"),
        ({"kind": "rejected", "reason": "x\x00"}, "Null characters are not allowed"),
        ({"kind": "good", "then": "elsewhere"}, "elsewhere is not one of the available choices"),
    ],
)
def test_a_verdict_that_cannot_be_is_told_and_not_stored(study, sign_in, sent, told):
    client = sign_in(Role.REVIEWER)
    for review in (answers(study)[0], whole(study)):
        answer = judge(client, study, review, **sent)
        assert answer.status_code == 422
        assert told in text_of(answer)
    settle = client.post(page("review_settle", study, review.pk), sent)
    assert settle.status_code == 422
    assert not Verdict.objects.exists()


def test_a_verdict_that_came_too_late_is_told(study, sign_in):
    review = answers(study)[0]
    give_verdict(review, reviewer(study), VerdictKind.GOOD)

    answer = judge(sign_in(Role.REVIEWER), study, review, kind="unused")

    assert answer.status_code == 422
    assert "yours was not needed" in text_of(answer)


def test_a_verdict_on_what_is_not_of_the_study_is_not_found(study, sign_in):
    other = make_study(1, slug="other", language="tlh")
    submit(other)
    file_answers(other)
    client = sign_in(Role.OWNER)

    for name in ("review_one", "review_undo", "review_settle"):
        answer = client.post(page(name, study, answers(other)[0].pk), {"kind": "good"})
        assert answer.status_code == 404
    assert not Verdict.objects.exists()


def test_a_whole_questionnaire_is_judged_on_its_page(study, sign_in):
    client, review = sign_in(Role.REVIEWER), whole(study)
    answer = judge(client, study, review, kind="rejected", reason="all alike", then="questionnaire")

    assert answer.url == page("review_one", study, review.pk)
    text = text_of(client.get(answer.url))
    assert "You decided: <b>reject</b> (“all alike”)" in text
    assert "judged with its whole questionnaire" in text


def test_pages_do_not_show_the_verdict_of_a_blind_reviewer(study, sign_in):
    configure_review(study, sample_percent=100, double_percent=100)
    review = answers(study)[0]
    give_verdict(review, reviewer(study), VerdictKind.REJECTED, "secret reason")
    client = sign_in(Role.REVIEWER)

    for where in (
        page("review", study), page("review_one", study, review.pk),
        page("review_one", study, whole(study).pk), page("review_disputes", study),
    ):  # fmt: skip
        text = text_of(client.get(where))
        assert "secret reason" not in text
        assert "judged differently" not in text
        assert "You decided" not in text


def test_a_third_person_settles_a_dispute(study, sign_in):
    configure_review(study, sample_percent=100, double_percent=100)
    review, rea = answers(study)[0], reviewer(study)
    give_verdict(review, rea, VerdictKind.REJECTED, "no words")
    give_verdict(review, reviewer(study, "leo"), VerdictKind.GOOD)
    of_two = Client()
    of_two.force_login(rea)
    assert "somebody else has to decide" in text_of(of_two.get(page("review_disputes", study)))
    client = sign_in(Role.REVIEWER)
    assert "no words" in text_of(client.get(page("review_disputes", study)))

    settle = page("review_settle", study, review.pk)
    assert "one of the two" in text_of(of_two.post(settle, {"kind": "good"}))
    answer = client.post(settle, {"kind": "good"})

    assert answer.url == page("review_disputes", study)
    assert Review.objects.get(pk=review.pk).outcome == "good"
    assert "leo and rea" in text_of(client.get(page("review_agreement", study))).replace(
        "rea and leo", "leo and rea"
    )


def test_settings_say_how_much_is_judged(study, sign_in):
    client = sign_in(Role.RESEARCHER)
    sent = {"sample_percent": "20", "double_percent": "50"}

    assert client.post(page("review_settings", study), sent).url == page("review", study)
    stored = ReviewSettings.objects.values_list("sample_percent", "double_percent")
    assert stored.get() == (20, 50)


@pytest.mark.parametrize("value", ["", "-1", "101", "1e9", "many", "٣x", "9" * 400])
def test_settings_refuse_what_is_no_share(study, sign_in, value):
    client = sign_in(Role.RESEARCHER)
    sent = {"sample_percent": value, "double_percent": value}

    assert client.post(page("review_settings", study), sent).status_code == 422
    assert ReviewSettings.objects.get().double_percent == 0


@pytest.mark.parametrize("besides", ["", "x", "1,,x", "²", "-5", "9" * 30, ",".join("9" * 500)])
def test_review_more_passes_over_ids_that_are_none(study, sign_in, besides):
    answer = sign_in(Role.REVIEWER).get(page("review_more", study), {"besides": besides})

    assert answer.status_code == 200
    assert text_of(answer).count("<article") == 2
