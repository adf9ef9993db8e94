"""The description of a study and its dataset: what no figure tells, as one versioned file.

Whatever is left out and only a person can know is marked in the files of the release and listed
(see `unwritten`); the descriptions of the fields here say what to write.
"""

import datetime
from collections.abc import Iterator
from typing import Annotated, Any, Final, Literal, Self

import tomli_w
from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    ValidationError,
    model_validator,
)

from postprocess.commands.validation_messages import explain_refusal
from postprocess.formats.toml import TomlError, parse_toml
from postprocess.release.licences import LICENCES
from postprocess.release.texts import Body, Line, Prose, Url

FORMAT: Final = 1
FACTS = ("scale", "texts", "collection", "recruitment")  # what a site knows best
AGREED = "publishes_words"  # and this, of what stands in the section consent

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
    """A day that was written as text, too."""
    return datetime.date.fromisoformat(day) if isinstance(day, str) else day


Day = Annotated[datetime.date, BeforeValidator(_read_day)]
LicenceName = Annotated[str, AfterValidator(_check_licence)]


class DescriptionError(ValueError):
    """A description that cannot be used; the message names each entry and what is wrong."""


def asked(what: str, label: str | None = None) -> Any:
    """An entry that a complete release has: what a person is asked to write there.

    `label` stands before it in the cards, where the name of the entry does not say enough.
    """
    return Field(default=None, title=label, description=what, json_schema_extra={"is_asked": True})


