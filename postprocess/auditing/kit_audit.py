"""The audit of one kit: its files are read, checked and compared with each other."""

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
import pandas as pd

from postprocess.auditing.findings import Check, KitAudit
from postprocess.auditing.folder import Kit, Source
from postprocess.auditing.overlap import Pairs
from postprocess.auditing.reconstruction.changes import Changes, judge_changes
from postprocess.auditing.reconstruction.contexts import Assumptions, Contexts, judge_contexts
from postprocess.auditing.reconstruction.sample_sizes import name_sizes
from postprocess.auditing.repeats import Figures, find_repeats
from postprocess.auditing.rows import (
    check_gold_changes,
    compare_counts,
    compare_gold,
    compare_stimuli,
    empty_scores,
    find_copied_ratings,
    find_repeated_ratings,
)
from postprocess.formats.files import read_dataset, read_gold
from postprocess.formats.kinds import read_table
from postprocess.formats.reading import load_ratings
from postprocess.formats.stimuli import COLUMNS, FAR_FROM_THREE, parse_stimuli
from postprocess.formats.tabular import Finding, Severity, TableError
from postprocess.table.ratings import RatingsError

Rows = Mapping[int, Sequence[str]]


def audit_kit(kit: Kit, assumptions: Assumptions) -> KitAudit:
    """Audit the files of a kit. Raises OSError, or AuditError for too fine a scale."""
    sources = [source for source in (kit.dataset, *kit.data, *kit.gold, *kit.ratings) if source]
    audit = KitAudit(kit, sources[0].name, Pairs(sources[0].name, {}, {}))
    rows: Rows = {}
    scores = None
    if kit.dataset:
        rows, scores = _audit_dataset_file(audit, kit.dataset, assumptions)
    for source in kit.data:
        rows = _audit_stimuli(audit, source, rows) or rows
    for source in kit.ratings:
        _audit_ratings(audit, source)
    gold = [_audit_gold(audit, source, scores) for source in kit.gold]
    if scores is None:
        columns = {"sim_context1": "sim1", "sim_context2": "sim2"}
        scores = next((table.rename(columns=columns) for table in gold if table is not None), None)
    figures = {} if scores is None else _figures_by_row(scores)
    _audit_repeats(audit, rows, figures)
    audit.pairs = Pairs(audit.name, rows, {row: pair.sims for row, pair in figures.items()})
    return audit


def _finite(table: pd.DataFrame) -> pd.DataFrame:
    """Return the table with NaN for infinite numbers, such as 1E999."""
    return table.replace([np.inf, -np.inf], np.nan)


def _figures_by_row(scores: pd.DataFrame) -> dict[int, Figures]:
    """Return the figures of each pair that has both means."""
    columns = [f"{name}{number}" for name in ("sim", "stdev") for number in (1, 2)] + ["pvalue"]
    table = scores.reindex(columns=columns).dropna(subset=["sim1", "sim2"])
    return {
        int(row): Figures((sim1, sim2), (stdev1, stdev2), pvalue)
        for row, sim1, sim2, stdev1, stdev2, pvalue in table.astype(float).itertuples()
    }


def _audit_dataset_file(
    audit: KitAudit, source: Source, assumptions: Assumptions
) -> tuple[Rows, pd.DataFrame | None]:
    content = source.path.read_bytes()
    rows = read_table(content, COLUMNS).rows
    try:
        scores = _finite(read_dataset(content))
    except TableError as error:
        audit.add(Check.FORMAT, source.name, error.findings)
        audit.summary.append(("scores", "not checked: the file cannot be read"))
        scores = None
    if scores is not None:
        _audit_scores(audit, source.name, scores, assumptions)
    _audit_targets(audit, source.name, content, rows)
    return rows, scores


def _audit_scores(
    audit: KitAudit, name: str, scores: pd.DataFrame, assumptions: Assumptions
) -> None:
    contexts = judge_contexts(scores, assumptions)
    changes = judge_changes(scores, contexts, assumptions)
    audit.add(Check.SCORES, name, contexts.findings)
    audit.add(Check.PVALUES, name, changes.findings)
    audit.contexts = _contexts_table(name, scores, contexts)
    audit.summary += [
        ("pairs", str(len(scores))),
        ("ratings per context", _describe_sizes(contexts, assumptions)),
        ("mean and deviation", _describe_contexts(contexts, assumptions)),
        ("p-value", _describe_changes(changes)),
    ]


def _describe_sizes(contexts: Contexts, assumptions: Assumptions) -> str:
    if assumptions.is_known:
        return f"{name_sizes(assumptions.sizes)}, as given"
    if not contexts.counted:
        return "unknown: no number is clearly most likely"
    counted = ", ".join(f"{n} fits {n_contexts}" for n, n_contexts in contexts.counted)
    return f"probably {name_sizes(contexts.likely)} ({counted} contexts)"


def _describe_contexts(contexts: Contexts, assumptions: Assumptions) -> str:
    n_contexts = len(contexts.solutions)
    text = f"possible in {contexts.n_possible} of {n_contexts} contexts, with {assumptions}"
    if contexts.n_possible < n_contexts / 2:
        text += "; if this is wrong, set --most, --ratings, --scale, --step or --published-scale"
    return text


