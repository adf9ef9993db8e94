"""Studies for tests, created from stimuli files as a researcher does."""

from decimal import Decimal
from typing import Any

import pandas as pd
from django.contrib.auth.models import User
from django.core.files.base import ContentFile
from django.db import transaction
from django.db.models import F
from django.utils import timezone

from postprocess.designs.kinds import KINDS
from postprocess.release.checksums import write_archive
from postprocess.steps.recipe import read_recipe
from surveys.models import (
    Assignment,
    Invitation,
    Job,
    JobState,
    Release,
    Response,
    Run,
    RunKind,
    Study,
    TextKind,
)
from surveys.participation.answers import record_engagement, record_rating
from surveys.participation.assignments import (
    begin_assignment,
    list_places_left,
    start_assignment,
)
from surveys.participation.due_item import AssignmentProgress, find_progress
from surveys.recruitment.links import invite_annotators
from surveys.results.numbering import number_release, number_run
from surveys.results.ratings_table import table_answers
from surveys.study.create import create_study
from surveys.study.design import configure_study, published_designs, settings_of
from surveys.study.lifecycle import open_study, review_consent
from surveys.study.stimuli.edit import read_upload
from surveys.study.stimuli.load import read_stimuli
from surveys.study.texts import current_text

# A recipe for tests, without resampling and PDF, which take longest.
QUICK = read_recipe(
    "raw", ["report.n_resamples=0", "report.n_splits=5", "report.pdf=false"]
).render()

OF_JOB = {field.name for field in Job._meta.fields} - {field.name for field in Run._meta.fields}

EXPLORER = b"<style>p {}</style><p>All pairs</p><script>1</script>"

HEADER = (
    "word1\tword2\tcontext1\tcontext2\t"
    "word1_context1\tword2_context1\tword1_context2\tword2_context2"
)


def stimuli_row(**changed: str) -> str:
    """Return a valid row of the stimuli format; name columns to change them."""
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
    """Return a stimuli file with this many different pairs."""
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


def draft_study(data: bytes, design: Study, owner: User) -> Study:
    """Return a draft of a stimuli file, with an owner."""
    create_study(read_upload(data, design), owner)
    return Study.objects.get(slug=design.slug)


def make_study(n_pairs: int = 4, *, stimuli: bytes | None = None, **design: Any) -> Study:
    """Return an open study without a reviewed consent text, as older studies are."""
    wanted = {"slug": "study", "language": "en", "ratings_per_context": 2, **design}
    data = numbered_stimuli(n_pairs) if stimuli is None else stimuli
    create_study(read_stimuli(data, Study(**wanted)))
    Study.objects.filter(slug=wanted["slug"]).update(opened_at=F("created_at"))
    return Study.objects.get(slug=wanted["slug"])


def invented_items(name: str, n_pairs: int = 4) -> bytes:
    """Return a file of invented items for a published design of one context."""
    item = published_designs()[name].item
    other = "alpha" if item.same_word else "beta"
    columns = (*KINDS[item.kind].columns, "pos", "date")
    lines = ["\t".join(columns)]
    for n in range(1, n_pairs + 1):
        words = {"word1": f"alpha{n}", "word2": f"{other}{n}"}
        fields = {"id": f"p{n}", "pos": "N", "date": f"{1800 + n}", **words}
        fields |= {"form1": words["word1"], "form2": words["word2"]}
        fields |= {f"text{k}": f"Text {k} of <strong>{words[f'word{k}']}</strong>." for k in (1, 2)}
        lines.append("\t".join(fields[column] for column in columns))
    return "\n".join([*lines, ""]).encode()


def study_of(name: str, **changed: Any) -> Study:
    """Return a study by a published design, not stored."""
    design = published_designs()[name]
    wanted = {"slug": "study", "language": "en", **settings_of(design)}
    return Study(**wanted | {"language2": "fi" if design.item.languages == 2 else "", **changed})


def make_study_of(name: str, n_pairs: int = 4, **changed: Any) -> Study:
    """Return an open study of invented items, by a published design."""
    wanted = {"ratings_per_context": 2, "n_doubled": 0, **changed}
    study = study_of(name, **wanted)
    create_study(read_stimuli(invented_items(name, n_pairs), study))
    Study.objects.filter(slug=study.slug).update(opened_at=F("created_at"))
    return Study.objects.get(slug=study.slug)


def open_draft(study: Study) -> Study:
    """Complete a draft and open it."""
    configure_study(study, organisation="University of Examples", contact="lab@example.org")
    review_consent(study, current_text(study, TextKind.CONSENT).version, reviewer="ana")
    return open_study(study)


def start(study: Study, invitation: Invitation | None = None) -> Assignment:
    """Return a new annotator's assignment, after the introduction."""
    link = invitation or invite_annotators(study, 1)[0]
    return begin_assignment(start_assignment(link))


def progress_of(assignment: Assignment) -> AssignmentProgress:
    """Return the state of an assignment with a due item."""
    where = find_progress(assignment.token)
    assert where is not None
    return where


def due_response(assignment: Assignment) -> Response:
    """Return the response of the due item."""
    due = progress_of(assignment).due
    assert due is not None
    return Response.objects.get(pk=due.response_id)


def rate_due(assignment: Assignment, rating: int) -> Response:
    """Answer both pages of the due item."""
    response = due_response(assignment)
    record_engagement(progress_of(assignment), "sea", "salt")
    record_rating(progress_of(assignment), Decimal(rating))
    return response


def finish(assignment: Assignment, *, rating: int = 3) -> None:
    for _ in range(assignment.responses.count()):
        record_engagement(progress_of(assignment), "sea", "salt")
        record_rating(progress_of(assignment), Decimal(rating))


def counted_ratings(study: Study) -> pd.DataFrame:
    """Return the ratings of the study's dataset."""
    ratings = table_answers(study).ratings
    return ratings[ratings["mark"] == ""]


def make_run(study: Study, kind: RunKind, **fields: Any) -> Run:
    """Return a run that was not performed; `fields` are its own and its job's."""
    with transaction.atomic():
        own = {"number": number_run(study, kind)}
        own |= {name: fields.pop(name) for name in [*fields] if name not in OF_JOB}
        job = Job.objects.create(kind=kind, study=study, **fields)
        return Run.objects.create(job=job, study=study, kind=kind, **own)


def make_release(study: Study, **fields: Any) -> Release:
    """Return a release without files, as made by the command."""
    with transaction.atomic():
        number = number_release(study)
        return Release.objects.create(study=study, number=number, **fields)


def make_release_with_page(study: Study) -> Release:
    """Return a release, and the run that made it, whose archive holds an explorer alone."""
    now = timezone.now()
    verified = {"verified_at": now, "n_figures": 4213, "n_differences": 0}
    release = make_release(study, report={"counts": {}}, collected_at=now, **verified)
    run = make_run(
        study, RunKind.RELEASE, number=release.number, release=release, recipe=QUICK,
        state=JobState.DONE, report={"counts": {}}, collected_at=release.collected_at,
    )  # fmt: skip
    run.archive.save("made.zip", ContentFile(write_archive({"explorer.html": EXPLORER}, "made")))
    return release


def stored(row: Any, *fields: str) -> tuple[Any, ...]:
    """Return the stored values of a row, a run's job included."""
    names = [f"job__{name}" if name in OF_JOB and isinstance(row, Run) else name for name in fields]
    return type(row).objects.values_list(*names).get(pk=row.pk)


def count_places_left(study: Study) -> int:
    """Return how many more assignments the study asks for."""
    return sum(list_places_left(study).values())
