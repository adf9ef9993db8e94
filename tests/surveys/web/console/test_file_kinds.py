"""Files that are not tab-separated UTF-8 are shown before they are read."""

import csv
import html
import io
import re
from pathlib import Path

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse

from postprocess.formats.stimuli import COLUMNS, load_stimuli
from surveys.models import Checkpoint, Context, Study
from surveys.study.stimuli.checkpoints import check_checkpoints
from tests.factories.checkpoints import HEADER, row
from tests.factories.stimuli_rows import FIELDS, list_problems
from tests.factories.studies import draft_study, numbered_stimuli
from tests.factories.workbooks import write_workbook

pytestmark = pytest.mark.django_db
NEW = "/console/new/"
EXAMPLES = Path(__file__).parents[4] / "static" / "examples"
PAIR = {
    "word1": "kuća", "word2": "žaba",
    "context1": "Vidio je <strong>kuću</strong>; čudna je. Skočila je <strong>žaba</strong>.",
    "context2": "Iz <strong>kuće</strong> nije izašla. Đak je mirno našao <strong>žabu</strong>.",
    "word1_context1": "kuću", "word2_context1": "žaba",
    "word1_context2": "kuće", "word2_context2": "žabu",
}  # fmt: skip
SEMICOLON = ("semicolon", "windows-1250")


def separated(*rows, delimiter=";"):
    stream = io.StringIO()
    csv.writer(stream, delimiter=delimiter).writerows([COLUMNS, *(r.values() for r in rows)])
    return stream.getvalue()


def send(browser, data=None, address=NEW, **fields):
    sent = {"title": "My words", "slug": "", "language": "Croatian", **fields}
    if data is not None:
        sent["file"] = SimpleUploadedFile("pairs.csv", data)
    return browser.post(address, sent)


def proposed(answer):
    """Return the fields of a page with a proposal, as its button sends them."""
    text = answer.content.decode()
    hidden = dict(re.findall(r'<input type="hidden" name="(kept|name)" value="([^"]*)"', text))
    chosen = {
        name: re.search(rf'<select name="{name}".*?value="([^"]*)" selected', text, re.DOTALL)
        for name in ("separator", "encoding")
    }
    read = re.search(r'<button name="read" value="([^"]*)"', text)
    found = {name: html.unescape(value) for name, value in hidden.items()}
    return found | {name: one[1] for name, one in {**chosen, "read": read}.items() if one}


def test_a_file_is_shown_first_and_read_when_that_is_confirmed(as_ana):
    asked = send(as_ana, separated(PAIR).encode("windows-1250"))

    text = " ".join(asked.content.decode().split())
    assert asked.status_code == 200
    assert "This looks like a semicolon-separated file in Windows-1250" in text
    assert 'data-label="word1">kuća</td>' in text
    assert 'data-label="word2">žaba</td>' in text
    assert re.search(r"<bdi>ž</bdi> \d", text)
    assert "cannot be recognised with certainty" in text
    assert "<bdi>pairs.csv</bdi>" in text
    assert not Study.objects.exists()
    sent = proposed(asked)
    assert (sent["separator"], sent["encoding"]) == SEMICOLON

    assert send(as_ana, **sent).status_code == 302

    assert Study.objects.get().language == "hr"
    assert Context.objects.get(number=2).text.endswith("našao žabu.")


def test_another_encoding_is_shown_before_it_is_read(as_ana):
    first = proposed(send(as_ana, separated(PAIR).encode("windows-1250")))

    other = send(as_ana, **{**first, "encoding": "windows-1252"})

    text = " ".join(other.content.decode().split())
    assert "Read as a semicolon-separated file in Windows-1252" in text
    assert 'data-label="word1">kuæa</td>' in text
    assert not Study.objects.exists()
    again = send(as_ana, **{**proposed(other), "encoding": "windows-1250"})
    assert proposed(again) == first


def test_another_separator_is_shown_with_its_problem(as_ana):
    first = proposed(send(as_ana, separated(PAIR, delimiter=",").encode("utf-16")))

    other = send(as_ana, **{**first, "separator": "semicolon"})

    assert "The file cannot be read this way" in other.content.decode()
    assert "missing columns: word1" in other.content.decode()


def test_a_workbook_is_read_and_its_errors_name_their_cell(as_ana):
    rows = [COLUMNS, PAIR.values()]
    good = proposed(send(as_ana, write_workbook(rows)))
    bad = proposed(send(as_ana, write_workbook([*rows, ["a", "<c><v>7</v></c>"]])))

    refused = send(as_ana, **bad, slug="bad")

    assert good["read"] == "workbook"
    assert refused.status_code == 422
    assert list_problems(refused) == [("2", "3", "word2")]
    assert send(as_ana, **good).status_code == 302


def test_warnings_are_confirmed_after_the_kind(as_ana):
    odd = {**PAIR, "context1": "<strong>kuću</strong> i <strong>žaba</strong>"}
    sent = proposed(send(as_ana, separated(odd).encode("utf-16")))

    asked = send(as_ana, **sent)

    assert asked.status_code == 200
    confirmed = re.search(r'name="confirmed" value="(\w+)"', asked.content.decode())[1]
    for name in ("separator", "encoding", "read"):
        assert f'name="{name}" value="{sent[name]}"' in asked.content.decode()
    assert send(as_ana, **sent, confirmed=confirmed).status_code == 302


def test_a_new_file_is_not_read_in_the_way_of_the_last_one(as_ana):
    sent = proposed(send(as_ana, separated(PAIR).encode("windows-1250")))

    answer = send(as_ana, separated(PAIR).encode("iso-8859-2"), **sent)

    assert "in ISO-8859-2" in answer.content.decode()
    assert not Study.objects.exists()


def test_a_file_too_large_to_keep_is_refused(as_ana, monkeypatch):
    monkeypatch.setattr("surveys.study.stimuli.load.MAX_KEPT_LENGTH", 10)

    answer = send(as_ana, separated(PAIR).encode("utf-16"))

    assert answer.status_code == 422
    assert "It is too large to be shown before it is read" in answer.content.decode()


def test_checkpoint_items_are_read_from_a_spreadsheet(as_ana, ana):
    design = Study(slug="draft", language="en", ratings_per_context=2)
    study = draft_study(numbered_stimuli(3), design, ana)
    address = reverse("console:checkpoints", args=[study.slug])
    cells = row().split("\t")
    numbers = [f"<c><v>{number}</v></c>" for number in cells[-2:]]
    data = write_workbook([HEADER.split("\t"), [*cells[:-2], *numbers]])

    asked = send(as_ana, data, address, per_assignment="1")
    assert not Checkpoint.objects.exists()

    assert send(as_ana, address=address, per_assignment="1", **proposed(asked)).status_code == 302
    assert Checkpoint.objects.get().lowest == 5


@pytest.mark.parametrize("language", ["Croatian", "croatian", "hrvatski", "hr"])
def test_a_language_is_given_by_name_or_code(as_ana, language):
    data = "\t".join(COLUMNS) + "\n" + "\t".join(FIELDS.values()) + "\n"

    assert send(as_ana, data.encode(), language=language).status_code == 302
    assert Study.objects.get().language == "hr"


def test_the_example_files_have_no_errors(ana):
    design = Study(slug="draft", language="en", ratings_per_context=2)
    study = draft_study(numbered_stimuli(3), design, ana)

    assert load_stimuli(EXAMPLES / "stimuli.tsv").findings == ()
    checked = check_checkpoints(study, (EXAMPLES / "checkpoints.tsv").read_bytes())
    assert (checked.n_pairs, checked.errors, checked.warnings) == (2, (), ())
