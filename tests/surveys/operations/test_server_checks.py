import pytest
from django.db import connection

from surveys.models import SharedMark
from surveys.operations.server_checks import (
    accept_server,
    check_marks,
    check_server,
    report_at_start,
)

pytestmark = [pytest.mark.django_db, pytest.mark.every_database]  # SQLite has one server
on_postgresql = pytest.mark.skipif(connection.vendor != "postgresql", reason="one server")


@pytest.fixture
def tls(settings, tmp_path, monkeypatch):
    """A server behind https, with static files."""
    monkeypatch.setattr(connection, "close", lambda: None)  # it is the one of the test
    settings.IS_HTTPS, settings.STATIC_ROOT = True, tmp_path
    (tmp_path / "staticfiles.json").touch()
    return settings


def test_a_server_without_static_files_says_so_instead_of_failing_on_each_page(tls, tmp_path):
    (tmp_path / "staticfiles.json").unlink()

    with pytest.raises(SystemExit, match=r"not in .*Run manage.py collectstatic on each server"):
        report_at_start(check_server())

    tls.DEBUG = True
    report_at_start(check_server())


def test_a_missing_proxy_setting_is_logged_at_the_start(tls, caplog):
    report_at_start(check_server())
    assert "TRUSTED_PROXIES is empty" in caplog.text
    caplog.clear()

    tls.TRUSTED_PROXIES = ["127.0.0.1"]
    report_at_start(check_server())
    tls.TRUSTED_PROXIES, tls.IS_HTTPS = [], False
    report_at_start(check_server())
    assert caplog.text == ""


def test_on_sqlite_no_marks_are_left(settings, tmp_path):
    settings.MEDIA_ROOT = tmp_path / "files"

    if connection.vendor == "sqlite":
        assert check_marks() == []
        assert not SharedMark.objects.exists()


@on_postgresql
def test_a_second_server_with_other_files_or_another_key_is_refused(tls, tmp_path):
    first, second = tmp_path / "first", tmp_path / "second"
    tls.MEDIA_ROOT = first
    assert (check_marks(), check_marks()) == ([], [])

    tls.MEDIA_ROOT = second
    with pytest.raises(SystemExit, match=r"VAR_DIR/files differs from the first server's"):
        report_at_start(check_server())
    second.joinpath("site_mark").unlink()
    second.rmdir()
    second.symlink_to(first)
    assert check_marks() == []

    tls.SECRET_KEY = "another"
    assert [found.msg.split()[0] for found in check_marks()] == ["SECRET_KEY"]
    accept_server()
    assert check_marks() == []


@on_postgresql
def test_a_folder_that_cannot_be_written_is_refused_only_beside_another_server(tls, tmp_path):
    (tmp_path / "file").touch()
    tls.MEDIA_ROOT = tmp_path / "file" / "files"
    assert check_marks() == []

    tls.MEDIA_ROOT = tmp_path / "files"
    assert check_marks() == []
    tls.MEDIA_ROOT = tmp_path / "file" / "files"
    assert [found.id for found in check_marks()] == ["surveys.E002"]