class _Section(BaseModel):
    """A table of the file: nothing unknown in it, and never changed. Empty texts are left out."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False, strict=True)

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
    """What is published, under which name and terms."""

    title: Line | None = asked("what the dataset is called")
    version: Version | None = asked("the version of the dataset, such as 1.0.0")
    released_on: Day | None = asked(
        "the day of publication, such as 2026-11-30", "Day of publication"
    )
    licence: LicenceName | None = asked(f"the licence, one of {', '.join(LICENCES)}")
    url: Url | None = asked("the address at which the dataset is published", "Address")
    doi: Doi | None = None
    summary: Prose | None = asked("what the dataset holds, in two or three sentences")
    uses: Prose | None = asked("what the dataset is meant for, and what it must not be used for")
    limitations: Prose | None = asked("what could mislead a user of the scores")
    contact: Line | None = asked("whom users of the dataset may ask")
    funding: Prose | None = asked("who paid for the work")
    maintenance: Prose | None = asked("who corrects errors, and how later versions are announced")
    keywords: list[Line] = []


class Author(_Section):
    """Somebody to cite: a person with family and given names, or a body with a name."""

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
        """The name as it is printed."""
        return self.name or " ".join(part for part in (self.given_names, self.family_names) if part)


class LanguageSection(_Section):
    """The language of the texts; its code is told apart, since it names the files."""

    name: Line | None = asked("what the language is called in English", "Name of the language")
    variety: Prose | None = asked(
        "which variety of the language the texts are in, and its script", "Variety of the language"
    )


class StimuliSection(_Section):
    """Where the pairs of words and their contexts come from."""

    pairs_from: Prose | None = asked("how the pairs of words were chosen", "Choice of the pairs")
    contexts_from: Prose | None = asked(
        "which corpus the contexts were taken from, and how", "Source of the contexts"
    )
    rationale: Prose | None = asked(
        "why these texts, and what was meant to be covered by them", "Choice of the texts"
    )
    writers: Prose | None = asked(
        "who wrote the texts of the contexts, as far as it is known", "Writers of the texts"
    )
    situation: Prose | None = asked(
        "when, where and for whom the texts were written", "Situation of the texts"
    )
    characteristics: Prose | None = asked("genre and topics of the texts", "Genre and topics")
    licence: Prose | None = asked(
        "under which terms the texts may be passed on", "Licence of the texts"
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
        """Where the text stands in the release."""
        ending = "md" if self.kind in ("consent", "instructions") else "toml"
        return f"texts/{self.kind}_{self.version}.{ending}"


class CollectionSection(_Section):
    """When and how the ratings were collected."""

    procedure: Prose | None = asked("what annotators did with each text, and what they saw of it")
    question_forms: Literal["dictionary", "text"] | None = None  # of the two words, as named
    began_on: Day | None = asked("the first day of the collection", "First day of the collection")
    ended_on: Day | None = asked("the last day of the collection", "Last day of the collection")
    ratings_per_context: FromOne | None = None
    pairs_per_sitting: FromOne | None = None
    expected_seconds_per_item: Annotated[float, Field(ge=0)] | None = None
    median_seconds_per_item: Annotated[float, Field(ge=0)] | None = None
    n_annotators_started: Count | None = None
    n_annotators_finished: Count | None = None
    n_annotators_withdrawn: Count | None = None
    n_annotators_scripted: FromOne | None = None


class RecruitmentSection(_Section):
    """A way by which annotators came."""

    channel: Line
    n_annotators: Count | None = None


class AnnotatorsSection(_Section):
    """Who rated."""

    recruited: Prose | None = asked("how annotators were found and invited", "Recruitment")
    qualifications: Prose | None = asked(
        "who could take part: proficiency, age, screening", "Qualifications of the annotators"
    )
    demographics: Prose | None = asked(
        "what is known of the annotators: first language, age, gender, country, training",
        "Demographics of the annotators",
    )
    creators: Literal["crowdsourced", "expert-generated"] | None = asked(
        "crowdsourced or expert-generated", "Annotators"
    )


class PaySection(_Section):
    """What annotators got for it."""

    amount: Line | None = asked("what an annotator was paid, and for how long a sitting", "Pay")
    adequacy: Prose | None = asked(
        "why the pay is adequate where the annotators live", "Adequacy of the pay"
    )


class ConsentSection(_Section):
    """What annotators agreed to."""

    obtained: Prose | None = asked(
        "how consent was obtained, and what annotators were told", "Consent"
    )
    publishes_words: bool = False


class EthicsSection(_Section):
    """What a review board or the authors themselves weighed."""

    review: Prose | None = asked(
        "which ethics board approved the collection, or why none had to", "Ethics review"
    )
    risks: Prose | None = asked(
        "which risks the annotators ran, and what was done about them", "Risks"
    )


class Description(_Section):
    """A dataset and the study it comes from, in words."""

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
            raise ValueError(f"the same version of a text twice: {', '.join(twice)}")
        return self

    def render(self) -> str:
        """The description as a file, without what is not known."""
        return tomli_w.dumps(_prune(self.model_dump(exclude_none=True)), multiline_strings=True)


def parse_description(data: bytes) -> Description:
    r"""The description that a file holds.

    Raises
    ------
    DescriptionError
        No TOML, an unknown entry, an impossible value, or a placeholder such as "TODO".

    Examples
    --------
    >>> parse_description(b'[dataset]\ntitle = "CoSimLex"').dataset.title
    'CoSimLex'
    """
    try:
        entries = parse_toml(data)
    except TomlError as error:
        raise DescriptionError(f"the description is no TOML: {error}") from error
    return read_entries(entries)


def read_entries(entries: dict[str, Any]) -> Description:
    """The description that plain entries make. Raises DescriptionError."""
    try:
        return Description.model_validate(entries)
    except ValidationError as error:
        raise DescriptionError(explain_refusal(error, "entry")) from error


def fill_in(told: Description, facts: Description) -> Description:
    """What a person told, completed by what a site knows.

    Of a study's course (`FACTS`), and of whether annotators agreed that their words are
    published, the site knows better; of all else the person does.
    """
    by_person, by_site = (one.model_dump(exclude_unset=True) for one in (told, facts))
    merged = {
        name: _fill(by_person.get(name), by_site.get(name), site_first=name in FACTS)
        for name in by_person.keys() | by_site.keys()
    }
    merged["consent"] = {**(merged.get("consent") or {}), AGREED: facts.consent.publishes_words}
    return read_entries({name: entry for name, entry in merged.items() if entry is not None})


def list_asked(section: type[BaseModel]) -> Iterator[tuple[str, str]]:
    """The entries of a section that a complete release has, and what to write there."""
    for name, field in section.model_fields.items():
        if field.json_schema_extra and field.description:
            yield name, field.description


def label_entry(section: type[BaseModel], name: str) -> str:
    """What stands before an entry in the cards.

    >>> label_entry(DatasetSection, "funding"), label_entry(StimuliSection, "licence")
    ('Funding', 'Licence of the texts')
    """
    return section.model_fields[name].title or name.replace("_", " ").capitalize()


def _fill(person: Any, site: Any, *, site_first: bool) -> Any:
    if isinstance(person, dict) and isinstance(site, dict):
        return {**person, **site} if site_first else {**site, **person}
    first, second = (site, person) if site_first else (person, site)
    return first or second


def _prune(entries: dict[str, Any]) -> dict[str, Any]:
    """The entries without empty tables and lists."""
    kept = {k: _prune(v) if isinstance(v, dict) else v for k, v in entries.items()}
    return {name: entry for name, entry in kept.items() if entry not in ({}, [])}
