"""The simulator in a browser: a worker's steps, and the appearance of its pages."""

import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from mturk_simulator.tests.stage import (
    Stage,
    group_of,
    hit_values,
    question,
    running_simulator,
    statuses,
)
from tests.end_to_end.browser import PHONE, WatchedPage
from tests.end_to_end.page_checks import LOOKS, PageChecker

# The refused preview, and a warning that the simulator's answer could leave its sandbox.
EXPECTED = ("Failed to load resource: the server responded with a status of 400", "An iframe which")
TASK_PAGE = """<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>Task</title><link rel="icon" href="data:,">
<meta name="viewport" content="width=device-width"></head><body><main><h1>Task</h1>
<form method="post" action="{submit_to}mturk/externalSubmit">
<input type="hidden" name="assignmentId" value="{assignment_id}">
<label>Code <input name="completion_code"></label> <button>Submit</button>
</form></main></body></html>"""


class TaskSite(BaseHTTPRequestHandler):
    """A separate site, whose only page is a form for the simulator that frames it."""

    def do_GET(self):
        given = dict(pair.split("=") for pair in self.path.partition("?")[2].split("&"))
        page = TASK_PAGE.format(
            submit_to=given["turkSubmitTo"].replace("%3A", ":").replace("%2F", "/"),
            assignment_id=given["assignmentId"],
        ).encode()
        self.send_response(200)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(page)))
        self.end_headers()
        self.wfile.write(page)

    def log_message(self, *arguments):
        pass


@pytest.fixture
def task_url() -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), TaskSite)
    threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
    yield f"http://localhost:{server.server_port}/task/?round=1"
    server.shutdown()
    server.server_close()


@pytest.fixture
def served_simulator() -> Iterator[Stage]:
    with running_simulator() as stage:
        yield stage


def publish(simulator: Stage, task_url: str, **changes) -> str:
    values = hit_values(Question=question(task_url), **changes)
    return simulator.client().create_hit(**values)["HIT"]["HITId"]


def test_worker_previews_accepts_and_submits(chromium, served_simulator, task_url):
    hit_id = publish(served_simulator, task_url)
    watched = WatchedPage(chromium, PHONE)
    page = watched.page
    page.goto(served_simulator.url)
    watched.follow(page.get_by_role("button", name="Add and work as them"))
    watched.follow(page.get_by_role("link", name="Preview"))
    task = page.frame_locator("iframe")
    task.get_by_role("button", name="Submit").click()
    task.get_by_text("This was a preview").wait_for()
    watched.follow(page.get_by_role("button", name="Accept"))
    assert statuses(served_simulator.client(), hit_id) == []

    task.get_by_role("button", name="Submit").wait_for()
    task.get_by_label("Code").fill("šum <&>")
    with page.expect_navigation(url="**/history/"):
        task.get_by_role("button", name="Submit").click()

    page.get_by_text("submitted", exact=True).wait_for()
    (found,) = served_simulator.client().list_assignments_for_hit(HITId=hit_id)["Assignments"]
    assert "<FreeText>&#353;um &lt;&amp;&gt;</FreeText>" in found["Answer"]
    assert page.context.cookies() == []
    assert [said for said in watched.complaints if not said.startswith(EXPECTED)] == []


def test_task_is_returned_and_its_time_runs(chromium, served_simulator, task_url):
    hit_id = publish(served_simulator, task_url)
    worker = served_simulator.worker()
    held = worker.accept(group_of(served_simulator.client(), hit_id))
    watched = WatchedPage(chromium, PHONE)
    page = watched.page
    page.goto(f"{served_simulator.url}/workers/{worker.worker_id}/work/{held.mturk_assignment_id}/")
    page.get_by_text("0:59:5").wait_for()  # it counts down by itself
    watched.follow(page.get_by_role("button", name="Return"))

    assert worker.list_history() == [(held.mturk_assignment_id, "returned")]
    assert watched.complaints == []


def test_axe_finds_nothing(chromium, served_simulator, task_url):
    fill(served_simulator, task_url)
    beholder = PageChecker(chromium, LOOKS, "simulator")
    watched, look = beholder.watched, beholder.look
    page = watched.page

    page.goto(served_simulator.url)
    look("start")
    page.goto(f"{served_simulator.url}/workers/A1FIRST/")
    look("tasks")
    watched.follow(page.get_by_role("link", name="Preview").first)
    page.frame_locator("iframe").get_by_role("button").wait_for()
    look("preview")
    watched.follow(page.get_by_role("button", name="Accept"))
    page.frame_locator("iframe").get_by_role("button").wait_for()
    look("work")
    for name in ("History", "Qualifications"):
        watched.follow(page.get_by_role("link", name=name))
        look(name.lower())
    page.goto(f"{served_simulator.url}/control/")
    look("token")
    page.get_by_label("Token").fill(served_simulator.token)
    watched.follow(page.get_by_role("button", name="Open the control"))
    look("control")
    watched.follow(page.get_by_role("link", name="Outbox"))
    look("outbox")
    page.goto(f"{served_simulator.url}/nowhere/")
    look("fault")
    page.goto(f"{served_simulator.url}/mturk/externalSubmit")
    look("refused")

    assert beholder.complaints == {}


def fill(simulator: Stage, task_url: str) -> None:
    """Create content for every page."""
    client = simulator.client()
    hit_id = publish(simulator, task_url, MaxAssignments=9)
    for worker_id in ("A1FIRST", "A2SECOND"):
        worker = simulator.worker(worker_id=worker_id, subdivision="NY")
        held = worker.accept(group_of(client, hit_id))
        worker.submit(held.mturk_assignment_id, {"completion_code": "C0DE"})
        client.approve_assignment(AssignmentId=held.mturk_assignment_id)
        client.send_bonus(
            AssignmentId=held.mturk_assignment_id,
            WorkerId=worker_id,
            BonusAmount="0.20",
            Reason="Thorough",
        )
    made = client.create_qualification_type(
        Name="Quality annotators", Description="Do good work.", QualificationTypeStatus="Active"
    )["QualificationType"]
    needs = {"QualificationTypeId": made["QualificationTypeId"], "Comparator": "Exists"}
    publish(simulator, task_url, MaxAssignments=2, Title="Similarity of words, second block")
    publish(simulator, task_url, Title="For few", QualificationRequirements=[needs])
    client.notify_workers(Subject="Thanks", MessageText="See you.", WorkerIds=["A1FIRST"])
    simulator.control.queue_fault("SendBonus", "done_then_cut", n_calls=3)
