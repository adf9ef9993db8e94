"""Validation and import of stimuli; `postprocess.designs.items` reads their files."""

import base64
import hashlib
import json
import lzma
from collections.abc import Mapping, Sequence
from copy import copy
from dataclasses import dataclass, replace
from typing import Any

from django.db import transaction

from postprocess.designs.items import check_items, parse_items
from postprocess.designs.kinds import SPANS, ItemRules
from postprocess.formats.kinds import CANONICAL, FileKind
from postprocess.formats.parsed import ESCAPED_FIELD, ParsedRows
from postprocess.formats.stimuli import StimuliError, digest_rows
from postprocess.formats.tabular import Finding, Severity, group_findings
from surveys.errors import ImportRefused, StimuliChanged, StudyExists
from surveys.models import Context, Pair, Study
from surveys.models.fields import label_of, list_problems
from surveys.models.stimuli import insert_rows
from surveys.study.blocks.allocation import BlockPlan, make_blocks, plan_study
from surveys.study.design import list_misfits
from surveys.study.planning.durations import estimate_seconds
from surveys.study.settings import AT_IMPORT, KIND, QUESTION


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
    """Stimuli that were parsed and checked with a study's design, before any transaction.

    All slow work is done here, so that storing them only inserts rows: on SQLite all other writers
    wait meanwhile.
    """

    design: Study
    pairs: tuple[Any, ...]  # of the study's kind
    warnings: tuple[Finding, ...]
    digest: str
    seconds_per_item: int
    plan: BlockPlan

    def summarise(self, *, is_new: bool) -> ImportSummary:
        """Return the effect of importing the stimuli."""
        return ImportSummary(
            n_pairs=len(self.pairs),
            n_blocks=len(self.plan),
            n_assignments=self.design.kind.n_contexts
            * sum(self.design.ratings_per_context + items[0].n_more for items in self.plan),
            warnings=self.warnings,
            is_new=is_new,
        )


def read_stimuli(data: bytes, design: Study, kind: FileKind = CANONICAL) -> CheckedStimuli:
    """Return the stimuli of a file. Raises ImportRefused with all errors of file and design."""
    return check_stimuli(parse_items(data, design.item_rules, kind), design)


def check_stimuli(stimuli: ParsedRows[Any], design: Study) -> CheckedStimuli:
    """Return parsed stimuli, checked as `read_stimuli` does."""
    problems = list_design_problems(design)
    if problems or stimuli.errors:
        of_design = ((problem, None, None) for problem in problems)
        of_file = ((error.reason, error.row, error.column) for error in stimuli.errors)
        message = "\n".join([*problems, *map(str, group_findings(stimuli.errors))])
        raise ImportRefused(message, problems=[*of_design, *of_file])
    words = [(pair.word1, pair.word2) for pair in stimuli.pairs]
    first_rows = [design.kind.stored(pair)[0] for pair in stimuli.pairs]
    texts = [" ".join(filter(None, (row["text"], row["text2"]))) for row in first_rows]
    return CheckedStimuli(
        design=design,
        pairs=stimuli.pairs,
        warnings=stimuli.warnings,
        digest=digest_rows(map(design.kind.write, stimuli.pairs)),
        seconds_per_item=estimate_seconds(texts, design.writes),
        plan=plan_study(design, words),
    )


def digest_stimuli(study: Study) -> str:
    """Return the SHA-256 of the stored pairs in canonical form, independent of the file."""
    return digest_rows(map(study.kind.write, Pair.objects.stimuli(study).restore(study.kind)))


def is_stored(stimuli: CheckedStimuli) -> bool:
    """Return whether the study exists with these stimuli. Raises StudyExists for other stimuli."""
    design = stimuli.design
    study = Study.objects.filter(slug=design.slug).first()
    if study is None:
        return False
    if study.stimuli_sha256 != stimuli.digest:
        raise StudyExists(
            f"There is a study {design.slug} already, with other stimuli. Nothing was changed: "
            "choose another short name."
        )
    differing = [
        f"{label_of(Study, name)}: {stored}, not {given}"
        for name in dict.fromkeys((*AT_IMPORT, *KIND, *QUESTION))
        if (stored := getattr(study, name)) != (given := getattr(design, name))
        and (name != "title" or given)
    ]
    if differing:
        raise StudyExists(
            f"Study {design.slug} holds these stimuli already, with another design ("
            f"{'; '.join(differing)}). "
            "Nothing was changed: a study keeps its design."
        )
    return True


def read_stored_stimuli(study: Study) -> ParsedRows[Any]:
    """Return the stimuli of a study as they were imported. Raises StimuliChanged if they differ."""
    kind, pairs = study.kind, Pair.objects.stimuli(study).restore(study.kind)
    rows = [kind.write(pair) for pair in pairs]
    if digest_rows(rows) != study.stimuli_sha256:
        raise StimuliChanged(
            f"The texts stored for study {study.slug} are not those that were imported. "
            "Restore the database from a backup; nothing was written."
        )
    columns = kind.columns_of(pairs[0]) if pairs else kind.columns
    return check_items(rows, columns, study.item_rules)


