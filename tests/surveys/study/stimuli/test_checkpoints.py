from decimal import Decimal

import pytest

from postprocess.formats.parsed import MOST_FINDINGS
from surveys.errors import ImportRefused
from surveys.models import Checkpoint, Context, Pair, Study
from surveys.study.stimuli.checkpoints import (
    CheckpointSummary,
    check_checkpoints,
    import_checkpoints,
)
from tests.factories.checkpoints import HEADER, file, numbered_row, row
from tests.factories.studies import make_study, start, stored

pytestmark = pytest.mark.django_db


def n_stored(study: Study) -> tuple[int, ...]:
    """Return the numbers of checkpoint pairs, contexts and ranges, and of items per assignment."""
    contexts = Context.objects.filter(pair__study=study, pair__is_checkpoint=True)
    checkpoints = Checkpoint.objects.filter(context__in=contexts)
    (n_checkpoints,) = stored(study, "n_checkpoints")
    n_pairs = Pair.objects.checkpoints(study).count()
    return n_pairs, contexts.count(), checkpoints.count(), n_checkpoints


def refusal(study: Study, data: bytes, *, per_assignment: int = 1) -> list[str]:
    """Return the message of a refused import, by line, and check that nothing changed."""
    before = (n_stored(study), stored(study, "revision"))
    with pytest.raises(ImportRefused) as refused:
        import_checkpoints(study, data, per_assignment=per_assignment)
    assert (n_stored(study), stored(study, "revision")) == before
    return str(refused.value).splitlines()


@pytest.mark.every_database
def test_import_checkpoints_stores_items_with_their_range():
    study = make_study(1)

    summary = import_checkpoints(study, file(row(), numbered_row(2)), per_assignment=2)

    assert summary == CheckpointSummary(
        n_new=2, n_known=0, per_assignment=2, warnings=(), is_change=True
    )
    assert n_stored(study) == (2, 2, 2, 2)
    first = Checkpoint.objects.get(context__pair__position=1)
    assert (first.lowest, first.highest) == (Decimal(5), Decimal(6))
    context = first.context
    assert (context.number, context.form1, context.form2) == (1, "sofas", "couch")
    assert context.text == "The sofas came. It rained. A couch stayed."
    assert stored(context.pair, "word1", "word2", "is_checkpoint") == ("sofa", "couch", True)


def test_import_checkpoints_mixes_items_into_later_assignments():
    study = make_study(3)
    before = start(study)

    import_checkpoints(study, file(row(), numbered_row(2)), per_assignment=2)

    n_known = [
        assignment.responses.filter(pair__is_checkpoint=True).count()
        for assignment in (before, start(study))
    ]
    assert n_known == [0, 2]


def test_import_checkpoints_leaves_the_stimuli_alone():
    study = make_study(3)
    before = list(Pair.objects.stimuli(study).values_list("pk", "position"))

    import_checkpoints(study, file(row()), per_assignment=1)

    assert list(Pair.objects.stimuli(study).values_list("pk", "position")) == before


def test_import_checkpoints_twice_changes_nothing():
    study = make_study(1)
    import_checkpoints(study, file(row(), numbered_row(2)), per_assignment=1)
    before = stored(study, "revision", "n_checkpoints")

    summary = import_checkpoints(study, file(row(), numbered_row(2)), per_assignment=1)

    assert summary == CheckpointSummary(
        n_new=0, n_known=2, per_assignment=1, warnings=(), is_change=False
    )
    assert stored(study, "revision", "n_checkpoints") == before
    assert n_stored(study) == (2, 2, 2, 1)


@pytest.mark.every_database
def test_import_checkpoints_appends_new_items():
    study = make_study(1)
    import_checkpoints(study, file(row()), per_assignment=1)

    summary = import_checkpoints(study, file(numbered_row(2), row()), per_assignment=2)

    assert (summary.n_new, summary.n_known, summary.is_change) == (1, 1, True)
    texts = Pair.objects.checkpoints(study).values_list("position", "contexts__text")
    assert [(position, "no. 2" in text) for position, text in texts] == [(1, False), (2, True)]


def test_import_checkpoints_changes_their_number():
    study = make_study(1)
    import_checkpoints(study, file(row(), numbered_row(2)), per_assignment=1)

    summary = import_checkpoints(study, file(row()), per_assignment=2)

    assert (summary.n_new, summary.n_known, summary.is_change) == (0, 1, True)
    assert n_stored(study) == (2, 2, 2, 2)


def test_import_checkpoints_dry_run_stores_nothing():
    study = make_study(1)
    before = stored(study, "revision")

    summary = import_checkpoints(study, file(row()), per_assignment=1, dry_run=True)

    assert (summary.n_new, summary.is_change) == (1, True)
    assert n_stored(study) == (0, 0, 0, 0)
    assert stored(study, "revision") == before


