"""The step Stimuli: new studies, rows as annotators see them, and their revision."""

import html
import re

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from surveys.models import AuditEntry, Checkpoint, Context, Membership, Pair, Study
from surveys.study.design import design_of, published_designs
from tests.factories.checkpoints import file, numbered_row, row
from tests.factories.pages import page
from tests.factories.stimuli_rows import list_problems
from tests.factories.studies import (
    draft_study,
    invented_items,
    make_study,
    numbered_stimuli,
    open_draft,
    stimuli_file,
    stimuli_row,
)
from tests.machine import ROOT

pytestmark = pytest.mark.django_db
NEW = "/console/new/"
ODD = stimuli_file(stimuli_row(context1="A <strong>cats</strong> and a <strong>dog</strong>"))


@pytest.fixture
def trial(ana):
    return draft_study(
        numbered_stimuli(3), Study(slug="draft", language="en", ratings_per_context=2), ana
    )


def upload(browser, data, address=NEW, **fields):
    sent = {"title": "My words", "slug": "", "language": "en", **fields}
    if data is not None:
        sent["file"] = SimpleUploadedFile("data.tsv", data)
    return browser.post(address, sent)


def fields_of(answer, *names):
    """Return the values of the last inputs with these names, as a browser sends them."""
    text = answer.content.decode()
    found = {}
    for name in names:
        value = re.findall(rf'name="{name}"[^>]*value="([^"]*)"', text)[-1:]
        area = re.findall(rf'<textarea name="{name}"[^>]*>\n?(.*?)</textarea>', text, re.DOTALL)[
            -1:
        ]
        found[name] = html.unescape((value or area)[0])
    return found


COLUMNS = ("word1", "word2", "context1", "context2", "word1_context1", "word2_context1",
           "word1_context2", "word2_context2")  # fmt: skip


# A new study


def test_a_new_study_is_a_draft_owned_by_the_user(as_ana, ana):
    answer = upload(as_ana, numbered_stimuli(3))

    study = Study.objects.get()
    assert (answer.status_code, answer.url) == (302, page("stimuli", study))
    assert (study.slug, study.title, study.is_draft) == ("my-words", "My words", True)
    assert Membership.objects.values_list("user", "role").get() == (ana.pk, "owner")
    upload(as_ana, numbered_stimuli(3))  # a double click
    assert Study.objects.count() == 1


@pytest.mark.parametrize(
    ("name", "example"),
    [("simlex", "words"), ("scws", "texts"), ("wic", "uses"), ("cosimlex-crowd", "stimuli")],
)
def test_a_new_study_starts_from_a_design_with_the_file_it_wants(name, example, as_ana):
    shown = as_ana.get(NEW, {"design": name}).content.decode()
    data = (ROOT / f"static/examples/{example}.tsv").read_bytes()

    answer = upload(as_ana, data, design=name)

    assert re.findall(r'id="design_(\S+)" value="\S+"\s+aria-\S+ checked', shown) == [name]
    assert re.search(rf'href="/static/examples/{example}[.\w]*\.tsv"', shown)
    assert 'name="language2"' not in shown
    study = Study.objects.get()
    assert (answer.status_code, answer.url) == (302, page("stimuli", study))
    assert design_of(study) == published_designs()[name]
    assert as_ana.get(answer.url).status_code == 200


def test_a_new_study_offers_the_published_designs(as_ana):
    shown = as_ana.get(NEW, {"design": "unknown"}).content.decode()

    assert re.findall(r'id="design_(\S+)"', shown) == [*published_designs()]
    assert re.findall(r'value="(\S+)"\s+aria-\S+ checked', shown) == ["cosimlex-direct"]
    assert upload(as_ana, numbered_stimuli(1), design="unknown").status_code == 422
    assert not Study.objects.exists()


def test_a_new_study_asks_for_a_second_language_where_its_design_has_two(as_ana):
    data, design = invented_items("semeval2017-translation"), "semeval2017-translation"

    refused = upload(as_ana, data, design=design)
    upload(as_ana, data, design=design, language2="Finnish")

    assert (refused.status_code, "field is required" in refused.content.decode()) == (422, True)
    assert (Study.objects.get().language2, Study.objects.get().centre) == ("fi", "majority")


@pytest.mark.parametrize(
    ("written", "code"), [("Croatian", "hr"), (" brazilian portuguese ", "pt-BR"), ("sl", "sl")]
)
def test_a_language_can_be_given_by_its_english_name(as_ana, written, code):
    upload(as_ana, numbered_stimuli(1), language=written)

    assert Study.objects.get().language == code


