"""The audit of published data sets of a layout."""

from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from postprocess.auditing.findings import Audit, Check, KitAudit
from postprocess.auditing.folder import Kit, Source
from postprocess.auditing.overlap import Pairs
from postprocess.formats.tabular import Finding, Severity
from postprocess.layouts import LayoutError
from postprocess.layouts.layout import Layout
from postprocess.layouts.published_set import PublishedSet, list_ratings
from postprocess.layouts.reading import group_files, read_set


def audit_layout(layout: Layout, places: Sequence[Path]) -> Audit:
    """Audit the data sets of a layout in some files or folders.

    Raises LayoutError if there are none, OSError.
    """
    audits, sets = [], []
    for files in group_files(layout, places):
        sources = tuple(Source(name, Path(name)) for name in files)
        name = ", ".join(files) if len(files) < 4 else f"{len(files)} files"
        audit = KitAudit(Kit("", False, None, sources, (), ()), name, Pairs(name, {}, {}))
        audits.append(audit)
        try:
            published = read_set(layout, files)
        except LayoutError as error:
            for file, finding in error.findings:
                audit.add(Check.FORMAT, file, [finding])
            audit.summary.append(("items", "not checked: the files cannot be read"))
            continue
        sets.append((audit, published))
        _audit_set(audit, published)
    if layout.is_parallel:
        _compare_counts(sets)
    return Audit(tuple(audits), ())


def _audit_set(audit: KitAudit, published: PublishedSet) -> None:
    for check in published.layout.checks:
        for name, finding in map(published.main.locate, check(published)):
            audit.add(Check.LAYOUT, name, [finding])
    audit.summary += [("items", str(len(published.items))), *_summarise(published)]
    notes = {f"{name}: {finding.reason}": None for name, finding in published.warnings}
    audit.summary.append(("written back", "; ".join(notes) or "byte for byte"))


def _summarise(published: PublishedSet) -> Iterator[tuple[str, str]]:
    """Yield a data set's mean numbers and the counts of its tags."""
    for name, label in (("score", "mean score"), ("sd", "mean deviation")):
        numbers = [float(f[name]) for f in published.figures if f.get(name, "NA") not in ("NA", "")]
        if numbers:
            yield label, f"{sum(numbers) / len(numbers):.2f}"
    if tags := Counter(figure["tag"] for figure in published.figures if "tag" in figure):
        yield "tags", ", ".join(f"{tag} {n}" for tag, n in sorted(tags.items(), reverse=True))
    if ratings := list_ratings(published):
        yield "ratings", f"{len(ratings)} by {len({annotator for _, annotator, *_ in ratings})}"


def _compare_counts(sets: Sequence[tuple[KitAudit, PublishedSet]]) -> None:
    """Notice languages with another number of items than most of one split have."""
    alone = [(audit, published) for audit, published in sets if not published.is_of_two]
    counts = Counter(len(published.items) for _, published in alone)
    for audit, published in alone:
        most, n_sets = counts.most_common(1)[0]
        if len(published.items) != most:
            what = f"{len(published.items)} items, but {most} in {n_sets} other languages"
            advice = "a row is the same concept in all languages"
            finding = Finding(Severity.WARNING, what, advice=advice)
            audit.add(Check.LAYOUT, published.main.name, [finding])
