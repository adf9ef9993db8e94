"""The description of a study and its dataset in words: a versioned TOML file.

Missing entries are marked in the files of the release and listed (see `missing_text`); the
descriptions of the fields say what to write.
"""

import datetime
from collections.abc import Iterator
from typing import Annotated, Any, Final, Literal, Self

import tomli_w
from pydantic import AfterValidator, BaseModel, BeforeValidator, Field, model_validator

from postprocess.errors import UserError
from postprocess.formats.toml import Section, TomlError, parse_toml
from postprocess.naming import check_name
from postprocess.release.description.licences import LICENCES
from postprocess.release.description.texts import Body, Line, Prose, Url

FORMAT: Final = 1
FACTS = ("scale", "texts", "collection", "recruitment")  # sections that the site overrides
AGREED = "publishes_words"  # in the section consent: the site overrides it, too

Count = Annotated[int, Field(ge=0)]
FromOne = Annotated[int, Field(ge=1)]
Version = Annotated[str, Field(pattern=r"^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)$")]
Doi = Annotated[str, Field(pattern=r"^10\.\d{4,9}(\.\d+)?/[A-Za-z0-9:/_;\-\.\(\)\[\]\\]+$")]
Orcid = Annotated[str, Field(pattern=r"^\d{4}-\d{4}-\d{4}-\d{3}[0-9X]$")]


def _check_licence(name: str) -> str:
    if name not in LICENCES:
        raise ValueError(f"must be one of {', '.join(LICENCES)}")
    return name


def _read_day(day: object) -> object:
    """Return a date; parse it if it was written as text."""
    return datetime.date.fromisoformat(day) if isinstance(day, str) else day


Day = Annotated[datetime.date, BeforeValidator(_read_day)]
LicenceName = Annotated[str, AfterValidator(_check_licence)]
Name = Annotated[str, AfterValidator(check_name)]


class DescriptionError(UserError):
    """A description cannot be used; the message names each entry and what is wrong."""


def asked(what: str, label: str | None = None) -> Any:
    """Define an entry that a complete release must have; `what` says what to write.

    `label` is its label in the documents; by default, the name of the entry.
    """
    return Field(default=None, title=label, description=what, json_schema_extra={"is_asked": True})


class _Section(Section):
    """A table of the file; empty texts are dropped."""

    @model_validator(mode="before")
    @classmethod
    def _leave_out_empty(cls, entries: object) -> object:
        if not isinstance(entries, dict):
            return entries
        return {
            name: entry
            for name, entry in entries.items()
            if not (isinstance(entry, str) and not entry.strip())
        }


class DatasetSection(_Section):
    """The dataset: its name, version, licence and uses."""

    title: Line | None = asked("the name of the dataset")
    name: Name | None = Field(default=None, title="Name in file names")
    version: Version | None = asked("the version of the dataset, such as 1.0.0")
    released_on: Day | None = asked(
        "the date of publication, such as 2026-11-30", "Date of publication"
    )
    licence: LicenceName | None = asked(f"the licence, one of {', '.join(LICENCES)}")
    url: Url | None = asked("the URL at which the dataset is published", "URL")
    doi: Doi | None = None
    summary: Prose | None = asked("what the dataset contains, in two or three sentences")
    uses: Prose | None = asked("what the dataset is meant for, and what it must not be used for")
    limitations: Prose | None = asked("what could mislead a user of the scores")
    biases: Prose | None = None
    social_impact: Prose | None = None
    contact: Line | None = asked("whom to ask about the dataset")
    funding: Prose | None = asked("who funded the work")
    maintenance: Prose | None = asked("who corrects errors, and how new versions are announced")
    keywords: list[Line] = []


class Author(_Section):
    """An author to cite: a person (family and given names) or an organisation (name)."""

    family_names: Line | None = None
    given_names: Line | None = None
    name: Line | None = None
    orcid: Orcid | None = None
    affiliation: Line | None = None

    @model_validator(mode="after")
    def _has_one_name(self) -> Self:
        if (self.name is None) == (self.family_names is None):
            raise ValueError("give either family_names (and given_names) or name")
        return self

    @property
    def full_name(self) -> str:
        """The full name for citations."""
        return self.name or " ".join(part for part in (self.given_names, self.family_names) if part)


class LanguageSection(_Section):
    """The language of the texts; its code is given separately, since it is part of file names."""

    name: Line | None = asked("the English name of the language", "Name of the language")
    variety: Prose | None = asked(
        "which variety of the language the texts are in, and its script", "Variety of the language"
    )


