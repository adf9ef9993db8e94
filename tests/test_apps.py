"""The core without its apps: without each of them, and without all."""

import os
import sys
import tempfile
import time

import pytest
from django.conf import settings
from django.contrib.auth.models import User
from django.core.management import call_command
from django.test import override_settings

from surveys.recruitment.links import invite_annotators
from surveys.study.lifecycle import close_study
from tests.end_to_end.commands import run_commands, share_static_files
from tests.factories.arrivals import RIGHT, welcome
from tests.factories.clients import client_of
from tests.factories.studies import finish, make_study, start
from tests.frozen.walking import Walk, crawl

SECONDS = 40  # of the processor
VISIT = "from tests.test_apps import visit_site; visit_site()"
QUICK = ["--no-report", "--accept-unscored"]
WITHOUT = {(app,) for app in settings.ALL_APPS} | {settings.ALL_APPS}


@pytest.mark.parametrize("off", sorted(WITHOUT), ids="+".join)
def test_the_core_needs_no_app(off, tmp_path):
    share_static_files(tmp_path)
    environment = {
        **{name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ},
        "APPS": ",".join(app for app in settings.ALL_APPS if app not in off),
        "ENV_FILE": os.devnull, "VAR_DIR": str(tmp_path),
    }  # fmt: skip

    done = run_commands(
        [
            ("migrate", "-v0"),
            ("check", "--fail-level", "WARNING"),
            ("makemigrations", "--check"),
            ("shell", "-v0", "-c", VISIT),
        ],
        environment,
    )

    assert done.returncode == 0, done.stderr
    assert float(done.stdout.splitlines()[-1]) < SECONDS


@override_settings(BACKGROUND="at once", ALLOWED_HOSTS=["testserver"])
def visit_site() -> None:
    """Answer, release and visit everything, in a site's own process; print its time."""
    study = make_study(2, ratings_per_context=2)
    annotator = Walk("annotator")
    annotator.get("/")
    begun = annotator.post(welcome(invite_annotators(study, 1)[0]), answer="agree")["Location"]
    assert annotator.follow(begun, RIGHT).endswith("thanks/")
    for rating in (1, 2, 5):
        finish(start(study), rating=rating)
    close_study(study)
    with tempfile.TemporaryDirectory() as folder:
        call_command("release_dataset", study.slug, f"{folder}/release", *QUICK, verbosity=0)
    operator = client_of(User.objects.create_superuser("operator"))
    starts = ("/console/", f"/console/studies/{study.slug}/", "/admin/", "/api/v1/schema/")
    pages = annotator.pages | crawl(operator, starts, "/console/")
    assert [page for page, text in pages.items() if str(text)[:3] not in ("200", "302")] == []
    assert f"/console/studies/{study.slug}/release/" in pages
    assert {app for app in settings.ALL_APPS if f"surveys.{app}.models" in sys.modules} == {
        *settings.APPS
    }
    print(time.process_time())  # noqa: T201
