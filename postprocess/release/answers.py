"""What a person told about a study, as Markdown; a mark for whatever they have not told."""

from collections.abc import Iterator

from pydantic import BaseModel

from postprocess.release.description import Description, list_asked
from postprocess.release.markdown import bullets, escape, told


def ask(entries: BaseModel, section: str, *names: str) -> Iterator[str]:
    """Entries of a part of the description, each a block; marks name the section of the file."""
    asked = dict(list_asked(type(entries)))
    for name in names:
        entry = getattr(entries, name)
        yield told(None if entry is None else str(entry), section, asked[name])


def ask_labelled(entries: BaseModel, section: str, **labels: str) -> Iterator[str]:
    """The same with a word in bold before each; entry = label."""
    for name, label in labels.items():
        (text,) = ask(entries, section, name)
        yield f"**{label}** {text}"


def list_channels(description: Description) -> Iterator[str]:
    """How annotators came, as a list; nothing if it is not known."""
    if description.recruitment:
        yield bullets(
            escape(one.channel)
            + ("" if one.n_annotators is None else f": {one.n_annotators} annotators")
            for one in description.recruitment
        )
