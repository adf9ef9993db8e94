"""The corpora of a site, as an operator puts them into a folder."""

import gzip
from pathlib import Path

from surveys.contexts.search.requests import SearchRequest
from tests.preprocess.corpus import write
from tests.preprocess.windows.test_finding import story

PAIRS = [["ice", "sun"], ["sun", "lake"], ["ice", "fire"]]


def write_corpora(folder: Path) -> Path:
    """Write the corpora `tales.conllu`, with 20 stories, and `news`, with 10 more in two files."""
    (folder / "news").mkdir(parents=True)
    write(folder / "tales.conllu", (line for n in range(20) for line in tell(n)))
    write(folder / "news" / "a.conllu", (line for n in range(20, 25) for line in tell(n)))
    text = "".join(line for n in range(25, 30) for line in tell(n))
    (folder / "news" / "b.conllu.gz").write_bytes(gzip.compress(text.encode()))
    (folder / "news" / "notes.txt").write_text("Not a corpus.", encoding="utf-8")
    return folder


def tell(number: int) -> list[str]:
    return story(number, f"# newdoc id = d{number}", "# licence = CC0-1.0")


def wish(*corpora: str, **changed: object) -> SearchRequest:
    """Return what a search looks for in some corpora, with four candidates for each pair."""
    asked = {"corpora": list(corpora or ("tales.conllu",)), "pairs": PAIRS, "number": 4, **changed}
    return SearchRequest(**asked)
