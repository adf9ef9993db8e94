"""The figures of a comparison as files."""

from postprocess.reporting.report import render_report
from postprocess.table.rendering import render_table
from postprocess.two_collections.comparing import CollectionComparison
from postprocess.two_collections.stamps import stamp_name


def render_tables(comparison: CollectionComparison) -> dict[str, bytes]:
    """Return the report and all tables: comparison.json and <table>.tsv, with stamped names."""
    sides = comparison.sides
    files = {f"{stamp_name('comparison', sides)}.json": render_report(comparison.report).encode()}
    for name, table in comparison.tables.items():
        files[f"{stamp_name(name, sides)}.tsv"] = render_table(table).encode()
    return files
