"""The second look at ratings far from the others': opening, following, closing, withdrawal."""

import json
from decimal import Decimal

import pytest
from django.core.management import CommandError
from django.utils import timezone

from surveys.errors import SecondLookRefused
from surveys.models import (
    Annotator,
    AuditEntry,
    Invitation,
    Response,
    Review,
    SecondAnswer,
    SecondLook,
    VerdictKind,
    Worker,
)
from surveys.monitoring.collected import count_collected
from surveys.monitoring.contexts import summarise_answers
from surveys.monitoring.progress import count_round_progress
from surveys.participation.assignments import start_assignment
from surveys.participation.second_look import answer_again
from surveys.privacy.erasure import withdraw_annotator
from surveys.privacy.subject_access import export_annotator_data
from surveys.recruitment.links import invite_annotators
from surveys.rehearsal.deletion import delete_scripted
from surveys.results.export import BEFORE, stream_responses
from surveys.results.ratings_table import list_shortfalls
from surveys.results.release import release_dataset
from surveys.results.runs import request_release
from surveys.review.queue import file_answers
from surveys.review.second_look import (
    close_second_look,
    follow_second_look,
    list_obstacles,
    open_second_look,
    preview_second_look,
)
from surveys.review.verdicts import give_verdict
from surveys.study.design import design_of
from tests.factories.designed import QUICKLY
from tests.factories.reviews import reviewer
from tests.factories.second_looks import (
    list_annotators,
    look_again,
    look_of,
    looking_study,
    rated_study,
)
from tests.factories.studies import QUICK, counted_ratings, make_study
from tests.surveys.management.running import run

pytestmark = [pytest.mark.django_db, pytest.mark.every_database]  # joins, sums, locks


def list_shown(study):
    """Return the pair and the annotator's place, the others' sum and number, of what is shown."""
    places = {annotator.pk: n for n, annotator in enumerate(list_annotators(study))}
    return [
        (look.response.pair.position, places[look.response.annotator_id], look.others_sum)
        for look in SecondAnswer.objects.with_items().order_by("response__pair", "response")
    ]


def test_ratings_far_from_the_others_are_shown_again(ana):
    study = rated_study()
    before = study.revision

    look = open_second_look(study, ana)

    assert list_shown(study) == [
        (1, 2, 2), (2, 0, 5), (2, 2, 3), (4, 0, 4), (4, 1, 4), (4, 2, 0),
    ]  # fmt: skip
    assert {answer.n_others for answer in SecondAnswer.objects.all()} == {2}
    assert (look.above, len(look.ratings_digest), look.closed_at) == (1, 64, None)
    study.refresh_from_db()
    assert study.revision != before
    entry = AuditEntry.objects.get(action="second_look.opened")
    assert entry.details == {"n_ratings": 6, "sha256": look.ratings_digest}


def test_the_preview_is_what_is_opened(ana):
    study = rated_study()

    previewed = {looker.code: looker.n_shown for looker in preview_second_look(study)}
    assert not SecondLook.objects.exists()
    open_second_look(study, ana)

    assert previewed == {looker.code: looker.n_shown for looker in follow_second_look(study)}
    assert sorted(previewed.values()) == [1, 2, 3]


def test_rejected_ratings_are_not_compared(ana):
    study = rated_study([("0", "0", "4", "0")])
    file_answers(study)
    give_verdict(Review.objects.get(response__rating=4), reviewer(study), VerdictKind.UNUSED)

    with pytest.raises(SecondLookRefused, match="No rating is more than 1 away"):
        open_second_look(study, ana)


def open_twice(study, ana):
    open_second_look(study, ana)


def leave_a_place(study, ana):
    type(study).objects.filter(pk=study.pk).update(ratings_per_context=4)
    study.places.filter(number=1).update(assignment=None)


def come_from_a_provider(study, ana):
    worker = Worker.objects.create(provider="prolific", worker_id="w")
    Annotator.objects.filter(pk=list_annotators(study)[0].pk).update(worker=worker)


def make_a_draft(study, ana):
    type(study).objects.filter(pk=study.pk).update(opened_at=None)


@pytest.mark.parametrize(
    ("prevent", "why"),
    [
        (open_twice, "opened before"), (leave_a_place, "not finished yet: 1"),
        (come_from_a_provider, "came from a provider"), (make_a_draft, "is a draft"),
    ],
)  # fmt: skip
def test_a_second_look_is_refused_with_the_reason(ana, prevent, why):
    study = rated_study()
    prevent(study, ana)
    n = SecondAnswer.objects.count()

    with pytest.raises(SecondLookRefused, match=why):
        open_second_look(study, ana)

    assert SecondAnswer.objects.count() == n


