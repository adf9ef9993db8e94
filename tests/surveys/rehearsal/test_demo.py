from io import StringIO
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.contrib.staticfiles.finders import get_finder
from django.core.management import call_command

from surveys.models import Invitation, Study
from surveys.participation.withdrawal import revoke_invitation
from surveys.rehearsal.demo import (
    find_open_invitation,
    prepare_demo_studies,
    prepare_researcher,
    prepare_static_files,
)
from tests.factories.studies import finish, make_study, start

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def var_dir(settings, tmp_path) -> Path:
    settings.VAR_DIR = tmp_path
    return tmp_path


def test_static_files_are_collected_again_only_when_they_have_changed(settings, tmp_path):
    sources = tmp_path / "sources"
    sources.mkdir()
    (sources / "a.css").write_text("p { color: red }")
    settings.STATICFILES_DIRS = [sources]
    settings.STATICFILES_FINDERS = ["django.contrib.staticfiles.finders.FileSystemFinder"]
    settings.STATIC_ROOT = tmp_path / "static"
    get_finder.cache_clear()

    def when_collected() -> int:
        prepare_static_files()
        return (tmp_path / "static/staticfiles.json").stat().st_mtime_ns

    first, again = when_collected(), when_collected()
    (sources / "a.css").write_text("p { color: blue }")
    changed = when_collected()

    assert first == again < changed
    assert "blue" in next((tmp_path / "static").glob("a.*.css")).read_text()
    get_finder.cache_clear()


def test_static_files_that_no_page_uses_are_not_collected(settings, tmp_path):
    settings.STATIC_ROOT = tmp_path / "static"

    prepare_static_files()

    collected = {path.name for path in settings.STATIC_ROOT.iterdir()}
    assert (collected & {"admin", "css", "rest_framework"}) == {"admin", "css"}


def test_prepare_researcher_returns_the_password_of_a_new_account(var_dir):
    first, again = prepare_researcher(), prepare_researcher()

    assert again is None
    assert len(first) >= 16
    assert User.objects.get().check_password(first)
    assert list(var_dir.iterdir()) == []  # it is kept nowhere


def test_prepare_researcher_keeps_a_changed_password():
    prepare_researcher()
    user = User.objects.get()
    user.set_password("a new password")
    user.save()

    assert prepare_researcher() is None
    assert User.objects.get().check_password("a new password")


def test_prepare_demo_studies_creates_them_once():
    prepare_demo_studies()
    studies = prepare_demo_studies()

    assert [(s.slug, s.pairs.count()) for s in studies] == [
        ("demo-en", 14), ("demo-hr", 6), ("demo-sl", 6), ("demo-fi", 6),
    ]  # fmt: skip
    assert Study.objects.count() == 4


def test_find_open_invitation_creates_a_link_when_the_last_is_finished():
    study = make_study(1)
    first = find_open_invitation(study)
    assert find_open_invitation(study) == first

    assignment = start(study, first)
    assert find_open_invitation(study) == first

    finish(assignment)
    assert find_open_invitation(study) != first
    assert Invitation.objects.count() == 2


def test_find_open_invitation_skips_a_revoked_link():
    study = make_study(1)
    revoked = revoke_invitation(find_open_invitation(study), "sent to a wrong address")

    assert find_open_invitation(study) != revoked


def test_find_open_invitation_of_a_full_study_is_none():
    study = make_study(1, ratings_per_context=1)
    finish(start(study)), finish(start(study))

    assert find_open_invitation(study) is None


@pytest.mark.needs("sharedtasks")
def test_prepare_site_prints_every_link(settings):
    settings.SITE_URL = "http://127.0.0.1:8123"
    out = StringIO()

    call_command("prepare_site", stdout=out)

    tokens = Invitation.objects.order_by("pk").values_list("token", flat=True)
    text = out.getvalue()
    assert [f"http://127.0.0.1:8123/invitation/{token}/" in text for token in tokens] == [True] * 4
    assert "http://127.0.0.1:8123/console/" in text
    assert "which are being made now" in text
    assert "http://127.0.0.1:8123/console/studies/demo-finished/" in text
    assert "http://127.0.0.1:8123/tasks/demo/" in text
    assert User.objects.get().check_password(text.split("password: ")[1].split()[0])


def test_prepare_site_without_demo_explains_the_import():
    out = StringIO()

    call_command("prepare_site", "--no-demo", stdout=out)

    assert "import_stimuli" in out.getvalue()
    assert "/demo" not in out.getvalue()
    assert not Study.objects.exists()


def test_the_start_page_says_that_the_demo_is_made_until_it_is_finished(
    client, settings, monkeypatch
):
    settings.SHOW_DEMO = True
    command = "surveys.management.commands.finish_demo"
    monkeypatch.setattr(f"{command}.prepare_finished_study", lambda: None)

    def says_so() -> bool:
        return "is still being made" in client.get("/").content.decode()

    before = says_so()
    call_command("prepare_site", stdout=StringIO())
    meanwhile = says_so()
    call_command("finish_demo")

    assert [before, meanwhile, says_so()] == [False, True, False]
    settings.SHOW_DEMO = False
    call_command("prepare_site", stdout=StringIO())
    assert not says_so()
