"""On all pages of a study queries do not grow with rows, and other studies' rows are not found."""

from typing import Any
from uuid import uuid4

from django.contrib.auth.models import User
from django.core.files.base import ContentFile
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from surveys.access.audit_log import record
from surveys.crowd.models import Batch, Hit, Payment, PaymentKind
from surveys.models import (
    Assignment,
    Delivery,
    Invitation,
    JobState,
    MailDelivery,
    Membership,
    Response,
    Review,
    ReviewState,
    Role,
    Run,
    RunKind,
    Study,
    TextKind,
    Verdict,
    VerdictKind,
    Visit,
    Webhook,
    Worker,
)
from surveys.monitoring import checklist
from surveys.study.texts import current_text
from surveys.web.console.urls import urlpatterns
from tests.factories.batches import arm, plan
from tests.factories.clients import client_of
from tests.factories.imported import import_model
from tests.factories.reviews import submit
from tests.factories.studies import QUICK, make_run, make_study

NUMBERS = (1, 3, 60)  # 60 are more than any page of the console lists
REPORT = {"n_rows": 1, "n_new": 1, "n_figures": 1, "n_differences": 0}
OF_FILES = {
    "report",
    "ledger",
    "pairs",
    "pair",
    "plots",
    "plot",
    "comparison",
    "comparison_report",
    "comparison_plot",
}  # read from a file
OF_REVIEWS = {"review_one", "review_effect", "review_undo", "review_settle"}
IDS = {  # of rows of any study
    "pair_id", "context_id", "invitation_id", "code", "run_id", "entrance_id", "webhook_id",
    "batch_id", "visit_id",
}  # fmt: skip
# The number of queries of each page of a study; it may only decrease.
MOST = {
    "close": 3, "reopen": 3, "archive": 3, "restore": 3, "duplicate": 3,
    "rehearsal": 12, "delete_rehearsal": 10,
    "overview": 8, "stimuli": 10, "replace_file": 3, "checkpoints": 4, "row": 9, "design": 12,
    "workload": 5, "text": 5, "practice_rows": 5, "check_rows": 5, "opening": 12,
    "preview": 10, "preview_instructions": 7,
    "preview_practice": 10, "preview_practice_rating": 10, "preview_practice_answer": 9,
    "preview_check": 8, "preview_words": 12, "preview_rating": 12, "preview_thanks": 8,
    "recruitment": 13, "invite": 7, "export_links": 4, "export_invitations": 9,
    "export_reminders": 9, "invitation": 10, "open_link": 9,
    "mails": 14, "send_invitations": 11, "send_reminders": 11, "retry_mails": 3,
    "cancel_mails": 3, "no_mail": 4,
    "prolific": 9, "batches": 7, "plan_batch": 10, "batch_cost": 9, "batch": 17,
    "batch_ledger": 7, "batch_people": 8, "visit": 6,
    "second_look": 4,
    "replace": 4, "collection": 13, "block": 16, "repeat": 9, "annotators": 9, "annotator": 9,
    "person": 10, "erase": 10, "adjudication": 5, "context": 5, "review": 9, "review_one": 9,
    "review_effect": 8, "review_questionnaires": 8, "review_disputes": 7, "review_agreement": 8,
    "review_settings": 7, "jobs": 5, "results": 7, "recipe_text": 7, "run": 4,
    "comparisons": 11, "new_collection": 4, "remove_collection": 4,
    "download": 4, "release": 10, "description": 6, "description_text": 6,
    "drop_batch": 5, "stop_batch": 4, "pay": 9, "settle": 3, "drop": 9,
    "people": 4, "invite_person": 3, "webhooks": 4, "webhook": 6, "remove_webhook": 4,
    "privacy": 9, "find_person": 3, "log": 5, "export_log": 4,
}  # fmt: skip


def test_the_number_of_queries_is_equal_for_one_three_and_60_rows(db, monkeypatch):
    monkeypatch.setattr(checklist, "STEPS_KEPT", 3600)  # never counted again between two requests
    studies = [fill(make_study(2 * n, slug=f"of-{n}", block_size=2), n) for n in NUMBERS]
    client = client_of(User.objects.create_superuser("op"))

    one, three, many = (count_queries(client, study) for study in studies)

    assert many.keys() == MOST.keys()
    assert {name: n for name, n in many.items() if n > MOST[name]} == {}
    assert {name: (three[name], n) for name, n in many.items() if n != three[name]} == {}
    assert {name: (one[name], n) for name, n in many.items() if n < one[name]} == {}


def test_the_rows_of_another_study_are_not_found(db):
    study = fill(make_study(2, slug="study", block_size=2), 1)
    make_study(2, slug="other", block_size=2)
    client = client_of(User.objects.create_superuser("op"))

    answers = {}
    for where, name in list_pages(study, *IDS):
        elsewhere = where.replace("/study/", "/other/")
        answers[name] = {client.get(elsewhere).status_code, client.post(elsewhere).status_code}

    assert len(answers) > 30
    others = {name: found for name, found in answers.items() if not found <= {404, 405}}
    assert others == {"remove_row": {302}}  # as if the row had been removed before
    assert study.pairs.count() == 2


