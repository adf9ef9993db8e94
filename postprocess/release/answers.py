"""What a person told about a study, as Markdown; a mark for whatever they have not told."""

from collections.abc import Iterator

from pydantic import BaseModel

from postprocess.release.description import Description, label_entry, list_asked
from postprocess.release.figures import Subject
from postprocess.release.markdown import bullets, escape, told
from postprocess.steps.rehearsal import STAMP

CHANNELS = "**Annotators who started, by how they came:**"


def ask(entries: BaseModel, section: str, *names: str) -> Iterator[str]:
    """Write entries of a part of the description, each a block that begins with its label.

    What is missing is marked, with the section of the file.
    """
    for name in names:
        (text,) = ask_unlabelled(entries, section, name)
        yield f"**{label_entry(type(entries), name)}:** {text}"


def ask_unlabelled(entries: BaseModel, section: str, *names: str) -> Iterator[str]:
    """Write the same below a heading that is the label already."""
    asked = dict(list_asked(type(entries)))
    for name in names:
        entry = getattr(entries, name)
        yield told(None if entry is None else str(entry), section, asked[name])


def warn(subject: Subject) -> str:
    """Write the warning of a rehearsal as a quotation, which stands out; "" for none."""
    return f"> **{STAMP}.** {escape(subject.warning)}" if subject.warning else ""


def list_channels(description: Description) -> Iterator[str]:
    """List how annotators came; nothing if it is not known."""
    if description.recruitment:
        yield CHANNELS
        yield bullets(
            escape(one.channel)
            + ("" if one.n_annotators is None else f": {one.n_annotators} annotators")
            for one in description.recruitment
        )
