import pytest

from postprocess.release import ReleaseError
from postprocess.release.description.missing_text import (
    Unwritten,
    find_unwritten,
    mark,
    refuse_unwritten,
)


def test_find_unwritten_lists_each_placeholder_once():
    marked = mark("D4", "which board approved it")
    files = {
        "README.md": f"x {marked} y\n**{marked}**".encode(),
        "CITATION.cff": f"# {mark('license', 'the licence')}".encode(),
    }

    assert find_unwritten(files) == (
        Unwritten("CITATION.cff", "license", "the licence"),
        Unwritten("README.md", "D4", "which board approved it"),
    )


def test_find_unwritten_skips_data_and_texts():
    marked = mark("x", "y").encode()

    assert find_unwritten({"data/data_sl.tsv": marked, "texts/consent_1.md": marked}) == ()


def test_refuse_unwritten_lists_missing_texts():
    refuse_unwritten(())
    with pytest.raises(ReleaseError, match=r"1 text still to be .*\nREADME\.md, D4: who"):
        refuse_unwritten([Unwritten("README.md", "D4", "who")])


@pytest.mark.parametrize(("section", "what"), [("D1", "as [texts]"), ("D: 1", "x"), ("", "x")])
def test_mark_refuses_text_that_breaks_the_format(section, what):
    with pytest.raises(ValueError, match="a placeholder must have no brackets"):
        mark(section, what)