def _describe_changes(changes: Changes) -> str:
    side = "one-sided" if changes.sides == 1 else "two-sided"
    text = f"{changes.n_possible} of {changes.n_tested} possible, {side}"
    if changes.n_undecided:
        text += f"; {changes.n_undecided} undecided: too many to try (--ratings, --most)"
    return text


def _contexts_table(name: str, scores: pd.DataFrame, contexts: Contexts) -> pd.DataFrame:
    """Return the numbers of ratings that fit each context."""
    rows = [(row, number) for row in scores.index for number in (1, 2)]
    return pd.DataFrame(
        {
            "file": name,
            "row": [row for row, _ in rows],
            "context": [number for _, number in rows],
            "sim": scores[["sim1", "sim2"]].to_numpy().ravel(),
            "stdev": scores[["stdev1", "stdev2"]].to_numpy().ravel(),
            "fitting": [tuple(solutions) for solutions in contexts.solutions],
        }
    )


def _audit_targets(audit: KitAudit, name: str, content: bytes, rows: Rows) -> None:
    findings = list(_target_findings(content))
    audit.add(Check.TARGETS, name, findings)
    n_odd = len({finding.row for finding in findings if finding.severity is Severity.ERROR})
    audit.summary.append(
        ("targets", f"marked once, as in their columns, in {len(rows) - n_odd} of {len(rows)} rows")
    )


def _target_findings(content: bytes) -> Iterator[Finding]:
    """Yield the findings on the texts of a file, except those on their length."""
    for finding in parse_stimuli(content).findings:
        is_shape = finding.row is None or finding.severity is Severity.UNREADABLE
        if not is_shape and not finding.what.endswith(FAR_FROM_THREE):
            yield finding


def _audit_repeats(audit: KitAudit, rows: Rows, figures: Mapping[int, Figures]) -> None:
    if not rows:
        return
    n_odd = audit.add(Check.REPEATS, audit.name, find_repeats(rows, figures))
    reported = f"none in {len(rows)} rows" if not n_odd else f"in {n_odd} of {len(rows)} rows"
    audit.summary.append(("repeated items", reported))


def _audit_stimuli(audit: KitAudit, source: Source, dataset: Rows) -> Rows:
    """Check a stimuli file, and compare it with the rows of the dataset, if any."""
    content = source.path.read_bytes()
    table = read_table(content, COLUMNS)
    audit.add(Check.FORMAT, source.name, table.findings)
    if not dataset:
        _audit_targets(audit, source.name, content, table.rows)
        return table.rows
    findings = list(compare_stimuli(dataset, table.rows, audit.name))
    n_unequal = audit.add(Check.STIMULI, source.name, findings)
    unequal = {finding.row for finding in findings}
    audit.add(
        Check.TARGETS, source.name, (f for f in _target_findings(content) if f.row in unequal)
    )
    repeats = find_repeats(table.rows, {})
    here_only = (f for f in repeats if dataset.get(f.row or 0) != table.rows[f.row or 0])
    audit.add(Check.REPEATS, source.name, here_only)
    n_common = len(dataset.keys() & table.rows.keys())
    audit.summary.append((source.name, f"{n_common - n_unequal} of {len(dataset)} rows agree"))
    return {}


def _audit_gold(
    audit: KitAudit, source: Source, scores: pd.DataFrame | None
) -> pd.DataFrame | None:
    """Check a gold file, and compare it with the scores of the dataset, if any."""
    try:
        gold = _finite(read_gold(source.path.read_bytes()))
    except TableError as error:
        audit.add(Check.FORMAT, source.name, error.findings)
        audit.summary.append((source.name, "not checked: the file cannot be read"))
        return None
    findings = [*empty_scores(gold), *check_gold_changes(gold)]
    if scores is not None:
        findings = [*compare_gold(scores, gold, audit.name), *findings]
    n_odd = audit.add(Check.GOLD, source.name, findings)
    agree = "are valid; there is no dataset to compare them with" if scores is None else "agree"
    audit.summary.append((source.name, f"{len(gold) - n_odd} of {len(gold)} rows {agree}"))
    return gold


def _audit_ratings(audit: KitAudit, source: Source) -> None:
    """Compare the counts of a ratings file with the numbers of ratings that fit the dataset."""
    if audit.contexts is None:
        return
    try:
        ratings = load_ratings(source.path, audit.kit.language)
        odd = [*find_repeated_ratings(ratings), *find_copied_ratings(ratings)]
        findings = list(compare_counts(ratings, audit.contexts))
    except RatingsError as error:
        audit.add(Check.FORMAT, source.name, [Finding(Severity.ERROR, str(error))])
        return
    audit.add(Check.RATINGS, source.name, odd)
    audit.add(Check.RATINGS, audit.name, findings)
    n_contexts = len(audit.contexts)
    text = f"enough ratings for {n_contexts - len(findings)} of {n_contexts} contexts"
    audit.summary.append((source.name, text))