def test_a_closed_study_does_not_wait_for_places_that_nobody_takes(ana):
    study = rated_study()
    leave_a_place(study, ana)
    type(study).objects.update(closed_at=study.created_at)
    study.refresh_from_db()

    assert list(list_obstacles(study)) == []


def test_an_annotator_of_a_provider_who_withdrew_prevents_nothing(ana):
    study = rated_study()
    come_from_a_provider(study, ana)
    withdraw_annotator(list_annotators(study)[0])

    assert not any("provider" in obstacle for obstacle in list_obstacles(study))


def test_who_has_withdrawn_answers_nothing_more():
    study = looking_study()
    *_, third = list_annotators(study)
    look = look_of(third, 4)
    Annotator.objects.filter(pk=third.pk).update(withdrawn_at=timezone.now())

    assert not answer_again(look, Decimal(1))
    assert SecondAnswer.objects.get(pk=look.pk).answered_at is None


def test_a_deleted_rehearsal_leaves_no_second_look(ana):
    study = looking_study()
    Invitation.objects.update(is_rehearsal=True)

    delete_scripted(study)

    assert not SecondAnswer.objects.exists()
    assert not SecondLook.objects.exists()
    assert not Annotator.objects.filter(study=study).exists()


def test_agreement_before_has_what_nobody_could_judge_later(ana, tmp_path):
    rows = [(str(n % 4), str(n % 4), str((n + 2) % 5)) for n in range(8)]
    kept, dropped = (
        looking_study(rows, slug=slug, allows_unjudgeable=True) for slug in ("kept", "dropped")
    )
    answer_again(SecondAnswer.objects.of_study(dropped).with_items().first(), None)
    figures = {}
    for study in (kept, dropped):
        close_second_look(study, ana)
        recipe = design_of(study).as_recipe(QUICKLY)
        report = release_dataset(study, tmp_path / study.slug, recipe).report
        figures[study.slug] = report["second_look"]
        del figures[study.slug]["before"]["split_half"]  # depends on ids, which are by chance

    assert figures["kept"]["before"] == figures["dropped"]["before"]
    assert figures["kept"]["after"] != figures["dropped"]["after"]


def test_other_designs_have_no_second_look(ana):
    with pytest.raises(SecondLookRefused, match="has no second look"):
        open_second_look(make_study(1), ana)


def test_the_valid_rating_is_the_one_after_the_second_look():
    study = looking_study()
    first, second, third = list_annotators(study)
    assert look_again(third, 4, "0.5")
    assert look_again(first, 4, "0")

    ratings = counted_ratings(study)
    fourth = ratings[ratings["pair"] == 4].set_index("annotator")["rating"]
    assert fourth[[first.code, second.code, third.code]].tolist() == [0, 0, 0.5]
    assert Response.objects.get(annotator=third, pair__position=4).rating == 4
    context = Response.objects.filter(pair__position=4).first().context
    assert summarise_answers(study, context).mean == pytest.approx(0.5 / 3)
    collected = count_collected(study, count_round_progress(study), timezone.now())
    assert {bar.label: bar.amount for bar in collected.bars}["0.5"] == 1
    header, *rows = "".join(stream_responses(study)).splitlines()
    places = [header.split(",").index(name) for name in ("rating", BEFORE)]
    written = [tuple(row.split(",")[place] for place in places) for row in rows]
    assert sorted(written)[-8:-5] == [("1", ""), ("1", ""), ("1", "")]
    assert {("0.5", "4"), ("0", "0"), ("2.25", "2.25")} <= {*written}
    looker = next(one for one in follow_second_look(study) if one.code == third.code)
    assert (looker.n_shown, looker.n_answered, looker.n_changed) == (3, 1, 1)


def test_exports_without_a_second_look_have_no_column_of_it():
    assert BEFORE not in next(stream_responses(rated_study()))


def test_closing_keeps_what_was_not_looked_at(ana):
    study = looking_study()
    _, _, third = list_annotators(study)
    look_again(third, 1, "1.5")

    closed = close_second_look(study, ana)
    assert close_second_look(study, ana).closed_at == closed.closed_at

    ratings = counted_ratings(study).set_index(["pair", "annotator"])["rating"]
    assert (ratings[1, third.code], ratings[4, third.code]) == (1.5, 4)
    assert AuditEntry.objects.get(action="second_look.closed").details == {"n_ratings": 1}


