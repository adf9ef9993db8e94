"""Stimuli of two words or two texts: imported, read back, changed, copied."""

from decimal import Decimal

import pytest
from django.contrib.auth.models import User

from postprocess.designs.items import parse_items
from surveys.errors import ImportRefused, StimuliChanged
from surveys.models import Assignment, AuditEntry, Context, Pair, Response, Study
from surveys.results.ratings_table import collect_study, tally_answers
from surveys.results.run_inspection import read_member, write_recipe
from surveys.results.runs import request_release
from surveys.study.create import create_study, duplicate_study
from surveys.study.design import published_designs
from surveys.study.stimuli.checkpoints import NO_RATING, columns_of, import_checkpoints
from surveys.study.stimuli.edit import drop_row, replace_stimuli, revise_row
from surveys.study.stimuli.load import (
    check_file,
    fingerprint_row,
    read_stimuli,
    read_stored_stimuli,
    write_row,
)
from surveys.study.stimuli.statistics import list_overlaps
from tests.factories.answers import answer_due
from tests.factories.checkpoints import file_of
from tests.factories.jobs import perform_run
from tests.factories.studies import due_response, invented_items, make_study_of, start, study_of

pytestmark = [pytest.mark.django_db, pytest.mark.every_database]  # JSON keeps no order
NAMES = ["simlex", "scws", "usim", "semeval2017-translation"]


def draft(name: str, **changed: object) -> Study:
    study = study_of(name, **{"block_size": 2, "n_doubled": 0, **changed})
    create_study(read_stimuli(invented_items(name, 3), study))
    return Study.objects.get(slug=study.slug)


def row_of(study: Study, position: int) -> tuple[Pair, dict[str, str]]:
    pair = Pair.objects.get(study=study, position=position)
    return pair, write_row(study, pair)


@pytest.mark.parametrize("name", NAMES)
def test_items_are_read_back_as_their_file_has_them(name):
    study = draft(name)
    parsed = parse_items(invented_items(name, 3), study.item_rules)

    stored = read_stored_stimuli(study)

    assert (stored.pairs, stored.findings) == (parsed.pairs, ())
    assert stored.columns == (*study.kind.columns, "date", "pos")
    assert sorted(stored.rows[0]) == sorted(parsed.rows[0])
    assert not create_study(read_stimuli(invented_items(name, 3), study)).is_new


@pytest.mark.parametrize("name", NAMES)
def test_a_copy_has_the_same_items(name):
    study = draft(name)

    copy = duplicate_study(study, User.objects.create_user("ana"), slug="copy", title="")

    assert read_stored_stimuli(copy) == read_stored_stimuli(study)
    assert (copy.design, copy.item_rules) == (name, study.item_rules)


@pytest.mark.parametrize("name", ["simlex", "usim"])
def test_a_row_is_changed_by_the_columns_of_its_kind(name):
    study = draft(name)
    pair, row = row_of(study, 2)
    changes = {"id": "q2", "pos": "V"}
    if "text2" in row:
        changes |= {
            "text2": "It <strong>alpha</strong> the <strong>2</strong>.",
            "form2": "alpha 2",
        }

    assert revise_row(pair, {**row, **changes}, shown=fingerprint_row(row), reason="a slip")

    study.refresh_from_db()
    assert row_of(study, 2)[1] == {**row, **changes}
    assert read_stored_stimuli(study).pairs[1].id == "q2"
    details = AuditEntry.objects.get(action="stimuli.revised").details
    assert (details["pos before"], details["pos after"]) == ("N", "V")


@pytest.mark.parametrize(
    ("name", "changes", "said"),
    [
        ("simlex", {"word2": "alpha2"}, "word2: both words are"),
        ("simlex", {"id": "p1"}, "Another row has the id “p1”"),
        ("usim", {"word2": "beta"}, 'word2: "beta" is not'),
        ("usim", {"text1": "No mark."}, "text1: the target is not marked"),
    ],
)
def test_a_row_against_the_rules_of_its_kind_is_refused(name, changes, said):
    study = draft(name)
    pair, row = row_of(study, 2)

    with pytest.raises(ImportRefused, match=said):
        revise_row(pair, {**row, **changes}, shown=fingerprint_row(row), reason="a slip")

    assert row_of(study, 2)[1] == row


def test_a_row_without_an_id_has_its_number():
    study = draft("simlex")
    pair, row = row_of(study, 2)

    revise_row(pair, {**row, "id": ""}, shown=fingerprint_row(row), reason="no names")

    assert row_of(study, 2)[1]["id"] == "2"


@pytest.mark.parametrize("name", ["simlex", "usim"])
def test_a_row_is_dropped_and_the_file_replaced(name):
    study = draft(name)
    pair, row = row_of(study, 1)

    drop_row(pair, shown=fingerprint_row(row), reason="too easy")
    study.refresh_from_db()
    kept = [pair.id for pair in read_stored_stimuli(study).pairs]
    replace_stimuli(study, read_stimuli(invented_items(name, 5), study))

    study.refresh_from_db()
    assert kept == ["p2", "p3"]
    assert len(read_stored_stimuli(study).pairs) == Context.objects.count() == 5


