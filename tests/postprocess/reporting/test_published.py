import re

import numpy as np
import pytest

from postprocess.formats.files import read_dataset
from postprocess.reporting.published import (
    NOTE,
    PUBLISHED,
    TITLE,
    escape_latex,
    render_table1,
    table1_rows,
)
from postprocess.statistics.change import false_discovery_rates
from postprocess.statistics.evaluation import table1_row, table1_text
from tests.factories.ratings import outcome_of, simulate_study

OWN = {
    "pairs": "24", "human": "–", "mean": "4.08", "sd": "–", "change": "1.75", "share_q": "17 %",
    "share_two_sided": "29 %", "share_one_sided": "29 %", "share_one_sided_10": "33 %",
}  # fmt: skip


def test_table1_rows_have_the_dataset_last():
    rows = table1_rows("fi", OWN)

    assert [row[0] for row in rows] == [*PUBLISHED, "this dataset (fi)"]
    english = ["340", "0.77", "5.56", "2.24", "2.16", "–", "–", "61\u00a0%", "65\u00a0%"]
    assert rows[0] == ["English", *english]
    shares = [f"{share}\u00a0%" for share in (17, 29, 29, 33)]
    assert rows[-1][1:] == ["24", "–", "4.08", "–", "1.75", *shares]


def test_the_published_rows_have_the_human_figures_of_the_paper():
    human = [row["human"] for row in PUBLISHED.values()]

    assert human == ["0.77", "0.76", "0.77", "0.81"]


@pytest.mark.parametrize(("code", "language"), [("sl", "Slovene"), ("fi", "Finnish")])
def test_the_other_published_figures_are_recomputed_from_the_files(published, code, language):
    scores = read_dataset((published / f"cosimlex_{code}.csv").read_bytes())
    two_sided = np.minimum(2 * scores["pvalue"].to_numpy(), 1)
    known = scores.assign(
        change=scores["sim2"] - scores["sim1"],
        pvalue_two_sided=two_sided,
        qvalue=false_discovery_rates(two_sided),
    )

    recomputed = table1_text(table1_row(known))

    assert {**recomputed, "human": PUBLISHED[language]["human"]} == PUBLISHED[language]


def test_the_table_names_the_sources_of_its_figures():
    latex = render_table1("fi", OWN)

    assert "recomputed from the published files" in TITLE
    assert r"human $\rho$ as printed there, all other figures recomputed" in latex
    assert "human ρ is the figure printed in the task paper; all other figures were" in NOTE


def test_render_table1_writes_a_row_a_language():
    text = render_table1("fi", OWN)
    rows = re.findall(r"^    (\S.*) \\\\$", text, re.MULTILINE)

    assert len(rows) == 6
    assert all(row.count("&") == 9 for row in rows)
    slovene = r"111 & 0.77 & 4.90 & 2.18 & 1.96 & 14\,\% & 35\,\% & 46\,\% & 59\,\%"
    assert rows[3] == f"Slovene & {slovene}"
    own = r"24 & -- & 4.08 & -- & 1.75 & 17\,\% & 29\,\% & 29\,\% & 33\,\%"
    assert rows[-1] == f"this dataset (fi) & {own}"
    assert text.count(r"\midrule") == 2
    assert r"\label{tab:scores-fi}" in text


def test_render_table1_has_the_figures_of_the_scores():
    figures = table1_text(table1_row(outcome_of(simulate_study()).scores))

    last = render_table1("xx", figures).splitlines()[-4]

    assert f"& -- & {figures['mean']} & {figures['sd']} & {figures['change']} &" in last


def test_render_table1_writes_a_scale_that_begins_below_0():
    assert "Scores on the scale from $-$3 to 3:" in render_table1("fi", OWN, low=-3, high=3)


def test_escape_latex_escapes_all_special_characters():
    assert escape_latex(r"\input{x} 5% $a_b^c$ #1 ~ & é") == (
        r"\textbackslash{}input\{x\} 5\% \$a\_b\textasciicircum{}c\$ \#1 "
        r"\textasciitilde{} \& é"
    )


COMMANDS = {
    "begin", "end", "centering", "caption", "label", "toprule", "midrule", "bottomrule", "mathrm",
    "textbackslash", "textasciitilde", "textasciicircum", "usepackage", "footnotesize",
    "setlength", "tabcolsep", "rho",
}  # fmt: skip


def find_latex_errors(text):
    """Return what would stop LaTeX or print wrongly in a table."""
    errors, open_groups, environments = [], 0, []
    text = "\n".join(line for line in text.splitlines() if not line.startswith("%"))
    errors += [f"\\{name}" for name in re.findall(r"\\([a-zA-Z]+)", text) if name not in COMMANDS]
    for kind, name in re.findall(r"\\(begin|end)\{(\w+)\}", text):
        if kind == "begin":
            environments.append(name)
        elif not environments or environments.pop() != name:
            errors.append(f"end of {name}")
    errors += environments
    bare = re.sub(r"\\[\\{}$&#%_^~,]|\\[a-zA-Z]+", "", text)  # without commands and escapes
    for sign in bare:
        open_groups += {"{": 1, "}": -1}.get(sign, 0)
        if open_groups < 0:
            errors.append("a brace too many")
    errors += ["an open brace"] * (open_groups > 0)
    errors += ["an odd $"] * (bare.count("$") % 2)
    errors += re.findall(r"[#%^_~\\]", re.sub(r"\$[^$]*\$", "", bare))
    errors += sorted({sign for sign in text if not (sign.isprintable() or sign == "\n")})
    columns = len(re.search(r"\\begin\{tabular\}\{(\w+)\}", text)[1])
    body = text.partition("\\begin{tabular}")[2].partition("\\end{tabular}")[0]
    rows = [row for row in body.split("\\\\")[:-1] if "&" in row]
    errors += [row for row in rows if len(re.findall(r"(?<!\\)&", row)) != columns - 1]
    return errors


@pytest.mark.parametrize("language", ["fi", "sr-Latn"])
def test_render_table1_is_valid_latex(language):
    assert find_latex_errors(render_table1(language, OWN)) == []
    odd = {**OWN, "mean": r"5 % of {a_b} & $\input^~#"}
    assert find_latex_errors(render_table1(language, odd)) == []


@pytest.mark.parametrize(
    ("part", "other", "error"),
    [
        (r"59\,\%", r"59\,%", "%"),
        (r"\end{tabular}", "", "end of table"),
        ("$p_1 < .1$", "$p_1 < .1", "an odd $"),
        (r"\centering", r"\centring", r"\centring"),
        ("& 340", "340", None),
        (r"\label{tab:", r"\label{tab:{", "an open brace"),
    ],
)
def test_find_latex_errors_finds_invalid_latex(part, other, error):
    errors = find_latex_errors(render_table1("fi", OWN).replace(part, other, 1))

    assert errors
    assert error is None or error in errors
