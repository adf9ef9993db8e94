"""Stimuli files in forms: text of any kind and workbooks, with the same errors as JSON."""

import csv
import io

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test.client import BOUNDARY, MULTIPART_CONTENT, encode_multipart

from postprocess.formats.stimuli import COLUMNS
from surveys.models import Context, Study
from tests.factories.programs import errors_of
from tests.factories.studies import numbered_stimuli, stimuli_file, stimuli_row
from tests.factories.workbooks import write_workbook
from tests.surveys.web.api.test_studies import NEW

DESIGN = {name: given for name, given in NEW.items() if name != "stimuli"}
ROWS = [line.split("\t") for line in numbered_stimuli(3).decode().splitlines()]
CROATIAN = {
    "word1": "kuća", "word2": "žaba",
    "context1": "Vidio je <strong>kuću</strong>; čudna je. Skočila je <strong>žaba</strong>.",
    "context2": "Iz <strong>kuće</strong> nije izašla. Đak je mirno našao <strong>žabu</strong>.",
    "word1_context1": "kuću", "word2_context1": "žaba",
    "word1_context2": "kuće", "word2_context2": "žabu",
}  # fmt: skip
SEMICOLON = {"separator": "semicolon", "encoding": "windows-1250"}


def send(program, data, *, method="post", path="studies/", **fields):
    """Send a form as curl does, with the file and the fields as text."""
    texts = {name: str(given).lower() if given in (True, False) else given
             for name, given in fields.items()}  # fmt: skip
    form = encode_multipart(BOUNDARY, {**texts, "stimuli": SimpleUploadedFile("pairs", data)})
    return send_body(program(None).client, form, method=method, path=path)


def send_body(client, body, kind=MULTIPART_CONTENT, *, method="post", path="studies/", **headers):
    return client.generic(
        method.upper(), f"/api/v1/{path}", body, content_type=kind, headers=headers
    )


def croatian():
    stream = io.StringIO()
    csv.writer(stream, delimiter=";").writerows([COLUMNS, CROATIAN.values()])
    return stream.getvalue().encode("windows-1250")


@pytest.mark.parametrize("data", [numbered_stimuli(3), write_workbook(ROWS)], ids=["text", "xlsx"])
def test_a_study_is_created_from_a_file(study, program, data):
    answer = send(program, data, **DESIGN)

    assert (answer.status_code, answer.json()["n_pairs"]) == (201, 3)
    made = Study.objects.get(slug="new")
    assert (made.ratings_per_context, made.opened_at is None) == (2, False)
    same = program(None).post("studies/", NEW)
    assert (same.status_code, same.json()["is_new"]) == (200, False)


def test_a_file_of_another_kind_is_read_as_it_is_said_to_be(study, program):
    asked = {**DESIGN, "language": "hr"}
    looked = send(program, croatian(), **asked)
    answer = send(program, croatian(), **asked, **SEMICOLON)

    assert looked.status_code == 409
    ((_, message),) = errors_of(looked)
    assert "add separator semicolon and encoding windows-1250" in message
    assert "Its first row then reads: kuća | žaba |" in message
    assert answer.status_code == 201
    assert Context.objects.get(pair__study__slug="new", number=2).text.endswith("našao žabu.")


def test_the_stimuli_of_a_draft_are_replaced_by_a_file(study, program):
    send(program, numbered_stimuli(3), **{**DESIGN, "open": False})

    answer = send(program, write_workbook(ROWS[:3]), method="put", path="studies/new/stimuli/")

    assert answer.status_code == 200
    assert Study.objects.get(slug="new").pairs.count() == 2


def test_errors_name_row_and_column_as_in_json(study, program):
    data = stimuli_file(stimuli_row(), stimuli_row(word1=""))

    of_form = send(program, data, **DESIGN)
    of_json = program(None).post("studies/", {**NEW, "stimuli": data.decode()})

    assert of_form.status_code == of_json.status_code == 409
    assert errors_of(of_form) == errors_of(of_json)
    assert ("word1", 2) in {(error[3], error[2]) for error in errors_of(of_form)}


def test_cells_without_text_name_row_and_column(study, program):
    cells = [*ROWS[1]]
    cells[1] = "<c><v>7</v></c>"

    answer = send(program, write_workbook([ROWS[0], cells]), **DESIGN)

    what = "the cell holds the number 7, not text; format the column as text and enter it again"
    assert errors_of(answer)[0] == ("ImportRefused", what, 1, "word2")


@pytest.mark.parametrize(
    ("changed", "field"),
    [
        ({"ratings_per_context": "many"}, "ratings_per_context"),
        ({"ratings_per_context": "2.5"}, "ratings_per_context"),
        ({"scale_maximum": "high"}, "scale_maximum"),
        ({"open": "perhaps"}, "open"),
        ({"separator": "pipe"}, "separator"),
        ({"encoding": "latin"}, "encoding"),
        ({"slug": "a b"}, "slug"),
        ({"more": "1"}, "more"),
    ],
)
def test_an_invalid_field_is_refused_as_in_json(study, program, changed, field):
    answer = send(program, numbered_stimuli(3), **{**DESIGN, **changed})

    assert answer.status_code == 422
    assert [error["field"] for error in answer.json()["errors"]] == [field]
    assert Study.objects.count() == 1


def test_numbers_and_truth_values_are_read_from_text(study, program):
    numbers = {"scale_minimum": "1", "scale_maximum": "5.0", "scale_step": "0.5", "dry_run": "True"}

    answer = send(program, numbered_stimuli(3), **DESIGN, **numbers)

    assert (answer.status_code, answer.json()["is_stored"]) == (200, False)


def test_a_text_in_place_of_the_file_is_refused(study, program):
    form = encode_multipart(BOUNDARY, {**DESIGN, "stimuli": "pairs.tsv"})

    answer = send_body(program(None).client, form)

    errors = {error["field"]: error["message"] for error in answer.json()["errors"]}
    assert errors["stimuli"] == "Send a file, such as stimuli=@pairs.tsv."


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        (b"", MULTIPART_CONTENT),
        (b"--x", "multipart/form-data; boundary=x"),
        (b"x", "multipart/form-data"),
        (encode_multipart(BOUNDARY, {f"f{n}": "x" for n in range(2000)}), MULTIPART_CONTENT),
        (encode_multipart(BOUNDARY, {"slug": ["a", "b"]}), MULTIPART_CONTENT),
    ],
    ids=["empty", "cut", "no boundary", "fields", "twice"],
)
def test_a_form_that_cannot_be_read_is_refused(study, program, body, kind):
    answer = send_body(program(None).client, body, kind)

    assert answer.status_code in (400, 422)
    assert answer.json()["errors"]


def test_a_file_over_the_size_limit_is_refused(study, program):
    answer = send(program, b"x" * 4_000_001, **DESIGN)

    assert answer.status_code == 409
    assert "4,000,000 bytes" in errors_of(answer)[0][1]


def test_a_form_is_sent_once_with_a_key(study, program):
    client = program(None).client
    form = encode_multipart(
        BOUNDARY, {**DESIGN, "open": "true", "consent_reviewed": "true",
                   "stimuli": SimpleUploadedFile("pairs", numbered_stimuli(3))},
    )  # fmt: skip
    other = form.replace(b"University", b"Institute")

    first, again, reused = (
        send_body(client, body, **{"Idempotency-Key": "k"}) for body in (form, form, other)
    )

    assert first.status_code == 201
    assert again.json() == first.json()
    assert again["Idempotent-Replayed"] == "true"
    assert reused.status_code == 409
