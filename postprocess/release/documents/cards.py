"""The documents in Markdown: dataset card, data statement and checklist, from their templates."""

import functools
import re
from collections.abc import Mapping
from pathlib import Path

import jinja2
from pydantic import BaseModel

from postprocess.designs.procedure import describe_items, name_written
from postprocess.naming import STAMP
from postprocess.release.description.licences import LICENCES
from postprocess.release.description.study import label_entry, list_asked
from postprocess.release.documents import summaries
from postprocess.release.documents.citation import cite
from postprocess.release.documents.contents import (
    PAIR,
    dataset_columns,
    describe_file,
    distribution_columns,
    ratings_columns,
)
from postprocess.release.documents.markdown import escape, write
from postprocess.release.documents.metadata import render_metadata
from postprocess.release.documents.summaries import Subject

TEMPLATES = Path(__file__).parent / "templates"
KEEP_LINES = ("- ", "| ", "```")  # first characters of the blocks whose line breaks matter


def render_card(subject: Subject) -> str:
    """Return the text of `README.md`: metadata for dataset hubs, and the dataset card."""
    return f"{render_metadata(subject)}\n{_render('card', subject)}"


def render_statement(subject: Subject) -> str:
    """Return the text of `DATA_STATEMENT.md`, with the sections of Bender and Friedman (2018)."""
    return _render("statement", subject)


def render_checklist(subject: Subject) -> str:
    """Return the text of `CHECKLIST.md`: section D of the Responsible NLP research checklist."""
    return _render("checklist", subject)


def ask(entries: BaseModel, section: str, *names: str, n_texts: int = 1) -> str:
    """Return labelled entries of the description, or placeholders, as Markdown blocks.

    `n_texts` are shown at one time; entries about texts are left out where there are none.
    """
    asked = dict(list_asked(type(entries), n_texts))
    return "\n\n".join(
        f"**{label_entry(type(entries), name, n_texts)}:** {_write(entries, name, section, asked)}"
        for name in names
        if name in asked or getattr(entries, name) is not None
    )


def ask_unlabelled(entries: BaseModel, section: str, name: str) -> str:
    """Return an entry of the description, or its placeholder, as Markdown."""
    return _write(entries, name, section, dict(list_asked(type(entries))))


def _write(entries: BaseModel, name: str, section: str, asked: Mapping[str, str]) -> str:
    entry = getattr(entries, name)
    return write(None if entry is None else str(entry), section, asked.get(name, ""))


def _render(name: str, subject: Subject) -> str:
    """Return a document; line breaks within a paragraph of its template become spaces."""
    template = _make_environment().get_template(f"{name}.md.jinja")
    text = template.render(
        subject=subject,
        ask=functools.partial(ask, n_texts=subject.n_texts),
        description=subject.description,
        ratings_columns=ratings_columns(subject),
        dataset_columns=dataset_columns(subject),
        distribution_columns=distribution_columns(subject, ["<point>"]),
        describe_items=describe_items(subject.design),
        written=name_written(subject.design),
        title=write(subject.title, "Title", "the name of the dataset"),
    )
    blocks = re.split(r"\n\s*\n", text.strip())
    return "\n\n".join(map(_join_lines, blocks)) + "\n"


@functools.cache  # a template is compiled once
def _make_environment() -> jinja2.Environment:
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(TEMPLATES),
        autoescape=jinja2.select_autoescape(),  # off: Markdown is escaped by the filter md
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["md"] = escape
    environment.globals.update(
        ask_unlabelled=ask_unlabelled,
        cite=lambda subject: cite(subject, write=write, link="<{}>"),
        describe_file=describe_file,
        licences=LICENCES,
        pair=PAIR,
        stamp=STAMP,
        summaries=summaries,
        write=write,
    )
    return environment


def _join_lines(block: str) -> str:
    """Return a paragraph on one line; lists, tables and code are returned unchanged."""
    keeps_lines = block.startswith(KEEP_LINES) or block.endswith("```")
    return block if keeps_lines else " ".join(block.split())
