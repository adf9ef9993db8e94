"""Texts that annotators read: versions, defaults, validation."""

from decimal import Decimal

import pytest

from postprocess.formats.marks import MarkedContext, Span
from surveys.errors import TextRefused
from surveys.models import Study, StudyText, TextKind
from surveys.study.design import configure_study
from surveys.study.exercises import CheckQuestion, PracticeItem, read_check, read_practice
from surveys.study.texts import (
    DEFAULTS,
    FILES,
    LONGEST_TEXT,
    check_text,
    current_text,
    current_texts,
    default_body,
    default_text,
    has_default_texts,
    set_text,
)
from surveys.web.rendering.markdown import render_markdown
from surveys.web.rendering.study_page import render_text
from tests.factories.studies import make_study

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


# Versions


@pytest.mark.django_db
@pytest.mark.parametrize("kind", TextKind)
def test_current_text_is_at_first_the_default_of_the_language(kind):
    study = make_study(1, language="sl")

    text, again = current_text(study, kind), current_text(study, kind)

    assert text == again
    assert (text.version, text.body) == (1, default_body("sl", kind))


@pytest.mark.every_database
@pytest.mark.django_db
def test_current_texts_stores_the_missing_defaults_at_once(django_assert_num_queries):
    study = make_study(1)
    own = set_text(study, TextKind.INSTRUCTIONS, "Our own.")
    kinds = (TextKind.INSTRUCTIONS, TextKind.PRACTICE, TextKind.CHECK)

    texts = current_texts(study, kinds)

    assert texts == {kind: current_text(study, kind) for kind in kinds}
    assert texts[TextKind.INSTRUCTIONS].pk == own.pk
    with django_assert_num_queries(1):
        assert current_texts(study, kinds) == texts


@pytest.mark.every_database
@pytest.mark.django_db
def test_set_text_adds_a_version_and_keeps_the_one_before():
    study = make_study(1)

    set_text(study, TextKind.CONSENT, "\r\nOur own.\r\nTwo lines.\n")

    assert current_text(study, TextKind.CONSENT).body == "Our own.\nTwo lines."
    versions = StudyText.objects.filter(kind=TextKind.CONSENT).values_list("version", "body")
    assert list(versions) == [
        (2, "Our own.\nTwo lines."), (1, default_body("en", TextKind.CONSENT)),
    ]  # fmt: skip


@pytest.mark.django_db
def test_set_text_to_the_same_text_adds_nothing():
    study = make_study(1)
    text = set_text(study, TextKind.CONSENT, "Our own.")
    revision = Study.objects.get().revision

    assert set_text(study, TextKind.CONSENT, " Our own.\r\n") == text

    assert StudyText.objects.filter(kind=TextKind.CONSENT).count() == 2
    assert Study.objects.get().revision == revision


@pytest.mark.django_db
def test_set_text_gives_the_study_a_new_revision():
    study = make_study(1)

    set_text(study, TextKind.INSTRUCTIONS, "Read and rate.")

    assert Study.objects.get().revision != study.revision


@pytest.mark.django_db
def test_set_text_touches_no_other_kind_and_no_other_study():
    study, other = make_study(1), make_study(1, slug="other")

    set_text(study, TextKind.CONSENT, "Our own.")

    assert current_text(study, TextKind.INSTRUCTIONS).version == 1
    assert current_text(other, TextKind.CONSENT).version == 1


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("kind", "body"),
    [(TextKind.CONSENT, " \n"), (TextKind.PRACTICE, "text ="), (TextKind.CHECK, "right = 1")],
)
def test_set_text_that_is_refused_changes_nothing(kind, body):
    study = make_study(1)

    with pytest.raises(TextRefused):
        set_text(study, kind, body)

    assert not StudyText.objects.exists()
    assert Study.objects.get().revision == study.revision


@pytest.mark.django_db
@pytest.mark.parametrize("kind", [TextKind.PRACTICE, TextKind.CHECK])
def test_set_text_removes_practice_and_check(kind):
    study = make_study(1)

    set_text(study, kind, "")

    assert (current_text(study, kind).version, current_text(study, kind).body) == (2, "")


# Defaults


@pytest.mark.parametrize("language", ["en", "hr", "sl", "fi", "ar", "fa"])
@pytest.mark.parametrize("kind", TextKind)
def test_every_default_text_is_valid(language, kind):
    body = default_body(language, kind)

    check_text(kind, body)

    assert body.strip()


@pytest.mark.parametrize("language", ["en", "hr", "sl", "fi", "ar", "fa"])
def test_default_practice_items_mark_whole_words_and_show_both_ends(language):
    items = read_practice(default_body(language, TextKind.PRACTICE))

    assert sorted(item.readers for item in items) == [(0, 34), (66, 100)]
    for item in items:
        for form in (item.form1, item.form2):
            assert form.strip() == form != ""
        assert "<" not in item.marked.text
        assert item.parts[1::2] == [(item.form1, True), (item.form2, True)]
        assert item.has_dictionary_forms


@pytest.mark.parametrize("language", ["hr", "sl", "fi", "ar", "fa"])
def test_default_check_asks_as_the_english_one_does(language):
    english = read_check(default_body("en", TextKind.CHECK))

    translated = read_check(default_body(language, TextKind.CHECK))

    assert [len(question.answers) for question in translated] == [
        len(question.answers) for question in english
    ]


