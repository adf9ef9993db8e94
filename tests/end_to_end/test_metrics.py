"""What Prometheus reads of a real server of two processes, and what its log says."""

import json
import re
from collections.abc import Iterator
from uuid import uuid4

import httpx
import pytest
from prometheus_client.parser import text_string_to_metric_families

from tests.end_to_end.annotators import begin, get, post, read_consent
from tests.end_to_end.site import Site, open_site
from tests.factories.studies import numbered_stimuli
from tests.machine import ROOT

KEY = "scraped-by-the-lab"
N_ITEMS = 2
NOT_YET = {"cosima_timer_last_success_timestamp_seconds"} | {
    f"cosima_{name}" for name in ("job_delay_seconds", "unpaid_cents")
}  # of which the site has none yet
READERS = ROOT / "deploy/prometheus"  # alerts and dashboard, which ask for figures by name
WORDS = {"inspired_word1": "harvestword", "inspired_word2": "moonword"}
PERSON = {"PROLIFIC_PID": "pid5f5f5f", "STUDY_ID": "providerstudy", "SESSION_ID": "session7b7b"}


@pytest.fixture
def measured_site(pristine, tmp_path) -> Iterator[Site]:
    """A site with a study of two places, and room for them alone."""
    with open_site(pristine, tmp_path, 2, METRICS_TOKEN=KEY, LOG_FORMAT="json") as site:
        (tmp_path / "data_en.tsv").write_bytes(numbered_stimuli(N_ITEMS))
        site.make_study(
            tmp_path / "data_en.tsv", "harvest", "--language", "en", "--ratings-per-context", "1",
            "--block-size", str(N_ITEMS),
        )  # fmt: skip
        yield site


def read_metrics(site: Site) -> dict[tuple[str, ...], float]:
    """The site's figures by name and labels' values."""
    answer = ask(site, f"Bearer {KEY}")
    assert answer.status_code == 200, answer.text
    return {
        (sample.name, *sample.labels.values()): sample.value
        for family in text_string_to_metric_families(answer.text)
        for sample in family.samples
    }


def ask(site: Site, authorization: str = "") -> httpx.Response:
    headers = {"Authorization": authorization} if authorization else {}
    return httpx.get(f"{site.url}/metrics", headers=headers)


def judge_all(survey: str) -> None:
    """Answer all items, the last one twice, as after a reload."""
    for position in range(1, N_ITEMS + 1):
        post(f"{survey}{position}/words/", WORDS)
        post(f"{survey}{position}/rating/", {"rating": "3"})
    post(f"{survey}{N_ITEMS}/rating/", {"rating": "3"})


def test_the_processes_of_a_server_count_together_and_name_nobody(measured_site: Site):
    site = measured_site
    personal = site.invite("harvest", 2)
    late = read_consent(personal[1])
    entrance = site.manage(
        "entrance", "prolific", "harvest", "--completion-code", "DONE1", "--no-place-code", "FULL1"
    ).split()[-1].split("?")[0]  # fmt: skip
    survey = begin(site, personal[0])
    judge_all(survey)
    paid = f"{entrance}?{httpx.QueryParams(PERSON)}"
    full = [post(paid, read_consent(paid)), post(personal[1], late)]
    missing = get(f"{site.url}/survey/unknowntoken/1/words/")

    metrics, text = read_metrics(site), ask(site, f"Bearer {KEY}").text

    assert metrics["cosima_judgements_total",] == N_ITEMS
    assert [answer.status_code for answer in full] == [302, 409]
    assert missing.status_code == 404
    assert metrics["cosima_refusals_total", "NoPlaceLeft"] == 1
    assert metrics["cosima_refusals_total", "Not Found"] == 1
    assert metrics["cosima_responses_total", "annotate:rate", "302"] == N_ITEMS + 1
    assert metrics["cosima_response_seconds_count", "annotate:rate"] == N_ITEMS + 1
    assert metrics["cosima_free_places", "harvest"] == 0
    assert metrics["cosima_part_is_healthy", "database"] == 1
    assert metrics["cosima_free_bytes",] > 0
    refused = ["", "Bearer", f"bearer {KEY}", f"Bearer {KEY}x"]
    assert {ask(site, given).status_code for given in refused} == {401}
    asked = re.findall("cosima_[a-z_]+", "".join(path.read_text() for path in READERS.iterdir()))
    assert {*asked} - {name for name, *_ in metrics} == NOT_YET
    lines = site.log.read_text()
    assert all(json.loads(line)["level"] for line in lines.splitlines())
    tokens = [link.rstrip("/").split("/")[-1] for link in (*personal, survey, entrance)]
    for secret in (*WORDS.values(), *PERSON.values(), *tokens, KEY, "unknowntoken"):
        assert secret not in text
        assert secret not in lines


def test_a_request_has_an_id_in_its_answer(shared_site):
    own, made_up = str(uuid4()), "my name, and a line"

    kept, renewed, fresh = (
        httpx.get(f"{shared_site.url}/", headers=headers).headers["X-Request-ID"]
        for headers in ({"X-Request-ID": own}, {"X-Request-ID": made_up}, {})
    )

    assert kept == own
    assert len(renewed) == len(fresh) == 32
    assert renewed != fresh
    assert made_up not in shared_site.log.read_text()
