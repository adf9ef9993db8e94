"""Validation and import of stimuli; `postprocess.formats.stimuli` reads the format."""

import base64
import hashlib
import lzma
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace
from decimal import Decimal
from typing import Self

from babel.core import Locale, parse_locale
from django.core.exceptions import ValidationError
from django.core.validators import validate_slug
from django.db import transaction

from postprocess.formats.kinds import CANONICAL, FileKind
from postprocess.formats.stimuli import (
    COLUMNS,
    ESCAPED_FIELD,
    ParsedStimuli,
    StimuliError,
    StimulusPair,
    check_rows,
    digest_rows,
    parse_stimuli,
    render_stimuli,
)
from postprocess.formats.tabular import Finding, Severity, group_findings
from surveys.errors import ImportRefused, StimuliChanged, StudyExists
from surveys.models import AssigningPolicy, Context, Pair, QuestionForms, Study
from surveys.models.stimuli import insert_rows
from surveys.models.study import MOST_ASKED_FOR
from surveys.study.layout.blocks import BlockPlan, make_blocks, plan_blocks
from surveys.study.planning.durations import estimate_seconds

DESIGN_MINIMUMS = {"ratings_per_context": 1, "block_size": 1, "lease_hours": 1}
MAX_POINTS = 101  # of a scale


@dataclass(frozen=True, kw_only=True)
class StudyDesign:
    """The design of a study, decided when its stimuli are imported."""

    slug: str
    language: str
    ratings_per_context: int
    block_size: int = 20
    title: str = ""
    scale_minimum: Decimal = Decimal(0)
    scale_maximum: Decimal = Decimal(6)
    scale_step: Decimal = Decimal(1)
    question_forms: str = QuestionForms.DICTIONARY
    lease_hours: int = 24
    assigning_policy: str = AssigningPolicy.BALANCED
    seed: int = 0

    @classmethod
    def of(cls, study: Study) -> Self:
        """Return the design of an existing study."""
        return cls(**{field.name: getattr(study, field.name) for field in fields(cls)})

    def problems(self) -> list[str]:
        """Return everything that is invalid about the design."""
        problems = [
            *list_slug_problems(self.slug),
            *list_language_problems(self.language),
            *list_scale_problems(self.scale_minimum, self.scale_maximum, self.scale_step),
            *list_number_problems(self, DESIGN_MINIMUMS),
        ]
        if not -(2**63) <= self.seed < 2**63:
            problems.append(f"the seed {self.seed} is too large.")
        if len(self.title) > 200:
            problems.append("the title is longer than 200 characters.")
        for name, choices in (
            ("assigning_policy", AssigningPolicy.values),
            ("question_forms", QuestionForms.values),
        ):
            if (given := getattr(self, name)) not in choices:
                known = ", ".join(choices)
                problems.append(f"the {name.replace('_', ' ')} must be {known}, got {given!r}.")
        return problems


@dataclass(frozen=True)
class ImportSummary:
    """The effect of an import, or of a dry run."""

    n_pairs: int
    n_blocks: int
    n_assignments: int
    warnings: tuple[Finding, ...]
    is_new: bool


@dataclass(frozen=True)
class CheckedStimuli:
    """Stimuli that were parsed and checked against a design, before any transaction.

    All slow work is done here, so that storing them only inserts rows: on SQLite all other writers
    wait meanwhile.
    """

    design: StudyDesign
    pairs: tuple[StimulusPair, ...]
    warnings: tuple[Finding, ...]
    digest: str
    seconds_per_item: int
    plan: BlockPlan

    def summarise(self, *, is_new: bool) -> ImportSummary:
        """Return the effect of importing the stimuli."""
        return ImportSummary(
            n_pairs=len(self.pairs),
            n_blocks=len(self.plan),
            n_assignments=2 * len(self.plan) * self.design.ratings_per_context,
            warnings=self.warnings,
            is_new=is_new,
        )


def read_stimuli(data: bytes, design: StudyDesign, kind: FileKind = CANONICAL) -> CheckedStimuli:
    """Return the stimuli of a file. Raises ImportRefused with all errors of file and design."""
    return check_stimuli(parse_stimuli(data, kind), design)