def test_errors_of_a_file_are_reported_by_row_and_nothing_is_stored(as_ana):
    rows = [stimuli_row(word1=""), stimuli_row(), stimuli_row(context2="One <strong>cat.")]

    answer = upload(as_ana, stimuli_file(*rows), language="xx", title="")

    text = answer.content.decode()
    assert answer.status_code == 422
    assert {("1", "2", "word1"), ("3", "4", "context2")} <= {*list_problems(answer)}
    assert "The language &#x27;xx&#x27; is unknown" in text
    assert "This field is required" in text
    assert not Study.objects.exists()


def test_a_long_list_of_errors_is_cut(as_ana):
    rows = [stimuli_row(word1="y" * number) for number in range(101, 231)]
    answer = upload(as_ana, stimuli_file(*rows))

    text = answer.content.decode()
    assert re.search(r"the first 100 of \d+ are listed", text)


def test_equal_errors_of_many_rows_are_one_line(as_ana):
    answer = upload(as_ana, stimuli_file(*[stimuli_row(word1="")] * 130))

    assert ("1 to 130", "", "word1") in list_problems(answer)
    assert answer.content.decode().count(">word1</td>") == 1


def test_warnings_are_confirmed_without_choosing_the_file_again(as_ana):
    asked = upload(as_ana, ODD)
    assert asked.status_code == 200
    assert "far from three" in asked.content.decode()
    assert not Study.objects.exists()

    sent = fields_of(asked, "kept")
    confirmed = re.search(r'name="confirmed" value="(\w+)"', asked.content.decode())[1]
    other = upload(as_ana, None, **sent, confirmed="0" * 16)
    assert not Study.objects.exists()
    assert other.status_code == 200

    assert upload(as_ana, None, **sent, confirmed=confirmed).status_code == 302
    assert Pair.objects.count() == 1


def test_a_name_that_is_taken_keeps_the_file(as_ana):
    make_study(1, slug="my-words")

    answer = upload(as_ana, numbered_stimuli(2))

    assert answer.status_code == 422
    assert "another short name" in answer.content.decode()
    assert upload(as_ana, None, slug="mine", **fields_of(answer, "kept")).status_code == 302


# The rows


def test_rows_are_shown_as_annotators_see_them(as_ana, trial):
    opened = {"open": trial.pairs.get(position=1).pk}
    text = as_ana.get(page("stimuli", trial), opened).content.decode()

    assert "First came alpha1. Rain fell. Then beta1 left." in text
    assert (
        "First came <strong>alpha1</strong>. Rain fell. Then <strong>beta1</strong> left." in text
    )
    assert 'How similar in meaning are <b lang="en">alpha1</b>' in text
    assert "Not similar at all" in " ".join(text.split())


def test_a_row_is_listed_with_its_beginnings_and_opened_by_its_link(as_ana, trial):
    address = page("stimuli", trial)
    closed = as_ana.get(address, {"word": "alpha2"}).content.decode()

    link = html.unescape(re.search(r'href="([^"]*)#row2"\s+aria-expanded="false"', closed)[1])
    opened = as_ana.get(address + link).content.decode()

    assert "First came <b>alpha2</b>. … Then <b>beta2</b> left." in closed
    assert 'class="drawer"' not in closed
    assert 'aria-expanded="true"' in opened
    assert opened.count('class="drawer"') == opened.count('id="row') == 1
    assert 'class="drawer"' not in as_ana.get(address, {"open": "x\0"}).content.decode()


@pytest.mark.parametrize("n", [1, 3, 25])
def test_the_number_of_queries_does_not_grow_with_rows(n, ana, as_ana, django_assert_num_queries):
    design = Study(slug="draft", language="en", ratings_per_context=1)
    study = draft_study(numbered_stimuli(n), design, ana)
    for number in range(n):
        draft_study(
            numbered_stimuli(number + 1),
            Study(slug=f"other-{number}", language="en", ratings_per_context=1),
            ana,
        )
    as_ana.get(page("stimuli", study))

    with django_assert_num_queries(9):
        text = as_ana.get(page("stimuli", study)).content.decode()

    assert text.count('id="row') == n


@pytest.mark.every_database
def test_rows_are_paginated_and_found_by_a_word(ana, as_ana, monkeypatch):
    monkeypatch.setattr("surveys.web.console.study.stimuli.ROWS_PER_PAGE", 10)
    design = Study(slug="draft", language="en", ratings_per_context=1)
    study = draft_study(numbered_stimuli(25), design, ana)

    assert "alpha25 – beta25" in as_ana.get(page("stimuli", study), {"page": 3}).content.decode()
    found = as_ana.get(page("stimuli", study), {"word": "ALPHA25\0"}).content.decode()
    assert found.count('id="row') == 1
    assert as_ana.get(page("stimuli", study), {"word": "%<b>"}).status_code == 200


