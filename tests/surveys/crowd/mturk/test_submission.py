"""Submissions from a task's frame, and the answers that the requester reads."""

import html
from urllib.parse import parse_qsl, urlsplit
from xml.etree import ElementTree

import pytest

from mturk_simulator.client import CrowdRefused
from mturk_simulator.operations.questions import ANSWERS, NO_ASSIGNMENT
from mturk_simulator.tests.stage import group_of, publish, question, refused, statuses

ODD = "Ljubežen & <mir>\r\nšum 🌙 ]]> \x00\x0b“ok”"


@pytest.fixture
def held(requester, worker):
    return worker.accept(group_of(requester, publish(requester)))


def answer_of(requester, assignment_id: str) -> str:
    return requester.get_assignment(AssignmentId=assignment_id)["Assignment"]["Answer"]


def read_answer(answer: str) -> dict[str, str]:
    fields = ElementTree.fromstring(answer).findall(f"{{{ANSWERS}}}Answer")  # noqa: S314
    names = (f"{{{ANSWERS}}}QuestionIdentifier", f"{{{ANSWERS}}}FreeText")
    return {field.findtext(names[0]): field.findtext(names[1]) for field in fields}


def post(simulator, content="", query="", **headers):
    return simulator.browser.post(
        f"{simulator.url}/mturk/externalSubmit{query}",
        content=content,
        headers={"Content-Type": "application/x-www-form-urlencoded", **headers},
    )


def test_answer_is_ascii_and_holds_every_character(requester, worker, held):
    worker.submit(held.mturk_assignment_id, {"completion_code": "C0DE", "odd <&>": ODD})

    answer = answer_of(requester, held.mturk_assignment_id)
    assert answer.isascii()
    assert answer.startswith('<?xml version="1.0" encoding="ASCII"?>')
    assert read_answer(answer) == {
        "completion_code": "C0DE",
        "odd <&>": ODD.replace("\x00\x0b", ""),  # not allowed in XML
    }


def test_fields_of_query_and_form_are_read_and_reserved_ones_dropped(simulator, requester, held):
    response = post(
        simulator,
        "hitId=3A&workerId=A1&turkSubmitTo=x&code=1&box=a&box=b&empty=",
        f"?assignmentId={held.mturk_assignment_id}&from=query",
        Origin="null",
    )

    assert response.status_code == 200
    assert read_answer(answer_of(requester, held.mturk_assignment_id)) == {
        "from": "query",
        "code": "1",
        "box": "a|b",
        "empty": "",
    }
    assert "set-cookie" not in response.headers


@pytest.mark.parametrize(
    ("content", "says"),
    [
        ("", "no assignmentId"),
        ("code=1", "no assignmentId"),
        ("assignmentId=3NONE&code=1", "no such assignment"),
        (f"assignmentId={NO_ASSIGNMENT}&code=1", "preview"),
        ("assignmentId={held}", "no answer"),
        ("assignmentId={held}&hitId=3A&workerId=A1&turkSubmitTo=x", "no answer"),
        ("assignmentId={held}&code=\udcff", "not UTF-8"),
    ],
)
def test_refused_submission_leaves_the_assignment_held(
    simulator, requester, worker, held, content, says
):
    sent = content.format(held=held.mturk_assignment_id).encode("utf-8", "surrogateescape")
    response = post(simulator, sent)

    assert response.status_code in {400, 404}
    assert says in response.text
    assert "There was a problem submitting your results" in response.text
    assert worker.list_history() == [(held.mturk_assignment_id, "accepted")]
    worker.submit(held.mturk_assignment_id, {"a": "b"})


def test_other_forms_and_methods_are_refused(simulator, held):
    address = f"{simulator.url}/mturk/externalSubmit?assignmentId={held.mturk_assignment_id}&a=b"

    assert simulator.browser.get(address).status_code == 405
    assert post(simulator, b"--x--", **{"Content-Type": "multipart/form-data"}).status_code == 400


