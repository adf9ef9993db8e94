"""The download of all responses from the real server."""

import httpx

from tests.end_to_end.site import Site
from tests.factories.studies import numbered_stimuli


def test_responses_are_sent_to_holders_of_a_token(site: Site, tmp_path):
    stimuli = tmp_path / "data_en.tsv"
    stimuli.write_bytes(numbered_stimuli(3))
    site.make_study(stimuli, "study", "--language", "en")
    site.manage("rehearse_study", "study", "--base-url", site.url, "--annotators", "2")
    site.manage("add_researcher", "ana", "--study", "study")
    key = site.manage("make_token", "ana", "export", "--scope", "responses:read").strip()
    address = f"{site.url}/api/v1/studies/study/responses.csv"

    sent = httpx.get(address, headers={"Authorization": f"Bearer {key}"})
    refused = httpx.get(address)

    assert sent.text == site.manage("export_responses", "study")
    assert sent.text.count("\n") == 1 + 2 * 3
    assert int(sent.headers["content-length"]) == len(sent.content)  # complete before it is sent
    assert sent.headers["cache-control"] == "no-store"
    assert sent.headers["content-disposition"].startswith("attachment; filename=")
    assert refused.status_code == 401
