import pytest
from lxml import html

from surveys.models import (
    AuditEntry,
    Job,
    Review,
    ReviewClaim,
    ReviewSettings,
    Role,
    Verdict,
    VerdictKind,
)
from surveys.review import queue
from surveys.review.queue import file_answers
from surveys.review.verdicts import configure_review, give_verdict, name_subject
from tests.factories.clients import client_of
from tests.factories.jobs import perform_all
from tests.factories.pages import page
from tests.factories.reviews import answers, reviewer, submit, whole
from tests.factories.studies import make_study

pytestmark = pytest.mark.study(of="hostile_answer")

FETCHED = {"X-Requested-With": "fetch"}


@pytest.fixture
def hostile_answer(db):
    study = make_study(2, language="tlh", ratings_per_context=10)
    submit(study, [("<b>alpha1</b>", "salt")])
    file_answers(study)
    return study


def text_of(answer):
    return answer.content.decode()


def start(client, study):
    """Press the button that claims the next answer."""
    return text_of(client.post(page("review", study), follow=True))


def unfile(study):
    Review.objects.all().delete()
    study.assignments.update(filed_at=None)


def judge(client, study, review, **sent):
    return client.post(page("review_one", study, review.pk), sent)


def test_review_shows_an_answer_beside_its_text(study, sign_in):
    text = start(sign_in(Role.REVIEWER), study)

    review = answers(study)[0]
    assert review.response.written2 in text
    assert f"<strong>{review.response.context.form1}</strong>" in text
    assert page("review_effect", study, review.pk) in text
    assert "If it is not used:" not in text
    assert "&lt;b&gt;alpha1&lt;/b&gt;" in text
    assert "<b>alpha1</b>" not in text


def test_the_effect_on_the_results_is_shown_on_request_which_is_logged(study, sign_in):
    review = answers(study)[0]
    where = page("review_effect", study, review.pk)
    client, other = sign_in(Role.REVIEWER), sign_in(Role.REVIEWER, "rea")
    before = text_of(client.get(where))

    after = text_of(client.post(where, follow=True))

    entry = AuditEntry.objects.get(action="review.effect_shown")
    assert (entry.actor, entry.subject) == ("ana", name_subject(review))
    assert "If it is not used:" not in before
    assert "If it is not used:" in after
    assert "If it is not used:" in text_of(client.get(where))
    assert "If it is not used:" not in text_of(other.get(where))


def test_get_changes_nothing(study, sign_in):
    submit(study)
    client = sign_in(Role.REVIEWER)
    ReviewSettings.objects.all().delete()

    for name in ("review", "review_questionnaires", "review_disputes", "review_agreement"):
        assert client.get(page(name, study)).status_code == 200
    for name in ("review_more", "review_file"):
        assert client.get(page(name, study)).status_code == 405
    researcher = sign_in(Role.RESEARCHER, "mia")
    assert researcher.get(page("review_settings", study)).status_code == 200

    assert not ReviewClaim.objects.exists()
    assert not ReviewSettings.objects.exists()
    assert queue.count_unfiled(study) == 1


def test_start_reviewing_claims_an_answer_and_files_new_ones(study, sign_in):
    submit(study)
    client = sign_in(Role.REVIEWER)
    before = text_of(client.get(page("review", study)))

    start(client, study)
    perform_all()

    text = text_of(client.get(page("review", study)))
    assert "Start reviewing" in before
    assert "<article" not in before
    assert "<b>1</b> new questionnaire" in before
    assert text.count("<article") == 1
    assert '<b data-count="open">4</b>' in text
    assert ReviewClaim.objects.count() == 1


def test_a_claimed_answer_is_not_shown_to_another_reviewer(study, sign_in):
    start(sign_in(Role.REVIEWER), study)
    other = sign_in(Role.REVIEWER, "leo")

    assert "<article" not in text_of(other.get(page("review", study)))
    start(other, study)

    assert ReviewClaim.objects.values("review").distinct().count() == 2


@pytest.mark.parametrize(
    ("then", "name"),
    [("queue", "review"), ("questionnaires", "review_questionnaires"), ("", "review")],
)
def test_look_for_new_answers_files_them_and_returns_to_the_page(study, sign_in, then, name):
    submit(study)
    client = sign_in(Role.REVIEWER)
    assert "Look for new answers" in text_of(client.get(page(name, study)))

    answer = client.post(page("review_file", study), {"then": then})
    perform_all()

    assert (answer.status_code, answer.url) == (302, page(name, study))
    assert queue.count_unfiled(study) == 0
    assert "Look for new answers" not in text_of(client.get(page(name, study)))


def test_review_reloads_itself_while_new_answers_are_filed(study, sign_in):
    unfile(study)
    client = sign_in(Role.REVIEWER)
    assert '<meta http-equiv="refresh"' not in text_of(client.get(page("review", study)))

    text = text_of(client.post(page("review_file", study), follow=True))

    assert "are being added" in text
    assert "reload the page" not in text
    assert "reload the page" in text_of(client.get(page("review_questionnaires", study)))
    assert '<meta http-equiv="refresh" content="1">' in text
    perform_all()
    text = text_of(client.get(page("review", study)))
    assert '<meta http-equiv="refresh"' not in text
    assert "Start reviewing" in text


def test_review_says_when_answers_could_not_be_filed(study, sign_in, monkeypatch):
    unfile(study)
    monkeypatch.setattr(queue, "find_doubted", lambda words, language: words[0])
    queue.request_filing(study)
    with pytest.raises(TypeError):
        perform_all()

    text = text_of(sign_in(Role.REVIEWER).get(page("review", study)))

    assert "could not be added" in text
    assert '<meta http-equiv="refresh"' not in text


