"""No part of the project grows unnoticed: each has an upper bound, in lines and other counts.

A commit that makes a part smaller lowers its bound; one that raises a bound says why. Lines are
those of Python files without migrations. Statements are bounded as well, since a bound in lines
must not be met by packing lines or cutting docstrings.
"""

import ast
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.machine import ROOT
from tests.test_layout import MODULES, imports_of, tree_of

APPS = {"sharedtasks", "crowd", "selection", "corpora", "contexts"}
PRODUCT = ("surveys", "postprocess", "preprocess", "annotation_site")
DOCUMENTS = ("README.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md", "docs/*.md")
SMALL = 60  # lines


def python_files(*folders: str) -> Iterator[Path]:
    for folder in folders:
        for path in (ROOT / folder).rglob("*.py"):
            if "migrations" not in path.parts:
                yield path


def count_lines(*folders: str) -> int:
    return sum(path.read_bytes().count(b"\n") for path in python_files(*folders))


def count_core() -> int:
    """Count the lines of `surveys` outside of the folders of apps, and of modules named so."""
    return sum(
        path.read_bytes().count(b"\n")
        for path in python_files("surveys")
        if not APPS & {*path.relative_to(ROOT).with_suffix("").parts}
    )


def count_statements() -> int:
    return sum(isinstance(node, ast.stmt) for name in MODULES for node in ast.walk(tree_of(name)))


def count_migrations() -> int:
    return len([*ROOT.glob("surveys/**/migrations/[0-9]*.py")])


def count_words(*patterns: str) -> int:
    paths = (path for pattern in patterns for path in ROOT.glob(pattern))
    return sum(len(path.read_text(encoding="utf-8").split()) for path in paths)


def count_settings() -> int:
    """Count the rows of the table of environment settings."""
    return len(re.findall(r"^\| `", (ROOT / "docs/settings.md").read_text(), re.MULTILINE))


def count_crumbs() -> int:
    """Count the small modules that a single module imports."""
    importers = Counter(imported for name in MODULES for imported in imports_of(name) - {name})
    return sum(
        path.name != "__init__.py"
        and importers[name] == 1
        and path.read_bytes().count(b"\n") <= SMALL
        for name, path in MODULES.items()
    )


# What is counted, how, its bound, and the aim of the rebuild before version 0.1.0.
BOUNDS = (
    ("lines of the core", count_core, 42_351, 33_000),
    ("lines of the product", lambda: count_lines(*PRODUCT), 107_865, 84_000),
    ("statements of the product", count_statements, 62_587, 48_500),
    ("lines of the simulator", lambda: count_lines("mturk_simulator"), 5_556, 5_100),
    ("lines of tests", lambda: count_lines("tests"), 98_435, 75_000),
    ("lines of benchmarks", lambda: count_lines("bench"), 6_044, 5_000),
    ("migrations", count_migrations, 10, 4),
    ("words of documents", lambda: count_words(*DOCUMENTS), 60_923, 54_500),
    ("words of the README", lambda: count_words("README.md"), 784, 900),
    ("words of the changelog", lambda: count_words("CHANGELOG.md"), 931, 700),
    ("environment settings", count_settings, 36, 30),
    ("small modules with one importer", count_crumbs, 16, 10),
)


@pytest.mark.parametrize(
    ("part", "count", "bound", "aim"), BOUNDS, ids=[part for part, *_ in BOUNDS]
)
def test_no_part_grows(part, count, bound, aim):
    now = count()

    assert now <= bound, f"{part}: {now:,} are more than the bound of {bound:,} (aim: {aim:,})"