def check_stimuli(stimuli: ParsedStimuli, design: StudyDesign) -> CheckedStimuli:
    """Return parsed stimuli, checked as `read_stimuli` does."""
    problems = design.problems()
    if problems or stimuli.errors:
        of_design = ((problem, None, None) for problem in problems)
        of_file = ((error.reason, error.row, error.column) for error in stimuli.errors)
        message = "\n".join([*problems, *map(str, group_findings(stimuli.errors))])
        raise ImportRefused(message, found=[*of_design, *of_file])
    words = [(pair.word1, pair.word2) for pair in stimuli.pairs]
    return CheckedStimuli(
        design=design,
        pairs=stimuli.pairs,
        warnings=stimuli.warnings,
        digest=digest_stimuli(stimuli.pairs),
        seconds_per_item=estimate_seconds([pair.context1.text for pair in stimuli.pairs]),
        plan=plan_blocks(words, block_size=design.block_size, seed=design.seed),
    )


def digest_stimuli(pairs: Iterable[StimulusPair]) -> str:
    """Return the SHA-256 of the pairs in canonical form, independent of the file."""
    return digest_rows(pair.fields() for pair in pairs)


def is_stored(stimuli: CheckedStimuli) -> bool:
    """Return whether the study exists with these stimuli. Raises StudyExists for other stimuli."""
    design = stimuli.design
    study = Study.objects.filter(slug=design.slug).first()
    if study is None:
        return False
    if study.stimuli_sha256 != stimuli.digest:
        raise StudyExists(
            f"There is a study {design.slug} already, with other stimuli. Nothing was changed: "
            "give this one another short name."
        )
    differing = [
        f"{name.replace('_', ' ')} is {getattr(study, name)}, not {wanted}"
        for name, wanted in asdict(design).items()
        if wanted != getattr(study, name) and not (name == "title" and not wanted)
    ]
    if differing:
        raise StudyExists(
            f"Study {design.slug} holds these stimuli already, but {'; '.join(differing)}. "
            "Nothing was changed: a study keeps its design."
        )
    return True


def read_stored_stimuli(study: Study) -> ParsedStimuli:
    """Return the stimuli of a study as they were imported. Raises StimuliChanged if they differ."""
    pairs = Pair.objects.stimuli(study).list_marked()
    rows = [StimulusPair(*pair).fields() for pair in pairs]
    if digest_rows(rows) != study.stimuli_sha256:
        raise StimuliChanged(
            f"The texts stored for study {study.slug} are not those that were imported. "
            "Restore the database from a backup; nothing was written."
        )
    return check_rows(rows)


@transaction.atomic
def store_study(stimuli: CheckedStimuli) -> Study:
    """Store a draft with its pairs and blocks."""
    design = stimuli.design
    study = Study.objects.create(
        **{**asdict(design), "title": design.title or design.slug},
        stimuli_sha256=stimuli.digest,
        seconds_per_item=stimuli.seconds_per_item,
    )
    store_pairs(study, stimuli.pairs)
    make_blocks(study, stimuli.plan)
    return study


def store_pairs(study: Study, stimuli: Sequence[StimulusPair]) -> None:
    """Store the pairs and contexts of a study that has none."""
    rows = ((study.pk, False, n, pair.word1, pair.word2) for n, pair in enumerate(stimuli, 1))
    insert_rows(Pair, ("study", "is_checkpoint", "position", "word1", "word2"), rows)
    pairs = Pair.objects.stimuli(study).order_by("position").values_list("pk", flat=True)
    insert_rows(
        Context,
        ("pair", "number", "text", "word1_start", "word1_end", "word2_start", "word2_end"),
        (
            (pair, number, marked.text, *marked.word1, *marked.word2)
            for pair, stimulus in zip(pairs, stimuli, strict=True)
            for number, marked in ((1, stimulus.context1), (2, stimulus.context2))
        ),
    )


def list_scale_problems(minimum: Decimal, maximum: Decimal, step: Decimal) -> list[str]:
    """Return what is invalid about a scale."""
    if not -100 <= minimum < maximum <= 100:
        return [f"the scale must rise, between -100 and 100, got {minimum} to {maximum}."]
    if any(point != round(point, 2) for point in (minimum, maximum, step)):
        return ["the ends and the step of the scale may have two decimals, not more."]
    if step <= 0 or (maximum - minimum) % step:
        return [f"the step of the scale must divide it into equal parts, got {step}."]
    if (maximum - minimum) / step > MAX_POINTS - 1:
        return [f"the scale has more than {MAX_POINTS} points, too many to choose from."]
    return []


