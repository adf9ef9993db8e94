"""The content of a bundle: the shared task, its parts and phases, and the file `task.toml`."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, Literal
from zoneinfo import available_timezones

from pydantic import AwareDatetime, BeforeValidator, Field

from postprocess.errors import UserError
from postprocess.formats.toml import Section, TomlError, parse_toml
from postprocess.kits.rules import KitPart, PhaseRules, TaskRules, Visibility
from postprocess.naming import LANGUAGE

UNLIMITED = 10_000  # submissions; Codabench needs a number
Rule = Literal["Force_Last", "Add_And_Delete", "Force_Best"]
Limit = Annotated[int, Field(ge=1, le=UNLIMITED)]


class BundleError(UserError):
    """A bundle cannot be made or used; the message says why and what to do."""


@dataclass(frozen=True)
class BundlePart:
    """One language: the contents of its files; instructions by the names of their files."""

    language: str
    data: bytes
    gold: bytes
    practice_data: bytes | None = None
    practice_gold: bytes | None = None
    instructions: dict[str, bytes] = field(default_factory=dict)

    def for_kit(self, *, is_practice: bool) -> KitPart:
        """Return what the kit of a phase has of the part."""
        if is_practice:
            data = self.practice_data or b""
            return KitPart(self.language, data, self.practice_gold, self.instructions)
        return KitPart(self.language, self.data, None, self.instructions)


@dataclass(frozen=True)
class BundleTask:
    """A shared task. `rule`: which submission of a team is on Codabench's board."""

    rules: TaskRules
    parts: tuple[BundlePart, ...]
    phases: tuple[PhaseRules, ...]
    logo: bytes | None = None
    rule: Rule = "Force_Last"

    def list_parts(self, *, is_practice: bool) -> list[BundlePart]:
        """Return the parts that have practice data, or all."""
        return [part for part in self.parts if not is_practice or part.practice_data is not None]


def _read_visibility(text: object) -> object:
    return Visibility(text) if isinstance(text, str) and text in set(Visibility) else text


class _Language(Section):
    """A table `[[languages]]` of the file; paths start from its folder."""

    code: Annotated[str, Field(pattern=f"^{LANGUAGE.pattern}$", max_length=36)]
    data: str
    gold: str
    practice_data: str | None = None
    practice_gold: str | None = None
    instructions: list[str] = []


class _Phase(Section):
    """A table `[[phases]]` of the file."""

    name: Annotated[str, Field(min_length=1, max_length=100)]
    data: Literal["practice", "test"]
    opens: AwareDatetime
    closes: AwareDatetime | None = None
    attempts: Limit | None = None
    attempts_a_day: Limit | None = None
    visibility: Annotated[Visibility, BeforeValidator(_read_visibility)] = Visibility.HIDDEN

    def as_rules(self) -> PhaseRules:
        """Return the phase as rules."""
        return PhaseRules(
            self.name,
            is_practice=self.data == "practice",
            opens_at=self.opens,
            closes_at=self.closes,
            attempts_total=self.attempts,
            attempts_a_day=self.attempts_a_day,
            visibility=self.visibility,
        )


class _TaskFile(Section):
    format: Literal[1]
    title: Annotated[str, Field(min_length=1, max_length=200)]
    contact: str
    terms: str
    overview: str | None = None
    logo: str | None = None
    address: str = ""
    zone: str = "UTC"
    required: list[str] = []
    best_of: Annotated[int, Field(ge=1)] | None = None
    submission_rule: Rule = "Force_Last"
    languages: Annotated[list[_Language], Field(min_length=1)]
    phases: Annotated[list[_Phase], Field(min_length=1)]


def load_task(path: Path) -> BundleTask:
    """Read a shared task from a file and from the files that it names.

    Raises BundleError with all that is wrong with the entries, and OSError.
    """
    try:
        entries: dict[str, Any] = parse_toml(path.read_bytes())
    except TomlError as error:
        raise BundleError(f"{path} is not valid TOML: {error}") from error
    file = _TaskFile.read(entries, "entry", BundleError)
    if file.zone not in available_timezones():
        raise BundleError(f'zone: "{file.zone}" is not a time zone; write it as Europe/Ljubljana')
    folder = path.parent
    rules = TaskRules(
        title=file.title,
        text=(folder / file.overview).read_text(encoding="utf-8") if file.overview else "",
        terms=(folder / file.terms).read_text(encoding="utf-8"),
        contact=file.contact,
        address=file.address,
        zone=file.zone,
        required=tuple(file.required),
        best_of=file.best_of,
    )
    return BundleTask(
        rules,
        tuple(_read_part(folder, language) for language in file.languages),
        tuple(phase.as_rules() for phase in file.phases),
        (folder / file.logo).read_bytes() if file.logo else None,
        file.submission_rule,
    )


def _read_part(folder: Path, language: _Language) -> BundlePart:
    def read(name: str | None) -> bytes | None:
        return None if name is None else (folder / name).read_bytes()

    return BundlePart(
        language.code,
        (folder / language.data).read_bytes(),
        (folder / language.gold).read_bytes(),
        read(language.practice_data),
        read(language.practice_gold),
        {Path(name).name: (folder / name).read_bytes() for name in language.instructions},
    )