def test_a_release_waits_until_the_second_look_is_closed(ana):
    study = looking_study()

    with pytest.raises(SecondLookRefused, match="Close it first"):
        request_release(study, QUICK, {}, None)
    assert any("may still change" in note for note in list_shortfalls(study))

    close_second_look(study, ana)
    assert request_release(study, QUICK, {}, None).pk
    assert not any("may still change" in note for note in list_shortfalls(study))


def test_a_release_has_both_ratings_and_says_what_was_changed(ana, tmp_path):
    rows = [(str(n % 4), str(n % 4), str((n + 2) % 5)) for n in range(8)]
    study = looking_study(rows)
    shown = list(SecondAnswer.objects.with_items())
    for look in shown[2:]:
        answer_again(look, Decimal(2))
    close_second_look(study, ana)
    design = design_of(study)
    recipe = design.as_recipe(QUICKLY)

    release = release_dataset(study, tmp_path / "made", recipe)

    assert release.n_differences == 0
    header, *lines = (tmp_path / "made" / "second_look.tsv").read_text().splitlines()
    assert header.split("\t") == [
        "pair", "annotator", "before", "others_mean", "n_others", "after", "decision",
    ]  # fmt: skip
    table = [line.split("\t") for line in lines]
    assert len(table) == len(shown)
    assert sum(decision == "no answer" for *_, decision in table) == 2
    assert all((row[2] == row[5]) == (row[6] != "changed") for row in table)
    ratings = (tmp_path / "made" / "ratings_en.tsv").read_text().splitlines()
    place = ratings[0].split("\t").index(BEFORE)
    assert sum(bool(row.split("\t")[place]) for row in ratings[1:]) == len(shown)
    look = release.report["second_look"]
    assert (look["n_shown"], look["n_unanswered"]) == (len(shown), 2)
    assert look["before"]["pairwise_pearson"] != look["after"]["pairwise_pearson"]
    assert look["after"] == release.report["agreement"]["overall"]
    card = (tmp_path / "made" / "README.md").read_text()
    assert "The figures after it are not of independent ratings" in card
    assert "`second_look.tsv`" in card


@pytest.mark.parametrize(("erases", "n_kept"), [(True, 3), (False, 6)])
def test_withdrawal_deletes_second_answers_as_agreed(erases, n_kept):
    study = looking_study()
    *_, third = list_annotators(study)
    look_again(third, 4, "1")
    Annotator.objects.update(erases_withdrawn=erases)

    withdraw_annotator(third)

    assert SecondAnswer.objects.count() == n_kept
    assert third.code not in set(counted_ratings(study)["annotator"])
    assert [looker.n_shown for looker in follow_second_look(study)] == [2, 1]


def test_a_persons_data_have_their_second_looks():
    study = looking_study()
    *_, third = list_annotators(study)
    look_again(third, 4, "1")

    looks = json.loads(export_annotator_data(third))["second_looks"]

    assert sorted((look["rating_before"], look["rating"]) for look in looks if look["rating"]) == [
        (4, 1)
    ]
    assert len(looks) == 3


def test_commands_open_and_close_a_second_look(ana):
    rated_study()

    previewed, _ = run("open_second_look", "study")
    assert previewed.splitlines()[0].endswith("ratings: 3, minutes: 1, agreement: -0.20")
    with pytest.raises(CommandError, match="There is no account 'nobody'"):
        run("open_second_look", "study", "--by", "nobody")
    assert run("open_second_look", "study", "--by", "ana")[0] == (
        "The second look is open. Ratings to look at again: 6.\n"
    )
    assert "opened before" in run("open_second_look", "study")[1]
    assert run("close_second_look", "study", "--by", "ana")[0] == (
        "The second look is closed. Shown: 6, looked at again: 0, changed: 0.\n"
    )


def test_nobody_closes_what_was_not_opened(ana):
    with pytest.raises(SecondLookRefused, match="no second look"):
        close_second_look(rated_study(), ana)


def test_links_that_nobody_used_do_not_matter(ana):
    study = rated_study()
    (link,) = invite_annotators(study, 1)

    open_second_look(study, ana)

    with pytest.raises(Exception, match="enough people"):
        start_assignment(link)
    assert Decimal(1) == SecondLook.objects.get().above
