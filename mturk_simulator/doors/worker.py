"""The worker site: tasks, their frame, earnings. The URL holds the worker's id."""

import re
from collections.abc import Callable
from sqlite3 import Row
from typing import Any

from mturk_simulator.faults import SUBMISSION, Fault, FaultKind, apply_fault, begin_call
from mturk_simulator.http.messages import Reply, Request, redirect
from mturk_simulator.http.screens import ANY_PAGE, FILES, OWN_PAGES, read_file, render
from mturk_simulator.market import people, work
from mturk_simulator.market.market import Market
from mturk_simulator.market.people import WorkerProfile
from mturk_simulator.market.store import Moment
from mturk_simulator.operations import applications
from mturk_simulator.operations.questions import read_question, task_address
from mturk_simulator.refusals import PageRefused

SUBMIT_PATH = "/mturk/externalSubmit"
Page = Callable[..., Reply]


def answer(market: Market, request: Request) -> Reply:
    """Return the page of a path. Raises PageRefused."""
    if request.path in FILES:
        return read_file(request.path)
    if request.path == SUBMIT_PATH:
        return _submit(market, request)
    is_known = False
    for method, pattern, page in ROUTES:
        if match := re.fullmatch(pattern, request.path):
            is_known = True
            if method == request.method:
                with market.moment() as moment:
                    worker = [work.get_worker(moment, name) for name in match.groups()[:1]]
                    return page(moment, request, *worker, *match.groups()[1:])
    if is_known:
        raise PageRefused("This method is not allowed for this address.", status=405)
    raise PageRefused("There is no such page.", status=404)


def _start(moment: Moment, request: Request) -> Reply:
    workers = people.list_workers(moment)
    return render("start.html", workers=workers, platform=request.platform)


def _add_worker(moment: Moment, request: Request) -> Reply:
    worker_id = people.add_worker(moment, _read_profile(request.values()))
    return redirect(f"/workers/{worker_id}/")


def _read_profile(values: dict[str, Any]) -> WorkerProfile:
    usual = WorkerProfile()
    try:
        return WorkerProfile(
            worker_id=str(values.get("worker_id", "")).strip().upper(),
            country=str(values.get("country") or usual.country).strip().upper(),
            subdivision=str(values.get("subdivision", "")).strip().upper(),
            approval_rate=int(values.get("approval_rate") or usual.approval_rate),
            n_approved=int(values.get("n_approved") or 0),
            is_adult=bool(values.get("is_adult")),
            is_master=bool(values.get("is_master")),
        )
    except ValueError as error:
        raise PageRefused("The approval rate and the number of HITs are numbers.") from error


def _list_tasks(moment: Moment, request: Request, worker: Row) -> Reply:
    groups, held = work.list_groups(moment, worker), work.list_held(moment, worker)
    return render("tasks.html", worker=worker, groups=groups, held=held, now=moment.now)


def _preview(moment: Moment, request: Request, worker: Row, group_id: str) -> Reply:
    hit = work.choose_hit(moment, worker, group_id, action="preview")
    group = work.describe_group(moment, worker, hit)
    question = read_question(hit["question"])
    address = task_address(question.url, hit_id=hit["hit_id"], submit_to=f"{request.origin}/")
    return render(
        "preview.html", framed=ANY_PAGE, worker=worker, group=group, address=address,
        height=question.frame_height,
    )  # fmt: skip


def _accept(moment: Moment, request: Request, worker: Row, group_id: str) -> Reply:
    assignment_id = work.accept_hit(moment, worker, group_id)
    return redirect(f"/workers/{worker['worker_id']}/work/{assignment_id}/")


def _show_work(moment: Moment, request: Request, worker: Row, assignment_id: str) -> Reply:
    held = work.find_held(moment, worker, assignment_id)
    question = read_question(held["question"])
    address = task_address(
        question.url,
        hit_id=held["hit_id"],
        submit_to=f"{request.origin}/",
        assignment_id=assignment_id,
        worker_id=worker["worker_id"],
    )
    return render(
        "work.html", framed=f"{OWN_PAGES} {ANY_PAGE}", worker=worker, held=held, now=moment.now,
        address=address, height=question.frame_height,
    )  # fmt: skip


def _return(moment: Moment, request: Request, worker: Row, assignment_id: str) -> Reply:
    work.return_hit(moment, worker, assignment_id)
    return redirect(f"/workers/{worker['worker_id']}/")


def _show_history(moment: Moment, request: Request, worker: Row) -> Reply:
    return render("history.html", worker=worker, history=work.list_history(moment, worker))


def _show_qualifications(moment: Moment, request: Request, worker: Row) -> Reply:
    requestable = applications.list_requestable(moment, worker)
    return render("qualifications.html", worker=worker, requestable=requestable)


def _request_qualification(moment: Moment, request: Request, worker: Row, type_id: str) -> Reply:
    applications.request_qualification(moment, worker, type_id)
    return redirect(f"/workers/{worker['worker_id']}/qualifications/")


def _submit(market: Market, request: Request) -> Reply:
    """Receive a task's form, with the fault that is queued for submissions."""
    with market.moment() as moment:
        fault = begin_call(moment, SUBMISSION)
    try:
        reply = _receive_submission(market, request, fault)
    except PageRefused as refused:
        reply = render(
            "refused.html", status=refused.status, framing=OWN_PAGES, message=refused.message,
            is_held=refused.status < 500,
        )  # fmt: skip
    return apply_fault(reply, fault)


def _receive_submission(market: Market, request: Request, fault: Fault | None) -> Reply:
    """Receive a form from a frame: without cookies or origin, so only its id names the task."""
    if request.method != "POST":
        raise PageRefused("A task is submitted by a form, with the method POST.", status=405)
    kind = fault.kind if fault else None
    if kind in {FaultKind.FAIL, FaultKind.THROTTLE}:
        raise PageRefused("The service failed.", status=500)
    fields = request.fields()
    unseen_seconds = fault.seconds if fault and kind == FaultKind.UNSEEN else 0
    with market.moment() as moment:
        work.submit(
            moment, dict(fields).get("assignmentId", ""), fields, unseen_seconds=unseen_seconds
        )
    if kind == FaultKind.DONE_THEN_FAIL:
        raise PageRefused("The service failed.", status=500)
    return render("submitted.html", framing=OWN_PAGES)


WORKER = r"/workers/([A-Z0-9]+)"  # a page gets the worker's row instead of the id
GROUP = WORKER + r"/groups/([A-Z0-9]+)"
HELD = WORKER + r"/work/([A-Z0-9]+)"
ROUTES: list[tuple[str, str, Page]] = [
    ("GET", r"/", _start),
    ("POST", r"/workers/", _add_worker),
    ("GET", WORKER + r"/", _list_tasks),
    ("GET", GROUP + r"/", _preview),
    ("POST", GROUP + r"/accept/", _accept),
    ("GET", HELD + r"/", _show_work),
    ("POST", HELD + r"/return/", _return),
    ("GET", WORKER + r"/history/", _show_history),
    ("GET", WORKER + r"/qualifications/", _show_qualifications),
    ("POST", WORKER + r"/qualifications/([A-Z0-9]+)/", _request_qualification),
]
