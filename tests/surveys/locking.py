"""Which rows actions lock, by the statements they send: threads for each action take too long."""

import ast
import re
from collections import Counter
from collections.abc import Callable, Mapping
from contextlib import suppress
from copy import deepcopy
from importlib import import_module
from inspect import BoundArguments, currentframe, signature
from typing import Any

import pytest
from django.apps import apps
from django.db import connection, transaction

from surveys.errors import SurveyError
from tests.test_layout import MODULES, tree_of

Rows = dict[str, Any]
LOCK = re.compile(r'FROM "(\w+)".* FOR (?:NO KEY )?UPDATE')
needs_row_locks = pytest.mark.skipif(
    not connection.features.has_select_for_update, reason="locks of rows"
)


def read_table(*rows: tuple[str, str, str]) -> dict[str, str]:
    """Return the models that actions lock, from a module, the models and names of its actions.

    What follows a slash tells apart cases of an action.
    """
    return {f"{module}.{name}": models for module, models, names in rows for name in names.split()}


def list_locked(case: str, rows: Rows, **own: Any) -> str:
    """Perform the action of a case, and name the models whose rows it locks itself, in order.

    Its arguments are `own` and the rows that its parameters name. A refusal is as good, since
    actions lock first.
    """
    name = case.split("/")[0]
    module, _, function = name.rpartition(".")
    models = {model._meta.db_table: model.__name__ for model in apps.get_models()}
    locked: list[str] = []

    def note(execute: Any, sql: str, *rest: Any) -> Any:
        if (found := LOCK.search(sql)) and _find_action() == name:
            locked.append(models[found[1]])
        return execute(sql, *rest)

    action = getattr(import_module(module), function)
    asked = signature(action)
    wanted = {one.name for one in asked.parameters.values() if one.default is one.empty}
    given = deepcopy({name: rows[name] for name in wanted & rows.keys()} | own)
    call = BoundArguments(asked, given)
    undone = transaction.atomic()
    undone._from_testcase = True  # noqa: SLF001 — an action within it may ask to be the outermost
    with undone:
        with suppress(SurveyError), connection.execute_wrapper(note):
            action(*call.args, **call.kwargs)
        transaction.set_rollback(True)
    return " ".join(locked)


def find_missing(table: Mapping[str, str], is_part: Callable[[str], bool]) -> dict[str, str]:
    """Compare a table with the actions of a part of `surveys`: it has a model for each lock."""
    functions = {
        f"{module}.{node.name}": node
        for module in MODULES
        if module.startswith("surveys.")
        for node in ast.walk(tree_of(module))
        if isinstance(node, ast.FunctionDef)
    }
    locking = {name.rpartition(".")[2] for name in functions if _only_locks(name)}
    wanted, named = Counter[str](), Counter[str]()
    for name, function in functions.items():
        if is_part(name) and not _only_locks(name):
            called = [_called(node) for node in ast.walk(function) if isinstance(node, ast.Call)]
            wanted[name] += sum(one in {*locking, "select_for_update"} for one in called)
    for case, models in table.items():
        named[case.split("/")[0]] += len(models.split())
    return {
        name: f"locks in {wanted[name]} places, {named[name]} are in the table"
        for name in {*wanted, *named}
        if named[name] < wanted[name] or (named[name] and not wanted[name])
    }


def _called(call: ast.Call) -> str:
    return str(getattr(call.func, "id", getattr(call.func, "attr", "")))


def _find_action() -> str:
    """Name the innermost function of `surveys` that runs and does more than lock."""
    frame: Any = currentframe()
    while frame:
        function = frame.f_code.co_qualname.split(".<locals>")[0]
        name = f"{frame.f_globals['__name__']}.{function}"
        if name.startswith("surveys.") and not _only_locks(name):
            return name
        frame = frame.f_back
    return ""


def _only_locks(function: str) -> bool:
    """Return whether a function's name says that it only locks; then each caller is an action."""
    return function.rpartition(".")[2].lstrip("_").startswith("lock")