OF_TEXTS = {"contexts_from", "rationale", "writers", "situation", "characteristics"}


class StimuliSection(_Section):
    """The source of the word pairs and of their contexts."""

    pairs_from: Prose | None = asked("how the word pairs were chosen", "Choice of the pairs")
    contexts_from: Prose | None = asked(
        "which corpus the contexts were taken from, and how", "Source of the contexts"
    )
    rationale: Prose | None = asked(
        "why these texts were chosen, and what they should cover", "Choice of the texts"
    )
    writers: Prose | None = asked(
        "who wrote the texts of the contexts, as far as known", "Writers of the texts"
    )
    situation: Prose | None = asked(
        "when, where and for whom the texts were written", "Situation of the texts"
    )
    characteristics: Prose | None = asked("genre and topics of the texts", "Genre and topics")
    licence: Prose | None = asked(
        "under which terms the texts may be redistributed", "Licence of the texts"
    )
    creators: Literal["found", "crowdsourced", "expert-generated", "machine-generated"] | None = (
        asked("found, crowdsourced, expert-generated or machine-generated", "Texts")
    )


class ScaleSection(_Section):
    """The rating scale as annotators saw it."""

    minimum: float | None = None
    maximum: float | None = None
    step: float | None = None
    labels: dict[str, Line] = {}


class TextSection(_Section):
    """A version of a text that annotators read."""

    kind: Literal["consent", "instructions", "practice", "check"]
    version: FromOne = 1
    body: Body
    n_annotators: Count | None = None

    @property
    def path(self) -> str:
        """The path of the text in the release."""
        ending = "md" if self.kind in ("consent", "instructions") else "toml"
        return f"texts/{self.kind}_{self.version}.{ending}"


class CollectionSection(_Section):
    """When and how the ratings were collected."""

    procedure: Prose | None = asked("what annotators did with each text, and what they saw of it")
    platform: Line | None = None  # the program or service in which they rated
    question_forms: Literal["dictionary", "text"] | None = None  # in which the question names them
    variant: Literal["plain", "trained"] | None = None  # of the wording of labels and question
    n_annotators_by_variant: dict[Literal["plain", "trained", "own"], Count] = {}  # of the texts
    began_on: Day | None = asked("the first day of data collection", "First day of collection")
    ended_on: Day | None = asked("the last day of data collection", "Last day of collection")
    ratings_per_context: FromOne | None = None
    pairs_per_sitting: FromOne | None = None
    expected_seconds_per_item: Annotated[float, Field(ge=0)] | None = None
    median_seconds_per_item: Annotated[float, Field(ge=0)] | None = None
    n_annotators_started: Count | None = None
    n_annotators_finished: Count | None = None
    n_annotators_withdrawn: Count | None = None
    n_annotators_scripted: FromOne | None = None


class RecruitmentSection(_Section):
    """A recruitment channel."""

    channel: Line
    n_annotators: Count | None = None


class AnnotatorsSection(_Section):
    """The annotators."""

    recruited: Prose | None = asked("how annotators were found and invited", "Recruitment")
    qualifications: Prose | None = asked(
        "who was eligible: proficiency, age, screening", "Qualifications of the annotators"
    )
    demographics: Prose | None = asked(
        "known facts about the annotators: first language, age, gender, country, training",
        "Demographics of the annotators",
    )
    creators: Literal["crowdsourced", "expert-generated"] | None = asked(
        "crowdsourced or expert-generated", "Annotators"
    )


class PaySection(_Section):
    """The annotators' pay."""

    amount: Line | None = asked(
        "what annotators were paid for an assignment of which duration", "Pay"
    )
    adequacy: Prose | None = asked(
        "why the pay is adequate where the annotators live", "Adequacy of the pay"
    )


class ConsentSection(_Section):
    """The annotators' consent."""

    obtained: Prose | None = asked(
        "how consent was obtained, and how annotators were informed", "Consent"
    )
    publishes_words: bool = False


class EthicsSection(_Section):
    """The ethics review and the risks for annotators."""

    review: Prose | None = asked(
        "which ethics board approved the collection, or why none was needed", "Ethics review"
    )
    risks: Prose | None = asked("the risks for annotators, and how they were reduced", "Risks")


