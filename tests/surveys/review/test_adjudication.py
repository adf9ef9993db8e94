"""Decisions on items without a majority."""

import json
from decimal import Decimal

import pytest

from surveys.errors import AdjudicationRefused, RatingsMissing, ReleaseRefused, RunRefused
from surveys.models import Adjudication, AssignmentState, Invitation, Response, Study
from surveys.monitoring.agreement import measure_doubled
from surveys.participation.answers import record_unjudgeable
from surveys.privacy.erasure import withdraw_annotator
from surveys.privacy.retention import forget_invitations
from surveys.privacy.subject_access import export_annotator_data
from surveys.results.ratings_table import tally_answers
from surveys.results.release import release_dataset
from surveys.results.run_inspection import write_recipe
from surveys.results.runs import read_recipe
from surveys.review.adjudication import decide, decided_answers, find_undecided, has_answered
from surveys.review.queue import file_answers
from surveys.review.verdicts import give_verdict
from surveys.study.design import design_of
from tests.factories.answers import answer_due
from tests.factories.designed import QUICKLY
from tests.factories.reviews import reviewer
from tests.factories.studies import (
    count_places_left,
    due_response,
    make_study_of,
    progress_of,
    start,
)

pytestmark = [pytest.mark.django_db, pytest.mark.every_database]
WORD = ("sea", "salt")


def item_of(study: Study, position: int = 2):
    return study.pairs.get(position=position).contexts.get()


def refusal_of(study: Study, person, answer, reason: str = "clear", **more: object) -> str:
    """Return why a decision is refused; nothing is stored then."""
    before = Adjudication.objects.count()
    with pytest.raises(AdjudicationRefused) as refused:
        decide(item_of(study), person, answer, reason, **{"replaces": None, **more})
    assert Adjudication.objects.count() == before
    return str(refused.value)


def test_items_without_a_majority_are_open_until_they_are_decided(tied):
    assert find_undecided(tied) == [item_of(tied).pk]
    assert decided_answers(tied) == {item_of(tied, 1).pk: 1}

    decide(item_of(tied), reviewer(tied), Decimal(0), "clear", replaces=None)

    assert find_undecided(tied) == []
    assert decided_answers(tied) == {item_of(tied, 1).pk: 1, item_of(tied).pk: 0}
    entry = tied.audit_entries.get(action="item.decided")
    assert (entry.subject, entry.details) == ("item p2", {"reason": "clear"})


def test_nothing_is_open_before_every_place_is_finished(tied):
    Study.objects.filter(pk=tied.pk).update(ratings_per_context=3)
    place = tied.places.order_by("-number").first()
    tied.places.create(questionnaire=place.questionnaire, round=place.round, number=3)
    tied.refresh_from_db()

    assert find_undecided(tied) == []
    assert "every place" in refusal_of(tied, reviewer(tied), Decimal(0))
    tied.closed_at = tied.opened_at  # nobody takes the free place
    assert find_undecided(tied) == [item_of(tied).pk]


def test_a_later_decision_takes_the_place_of_the_standing_one(tied):
    rea, rob = reviewer(tied), reviewer(tied, "rob")
    taken = item_of(tied).responses.get(rating=1).pk
    first = decide(item_of(tied), rea, taken, "clear", replaces=None)

    assert decide(item_of(tied), rea, taken, "clear ", replaces=None) == first
    assert "rea has decided" in refusal_of(tied, rob, Decimal(0))
    second = decide(item_of(tied), rob, Decimal(0), "a slip", replaces=first.pk)

    assert list(Adjudication.objects.values_list("pk", "response", "rating", "is_standing")) == [
        (first.pk, taken, None, False), (second.pk, None, 0, True),
    ]  # fmt: skip


def test_what_does_not_fit_is_refused(tied):
    rea = reviewer(tied)
    other = item_of(tied, 1).responses.first().pk
    for answer in (other, Decimal(2), WORD):
        assert "no answer to the item" in refusal_of(tied, rea, answer)
    assert "Give a reason" in refusal_of(tied, rea, Decimal(0), " ")
    with pytest.raises(AdjudicationRefused, match="Most annotators"):
        decide(item_of(tied, 1), rea, Decimal(0), "clear", replaces=None)
    Study.objects.update(adjudicates=False)
    assert "By the design" in refusal_of(tied, rea, Decimal(0))


@pytest.mark.parametrize(
    ("note", "is_theirs"),
    [
        ("Rea", True), ("Rea K. <REA@example.org>", True), ("rea@example.org", True),
        ("andrea@example.org", False), ("rea@example.org.uk", False), ("", False),
    ],
)  # fmt: skip
@pytest.mark.parametrize("is_dropped", [False, True])
def test_who_has_answered_an_item_does_not_decide_it(tied, note, is_theirs, is_dropped):
    rea = reviewer(tied)
    rea.email = "rea@example.org"
    links = Invitation.objects.filter(annotator=item_of(tied).responses.first().annotator)
    links.update(note=note)
    if is_dropped:  # by retention; of a longer note nothing is left to find
        forget_invitations(tied, links.values_list("pk", flat=True))
        is_theirs = is_theirs and note == rea.email

    assert has_answered(item_of(tied), rea) is is_theirs
    if is_theirs:
        assert "You have answered" in refusal_of(tied, rea, Decimal(0))


def test_a_taken_answer_decides_as_long_as_it_counts(tied):
    response = item_of(tied).responses.get(rating=1)
    decide(item_of(tied), reviewer(tied), response.pk, "clear", replaces=None)

    withdraw_annotator(response.annotator)

    tally = tally_answers(tied)[item_of(tied).pk]
    assert (tally.majority, tally.decision, tally.answer) == (0, None, 0)
    assert Adjudication.objects.get().given is None


