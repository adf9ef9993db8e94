import re
from datetime import timedelta
from urllib.parse import quote

import lxml.html
import pytest
from django.apps import apps
from django.contrib.auth.models import Permission, User
from django.db import connection
from django.db.models import F
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from surveys.models import (
    Assignment,
    Entrance,
    Grant,
    Invitation,
    Qualification,
    Response,
    Study,
)
from surveys.models.collection import make_token
from surveys.participation.arrivals import start_through
from surveys.participation.assignments import count_places_left
from surveys.participation.withdrawal import return_assignment
from surveys.recruitment.links import invite_listed, open_entrance
from surveys.recruitment.providers import Claims
from surveys.results.export import stream_responses
from surveys.study.design import configure_study
from surveys.study.layout.rounds import repeat_block
from surveys.study.stimuli.checkpoints import import_checkpoints
from tests.factories import finish, make_release, make_study, rate_due, start, stored
from tests.mturk.offered import arm, do, hand_in, plan, publish
from tests.surveys.checkpoint_rows import file, row

pytestmark = pytest.mark.django_db

PAGES = [
    "study", "studytext", "pair", "context", "checkpoint", "questionnaire", "round", "entrance",
    "invitation", "visit", "assignment", "response", "release", "batch", "hit", "payment",
    "qualification", "grant",
]  # fmt: skip
WORKER = "5f0c0ffee0000000000000aa"


def make_busy_study(slug: str) -> Study:
    """A study with one row or more in every table."""
    study = make_study(2, slug=slug, ratings_per_context=4)
    import_checkpoints(study, file(row()), per_assignment=1)
    finish(start(study, invite_listed(study, ["anna@example.org"]).new[0]))
    prolific = open_entrance(study, "prolific", completion_code="DONE")
    start_through(prolific, make_token(), Claims({}, "study1", "session1", f"{WORKER}{slug}"))
    make_release(study, report={"counts": {"pairs": 2}})
    make_paid_work(study)
    return study


def make_paid_work(study: Study) -> None:
    """A HIT that was done, with what was paid for it and a qualification."""
    (hit,) = publish(arm(plan(study, 1)))
    slug = study.slug.replace("-", "").upper()
    visit = hand_in(do(hit, f"A1PLANTED{slug}", f"3ASSIGNMENT{study.pk}"), state="approved")
    qualification = Qualification.objects.create(
        study=study, provider="simulator", name=f"had block 1 of {study}"
    )
    Grant.objects.create(qualification=qualification, worker=visit.worker, reason="came")


def staff(*permissions: str) -> Client:
    """A browser in which somebody on the staff with these permissions is signed in."""
    user = User.objects.create_user("staff", is_staff=True)
    user.user_permissions.set(Permission.objects.filter(codename__in=permissions))
    client = Client()
    client.force_login(user)
    return client


def test_lists_make_the_same_number_of_queries_for_one_row_and_for_three(admin_client):
    make_busy_study("study-1")
    for_one = {page: count_queries(admin_client, page) for page in PAGES}
    make_busy_study("study-2"), make_busy_study("study-3")

    assert {page: count_queries(admin_client, page) for page in PAGES} == for_one


def count_queries(client: Client, page: str) -> int:
    """How many queries the list page makes."""
    with CaptureQueriesContext(connection) as queries:
        assert client.get(reverse(f"admin:surveys_{page}_changelist")).status_code == 200
    return len(queries)


@pytest.mark.parametrize("page", PAGES)
def test_nothing_is_added_changed_or_deleted_here(admin_client, page):
    make_busy_study("study")

    assert admin_client.get(reverse(f"admin:surveys_{page}_add")).status_code == 403
    listed = admin_client.get(reverse(f"admin:surveys_{page}_changelist")).content.decode()
    assert "delete_selected" not in listed


