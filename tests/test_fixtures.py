"""Helpers and fixtures of tests have one place and one definition."""

import ast
from collections import Counter

from tests.machine import ROOT

TEST_MODULES = {
    path.relative_to(ROOT): ast.parse(path.read_text(encoding="utf-8"))
    for folder in ("tests", "mturk_simulator/tests")
    for path in sorted((ROOT / folder).rglob("*.py"))
}
OVERRIDDEN = {"jobs_performed_when_committed"}  # by tests of jobs, which perform them themselves


def test_no_test_imports_from_a_conftest():
    """Helpers are in `tests/factories`, fixtures of several folders in `tests/fixtures`."""
    imports = {
        (str(path), node.module)
        for path, tree in TEST_MODULES.items()
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and "conftest" in f"{node.module}".split(".")
    }

    assert TEST_MODULES
    assert imports == set()


def test_a_fixture_has_one_definition():
    """One name has one meaning; marks and other fixtures say what a shared one makes."""
    names = Counter(
        node.name
        for tree in TEST_MODULES.values()
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef)
        and any(ast.unparse(each).startswith("pytest.fixture") for each in node.decorator_list)
    )

    assert len(names) > 300
    assert {name for name, number in names.items() if number > 1} == OVERRIDDEN
