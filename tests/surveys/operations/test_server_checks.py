import pytest

from surveys.operations.server_checks import check_at_start


@pytest.fixture
def served(settings, tmp_path):
    """A server behind https, with static files."""
    settings.IS_HTTPS, settings.STATIC_ROOT = True, tmp_path
    (tmp_path / "staticfiles.json").touch()
    return settings


def test_a_server_without_static_files_says_so_instead_of_failing_on_each_page(served, tmp_path):
    (tmp_path / "staticfiles.json").unlink()

    with pytest.raises(SystemExit, match=r"not in .*Run manage.py collectstatic on each server"):
        check_at_start()

    served.DEBUG = True
    check_at_start()


def test_a_missing_proxy_setting_is_logged_at_the_start(served, caplog):
    check_at_start()
    assert "TRUSTED_PROXIES is empty" in caplog.text
    caplog.clear()

    served.TRUSTED_PROXIES = ["127.0.0.1"]
    check_at_start()
    served.TRUSTED_PROXIES, served.IS_HTTPS = [], False
    check_at_start()
    assert caplog.text == ""