def test_a_decision_is_older_than_no_answer_that_counts(tied):
    decide(item_of(tied), reviewer(tied), Decimal(0), "clear", replaces=None)
    assert find_undecided(tied) == []

    Adjudication.objects.update(at=tied.created_at)  # as of a round that was repeated since

    assert find_undecided(tied) == [item_of(tied).pk]


def test_answers_that_reviewers_rejected_count_neither_here_nor_in_releases(tied, tmp_path):
    file_answers(tied)
    response = item_of(tied).responses.get(rating=1)
    give_verdict(response.review, reviewer(tied), "rejected", "copied")

    assert find_undecided(tied) == []
    assert read_recipe(tied, write_recipe("raw")).exclusion.rejected_engagement
    recipe = design_of(tied).as_recipe(QUICKLY)
    assert release_dataset(tied, tmp_path / "out", recipe).is_confirmed
    assert (tmp_path / "out/gold/gold_en.tsv").read_text() == "id\ttag\np1\tT\np2\tF\n"
    with pytest.raises(RunRefused, match="neither calibrated nor filtered"):
        read_recipe(tied, write_recipe("cosimlex"))


def test_a_persons_data_have_the_decisions_that_took_their_answers(tied):
    response = item_of(tied).responses.get(rating=1)
    decide(item_of(tied), reviewer(tied), response.pk, "clear", replaces=None)

    (decision,) = json.loads(export_annotator_data(response.annotator))["decisions"]

    assert (decision["position"], decision["reason"]) == (response.position, "clear")


def test_translations_are_compared_as_texts():
    study = make_study_of("semeval2017-translation", 3, allows_unjudgeable=True)
    written = {
        1: [("Čas", "led"), ("c\u030cas ", "LED")], 2: [("čas", "led"), ("cas", "led")], 3: [],
    }  # fmt: skip
    for number in (0, 1):
        assignment = start(study)
        for _ in range(3):
            position = due_response(assignment).pair.position
            if written[position]:
                answer_due(assignment, Decimal(0), written[position][number])
            else:
                record_unjudgeable(progress_of(assignment), "")
    assert Response.objects.filter(assignment__state=AssignmentState.SUBMITTED).count() == 6
    items = {n: item_of(study, n) for n in (1, 2, 3)}
    assert find_undecided(study) == [items[2].pk, items[3].pk]
    rea = reviewer(study)
    assert "no answer to the item" in refusal_of(study, rea, ("čas", " "))

    decide(items[3], rea, (" led ", "sol"), "a name", replaces=None)

    assert decided_answers(study) == {items[1].pk: ("Čas", "led"), items[3].pk: ("led", "sol")}


def test_releases_wait_for_decisions_and_score_by_them(tied, tmp_path):
    recipe = design_of(tied).as_recipe(QUICKLY)
    with pytest.raises(ReleaseRefused, match="nobody has decided them: p2; decide"):
        release_dataset(tied, tmp_path / "refused", recipe)
    assert not (tmp_path / "refused").exists()
    decide(item_of(tied), reviewer(tied), Decimal(0), "clear", replaces=None)

    release = release_dataset(tied, tmp_path / "out", recipe)

    assert release.is_confirmed
    assert (tmp_path / "out/gold/gold_en.tsv").read_text() == "id\ttag\np1\tT\np2\tF\n"
    decided = (tmp_path / "out/adjudicated_en.tsv").read_text().splitlines()
    assert decided[1:] == ["en\t2\t1\tadjudicator\t0"]


def test_an_item_that_nobody_could_judge_is_scored_by_a_decision(tied, tmp_path):
    judged = Response.objects.filter(context=item_of(tied))
    judged.update(rating=None, is_unjudgeable=True, written1="", written2="")
    assert find_undecided(tied) == [item_of(tied).pk]
    recipe = design_of(tied).as_recipe(QUICKLY)
    with pytest.raises(RatingsMissing):
        release_dataset(tied, tmp_path / "refused", recipe)
    decide(item_of(tied), reviewer(tied), Decimal(1), "clear", replaces=None)

    assert release_dataset(tied, tmp_path / "out", recipe).is_confirmed


def test_doubled_items_have_a_kappa_of_first_and_second_answers(
    tmp_path, client, django_user_model
):
    study = make_study_of("mclwic", 6, ratings_per_context=1, n_doubled=4, block_size=4)
    given = [1, 1, 0, 0], [1, 0, 0, 0]  # kappa: (3/4 - 1/2) / (1/2)
    block = study.blocks.get(n_more=1)
    positions = sorted(
        block.questionnaires.get().items.values_list("context__pair__position", flat=True)
    )
    turns = {position: [ratings[n] for ratings in given] for n, position in enumerate(positions)}
    while count_places_left(study):
        assignment = start(study)
        for _ in range(assignment.responses.count()):
            left = turns.get(due_response(assignment).pair.position, [1])
            answer_due(assignment, Decimal(left.pop(0) if left else 1), WORD)
    assert measure_doubled(study) == (4, pytest.approx(0.5))
    tied = study.pairs.get(position=positions[1]).contexts.get()
    decide(tied, reviewer(study), Decimal(1), "clear", replaces=None)

    release = release_dataset(study, tmp_path / "out", design_of(study).as_recipe(QUICKLY))

    assert release.is_confirmed
    assert release.report["agreement"]["doubled"] == {"n": 4, "kappa": 0.5}
    card = " ".join((tmp_path / "out/README.md").read_text().split())
    assert "The first and the second answer to 4 items agree with a κ of 0.500." in card
    client.force_login(django_user_model.objects.create_superuser("op"))
    page = client.get(f"/console/studies/{study.slug}/collection/").content.decode()
    assert "κ = 0.500 (4 of" in page
