"""The XML of a task and of its answer, and the URL at which a worker sees the task."""

import html
import re
from collections.abc import Iterable
from typing import NamedTuple
from urllib.parse import urlencode, urlsplit, urlunsplit

from lxml import etree

from mturk_simulator.refusals import Refused

SCHEMAS = "http://mechanicalturk.amazonaws.com/AWSMechanicalTurkDataSchemas"
EXTERNAL_QUESTION = f"{SCHEMAS}/2006-07-14/ExternalQuestion.xsd"
ANSWERS = f"{SCHEMAS}/2005-10-01/QuestionFormAnswers.xsd"
NO_ASSIGNMENT = "ASSIGNMENT_ID_NOT_AVAILABLE"
RESERVED = ("assignmentId", "hitId", "turkSubmitTo", "workerId")
MAX_BYTES = 65_535
LOOPBACK = {"127.0.0.1", "localhost", "::1"}
NOT_IN_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


class ExternalQuestion(NamedTuple):
    """A task on an external page. A frame of height 0 fills the window."""

    url: str
    frame_height: int


def read_question(question: str) -> ExternalQuestion:
    """Return the page of a task. Raises Refused for anything but a valid ExternalQuestion."""
    data = question.encode()
    if len(data) > MAX_BYTES:
        raise _invalid(f"it has more than {MAX_BYTES} bytes")
    try:
        root = etree.fromstring(data, etree.XMLParser(resolve_entities=False, no_network=True))
    except etree.XMLSyntaxError as error:
        raise _invalid(f"it is not well-formed: {error.msg}") from error
    if root.tag != f"{{{EXTERNAL_QUESTION}}}ExternalQuestion":
        raise _invalid("the simulator shows only an ExternalQuestion, in its namespace")
    names = [etree.QName(child).localname for child in root]
    if names != ["ExternalURL", "FrameHeight"]:
        raise _invalid("it needs ExternalURL, then FrameHeight")
    url, height = ((child.text or "").strip() for child in root)
    if not height.isdecimal():
        raise _invalid("FrameHeight is not a whole number")
    _check_url(url)
    return ExternalQuestion(url, int(height))


def _check_url(url: str) -> None:
    try:
        scheme, host = urlsplit(url).scheme, urlsplit(url).hostname
    except ValueError:
        scheme, host = "", None
    if not (host and (scheme == "https" or (scheme == "http" and host in LOOPBACK))):
        raise _invalid("ExternalURL needs https, or http on this machine")


def _invalid(reason: str) -> Refused:
    return Refused(f"There is an error in the question: {reason}.", "XMLParseError")


def task_address(
    url: str, *, hit_id: str, submit_to: str, assignment_id: str = "", worker_id: str = ""
) -> str:
    """Return the URL of a task with the service's parameters; a preview has no assignment."""
    added = {"assignmentId": assignment_id or NO_ASSIGNMENT, "hitId": hit_id}
    added["turkSubmitTo"] = submit_to
    if assignment_id:
        added["workerId"] = worker_id
    scheme, host, path, query, fragment = urlsplit(url)
    whole = "&".join(part for part in (query, urlencode(added)) if part)
    return urlunsplit((scheme, host, path, whole, fragment))


def write_answer(fields: Iterable[tuple[str, str]]) -> str:
    """Return the XML of an answer in ASCII, other characters as references."""
    values: dict[str, list[str]] = {}
    for name, value in fields:
        values.setdefault(name, []).append(value)
    parts = [
        f"<Answer><QuestionIdentifier>{_escape(name)}</QuestionIdentifier>"
        f"<FreeText>{_escape('|'.join(given))}</FreeText></Answer>"
        for name, given in values.items()
    ]
    return (
        '<?xml version="1.0" encoding="ASCII"?>\n'
        f'<QuestionFormAnswers xmlns="{ANSWERS}">{"".join(parts)}</QuestionFormAnswers>'
    )


def _escape(text: str) -> str:
    escaped = html.escape(NOT_IN_XML.sub("", text), quote=False).replace("\r", "&#13;")
    return escaped.encode("ascii", "xmlcharrefreplace").decode()