def test_a_file_is_checked_by_the_rules_of_the_study():
    study = study_of("usim")

    assert check_file(invented_items("usim"), study).errors == ()
    (error,) = {error.what for error in check_file(invented_items("simlex"), study).errors}
    assert error.startswith("missing columns: text1, text2, form1, form2")


def test_changed_texts_are_noticed():
    study = draft("scws")
    Context.objects.filter(pair__position=1).update(text2="Text 2 of alpha1.", word2_end=16)

    with pytest.raises(StimuliChanged):
        read_stored_stimuli(study)


@pytest.mark.parametrize(
    ("name", "columns"),
    [
        ("simlex", "word1, word2, lowest, highest"),
        ("scws", "word1, word2, text1, text2, form1, form2, lowest, highest"),
        ("wic", "word1, word2, text1, text2, form1, form2, lowest, highest"),
    ],
)
def test_checkpoint_items_of_each_kind_are_answered(name, columns):
    study = make_study_of(name, 3, ratings_per_context=1, block_size=None)
    data = file_of(study, ("0", "0"), ("1", "1"))
    assert ", ".join(columns_of(study)) == columns

    imported = import_checkpoints(study, data, per_assignment=2)
    again = import_checkpoints(study, data, per_assignment=2)

    assert (imported.n_new, again.n_new, again.n_known, again.is_change) == (2, 0, 2, False)
    copy = duplicate_study(study, User.objects.create_user("ana"), slug="copy", title="")
    assert import_checkpoints(copy, data, per_assignment=2).n_known == 2
    assignment = start(study)
    for _ in range(5):
        answer_due(assignment, Decimal(0), ("sea", "salt"))
    failed = Response.objects.failed_checkpoints()
    assert [(r.context.word1, r.context.checkpoint.lowest) for r in failed] == [("alpha7", 1)]
    assert Assignment.objects.get(pk=assignment.pk).state == "submitted"
    collected = collect_study(study)
    assert collected.checks is not None
    assert sorted(collected.checks["lowest"]) == [0, 1]
    assert len(collected.ratings) == 3
    assert len(tally_answers(study)) == 3


@pytest.mark.parametrize("name", ["simlex", "mclwic"])
def test_a_release_has_the_answers_to_checkpoint_items(name):
    study = make_study_of(name, 3, ratings_per_context=3, block_size=None)
    import_checkpoints(study, file_of(study, ("0", "0"), ("1", "1")), per_assignment=2)
    for _ in range(3):
        assignment = start(study)
        for _ in range(5):
            context = due_response(assignment).context
            is_check = context.pair.is_checkpoint
            rating = context.checkpoint.lowest if is_check else Decimal(1)  # nobody is compared
            answer_due(assignment, rating, ("sea", "salt"))
    recipe = write_recipe(published_designs()[name].scores.recipe)

    run = request_release(study, recipe, {"has_report": False}, None)
    perform_run(run.pk)

    run.refresh_from_db()
    assert (run.error, run.report["counts"]["ratings_used"]) == ("", 9)
    checks = read_member(run, "checkpoints_en.csv")
    assert checks is not None
    assert len(checks.splitlines()) == 1 + 3 * 2


@pytest.mark.parametrize(
    ("name", "ranges", "error"),
    [
        ("wic", [("0", "1")], "highest: every rating of the scale would do"),
        ("wic", [("T", "T")], 'lowest: "T" is not a point of the study\'s scale, 0 to 1'),
        ("simlex", [("", "6")], "lowest: the field is empty"),
        ("semeval2017-translation", [("0", "1")], NO_RATING),
    ],
)
def test_checkpoint_items_that_check_nothing_are_refused(name, ranges, error):
    study = draft(name)

    with pytest.raises(ImportRefused) as refused:
        import_checkpoints(study, file_of(study, *ranges), per_assignment=1)

    assert error in str(refused.value)
    assert not Pair.objects.checkpoints(study).exists()


def test_a_checkpoint_item_is_in_a_file_and_in_a_study_once():
    study = draft("scws")
    once = file_of(study, ("0", "1"))
    twice = once + once.splitlines(keepends=True)[1]
    with pytest.raises(ImportRefused, match="text1: the same texts as in row 1"):
        import_checkpoints(study, twice, per_assignment=1)
    import_checkpoints(study, once, per_assignment=1)

    with pytest.raises(ImportRefused, match="the study has these texts already, with other words"):
        import_checkpoints(study, file_of(study, ("0", "2")), per_assignment=1)


def test_studies_of_words_share_no_texts():
    draft("simlex", slug="other")

    (overlap,) = list_overlaps(draft("simlex"), Study.objects.all())

    assert (overlap.n_pairs, overlap.n_texts) == (3, 0)
