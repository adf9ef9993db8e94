import pytest

from postprocess.release.errors import ReleaseError
from postprocess.release.unwritten import Unwritten, find_unwritten, mark, refuse_unwritten


def test_every_mark_is_found_once():
    marked = mark("D4", "which board approved it")
    files = {
        "README.md": f"x {marked} y\n**{marked}**".encode(),
        "CITATION.cff": f"# {mark('license', 'the licence')}".encode(),
    }

    assert find_unwritten(files) == (
        Unwritten("CITATION.cff", "license", "the licence"),
        Unwritten("README.md", "D4", "which board approved it"),
    )


def test_texts_of_others_are_not_searched():
    marked = mark("x", "y").encode()

    assert find_unwritten({"data/data_sl.tsv": marked, "texts/consent_1.md": marked}) == ()


def test_refuse_unwritten_names_everything():
    refuse_unwritten(())
    with pytest.raises(ReleaseError, match=r"1 texts are still .*\nREADME\.md, D4: who"):
        refuse_unwritten([Unwritten("README.md", "D4", "who")])


@pytest.mark.parametrize(("section", "what"), [("D1", "as [texts]"), ("D: 1", "x"), ("", "x")])
def test_mark_refuses_what_would_not_be_found_again(section, what):
    with pytest.raises(ValueError, match="a mark must have no brackets"):
        mark(section, what)
