"""Practice and check as they are read from the text of a study, and texts as pages."""

from decimal import Decimal

import pytest

from postprocess.designs.kinds import Item
from postprocess.formats.marks import MarkedContext, Span
from surveys.errors import TextRefused
from surveys.models import TextKind
from surveys.study.exercises import CheckQuestion, PracticeItem, read_check, read_practice
from surveys.study.texts import (
    LONGEST_TEXT,
    check_text,
)
from surveys.web.rendering.markdown import render_markdown

PRACTICE = """
text = "A <strong>cat</strong> sat by a <strong>dog</strong>."
words = ["fur", "home"]
explanation = "Both are pets."
"""
CHECK = """
[[questions]]
question = "Which?"
answers = ["This", "That"]
right = 2
why = "That is it."
"""


def test_read_practice_finds_the_two_words():
    assert read_practice(PRACTICE) == (
        PracticeItem(
            Item("cat", "dog", (MarkedContext("A cat sat by a dog.", Span(2, 5), Span(15, 18)),)),
            explanation="Both are pets.",
            words=("fur", "home"),
            has_dictionary_forms=False,
        ),
    )


def test_read_practice_takes_several_items_with_the_authors_ratings():
    low, high = (f"[[items]]\n{PRACTICE}\nours = {part}\n" for part in ([0, 34], [66, 100]))

    first, second = read_practice(low + high)

    points = [Decimal(n) for n in range(7)]
    assert (first.find_ours(points), second.find_ours(points)) == (points[:3], points[4:])
    assert read_practice(PRACTICE)[0].find_ours(points) == []


@pytest.mark.parametrize("ours", ["3", "[0]", "[34, 0]", "[0, 101]", "[0.5, 1]", '["0", "1"]'])
def test_read_practice_refuses_an_invalid_part_of_the_scale(ours):
    with pytest.raises(TextRefused, match="ours must be two percentages"):
        read_practice(f"{PRACTICE}\nours = {ours}\n")


def test_read_practice_names_the_key_to_rename():
    with pytest.raises(TextRefused, match="rename readers to ours"):
        read_practice(f"{PRACTICE}\nreaders = [0, 34]\n")


@pytest.mark.parametrize("items", ["items = []", "items = 3", "items = [3]"])
def test_read_practice_refuses_malformed_items(items):
    with pytest.raises(TextRefused, match=r"write each item as an \[\[items\]\] table"):
        read_practice(items)


def test_read_practice_takes_dictionary_forms():
    (practice,) = read_practice(f'{PRACTICE}\nword1 = " felis "\nword2 = "canis"')

    assert practice.item[:2] == ("felis", "canis")
    assert practice.has_dictionary_forms


@pytest.mark.parametrize(
    ("forms", "said"),
    [
        ('word1 = "felis"', 'practice: word2 is missing; write word2 = "…"'),
        ('word2 = "canis"', "practice: word1 is missing"),
        ('word1 = ""\nword2 = "canis"', "practice: word1 is missing"),
        ('word1 = "canis"\nword2 = "canis"', 'practice: both words are "canis"'),
    ],
)
def test_check_text_refuses_incomplete_dictionary_forms(forms, said):
    with pytest.raises(TextRefused, match=said):
        check_text(TextKind.PRACTICE, f"{PRACTICE}\n{forms}")


def test_read_check_counts_the_right_answer_from_one():
    assert read_check(CHECK) == (
        CheckQuestion(question="Which?", answers=("This", "That"), right=1, why="That is it."),
    )


def test_empty_texts_have_no_practice_and_no_check():
    assert (read_practice(""), read_check("")) == ((), ())


@pytest.mark.parametrize("kind", [TextKind.CONSENT, TextKind.INSTRUCTIONS])
def test_check_text_refuses_an_empty_text(kind):
    with pytest.raises(TextRefused, match=f"text for {kind} is empty. Only practice and check"):
        check_text(kind, "")


@pytest.mark.parametrize("kind", TextKind)
@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("x" * (LONGEST_TEXT + 1), "longer than 20000 characters"),
        ("a\0b", "holds a null character"),
    ],
    ids=["long", "null"],
)
def test_check_text_refuses_unstorable_text(kind, body, said):
    with pytest.raises(TextRefused, match=f"The text for {kind}.*{said}"):
        check_text(kind, body)


def test_check_text_takes_the_longest_text():
    check_text(TextKind.CONSENT, "x" * LONGEST_TEXT)


