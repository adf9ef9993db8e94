"""What is offered at each door: addresses, commands, study settings, and the words of the log."""

import argparse
from collections.abc import Callable, Iterator
from importlib import import_module
from typing import Any

import pytest
from django.core.management import get_commands, load_command_class
from django.urls import URLPattern, URLResolver, get_resolver

from postprocess.__main__ import COMMANDS
from preprocess.__main__ import COMMANDS as CONTEXT_COMMANDS
from surveys.models import AuditEntry
from surveys.study.settings import SETTINGS
from surveys.templatetags.log_entries import ACTIONS, FIELDS, sentence
from surveys.web.api.studies.serializers import NewStudySerializer, StudySerializer
from surveys.web.console.study.design_forms import DesignForm
from surveys.web.console.study.stimuli_forms import NewStudyForm
from tests.frozen.texts import check_frozen

OF_ALL = {
    "help", "version", "verbosity", "settings", "pythonpath", "traceback", "no_color",
    "force_color", "skip_checks",
}  # fmt: skip
NO_DEFAULTS = (None, False, argparse.SUPPRESS)
LIMITS = ("required", "read_only", "allow_null", "min_value", "max_value", "max_length")


@pytest.mark.needs("sharedtasks", "crowd", "contexts")
def test_urls():
    urls: dict[str, list[str]] = {}
    for route, name, view in list_urls(get_resolver()):
        if not name.startswith("admin:"):  # Django's own, for each model
            top = route.partition("/")[0]
            urls.setdefault(top, []).append(f"/{route}  {name}  {' '.join(find_methods(view))}")

    check_frozen("urls", {top: "\n".join(lines) for top, lines in urls.items()})


def list_urls(
    resolver: URLResolver, route: str = "", namespace: str = ""
) -> Iterator[tuple[str, str, Callable[..., Any]]]:
    for entry in resolver.url_patterns:
        below = f"{route}{entry.pattern}"
        if isinstance(entry, URLPattern):
            yield below, f"{namespace}{entry.name or '-'}", entry.callback
        else:
            inner = f"{namespace}{entry.namespace}:" if entry.namespace else namespace
            yield from list_urls(entry, below, inner)


def find_methods(view: Any) -> list[str]:
    """Return the methods that a view allows, by its decorator or its class; none for any."""
    view_class = getattr(view, "cls", None) or getattr(view, "view_class", None)
    if view_class:
        handled = (name for name in view_class.http_method_names if hasattr(view_class, name))
        names = getattr(view, "actions", None) or handled
        return [name.upper() for name in names if name != "head"]  # which the first GET adds
    while view:
        names = view.__code__.co_freevars
        if "request_method_list" in names:
            return list(view.__closure__[names.index("request_method_list")].cell_contents)
        view = getattr(view, "__wrapped__", None)
    return []


@pytest.mark.needs("sharedtasks", "crowd", "contexts")
def test_commands():
    commands = {
        f"manage.py {name}": load_command_class(app, name).create_parser("manage.py", name)
        for name, app in get_commands().items()
        if app.startswith("surveys")
    }
    for package, known in (("postprocess", COMMANDS), ("preprocess", CONTEXT_COMMANDS)):
        for name, (module, about) in known.items():
            parser = commands[f"{package} {name}"] = argparse.ArgumentParser(description=about)
            import_module(f"{package}.commands.{module}").add_arguments(parser)

    check_frozen("commands", {name: describe(parser) for name, parser in commands.items()})


def describe(parser: argparse.ArgumentParser, indent: str = "") -> str:
    """Return the help of a command, which argparse words differently in each Python."""
    lines = [f"{indent}{parser.description or ''}".rstrip()]
    for action in list_actions(parser):
        choices = action.choices or ()
        parts = [
            ", ".join(action.option_strings) or action.dest,
            "required" if action.required else "",
            f"{action.nargs or ''} {action.metavar or ''}",
            " | ".join(map(str, choices)),
            "" if action.default in NO_DEFAULTS else f"= {action.default}",
            f": {action.help or ''}",
        ]
        lines.append(indent + " ".join(" ".join(parts).split()))
        if isinstance(action, argparse._SubParsersAction):  # noqa: SLF001
            lines += [describe(below, f"{indent}  ") for below in action.choices.values()]
    return "\n".join(lines)


def list_actions(parser: argparse.ArgumentParser) -> list[argparse.Action]:
    """Return the arguments and options of a command, without those of all commands."""
    return [action for action in parser._actions if action.dest not in OF_ALL]  # noqa: SLF001


def test_study_settings():
    doors = {
        "design form": DesignForm.base_fields,
        "form of a new study": NewStudyForm.base_fields,
        "API": StudySerializer().fields,
        "API, new study": NewStudySerializer().fields,
    }
    names = sorted({name for fields in doors.values() for name in fields} | {*SETTINGS})

    check_frozen(
        "settings",
        {
            name: "\n".join(
                f"{door}: {describe_field(fields[name])}"
                for door, fields in doors.items()
                if name in fields
            )
            for name in names
        },
    )


def describe_field(field: Any) -> str:
    limits = [f"{name}={value}" for name in LIMITS if (value := getattr(field, name, None))]
    choices = getattr(field, "choices", None) or []
    pairs = choices.items() if isinstance(choices, dict) else choices
    words = " | ".join(f"{value}: {label}" for value, label in pairs)
    texts = [type(field).__name__, *limits, str(field.label), str(field.help_text or ""), words]
    return "; ".join(" ".join(text.split()) for text in texts if text)


@pytest.mark.needs("sharedtasks", "crowd", "contexts")
def test_log():
    sentences = [
        f"{action}: {sentence(AuditEntry(action=action, subject='SUBJECT'))}"
        for action in sorted(ACTIONS)
    ]
    details = [f"{name}: {FIELDS[name]}" for name in sorted(FIELDS)]

    check_frozen("log", {"actions": "\n".join(sentences), "details": "\n".join(details)})
