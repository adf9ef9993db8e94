"""The data statement: the sections that Bender and Friedman (2018) ask for, A to I."""

from collections.abc import Iterator

from postprocess.release.answers import ask, list_channels, warn
from postprocess.release.figures import (
    FATES,
    Subject,
    count_annotators,
    describe_days,
    describe_question,
    describe_time,
    list_agreement,
    list_fates,
)
from postprocess.release.markdown import bullets, escape, join_blocks, told

HEAD = (
    "The sections are those proposed by Bender and Friedman (2018), “Data Statements for Natural "
    "Language Processing”, *Transactions of the ACL* 6."
)
NO_RECORDING = "Written texts; nothing was recorded."


def render_statement(subject: Subject) -> str:
    """The text of `DATA_STATEMENT.md`."""
    description = subject.description
    title = told(description.dataset.title, "Title", "what the dataset is called")
    blocks = [
        f"# {subject.stamp(f'Data statement: {title}')}",
        warn(subject),
        HEAD,
    ]
    for heading, *parts in _sections(subject):
        blocks += [f"## {heading}", *parts]
    return join_blocks(blocks)


def _sections(subject: Subject) -> Iterator[tuple[str, ...]]:
    description = subject.description
    yield "A. Curation Rationale", *ask(description.stimuli, "A", "rationale", "pairs_from")
    yield (
        "B. Language Variety",
        f"**Language:** {escape(subject.language_name)}, BCP 47 tag `{subject.language}`.",
        *(ask(description.language, "B", "name") if description.language.name is None else ()),
        *ask(description.language, "B", "variety"),
    )
    yield "C. Speaker Demographic", *ask(description.stimuli, "C", "writers")
    yield (
        "D. Annotator Demographic",
        escape(count_annotators(subject)),
        FATES,
        bullets(map(escape, list_fates(subject))),
        *list_channels(description),
        *ask(description.annotators, "D", "recruited", "qualifications", "demographics"),
        *ask(description.pay, "D", "amount"),
    )
    yield (
        "E. Speech Situation",
        *ask(description.stimuli, "E", "situation"),
        *_describe_sitting(subject),
    )
    yield "F. Text Characteristics", *ask(description.stimuli, "F", "characteristics")
    yield "G. Recording Quality", NO_RECORDING
    yield "H. Other", *_describe_other(subject)
    yield (
        "I. Provenance Appendix",
        *ask(description.stimuli, "I", "contexts_from", "licence"),
    )


def _describe_sitting(subject: Subject) -> Iterator[str]:
    collection = subject.description.collection
    yield from ask(collection, "E", "procedure")
    yield describe_question(subject)
    if days := describe_days(subject):
        yield f"**Days of the collection:** {days}"
    else:
        yield from ask(collection, "E", "began_on", "ended_on")
    yield describe_time(subject)


def _describe_other(subject: Subject) -> Iterator[str]:
    lines = list(list_agreement(subject))
    if lines:
        yield "Agreement of the annotators whose ratings make the scores:"
        yield bullets(map(escape, lines))
    yield (
        "Individual ratings are published under ids that are the same throughout this release "
        "and unlike those of any other."
    )
