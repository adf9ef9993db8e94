import re

import pytest

from postprocess.references import COSIMLEX, TASK_PAPER, Paper, write_authors
from tests.machine import ROOT

TEXTS = sorted({*ROOT.glob("*.md"), *ROOT.glob("docs/*.md"), *ROOT.glob("demo/*.md")})
SOURCES = sorted(
    path
    for folder in ("postprocess", "surveys", "templates")
    for path in (ROOT / folder).rglob("*")
    if path.suffix in {".py", ".html", ".jinja", ".toml", ".md"}
)


def authors_cited(text: str, paper: Paper) -> list[list[str]]:
    """Return the family names in each list item with the paper's title, in any style."""
    items = re.split(r"^[-*] |\n\n", text, flags=re.MULTILINE)
    cited = []
    for item in (" ".join(item.split()) for item in items):
        authors, has_title, _ = item.lower().partition(f" ({paper.year}). {paper.title.lower()}")
        if has_title:
            names = re.split(r", | and ", re.sub(r"\b[a-z]\.(?: |(?=,|$))", "", authors))
            cited.append([name.strip() for name in names if name.strip()])
    return cited


@pytest.mark.parametrize("paper", [COSIMLEX, TASK_PAPER], ids=["CoSimLex", "task paper"])
def test_documents_cite_the_paper_with_the_same_authors(paper):
    cited = [one for path in TEXTS for one in authors_cited(path.read_text(), paper)]

    assert cited
    assert cited == [[author.family_names.lower() for author in paper.authors]] * len(cited)


def test_authors_are_defined_once():
    named = [path.name for path in SOURCES if "Ljubešić" in path.read_text(encoding="utf-8")]

    assert named == ["references.py"]


@pytest.mark.parametrize(
    ("item", "found"),
    [
        ("- A. B. Santos and C. Robnik-Šikonja (2020). T: a\n  b. *X*.", "santos robnik-šikonja"),
        ("- Santos, A. B., Robnik-Šikonja, C., Li, D. (2020). T: A b.", "santos robnik-šikonja li"),
    ],
)
def test_authors_cited_reads_both_styles(item, found):
    paper = Paper((), 2020, "T: A B", "")

    assert authors_cited(f"# References\n\n{item}\n- Other (2020). T.\n", paper) == [found.split()]


def test_write_authors_has_all_of_them():
    assert write_authors(TASK_PAPER) == (
        "Armendariz, C. S., Purver, M., Pollak, S., Ljubešić, N., Ulčar, M., Vulić, I. and "
        "Pilehvar, M. T."
    )