@transaction.atomic
def store_study(stimuli: CheckedStimuli) -> Study:
    """Store a draft with its pairs and blocks."""
    study = insert_draft(
        stimuli.design, stimuli_sha256=stimuli.digest, seconds_per_item=stimuli.seconds_per_item
    )
    store_pairs(study, stimuli.pairs)
    make_blocks(study, stimuli.plan)
    return study


def insert_draft(design: Study, **more: Any) -> Study:
    """Insert a study like a design that is not stored; `more` has other values."""
    study = copy(design)  # which stays as it is if a transaction fails
    for name, value in {"title": design.title or design.slug, **more}.items():
        setattr(study, name, value)
    study.save(force_insert=True)
    return study


def list_design_problems(design: Study) -> list[str]:
    """Return everything that is invalid about a study that is not stored yet."""
    given_later = {"stimuli_sha256"} | (set() if design.title else {"title"})
    return list_problems(design, given_later) or list_misfits(design)


def store_pairs(study: Study, stimuli: Sequence[Any]) -> None:
    """Store the pairs and contexts of a study that has none."""
    kind = study.kind
    rows = (
        (study.pk, False, number, pair.word1, pair.word2, json.dumps(kind.details(pair)))
        for number, pair in enumerate(stimuli, 1)
    )
    insert_rows(Pair, ("study", "is_checkpoint", "position", "word1", "word2", "details"), rows)
    pairs = Pair.objects.stimuli(study).order_by("position").values_list("pk", flat=True)
    insert_rows(
        Context,
        ("pair", "number", "text", "text2", *SPANS, "more_spans"),
        (
            (pair, *values, more and json.dumps(more))
            for pair, stimulus in zip(pairs, stimuli, strict=True)
            for *values, more in (row.values() for row in kind.stored(stimulus))
        ),
    )


LARGEST_FILE = 4_000_000  # bytes; about ten times the English CoSimLex
MAX_KEPT_LENGTH = 2_000_000  # characters; a form may send 2.5 MB
MAX_MEMORY = 64_000_000


@dataclass(frozen=True)
class CheckedFile:
    """The findings in a stimuli file. With errors it cannot be used; warnings need confirmation."""

    n_pairs: int
    errors: tuple[Finding, ...]
    warnings: tuple[Finding, ...]
    stimuli: ParsedRows[Any] | None = None  # as parsed, so that storing them needs no second parse


def check_file(data: bytes, design: Study, kind: FileKind = CANONICAL) -> CheckedFile:
    """Return all findings in a study's stimuli file; never raises for its content."""
    if len(data) > LARGEST_FILE:
        what = f"the file has {len(data):,} bytes, more than the {LARGEST_FILE:,} that are accepted"
        advice = "split the study, or ask an operator to import it"
        return CheckedFile(0, (Finding(Severity.ERROR, what, advice=advice),), ())
    return _as_checked(parse_items(data, design.item_rules, kind))


def fingerprint_file(data: bytes) -> str:
    """Return a short SHA-256 digest of a file's contents."""
    return hashlib.sha256(data).hexdigest()[:16]


def pack_file(data: bytes) -> str:
    """Return a file as text that a form can hold until confirmation; empty if it is too large."""
    packed = base64.b64encode(lzma.compress(data)).decode()
    return packed if len(packed) <= MAX_KEPT_LENGTH else ""


def unpack_file(kept: str) -> bytes | None:
    """Return the file that a form has held, or None."""
    try:
        packed = base64.b64decode(kept, validate=True)
        return lzma.LZMADecompressor(memlimit=MAX_MEMORY).decompress(packed, LARGEST_FILE + 1)
    except (ValueError, lzma.LZMAError, EOFError):
        return None


def check_row(fields: Mapping[str, str], rules: ItemRules) -> CheckedFile:
    """Return the findings in one row, given by column; their row and line are meaningless.

    `rules` are those of the study's items.
    """
    try:
        parsed = check_items([tuple(fields.values())], tuple(fields), rules)
    except StimuliError as error:
        return CheckedFile(0, error.findings, ())
    shown = tuple(finding for finding in parsed.findings if finding.what != ESCAPED_FIELD.what)
    return _as_checked(replace(parsed, findings=shown))


def write_row(study: Study, pair: Pair) -> dict[str, str]:
    """Return a stored pair with its contexts as a row of the study's stimuli file, by column."""
    kind, contexts = study.kind, sorted(pair.contexts.all(), key=lambda context: context.number)
    row: Any = kind.joined([context.restored(kind) for context in contexts], pair.details)
    return dict(zip(kind.columns_of(row), kind.write(row), strict=True))


def fingerprint_row(row: Mapping[str, str]) -> str:
    """Return a short SHA-256 digest of a row."""
    return hashlib.sha256("\t".join(row.values()).encode()).hexdigest()[:16]


def _as_checked(stimuli: ParsedRows[Any]) -> CheckedFile:
    return CheckedFile(len(stimuli.rows), stimuli.errors, stimuli.warnings, stimuli)
