"""The annotation part of the Responsible NLP research checklist of the ACL (section D)."""

from collections.abc import Iterator

from postprocess.release.answers import ask, list_channels, warn
from postprocess.release.description import Description, TextSection
from postprocess.release.figures import (
    FATES,
    Subject,
    count_annotators,
    describe_question,
    describe_time,
    list_fates,
)
from postprocess.release.markdown import bullets, escape, join_blocks, told

READ_BY_ALL = "instructions", "practice", "check"
HEAD = (
    "The questions are told in short; their wording is at "
    "<https://aclrollingreview.org/responsibleNLPresearch/>. The answers are meant to be taken "
    "over into a paper that presents or uses this dataset."
)


def render_checklist(subject: Subject) -> str:
    """The text of `CHECKLIST.md`: an answer to each question, from the study or by a person."""
    title = "Responsible NLP research checklist, section D: human annotators"
    blocks = [
        f"# {subject.stamp(title)}",
        warn(subject),
        HEAD,
        "**Were human annotators used?** Yes.",
    ]
    for question, *answers in _answers(subject):
        blocks += [f"## {question}", *answers]
    return join_blocks(blocks)


def _answers(subject: Subject) -> Iterator[tuple[str, ...]]:
    description = subject.description
    yield (
        "D1. Instructions given to annotators",
        *_list_texts(description, *READ_BY_ALL),
        describe_question(subject),
    )
    yield (
        "D2. Recruitment and pay",
        *list_channels(description),
        *ask(description.annotators, "D2", "recruited"),
        *ask(description.pay, "D2", "amount", "adequacy"),
        describe_time(subject),
    )
    yield (
        "D3. Consent",
        *_list_texts(description, "consent"),
        *ask(description.consent, "D3", "obtained"),
        _describe_words(subject),
        *_count_withdrawn(description),
    )
    yield "D4. Ethics review", *ask(description.ethics, "D4", "review", "risks")
    yield (
        "D5. Who the annotators were",
        escape(count_annotators(subject)),
        FATES,
        bullets(map(escape, list_fates(subject))),
        *ask(description.annotators, "D5", "qualifications", "demographics"),
    )


def _list_texts(description: Description, *kinds: str) -> Iterator[str]:
    """Where the full texts stand; a mark for a kind that must be there and is not."""
    texts = [text for text in description.texts if text.kind in kinds and text.body]
    if texts:
        yield "**Full text as annotators read it:**"
        yield bullets(_name_text(text) for text in texts)
    must_be_there = kinds[0]
    if not any(text.kind == must_be_there for text in texts):
        section = "D3" if must_be_there == "consent" else "D1"
        yield told(
            None,
            section,
            f"the full text of the {must_be_there}, in a table texts of the description",
        )


def _name_text(text: TextSection) -> str:
    read_by = "" if text.n_annotators is None else f", read by {text.n_annotators} annotators"
    return f"the {text.kind}, version {text.version}{read_by}: [{text.path}]({text.path})"


def _describe_words(subject: Subject) -> str:
    if subject.has_words:
        return (
            "Words that annotators wrote beside their ratings are published, of those who agreed."
        )
    return "Words that annotators wrote beside their ratings are not published."


def _count_withdrawn(description: Description) -> Iterator[str]:
    n_withdrawn = description.collection.n_annotators_withdrawn
    if n_withdrawn is not None:
        yield (
            f"Annotators could withdraw at any time; {n_withdrawn} did, and nothing of theirs is "
            "in this release."
        )
