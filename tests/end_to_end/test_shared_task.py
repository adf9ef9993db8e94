"""A whole shared task in the browser: from its data to an archive that gives its board again."""

import csv
import io
import subprocess
import sys
import zipfile
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from tests.end_to_end.browser import DESKTOP, PHONE, WatchedPage
from tests.end_to_end.page_checks import violations
from tests.end_to_end.site import Site
from tests.machine import ROOT

SECRET = "correct horse battery"
ATTEMPTS = 9
MINUTES = "%Y-%m-%dT%H:%M"
# Prints the id of a session of an organiser.
SIGN_IN = """
from django.contrib.auth.models import User
from tests.factories.clients import session_of
print(session_of(User.objects.create_superuser("organiser-of-a-whole-task")))
"""
# Lets hours pass: all that was or will be of the shared task is that much earlier.
TRAVEL = """
from datetime import timedelta
from django.db.models import F
from surveys.sharedtasks.models import Phase, Submission
passed = timedelta(hours={hours})
Phase.objects.filter(shared_task__slug="whole").update(
    opens_at=F("opens_at") - passed, closes_at=F("closes_at") - passed
)
Submission.objects.filter(phase__shared_task__slug="whole").update(sent_at=F("sent_at") - passed)
"""


def tables() -> dict[str, bytes]:
    """Return the files of a part: twelve test pairs and three practice pairs, with gold."""
    first, more, others = (
        (ROOT / "demo" / f"{name}.tsv").read_bytes() for name in ("data_fi", "more_fi", "data_hr")
    )
    gold = (ROOT / "demo/task_gold_fi.tsv").read_bytes()
    return {
        "Test data": first + more.split(b"\n", 1)[1],
        "Gold of the test data": gold,
        "Practice data (optional)": b"\n".join(others.split(b"\n")[:4]) + b"\n",
        "Gold of the practice data (optional)": b"\n".join(gold.split(b"\n")[:4]) + b"\n",
    }


def results(number: int, n_pairs: int = 12) -> dict[str, bytes]:
    """Return the result files of both subtasks for a number, each with other predictions."""
    rows = range(n_pairs)
    scores = [[(7 * row + 3 * number + k * (row % 5)) % 10 for k in (1, 2)] for row in rows]
    both = "".join(f"{a}\t{b}\n" for a, b in scores)
    change = "".join(f"{b - a}\n" for a, b in scores)
    return {
        "results_subtask1_fi.tsv": f"change\n{change}".encode(),
        "results_subtask2_fi.tsv": f"sim_context1\tsim_context2\n{both}".encode(),
    }


def attach(files: dict[str, bytes]) -> list[dict[str, object]]:
    return [
        {"name": name, "mimeType": "text/tab-separated-values", "buffer": content}
        for name, content in files.items()
    ]


class Team:
    """A captain in a browser, with or without JavaScript."""

    def __init__(self, watched: WatchedPage, link: str, account: str) -> None:
        self.watched, self.page = watched, watched.page
        self.page.goto(link)
        self.page.get_by_label("Name of your account").fill(account)
        self.page.get_by_label("Password", exact=True).fill(SECRET)
        self.page.get_by_label("Password confirmation").fill(SECRET)
        self.page.get_by_label("I have read the terms").check()
        self.press("Join the team")

    def press(self, button: str) -> None:
        self.watched.follow(self.page.get_by_role("button", name=button, exact=True))

    def check(self, files: dict[str, bytes], phase: str = "evaluation") -> None:
        self.page.get_by_role("link", name="Submit", exact=True).click()
        self.page.get_by_role("radio", name=phase).check()
        self.page.get_by_label("Result files").set_input_files(attach(files))
        self.press("Check the files")

    def submit(self, files: dict[str, bytes]) -> None:
        self.check(files)
        self.press("Submit")

    def describe(self, system: str) -> None:
        self.page.get_by_role("link", name="Description").first.click()
        for label in (
            "Name of the system", "What the system does", "Models", "Other resources", "Contact",
        ):  # fmt: skip
            self.page.get_by_label(label).fill(system)
        for label in ("our scores are published", "our result files are published"):
            self.page.get_by_label(label).check()
        self.watched.follow(self.page.locator("main form button").first)


@pytest.fixture
def organiser(chromium, site: Site) -> WatchedPage:
    watched = WatchedPage(chromium, DESKTOP)
    session = site.manage("shell", "--no-imports", "-c", SIGN_IN).strip()
    watched.visit_signed_in(f"{site.url}/console/", session)
    return watched


def save(watched: WatchedPage) -> None:
    watched.follow(watched.page.locator("main form button").first)


