from postprocess.auditing.examining import audit_dataset
from postprocess.auditing.rendering import render_audit, render_tables
from tests.postprocess.auditing.corrupting import DATASET, TEN, put


def corrupt(folder):
    """Set every mean of context 1 to a value outside the scale."""
    for row in range(1, 13):
        put(folder / DATASET, row, sim1="11")
    (folder / "gold/gold_xx.tsv").unlink()
    return folder


def test_a_valid_dataset_has_a_short_report(dataset_folder):
    text = render_audit(audit_dataset(dataset_folder))

    assert text.splitlines()[0] == "cosimlex_xx.csv"
    assert "  p-value              12 of 12 possible, one-sided\n" in text
    assert "not read: annotators.tsv, distributions_xx.json, " in text
    assert text.endswith("\n0 errors, 0 warnings\n")


def test_findings_have_file_row_column_and_advice(dataset_folder):
    put(dataset_folder / DATASET, 3, sim1="11")
    (dataset_folder / "gold/gold_xx.tsv").unlink()

    text = render_audit(audit_dataset(dataset_folder, None, TEN))

    assert (
        "  error    cosimlex_xx.csv, row 3 (line 4), sim1: the mean 11 is impossible for 10 "
        "ratings on 0–6; correct it\n"
    ) in text
    assert text.endswith("1 error, 0 warnings\n")


def test_many_findings_are_cut_without_details(dataset_folder):
    audit = audit_dataset(corrupt(dataset_folder), None, TEN)

    short, long = render_audit(audit), render_audit(audit, with_details=True)

    assert short.count("the mean 11") == 10
    assert "  … and 2 more in cosimlex_xx.csv (--details shows all)\n" in short
    assert long.count("the mean 11") == 12
    assert "  row 1, context 1: no number of ratings\n" in long
    assert "  row 1, context 2: 10 ratings\n" in long
    assert "mean and deviation   possible in 12 of 24 contexts" in short


def test_a_file_that_mostly_fails_names_the_options(dataset_folder):
    for row in range(1, 13):
        put(dataset_folder / DATASET, row, sim1="11", sim2="11")

    assert "if this is wrong, set --most, --ratings, --scale" in render_audit(
        audit_dataset(dataset_folder)
    )


def test_tables_have_every_finding_and_every_context(dataset_folder):
    tables = render_tables(audit_dataset(corrupt(dataset_folder), None, TEN))

    findings = [line.split("\t") for line in tables["audit_findings.tsv"].decode().splitlines()]
    assert findings[0] == ["severity", "check", "file", "row", "column", "reason"]
    assert findings[1][:5] == ["error", "mean and deviation", DATASET, "1", "sim1"]
    assert len(findings) == 13
    contexts = [line.split("\t") for line in tables["audit_contexts.tsv"].decode().splitlines()]
    assert contexts[0] == ["file", "row", "context", "sim", "stdev", "fitting"]
    assert contexts[1][:4] == [DATASET, "1", "1", "11"]
    assert (contexts[1][5], contexts[2][5], len(contexts)) == ("", "10", 25)