def test_submitting_twice_is_refused(requester, worker, held):
    worker.submit(held.mturk_assignment_id, {"code": "first"})

    with pytest.raises(CrowdRefused, match="submitted already"):
        worker.submit(held.mturk_assignment_id, {"code": "second"})

    assert read_answer(answer_of(requester, held.mturk_assignment_id)) == {"code": "first"}


def test_submitting_after_the_deadline_is_refused(simulator, requester, worker, held):
    simulator.control.advance(3600)

    with pytest.raises(CrowdRefused, match="ran out"):
        worker.submit(held.mturk_assignment_id, {"a": "b"})

    assert worker.list_history() == [(held.mturk_assignment_id, "abandoned")]


def test_submitting_what_was_returned_is_refused(worker, held):
    worker.return_task(held.mturk_assignment_id)

    with pytest.raises(CrowdRefused, match="was returned"):
        worker.submit(held.mturk_assignment_id, {"a": "b"})


def test_submission_of_a_reused_id_belongs_to_its_holder(simulator, requester, worker, held):
    hit_id = requester.list_hits()["HITs"][0]["HITId"]
    worker.return_task(held.mturk_assignment_id)
    other = simulator.worker()
    assert other.accept(group_of(requester, hit_id)).mturk_assignment_id == held.mturk_assignment_id

    worker.submit(held.mturk_assignment_id, {"by": "the first, too late"})

    found = requester.get_assignment(AssignmentId=held.mturk_assignment_id)["Assignment"]
    assert found["WorkerId"] == other.worker_id
    assert statuses(requester, hit_id) == ["Submitted"]


def test_task_address_keeps_its_own_parameters(simulator, requester, worker):
    hit_id = publish(requester)
    group_id = group_of(requester, hit_id)

    held = worker.accept(group_id)

    address = urlsplit(held.address)
    assert (address.scheme, address.netloc) == ("http", "localhost:8000")
    assert address.path == "/mturk/enter/5a5a/"
    assert parse_qsl(address.query) == [
        ("round", "1"),
        ("of", "2"),
        ("assignmentId", held.mturk_assignment_id),
        ("hitId", hit_id),
        ("turkSubmitTo", f"{simulator.url}/"),
        ("workerId", worker.worker_id),
    ]


def test_preview_contains_nothing_about_the_worker(simulator, requester, worker):
    hit_id = publish(requester, Question=question("https://example.org/task#part"))

    address = urlsplit(worker.preview(group_of(requester, hit_id)))

    assert address.fragment == "part"
    assert dict(parse_qsl(address.query)) == {
        "assignmentId": NO_ASSIGNMENT,
        "hitId": hit_id,
        "turkSubmitTo": f"{simulator.url}/",
    }


@pytest.mark.parametrize("height", [0, 600])
def test_frame_is_sandboxed_and_may_be_as_high_as_the_window(simulator, requester, worker, height):
    group_id = group_of(requester, publish(requester, Question=question(height=height)))
    page = simulator.browser.get(f"{simulator.url}/workers/{worker.worker_id}/groups/{group_id}/")

    assert 'sandbox="allow-same-origin allow-scripts allow-forms"' in page.text
    assert ('class="whole"' in page.text) == (height == 0)
    assert ('height="600"' in page.text) == (height == 600)
    assert "frame-src http: https:" in page.headers["content-security-policy"]


@pytest.mark.parametrize(
    "wrong",
    [
        "no XML",
        "<HTMLQuestion/>",
        question().replace("2006-07-14", "2005-10-01"),
        question().replace("<FrameHeight>0</FrameHeight>", ""),
        question(height="tall"),
        question("http://example.org/"),
        question("ftp://localhost/"),
        question("https://"),
        question("https://[x/"),
        question("https://example.org/?" + "a" * 65_535),
        question("https://example.org/?a=1&b=2"),
    ],
)
def test_invalid_questions_are_refused(requester, wrong):
    with refused("XMLParseError"):
        publish(requester, Question=wrong)


def test_question_may_be_escaped(requester, worker):
    url = "https://example.org/?a=<b>&c='d'"
    hit_id = publish(requester, Question=question(html.escape(url)))

    assert worker.preview(group_of(requester, hit_id)).startswith("https://example.org/?a=<b>&c=")
