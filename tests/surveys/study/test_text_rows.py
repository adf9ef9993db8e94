"""Practice items and questions survive the way from TOML to rows of a form and back."""

import pytest

from postprocess.formats.toml import parse_toml
from surveys.errors import TextRefused
from surveys.models import TextKind
from surveys.study.design import published_designs
from surveys.study.text_rows import list_lost_comments, read_rows, write_rows
from surveys.study.texts import default_body

LANGUAGES = ("en", "hr", "sl", "fi", "ar", "fa")
KINDS = (TextKind.PRACTICE, TextKind.CHECK)
ODD = ('"', "'''", '"""', "\\", "a\nb", "  ", "# no", "word1 = 1", "<strong>", "\t", "\u2028", "č")


def stripped(value):
    if isinstance(value, dict):
        return {key: stripped(one) for key, one in value.items()}
    if isinstance(value, list):
        return [stripped(one) for one in value]
    return value.strip() if isinstance(value, str) else value


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("text_set", sorted({d.text_set for d in published_designs().values()}))
def test_default_texts_survive(language, kind, text_set):
    body = default_body(language, kind, text_set=text_set)

    written = write_rows(kind, read_rows(kind, body))

    assert stripped(parse_toml(written)) == stripped(parse_toml(body))
    assert list_lost_comments(kind, body) == []
    assert read_rows(kind, written) == read_rows(kind, body)


@pytest.mark.parametrize("odd", ODD)
def test_any_text_survives(odd):
    item = {"text": f"a{odd}b", "explanation": f"{odd}x\n\n{odd}y", "good1": odd + "1"}
    item |= {"good2": "b", "word1": "c", "word2": f"d{odd}e", "lowest": 0, "highest": 34}
    question = {"question": f"a{odd}b", "answer1": f"c{odd}", "answer2": f"{odd}d", "right": 2}
    question |= {"why": odd + "w"}
    for kind, row in ((TextKind.PRACTICE, item), (TextKind.CHECK, question)):
        for n in (1, 2):
            assert read_rows(kind, write_rows(kind, [row] * n)) == [stripped(row)] * n


def test_no_rows_are_no_text():
    assert write_rows(TextKind.CHECK, []) == ""
    assert read_rows(TextKind.CHECK, " \n") == []


@pytest.mark.parametrize(
    ("kind", "body"),
    [
        (TextKind.CHECK, "a = "),
        (TextKind.CHECK, "questions = 1"),
        (TextKind.CHECK, "title = 'x'\n[[questions]]\nquestion = 'a'"),
        (TextKind.CHECK, "[[questions]]\nquestion = 'a'\nanswers = ['b', 'c']\nhint = 'd'"),
        (TextKind.CHECK, "[[questions]]\nanswers = ['1', '2', '3', '4', '5', '6', '7']"),
        (TextKind.CHECK, "[[questions]]\nanswers = 'b'"),
        (TextKind.CHECK, "questions = [1]"),
        (TextKind.PRACTICE, "text = 'a'\nwords = ['b', 'c', 'd']"),
        (TextKind.PRACTICE, "text = 'a'\nnote = 'b'"),
        (TextKind.PRACTICE, "text = 'a'\nours = [1, 2, 3]"),
    ],
)
def test_a_text_that_a_form_cannot_show_is_refused(kind, body):
    with pytest.raises(TextRefused):
        read_rows(kind, body)


def test_comments_are_listed():
    body = "# ours\n" + default_body("en", TextKind.CHECK)

    assert list_lost_comments(TextKind.CHECK, body) == ["# ours"]
