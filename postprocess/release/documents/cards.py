"""The documents in Markdown: dataset card, data statement and checklist, from their templates."""

import functools
import re
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


def ask(entries: BaseModel, section: str, *names: str) -> str:
    """Return labelled entries of the description, or placeholders, as Markdown blocks."""
    labels = (label_entry(type(entries), name) for name in names)
    texts = (ask_unlabelled(entries, section, name) for name in names)
    return "\n\n".join(f"**{label}:** {text}" for label, text in zip(labels, texts, strict=True))


def ask_unlabelled(entries: BaseModel, section: str, name: str) -> str:
    """Return an entry of the description, or its placeholder, as Markdown."""
    entry = getattr(entries, name)
    what = dict(list_asked(type(entries)))[name]
    return write(None if entry is None else str(entry), section, what)


def _render(name: str, subject: Subject) -> str:
    """Return a document; line breaks within a paragraph of its template become spaces."""
    template = _make_environment().get_template(f"{name}.md.jinja")
    text = template.render(
        subject=subject,
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
        ask=ask,
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
