"""The description as a form to fill in: what is known, and for the rest what to write."""

import json
from collections.abc import Collection, Iterator

import tomli_w
from pydantic import BaseModel

from postprocess.release.description import Description, list_asked

HEAD = (
    "# The description of a dataset and of the study it comes from. Write what stands after an",
    "# entry marked with #, and remove the mark. What is left out is marked in the files of the",
    "# release and listed; a release with --complete is refused until nothing is missing.",
)
EXAMPLES = {
    "authors": (
        "# [[authors]]  # once for each, in the order of citation; a body has a name instead",
        '# family_names = ""',
        '# given_names = ""',
        '# orcid = ""',
        '# affiliation = ""',
    ),
    "recruitment": (
        "# [[recruitment]]  # once for each way by which annotators came",
        '# channel = ""',
        "# n_annotators = 0",
    ),
    "texts": (
        "# [[texts]]  # once for each version of what annotators read",
        '# kind = "consent"  # or instructions, practice, check',
        "# version = 1",
        '# body = """"""',
    ),
}


def render_template(description: Description, *, without: Collection[str] = ()) -> str:
    """The text of a description file with a line for each entry that is still to be written.

    `without`: sections that nobody is asked for.
    """
    known = description.model_dump(exclude_none=True)
    lines = [*HEAD, "", f"format = {description.format}"]
    for name in [name for name in Description.model_fields if name not in without]:
        section = getattr(description, name)
        if isinstance(section, BaseModel):
            lines += ["", f"[{name}]", *_render_section(section, known[name])]
        elif isinstance(section, list):
            lines += _render_list(name, known[name])
    return "\n".join(lines) + "\n"


def _render_list(name: str, entries: list[dict[str, object]]) -> Iterator[str]:
    if not entries:
        yield from ("", *EXAMPLES[name])
    for entry in entries:
        yield from ("", f"[[{name}]]", _dump(entry))


def _dump(entries: dict[str, object]) -> str:
    return tomli_w.dumps(entries, multiline_strings=True).rstrip("\n")


def _render_section(section: BaseModel, known: dict[str, object]) -> Iterator[str]:
    """Known entries first: a table in TOML ends where the next begins."""
    flat = {name: entry for name, entry in known.items() if entry not in ({}, [])}
    inline = {name: entry for name, entry in flat.items() if isinstance(entry, dict)}
    plain = {name: entry for name, entry in flat.items() if name not in inline}
    if plain:
        yield _dump(plain)
    for name, table in inline.items():
        pairs = ", ".join(f"{_quote(key)} = {_quote(label)}" for key, label in table.items())
        yield f"{name} = {{ {pairs} }}"
    for name, what in list_asked(type(section)):
        if name not in known:
            yield f'# {name} = ""  # {what}'


def _quote(text: str) -> str:
    """A basic string of TOML; JSON's escapes are among its own."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