def test_no_job_is_started_if_everything_is_filed(study, sign_in):
    assert "<article" in start(sign_in(Role.REVIEWER), study)

    assert not Job.objects.exists()


def test_review_says_when_there_is_nothing_to_judge(db, sign_in, study):
    Verdict.objects.all().delete()
    empty = make_study(1, slug="empty")
    client = sign_in(Role.OWNER)
    reviewer(empty, "rea")
    client.force_login(type(reviewer(study, "x")).objects.get(username="rea"))

    assert "nothing to judge yet" in text_of(client.get(page("review", empty)))


def test_a_verdict_claims_the_next_answer_and_counts_once(study, sign_in):
    client, review = sign_in(Role.REVIEWER), answers(study)[0]

    for _ in range(2):
        answer = judge(client, study, review, kind="good", then="queue")
        assert (answer.status_code, answer.url) == (302, page("review", study))

    assert Verdict.objects.count() == 1
    text = " ".join(text_of(client.get(page("review", study))).split())
    assert "your last verdict: good" in text
    assert text.count("<article") == 1  # the verdict has claimed the next answer


def test_a_verdict_by_script_returns_no_page(study, sign_in):
    client, review = sign_in(Role.REVIEWER), answers(study)[0]
    where = page("review_one", study, review.pk)

    assert client.post(where, {"kind": "good"}, headers=FETCHED).status_code == 204
    undone = client.post(page("review_undo", study, review.pk), headers=FETCHED)
    assert undone.status_code == 204
    assert not Verdict.objects.standing().exists()


@pytest.mark.parametrize(
    ("sent", "message"),
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
def test_an_invalid_verdict_is_reported_and_not_stored(study, reviewer, sent, message):
    for review in (answers(study)[0], whole(study)):
        answer = judge(reviewer, study, review, **sent)
        assert answer.status_code == 422
        assert message in text_of(answer)
    settle = reviewer.post(page("review_settle", study, review.pk), sent)
    assert settle.status_code == 422
    assert not Verdict.objects.exists()


def test_a_late_verdict_is_reported(study, sign_in):
    review = answers(study)[0]
    give_verdict(review, reviewer(study), VerdictKind.GOOD)

    answer = judge(sign_in(Role.REVIEWER), study, review, kind="unused")

    assert answer.status_code == 422
    assert "your verdict was not needed" in text_of(answer)


def test_the_queue_links_to_the_whole_questionnaire(study, reviewer):
    reviewer.post(page("review", study))

    queue = reviewer.get(page("review", study))

    (card,) = html.document_fromstring(queue.content).xpath("//article[@data-review]")
    reviewed = Review.objects.get(pk=card.get("data-review"))
    questionnaire = Review.objects.get(assignment=reviewed.assignment_id, response=None)
    links = card.xpath(".//a[text()='The whole questionnaire']/@href")
    assert links == [page("review_one", study, questionnaire.pk)]
    assert "The whole questionnaire" not in text_of(reviewer.get(links[0]))


def test_a_whole_questionnaire_is_judged_on_its_page(study, sign_in):
    client, review = sign_in(Role.REVIEWER), whole(study)
    answer = judge(client, study, review, kind="rejected", reason="all alike", then="questionnaire")

    assert answer.url == page("review_one", study, review.pk)
    text = text_of(client.get(answer.url))
    assert "You decided: <b>reject</b> (“all alike”)" in " ".join(text.split())
    assert "Judged with its whole questionnaire" in text


def test_pages_do_not_show_the_verdict_of_a_blind_reviewer(study, sign_in):
    configure_review(study, sample_percent=100, double_percent=100)
    review = answers(study)[0]
    give_verdict(review, reviewer(study), VerdictKind.REJECTED, "secret reason")
    client = sign_in(Role.REVIEWER)

    for where in (
        page("review", study), page("review_one", study, review.pk),
        page("review_one", study, whole(study).pk), page("review_disputes", study),
    ):  # fmt: skip
        text = (
            start(client, study) if where == page("review", study) else text_of(client.get(where))
        )
        assert "secret reason" not in text
        assert "judged differently" not in text
        assert "You decided" not in text


def test_a_third_person_settles_a_dispute(study, sign_in):
    configure_review(study, sample_percent=100, double_percent=100)
    review, rea = answers(study)[0], reviewer(study)
    give_verdict(review, rea, VerdictKind.REJECTED, "no words")
    give_verdict(review, reviewer(study, "leo"), VerdictKind.GOOD)
    of_two = client_of(rea)
    assert "another reviewer has to decide" in text_of(of_two.get(page("review_disputes", study)))
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


def test_settings_store_the_shares(study, researcher):
    sent = {"sample_percent": "20", "double_percent": "50"}

    assert researcher.post(page("review_settings", study), sent).url == page("review", study)
    stored = ReviewSettings.objects.values_list("sample_percent", "double_percent")
    assert stored.get() == (20, 50)


@pytest.mark.parametrize("value", ["", "-1", "101", "1e9", "many", "٣x", "9" * 400])
def test_settings_refuse_an_invalid_share(study, researcher, value):
    sent = {"sample_percent": value, "double_percent": value}

    assert researcher.post(page("review_settings", study), sent).status_code == 422
    assert not ReviewSettings.objects.exists()


@pytest.mark.parametrize("ids", ["", "x", "1,,x", "²", "-5", "9" * 30, ",".join("9" * 500)])
def test_review_more_ignores_what_is_not_an_id(study, sign_in, ids):
    answer = sign_in(Role.REVIEWER).post(page("review_more", study), {"exclude": ids})

    assert answer.status_code == 200
    assert text_of(answer).count("<article") == 2
