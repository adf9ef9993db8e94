"""Candidates of a draft: their file is checked and stored, and a study may begin with them."""

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from django.contrib.auth.models import User
from django.db import IntegrityError, transaction
from django.db.models import Max

from postprocess.formats.stimuli import digest_rows
from postprocess.formats.tabular import Finding, Severity, TableError
from surveys.access.audit_log import record
from surveys.access.roles import grant_role
from surveys.contexts.models import Candidate, CandidatePair, CandidateSet, ContextChoice
from surveys.errors import ImportRefused, StudyExists, SurveyError
from surveys.models import Role, StimuliOrigin, Study
from surveys.models.stimuli import insert_rows
from surveys.study.lifecycle import lock_draft
from surveys.study.stimuli.load import insert_draft, list_design_problems

LARGEST_FILE = 20_000_000  # bytes; about 10,000 pairs with eight candidates each
KEYS = "1234567890abcdfghijklmnopqrtuvwy"  # that choose a candidate; e, s, x and z do other things
COPIED = (
    "text", "distance", "picked", "file", "document", "title", "url", "revision", "licence",
    "first_sentence", "last_sentence", "first_id", "last_id",
)  # fmt: skip


SPANS = {
    "word1_start": "start1", "word1_end": "end1", "word2_start": "start2", "word2_end": "end2",
}  # fmt: skip


class CandidatesKept(SurveyError):
    """Candidates that experts have chosen from already."""


class CheckedCandidates(NamedTuple):
    """A file of candidates as read, and how they were found. With errors it cannot be used."""

    errors: tuple[Finding, ...]
    rows: list[dict[str, Any]] = []
    models: tuple[str, ...] = ()
    sha256: str = ""
    origin: Mapping[str, Any] = {}

    @property
    def pairs(self) -> dict[int, list[dict[str, Any]]]:
        """The rows by pair."""
        pairs: dict[int, list[dict[str, Any]]] = {}
        for row in self.rows:
            pairs.setdefault(row["pair"], []).append(row)
        return pairs


def check_candidates(data: bytes) -> CheckedCandidates:
    """Return the candidates of a file, or what is wrong with it; never raises for its content."""
    from preprocess.selection.reading import read_candidates

    if len(data) > LARGEST_FILE:
        what = f"the file has {len(data):,} bytes, more than the {LARGEST_FILE:,} that are accepted"
        return CheckedCandidates((Finding(Severity.ERROR, what, advice="split it by pairs"),))
    try:
        rows, models, origin = read_candidates(data)
    except TableError as error:
        return CheckedCandidates(error.findings)
    checked = CheckedCandidates((), rows, models, hashlib.sha256(data).hexdigest(), origin)
    return checked._replace(errors=tuple(map(_describe_crowd, _list_crowded(checked))))


@transaction.atomic
def begin_study(
    checked: CheckedCandidates | None,
    design: Study,
    owner: User,
    *,
    file_name: str = "",
) -> Study:
    """Create a draft without stimuli that has candidates for them; the user becomes its owner.

    Without a file the candidates are still to be found. Raises ImportRefused for the design or the
    file, and StudyExists for a name that is taken.
    """
    if problems := list_design_problems(design):
        raise ImportRefused("\n".join(problems), problems=[(line, None, None) for line in problems])
    try:
        with transaction.atomic():
            study = insert_draft(design, stimuli_sha256=digest_rows(()))
    except IntegrityError as error:
        raise StudyExists(
            f"There is a study {design.slug} already. Choose another short name."
        ) from error
    grant_role(study, owner, Role.OWNER)
    record("study.drafted", study, n_pairs=0)
    if checked is not None:
        import_candidates(study, checked, owner, file_name=file_name)
    return study


@transaction.atomic
def import_candidates(
    study: Study,
    checked: CheckedCandidates,
    by: User | None = None,
    *,
    file_name: str = "",
    discards_choices: bool = False,
) -> CandidateSet:
    """Store a draft's candidates in place of earlier candidates; a no-op for the same file.

    `discards_choices` deletes the choices that experts have made, of which the log keeps a record.
    Raises ImportRefused for a file with errors, StudyOpen, and CandidatesKept if there are choices
    that are not to be discarded.
    """
    study = lock_draft(study)
    if checked.errors or not checked.rows:
        problems = [(error.reason, error.row, error.column) for error in checked.errors]
        raise ImportRefused("\n".join(map(str, checked.errors)), problems=problems)
    before = CandidateSet.objects.filter(study=study).first()
    if before and before.sha256 == checked.sha256:
        return before
    n_discarded = _clear(study, discards_choices=discards_choices)
    pairs = checked.pairs
    made = CandidateSet(
        study=study,
        file_name=file_name[:100],
        sha256=checked.sha256,
        model_names=list(checked.models),
        origin=checked.origin,
        n_wanted=max(map(len, pairs.values())),
        imported_by=by,
    )
    if before:
        made.is_double, made.shows_scores = before.is_double, before.shows_scores
    made.save()
    _store(study, list(pairs.values()))
    record(
        "candidates.imported", study, made.file_name, n_pairs=len(pairs),
        n_candidates=len(checked.rows), sha256=checked.sha256, n_discarded=n_discarded,
    )  # fmt: skip
    return made


