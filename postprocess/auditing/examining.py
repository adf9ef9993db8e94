"""The audit of a folder: each kit, and the overlap of practice kits with the test data."""

from collections.abc import Sequence
from os import PathLike
from pathlib import Path

from postprocess.auditing import AuditError
from postprocess.auditing.findings import Audit, Check, KitAudit
from postprocess.auditing.folder import find_kits
from postprocess.auditing.kit_audit import audit_kit
from postprocess.auditing.overlap import Overlap, find_overlap
from postprocess.auditing.reconstruction.contexts import Assumptions
from postprocess.formats.tabular import Finding, Severity


def audit_dataset(
    place: str | PathLike[str],
    practice: str | PathLike[str] | None = None,
    assumptions: Assumptions | None = None,
) -> Audit:
    """Audit one or more datasets in the published format.

    Parameters
    ----------
    place : path
        A folder or a single file; see `find_kits` for the files that are read.
    practice : path, optional
        A practice kit in another folder.
    assumptions : Assumptions, optional
        About the ratings behind the dataset; by default, those of the published format.

    Returns
    -------
    Audit
        An error is certainly wrong under the assumptions; a warning is suspicious.

    Raises
    ------
    AuditError
        There is nothing to audit, no file is readable, or the scale is too fine.
    OSError
        A file or folder cannot be read.
    """
    folder = find_kits(Path(place), Path(practice) if practice else None)
    audits = [audit_kit(kit, assumptions or Assumptions()) for kit in folder.kits]
    if not any(audit.pairs.rows or audit.pairs.scores for audit in audits):
        raise AuditError("\n".join(f"{n.file}: {n.finding}" for a in audits for n in a.findings))
    for audit in audits:
        if audit.kit.is_practice:
            _compare_practice(audit, [test for test in audits if not test.kit.is_practice])
    return Audit(tuple(audits), folder.unknown)


def _compare_practice(practice: KitAudit, tests: Sequence[KitAudit]) -> None:
    """Find the pairs of a practice kit in the test data of its language."""
    language = practice.kit.language
    same = [t for t in tests if t.pairs.rows and t.kit.language in (language, "")]
    if not same:
        reason = f"not compared: there is no test data in the language {language}"
        practice.summary.append(("in the test data", reason))
    for test in same:
        overlaps = list(find_overlap(practice.pairs, test.pairs))
        findings = (_overlap_finding(overlap, test.name) for overlap in overlaps)
        practice.add(Check.PRACTICE, practice.name, findings)
        practice.summary.append(("in the test data", _describe_overlap(overlaps, practice, test)))


def _overlap_finding(overlap: Overlap, test: str) -> Finding:
    scores = {
        True: " with the same scores",
        False: " with other scores",
        None: "",
    }[overlap.has_same_scores]
    swapped = " and its contexts exchanged" if overlap.is_swapped else ""
    what = f"this pair is row {overlap.test_row} of {test}{scores}{swapped}"
    if not overlap.is_whole:
        what = f"one of the texts is in row {overlap.test_row} of {test}"
    return Finding(Severity.WARNING, f"{what}; remove it from one of the files", overlap.row)


def _describe_overlap(overlaps: Sequence[Overlap], practice: KitAudit, test: KitAudit) -> str:
    whole = [overlap for overlap in overlaps if overlap.is_whole]
    same = sum(overlap.has_same_scores is True for overlap in whole)
    swapped = sum(overlap.is_swapped for overlap in whole)
    text = f"{len(whole)} of {len(practice.pairs.rows)} pairs are in {test.name}"
    if whole:
        text += f", {same} with the same scores, {swapped} with the contexts exchanged"
    if partly := len(overlaps) - len(whole):
        text += f"; {partly} more share a text with it"
    return text