def count_queries(client: Client, study: Study) -> dict[str, int]:
    """Return the number of queries of each page of a study, with warm caches.

    Two pages fill those of a study, with its steps and the sizes of its texts.
    """
    for name in ("overview", "stimuli"):
        client.get(reverse(f"console:{name}", args=[study.slug]))
    counts = {}
    for where, name in list_pages(study):
        with CaptureQueriesContext(connection) as asked:
            answer = client.get(where)
            b"".join(answer.streaming_content if answer.streaming else [answer.content])
        if answer.status_code == 200:
            counts[name] = len(asked)
    return counts


def list_pages(study: Study, *ids: str) -> list[tuple[str, str]]:
    """Return the URLs of all pages of a study by name, or of pages of rows with some ids."""
    pair = study.pairs.first()
    found = {
        "slug": study.slug, "pair_id": pair.pk, "context_id": pair.contexts.first().pk,
        "kind": "consent", "number": 1, "position": 1, "row": 1,
        "plot": "calibration", "form": "csv", "repository": "zenodo",
        "invitation_id": study.invitations.first().pk,
        "code": study.annotators.first().code, "run_id": study.runs.first().pk,
        "user_id": 1, "entrance_id": study.entrances.first().pk,
        "webhook_id": study.webhooks.first().pk,
        "batch_id": Batch.objects.filter(entrance__study=study).latest("pk").pk,
        "visit_id": Visit.objects.filter(entrance__study=study).latest("pk").pk,
    }  # fmt: skip
    reviewed = {**found, "number": Review.objects.answers(study).first().pk}
    pages = []
    for pattern in urlpatterns:
        named = pattern.pattern.converters
        is_wanted = not ids or pattern.name in OF_REVIEWS or {*ids} & {*named}
        if "slug" in named and is_wanted and pattern.name not in OF_FILES:
            known = reviewed if pattern.name.startswith("review") else found
            kwargs = {name: known[name] for name in named}
            pages.append((reverse(f"console:{pattern.name}", kwargs=kwargs), pattern.name))
    return pages


def fill(study: Study, n: int) -> Study:
    """Finish n questionnaires, and create n of all other rows that pages list."""
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
    for kind in sorted(RunKind):  # pages show the last run, and that of a comparison others
        make_runs(study, kind, n)
    multiply(import_model(study, study.pairs.count()), n, number=lambda k: k + 1, name=str)
    make_batches(study, n)
    text = current_text(study, TextKind.INVITATION)
    MailDelivery.objects.bulk_create(
        MailDelivery(study=study, text=text, kind=text.kind, invitation=link, address_digest=f"{k}")
        for k, link in enumerate(Invitation.objects.personal(study)[:n])
    )
    make_webhooks(study, n)
    for k in range(n):
        record("block.repeated", study, f"block {k}", reason="as it is")
    return study


def multiply(row: Any, n: int, **changed: Any) -> list[Any]:
    """Copy a row until there are n, with fields given by a function of the number."""
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
    """Let two reviewers disagree on one answer of each questionnaire, and skip the others."""
    reviewers = [User.objects.create_user(f"{name}-{study.slug}") for name in ("rea", "leo")]
    of_study = {"study": study, "draw": 0}
    Review.objects.bulk_create(Review(assignment=assignment, **of_study) for assignment in done)
    study.assignments.update(filed_at=timezone.now())
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


def make_batches(study: Study, n: int) -> None:
    """Create n batches; the last one has n faulty HITs, workers and payments."""
    hit = Hit.objects.get(batch=arm(plan(study, n_places=1)))
    *_, last = multiply(hit.batch, n, number=lambda k: k + 1)
    number = f"{study.pk:06}"
    hit.batch, hit.error = last, "it did not answer"
    hit.save()
    reservations = multiply(hit.reservation, n, token=lambda k: uuid4())
    multiply(hit, n, reservation=lambda k: reservations[k], token=lambda k: f"h{number}{k}")
    worker = Worker.objects.create(provider=hit.provider, worker_id=f"A{number}")
    assignments = list(study.assignments.order_by("pk")[:n])
    visit = Visit.objects.create(
        entrance=last.entrance, reservation=hit.reservation, worker=worker, submission=f"3{number}",
        assignment=assignments[0], provider_state="submitted", standing="payable",
    )  # fmt: skip
    visits = multiply(
        visit, n, submission=lambda k: f"3{number}{k}", assignment=lambda k: assignments[k]
    )
    payment = Payment.objects.create(
        batch=last, visit=visit, provider=hit.provider, submission=visit.submission,
        kind=PaymentKind.REWARD, grant_key=f"g{number}", amount_cents=1,
        by=User.objects.get(username="ana"),
    )  # fmt: skip
    multiply(
        payment, n, visit=lambda k: visits[k], submission=lambda k: visits[k].submission,
        grant_key=lambda k: f"g{number}{k}", token=lambda k: f"t{number}{k}",
    )  # fmt: skip


def make_webhooks(study: Study, n: int) -> None:
    """Create n webhooks; the first one has n messages."""
    webhook = Webhook.objects.create(study=study, url="https://lab.example.org/", is_active=False)
    multiply(webhook, n)
    delivery = Delivery.objects.create(webhook=webhook, event="test", subject="", payload={})
    multiply(delivery, n, subject=str)


def make_runs(study: Study, kind: RunKind, n: int) -> None:
    done = {"report": REPORT, "recipe": QUICK, "recipe_name": "raw", "state": JobState.DONE}
    runs = [make_run(study, kind, **done, collected_at=timezone.now()) for _ in range(n)]
    runs[0].archive.save("made.zip", ContentFile(b""), save=False)
    Run.objects.update(archive=runs[0].archive.name)