def refuse_standing_choices(study: Study) -> None:
    """Raise CandidatesKept if experts have made choices among the candidates of a draft."""
    n_standing = ContextChoice.objects.standing().filter(pair__study=study).count()
    if n_standing:
        n = f"{n_standing:,} {'choice was' if n_standing == 1 else 'choices were'}"
        raise CandidatesKept(
            f"{n} made among the present candidates. Tick the box to discard them, or keep the "
            "candidates."
        )


@transaction.atomic
def add_candidates(pair: CandidatePair, checked: CheckedCandidates) -> int:
    """Add a checked file's candidates to a pair of a draft; choices stay.

    Windows that it has already are left out; the others' origin is kept with the pair's words.
    Return how many are new. Raises StudyOpen, and ImportRefused for more than there are keys.
    """
    lock_draft(pair.study)
    pair = CandidatePair.objects.select_for_update(no_key=True).get(pk=pair.pk)
    windows = set(pair.candidates.values_list("window", flat=True))
    new = [row for row in checked.rows if row["window"] not in windows]
    if pair.n_candidates + len(new) > len(KEYS):
        raise ImportRefused(f"{pair} would have more than {len(KEYS)} candidates.")
    last = pair.candidates.aggregate(last=Max("number"))["last"] or 0
    _insert([(pair.pk, last + 1, new)])
    pair.n_candidates += len(new)
    pair.save(update_fields=["n_candidates"])
    if new:
        _note_more(pair, checked.origin)
        record("candidates.added", pair.study, str(pair), n_candidates=len(new))
    return len(new)


def _note_more(pair: CandidatePair, origin: Mapping[str, Any]) -> None:
    """Store how further candidates of a pair were found, with the words of the pair."""
    stored = CandidateSet.objects.get(study=pair.study_id)
    more = {**origin, "pair": [pair.word1, pair.word2]}
    stored.origin = {**stored.origin, "more": [*stored.origin.get("more", []), more]}
    stored.save(update_fields=["origin"])


def _list_crowded(checked: CheckedCandidates) -> list[list[dict[str, Any]]]:
    return [rows for rows in checked.pairs.values() if len(rows) > len(KEYS)]


def _describe_crowd(rows: list[dict[str, Any]]) -> Finding:
    pair = f"{rows[0]['word1']} – {rows[0]['word2']}"
    what = f"{pair} has {len(rows)} candidates, more than {len(KEYS)}"
    return Finding(Severity.ERROR, what, advice="pick fewer with --number")


def _clear(study: Study, *, discards_choices: bool) -> int:
    """Delete the candidates of a draft; return how many choices went with them."""
    if not discards_choices:
        refuse_standing_choices(study)
    choices = ContextChoice.objects.filter(pair__study=study)
    n_standing = choices.standing().count()
    StimuliOrigin.objects.filter(study=study).delete()
    choices.delete()
    CandidatePair.objects.filter(study=study).delete()
    CandidateSet.objects.filter(study=study).delete()
    return n_standing


def _store(study: Study, pairs: list[list[dict[str, Any]]]) -> None:
    CandidatePair.objects.bulk_create(
        CandidatePair(
            study=study, number=number, word1=rows[0]["word1"], word2=rows[0]["word2"],
            n_candidates=len(rows),
        )
        for number, rows in enumerate(pairs, 1)
    )  # fmt: skip
    stored = CandidatePair.objects.filter(study=study).values_list("pk", flat=True)
    _insert((pair, 1, rows) for pair, rows in zip(stored, pairs, strict=True))


def _insert(groups: Iterable[tuple[int, int, Sequence[Mapping[str, Any]]]]) -> None:
    """Insert candidates, given as a pair, its first candidate's number, and its rows."""
    insert_rows(
        Candidate,
        ("pair", "number", "window", *SPANS, "scores", *COPIED),
        (
            (
                pair,
                number,
                row["window"][:64],
                *(row[column] for column in SPANS.values()),
                json.dumps(row["scores"]),
                *(row[name] for name in COPIED),
            )
            for pair, first, rows in groups
            for number, row in enumerate(rows, first)
        ),
    )