def test_figures_and_overlaps_are_shown(as_ana, trial, ana):
    design = Study(slug="twin", title="Twin", language="en", ratings_per_context=1)
    draft_study(numbered_stimuli(2), design, ana)
    make_study(2, slug="of-others")

    text = " ".join(as_ana.get(page("stimuli", trial)).content.decode().split())

    assert "has 2 of the same pairs of words and 4 of the same texts" in text
    assert "of-others" not in text
    assert '<td class="number">8</td> <td class="number">8' in " ".join(
        text.split()
    )  # words in a context


def test_a_row_is_changed_with_a_reason(as_ana, trial):
    pair = trial.pairs.get(position=2)
    sent = fields_of(as_ana.get(page("row", trial, pair.pk)), *COLUMNS, "shown")

    answer = as_ana.post(
        page("row", trial, pair.pk), {**sent, "word1": "Alpha", "reason": "a capital"}
    )

    assert (answer.status_code, answer.url) == (302, page("stimuli", trial))
    pair.refresh_from_db()
    assert pair.word1 == "Alpha"
    entry = AuditEntry.objects.get(action="stimuli.revised")
    assert (entry.actor, entry.details["reason"]) == ("ana", "a capital")


def test_deleting_a_row_is_idempotent(as_ana, trial):
    pair = trial.pairs.get(position=1)
    shown = fields_of(as_ana.get(page("row", trial, pair.pk)), "drop-shown")
    sent = {**shown, "drop-reason": "too easy"}

    for _ in range(2):
        answer = as_ana.post(page("remove_row", trial, pair.pk), sent)
        assert (answer.status_code, answer.url) == (302, page("stimuli", trial))
    assert trial.pairs.count() == 2


def test_the_file_is_replaced(as_ana, trial):
    address = page("replace_file", trial)

    assert upload(as_ana, b"word1", address).status_code == 422
    assert upload(as_ana, ODD, address).status_code == 200
    assert trial.pairs.count() == 3
    assert upload(as_ana, numbered_stimuli(5), address).url == page("stimuli", trial)
    assert trial.pairs.count() == 5


def test_rows_of_an_open_study_are_not_changed(as_ana, trial):
    pair = trial.pairs.get(position=1)
    sent = fields_of(as_ana.get(page("row", trial, pair.pk)), *COLUMNS, "shown", "drop-shown")
    open_draft(trial)
    sent |= {"reason": "why", "drop-reason": "why", "word1": "new"}

    for name in ("row", "remove_row"):
        answer = as_ana.post(page(name, trial, pair.pk), sent)
        assert answer.status_code == 422
        assert "make a new study" in answer.content.decode()
    answer = upload(as_ana, numbered_stimuli(5), page("replace_file", trial))
    assert answer.status_code == 422
    assert "Change or drop" not in as_ana.get(page("stimuli", trial)).content.decode()
    assert trial.pairs.count() == 3


# Checkpoint items


def test_checkpoint_items_of_a_draft_are_stored_and_replaced(as_ana, trial):
    address = page("checkpoints", trial)

    first = upload(as_ana, file(row()), address, per_assignment="1")
    other = file(numbered_row(1), numbered_row(2, lowest="4"))
    second = upload(as_ana, other, address, per_assignment="2")

    assert (first.status_code, second.status_code) == (302, 302)
    assert list(Checkpoint.objects.order_by("pk").values_list("lowest", flat=True)) == [5, 4]
    trial.refresh_from_db()
    assert trial.n_checkpoints == 2
    assert trial.pairs.filter(is_checkpoint=False).count() == 3
    assert AuditEntry.objects.filter(action="checkpoints.replaced").first().details == {
        "items": "1 → 2"
    }
    text = as_ana.get(address).content.decode()
    assert "2 stored, 2 in each assignment" in text
    assert "A sofas no. 1 came." in text


def test_errors_of_a_checkpoint_file_are_reported_by_row(as_ana, trial):
    address = page("checkpoints", trial)
    upload(as_ana, file(row()), address, per_assignment="1")

    faulty = upload(as_ana, file(row(), numbered_row(1, lowest="9")), address, per_assignment="1")
    too_many = upload(as_ana, file(numbered_row(1)), address, per_assignment="5")

    assert (faulty.status_code, too_many.status_code) == (422, 422)
    assert list_problems(faulty) == [("2", "3", "lowest")]
    assert "from 1 to 1 checkpoint items" in too_many.content.decode()
    assert Context.objects.get(pair__is_checkpoint=True).text.startswith("The sofas")


def test_checkpoint_items_of_an_open_study_are_not_changed(as_ana, trial):
    open_draft(trial)

    answer = upload(as_ana, file(row()), page("checkpoints", trial), per_assignment="1")

    assert answer.status_code == 422
    assert not Checkpoint.objects.exists()
    assert "<form" not in as_ana.get(page("checkpoints", trial)).content.decode().split("<main")[1]