@pytest.mark.parametrize(
    ("part", "instead", "said"),
    [
        ("text = ", "text ", "practice: this is not TOML: .*line 2"),
        ("text = ", "txt = ", 'practice: text is missing; write text = "…"'),
        ('"Both are pets."', '" "', "practice: explanation is missing"),
        ('"Both are pets."', "3", "practice: explanation is missing"),
        ('["fur", "home"]', '"fur"', "practice: words must be a list of texts"),
        ('["fur", "home"]', '["fur", 3]', "practice: words must be a list of texts"),
        ('["fur", "home"]', '["fur", ""]', "practice: words must be a list of texts"),
        ('["fur", "home"]', '["fur"]', "practice: words must be two example words, got 1"),
        ('"fur",', '"fur", "paw",', "practice: words must be two example words, got 3"),
        ("<strong>cat</strong>", "cat", "must be in <strong>…</strong>, got 1"),
        (" sat ", " <strong>sat</strong> ", "must be in <strong>…</strong>, got 3"),
        ("<strong>cat</strong>", "<strong>cat", "must be in <strong>…</strong>"),
        ("<strong>cat</strong>", "<strong></strong>", "must be in <strong>…</strong>"),
        ("<strong>cat</strong>", "<strong> </strong>", "must be in <strong>…</strong>"),
    ],
)
def test_read_practice_refuses_with_advice(part, instead, said):
    assert part in PRACTICE

    with pytest.raises(TextRefused, match=said):
        read_practice(PRACTICE.replace(part, instead))


@pytest.mark.parametrize(
    ("part", "instead", "said"),
    [
        ("right = 2", "right = ", "check: this is not TOML: .*line 5"),
        ("[[questions]]", "[[question]]", r"check: there must be one \[\[questions\]\] table"),
        ("[[questions]]", "questions = []\n[more]", r"check: there must be one \[\[questions\]\]"),
        ("[[questions]]", "[questions]", r"check: there must be one \[\[questions\]\] table"),
        ("[[questions]]", "questions = [1]\n[x]", r"question 1: write it as a \[\[questions\]\]"),
        ('"Which?"', '""', "check, question 1: question is missing"),
        ("why = ", "whie = ", 'check, question 1: why is missing; write why = "…"'),
        ('["This", "That"]', '"This"', "check, question 1: answers must be a list of texts"),
        ('["This", "That"]', '["This"]', "question 1: answers must be two or more, got 1"),
        ("right = 2", "right = 3", "question 1: right must be from 1 to 2, got 3"),
        ("right = 2", "right = 0", "question 1: right must be from 1 to 2, got 0"),
        ("right = 2", 'right = "2"', "question 1: right must be from 1 to 2, got '2'"),
        ("right = 2", "right = true", "question 1: right must be from 1 to 2"),
        ("right = 2", "", "question 1: right must be from 1 to 2, got None"),
    ],
)
def test_read_check_refuses_with_advice(part, instead, said):
    assert part in CHECK

    with pytest.raises(TextRefused, match=said):
        read_check(CHECK.replace(part, instead))


def test_read_check_names_the_question_that_is_wrong():
    with pytest.raises(TextRefused, match="check, question 2: answers"):
        read_check(CHECK + CHECK.replace('"This", ', ""))


# As pages


def test_markdown_becomes_its_elements():
    assert render_markdown("# Hi\n\nA **b** [c](https://example.org).") == (
        "<h1>Hi</h1>\n"
        '<p>A <strong>b</strong> <a href="https://example.org">c</a>.</p>\n'
    )  # fmt: skip


@pytest.mark.parametrize(
    "text",
    [
        "<script>alert(1)</script>",
        "<div onclick='x'>\n\nhi\n\n</div>",
        "a <b onmouseover=x>c</b>",
        "<!-- note -->",
        "`<img src=x>`",
        "[<i>](https://example.org)",
        "# <svg/onload=x>",
        '[a](https://example.org "\\"><script>")',
    ],
)
def test_html_in_a_text_is_shown_as_it_was_typed(text):
    rendered = render_markdown(text)

    assert "&lt;" in rendered
    for tag in ("<script", "<div", "<b ", "<!--", "<img", "<i>", "<svg"):
        assert tag not in rendered


@pytest.mark.parametrize(
    "text", ["![](https://example.org/x.png)", "![a][b]\n\n[b]: https://example.org/x.png"]
)
def test_images_are_not_rendered(text):
    assert "<img" not in render_markdown(text)


@pytest.mark.parametrize(
    "address",
    [
        "javascript:alert(1)", "JavaScript:alert(1)", "&#106;avascript:alert(1)", "vbscript:x",
        "data:text/html,x", "file:///etc/passwd", "<javascript:alert(1)>",
    ],
)  # fmt: skip
@pytest.mark.parametrize("link", ["[a]({})", "[a][b]\n\n[b]: {}", "<{}>"])
def test_a_script_link_is_not_rendered(address, link):
    assert "<a" not in render_markdown(link.format(address))


@pytest.mark.parametrize("body", ["x = " + "[" * 5000, "x = " + "1" * 5000])
def test_check_text_refuses_malicious_toml(body):
    with pytest.raises(TextRefused, match="this is not TOML"):
        check_text(TextKind.CHECK, body)
