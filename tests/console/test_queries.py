"""No page of the console asks the database more often because there is more to show."""

import copy
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.files.base import ContentFile
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from surveys.auditing import record
from surveys.console.urls import urlpatterns
from surveys.models import (
    Assignment,
    Invitation,
    Membership,
    Response,
    Review,
    ReviewState,
    Role,
    Run,
    RunKind,
    RunState,
    Study,
    Verdict,
    VerdictKind,
)
from tests.factories import QUICK, make_study
from tests.surveys.reviewed import submit

NUMBERS = (1, 3, 300)
OF_FILES = {"report", "ledger"}  # what they show is read from a file


@pytest.mark.either_database
def test_pages_ask_as_often_for_one_for_three_and_for_300(db):
    studies = [fill(make_study(2 * n, slug=f"of-{n}", block_size=2), n) for n in NUMBERS]
    client = Client()
    client.force_login(User.objects.create_superuser("ana"))

    one, three, many = (count_queries(client, study) for study in studies)

    assert len(many) > 30
    assert {name: (three[name], n) for name, n in many.items() if n != three[name]} == {}
    assert {name: (one[name], n) for name, n in many.items() if n < one[name]} == {}


def count_queries(client: Client, study: Study) -> dict[str, int]:
    """The queries of each page of a study, once what is kept between visits is there."""
    counts = {}
    for where, name in list_pages(study):
        if client.get(where).status_code != 200:
            continue
        with CaptureQueriesContext(connection) as asked:
            answer = client.get(where)
            b"".join(answer.streaming_content if answer.streaming else [answer.content])
        counts[name] = len(asked)
    return counts


def list_pages(study: Study) -> list[tuple[str, str]]:
    """The addresses of all pages of a study, each with its name."""
    pair = study.pairs.first()
    found = {
        "slug": study.slug, "pair_id": pair.pk, "context_id": pair.contexts.first().pk,
        "kind": "consent", "number": 1, "position": 1,
        "invitation_id": study.invitations.first().pk,
        "code": study.annotators.first().code, "run_id": study.runs.first().pk,
        "user_id": 1, "entrance_id": 1,
    }  # fmt: skip
    reviewed = {**found, "number": Review.objects.answers(study).first().pk}
    pages = []
    for pattern in urlpatterns:
        named = pattern.pattern.converters
        if "slug" in named and pattern.name not in OF_FILES:
            known = reviewed if pattern.name.startswith("review") else found
            kwargs = {name: known[name] for name in named}
            pages.append((reverse(f"console:{pattern.name}", kwargs=kwargs), pattern.name))
    return pages


def fill(study: Study, n: int) -> Study:
    """Finish as many questionnaires, all the first; and make as many of all that is listed."""
    assignment = submit(study)
    number = f"{study.pk:06}"
    people = multiply(assignment.annotator, n, code=lambda k: f"a{number}{k}")
    multiply(
        Invitation.objects.get(annotator=assignment.annotator), n,
        token=lambda k: f"i{number}{k}", annotator=lambda k: people[k],
    )  # fmt: skip
    done = multiply(assignment, n, token=lambda k: f"t{number}{k}", annotator=lambda k: people[k])
    for response in assignment.responses.all():
        multiply(response, n, assignment=lambda k: done[k], annotator=lambda k: people[k])
    judge(study, done)
    users = User.objects.bulk_create(User(username=f"u{number}{k}") for k in range(n))
    Membership.objects.bulk_create(
        Membership(study=study, user=user, role=Role.REVIEWER) for user in users
    )
    for kind in RunKind:
        make_runs(study, kind, n)
    for k in range(n):
        record("block.repeated", study, f"block {k}", reason="as it is")
    return study


def multiply(row: Any, n: int, **changed: Any) -> list[Any]:
    """So many rows like one, that one among them; fields by a function of the number."""
    fields = [field for field in type(row)._meta.concrete_fields if not field.primary_key]
    same = {field.attname: getattr(row, field.attname) for field in fields}
    copies = []
    for k in range(1, n):
        other = type(row)(**same)
        for name, make in changed.items():
            setattr(other, name, make(k))
        copies.append(other)
    return [row, *type(row).objects.bulk_create(copies)]


def judge(study: Study, done: list[Assignment]) -> None:
    """Two reviewers differ about an answer of each questionnaire, and leave the rest open."""
    reviewers = [User.objects.create_user(f"{name}-{study.slug}") for name in ("rea", "leo")]
    of_study = {"study": study, "draw": 0}
    Review.objects.bulk_create(Review(assignment=assignment, **of_study) for assignment in done)
    answers = Review.objects.bulk_create(
        Review(
            assignment_id=response.assignment_id,
            response=response,
            **of_study,
            state=ReviewState.DISPUTED if response.position == 1 else ReviewState.OPEN,
        )
        for response in Response.objects.filter(assignment__in=done).order_by("assignment")
    )
    Verdict.objects.bulk_create(
        Verdict(review=review, reviewer=reviewers[opinion], kind=kind, opinion=opinion + 1)
        for opinion, kind in enumerate((VerdictKind.GOOD, VerdictKind.UNUSED))
        for review in answers
        if review.state == ReviewState.DISPUTED
    )


def make_runs(study: Study, kind: RunKind, n: int) -> None:
    done = Run(
        study=study, kind=kind, recipe=QUICK, recipe_name="raw", state=RunState.DONE,
        report={"n_rows": 1, "n_new": 1}, collected_at=timezone.now(),
    )  # fmt: skip
    done.archive.save("made.zip", ContentFile(b""), save=False)
    Run.objects.bulk_create(copy.copy(done) for _ in range(n))
