"""The finished demo studies of other designs: what is collected, shown and released."""

import zipfile

import pytest
from django.urls import reverse

from surveys.access.roles import is_demonstration
from surveys.models import Response, Run, Study
from surveys.rehearsal.finished.designs import prepare_finished_designs

pytestmark = pytest.mark.django_db


def test_two_designs_are_collected_released_and_shown(client, settings):
    settings.SHOW_DEMO = True

    prepare_finished_designs()
    prepare_finished_designs()

    studies = {study.slug: study for study in Study.objects.all()}
    assert {slug: study.design for slug, study in studies.items()} == {
        "demo-words": "simlex", "demo-uses": "durel",
    }  # fmt: skip
    assert all(map(is_demonstration, studies.values()))
    assert Response.objects.exclude(rating=None).count() == 15 * 20 + 5 * 12
    assert [run.state for run in Run.objects.all()] == ["done"] * 4
    for release in Run.objects.releases():
        assert any("/published/" in name for name in zipfile.ZipFile(release.archive).namelist())
    page = client.get("/").content.decode()
    assert all(reverse("console:overview", args=[slug]) in page for slug in studies)