def list_number_problems(settings: object, minimums: Mapping[str, int]) -> list[str]:
    """Return which of these settings are not whole numbers from a minimum to the common maximum."""
    return [
        f"{name.replace('_', ' ')} must be from {lowest} to {MOST_ASKED_FOR}, got {number!r}."
        for name, lowest in minimums.items()
        if not isinstance(number := getattr(settings, name), int)
        or not lowest <= number <= MOST_ASKED_FOR
    ]


def list_slug_problems(slug: str) -> list[str]:
    """Return why a text cannot be the short name of a study."""
    try:
        validate_slug(slug)
    except ValidationError:
        return [f"the study name {slug!r} may have letters, digits, hyphens and underscores only."]
    return [] if len(slug) <= 50 else [f"the study name {slug!r} is longer than 50 characters."]


def list_language_problems(tag: str) -> list[str]:
    """Return why a text cannot be a language tag.

    Known are the languages with an English name in CLDR, with or without script and region.
    """
    known = Locale("en")
    try:
        language, territory, script, variant = parse_locale(tag, sep="-")[:4]
    except ValueError:
        language, territory, script, variant = "", None, None, None
    written = "-".join(part for part in (language, script, territory, variant) if part)
    if (
        language not in known.languages
        or (script is not None and script not in known.scripts)
        or (territory is not None and territory not in known.territories)
    ):
        return [f"the language {tag!r} is unknown: give a code such as en, hr, sl, fi or pt-BR."]
    return [] if tag == written else [f"write the language {tag!r} as {written!r}."]


LARGEST_FILE = 4_000_000  # bytes; about ten times the English CoSimLex
MAX_KEPT_LENGTH = 2_000_000  # characters; a form may send 2.5 MB
MAX_MEMORY = 64_000_000


@dataclass(frozen=True)
class CheckedFile:
    """The findings in a stimuli file. With errors it cannot be used; warnings need confirmation."""

    n_pairs: int
    errors: tuple[Finding, ...]
    warnings: tuple[Finding, ...]
    stimuli: ParsedStimuli | None = None  # as parsed, so that storing them needs no second parse


def check_file(data: bytes, kind: FileKind = CANONICAL) -> CheckedFile:
    """Return all findings in a stimuli file; never raises for its content."""
    if len(data) > LARGEST_FILE:
        what = f"the file has {len(data):,} bytes, more than the {LARGEST_FILE:,} that are accepted"
        advice = "split the study, or ask an operator to import it"
        return CheckedFile(0, (Finding(Severity.ERROR, what, advice=advice),), ())
    return _as_checked(parse_stimuli(data, kind))


def fingerprint_file(data: bytes) -> str:
    """Return a short SHA-256 digest of a file's contents."""
    return hashlib.sha256(data).hexdigest()[:16]


def pack_file(data: bytes) -> str:
    """Return a file as text that a form can hold until confirmation; empty if it is too large."""
    kept = base64.b64encode(lzma.compress(data)).decode()
    return kept if len(kept) <= MAX_KEPT_LENGTH else ""


def unpack_file(kept: str) -> bytes | None:
    """Return the file that a form has held, or None."""
    try:
        packed = base64.b64decode(kept, validate=True)
        return lzma.LZMADecompressor(memlimit=MAX_MEMORY).decompress(packed, LARGEST_FILE + 1)
    except (ValueError, lzma.LZMAError, EOFError):
        return None


def check_row(fields: Mapping[str, str]) -> CheckedFile:
    """Return the findings in one row, given by column; their row and line are meaningless."""
    try:
        data = render_stimuli([[fields[column] for column in COLUMNS]]).encode()
    except StimuliError as error:
        return CheckedFile(0, error.findings, ())
    parsed = parse_stimuli(data)
    shown = tuple(finding for finding in parsed.findings if finding.what != ESCAPED_FIELD.what)
    return _as_checked(replace(parsed, findings=shown))


def write_row(pair: Pair, contexts: Sequence[Context]) -> dict[str, str]:
    """Return a stored pair with its contexts 1 and 2 as a row of the stimuli format, by column."""
    context1, context2 = contexts
    stimulus = StimulusPair(pair.word1, pair.word2, context1.marked, context2.marked)
    return dict(zip(COLUMNS, stimulus.fields(), strict=True))


def fingerprint_row(row: Mapping[str, str]) -> str:
    """Return a short SHA-256 digest of a row."""
    return hashlib.sha256("\t".join(row.values()).encode()).hexdigest()[:16]


def _as_checked(stimuli: ParsedStimuli) -> CheckedFile:
    return CheckedFile(len(stimuli.rows), stimuli.errors, stimuli.warnings, stimuli)
