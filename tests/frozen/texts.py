"""The texts that outputs had when they were frozen, and how they are frozen again."""

import difflib
import hashlib
import os
import re
from collections.abc import Mapping
from pathlib import Path

import pytest

FOLDER = Path(__file__).parent / "texts"
HEAD = "=== "
TAG = re.compile(r" ?<(?=[a-z])")
DRAWING = re.compile(r"<svg(?:(?!</svg>).){1000,}</svg>")
CSRF_TOKEN = re.compile(r'(name="csrfmiddlewaretoken" value=")\w+')
STATIC_DIGEST = re.compile(r"(/static/[^\"' ]+?)\.[0-9a-f]{12}(\.\w+)")
EXACT = re.compile(r"-?\d+\.\d{12,}(e-\d+)?")
OF_FILES = re.compile(
    r"\b[0-9a-f]{64}\b|\b[0-9a-f]{12}(?=…)|(?<=sha256 )[0-9a-f]{16}|[\d.]+ (KB|bytes)"
)
BINARY = (".bin", ".parquet", ".png", ".svg", ".zip")
MOST_LINES = 400  # of a difference that a failure prints


def check_frozen(subject: str, outputs: Mapping[str, str | bytes]) -> None:
    """Fail with a unified diff unless outputs are as stored in `texts/<subject>.txt`.

    Texts are stored as they are, bytes by their digests. With FREEZE=1 in the environment the
    outputs are stored instead.
    """
    path = FOLDER / f"{subject}.txt"
    sections = {
        name: digest(output) if isinstance(output, bytes) else output
        for name, output in sorted(outputs.items())
    }
    if os.environ.get("FREEZE") == "1":
        text = "".join(f"{HEAD}{name}\n{section}\n" for name, section in sections.items())
        path.write_bytes(text.encode())
    frozen = _read(path)
    if sections == frozen:
        return
    lines: list[str] = []
    for name in sorted(sections | frozen):
        before, after = (
            side[name].split("\n") if name in side else [] for side in (frozen, sections)
        )
        lines += difflib.unified_diff(before, after, f"frozen {name}", f"now {name}", lineterm="")
    pytest.fail(_describe(path, lines), pytrace=False)


def round_scores(outputs: Mapping[str, str | bytes]) -> dict[str, str | bytes]:
    """Round scores to ten digits, and leave out digests and sizes of files that have them.

    The last digits of sums depend on the processor, by which OpenBLAS chooses its code.
    """
    return {
        name: output
        if isinstance(output, bytes)
        else OF_FILES.sub("*", EXACT.sub(lambda number: f"{float(number[0]):.10g}", output))
        for name, output in outputs.items()
    }


def digest(content: bytes) -> str:
    return f"sha256 {hashlib.sha256(content).hexdigest()[:16]}"


def read_folder(folder: Path) -> dict[str, bytes]:
    """Return the contents of all files below a folder by their relative names."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }


def read_texts(folder: Path) -> dict[str, str | bytes]:
    """Return the texts of all files below a folder, as `decode` does."""
    return decode(read_folder(folder))


def decode(files: Mapping[str, bytes]) -> dict[str, str | bytes]:
    """Return the texts of files by name, with the digest of a page before its tags."""
    texts: dict[str, str | bytes] = {**files}
    for name, content in files.items():
        if name.endswith(".html"):
            texts[name] = f"{digest(content)}\n{fold(content.decode())}"
        elif not name.endswith(BINARY):
            texts[name] = content.decode()
    return texts


def fold(page: str) -> str:
    """Return a page with a tag a line, without what changes by chance; drawings as digests."""
    page = STATIC_DIGEST.sub(r"\1\2", CSRF_TOKEN.sub(r"\1*", " ".join(page.split())))
    page = DRAWING.sub(lambda drawing: f"<svg {digest(drawing[0].encode())}>", page)
    return TAG.sub(r"\n\g<0>", page)


def _read(path: Path) -> dict[str, str]:
    if not path.exists():
        return {}
    sections = f"\n{path.read_bytes().decode()}".removesuffix("\n").split(f"\n{HEAD}")[1:]
    return {name: text for name, _, text in (section.partition("\n") for section in sections)}


def _describe(path: Path, lines: list[str]) -> str:
    shown = lines[:MOST_LINES]
    if len(lines) > len(shown):
        shown.append(f"… and {len(lines) - len(shown)} more lines")
    test = os.environ["PYTEST_CURRENT_TEST"].rpartition(" ")[0]
    renew = f"If this is meant: FREEZE=1 .venv/bin/python -m pytest {test}"
    return "\n".join([f"Not as frozen in {path.name}:", *shown, "", renew])
