import re
import shutil
import subprocess

import pytest

from postprocess.evaluation import table1_row, table1_text
from postprocess.reporting.published import PUBLISHED, escape_latex, render_table1, table1_rows
from tests.postprocess.simulated import outcome_of, simulate_study

OWN = {
    "pairs": "24", "mean": "4.08", "sd": "", "change": "1.75", "below_0.1": "33 %",
    "below_0.05": "29 %",
}  # fmt: skip


def test_table1_rows_have_the_dataset_under_the_published_languages():
    rows = table1_rows("fi", OWN)

    assert [row[0] for row in rows] == [*PUBLISHED, "this dataset (fi)"]
    assert rows[0] == ["English", "340", "5.56", "2.24", "2.16", "65\u00a0%", "61\u00a0%"]
    assert rows[-1][1:] == ["24", "4.08", "", "1.75", "33\u00a0%", "29\u00a0%"]


def test_render_table1_writes_a_row_a_language():
    text = render_table1("fi", OWN)
    rows = re.findall(r"^    (\S.*) \\\\$", text, re.MULTILINE)

    assert len(rows) == 6
    assert all(row.count("&") == 6 for row in rows)
    assert rows[3] == r"Slovene & 111 & 4.90 & 2.18 & 1.96 & 59\,\% & 46\,\%"
    assert rows[-1] == r"this dataset (fi) & 24 & 4.08 &  & 1.75 & 33\,\% & 29\,\%"
    assert text.count(r"\midrule") == 2
    assert r"\label{tab:scores-fi}" in text


def test_render_table1_has_the_figures_of_the_scores():
    figures = table1_text(table1_row(outcome_of(simulate_study()).scores))

    last = render_table1("xx", figures).splitlines()[-4]

    assert f"& {figures['mean']} & {figures['sd']} & {figures['change']} &" in last


def test_escape_latex_leaves_nothing_that_latex_reads():
    assert escape_latex(r"\input{x} 5% $a_b^c$ #1 ~ & é") == (
        r"\textbackslash{}input\{x\} 5\% \$a\_b\textasciicircum{}c\$ \#1 "
        r"\textasciitilde{} \& é"
    )


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="LaTeX is not on this machine")
def test_render_table1_is_taken_by_latex(tmp_path):
    document = (
        r"\documentclass{article}\usepackage{booktabs}\begin{document}"
        + render_table1("sr-Latn", OWN)
        + r"\end{document}"
    )
    (tmp_path / "table.tex").write_text(document, encoding="utf-8")

    done = subprocess.run(
        ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "table.tex"],
        cwd=tmp_path, check=False, capture_output=True,
    )  # fmt: skip

    assert done.returncode == 0, done.stdout[-2000:]
