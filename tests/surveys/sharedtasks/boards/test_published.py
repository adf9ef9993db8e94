"""Published boards: what is imported, by whom, and rows that are computed again."""

import pandas as pd
import pytest
from django.core.management.base import CommandError

from surveys.models import AuditEntry
from surveys.sharedtasks.boards.published import (
    import_board,
    name_column,
    read_board,
    show_board,
)
from surveys.sharedtasks.errors import SharedTaskRefused
from surveys.sharedtasks.models import PublishedBoard
from surveys.sharedtasks.parts import PartFiles, add_part
from tests.factories.sharedtasks import predictions, result_file
from tests.machine import COSIMLEX, SHARED
from tests.surveys.management.running import run

pytestmark = pytest.mark.django_db
TABLE = "kind\tname\toutside\tsl\tde-es\nteam\tOtters\t\t0.77\t.80\nbaseline\tform\t\t.5\t\n"
FIELDS = {"name": "table-1", "title": "Table 1", "source": "Otter (2020), Table 1", "table": TABLE}
BOARDS = SHARED / "boards"


@pytest.fixture
def board_file(tmp_path):
    path = tmp_path / "board.tsv"
    path.write_text(TABLE)
    return path


@pytest.fixture
def mbert(draft_task):
    """A draft with the published Finnish and Slovene data, and the folder of mBERT's files."""
    if not (COSIMLEX.exists() and BOARDS.exists()):
        pytest.skip("not in a clone: ../shared")
    from postprocess.formats.files import render_gold

    for language in ("fi", "sl"):
        dataset = pd.read_csv(COSIMLEX / f"cosimlex_{language}.csv", sep="\t", quoting=3)
        gold = render_gold(dataset[["sim1", "sim2"]]).encode()
        data = (COSIMLEX / f"data_{language}.tsv").read_bytes()
        add_part(draft_task, language, PartFiles(data, gold))
    return COSIMLEX / "baseline_mbert"


def describe(name):
    return ("--name", name, "--title", name.capitalize(), "--source", "Armendariz et al. (2020)")


def test_import_board_stores_the_files_as_they_are(shared_task, board_file):
    said, _ = run("import_board", "gwsc", board_file, *describe("table-2"), "--places", "dense")

    board = PublishedBoard.objects.get()
    assert said == "Imported table-2: /tasks/gwsc/published/table-2/\n"
    assert (board.table, board.order, board.places, board.imported_by) == (TABLE, "", "dense", None)
    entry = AuditEntry.objects.get(action="board.imported")
    assert (entry.actor, entry.subject) == ("the command line", "table-2")
    assert entry.details["sha256"] == board.sha256


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"source": ""}, "source: This field cannot be blank"),
        ({"name": "Table 2"}, "name: Enter a valid"),
        ({"address": "javascript:alert(1)"}, "address: Enter a valid URL"),
        ({"table": TABLE.replace("0.77", "77")}, "table: row 1 (line 2), sl: Otters: “77”"),
        ({"order": "printed_row\tlanguage\tname\tscore\n1\tsl\tOtters\t0.770\n"},
         "order: row 1 (line 2), score: Otters, sl: 0.770 here and 0.77 in the table"),
    ],
)  # fmt: skip
def test_a_board_is_refused_with_a_reason_and_nothing_is_stored(shared_task, changed, message):
    with pytest.raises(SharedTaskRefused) as refused:
        import_board(read_board(shared_task, {**FIELDS, **changed}, None))

    assert message in str(refused.value)
    assert not PublishedBoard.objects.exists()


def test_a_name_is_taken_once_in_a_task(shared_task):
    first, second = (read_board(shared_task, FIELDS, None) for _ in range(2))
    import_board(first)

    with pytest.raises(SharedTaskRefused, match="is taken"):
        import_board(second)
    with pytest.raises(SharedTaskRefused, match="has this name"):
        read_board(shared_task, FIELDS, None)


def test_import_board_refuses_tasks_rows_and_folders_it_cannot_use(
    shared_task, board_file, tmp_path
):
    folder = tmp_path / "results"
    folder.mkdir()
    files = [result_file(predictions(), subtask) for subtask in (1, 2)]
    given = ("import_board", "gwsc", board_file, *describe("a"), "--recompute")
    for name, content in files:
        (folder / name).write_bytes(content)

    with pytest.raises(CommandError, match="Unknown shared task 'other'"):
        run("import_board", "other", board_file, *describe("a"))
    with pytest.raises(CommandError, match="no row “Stoats”"):
        run(*given, "Stoats", folder)
    with pytest.raises(CommandError, match="files of several subtasks"):
        run(*given, "Otters", folder)
    assert not PublishedBoard.objects.exists()


def test_a_computed_score_has_three_decimals_until_the_gold_is_public(
    shared_task, board_file, tmp_path
):
    name, content = result_file(predictions())
    (tmp_path / "results").mkdir()
    (tmp_path / "results" / name).write_bytes(content)
    run("import_board", "gwsc", board_file, *describe("a"), "--recompute", "Otters",
        tmp_path / "results")  # fmt: skip
    board = PublishedBoard.objects.get()
    exact = board.recomputed[0]["cells"]["sl"]["score"]

    ((_, (hidden,)),) = show_board(board).recomputed
    board.shared_task.state = "published"
    ((_, (public,)),) = show_board(board).recomputed

    assert (hidden.printed, hidden.score) == ("0.77", f"{exact:.3f}")
    assert public.score == f"{exact:.6f}"
    assert not public.is_equal


@pytest.mark.parametrize(
    ("subtask", "expected"),
    [
        (1, {"Finnish": "0.671", "Slovenian": "0.603"}),
        (2, {"Finnish": "0.289", "Slovenian": "0.516"}),
    ],
)
def test_mberts_files_have_the_digits_that_tables_2_and_3_print(mbert, subtask, expected):
    files = (
        BOARDS / f"subtask{subtask}.tsv",
        "--order",
        BOARDS / f"subtask{subtask}-as-printed.tsv",
    )

    run("import_board", "gwsc", *files, *describe("printed"), "--recompute", "mBERT_uncased", mbert,
        "--subtask", str(subtask))  # fmt: skip

    shown = show_board(PublishedBoard.objects.get())
    ((item, cells),) = shown.recomputed
    assert {cell.column: cell.printed for cell in cells} == expected
    assert all(cell.is_equal for cell in cells)
    assert len(item["cells"]["fi"]["gold_sha256"]) == 64
    assert len(shown.board.sha256) == 64
    assert "probably filled in by the scorer" in shown.marks[0]


def test_a_pair_of_languages_is_no_language_of_a_country():
    named = {"sl": "Slovenian", "ar-ar": "Arabic–Arabic", "en-xq": "en-xq", "pt-BR": "pt-BR"}
    assert {name: name_column(name) for name in named} == named
