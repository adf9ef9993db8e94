"""The forms of practice items and of the comprehension check."""

import pytest

from postprocess.formats.toml import parse_toml
from surveys.models import Study, StudyText, TextKind
from surveys.study.exercises import read_check, read_practice
from surveys.study.texts import default_body, read_text, set_text
from surveys.web.console.study.text_forms import RowsForm
from tests.factories.forms import fill_in
from tests.factories.pages import page, read

pytestmark = pytest.mark.usefixtures("kept_contexts")

PAGES = {TextKind.PRACTICE: "practice_rows", TextKind.CHECK: "check_rows"}


def sent(kind, body, study=None, **changed):
    """Return what the form of a text sends, with some fields changed."""
    form = RowsForm(study=study or Study(language="en"), kind=kind, body=body)
    return fill_in((form.rows.management_form, *form.rows.forms), changed)


def body_of(study, kind):
    return read_text(study, kind).body


@pytest.mark.parametrize("kind", PAGES)
def test_an_unchanged_text_is_saved_without_loss(kind, study, owner):
    before = default_body("en", kind)

    answer = owner.post(page(PAGES[kind], study), sent(kind, before))

    assert answer["Location"] == page("text", study, kind.value)
    read_one = read_check if kind == TextKind.CHECK else read_practice
    assert read_one(body_of(study, kind)) == read_one(before.strip())


def test_a_question_is_added_and_another_removed(study, owner):
    body = default_body("en", TextKind.CHECK)
    added = {
        "rows-3-question": "One?", "rows-3-answer1": "yes", "rows-3-answer2": "no",
        "rows-3-right": "2", "rows-3-why": "Because.", "rows-0-DELETE": "on",
    }  # fmt: skip

    owner.post(page("check_rows", study), {**sent(TextKind.CHECK, body), **added})

    questions = read_check(body_of(study, TextKind.CHECK))
    assert questions[:2] == read_check(body)[1:]
    assert (questions[2].question, questions[2].answers) == ("One?", ("yes", "no"))
    assert (questions[2].right, questions[2].why) == (1, "Because.")


def test_a_text_without_rows_is_omitted(study, owner):
    body = default_body("en", TextKind.PRACTICE)
    n_rows = RowsForm(study=study, kind=TextKind.PRACTICE, body=body).rows.initial_form_count()
    removed = {f"rows-{n}-DELETE": "on" for n in range(n_rows)}

    owner.post(page("practice_rows", study), {**sent(TextKind.PRACTICE, body), **removed})

    assert body_of(study, TextKind.PRACTICE) == ""


@pytest.mark.parametrize(
    ("kind", "field", "value", "said"),
    [
        (TextKind.PRACTICE, "text", "No word is marked.", "Mark two words"),
        (TextKind.PRACTICE, "text", "", "required"),
        (TextKind.PRACTICE, "word1", "", "both dictionary forms"),
        (TextKind.PRACTICE, "good2", "", "required"),
        (TextKind.PRACTICE, "highest", "34", "both ends"),
        (TextKind.PRACTICE, "explanation", "\N{REPLACEMENT CHARACTER}", "could not be read"),
        (TextKind.CHECK, "right", "5", "that is filled in"),
        (TextKind.CHECK, "right", "7", "Select a valid choice"),
        (TextKind.CHECK, "answer2", "", "required"),
        (TextKind.CHECK, "why", "x" * 20_001, "at most 20000"),
    ],
)
def test_an_error_is_shown_at_its_field(kind, field, value, said, study, owner):
    body = default_body("en", kind)
    data = sent(kind, body)
    if field == "highest":
        data.pop("rows-0-lowest", None)

    answer = owner.post(page(PAGES[kind], study), {**data, f"rows-0-{field}": value})

    assert answer.status_code == 422
    row = answer.context["rows"].rows.forms[0]
    assert said in " ".join(row.errors[field])
    text = answer.content.decode()
    assert f'id="id_rows-0-{field}_error"' in text
    label = row[field].label
    name = "Question 1" if kind == TextKind.CHECK else "Practice item 1"
    assert f'<li><a href="#id_rows-0-{field}">{name}: {label}</a></li>' in text
    assert text.count("Please correct the errors below.") == 1
    assert not StudyText.objects.filter(study=study, kind=kind, version__gt=1).exists()