def test_import_checkpoints_accepts_points_of_the_scale():
    study = make_study(1, scale_minimum=Decimal(-1), scale_step=Decimal("0.5"))

    import_checkpoints(study, file(row(lowest="-1", highest="1.50")), per_assignment=1)

    assert stored(Checkpoint.objects.get(), "lowest", "highest") == (Decimal(-1), Decimal("1.5"))


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"", "the file is empty; it needs a header and rows"),
        (HEADER.replace("\tlowest", "").encode() + b"\n", "missing column: lowest"),
        (file(), "the file has a header but no rows; add the rows"),
        (file(row(word1="a\tb")), "row 1 (line 2): 8 fields instead of 7"),
        (file(row()).replace(b"rained", b"r\xe9ined"), "row 1 (line 2): not UTF-8"),
        (file(row(word1=" ")), "row 1 (line 2), word1: the field is empty; fill it in"),
        (file(row(word2="co\x07uch")), "row 1 (line 2), word2: a control character"),
        (file(row(word1="couch")), 'row 1 (line 2), word2: both words are "couch"'),
        (file(row(word1_context="couch")),
         'row 1 (line 2), word2_context: both inflected forms are "couch"'),
        (file(row(context="The sofas and the <strong>couch</strong>.")),
         'row 1 (line 2), context: the word "sofas" (word1_context) is not marked'),
        (file(row(lowest="low")),
         'row 1 (line 2), lowest: "low" is not a point of the study\'s scale, 0 to 6'),
        (file(row(lowest="sNaN")), 'row 1 (line 2), lowest: "sNaN" is not a point'),
        (file(row(highest="7")), 'row 1 (line 2), highest: "7" is not a point'),
        (file(row(highest="5.5")), 'row 1 (line 2), highest: "5.5" is not a point'),
        (file(row(lowest="6", highest="5")),
         "row 1 (line 2), lowest: 6 is more than highest, 5"),
        (file(row(lowest="0", highest="6")), "row 1 (line 2), highest: every rating"),
        (file(row(), row()), "row 2 (line 3), context: the same text as in row 1"),
    ],
)  # fmt: skip
def test_import_checkpoints_refuses_errors(data, said):
    (line,) = refusal(make_study(1), data)

    assert line.startswith(said)


def test_import_checkpoints_reports_all_errors_at_once():
    data = file(row(word1="", lowest="9"), numbered_row(2), row(highest="-1", word2=""))

    lines = refusal(make_study(1), data, per_assignment=9)

    places = [line.split(": ")[0] for line in lines]
    assert places == [
        "row 1 (line 2), word1", "row 1 (line 2), lowest",
        "row 3 (line 4), word2", "row 3 (line 4), highest",
    ]  # fmt: skip


@pytest.mark.parametrize("changed", [{"lowest": "4"}, {"word1": "settee"}], ids=["range", "words"])
def test_import_checkpoints_refuses_to_change_stored_items(changed):
    study = make_study(1)
    import_checkpoints(study, file(row()), per_assignment=1)

    said = "the study has this text already, with other words or another range"
    assert refusal(study, file(numbered_row(2), row(**changed))) == [
        f"row 2 (line 3), context: {said}"
    ]


@pytest.mark.parametrize("per_assignment", [0, 3])
def test_import_checkpoints_refuses_more_per_assignment_than_stored(per_assignment):
    data = file(row(), numbered_row(2))

    said = "An assignment can have from 1 to 2 checkpoint items, as many as there are"
    assert refusal(make_study(1), data, per_assignment=per_assignment) == [
        f"{said}, not {per_assignment}."
    ]


def test_import_checkpoints_reports_warnings():
    cut = row(
        context="Some <strong>sofas</strong>. It rained. A <strong>cafe</strong>\u0301 was shut.",
        word2_context="cafe",
    )
    data = file(cut).replace(HEADER.encode(), f"{HEADER}\tnote".encode())
    data = data.replace(b"\t6\n", b"\t6\tx\n")

    summary = import_checkpoints(make_study(1), data, per_assignment=1)

    assert [(finding.row, finding.column) for finding in summary.warnings] == [
        (None, None), (1, "context"),
    ]  # fmt: skip
    assert summary.n_new == 1


@pytest.mark.parametrize(("form", "n_errors"), [("cafe", 0), ("no form", MOST_FINDINGS + 2)])
def test_check_checkpoints_stops_at_errors_and_never_at_warnings(form, n_errors):
    n_rows = MOST_FINDINGS + 3
    texts = (
        f"Sofa {n}: <strong>sofas</strong>. A <strong>cafe</strong>\u0301. It rained."
        for n in range(n_rows)
    )
    rows = [row(context=text, word2_context=form) for text in texts]

    checked = check_checkpoints(make_study(1), file(*rows))

    assert len(checked.errors) == n_errors
    assert checked.n_pairs == (0 if n_errors else n_rows)
    assert len(checked.warnings) == (0 if n_errors else MOST_FINDINGS + 1)
