"""Studies for tests, made as a researcher makes them: out of a stimuli file."""

from decimal import Decimal
from typing import Any

import pandas as pd
from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import F

from postprocess.steps.recipe import read_recipe
from surveys.models import (
    Assignment,
    Invitation,
    Release,
    Response,
    Run,
    RunKind,
    Study,
    TextKind,
)
from surveys.models.due import Whereabouts, find_whereabouts
from surveys.participation.answers import record_engagement, record_rating
from surveys.participation.assignments import begin_assignment, start_assignment
from surveys.recruitment.links import invite_annotators
from surveys.results.numbering import number_release, number_run
from surveys.results.ratings_table import table_answers
from surveys.study.design import configure_study
from surveys.study.lifecycle import open_study, review_consent
from surveys.study.stimuli.edit import make_draft, read_upload
from surveys.study.stimuli.load import StudyDesign, import_stimuli
from surveys.study.texts import current_text

# What a run is made by in a test: no chance, no PDF, which take longest.
QUICK = read_recipe(
    "raw", ["report.n_resamples=0", "report.n_splits=5", "report.pdf=false"]
).render()

HEADER = (
    "word1\tword2\tcontext1\tcontext2\t"
    "word1_context1\tword2_context1\tword1_context2\tword2_context2"
)


def stimuli_row(**changed: str) -> str:
    """One sound row of the stimuli format; name columns to change them."""
    row = {
        "word1": "cat",
        "word2": "dog",
        "context1": "The <strong>cats</strong> slept. It rained. A <strong>dog</strong> barked.",
        "context2": "No <strong>dogs</strong> came. It snowed. One <strong>cat</strong> ran.",
        "word1_context1": "cats",
        "word2_context1": "dog",
        "word1_context2": "cat",
        "word2_context2": "dogs",
    }
    return "\t".join({**row, **changed}.values())


def stimuli_file(*rows: str) -> bytes:
    return "\n".join([HEADER, *rows, ""]).encode()


def numbered_stimuli(n_pairs: int) -> bytes:
    """That many pairs, each with words and texts of its own."""
    return stimuli_file(*(_numbered_row(number) for number in range(1, n_pairs + 1)))


def _numbered_row(number: int) -> str:
    one, two = f"alpha{number}", f"beta{number}"
    return stimuli_row(
        word1=one,
        word2=two,
        context1=f"First came <strong>{one}</strong>. Rain fell. Then <strong>{two}</strong> left.",
        context2=f"Here <strong>{two}</strong> stood. Snow fell. There <strong>{one}</strong> lay.",
        word1_context1=one,
        word2_context1=two,
        word1_context2=one,
        word2_context2=two,
    )


def draft_study(data: bytes, design: StudyDesign, owner: User) -> Study:
    """A study of a stimuli file that is not open yet, with an owner."""
    return make_draft(read_upload(data, design), owner)


def make_study(n_pairs: int = 4, *, stimuli: bytes | None = None, **design: Any) -> Study:
    """An open study, as those from before their consent text had to be reviewed."""
    wanted = {"slug": "study", "language": "en", "ratings_per_context": 2, **design}
    import_stimuli(numbered_stimuli(n_pairs) if stimuli is None else stimuli, StudyDesign(**wanted))
    Study.objects.filter(slug=wanted["slug"]).update(opened_at=F("created_at"))
    return Study.objects.get(slug=wanted["slug"])


def open_draft(study: Study) -> Study:
    """Give a draft all that it needs to open, and open it."""
    configure_study(study, organisation="University of Examples", contact="lab@example.org")
    review_consent(study, current_text(study, TextKind.CONSENT).version, reviewer="ana")
    return open_study(study)


def start(study: Study, invitation: Invitation | None = None) -> Assignment:
    """A new annotator's assignment, introduced and at its first text."""
    link = invitation or invite_annotators(study, 1)[0]
    return begin_assignment(start_assignment(link))


def whereabouts(assignment: Assignment) -> Whereabouts:
    """Where an assignment stands, at an item that is due."""
    where = find_whereabouts(assignment.token)
    assert where is not None
    return where


def due_response(assignment: Assignment) -> Response:
    """The response of the item that is due."""
    due = whereabouts(assignment).due
    assert due is not None
    return Response.objects.get(pk=due.response_id)


def rate_due(assignment: Assignment, rating: int) -> Response:
    """Answer both pages of the item that is due."""
    response = due_response(assignment)
    record_engagement(whereabouts(assignment), "sea", "salt")
    record_rating(whereabouts(assignment), Decimal(rating))
    return response


def finish(assignment: Assignment, *, rating: int = 3) -> None:
    for _ in range(assignment.responses.count()):
        rate_due(assignment, rating)


def counted_ratings(study: Study) -> pd.DataFrame:
    """The ratings that make the study's dataset."""
    ratings = table_answers(study).ratings
    return ratings[ratings["mark"] == ""]


def make_run(study: Study, kind: RunKind, **fields: Any) -> Run:
    """A run that nothing was done for."""
    with transaction.atomic():
        numbered = {"number": number_run(study, kind), **fields}
        return Run.objects.create(study=study, kind=kind, **numbered)


def make_release(study: Study, **fields: Any) -> Release:
    """A release by the command line, without files."""
    with transaction.atomic():
        number = number_release(study)
        return Release.objects.create(study=study, number=number, **fields)


def stored(row: Any, *fields: str) -> tuple[Any, ...]:
    """What the database holds of a row now."""
    return type(row).objects.values_list(*fields).get(pk=row.pk)
