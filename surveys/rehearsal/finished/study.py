"""The finished demo study as a whole: created, collected, reviewed, post-processed and released."""

import time
from datetime import datetime, timedelta

from django.conf import settings
from django.db import transaction
from django.utils import timezone

from surveys.access.roles import DEMONSTRATION, is_demonstration
from surveys.jobs.perform import perform
from surveys.jobs.queue import requeue_silent
from surveys.models import AuditEntry, Block, Job, JobState, Round, Run, RunKind, Study, StudyText
from surveys.models.jobs import JobQuerySet
from surveys.monitoring.agreement import compute_agreement
from surveys.monitoring.progress import count_block_progress
from surveys.rehearsal.demo import DEMO_ORGANISATION, create_demo_study
from surveys.rehearsal.finished.collection import Collection, draw_arrivals
from surveys.rehearsal.finished.people import Manner, read_sources
from surveys.rehearsal.finished.reviewing import review_answers
from surveys.results.runs import request_release, request_results
from surveys.review.letters import letter_model
from surveys.study.blocks.allocation import repeat_block
from surveys.study.design import design_of
from surveys.study.rules import BEFORE_ITEMS
from surveys.study.texts import current_texts

FOLDER = settings.BASE_DIR / "demo"
LANGUAGE = "sl"
CARELESS = {
    ("1A", 1, 2): Manner.CONSTANT,
    ("1A", 1, 6): Manner.RANDOM,
    ("1B", 1, 4): Manner.COPYING,
    ("2A", 1, 1): Manner.RANDOM,
    ("2A", 1, 4): Manner.RANDOM,
    ("2A", 1, 5): Manner.COPYING,
    ("2B", 1, 0): Manner.RANDOM,
    ("2B", 1, 3): Manner.COPYING,
    ("2B", 1, 5): Manner.CONSTANT,
    ("2A", 2, 3): Manner.COPYING,
    ("2B", 2, 5): Manner.RANDOM,
}
REPEATED_BLOCK = 2
WHY_REPEATED = "Random ratings, and words copied from the texts, by too many annotators."
DAYS = 14  # from the first link to today
FIRST_ROUND, SECOND_ROUND = (0, 6), (7, 10)  # days on which people come
REVIEW = timedelta(days=12, hours=9)
QUICKLY = "report.pdf=false"  # of the recipe
RELEASE_OPTIONS = {"n_practice": 0, "seed": 0, "complete": False, "has_log": True}


def prepare_finished_study() -> Study | None:
    """Create the finished demo study, or what it lacks; None if another study has its name."""
    study = Study.objects.filter(slug=DEMONSTRATION).first()
    if study is None:
        letter_model(LANGUAGE)  # takes a second, in which nobody waits for the transaction
        study = make_study()
    if not is_demonstration(study):
        return None
    rounds = Round.objects.filter(block__study=study, is_current=True).select_related("block")
    compute_agreement(study, count_block_progress(study, list(rounds)))
    make_results(study, "finished_sl_description.toml")
    return study


@transaction.atomic
def make_study() -> Study:
    """Create the study, its answers in two rounds, and their review."""
    begin = find_begin()
    design = Study(
        slug=DEMONSTRATION, title="Finished demo in Slovene", language=LANGUAGE,
        ratings_per_context=8, block_size=10, seed=1,
    )  # fmt: skip
    study = create_demo_study(design, "finished_sl.tsv", publishes_words=True)
    date_opening(study, begin)
    table = (FOLDER / "finished_sl_answers.tsv").read_text(encoding="utf-8")
    collection = Collection(study, read_sources(table), CARELESS)
    block = Block.objects.get(study=study, number=REPEATED_BLOCK)
    n_people = 2 * study.ratings_per_context  # of a block
    n_blocks = Block.objects.filter(study=study).count()
    for arrives_at in draw_arrivals(begin, n_blocks * n_people, *FIRST_ROUND):
        collection.take_part(arrives_at)
    again = repeat_block(block, reason=WHY_REPEATED, author=DEMO_ORGANISATION)
    for arrives_at in draw_arrivals(begin, n_people, *SECOND_ROUND):
        collection.take_part(arrives_at)
    store_answers(collection)
    _date_repeat(again, begin + timedelta(days=SECOND_ROUND[0]))
    review_answers(study, collection.manners, begin + REVIEW)
    return study


def find_begin() -> datetime:
    """Return the day on which people begin to take part."""
    return timezone.now().replace(hour=0, minute=0, second=0, microsecond=0) - timedelta(days=DAYS)


def make_results(study: Study, description: str) -> None:
    """Run the design's recipe and make a release, unless both are there.

    `description` is the name of the file in `demo/` that describes the release.
    """
    recipe = design_of(study).as_recipe([QUICKLY]).render()
    kinds = (RunKind.RESULTS, RunKind.RELEASE)
    begun = Run.objects.filter(study=study, kind__in=kinds).exclude(job__state=JobState.FAILED)
    if not begun.results().exists():
        request_results(study, recipe, by=None)
    if not begun.releases().exists():
        described = (FOLDER / description).read_text(encoding="utf-8")
        described = described.replace("TITLE", study.title)
        options = {**RELEASE_OPTIONS, "description": described, "has_report": True}
        request_release(study, recipe, options, by=None)
    complete(Job.objects.filter(study=study, kind__in=kinds).order_by("pk"))


def complete(jobs: JobQuerySet) -> None:
    """Perform waiting jobs, and wait for jobs that a living process has begun or repeats."""
    while job := jobs.under_way().first():
        if not perform(job.pk):
            time.sleep(0.5)
            requeue_silent()  # else a job whose process was killed waits for a site


def store_answers(collection: Collection) -> None:
    """Store the answers of a study, and what the people have read before."""
    study = collection.study
    collection.store_answers()
    current_texts(study, BEFORE_ITEMS)
    StudyText.objects.filter(study=study).update(created_at=study.opened_at)


def date_opening(study: Study, begin: datetime) -> None:
    """Set the times of a study's making and opening: the morning before people take part."""
    at = begin - timedelta(hours=14)
    Study.objects.filter(pk=study.pk).update(created_at=at, opened_at=at)
    StudyText.objects.filter(study=study, reviewed_at__isnull=False).update(reviewed_at=at)
    Round.objects.filter(block__study=study).update(opened_at=at)
    AuditEntry.objects.filter(study=study).update(at=at)
    study.created_at = study.opened_at = at


def _date_repeat(round_: Round, at: datetime) -> None:
    Round.objects.filter(pk=round_.pk).update(opened_at=at)
    AuditEntry.objects.filter(study=round_.block.study, action="block.repeated").update(at=at)
