import re

import pytest
from django.contrib.auth.models import User

from surveys.access.api_tokens import make_token
from surveys.access.roles import grant_role
from surveys.models import AuditEntry, Place, Role, Round, VerdictKind
from surveys.monitoring.checklist import forget_steps
from surveys.review.queue import file_answers
from surveys.review.verdicts import give_verdict
from surveys.study.blocks.allocation import repeat_block
from surveys.study.design import configure_study
from tests.factories.answers import answer
from tests.factories.pages import page, read
from tests.factories.reviews import reviewer, submit, whole
from tests.factories.studies import make_study, start


def finish_all(study):
    for _ in range(4):
        answer(start(study))


def test_collection_shows_assignments_wanted_live_finished_and_usable(study, researcher):
    answer(start(study))
    start(study)

    text = read(researcher, "collection", study)

    assert "<dt>Wanted</dt><dd>4</dd>" in text
    assert "<dt>In progress</dt><dd>1</dd>" in text
    assert "<dt>Finished</dt><dd>1</dd>" in text
    assert 'aria-label="1 usable and 1 in progress of 4 wanted"' in text
    assert "No forecast yet: 1 finished" in text


@pytest.mark.parametrize("is_over_quota", [False, True])
def test_console_api_and_overview_count_alike_beyond_the_quota(study, researcher, is_over_quota):
    surplus, under_way = [start(study) for _ in range(3)][2], study.assignments.all()[1]
    for assignment in study.assignments.exclude(pk=under_way.pk):
        answer(assignment)
    configure_study(study, ratings_per_context=1)  # A has two finished now, and B none
    if is_over_quota:
        Place.objects.filter(assignment=surplus).update(assignment=None, is_open=False)
        study.assignments.filter(pk=surplus.pk).update(is_over_quota=True)

    text = read(researcher, "collection", study)
    _, key = make_token(User.objects.get(username="ana"), "program", ["studies:read"])
    headers = {"Authorization": f"Bearer {key}"}
    counts = researcher.get("/api/v1/studies/study/progress/", headers=headers).json()

    names = ("wanted", "live", "finished", "usable")
    assert [counts[name] for name in names] == [2, 1, 2, 2]
    rows = [[row[name] for name in names] for row in counts["questionnaires"]]
    assert rows == [[1, 0, 2, 2], [1, 1, 0, 0]]
    titles = ("Wanted", "In progress", "Finished", "Usable")
    for name, title in zip(names, titles, strict=True):
        assert f"<dt>{title}</dt><dd>{counts[name]}</dd>" in text
    for row in rows:
        cells = re.findall(r'<td class="number" role="cell"[^>]*>(.*?)</td>', text)
        numbers = [str(number) for number in row]
        assert numbers in [cells[n : n + len(row)] for n in range(len(cells))]
    assert "Everything that is wanted" not in text
    missing = "1 assignment is still to come."
    assert missing in read(researcher, "overview", study)
    assert counts["steps"][3] == {"name": "collection", "is_done": False, "missing": missing}


def test_collection_reports_completion(study, researcher):
    finish_all(study)

    assert "Everything that is wanted has been collected" in read(researcher, "collection", study)


def test_collection_offers_to_calculate_agreement(study, researcher):
    finish_all(study)
    assert "of 1 block below lacks the latest answers" in read(researcher, "collection", study)

    done = researcher.post(page("gauge", study))

    assert (done.status_code, done.url) == (302, f"{page('collection', study)}?page=1")
    assert "lacks the latest answers" not in read(researcher, "collection", study)


def test_blocks_are_sorted_and_filtered(db, sign_in):
    client, study = sign_in(Role.RESEARCHER), make_study(4, slug="longer", block_size=2)
    grant_role(study, User.objects.get(), Role.RESEARCHER)
    links = [f'href="{page("block", study, number)}"' for number in (1, 2)]
    assert study.blocks.count() == 2

    def places(**asked):
        text = client.get(page("collection", study), asked).content.decode()
        return [text.find(link) for link in links]

    first, second = places()
    assert first < second
    first, second = places(order="-number")
    assert first > second > 0
    assert places(look="unusual") == [-1, -1]


