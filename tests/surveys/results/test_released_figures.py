"""Numbers of annotators on the cards of a release: left out, by reason, and scripted."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from django.utils import timezone

from postprocess.steps.recipe import read_recipe
from surveys.models import (
    Assignment,
    AssignmentState,
    Block,
    Response,
    Review,
    Study,
    VerdictKind,
)
from surveys.privacy.erasure import withdraw_annotator
from surveys.recruitment.links import invite_annotators, invite_scripted_annotators
from surveys.results.description import SCRIPTED, describe_study
from surveys.results.ratings_table import table_answers
from surveys.results.release import release_dataset
from surveys.review.queue import file_answers
from surveys.review.verdicts import give_verdict
from surveys.study.blocks.allocation import repeat_block
from tests.factories.datasets import BRIEFLY, LITTLE_CHANCE
from tests.factories.reviews import reviewer
from tests.factories.studies import finish, make_study, start
from tests.surveys.management.running import run

pytestmark = [pytest.mark.django_db, pytest.mark.study(of="exclusions_of_every_kind")]

FILTERING = read_recipe("cosimlex", LITTLE_CHANCE)
N_PAIRS = 6


def take_part(study: Study, rate: Callable[[int], int], *, n_rated: int = N_PAIRS) -> Assignment:
    """Add an annotator who rates the first pairs by a rule, and finishes if these are all."""
    assignment = start(study, invite_annotators(study, 1)[0])
    now = timezone.now()
    ordered = assignment.responses.select_related("pair").order_by("pair__position")
    for response in ordered[:n_rated]:
        words = f"sea{response.pk}", f"salt{response.pk}"
        Response.objects.filter(pk=response.pk).update(
            written1=words[0], written2=words[1], engaged_at=now,
            rating=rate(response.pair.position), rated_at=now,
        )  # fmt: skip
    if n_rated == N_PAIRS:
        Assignment.objects.filter(pk=assignment.pk).update(
            state=AssignmentState.SUBMITTED, submitted_at=now
        )
    return assignment


def rising(position: int) -> int:
    return position % 7


def falling(position: int) -> int:
    return 6 - position % 7


def constant(position: int) -> int:
    return 3


@pytest.fixture
def exclusions_of_every_kind() -> Study:
    """A study with annotators left out for every reason."""
    study = make_study(N_PAIRS, language="tlh", ratings_per_context=20)
    for _ in range(2):
        take_part(study, rising)
    repeat_block(Block.objects.get(), reason="a slip", author="ana")
    for _ in range(12):
        take_part(study, rising)
    for rate in (falling, falling, constant, constant, rising):
        last = take_part(study, rate)
    file_answers(study)
    whole = Review.objects.get(assignment=last, response=None)
    give_verdict(whole, reviewer(study), VerdictKind.REJECTED, "copied")
    take_part(study, rising, n_rated=3)
    take_part(study, rising, n_rated=0)
    withdraw_annotator(take_part(study, rising).annotator)
    return study


def released(study: Study, folder: Path, name: str) -> str:
    release_dataset(study, folder / "out", FILTERING)
    return (folder / "out" / name).read_text(encoding="utf-8")


def read_counts(card: str) -> dict[str, int]:
    """Return the list that begins with all who started."""
    listed = card[card.index("- all who started:") :].split("\n\n")[0]
    rows = [line.removeprefix("- ").split(": ") for line in listed.splitlines()]
    return {": ".join(what): int(n) for *what, n in rows}


def test_annotators_by_reason_add_up_to_those_who_started(study, tmp_path):
    counts = read_counts(released(study, tmp_path, "README.md"))

    for name in ("DATA_STATEMENT.md", "CHECKLIST.md"):
        assert read_counts((tmp_path / "out" / name).read_text(encoding="utf-8")) == counts
    assert counts == {
        "all who started": 22,
        "in the scores": 12,
        "left out: questionnaire unfinished": 1,
        "left out: round replaced": 2,
        "left out: engagement rejected": 1,
        "left out: below the correlation bound": 2,
        "left out: constant ratings": 2,
        "withdrew": 1,
        "without a rating": 1,
    }
    assert 2 * counts["all who started"] == sum(counts.values())


def test_filtering_counts_only_annotators_it_left_out(study, tmp_path):
    card = released(study, tmp_path, "README.md")

    (filtering,) = re.findall(r"^- Filtering: .*$", card, re.MULTILINE)
    assert filtering == (
        "- Filtering: an annotator was left out of a group if their mean correlation with the "
        "others was more than 1 standard deviations below the mean of the group (2 annotators), "
        "or was not defined because they gave all texts the same rating (2 annotators)."
    )
    (reasons,) = re.findall(r"^- Ratings left out, by reason: (.*)\.$", card, re.MULTILINE)
    assert reasons == (
        "questionnaire unfinished: 3 by 1 annotator, round replaced: 12 by 2 annotators, "
        "engagement rejected: 6 by 1 annotator, below the correlation bound: 12 by 2 annotators, "
        "constant ratings: 12 by 2 annotators"
    )
    assert len(table_answers(study).ratings) == 3 + 12 + 6 + 12 + 12 + 72


# Rehearsals


@pytest.fixture
def mixed_study() -> Study:
    """A study with two human and four scripted annotators, two of them in a replaced round."""
    study = make_study(2, ratings_per_context=4)
    for invitation in invite_scripted_annotators(study, 2):
        finish(start(study, invitation))
    repeat_block(Block.objects.get(), reason="a slip", author="ana")
    invitations = [*invite_annotators(study, 2), *invite_scripted_annotators(study, 2)]
    for rating, invitation in enumerate(invitations, 1):
        finish(start(study, invitation), rating=rating)
    return study


def test_scripted_annotators_are_counted_in_all_rounds_from_their_start(mixed_study, tmp_path):
    start(mixed_study, invite_scripted_annotators(mixed_study, 1)[0])

    described = describe_study(mixed_study)

    assert described.collection.n_annotators_scripted == 5
    assert described.collection.n_annotators_started == 7
    assert [(one.channel, one.n_annotators) for one in described.recruitment] == [
        ("personal links", 2), (SCRIPTED, 5),
    ]  # fmt: skip
    card = released(mixed_study, tmp_path, "README.md")
    assert f"- {SCRIPTED}: 5 annotators\n" in card
    assert "**Annotators who started and are scripts, not people:** 5\n" in card
    assert "8 of its 12 ratings, by 4 of its 6 annotators, are by scripts." in card


def test_a_release_with_scripted_ratings_is_marked_as_rehearsal(mixed_study, tmp_path):
    release = release_dataset(mixed_study, tmp_path / "out", FILTERING)

    assert release.is_rehearsal
    assert (tmp_path / "out_REHEARSAL.zip").exists()
    assert (tmp_path / "out/study_en_REHEARSAL.csv").exists()
    card = (tmp_path / "out/README.md").read_text(encoding="utf-8")
    assert "\n# REHEARSAL: " in card


def test_the_command_warns_of_a_rehearsal(mixed_study, tmp_path):
    out, _ = run("release_dataset", "study", tmp_path / "out", *BRIEFLY)

    assert "REHEARSAL. This is a rehearsal, not a dataset of human judgements" in out


def test_a_release_without_scripted_ratings_is_not_a_rehearsal(study, tmp_path):
    """Scripted annotators who started but gave no rating do not matter."""
    start(study, invite_scripted_annotators(study, 1)[0])

    release = release_dataset(study, tmp_path / "out", FILTERING)

    assert not release.is_rehearsal
    assert (tmp_path / "out.zip").exists()
    assert list(tmp_path.rglob("*REHEARSAL*")) == []
