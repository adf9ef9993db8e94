"""Commands and options that the documents name, in the text and in what is not run, exist."""

import re
from argparse import ArgumentParser, _SubParsersAction
from functools import cache
from importlib import import_module

import pytest
from django.core.management import get_commands, load_command_class

from postprocess.__main__ import COMMANDS
from preprocess.__main__ import COMMANDS as CONTEXT_COMMANDS
from tests.documents.reading import list_documents, read_blocks, read_inline, tracked_files
from tests.documents.terminal import split_commands
from tests.machine import ROOT

OPTION = re.compile(r"(?<![\w-])--[a-z][\w-]*")
SHELL = {"sh", "crontab"}
MANAGE = re.compile(r"(?:python |\.venv/bin/python )?manage\.py (.+)")
LIBRARY = re.compile(r"(?:python -m (?:pre|post)process|cosima-(?:pre|post)) (.+)")

OF_OTHERS = {"docker", "hf"}  # programs that are no part of the repository


@cache
def site_commands() -> dict[str, frozenset[str]]:
    """The commands of manage.py, with their options."""
    return {
        name: options_of(load_command_class(app, name).create_parser("manage.py", name))
        for name, app in get_commands().items()
    }


@cache
def library_commands() -> dict[str, frozenset[str]]:
    """The commands of the library's two programs, with their options."""
    options: dict[str, frozenset[str]] = {}
    for package, commands in (("postprocess", COMMANDS), ("preprocess", CONTEXT_COMMANDS)):
        for name, (module, _) in commands.items():
            parser = ArgumentParser()
            import_module(f"{package}.commands.{module}").add_arguments(parser)
            options[name] = options.get(name, frozenset()) | options_of(parser)
    return options


@cache
def script_options() -> frozenset[str]:
    """The options that scripts read themselves, found in their text."""
    scripts = [n for n in tracked_files() if n.startswith(("scripts/", "bench/"))]
    texts = ((ROOT / name).read_text(encoding="utf-8") for name in scripts)
    return frozenset(option for text in texts for option in OPTION.findall(text))


def options_of(parser: ArgumentParser) -> frozenset[str]:
    """The options of a command and of all commands below it."""
    actions = parser._actions  # noqa: SLF001
    own = frozenset(name for action in actions for name in action.option_strings)
    below = [action.choices for action in actions if isinstance(action, _SubParsersAction)]
    return own.union(*(options_of(one) for choices in below for one in choices.values()))


@cache
def known_options() -> frozenset[str]:
    """The options of all commands and scripts."""
    commands = [*site_commands().values(), *library_commands().values()]
    return script_options().union(*commands)


def find_faults(code: str) -> list[str]:
    """What of a piece of code does not exist: the command, or options, of it or of any."""
    for pattern, commands in ((MANAGE, site_commands()), (LIBRARY, library_commands())):
        if found := pattern.search(code):
            name, _, rest = found[1].partition(" ")
            return [name] if name not in commands else unknown(rest, commands[name])
    name, _, rest = code.partition(" ")
    if name in OF_OTHERS:
        return []
    own = {**library_commands(), **site_commands()}.get(name)
    return unknown(rest, own) if own and rest else unknown(code, known_options())


def unknown(words: str, options: frozenset[str]) -> list[str]:
    return sorted(set(OPTION.findall(words)) - options)


def pieces_of(document: str) -> list[str]:
    """The code in the text of a document, and the commands in its blocks."""
    inline = [token.content for token in read_inline(document, "code_inline")]
    blocks = [block.text for block in read_blocks(document) if block.language in SHELL]
    return [*inline, *(command for text in blocks for command in split_commands(text))]


@pytest.mark.needs("sharedtasks", "crowd", "contexts")
@pytest.mark.parametrize("document", list_documents())
def test_every_command_and_option_that_a_document_names_exists(document):
    faults = {code: find_faults(code) for code in pieces_of(document)}

    assert {code: fault for code, fault in faults.items() if fault} == {}


@pytest.mark.parametrize(
    ("code", "faults"),
    [
        ("python manage.py import_stimuli FILE --study sl", []),
        ("manage.py import_stimuly FILE", ["import_stimuly"]),
        ("import_stimuli FILE --studie sl", ["--studie"]),
        ("cosima-post build --no-report", []),
        ("python -m postprocess build --complete", ["--complete"]),
        ("--no-report", []),
        ("--no-rapport", ["--no-rapport"]),
        ("scripts/serve --with-mturk", []),
        ("scripts/serve --with-turk", ["--with-turk"]),
    ],
)
def test_a_command_or_option_that_does_not_exist_is_found(code, faults):
    assert find_faults(code) == faults
