"""The description of a study as entries of a form; it is stored as TOML."""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple, get_args, get_origin

from django.db import transaction
from pydantic import BaseModel

from postprocess.formats.toml import find_comments, parse_toml
from postprocess.naming import propose_name
from postprocess.release.description.licences import LICENCES
from postprocess.release.description.study import (
    FACTS,
    OF_TEXTS,
    Day,
    Description,
    DescriptionError,
    LicenceName,
    fill_in,
    label_entry,
    list_asked,
    name_stimuli,
    parse_description,
    read_entries,
)
from postprocess.release.description.template import render_template
from postprocess.release.description.texts import Prose
from surveys.access.audit_log import record
from surveys.errors import ReleaseRefused
from surveys.models import Run, Study, WrittenDescription
from surveys.results.description import describe_design

Entries = dict[str, Any]
LONGEST = 200_000  # characters
PARTS = {  # of the form → sections of the description
    "The dataset": ("dataset",),
    "Authors": ("authors",),
    "Language and texts": ("language", "stimuli"),
    "Annotators, pay and ethics": ("annotators", "pay", "consent", "ethics"),
    "Collection": ("collection",),
}
COUNTED = ("collection", "recruitment", "texts")  # sections that the site fills in
OF_THE_RELEASE = {("dataset", "released_on")}  # known when the release is created
LABELS = {  # other than those of the documents, which have a heading
    ("dataset", "doi"): "DOI",
    ("dataset", "contact"): "Contact for the dataset",
    ("stimuli", "creators"): "Origin of the texts",
    ("annotators", "creators"): "Kind of annotators",
}
NOT_IN_FORMS = {("consent", "publishes_words")}


class Entry(NamedTuple):
    """An entry of the description that a person can write.

    `kind`: "line", "prose", "lines", "day" or "choice". `what` says what to write, and is empty
    for an entry that a complete release need not have.
    """

    section: str
    name: str
    label: str
    what: str
    kind: str
    choices: tuple[str, ...] = ()


class Missing(NamedTuple):
    """An entry that a complete release needs and nobody has written."""

    section: str
    name: str
    label: str


class Progress(NamedTuple):
    """How much of a part of the description is written; `missing` lists the rest."""

    part: str
    n_asked: int
    missing: list[Missing]

    @property
    def n_written(self) -> int:
        return self.n_asked - len(self.missing)


def read_written(study: Study) -> str:
    """Return what researchers wrote last, as TOML: stored, or with the last release."""
    stored = WrittenDescription.objects.filter(study=study).first()
    if stored:
        return stored.body
    last = Run.objects.filter(study=study).releases().done().first()
    return str(last.request.get("description", "")) if last else ""


@transaction.atomic
def store_written(study: Study, body: str) -> None:
    """Store the description of a study, complete or not; a no-op for the stored one.

    Raises ReleaseRefused with a line for each invalid entry.
    """
    body = body.replace("\r\n", "\n").strip()
    if len(body) > LONGEST or "\0" in body:
        raise ReleaseRefused(f"The description must be a text of {LONGEST:,} characters at most.")
    _parse(body)
    study = Study.objects.select_for_update(no_key=True).get(pk=study.pk)  # one after another
    stored, _ = WrittenDescription.objects.get_or_create(study=study)
    if stored.body != body:
        stored.body = body
        stored.save()
        record("description.set", study, "description")


def write_entries(written: str, changed: Entries) -> str:
    """Return a description in TOML in which some entries are replaced; None removes an entry.

    `changed`: section → entries, and "authors" → a list of authors. All other entries stay, and
    comments are lost. Raises ReleaseRefused with a line for each invalid entry, which begins with
    its place, such as "dataset.doi: ".
    """
    entries: Entries = parse_toml(written)
    for section, values in changed.items():
        if isinstance(values, dict):
            merged = {**entries.get(section, {}), **values}
            entries[section] = {name: value for name, value in merged.items() if value is not None}
        else:
            entries[section] = values
    try:
        return read_entries(entries).render_given()
    except DescriptionError as error:
        raise ReleaseRefused(str(error)) from error


def name_dataset(study: Study) -> str:
    """Return the name of a study's dataset in its files: as written, or else the study's."""
    written = _parse(read_written(study)).dataset.name
    return written or propose_name(study.slug, study.languages)


def show_text(study: Study, written: str) -> str:
    """Return the description as TOML to edit: as written by hand, or with a comment for each gap.

    Known entries are filled in.
    """
    if find_comments(written):
        return written
    filled = fill_in(_parse(written), describe_design(study))
    without = [name for name in COUNTED if name not in _parse(written).model_fields_set]
    return render_template(filled, without=without, n_texts=study.kind.n_texts)


