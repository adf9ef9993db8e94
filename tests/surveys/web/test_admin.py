from urllib.parse import quote

import pytest
from django.apps import apps
from django.contrib import admin
from django.contrib.auth.models import Permission, User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from surveys.crowd.models import Grant, Qualification
from surveys.models import Assignment, Entrance, Invitation, Response, Study
from surveys.models.participation import make_token
from surveys.participation.arrivals import start_through
from surveys.recruitment.links import invite_listed, open_entrance
from surveys.recruitment.providers import Claims
from surveys.study.stimuli.checkpoints import import_checkpoints
from surveys.web.admin.read_only import list_tables
from tests.factories.batches import arm, do, hand_in, plan, publish
from tests.factories.checkpoints import file, row
from tests.factories.clients import client_of
from tests.factories.studies import finish, make_release, make_study, start

pytestmark = pytest.mark.django_db

OF_CORE = (
    "study", "studytext", "pair", "context", "checkpoint", "questionnaire", "round", "entrance",
    "invitation", "visit", "assignment", "response", "release",
)  # fmt: skip
OF_CROWD = ("batch", "hit", "payment", "qualification", "grant")
PAGES = [*(f"surveys_{name}" for name in OF_CORE), *(f"crowd_{name}" for name in OF_CROWD)]
WORKER = "5f0c0ffee0000000000000aa"


def make_busy_study(slug: str) -> Study:
    """Return a study with at least one row in every table."""
    study = make_study(2, slug=slug, ratings_per_context=4)
    import_checkpoints(study, file(row()), per_assignment=1)
    finish(start(study, invite_listed(study, ["anna@example.org"]).new[0]))
    prolific = open_entrance(study, "prolific", completion_code="DONE")
    start_through(prolific, make_token(), Claims({}, "study1", "session1", f"{WORKER}{slug}"))
    make_release(study, report={"counts": {"pairs": 2}})
    make_paid_work(study)
    return study


def make_paid_work(study: Study) -> None:
    """Create a finished and approved HIT with its payment and a qualification."""
    (hit,) = publish(arm(plan(study, 1)))
    slug = study.slug.replace("-", "").upper()
    visit = hand_in(do(hit, f"A1PLANTED{slug}", f"3ASSIGNMENT{study.pk}"), state="approved")
    qualification = Qualification.objects.create(
        study=study, provider="simulator", name=f"had block 1 of {study}"
    )
    Grant.objects.create(qualification=qualification, worker=visit.worker, reason="came")


def staff(*permissions: str) -> Client:
    """Return the client of a staff user with these permissions."""
    user = User.objects.create_user("staff", is_staff=True)
    user.user_permissions.set(Permission.objects.filter(codename__in=permissions))
    return client_of(user)


@pytest.mark.every_database
@pytest.mark.needs("sharedtasks", "contexts")
def test_all_tables_have_pages_but_those_left_out():
    tables = list_tables("surveys")

    assert {model.__name__ for model in tables if not admin.site.is_registered(model)} == {
        "AccountSession", "Annotator", "Arrival", "Block", "ConsentNotice", "ContextClaim",
        "CountedSubmission", "FrozenBoard", "Item", "Place", "RefusedUpload", "ReviewClaim",
        "SharedMark", "SignInBudget", "SubtaskScore", "Upload", "Worker",
    }  # fmt: skip


def test_lists_make_the_same_number_of_queries_for_one_row_and_for_three(admin_client):
    make_busy_study("study-1")
    for_one = {page: count_queries(admin_client, page) for page in PAGES}
    make_busy_study("study-2"), make_busy_study("study-3")

    assert {page: count_queries(admin_client, page) for page in PAGES} == for_one


def count_queries(client: Client, page: str) -> int:
    """Return the number of queries of a list page."""
    with CaptureQueriesContext(connection) as queries:
        assert client.get(reverse(f"admin:{page}_changelist")).status_code == 200
    return len(queries)


def test_rows_cannot_be_added_changed_or_deleted(admin_client):
    make_busy_study("study")

    for page in PAGES:
        added = admin_client.get(reverse(f"admin:{page}_add"))
        listed = admin_client.get(reverse(f"admin:{page}_changelist")).content.decode()
        assert (page, added.status_code) == (page, 403)
        assert "delete_selected" not in listed


def test_pages_show_no_worker_id_and_no_unrelated_link(admin_client):
    make_busy_study("study")

    for page in PAGES:
        rows = apps.get_model(page.replace("_", ".")).objects.all()
        urls = [reverse(f"admin:{page}_change", args=[row.pk]) for row in rows]
        urls.append(reverse(f"admin:{page}_changelist"))
        text = "".join(admin_client.get(url).content.decode() for url in urls)
        shown = {
            f"surveys_{model._meta.model_name}"
            for model in (Assignment, Entrance, Invitation)
            if any(token in text for token in model.objects.values_list("token", flat=True))
        }
        assert shown == {page} & {"surveys_entrance", "surveys_invitation"}
        assert WORKER not in text


def test_study_list_names_the_study_and_questionnaire_list_its_block_by_id(admin_client):
    study = make_study(2, slug="wordsim")

    pages = {
        page: admin_client.get(reverse(f"admin:{page}_changelist")).content.decode()
        for page in ("surveys_pair", "surveys_questionnaire")
    }

    assert '<td class="field-study nowrap">wordsim</td>' in pages["surveys_pair"]
    assert (
        f'<td class="field-block_id">{study.blocks.get().pk}</td>' in pages["surveys_questionnaire"]
    )


@pytest.mark.parametrize(
    ("page", "table", "chosen"),
    [
        ("surveys_assignment", Assignment, {"state": "submitted"}),
        ("surveys_response", Response, {"is_unjudgeable__exact": "0"}),
    ],
)
def test_a_filtered_list_makes_one_count_query(admin_client, page, table, chosen):
    make_busy_study("study")

    with CaptureQueriesContext(connection) as queries:
        admin_client.get(reverse(f"admin:{page}_changelist"), chosen)

    counts = [q["sql"] for q in queries if q["sql"].startswith("SELECT COUNT(*)")]
    assert len([sql for sql in counts if f'FROM "{table._meta.db_table}"' in sql]) == 1


def test_anonymous_users_are_redirected_to_sign_in(client):
    for url in [reverse(f"admin:{page}_changelist") for page in PAGES]:
        answer = client.get(url)
        assert answer.status_code == 302
        assert answer.url == f"{reverse('admin:login')}?next={quote(url)}"


@pytest.mark.parametrize(
    "page", ["crowd_grant", "surveys_invitation", "crowd_payment", "surveys_visit"]
)
def test_personal_data_is_shown_to_operators_only(page):
    make_busy_study("study")
    client = staff(f"view_{page.partition('_')[2]}", "view_study")

    assert client.get(reverse(f"admin:{page}_changelist")).status_code == 403
    assert client.get(reverse("admin:surveys_study_changelist")).status_code == 200
