"""Drafts created from a file, and changes to their rows."""

import pytest

from postprocess.formats.stimuli import COLUMNS
from surveys.errors import ImportRefused, StimuliChanged, StudyOpen
from surveys.models import AuditEntry, Context, Item, Pair, Study
from surveys.study.stimuli.edit import drop_row, read_upload, replace_stimuli, revise_row
from surveys.study.stimuli.load import (
    LARGEST_FILE,
    check_file,
    check_row,
    fingerprint_row,
    read_stored_stimuli,
    write_row,
)
from tests.factories.studies import (
    draft_study,
    numbered_stimuli,
    open_draft,
    stimuli_file,
    stimuli_row,
)

pytestmark = [pytest.mark.django_db, pytest.mark.every_database]  # positions are unique


COSIMLEX = Study(slug="draft", language="en")


def make(owner, data=None, **design):
    wanted = {"slug": "draft", "language": "en", "ratings_per_context": 2, **design}
    return draft_study(data or numbered_stimuli(3), Study(**wanted), owner)


def row_of(study, position):
    pair = Pair.objects.get(study=study, position=position)
    return pair, write_row(study, pair)


def everything():
    return [list(model.objects.order_by("pk").values()) for model in (Study, Pair, Context, Item)]


def is_laid_out(study):
    """Return whether every context is in one questionnaire, and check the digest."""
    study.refresh_from_db()
    read_stored_stimuli(study)
    contexts = Context.objects.stimuli(study)
    return Item.objects.filter(context__in=contexts).count() == contexts.count()


def replace_by(study, data):
    return replace_stimuli(study, read_upload(data, study))


def test_check_file_reports_place_problem_and_advice():
    data = stimuli_file(stimuli_row(), stimuli_row(word1="", context2="One <strong>cat</strong>."))

    first, *others = check_file(data, COSIMLEX).errors

    assert (first.row, first.line, first.column) == (2, 3, "word1")
    assert (first.what, first.advice) == ("the field is empty", "fill it in")
    assert {problem.column for problem in others} == {"context2"}


def test_check_file_refuses_a_file_that_is_too_large():
    (problem,) = check_file(b"x" * (LARGEST_FILE + 1), COSIMLEX).errors

    assert "4,000,001 bytes" in problem.what


def test_revise_row_changes_text_digest_and_log(ana):
    study = make(ana)
    pair, row = row_of(study, 2)
    wanted = {**row, "word1": "alpha", "context1": row["context1"].replace("Rain", "Sleet")}

    assert revise_row(pair, wanted, shown=fingerprint_row(row), reason="a slip")

    assert row_of(study, 2)[1] == wanted
    assert is_laid_out(study)
    details = AuditEntry.objects.get(action="stimuli.revised").details
    assert details["reason"] == "a slip"
    assert (details["word1 before"], details["word1 after"]) == ("alpha2", "alpha")
    assert "Sleet" in details["context1 after"]
    assert "word2 before" not in details


def test_revise_row_without_a_change_changes_nothing(ana):
    pair, row = row_of(make(ana), 1)
    before = everything()

    assert not revise_row(pair, row, shown=fingerprint_row(row), reason="none")
    assert everything() == before


@pytest.mark.parametrize(
    ("change", "reason", "error"),
    [
        ({"word1": ""}, "why", "word1: the field is empty; fill it in"),
        ({"context1": "a\tb"}, "why", "context1: a tab"),
        ({"word1_context1": "other"}, "why", "not equal to its inflected form"),
        ({"word1": "other"}, "  ", "Give a reason"),
    ],
)
def test_revise_row_refuses_an_invalid_row(ana, change, reason, error):
    pair, row = row_of(make(ana), 1)
    before = everything()

    with pytest.raises(ImportRefused, match=error):
        revise_row(pair, {**row, **change}, shown=fingerprint_row(row), reason=reason)
    assert everything() == before


def test_a_row_changed_meanwhile_is_refused(ana):
    study = make(ana)
    pair, row = row_of(study, 1)
    revise_row(pair, {**row, "word1": "x"}, shown=fingerprint_row(row), reason="first")

    with pytest.raises(StimuliChanged, match="Open it again"):
        revise_row(pair, {**row, "word1": "y"}, shown=fingerprint_row(row), reason="second")
    with pytest.raises(StimuliChanged):
        drop_row(pair, shown=fingerprint_row(row), reason="second")
    assert row_of(study, 1)[1]["word1"] == "x"


def test_drop_row_moves_later_rows_up(ana):
    study = make(ana)
    pair, row = row_of(study, 2)

    drop_row(pair, shown=fingerprint_row(row), reason="too easy")

    found = list(Pair.objects.stimuli(study).values_list("position", "word1"))
    assert found == [(1, "alpha1"), (2, "alpha3")]
    assert is_laid_out(study)
    entry = AuditEntry.objects.get(action="stimuli.dropped")
    assert (entry.subject, entry.details["word1"]) == ("row 2", "alpha2")
    with pytest.raises(StimuliChanged):  # twice does no harm
        drop_row(pair, shown=fingerprint_row(row), reason="too easy")


def test_drop_row_refuses_the_last_row(ana):
    pair, row = row_of(make(ana, numbered_stimuli(1)), 1)

    with pytest.raises(ImportRefused, match="last row"):
        drop_row(pair, shown=fingerprint_row(row), reason="why")
    assert Pair.objects.count() == 1


def test_replace_stimuli_replaces_all_rows(ana):
    study = make(ana)

    study = replace_by(study, numbered_stimuli(5))

    assert Pair.objects.stimuli(study).count() == 5
    assert is_laid_out(study)
    assert AuditEntry.objects.get(action="stimuli.replaced").details["pairs"] == "3 → 5"
    replace_by(study, numbered_stimuli(5))
    assert AuditEntry.objects.filter(action="stimuli.replaced").count() == 1


def test_rows_of_an_open_study_cannot_change(ana):
    study = open_draft(make(ana))
    pair, row = row_of(study, 1)
    before = everything()
    shown = fingerprint_row(row)

    for change in (
        lambda: revise_row(pair, {**row, "word1": "x"}, shown=shown, reason="why"),
        lambda: drop_row(pair, shown=shown, reason="why"),
        lambda: replace_by(study, numbered_stimuli(5)),
    ):
        with pytest.raises(StudyOpen):
            change()
    assert everything() == before


def test_check_row_reports_warnings():
    fields = stimuli_row(context1="A <strong>cats</strong> <strong>dog</strong>").split("\t")
    row = dict(zip(COLUMNS, fields, strict=True))

    (warning,) = check_row(row, COSIMLEX.item_rules).warnings

    assert (warning.column, warning.advice) == ("context1", "check the context")
