"""Checkpoint items: items with a known rating that are mixed into new assignments."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from decimal import Decimal, InvalidOperation
from typing import Any, NamedTuple

from django.db import transaction

from postprocess.designs.kinds import Item, WordPair
from postprocess.formats.kinds import CANONICAL, FileKind, read_table
from postprocess.formats.marks import MarkedContext, Problem, cuts_a_letter, read_context
from postprocess.formats.parsed import FoundSoFar
from postprocess.formats.stimuli import CUT_LETTER, field_problem
from postprocess.formats.tabular import Finding, Severity, group_findings
from surveys.access.audit_log import record
from surveys.errors import ImportRefused
from surveys.models import Checkpoint, Context, Pair, Study
from surveys.models.study import write_point
from surveys.study.design import configure_study
from surveys.study.lifecycle import lock_draft
from surveys.study.stimuli.load import CheckedFile

RANGE = ("lowest", "highest")
IN_TEXT = ("word1", "word2", "context", "word1_context", "word2_context")
NO_RATING = "translated items have no rating that could be checked"


@dataclass(frozen=True)
class CheckpointItem:
    """What is rated, and the ratings that an attentive annotator may give."""

    item: Item[Any]
    lowest: Decimal
    highest: Decimal

    @property
    def key(self) -> tuple[str, ...]:
        """The texts, or else the words: no other item has them."""
        return tuple(text.text for text in self.item.texts) or self.item[:2]


@dataclass(frozen=True)
class CheckpointSummary:
    """The effect of importing checkpoint items, or of a dry run."""

    n_new: int
    n_known: int
    per_assignment: int
    warnings: tuple[Finding, ...]
    is_change: bool


class ReadItems(NamedTuple):
    """The valid items of a file by row, and all findings.

    `scale_points` is the study's scale when the file was read, before the transaction.
    """

    items: dict[int, CheckpointItem]
    findings: list[Finding]
    scale_points: list[Decimal]

    @property
    def errors(self) -> list[Finding]:
        """Findings that prevent the import."""
        return [finding for finding in self.findings if finding.severity is not Severity.WARNING]

    @property
    def warnings(self) -> tuple[Finding, ...]:
        """Findings that do not prevent the import."""
        return tuple(f for f in self.findings if f.severity is Severity.WARNING)


def import_checkpoints(
    study: Study,
    data: bytes,
    *,
    per_assignment: int,
    kind: FileKind = CANONICAL,
    dry_run: bool = False,
) -> CheckpointSummary:
    """Add checkpoint items to a study; each later assignment gets `per_assignment` items.

    Items are only added. An item that the study has already, with the same range, is skipped: the
    same file again is a no-op, and a longer one adds its new items behind the others.
    Raises ImportRefused with all errors; then nothing is stored.
    """
    read = _read_items(data, study, kind)
    with transaction.atomic():
        return _add_items(study, read, per_assignment, dry_run=dry_run)


def _add_items(
    study: Study, read: ReadItems, per_assignment: int, *, dry_run: bool = False
) -> CheckpointSummary:
    study = Study.objects.select_for_update(no_key=True).get(pk=study.pk)  # two imports at once
    if study.scale_points != read.scale_points:
        raise ImportRefused("The scale of the study was changed meanwhile. Import the file again.")
    items = read.items
    stored = {item.key: item for item in _list_stored(study)}
    column = columns_of(study)[2] if study.kind.n_texts else "word1"
    known = f"the study has {_name_key(study)} already, with other words or another range"
    errors = read.errors + [
        _error(row, column, known)
        for row, item in items.items()
        if stored.get(item.key, item) != item
    ]
    new = [item for item in items.values() if item.key not in stored]
    if errors:
        raise ImportRefused("\n".join(map(str, group_findings(sorted(errors, key=_row_of)))))
    n_items = len(stored) + len(new)
    if not 1 <= per_assignment <= n_items:
        raise ImportRefused(
            f"An assignment can have from 1 to {n_items} checkpoint items, as many as there are, "
            f"not {per_assignment}."
        )
    is_change = bool(new) or study.n_checkpoints != per_assignment
    if is_change and not dry_run:
        _store_items(study, new, first_position=len(stored) + 1)
        configure_study(study, n_checkpoints=per_assignment)
    return CheckpointSummary(
        n_new=len(new),
        n_known=len(items) - len(new),
        per_assignment=per_assignment,
        warnings=read.warnings,
        is_change=is_change,
    )


def check_checkpoints(study: Study, data: bytes, kind: FileKind = CANONICAL) -> CheckedFile:
    """Return all findings in a checkpoint file; never raises for its content."""
    read = _read_items(data, study, kind)
    return CheckedFile(len(read.items), tuple(sorted(read.errors, key=_row_of)), read.warnings)


def replace_checkpoints(
    study: Study, data: bytes, *, per_assignment: int, kind: FileKind = CANONICAL
) -> CheckpointSummary:
    """Replace all checkpoint items of a draft by a file's items.

    Raises ImportRefused with all errors, or StudyOpen; then nothing is stored.
    """
    read = _read_items(data, study, kind)
    with transaction.atomic():
        study = lock_draft(study)
        stored = Pair.objects.checkpoints(study)
        n_before = stored.count()
        Checkpoint.objects.filter(context__pair__in=stored).delete()
        Context.objects.filter(pair__in=stored).delete()
        stored.delete()
        summary = _add_items(study, read, per_assignment)
        record("checkpoints.replaced", study, items=f"{n_before} → {summary.n_new}")
        return summary


def copy_checkpoints(study: Study, copy: Study) -> None:
    """Add the checkpoint items of a study to a copy without any."""
    if items := _list_stored(study):
        _store_items(copy, items, first_position=1)
        configure_study(copy, n_checkpoints=study.n_checkpoints)


def _list_stored(study: Study) -> list[CheckpointItem]:
    stored = Context.objects.filter(pair__in=Pair.objects.checkpoints(study))
    return [
        CheckpointItem(c.restored(study.kind), c.checkpoint.lowest, c.checkpoint.highest)
        for c in stored.select_related("pair", "checkpoint")
    ]


def _store_items(study: Study, items: list[CheckpointItem], *, first_position: int) -> None:
    pairs = Pair.objects.bulk_create(
        Pair(
            study=study, is_checkpoint=True, position=position,
            word1=checkpoint.item.word1, word2=checkpoint.item.word2,
        )
        for position, checkpoint in enumerate(items, first_position)
    )  # fmt: skip
    contexts = Context.objects.bulk_create(
        Context(pair=pair, **_row_of_context(study, checkpoint.item))
        for pair, checkpoint in zip(pairs, items, strict=True)
    )
    Checkpoint.objects.bulk_create(
        Checkpoint(context=context, lowest=item.lowest, highest=item.highest)
        for context, item in zip(contexts, items, strict=True)
    )


def _row_of_context(study: Study, item: Item[Any]) -> dict[str, Any]:
    """Return the stored row of an item, which is alone in its pair."""
    kind: Any = study.kind
    first, *_ = kind.stored(kind.joined([item] * kind.n_contexts, {"id": ""}))
    return dict(first)


def _name_key(study: Study) -> str:
    return ("these words", "this text", "these texts")[study.kind.n_texts]


def columns_of(study: Study) -> tuple[str, ...]:
    """Return the columns of a file of checkpoint items."""
    kind = study.kind
    named = IN_TEXT if kind.n_contexts == 2 else (c for c in kind.columns if c != "id")
    return (*named, *RANGE)


def _read_items(data: bytes, study: Study, kind: FileKind) -> ReadItems:
    if study.collects_translations:
        return ReadItems({}, [Finding(Severity.ERROR, NO_RATING)], study.scale_points)
    columns = columns_of(study)
    table = read_table(data, columns, kind, numbers=RANGE)
    items: dict[int, CheckpointItem] = {}
    findings = FoundSoFar(table.findings)
    rows_by_key: dict[tuple[str, ...], int] = {}
    for row, values in table.rows.items():
        if findings.stops_at(row):
            break
        fields = dict(zip(columns, values, strict=True))
        item, row_findings = _read_item(row, fields, study)
        if item is not None:
            first = rows_by_key.setdefault(item.key, row)
            if first != row:
                same = _name_key(study).split()[1]
                column = columns[2] if study.kind.n_texts else "word1"
                row_findings.append(_error(row, column, f"the same {same} as in row {first}"))
            items[row] = item
        findings.add(row_findings)
    return ReadItems(items, findings.list_all(), study.scale_points)


def _read_item(
    row: int, fields: Mapping[str, str], study: Study
) -> tuple[CheckpointItem | None, list[Finding]]:
    ends = {name: fields[name] for name in RANGE}
    findings = [_error(row, column, *problem) for column, problem in _list_field_problems(ends)]
    faulty = {finding.column for finding in findings}
    findings += [
        _error(row, column, *problem)
        for column, problem in _list_range_problems(
            {name: end for name, end in ends.items() if name not in faulty}, study.scale_points
        )
    ]
    item: Item[Any] | None
    if study.kind.n_contexts == 2:
        item, found = _read_in_text(row, {name: fields[name] for name in IN_TEXT})
    else:
        pair, found = study.kind.read({"id": "", **fields}, study.item_rules)
        item = Item(pair.word1, pair.word2, pair.texts) if isinstance(pair, WordPair) else None
        found = [replace(finding, row=row) for finding in found]
    findings = [*found, *findings]
    if item is None or any(finding.severity is Severity.ERROR for finding in findings):
        return None, findings
    lowest, highest = (Decimal(fields[column]) for column in RANGE)
    return CheckpointItem(item, lowest, highest), findings


def _read_in_text(
    row: int, fields: Mapping[str, str]
) -> tuple[Item[MarkedContext] | None, list[Finding]]:
    """Read a text with both words."""
    findings = [_error(row, column, *problem) for column, problem in _list_field_problems(fields)]
    if fields["word1"].strip() and fields["word1"] == fields["word2"]:
        what = f'both words are "{fields["word1"]}"'
        findings.append(_error(row, "word2", what, "a pair needs two words"))
    faulty = {finding.column for finding in findings}
    context, marked = _read_marked(row, {n: f for n, f in fields.items() if n not in faulty})
    item = Item(fields["word1"], fields["word2"], (context,)) if context else None
    return item, [*findings, *marked]


def _list_field_problems(fields: Mapping[str, str]) -> Iterator[tuple[str, Problem]]:
    for column, field in fields.items():
        if not field.strip():
            yield column, Problem("the field is empty", "fill it in")
        elif problem := field_problem(field, is_text=column == "context"):
            yield column, problem


def _list_range_problems(
    fields: Mapping[str, str], scale_points: list[Decimal]
) -> Iterator[tuple[str, Problem]]:
    """Yield what is wrong with the range of accepted ratings, by column."""
    scale = f"{write_point(scale_points[0])} to {write_point(scale_points[-1])}"
    ends = {name: _as_point(fields[name], scale_points) for name in RANGE if name in fields}
    for column, end in ends.items():
        if end is None:
            yield (
                column,
                Problem(f'"{fields[column]}" is not a point of the study\'s scale, {scale}'),
            )
    lowest, highest = (ends.get(column) for column in RANGE)
    if lowest is None or highest is None:
        return
    if lowest > highest:
        yield "lowest", Problem(f"{fields['lowest']} is more than highest, {fields['highest']}")
    elif (lowest, highest) == (scale_points[0], scale_points[-1]):
        yield (
            "highest",
            Problem("every rating of the scale would do", "nobody could fail this item"),
        )


def _as_point(text: str, scale_points: list[Decimal]) -> Decimal | None:
    try:
        point = Decimal(text)
        return point if point in scale_points else None
    except InvalidOperation:
        return None


def _read_marked(row: int, fields: Mapping[str, str]) -> tuple[MarkedContext | None, list[Finding]]:
    """Return the text with its targets, as far as the fields that it needs are valid."""
    forms = {name: fields.get(name, "") for name in ("word1_context", "word2_context")}
    if "context" not in fields or not all(forms.values()):
        return None, []
    if len(set(forms.values())) == 1:
        form = forms["word1_context"]
        return None, [_error(row, "word2_context", f'both inflected forms are "{form}"')]
    context, problems = read_context(fields["context"], forms)
    findings = [_error(row, "context", *problem) for problem in problems]
    if context is not None and cuts_a_letter(context):
        findings.append(
            Finding(Severity.WARNING, CUT_LETTER.what, row, "context", CUT_LETTER.advice)
        )
    return context, findings


def _row_of(finding: Finding) -> int:
    return finding.row or 0


def _error(row: int, column: str, what: str, advice: str = "") -> Finding:
    return Finding(Severity.ERROR, what, row, column, advice)
