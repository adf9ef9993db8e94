"""Table 1 of the task paper, with the published languages and a dataset."""

from collections.abc import Mapping

from postprocess.reporting.phrases import NONE, SPACE, write_points

PUBLISHED: dict[str, dict[str, str]] = {
    "English": {
        "pairs": "340", "human": "0.77", "mean": "5.56", "sd": "2.24", "change": "2.16",
        "share_q": NONE, "share_two_sided": NONE, "share_one_sided": "61 %",
        "share_one_sided_10": "65 %",
    },
    "Croatian": {
        "pairs": "112", "human": "0.76", "mean": "4.39", "sd": "2.23", "change": "2.32",
        "share_q": NONE, "share_two_sided": NONE, "share_one_sided": "54 %",
        "share_one_sided_10": "65 %",
    },
    "Slovene": {
        "pairs": "111", "human": "0.77", "mean": "4.90", "sd": "2.18", "change": "1.96",
        "share_q": "14 %", "share_two_sided": "35 %", "share_one_sided": "46 %",
        "share_one_sided_10": "59 %",
    },
    "Finnish": {
        "pairs": "24", "human": "0.81", "mean": "4.08", "sd": "2.17", "change": "1.75",
        "share_q": "17 %", "share_two_sided": "29 %", "share_one_sided": "29 %",
        "share_one_sided_10": "33 %",
    },
}  # fmt: skip
SIMLEX = {"pairs": "999", "human": "0.78", "mean": "4.56", "sd": "1.27"}  # as printed
HEADINGS = {
    "pairs": "pairs", "human": "human ρ", "mean": "mean", "sd": "SD", "change": "|change|",
    "share_q": "q < 0.05", "share_two_sided": "two-sided p < 0.05",
    "share_one_sided": "one-sided p < 0.05, as published",
    "share_one_sided_10": "one-sided p < 0.1, as published",
}  # fmt: skip
TITLE = "Table 1 of the task paper, recomputed from the published files, and this dataset"
NOTE = (
    "Published languages: human ρ is the figure printed in the task paper; all other figures were "
    "recomputed from the published files, with two-sided p-values of twice the published ones, and "
    "q from these. For English and Croatian q and two-sided p were not computed."
)

LATEX_HEADINGS = (
    "Language", "Pairs", r"Human $\rho$", "Mean", "SD", r"$|\mathrm{change}|$", "$q < .05$",
    "$p_2 < .05$", "$p_1 < .05$", "$p_1 < .1$",
)  # fmt: skip
LATEX_SPECIAL = {
    "\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "$": r"\$", "&": r"\&", "#": r"\#",
    "%": r"\%", "_": r"\_", "^": r"\textasciicircum{}", "~": r"\textasciitilde{}", NONE: "--",
    "−": "$-$", "†": r"$^\dagger$", "<": r"\textless{}", ">": r"\textgreater{}", "|": r"\textbar{}",
}  # fmt: skip
CAPTION = (
    "Scores on the scale from {low} to {high}: number of pairs, mean correlation of an annotator "
    "with the mean of the others, mean score, mean standard deviation, mean absolute change "
    "between the two contexts, and pairs whose change has a Benjamini--Hochberg $q$ and a "
    "two-sided $p_2$ below 0.05, and a one-sided $p_1$, as published, below 0.05 and 0.1. "
    "Published languages: Armendariz et al. (2020), SemEval-2020 Task 3; human $\\rho$ as printed "
    "there, all other figures recomputed from the published files."
)


def table1_rows(language: str, figures: Mapping[str, str]) -> list[list[str]]:
    """Return the rows of Table 1 as text, the dataset's last, with figures of `table1_text`."""
    return write_rows({**PUBLISHED, f"this dataset ({language})": figures})


def write_rows(rows: Mapping[str, Mapping[str, str]]) -> list[list[str]]:
    """Return rows of Table 1 as text, by title; a row may lack figures."""
    return [[name, *(_bind(row.get(key, NONE)) for key in HEADINGS)] for name, row in rows.items()]


def render_table1(
    language: str, figures: Mapping[str, str], *, low: float = 0, high: float = 10, note: str = ""
) -> str:
    """Return Table 1 in LaTeX, for the package booktabs.

    `low` and `high` are the ends of the dataset's published scale, `note` ends the caption.
    """
    *published, last = table1_rows(language, figures)
    ends = [escape_latex(write_points(end)) for end in (low, high)]
    caption = CAPTION.format(low=ends[0], high=ends[1]) + f" {escape_latex(note)}".rstrip()
    lines = [
        r"% Needs \usepackage{booktabs}.",
        r"\begin{table}",
        r"  \centering",
        r"  \footnotesize",
        r"  \setlength{\tabcolsep}{3pt}",
        rf"  \caption{{{caption}}}",
        rf"  \label{{tab:scores-{language}}}",
        rf"  \begin{{tabular}}{{l{'r' * len(HEADINGS)}}}",
        r"    \toprule",
        f"    {' & '.join(LATEX_HEADINGS)} \\\\",
        r"    \midrule",
        *(_latex_row(row) for row in published),
        r"    \midrule",
        _latex_row(last),
        r"    \bottomrule",
        r"  \end{tabular}",
        r"\end{table}",
    ]
    return "\n".join(lines) + "\n"


def escape_latex(text: str) -> str:
    r"""Escape text for LaTeX.

    >>> print(escape_latex("100 % of A&B_1"))
    100 \% of A\&B\_1
    """
    return "".join(LATEX_SPECIAL.get(character, character) for character in text)


def _latex_row(row: list[str]) -> str:
    cells = [escape_latex(cell).replace(SPACE, r"\,") for cell in row]
    return f"    {' & '.join(cells)} \\\\"


def _bind(cell: str) -> str:
    """Keep number and per cent sign on one line."""
    return cell.replace(" ", SPACE)