def test_pages_refresh_themselves_while_answers_are_collected(study, researcher):
    answer(start(study))
    for name, *more in (["collection"], ["annotators"], ["block", 1]):
        assert "data-live data-watch" in read(researcher, name, study, *more)

    for _ in range(3):
        answer(start(study))
    forget_steps(study)

    for name, *more in (["collection"], ["annotators"], ["block", 1]):
        assert "data-watch" not in read(researcher, name, study, *more)


def test_a_block_is_shown_before_its_agreement(study, researcher, monkeypatch):
    finish_all(study)
    with monkeypatch.context() as patched:
        patched.setattr("surveys.monitoring.agreement._compute", None)  # and would fail
        before = read(researcher, "block", study, 1)

    researcher.post(page("gauge_block", study, 1))

    assert "Not calculated yet" in before
    assert "Calculate now" in before
    assert "Calculate now" not in read(researcher, "block", study, 1)


def test_a_block_shows_its_annotators_and_contexts(study, researcher):
    finish_all(study)
    assignment = study.assignments.first()

    text = read(researcher, "block", study, 1)

    assert assignment.annotator.code in text
    assert page("context", study, 1, 2) in text
    assert "Round 1</a>, the current one" in text
    assert researcher.post(page("gauge_block", study, 1)).url == page("block", study, 1)


def test_an_unknown_block_is_not_found(study, researcher):
    for number in (2, 10**30):
        assert researcher.get(page("block", study, number)).status_code == 404


def test_repeat_previews_the_cost_and_requires_a_reason(study, researcher):
    answer(start(study))

    text = read(researcher, "repeat", study, 1)
    refused = researcher.post(page("repeat", study, 1), {"reason": " ", "round_number": 1})

    assert "4 new assignments" in text
    assert "1 usable assignment<" in text
    assert refused.status_code == 422
    assert "This field is required" in refused.content.decode()
    assert Round.objects.count() == 1


def test_repeat_opens_a_round_once(study, researcher):
    answer(start(study))
    sent = {"reason": "ratings all alike", "round_number": 1}

    first = researcher.post(page("repeat", study, 1), sent)
    again = researcher.post(page("repeat", study, 1), sent)

    assert (first.status_code, first.url) == (302, page("block", study, 1))
    assert again.status_code == 422
    assert "repeated meanwhile" in again.content.decode()
    assert list(Round.objects.values_list("number", "reason", "opened_by")) == [
        (1, "", ""),
        (2, "ratings all alike", "ana"),
    ]
    assert AuditEntry.objects.filter(action="block.repeated", actor="ana").count() == 1
    assert "ratings all alike" in read(researcher, "block", study, 1)


def test_repeat_refuses_a_block_without_assignments(study, researcher):
    refused = researcher.post(page("repeat", study, 1), {"reason": "x", "round_number": 1})

    assert refused.status_code == 422
    assert "There is no assignment in round 1" in refused.content.decode()


def test_a_reviewer_sees_no_link_to_repeat(study, sign_in):
    assert page("repeat", study, 1) not in read(sign_in(Role.REVIEWER), "block", study, 1)


def test_reasons_are_escaped(study, researcher):
    answer(start(study))
    researcher.post(page("repeat", study, 1), {"reason": "<b>bad</b>", "round_number": 1})

    assert "&lt;b&gt;bad" in read(researcher, "block", study, 1)


def test_earlier_rounds_can_be_looked_at_and_a_repeat_undone(study, researcher):
    submit(study)
    repeat_block(study.blocks.get(number=1), reason="low agreement", author="ana")
    where = page("block", study, 1)

    earlier = researcher.get(where, {"round": "1"}).content.decode()
    unknown = [researcher.get(where, {"round": wrong}).status_code for wrong in ("7", "x", "-1")]
    undone = researcher.post(page("undo_repeat", study, 1), follow=True).content.decode()

    assert "This round was replaced" in earlier
    assert study.annotators.get().code in earlier
    assert unknown == [404, 404, 404]
    assert "The repeat is undone" in undone


def test_replacements_are_asked_for_on_the_collection(study, researcher):
    submit(study)
    file_answers(study)
    give_verdict(whole(study), reviewer(study), VerdictKind.UNUSED, "random")

    assert page("replace", study) in read(researcher, "collection", study)
    assert "not replaced yet: 1" in read(researcher, "replace", study)
    done = researcher.post(page("replace", study), follow=True).content.decode()

    assert "Places opened for replacements: 1." in done
    assert "places opened for replacements: 1." in " ".join(done.split())