def test_every_shipped_text_belongs_to_a_kind():
    shipped = {path.relative_to(DEFAULTS) for path in DEFAULTS.rglob("*") if path.is_file()}

    assert {path.name for path in shipped} == set(FILES.values())
    assert len(shipped) == 6 * len(FILES) + 1  # the neutral consent text


@pytest.mark.parametrize(
    ("language", "kind", "like"),
    [
        ("hr-HR", TextKind.CONSENT, "hr"),
        ("fa", TextKind.CONSENT, "fa"),
        ("ar-EG", TextKind.CHECK, "ar"),
        ("pt", TextKind.CONSENT, "other"),
        ("pt-BR", TextKind.INSTRUCTIONS, "en"),
        ("en-GB", TextKind.PRACTICE, "en"),
    ],
)
def test_default_body_is_that_of_the_language_or_english(language, kind, like):
    assert default_body(language, kind) == (DEFAULTS / like / FILES[kind]).read_text("utf-8")


@pytest.mark.parametrize("kind", [TextKind.PRACTICE, TextKind.CHECK])
def test_default_body_with_examples_is_empty_in_a_language_without_any(kind):
    assert default_body("pt", kind) == ""


@pytest.mark.parametrize("language", ["pt", "de", "zh"])
def test_the_fallback_consent_does_not_ask_for_readers_of_english(language):
    body, written_in = default_text(language, TextKind.CONSENT)

    assert written_in == "en"
    assert "read the language of the texts with ease" in body
    assert "English" not in body


def test_no_default_consent_repeats_the_consent_notice():
    """What is stored depends on the channel, so a default text cannot state it."""
    said = {
        language: default_body(language, TextKind.CONSENT) for language in ("en", "hr", "sl", "fi")
    }

    assert "random code" not in said["en"]
    for language, code in (("hr", "šifrom"), ("sl", "kodo"), ("fi", "koodilla")):
        assert code not in said[language]


@pytest.mark.django_db
def test_a_text_in_another_language_states_its_language():
    study = make_study(1, language="pt")
    assert current_text(study, TextKind.CONSENT).language == "en"

    own = set_text(study, TextKind.CONSENT, "Em português.")
    back = set_text(study, TextKind.CONSENT, default_body("pt", TextKind.CONSENT))

    assert (own.language, back.language) == ("", "en")
    assert render_text(study, own).language == "pt"
    assert render_text(study, back).language == "en"


@pytest.mark.django_db
def test_defaults_follow_the_language_of_a_draft_and_own_texts_stay():
    study = make_study(1, language="pt")
    Study.objects.update(opened_at=None)
    for kind in TextKind:
        current_text(study, kind)
    set_text(study, TextKind.INSTRUCTIONS, "Our own.")

    study = configure_study(study, language="fa")

    now = {kind: current_text(study, kind) for kind in TextKind}
    assert now[TextKind.INSTRUCTIONS].body == "Our own."
    for kind in (TextKind.CONSENT, TextKind.PRACTICE, TextKind.CHECK):
        assert (now[kind].body, now[kind].language) == default_text("fa", kind)


def test_has_default_texts_by_language():
    known = {language: has_default_texts(language) for language in ("sl", "sl-SI", "fa", "pt", "e")}

    assert known == {"sl": True, "sl-SI": True, "fa": True, "pt": False, "e": False}


# Reading and refusals


def test_read_practice_finds_the_two_words():
    assert read_practice(PRACTICE) == (
        PracticeItem(
            marked=MarkedContext("A cat sat by a dog.", Span(2, 5), Span(15, 18)),
            word1="cat",
            word2="dog",
            has_dictionary_forms=False,
            words=("fur", "home"),
            explanation="Both are pets.",
        ),
    )


def test_read_practice_takes_several_items_with_the_usual_ratings():
    low, high = (f"[[items]]\n{PRACTICE}\nreaders = {part}\n" for part in ([0, 34], [66, 100]))

    first, second = read_practice(low + high)

    points = [Decimal(n) for n in range(7)]
    assert (first.find_usual(points), second.find_usual(points)) == (points[:3], points[4:])
    assert read_practice(PRACTICE)[0].find_usual(points) == []


@pytest.mark.parametrize("readers", ["3", "[0]", "[34, 0]", "[0, 101]", "[0.5, 1]", '["0", "1"]'])
def test_read_practice_refuses_invalid_usual_ratings(readers):
    with pytest.raises(TextRefused, match="readers must be two percentages"):
        read_practice(f"{PRACTICE}\nreaders = {readers}\n")


@pytest.mark.parametrize("items", ["items = []", "items = 3", "items = [3]"])
def test_read_practice_refuses_malformed_items(items):
    with pytest.raises(TextRefused, match=r"write each item as an \[\[items\]\] table"):
        read_practice(items)


def test_read_practice_takes_dictionary_forms():
    (practice,) = read_practice(f'{PRACTICE}\nword1 = " felis "\nword2 = "canis"')

    assert (practice.word1, practice.word2) == ("felis", "canis")
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
