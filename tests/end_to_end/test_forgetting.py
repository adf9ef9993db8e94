"""No personal data outlives retention and erasure, on a running site."""

import re
import signal
import time
from pathlib import Path

import httpx

from tests.end_to_end.annotators import HIDDEN, PATIENCE_SECONDS, begin, post
from tests.end_to_end.site import START_SECONDS, Site
from tests.factories.studies import numbered_stimuli

STUDY = "study"
PERSON = "5f0c0ffee0000000000000aa"  # a Prolific id
SUBMISSION = "6a0c0ffee0000000000000bb"
TYPED = "typed.in.by.mistake@example.org"
WORDS = {"inspired_word1": "qwertzuwort", "inspired_word2": "yxcvbnmwort"}
COMMENT = "asdfghjkkommentar"
DOMAINS = ("console", "timer", "program", "failed", "killed")
ADDRESSES = tuple(f"@{domain}.example" for domain in DOMAINS)
SECRETS = (PERSON, SUBMISSION, TYPED, COMMENT, *WORDS.values(), *ADDRESSES)

LET_LISTS_FAIL = """
from datetime import timedelta
from django.utils import timezone
from surveys.models import Invitation, Job, Study
from surveys.results.runs import request_links
study, long_ago = Study.objects.get(), timezone.now() - timedelta(days=2)
for name, state in (("failed", "failed"), ("killed", "running")):
    before = Invitation.objects.personal(study).count()
    notes = [f"p{n}@{name}.example" for n in range(3)]
    run = request_links(study, None, n_before=before, notes=notes)
    Job.objects.filter(run=run).update(state=state, heard_at=long_ago)
"""
ERASE_AND_SETTLE = """
from surveys.privacy.erasure import erase_annotator
from surveys.models import Annotator, Study
from surveys.privacy.retention import mark_paid, settle_study
study = Study.objects.get()
erase_annotator(Annotator.objects.get(worker__worker_id="%s"), "asked for it")
mark_paid(study)
settle_study(study, is_settled=True)
"""
LET_A_MONTH_PASS = """
from datetime import timedelta
from axes.models import AccessAttempt
from django.db.models import F
from surveys.models import AccountSession, IdempotencyRecord
past = timedelta(days=31)
IdempotencyRecord.objects.update(created_at=F("created_at") - past)
AccessAttempt.objects.update(attempt_time=F("attempt_time") - past)
AccountSession.objects.update(expire_date=F("expire_date") - past)
"""


def sign_in(site: Site) -> httpx.Client:
    """Return a browser in which the site's first researcher is signed in."""
    output = site.manage("prepare_site", "--no-demo")
    password = re.findall(r"password: (\S+)", output)[0]
    browser = httpx.Client(base_url=site.url, follow_redirects=True)
    browser.get("/admin/login/")
    answers = {"username": "researcher", "password": password, "next": "/admin/surveys/study/"}
    token = browser.cookies["csrftoken"]
    page = browser.post("/admin/login/", data={**answers, "csrfmiddlewaretoken": token})
    assert page.url.path == "/admin/surveys/study/"
    return browser


def tables_with(site: Site, secrets: tuple[str, ...]) -> set[tuple[str, str]]:
    """Return the table and the secret of every row that contains a secret."""
    if site.environment["DATABASE_URL"].startswith("sqlite"):
        asked = "SELECT name FROM sqlite_master WHERE type = 'table'"
    else:
        asked = "SELECT tablename FROM pg_tables WHERE schemaname = 'public'"
    return {
        (table, secret)
        for (table,) in site.query(asked)
        for row in site.query(f'SELECT * FROM "{table}"')  # noqa: S608 - a table of ours
        for secret in secrets
        if secret in str(row)
    }


def files_with(folder: Path, secrets: tuple[str, ...]) -> set[tuple[str, str]]:
    """Return the file and the secret of every file below a folder that contains a secret."""
    return {
        (str(path.relative_to(folder)), secret)
        for path in folder.rglob("*")
        if path.is_file()
        for secret in secrets
        if secret.encode() in path.read_bytes()
    }