@pytest.mark.parametrize(
    ("name", "left_out"),
    [
        pytest.param(name, left_out, marks=pytest.mark.study(design=name))
        for name, left_out in (("simlex", {"text1", "text2"}), ("usim", set()))
    ],
)
def test_a_practice_item_has_the_fields_of_its_kind(name, left_out, study, owner):
    body = default_body("en", TextKind.PRACTICE, "", study.text_set)
    data = sent(TextKind.PRACTICE, body, study, **{"rows-1-explanation": "Both are letters."})
    fields = {name.rpartition("-")[2] for name in data if name.startswith("rows-0-")}

    shown = owner.get(page("text", study, "practice"))
    answer = owner.post(page("practice_rows", study), data)
    refused = owner.post(page("practice_rows", study), {**data, "rows-0-word2": "cow"})

    assert fields == {
        "text1", "text2", "word1", "word2", "lowest", "highest", "explanation"
    } - left_out  # fmt: skip
    assert "Two suitable words" not in shown.content.decode()
    assert (answer.status_code, refused.status_code) == (302, 422 if name == "usim" else 302)
    items = read_practice(body_of(study, TextKind.PRACTICE), study.item_rules)
    assert items[1].explanation == "Both are letters."
    assert "# between which percentages" in body_of(study, TextKind.PRACTICE)


def test_answers_have_no_gaps(study, owner):
    data = sent(TextKind.CHECK, default_body("en", TextKind.CHECK), **{"rows-0-answer5": "five"})

    answer = owner.post(page("check_rows", study), data)

    assert "without a gap" in " ".join(answer.context["rows"].rows.forms[0].errors["answer4"])


@pytest.mark.parametrize("kind", PAGES)
def test_a_preview_saves_nothing(kind, study, owner):
    field = "rows-0-why" if kind == TextKind.CHECK else "rows-0-explanation"
    data = sent(kind, default_body("en", kind), **{field: "A new explanation."})

    answer = owner.post(page(PAGES[kind], study), {**data, "look": "yes"})

    assert answer.status_code == 200
    text = answer.content.decode()
    assert "<p>A new explanation.</p>" in text or ">A new explanation.<" in text
    assert parse_toml(answer.context["form"]["body"].value()) != parse_toml(body_of(study, kind))
    assert not StudyText.objects.filter(study=study, kind=kind, version__gt=1).exists()


def test_lost_comments_are_announced(study, owner):
    set_text(study, TextKind.CHECK, "# ours\n" + default_body("en", TextKind.CHECK))

    text = read(owner, "text", study, "check")

    assert "comments, which this form does not keep" in text
    assert "<code># ours</code>" in text


def test_a_text_that_a_form_cannot_show_is_kept_as_toml(study, owner):
    body = "hint = 'x'\n" + default_body("en", TextKind.CHECK)
    set_text(study, TextKind.CHECK, body)
    data = sent(TextKind.CHECK, default_body("en", TextKind.CHECK))

    answer = owner.post(page("check_rows", study), data)

    assert "It can be edited as TOML." in read(owner, "text", study, "check")
    assert answer.status_code == 422
    assert body_of(study, TextKind.CHECK) == body.strip()


def test_fields_have_the_direction_of_the_language(study, owner):
    Study.objects.update(language="ar")

    text = owner.get(page("text", study, "check")).content.decode()

    assert 'name="rows-0-question" cols="40" rows="3"' in text
    assert text.count('dir="rtl"') > 10
