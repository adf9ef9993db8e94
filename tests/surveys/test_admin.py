import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from surveys.models import Release
from tests.factories import finish, make_study, start

pytestmark = pytest.mark.django_db

PAGES = ["study", "pair", "context", "invitation", "assignment", "response", "release"]


@pytest.mark.parametrize("page", PAGES)
def test_list_makes_the_same_number_of_queries_for_one_row_and_for_three(admin_client, page):
    url = reverse(f"admin:surveys_{page}_changelist")
    n_queries = []
    for n_studies in (1, 3):
        for number in range(n_studies):
            study = make_study(2, slug=f"study-{n_studies}-{number}")
            finish(start(study))
            Release.objects.create(study=study, report={"counts": {"pairs": 2}})
        with CaptureQueriesContext(
            connection,
        ) as queries:
            assert admin_client.get(url).status_code == 200
        n_queries.append(len(queries))

    assert n_queries[0] == n_queries[1]


@pytest.mark.parametrize("page", PAGES)
def test_nothing_is_added_changed_or_deleted_here(admin_client, page):
    start(make_study(1))

    assert admin_client.get(reverse(f"admin:surveys_{page}_add")).status_code == 403
    listed = admin_client.get(reverse(f"admin:surveys_{page}_changelist")).content.decode()
    assert "delete_selected" not in listed


def test_study_list_counts_pairs_and_assignments(admin_client):
    study = make_study(5, block_size=3, ratings_per_context=4)
    finish(start(study))
    start(study)

    content = admin_client.get(reverse("admin:surveys_study_changelist")).content.decode()

    cells = [f'field-{name}">{count}<' in content for name, count in (
        ("n_pairs", 5), ("n_started", 2), ("n_finished", 1), ("n_wanted", 16))]  # fmt: skip
    assert cells == [True] * 4


def test_assignment_page_does_not_show_the_link_of_an_annotator(admin_client):
    assignment = start(make_study(1))

    url = reverse("admin:surveys_assignment_change", args=[assignment.pk])
    assert assignment.token not in admin_client.get(url).content.decode()


def test_strangers_are_sent_to_sign_in(client):
    for page in PAGES:
        answer = client.get(reverse(f"admin:surveys_{page}_changelist"))
        assert answer.status_code == 302
        assert "/admin/login/" in answer.url
