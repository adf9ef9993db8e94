"""The download of all responses from the real server."""

import re
from contextlib import closing

import httpx

from tests.end_to_end.site import Site
from tests.factories import numbered_stimuli


def sign_in(site: Site) -> httpx.Client:
    """A browser in which the researcher is signed in."""
    told = site.manage("prepare_site", "--no-demo")
    password = re.findall(r"password: (\S+)", told)[0]
    browser = httpx.Client(base_url=site.url, follow_redirects=True)
    browser.get("/admin/login/")
    answers = {"username": "researcher", "password": password, "next": "/admin/surveys/study/"}
    token = browser.cookies["csrftoken"]
    page = browser.post("/admin/login/", data={**answers, "csrfmiddlewaretoken": token})
    assert page.url.path == "/admin/surveys/study/"
    return browser


def test_responses_are_sent_in_pieces_to_staff_alone(site: Site, tmp_path):
    stimuli = tmp_path / "data_en.tsv"
    stimuli.write_bytes(numbered_stimuli(3))
    site.make_study(stimuli, "study", "--language", "en")
    site.manage("rehearse_study", "study", "--base-url", site.url, "--annotators", "2")

    with closing(sign_in(site)) as browser:
        (address,) = re.findall(
            r'href="([^"]+/responses\.csv)"', browser.get("/admin/surveys/study/").text
        )
        sent = browser.get(address)
    refused = httpx.get(site.url + address)

    assert sent.text == site.manage("export_responses", "study")
    assert sent.text.count("\n") == 1 + 2 * 3
    assert sent.headers["transfer-encoding"] == "chunked"  # its length is not known beforehand
    assert sent.headers["cache-control"] == "no-store"
    assert sent.headers["content-disposition"] == 'attachment; filename="responses_study.csv"'
    assert (refused.status_code, refused.headers["location"]) == (
        302, f"/admin/login/?next={address}",
    )  # fmt: skip
