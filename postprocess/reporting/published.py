"""Table 1 of the task paper: the published languages, and a dataset beside them."""

from collections.abc import Mapping

from postprocess.phrases import SPACE

PUBLISHED: dict[str, dict[str, str]] = {
    "English": {
        "pairs": "340", "mean": "5.56", "sd": "2.24", "change": "2.16",
        "below_0.1": "65 %", "below_0.05": "61 %",
    },
    "Croatian": {
        "pairs": "112", "mean": "4.39", "sd": "2.23", "change": "2.32",
        "below_0.1": "65 %", "below_0.05": "54 %",
    },
    "Slovene": {
        "pairs": "111", "mean": "4.90", "sd": "2.18", "change": "1.96",
        "below_0.1": "59 %", "below_0.05": "46 %",
    },
    "Finnish": {
        "pairs": "24", "mean": "4.08", "sd": "2.17", "change": "1.75",
        "below_0.1": "33 %", "below_0.05": "29 %",
    },
}  # fmt: skip
FIGURES = ("pairs", "mean", "sd", "change", "below_0.1", "below_0.05")
HEADINGS = ("language", "pairs", "mean", "SD", "|change|", "p < 0.1", "p < 0.05")

LATEX_HEADINGS = (
    "Language", "Pairs", "Mean", "SD", r"$|\mathrm{change}|$", "$p < 0.1$", "$p < 0.05$"
)  # fmt: skip
LATEX_SPECIAL = {
    "\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "$": r"\$", "&": r"\&", "#": r"\#",
    "%": r"\%", "_": r"\_", "^": r"\textasciicircum{}", "~": r"\textasciitilde{}",
}  # fmt: skip
CAPTION = (
    "Scores on the scale from {low} to {high}: number of pairs, mean score, mean standard "
    "deviation, mean absolute change between the two contexts, and pairs whose change has a "
    "$p$-value below 0.1 and 0.05. Published languages: Armendariz et al. (2020), "
    "SemEval-2020 Task 3."
)


def table1_rows(language: str, figures: Mapping[str, str]) -> list[list[str]]:
    """The rows of Table 1 as text, the dataset's last.

    Parameters
    ----------
    language : str
        Code of the dataset's language.
    figures : mapping
        The dataset's, as `table1_text` returns them.
    """
    own = f"this dataset ({language})"
    rows = {**PUBLISHED, own: figures}
    return [[name, *(_bind(row[figure]) for figure in FIGURES)] for name, row in rows.items()]


def render_table1(
    language: str, figures: Mapping[str, str], *, low: float = 0, high: float = 10
) -> str:
    """Table 1 in LaTeX, with rules of the package booktabs.

    `low` and `high` are the ends of the dataset's published scale.
    """
    *published, own = table1_rows(language, figures)
    lines = [
        r"% Needs \usepackage{booktabs}.",
        r"\begin{table}",
        r"  \centering",
        rf"  \caption{{{CAPTION.format(low=f'{low:g}', high=f'{high:g}')}}}",
        rf"  \label{{tab:scores-{language}}}",
        r"  \begin{tabular}{lrrrrrr}",
        r"    \toprule",
        f"    {' & '.join(LATEX_HEADINGS)} \\\\",
        r"    \midrule",
        *(_latex_row(row) for row in published),
        r"    \midrule",
        _latex_row(own),
        r"    \bottomrule",
        r"  \end{tabular}",
        r"\end{table}",
    ]
    return "\n".join(lines) + "\n"


def escape_latex(text: str) -> str:
    r"""Text as LaTeX prints it, whatever is in it.

    >>> print(escape_latex("100 % of A&B_1"))
    100 \% of A\&B\_1
    """
    return "".join(LATEX_SPECIAL.get(character, character) for character in text)


def _latex_row(row: list[str]) -> str:
    cells = [escape_latex(cell).replace(SPACE, r"\,") for cell in row]
    return f"    {' & '.join(cells)} \\\\"


def _bind(cell: str) -> str:
    """Number and per cent sign on one line."""
    return cell.replace(" ", SPACE)
