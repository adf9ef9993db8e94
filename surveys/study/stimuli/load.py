"""Import of a stimuli file; `postprocess.formats.stimuli` reads the format."""

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, fields
from decimal import Decimal
from typing import Any, Self

from babel.core import Locale, parse_locale
from django.core.exceptions import ValidationError
from django.core.validators import validate_slug
from django.db import IntegrityError, transaction

from postprocess.formats.stimuli import (
    Finding,
    MarkedContext,
    ParsedStimuli,
    StimulusPair,
    digest_rows,
    parse_stimuli,
)
from surveys.errors import ImportRefused, StudyExists
from surveys.models import AssigningPolicy, Context, Pair, QuestionForms, Study
from surveys.models.study import MOST_ASKED_FOR
from surveys.study.durations import estimate_seconds
from surveys.study.layout.blocks import BlockPlan, make_blocks, plan_blocks
from surveys.study.stimuli.inserts import insert_rows


@dataclass(frozen=True, kw_only=True)
class StudyDesign:
    """What a researcher decides about a study when its stimuli come in."""

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
        """What was decided about a study that is there."""
        return cls(**{field.name: getattr(study, field.name) for field in fields(cls)})

    def problems(self) -> list[str]:
        """Everything about it that is impossible."""
        problems = [
            *list_slug_problems(self.slug),
            *list_language_problems(self.language),
            *list_scale_problems(self.scale_minimum, self.scale_maximum, self.scale_step),
            *(
                f"{name} must be from 1 to {MOST_ASKED_FOR}, got {number}."
                for name, number in (
                    ("ratings per context", self.ratings_per_context),
                    ("block size", self.block_size),
                    ("lease hours", self.lease_hours),
                )
                if not 1 <= number <= MOST_ASKED_FOR
            ),
        ]
        if not -(2**63) <= self.seed < 2**63:
            problems.append(f"the seed {self.seed} is too large.")
        if len(self.title) > 200:
            problems.append("the title is longer than 200 characters.")
        if self.assigning_policy not in AssigningPolicy.values:
            known = ", ".join(AssigningPolicy.values)
            problems.append(f"the assigning policy must be {known}, got {self.assigning_policy!r}.")
        if self.question_forms not in QuestionForms.values:
            known = ", ".join(QuestionForms.values)
            problems.append(f"the question forms must be {known}, got {self.question_forms!r}.")
        return problems


@dataclass(frozen=True)
class ImportSummary:
    """What an import did, or would do."""

    n_pairs: int
    n_blocks: int
    n_assignments: int
    warnings: tuple[Finding, ...]
    is_new: bool


@dataclass(frozen=True)
class SoundStimuli:
    """Stimuli that were read and checked against a design, before any transaction begins.

    What takes long is worked out here, so that storing them does nothing but insert rows: on
    SQLite everybody else's answers wait for that.
    """

    design: StudyDesign
    pairs: tuple[StimulusPair, ...]
    warnings: tuple[Finding, ...]
    digest: str
    seconds_per_item: int
    plan: BlockPlan

    def summarise(self, *, is_new: bool) -> ImportSummary:
        """Return what importing them did, or would do."""
        return ImportSummary(
            n_pairs=len(self.pairs),
            n_blocks=len(self.plan),
            n_assignments=2 * len(self.plan) * self.design.ratings_per_context,
            warnings=self.warnings,
            is_new=is_new,
        )


def import_stimuli(data: bytes, design: StudyDesign, *, dry_run: bool = False) -> ImportSummary:
    """Make a draft of a stimuli file; the same file and design again change nothing.

    Raises ImportRefused with all that is wrong, or StudyExists; then nothing is stored.
    """
    stimuli = read_stimuli(data, design)
    is_new = not is_stored(stimuli)
    if is_new and not dry_run:
        try:
            store_study(stimuli)
        except IntegrityError:  # another import of the same name was faster
            is_new = not is_stored(stimuli)
            if is_new:
                raise
    return stimuli.summarise(is_new=is_new)


def read_stimuli(data: bytes, design: StudyDesign) -> SoundStimuli:
    """The stimuli of a file. Raises ImportRefused with all that is wrong, in the design, too."""
    return check_stimuli(parse_stimuli(data), design)


def check_stimuli(stimuli: ParsedStimuli, design: StudyDesign) -> SoundStimuli:
    """As `read_stimuli`, of stimuli that were parsed already."""
    if problems := [*design.problems(), *map(str, stimuli.errors)]:
        raise ImportRefused("\n".join(problems), found=_list_found(design, stimuli))
    words = [(pair.word1, pair.word2) for pair in stimuli.pairs]
    return SoundStimuli(
        design=design,
        pairs=stimuli.pairs,
        warnings=stimuli.warnings,
        digest=digest_stimuli(stimuli.pairs),
        seconds_per_item=estimate_seconds([pair.context1.text for pair in stimuli.pairs]),
        plan=plan_blocks(words, block_size=design.block_size, seed=design.seed),
    )


def digest_stimuli(pairs: Iterable[StimulusPair]) -> str:
    """SHA-256 of the pairs in Cosima's own writing of the format, whatever file they came from."""
    return digest_rows(pair.fields() for pair in pairs)


def _list_found(design: StudyDesign, stimuli: ParsedStimuli) -> list[Any]:
    """Everything that is wrong, with its row and column where it is the file's."""
    of_design = [(problem, None, None) for problem in design.problems()]
    return [*of_design, *((f.reason, f.row, f.column) for f in stimuli.errors)]


def is_stored(stimuli: SoundStimuli) -> bool:
    """Return whether a study holds these stimuli already. Raises StudyExists for another one."""
    design = stimuli.design
    study = Study.objects.filter(slug=design.slug).first()
    if study is None:
        return False
    if study.stimuli_sha256 != stimuli.digest:
        raise StudyExists(
            f"Study {design.slug} holds other stimuli already. Nothing was changed: "
            "import this file under another study name."
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


@transaction.atomic
def store_study(stimuli: SoundStimuli) -> Study:
    """Store a study, as a draft."""
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
    """Store the pairs of a study that has none, with their contexts."""
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


def as_context(pair: Pair, number: int, marked: MarkedContext) -> Context:
    """A context as it is stored."""
    return Context(
        pair=pair,
        number=number,
        text=marked.text,
        word1_start=marked.word1.start,
        word1_end=marked.word1.end,
        word2_start=marked.word2.start,
        word2_end=marked.word2.end,
    )


def list_scale_problems(minimum: Decimal, maximum: Decimal, step: Decimal) -> list[str]:
    """What is impossible about a scale."""
    if not -100 <= minimum < maximum <= 100:
        return [f"the scale must rise, between -100 and 100, got {minimum} to {maximum}."]
    if any(point != round(point, 2) for point in (minimum, maximum, step)):
        return ["the ends and the step of the scale may have two decimals, not more."]
    if step <= 0 or (maximum - minimum) % step:
        return [f"the step of the scale must divide it into equal parts, got {step}."]
    if (maximum - minimum) / step > 40:
        return ["the scale has more than 41 points, too many to choose from."]
    return []


def list_slug_problems(slug: str) -> list[str]:
    """What keeps a text from being the short name of a study."""
    try:
        validate_slug(slug)
    except ValidationError:
        return [f"the study name {slug!r} may have letters, digits, hyphens and underscores only."]
    return [] if len(slug) <= 50 else [f"the study name {slug!r} is longer than 50 characters."]


def list_language_problems(tag: str) -> list[str]:
    """What keeps a text from being the tag of a language.

    Known are the languages that CLDR has an English name for, with or without script, region.
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
