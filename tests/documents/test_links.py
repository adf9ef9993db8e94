"""Where the documents lead: every page, heading, picture and file that they name is there."""

import re
from fnmatch import filter as matching
from pathlib import PurePosixPath
from urllib.parse import urlsplit

import pytest

from tests.documents.reading import (
    list_documents,
    read_anchors,
    read_inline,
    read_targets,
    tracked_files,
)

HOST = re.compile(r"([\w-]+\.)+[a-z]{2,}")
# What looks like a path from the root, in code; made by a command, or one among others, is not.
PATH = re.compile(r"(?:annotation_site|bench|demo|docs|locale|postprocess|preprocess|scripts|"
                  r"static|surveys|templates|tests)/[\w./*-]*")  # fmt: skip
START = "README.md"


def resolve(document: str, path: str) -> str:
    """The path from the root of what a document names by a relative one."""
    parts: list[str] = []
    for part in (PurePosixPath(document).parent / path).parts:
        parts = parts[:-1] if part == ".." and parts else [*parts, part]
    return "/".join(parts)


def find_fault(document: str, target: str) -> str:
    """Why a link leads nowhere; "" if it does not. Other hosts are not asked."""
    parts = urlsplit(target)
    if parts.scheme or parts.netloc:
        is_sound = parts.scheme == "https" and HOST.fullmatch(parts.hostname or "")
        return "" if is_sound and " " not in target else "no sound address"
    path = resolve(document, parts.path) if parts.path else document
    if path not in tracked_files():
        return "no such file is committed"
    if parts.fragment and parts.fragment not in read_anchors(path):
        return "no such heading"
    return ""


@pytest.mark.parametrize("document", list_documents())
def test_every_link_and_picture_of_a_document_is_there(document):
    faults = {target: find_fault(document, target) for target in read_targets(document)}

    assert {target: fault for target, fault in faults.items() if fault} == {}


@pytest.mark.parametrize("document", list_documents())
def test_every_file_that_a_document_names_is_there(document):
    named = {token.content for token in read_inline(document, "code_inline")}
    paths = {name.rstrip("/") for name in named if PATH.fullmatch(name)}
    folders = {str(parent) for name in tracked_files() for parent in PurePosixPath(name).parents}

    assert {path for path in paths if not matching(tracked_files() | folders, path)} == set()


def test_every_document_is_reached_from_the_readme():
    reached, waiting = {START}, [START]
    while waiting:
        document = waiting.pop()
        targets = {resolve(document, target.partition("#")[0]) for target in read_targets(document)}
        new = targets & set(list_documents()) - reached
        reached |= new
        waiting += new

    assert reached == set(list_documents())


@pytest.mark.parametrize(
    ("target", "fault"),
    [
        ("docs/nowhere.md", "no such file is committed"),
        ("docs/images/nothing.png", "no such file is committed"),
        ("docs/releases.md#columns", ""),
        ("docs/releases.md#rows", "no such heading"),
        ("#read-on", ""),
        ("#nothing", "no such heading"),
        ("../README.md", "no such file is committed"),
        ("https://example.org/page#part", ""),
        ("http://example.org/", "no sound address"),
        ("https://example/", "no sound address"),
        ("https:/example.org", "no sound address"),
    ],
)
def test_a_link_that_leads_nowhere_is_found(target, fault):
    assert find_fault(START, target) == fault