def read_known(study: Study) -> dict[tuple[str, str], Any]:
    """Return the entries that follow from the study: (section, name) → value."""
    facts = describe_design(study).model_dump(exclude_unset=True, exclude_none=True)
    return {
        (section, name): value
        for section, values in facts.items()
        if section not in FACTS and isinstance(values, dict)
        for name, value in values.items()
    }


def read_values(written: str) -> dict[tuple[str, str], Any]:
    """Return the written entries: (section, name) → value. Raises ReleaseRefused."""
    given = _parse(written).model_dump(exclude_unset=True, exclude_none=True)
    return {
        (section, name): value
        for section, values in given.items()
        if isinstance(values, dict)
        for name, value in values.items()
    }


def read_authors(written: str) -> list[dict[str, str]]:
    """Return the written authors. Raises ReleaseRefused."""
    return [author.model_dump(exclude_none=True) for author in _parse(written).authors]


def list_lost_comments(written: str) -> list[str]:
    """Return the comments of a description, other than those that ask for an entry."""
    templates = [render_template(Description(), n_texts=n_texts) for n_texts in (0, 1)]
    template_comments = {comment for text in templates for comment in find_comments(text)}
    return [comment for comment in find_comments(written) if comment not in template_comments]


def list_progress(study: Study, written: str) -> list[Progress]:
    """Return how much of each part is written or known."""
    description = fill_in(_parse(written), describe_design(study))
    return [
        Progress(part, n_asked, missing)
        for part, sections in PARTS.items()
        for n_asked, missing in [_measure(description, sections, study.kind.n_texts)]
    ]


def list_gaps(run: Run) -> list[Progress]:
    """Return what was missing in the description of a release when it was created, by part."""
    if not (run.report or {}).get("to_be_written"):
        return []
    return list_progress(run.study, str(run.request.get("description", "")))


def count_released(run: Run) -> dict[str, int]:
    """Return the same numbers as `count_written` for the description of a release."""
    written = count_written(list_progress(run.study, str(run.request.get("description", ""))))
    is_complete = not (run.report or {}).get("to_be_written")
    return {**written, "n_written": written["n_asked"]} if is_complete else written


def count_written(progress: Sequence[Progress]) -> dict[str, int]:
    """Return the number of written entries, and the number that a complete release needs."""
    return {
        name: sum(getattr(part, name) for part in progress) for name in ("n_written", "n_asked")
    }


def list_entries(part: str, n_texts: int = 1) -> list[Entry]:
    """Return the entries of a part, without lists of tables and what the site always fills in.

    `n_texts` are shown at one time; without texts, there are no entries about them.
    """
    return [
        entry
        for section in PARTS[part]
        if section not in FACTS
        for entry in _describe_entries(section, n_texts)
        if (entry.section, entry.name) not in NOT_IN_FORMS
        and (n_texts or entry.name not in OF_TEXTS)
    ]


def _parse(written: str) -> Description:
    try:
        return parse_description(written.encode())
    except DescriptionError as error:
        raise ReleaseRefused(str(error)) from error


def _measure(
    description: Description, sections: Sequence[str], n_texts: int
) -> tuple[int, list[Missing]]:
    """Return the number of asked entries of some sections, and those that are missing."""
    n_asked, missing = 0, []
    for section in sections:
        model = getattr(description, section)
        if section == "authors":
            n_asked += 1
            missing += [] if model else [Missing(section, "0-family_names", "Authors")]
            continue
        for name, _ in list_asked(type(model), n_texts):
            n_asked += 1
            follows = section in FACTS or (section, name) in OF_THE_RELEASE
            if not follows and getattr(model, name) is None:
                label = _label(section, type(model), name, n_texts)
                missing.append(Missing(section, name, label))
    return n_asked, missing


def _describe_entries(section: str, n_texts: int) -> Iterator[Entry]:
    model = type(getattr(Description(), section))
    if not issubclass(model, BaseModel):  # a list of tables
        return
    for name, field in model.model_fields.items():
        what = (field.description or "") if field.json_schema_extra else ""
        kind, choices = _find_kind(field.annotation)
        label = _label(section, model, name, n_texts)
        yield Entry(section, name, label, name_stimuli(what, n_texts), kind, choices)


def _label(section: str, model: type[BaseModel], name: str, n_texts: int) -> str:
    """Return the label of an entry, in the form and wherever it is listed."""
    label = LABELS.get((section, name)) or label_entry(model, name)
    return name_stimuli(label, n_texts)


def _find_kind(annotation: Any) -> tuple[str, tuple[str, ...]]:
    options = get_args(annotation)
    if LicenceName in options:
        return "choice", tuple(LICENCES)
    for option in options:
        if get_args(option) and all(isinstance(name, str) for name in get_args(option)):
            return "choice", get_args(option)
    if get_origin(annotation) is list:
        return "lines", ()
    return ("prose" if Prose in options else "day" if Day in options else "line"), ()