def take_part(site: Site) -> None:
    """Arrive from Prolific, answer everything, and write a comment."""
    site.manage(
        "entrance", "prolific", STUDY, "--completion-code", "DONE1", "--no-place-code", "FULL1"
    )
    (token,) = site.query("SELECT token FROM surveys_entrance")[0]
    claims = f"PROLIFIC_PID={PERSON}&STUDY_ID=st1&SESSION_ID={SUBMISSION}"
    arrived = httpx.get(f"{site.url}/join/{token}/?{claims}", follow_redirects=True)
    survey = begin(site, str(arrived.url))
    for number in (1, 2):
        post(f"{survey}{number}/words/", WORDS)
        rated = {"rating": "3"} if number == 1 else {"rating": "cannot", "comment": COMMENT}
        post(f"{survey}{number}/rating/", rated)


def invite_by_every_door(site: Site) -> None:
    """Send lists of addresses by the console, by the API and by jobs that fail."""
    browser = sign_in(site)
    page = f"/console/studies/{STUDY}/recruitment/invite/"
    for name, count in (("console", 3), ("timer", 1200)):
        listed = "\n".join(f"p{n}@{name}.example" for n in range(count))
        hidden = dict(HIDDEN.findall(browser.get(page).text))
        sent = browser.post(page, data={**hidden, "listed": listed}, timeout=PATIENCE_SECONDS)
        assert sent.status_code == httpx.codes.OK
    scope = ["--scope", "invitations:write"]
    key = site.manage("make_token", "researcher", "test", *scope).split()[-1]
    headers = {"Authorization": f"Bearer {key}", "Idempotency-Key": "once"}
    address = f"{site.url}/api/v1/studies/{STUDY}/invitations/"
    asked = {"notes": ["p1@program.example", "p2@program.example"]}
    made = httpx.post(address, json=asked, headers=headers, timeout=PATIENCE_SECONDS)
    assert made.status_code == httpx.codes.CREATED
    browser.post("/console/sign-out/", data=hidden)
    attempt = httpx.Client(base_url=site.url)
    attempt.get("/console/sign-in/")
    token = attempt.cookies["csrftoken"]
    sent = {"username": TYPED, "password": "wrong", "csrfmiddlewaretoken": token}
    attempt.post("/console/sign-in/", data=sent, timeout=PATIENCE_SECONDS)


def wait_for_links(site: Site) -> None:
    """Wait for the end of the job that the console has started."""
    deadline = time.monotonic() + START_SECONDS
    while site.query("SELECT id FROM surveys_job WHERE state IN ('waiting', 'running')"):
        assert time.monotonic() < deadline
        time.sleep(0.1)


def test_no_personal_data_outlives_retention(site: Site, tmp_path):
    stimuli = tmp_path / "data_en.tsv"
    stimuli.write_bytes(numbered_stimuli(2))
    site.make_study(stimuli, STUDY, "--language", "en")
    site.manage_all(
        ["configure_study", STUDY, "--allows-unjudgeable"], ["set_retention", STUDY, "0"]
    )
    take_part(site)
    invite_by_every_door(site)
    wait_for_links(site)
    site.kill(signal.SIGTERM)  # else it would resume the job of the killed process
    site.manage_all(
        ["shell", "--command", LET_LISTS_FAIL],
        ["export", "responses", STUDY, "--out", str(tmp_path / "exported")],
    )
    (tmp_path / "exported").unlink()
    found = {secret for _, secret in tables_with(site, SECRETS)}
    assert found == set(SECRETS)  # shows that the search finds them

    site.manage_all(
        ["shell", "--command", ERASE_AND_SETTLE % PERSON],
        ["shell", "--command", LET_A_MONTH_PASS],
        ["drop_personal_data"],
    )

    assert tables_with(site, SECRETS) == set()
    assert files_with(tmp_path, SECRETS) == set()