@pytest.mark.parametrize("page", PAGES)
def test_pages_show_no_worker_and_no_link_that_is_not_their_purpose(admin_client, page):
    make_busy_study("study")
    rows = apps.get_model("surveys", page).objects.all()
    urls = [reverse(f"admin:surveys_{page}_change", args=[row.pk]) for row in rows]
    urls.append(reverse(f"admin:surveys_{page}_changelist"))

    text = "".join(admin_client.get(url).content.decode() for url in urls)

    shown = {
        model._meta.model_name
        for model in (Assignment, Entrance, Invitation)
        if any(token in text for token in model.objects.values_list("token", flat=True))
    }
    assert shown == {page} & {"entrance", "invitation"}
    assert WORKER not in text


def cells(client: Client, page: str, *fields: str) -> list[tuple[str, ...]]:
    """What a list page says in some of its columns, as text."""
    document = lxml.html.fromstring(client.get(reverse(f"admin:surveys_{page}_changelist")).content)
    rows = document.xpath('//table[@id="result_list"]/tbody/tr')
    return [
        tuple(row.find_class(f"field-{field}")[0].text_content() for field in fields)
        for row in rows
    ]


def test_study_list_counts_pairs_and_assignments(admin_client):
    study = make_study(5, block_size=3, ratings_per_context=4)
    finish(start(study))
    start(study)

    assert cells(admin_client, "study", "n_pairs", "n_started", "n_finished", "n_wanted") == [
        ("5", "2", "1", "16")
    ]


def test_study_list_counts_what_is_finished_in_current_rounds(admin_client):
    study = make_study(2, ratings_per_context=1)
    finish(start(study)), finish(start(study))
    repeat_block(study.blocks.get(), reason="scripts", author="anna")
    finish(start(study))

    assert cells(admin_client, "study", "n_started", "n_finished", "n_wanted") == [("3", "1", "2")]


@pytest.mark.parametrize(("n_wanted", "n_free"), [(3, ("2", "3")), (1, ("0", "1"))])
def test_questionnaire_list_takes_lapsed_places_for_free(admin_client, n_wanted, n_free):
    """As many as whoever comes next could get; of what lapsed in another study, none."""
    study = make_study(2, ratings_per_context=3)
    finish(start(study))
    begun = [start(study) for _ in range(5)]
    other = start(make_study(2, slug="other", ratings_per_context=1, lease_hours=100))
    Assignment.objects.update(active_at=F("active_at") - timedelta(hours=25))
    configure_study(study, ratings_per_context=n_wanted)

    listed = cells(admin_client, "questionnaire", "block", "letter", "n_free")

    assert sorted(listed) == [
        ("other 1", "A", "0"), ("other 1", "B", "1"),
        ("study 1", "A", n_free[0]), ("study 1", "B", n_free[1]),
    ]  # fmt: skip
    assert count_places_left(study) == sum(map(int, n_free))
    assert {stored(a, "state") for a in (*begun, other)} == {("started",)}


def test_questionnaire_list_tells_where_annotators_are_wanted(admin_client):
    study = make_study(2, ratings_per_context=3)
    finish(start(study))
    repeat_block(study.blocks.get(), reason="scripts", author="anna")
    finish(start(study)), start(study), start(study)

    columns = ("letter", "n_texts", "n_places", "n_free", "n_finished")
    assert cells(admin_client, "questionnaire", *columns) == [
        ("A", "2", "3", "1", "1"), ("B", "2", "3", "2", "0"),
    ]  # fmt: skip


def test_round_list_tells_who_repeated_what_and_why(admin_client):
    study = make_study(2)
    finish(start(study))
    repeat_block(study.blocks.get(), reason="scripts", author="anna")

    assert cells(admin_client, "round", "number", "n_finished", "opened_by", "reason") == [
        ("1", "1", "-", "-"), ("2", "0", "anna", "scripts"),
    ]  # fmt: skip


def test_entrance_list_tells_the_address_and_how_many_started(admin_client, settings):
    settings.SITE_URL = "https://survey.example.org"
    study = make_study(2)
    entrance = open_entrance(study, "link", cap=7)
    start_through(entrance, "t" * 22)

    assert cells(admin_client, "entrance", "address", "cap", "n_started") == [
        (f"https://survey.example.org/join/{entrance.token}/", "7", "1")
    ]


