"""Texts that annotators read: versions, defaults, validation."""

import re

import pytest

from surveys.errors import StudyOpen, TextRefused
from surveys.models import Study, StudyText, TextKind, Variant
from surveys.study.design import configure_study
from surveys.study.exercises import read_check, read_practice
from surveys.study.texts import (
    DEFAULTS,
    FILES,
    IN_TWO,
    check_text,
    current_text,
    current_texts,
    default_body,
    default_text,
    has_default_texts,
    set_text,
)
from surveys.web.rendering.study_page import render_text
from tests.factories.studies import make_study

LANGUAGES = ("en", "hr", "sl", "fi", "ar", "fa")
QUOTED = re.compile("[“„»«”]([^“„»«”\\n]+)[”«»]")
MOST = (
    "ost readers", "ećina čitatelja", "ečina bralcev", "seimmat lukijat", "معظم القرّاء",
    "بیشتر خوانندگان",
)  # fmt: skip

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


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("variant", Variant)
@pytest.mark.parametrize("kind", TextKind)
def test_every_default_text_is_valid(language, variant, kind):
    body = default_body(language, kind, variant)

    check_text(kind, body)

    assert body.strip()


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("variant", Variant)
def test_default_practice_items_mark_whole_words_and_show_both_ends(language, variant):
    items = read_practice(default_body(language, TextKind.PRACTICE, variant))

    if variant == Variant.PLAIN:  # in the same order in each language
        assert [item.ours for item in items] == [(0, 20), (80, 100)]
    else:
        assert sorted(item.ours for item in items) == [(0, 34), (66, 100)]
    for item in items:
        (text,) = item.item.texts
        for form in (text.form1, text.form2):
            assert form.strip() == form != ""
        assert "<" not in text.text
        assert text.parts[1::2] == [(text.form1, True), (text.form2, True)]
        assert item.has_dictionary_forms


@pytest.mark.parametrize("language", LANGUAGES)
def test_plain_explanations_have_about_forty_words(language):
    items = read_practice(default_body(language, TextKind.PRACTICE))

    assert max(len(item.explanation.split()) for item in items) <= 45


@pytest.mark.parametrize("language", LANGUAGES)
def test_plain_texts_show_no_word_in_two_pairs(language):
    """A pair whose similarity changes would have to be shown twice."""
    items = read_practice(default_body(language, TextKind.PRACTICE))
    quoted = QUOTED.findall(default_body(language, TextKind.INSTRUCTIONS))
    asked = QUOTED.findall(default_body(language, TextKind.CHECK))

    pairs = [*zip(quoted[::2], quoted[1::2], strict=True), *(i.item[:2] for i in items)]

    words = [word for pair in pairs for word in pair]
    assert len(words) == len(set(words)) == 10  # needle and thread, both ends, two texts
    assert asked == quoted[:2]  # as the instructions call them


@pytest.mark.parametrize("language", LANGUAGES)
def test_plain_check_has_the_same_right_answers_in_each_language(language):
    questions = read_check(default_body(language, TextKind.CHECK))

    assert [(len(question.answers), question.right) for question in questions] == [
        (3, 1), (3, 2), (3, 0),
    ]  # fmt: skip


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("variant", Variant)
@pytest.mark.parametrize("kind", TextKind)
def test_no_default_text_says_what_most_readers_do(language, variant, kind):
    body = default_body(language, kind, variant)

    assert [words for words in MOST if words in body] == []


def test_every_shipped_text_belongs_to_a_kind():
    shipped = {path.relative_to(DEFAULTS) for path in DEFAULTS.rglob("*") if path.is_file()}

    assert {path.name for path in shipped} == {*FILES.values(), IN_TWO}
    consents = 6 * 2 + 3  # about words alone in each language; neutral ones
    assert len(shipped) == 6 * (len(FILES) + 1 + 3 + 5 * 2) + consents  # trained ones, sets


@pytest.mark.parametrize(
    ("language", "kind", "like"),
    [
        ("hr-HR", TextKind.CONSENT, "hr"),
        ("fa", TextKind.CONSENT, "fa"),
        ("ar-EG", TextKind.CHECK, "ar/plain"),
        ("pt", TextKind.CONSENT, "other"),
        ("pt-BR", TextKind.INSTRUCTIONS, "en/plain"),
        ("en-GB", TextKind.PRACTICE, "en/plain"),
    ],
)
def test_default_body_is_that_of_the_language_or_english(language, kind, like):
    assert default_body(language, kind) == (DEFAULTS / like / FILES[kind]).read_text("utf-8")


@pytest.mark.parametrize("kind", [TextKind.PRACTICE, TextKind.CHECK])
def test_default_body_with_examples_is_empty_in_a_language_without_any(kind):
    assert default_body("pt", kind) == ""


@pytest.mark.parametrize("language", ["pt", "de", "zh"])
def test_the_fallback_consent_does_not_ask_for_readers_of_english(language):
    body, _, written_in = default_text(language, TextKind.CONSENT)

    assert written_in == "en"
    assert "read the language of the texts with ease" in body
    assert "English" not in body


@pytest.mark.parametrize(
    ("language", "repeated"),
    [
        ("en", ("random code", "published")),
        ("hr", ("šifrom", "objav")),
        ("sl", ("kodo", "objav")),
        ("fi", ("koodilla", "julkais")),
        ("ar", ("رمز", "تُنشر")),
        ("fa", ("کد", "منتشر")),
        ("pt", ("random code", "published")),
    ],
)
def test_no_default_consent_repeats_the_consent_notice(language, repeated):
    """What is stored depends on the channel, so a default text cannot state it."""
    said = default_body(language, TextKind.CONSENT)

    assert [words for words in repeated if words in said] == []


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
        assert (now[kind].body, now[kind].variant, now[kind].language) == default_text("fa", kind)


@pytest.mark.every_database
@pytest.mark.django_db
def test_defaults_follow_the_variant_of_a_draft_and_own_texts_stay():
    study = make_study(1)
    Study.objects.update(opened_at=None)
    consent, *_ = current_texts(study, list(TextKind)).values()
    set_text(study, TextKind.CHECK, "")

    study = configure_study(study, variant="trained")

    now = current_texts(study, list(TextKind))
    assert now[TextKind.CONSENT] == consent  # the same in both variants
    for kind in (TextKind.INSTRUCTIONS, TextKind.PRACTICE):
        assert (now[kind].version, now[kind].variant) == (2, "trained")
        assert now[kind].body == default_body("en", kind, "trained") != default_body("en", kind)
    assert (now[TextKind.CHECK].body, now[TextKind.CHECK].variant) == ("", "own")


@pytest.mark.django_db
@pytest.mark.parametrize("variant", Variant)
def test_set_text_names_the_variant_of_a_text(variant):
    study = make_study(1, language="fi")

    own = set_text(study, TextKind.INSTRUCTIONS, "Oma.")
    default = set_text(study, own.kind, default_body("fi", own.kind, variant))

    assert (own.variant, default.variant) == ("own", variant)


@pytest.mark.django_db
def test_the_variant_of_an_open_study_stays():
    study = make_study(1)

    with pytest.raises(StudyOpen):
        configure_study(study, variant="trained")

    assert Study.objects.get().variant == "plain"


def test_has_default_texts_by_language():
    known = {language: has_default_texts(language) for language in ("sl", "sl-SI", "fa", "pt", "e")}

    assert known == {"sl": True, "sl-SI": True, "fa": True, "pt": False, "e": False}