class Description(_Section):
    """The description of a dataset and of the study it comes from."""

    format: Literal[1] = FORMAT
    dataset: DatasetSection = DatasetSection()
    authors: list[Author] = []
    language: LanguageSection = LanguageSection()
    stimuli: StimuliSection = StimuliSection()
    annotators: AnnotatorsSection = AnnotatorsSection()
    pay: PaySection = PaySection()
    consent: ConsentSection = ConsentSection()
    ethics: EthicsSection = EthicsSection()
    scale: ScaleSection = ScaleSection()
    collection: CollectionSection = CollectionSection()
    recruitment: list[RecruitmentSection] = []
    texts: list[TextSection] = []

    @model_validator(mode="after")
    def _has_texts_once(self) -> Self:
        paths = [text.path for text in self.texts]
        if twice := sorted({path for path in paths if paths.count(path) > 1}):
            raise ValueError(f"the same version of a text occurs twice: {', '.join(twice)}")
        return self

    def render(self) -> str:
        """Return the description as TOML, without unknown entries."""
        return tomli_w.dumps(_prune(self.model_dump(exclude_none=True)), multiline_strings=True)

    def render_given(self) -> str:
        """Return the entries that were given, as TOML, without those that are empty."""
        given = self.model_dump(exclude_none=True, exclude_unset=True)
        return tomli_w.dumps(_prune(given), multiline_strings=True)


def parse_description(data: bytes) -> Description:
    r"""Parse a description file.

    Raises
    ------
    DescriptionError
        Invalid TOML, an unknown entry, an impossible value, or a placeholder such as "TODO".

    Examples
    --------
    >>> parse_description(b'[dataset]\ntitle = "CoSimLex"').dataset.title
    'CoSimLex'
    """
    try:
        entries = parse_toml(data)
    except TomlError as error:
        raise DescriptionError(f"the description is not valid TOML: {error}") from error
    return read_entries(entries)


def read_entries(entries: dict[str, Any]) -> Description:
    """Validate plain entries as a description. Raises DescriptionError."""
    return Description.read(entries, "entry", DescriptionError)


def fill_in(written: Description, facts: Description) -> Description:
    """Merge a description that a person wrote with the facts that the site recorded.

    The site's entries win in the sections of `FACTS`, and for whether annotators agreed to the
    publication of their words; the person's entries win elsewhere.
    """
    by_person, by_site = (source.model_dump(exclude_unset=True) for source in (written, facts))
    merged = {
        name: _fill(by_person.get(name), by_site.get(name), site_first=name in FACTS)
        for name in by_person.keys() | by_site.keys()
    }
    merged["consent"] = {**(merged.get("consent") or {}), AGREED: facts.consent.publishes_words}
    return read_entries({name: entry for name, entry in merged.items() if entry is not None})


def list_asked(section: type[BaseModel], n_texts: int = 1) -> Iterator[tuple[str, str]]:
    """Yield the entries of a section that a complete release must have, and what to write.

    `n_texts` are shown at one time; for words alone, nothing about texts is asked.
    """
    for name, field in section.model_fields.items():
        if field.json_schema_extra and field.description and (n_texts or name not in OF_TEXTS):
            yield name, name_stimuli(field.description, n_texts)


def label_entry(section: type[BaseModel], name: str, n_texts: int = 1) -> str:
    """Return the label of an entry in the documents.

    >>> label_entry(DatasetSection, "funding"), label_entry(StimuliSection, "licence")
    ('Funding', 'Licence of the texts')
    """
    label = section.model_fields[name].title or name.replace("_", " ").capitalize()
    return name_stimuli(label, n_texts)


def name_stimuli(text: str, n_texts: int) -> str:
    """Return a label or question about texts as one about words, where there are no texts.

    >>> name_stimuli("Licence of the texts", 0)
    'Licence of the words'
    """
    return text if n_texts else text.replace("texts", "words").replace("Texts", "Words")


def _fill(person: Any, site: Any, *, site_first: bool) -> Any:
    if isinstance(person, dict) and isinstance(site, dict):
        return {**person, **site} if site_first else {**site, **person}
    first, second = (site, person) if site_first else (person, site)
    return first or second


def _prune(entries: dict[str, Any]) -> dict[str, Any]:
    """Return the entries without empty tables and lists."""
    pruned = {k: _prune(v) if isinstance(v, dict) else v for k, v in entries.items()}
    return {name: entry for name, entry in pruned.items() if entry not in ({}, [])}