def test_invitation_list_tells_how_far_each_has_led(admin_client):
    study = make_study(2)
    links = invite_listed(study, ["unused", "started"]).new
    start(study, links[1])

    assert cells(admin_client, "invitation", "note", "latest_state") == [
        ("started", "Started"), ("unused", "Unused"),
    ]  # fmt: skip


def test_assignment_list_tells_state_round_and_texts(admin_client):
    assignment = start(make_study(2))
    rate_due(assignment, 3)
    return_assignment(assignment, "link revoked")

    columns = ("round__number", "state", "n_rated", "n_items", "ended_because")
    assert cells(admin_client, "assignment", *columns) == [
        ("1", "Returned", "1", "2", "link revoked")
    ]


@pytest.mark.parametrize(
    ("page", "table", "chosen"),
    [
        ("assignment", Assignment, {"state": "submitted"}),
        ("response", Response, {"is_unjudgeable__exact": "0"}),
    ],
)
def test_a_choice_from_what_may_be_millions_counts_that_choice_alone(
    admin_client, page, table, chosen
):
    make_busy_study("study")

    with CaptureQueriesContext(connection) as queries:
        admin_client.get(reverse(f"admin:surveys_{page}_changelist"), chosen)

    counts = [q["sql"] for q in queries if q["sql"].startswith("SELECT COUNT(*)")]
    assert len([sql for sql in counts if f'FROM "{table._meta.db_table}"' in sql]) == 1


def test_strangers_are_sent_to_sign_in(client):
    study = make_study(1)
    urls = [reverse(f"admin:surveys_{page}_changelist") for page in PAGES]
    for url in [*urls, reverse("admin:surveys_study_responses", args=[study.pk])]:
        answer = client.get(url)
        assert answer.status_code == 302
        assert answer.url == f"{reverse('admin:login')}?next={quote(url)}"


def test_responses_are_downloaded_by_who_may_see_them():
    study = make_study(2)
    finish(start(study))
    client = staff("view_response", "view_study")
    page = client.get(reverse("admin:surveys_study_changelist")).content.decode()
    (url,) = re.findall(r'href="([^"]+\.csv)"', page)

    answer = client.get(url)

    assert answer.status_code == 200
    assert answer.streaming
    assert b"".join(answer).decode() == "".join(stream_responses(study))
    assert {name: answer[name] for name in ("Content-Type", "Content-Disposition",
                                            "Cache-Control")} == {
        "Content-Type": "text/csv; charset=utf-8",
        "Content-Disposition": 'attachment; filename="responses_study.csv"',
        "Cache-Control": "no-store",
    }  # fmt: skip


def test_responses_are_linked_from_the_page_of_their_study(admin_client):
    study = make_study(1)

    page = admin_client.get(reverse("admin:surveys_study_change", args=[study.pk]))

    url = reverse("admin:surveys_study_responses", args=[study.pk])
    assert f'<a href="{url}">' in page.content.decode()


def test_responses_are_refused_to_who_may_not_see_them():
    study = make_study(1)
    client = staff("view_study")
    url = reverse("admin:surveys_study_responses", args=[study.pk])

    assert client.get(url).status_code == 403
    pages = [
        reverse("admin:surveys_study_changelist"),
        reverse("admin:surveys_study_change", args=[study.pk]),
    ]
    assert [url in client.get(page).content.decode() for page in pages] == [False, False]


def test_responses_of_no_study_are_not_found(admin_client):
    assert admin_client.get(reverse("admin:surveys_study_responses", args=[9])).status_code == 404


def test_responses_are_only_read(admin_client):
    url = reverse("admin:surveys_study_responses", args=[make_study(1).pk])

    assert admin_client.post(url).status_code == 405


@pytest.mark.parametrize("page", ["invitation", "visit"])
def test_who_people_are_is_shown_to_operators_alone(page):
    make_busy_study("study")
    client = staff("view_invitation", "view_visit", "view_study")

    assert client.get(reverse(f"admin:surveys_{page}_changelist")).status_code == 403
