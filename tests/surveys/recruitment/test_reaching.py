import pytest

from surveys.recruitment.reaching import warn_unreachable

ALONE, NEAR = "of this machine alone: nobody else", "of a local network: nobody outside it"


@pytest.mark.parametrize(
    ("url", "said"),
    [
        ("http://127.0.0.1:8000", ALONE),
        ("http://127.8.8.8", ALONE),
        ("http://localhost:8000", ALONE),
        ("http://LOCALHOST", ALONE),
        ("http://cosima.localhost", ALONE),
        ("http://[::1]:8000", ALONE),
        ("http://0.0.0.0:8000", ALONE),
        ("http://192.168.1.7:8000", NEAR),
        ("http://10.0.0.3", NEAR),
        ("http://172.16.4.1", NEAR),
        ("http://169.254.3.3", NEAR),
        ("http://[fe80::1]", NEAR),
        ("http://[fd00::7]", NEAR),
        ("http://lab-server:8000", NEAR),
        ("http://cosima.local", NEAR),
    ],
)
def test_warn_unreachable_of_a_local_address(url, said, settings):
    settings.SITE_URL = url

    warning = warn_unreachable()

    assert said in warning
    assert f"Links begin with {url}," in warning
    assert "Set SITE_URL" in warning


@pytest.mark.parametrize(
    "url",
    [
        "https://survey.example.org",
        "https://127.0.0.1.example.org",
        "https://mylocalhost.org",
        "http://8.8.8.8",
        "http://[2001:4860:4860::8888]",
    ],
)
def test_warn_unreachable_of_a_public_address_is_empty(url, settings):
    settings.SITE_URL = url

    assert warn_unreachable() == ""