def prepare(watched: WatchedPage, url: str) -> None:
    """Make a shared task with data, texts and the three phases of GWSC, and open it."""
    page, base = watched.page, f"{url}/console/shared-tasks/whole"
    page.goto(f"{url}/console/shared-tasks/new/")
    page.get_by_label("Title").fill("Graded similarity")
    page.get_by_label("Address").fill("whole")
    page.get_by_label("Contact").fill("organisers@example.org")
    save(watched)
    page.goto(f"{base}/data/files/")
    page.get_by_label("Language code").fill("fi")
    for label, content in tables().items():
        page.get_by_label(label, exact=True).set_input_files(attach({"file.tsv": content}))
    save(watched)
    page.goto(f"{base}/rules/")
    page.get_by_label("Overview").fill("Predict how similar two words are.")
    page.get_by_label("Terms").fill("Be *fair*.")
    save(watched)
    page.goto(f"{base}/phases/gwsc/")
    local = datetime.now(UTC) - timedelta(hours=12)  # anywhere on earth
    for label, hours in (
        ("Practice begins", 1), ("The evaluation begins", 1), ("The evaluation ends", 240),
    ):  # fmt: skip
        page.get_by_label(label).fill((local + timedelta(hours=hours)).strftime(MINUTES))
    save(watched)
    page.goto(f"{base}/opening/")
    save(watched)


def invite(watched: WatchedPage, url: str, name: str) -> str:
    """Return the link for the captain of a new team."""
    watched.page.goto(f"{url}/console/shared-tasks/whole/teams/new/")
    watched.page.get_by_label("Name").fill(name)
    save(watched)
    return watched.page.locator("input[readonly], main code").first.evaluate(
        "node => node.value || node.textContent"
    )


def travel(site: Site, hours: int) -> None:
    site.manage("shell", "--no-imports", "-c", TRAVEL.format(hours=hours))


def test_a_shared_task_from_its_data_to_its_archive(
    chromium, site: Site, organiser: WatchedPage, tmp_path: Path
):
    url = site.url
    prepare(organiser, url)
    links = [invite(organiser, url, name) for name in ("Otters", "Herons")]
    travel(site, 2)
    otters = Team(WatchedPage(chromium, DESKTOP), links[0], "whole-otter")
    herons = Team(WatchedPage(chromium, PHONE, scripts=False), links[1], "whole-heron")

    wrong = results(0) | {"results_subtask1_fi.tsv": b"change\n1\n"}
    otters.check(wrong)
    assert otters.page.get_by_role("heading", name="The files were refused").is_visible()
    for number in range(ATTEMPTS):
        otters.submit(results(number))
    assert otters.page.url.endswith(f"/submissions/evaluation/{ATTEMPTS}/")
    shown = otters.page.locator("main").inner_text()
    assert "0." not in shown  # no score of a hidden phase
    otters.check(results(ATTEMPTS))
    assert otters.page.get_by_role("heading", name="No attempt is left").is_visible()
    herons.submit(results(ATTEMPTS + 1))
    for team, system in ((otters, "Whiskers"), (herons, "Stilt")):
        team.describe(system)
    hidden = WatchedPage(chromium, PHONE)
    board = f"{url}/tasks/whole/board/evaluation/1/"
    assert hidden.page.goto(board).status == 404

    travel(site, 24 * 11)
    page = organiser.page
    page.goto(f"{url}/console/shared-tasks/whole/scores/")
    organiser.follow(page.get_by_role("button", name="Make the final boards"))
    page.get_by_role("link", name="Publish the results…").click()
    save(organiser)

    hidden.page.goto(board)
    assert hidden.page.get_by_text("Whiskers").first.is_visible()
    assert violations(hidden) == []
    assert not hidden.sideways_scroll
    archive = hidden.page.request.get(f"{url}/tasks/whole/archive.zip").body()
    assert_archive_gives_the_board(archive, tmp_path / "archive")


def assert_archive_gives_the_board(archive: bytes, folder: Path) -> None:
    """Check that `score.py` of an archive gives the scores of its boards, to the last digit."""
    with zipfile.ZipFile(io.BytesIO(archive)) as files:
        files.extractall(folder)
        names = files.namelist()
    (root,) = folder.iterdir()
    assert {f"{root.name}/{one}" for one in ("README.md", "SHA256SUMS", "salt.bin")} <= set(names)
    for subtask in ("1", "2"):
        path = root / f"evaluation-{subtask}" / "board.csv"
        rows = list(csv.DictReader(path.read_text(encoding="utf-8").splitlines()))
        scores = {row["name"]: float(row["fi"]) for row in rows if row["kind"] == "team"}
        assert set(scores) == {"Otters", "Herons"}
        sent = root.glob(f"submissions/*/evaluation-{subtask}/results_subtask{subtask}_fi.tsv")
        again = [score_again(root, subtask, path) for path in sent]
        assert sorted(again) == pytest.approx(sorted(scores.values()), abs=1e-12)


def score_again(root: Path, subtask: str, sent: Path) -> float:
    """Return the score that the program in an archive prints for a result file."""
    command = [
        sys.executable, "-I", root / "score.py", "--full", "--gold", root / "gold",
        "--results", sent,
    ]  # fmt: skip
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    row = done.stdout.splitlines()[1].split("\t")
    assert row[:3] == [subtask, "fi", "12"]
    return float(row[3])
