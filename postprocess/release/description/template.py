"""The description file as a form: known entries, and comments that say what to add."""

import json
from collections.abc import Collection, Iterator

import tomli_w
from pydantic import BaseModel

from postprocess.release.description.study import Description, list_asked

HEAD = (
    "# The description of a dataset and its study. Entries that start with # are still missing:",
    "# write the text that the comment after the entry asks for, and delete the # in front. The",
    "# release lists missing texts and marks them in its files; with --complete it is refused.",
)
EXAMPLES = {
    "authors": (
        "# [[authors]]  # one for each author, in citation order; for an organisation: name",
        '# family_names = ""',
        '# given_names = ""',
        '# orcid = ""',
        '# affiliation = ""',
    ),
    "recruitment": (
        "# [[recruitment]]  # one for each way annotators were recruited",
        '# channel = ""',
        "# n_annotators = 0",
    ),
    "texts": (
        "# [[texts]]  # one for each version of a text that annotators read",
        '# kind = "consent"  # or instructions, practice, check',
        "# version = 1",
        '# body = """"""',
    ),
}


def render_template(
    description: Description, *, without: Collection[str] = (), n_texts: int = 1
) -> str:
    """Return the text of a description file, with a comment for each missing entry.

    `without`: sections to leave out; `n_texts` are shown at one time.
    """
    entries = description.model_dump(exclude_none=True)
    lines = [*HEAD, "", f"format = {description.format}"]
    for name in [name for name in Description.model_fields if name not in without]:
        section = getattr(description, name)
        if isinstance(section, BaseModel):
            lines += ["", f"[{name}]", *_render_section(section, entries[name], n_texts)]
        elif isinstance(section, list):
            lines += _render_list(name, entries[name])
    return "\n".join(lines) + "\n"


def _render_list(name: str, entries: list[dict[str, object]]) -> Iterator[str]:
    if not entries:
        yield from ("", *EXAMPLES[name])
    for entry in entries:
        yield from ("", f"[[{name}]]", _dump(entry))


def _dump(entries: dict[str, object]) -> str:
    return tomli_w.dumps(entries, multiline_strings=True).rstrip("\n")


def _render_section(section: BaseModel, known: dict[str, object], n_texts: int) -> Iterator[str]:
    """Yield the lines of a section: known entries, inline tables, missing entries."""
    flat = {name: entry for name, entry in known.items() if entry not in ({}, [])}
    inline = {name: entry for name, entry in flat.items() if isinstance(entry, dict)}
    plain = {name: entry for name, entry in flat.items() if name not in inline}
    if plain:
        yield _dump(plain)
    for name, table in inline.items():
        pairs = ", ".join(f"{_quote(key)} = {_quote(label)}" for key, label in table.items())
        yield f"{name} = {{ {pairs} }}"
    for name, what in list_asked(type(section), n_texts):
        if name not in known:
            yield f'# {name} = ""  # {what}'


def _quote(text: str) -> str:
    """Return a basic TOML string; it allows all escapes of JSON."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
