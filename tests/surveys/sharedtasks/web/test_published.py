"""The page of a published board, its form for organisers, and its deletion."""

import pytest
from django.contrib.auth.models import User

from surveys.models import AuditEntry
from surveys.sharedtasks.boards.published import import_board, read_board
from surveys.sharedtasks.models import PublishedBoard
from tests.factories.clients import client_of
from tests.factories.organised import page

pytestmark = [pytest.mark.django_db, pytest.mark.shared_task(has_data=False, has_organiser=True)]
ADDRESS = "/tasks/gwsc/published/table-1/"
TABLE = (
    "kind\tname\toutside\tsl\tfi\n"
    "team\tOtters & Co\t\t0.77\t0.571\nteam\tHerons\t\t0.77\t-\nteam\tLate\ttoo late\t0.9\t\n"
    "baseline\tform\t\t.5\t0.571"
)
SENT = {
    "name": "table-1", "title": "Table 1", "source": "Otter (2020), Table 1", "text": "Changes.",
    "places": "competition", "table": TABLE,
}  # fmt: skip


@pytest.fixture
def printed_board(shared_task):
    return import_board(read_board(shared_task, SENT, None))


def test_the_page_shows_the_printed_digits_and_nothing_more(client, printed_board):
    shown = client.get(ADDRESS).text

    assert "Otter (2020), Table 1" in shown
    assert shown.count('<td class="number">0.77</td>') == 2
    assert "0.770" not in shown
    assert shown.count("1=") == 2
    assert "too late" in shown
    assert "Otters &amp; Co (Finnish): equal to the baseline form: probably filled in" in shown
    assert "average" not in shown.lower()


def test_the_files_are_sent_as_they_were_imported(client, printed_board):
    answer = client.get(f"{ADDRESS}table.tsv")

    assert answer.content.decode() == TABLE
    assert "gwsc_table-1_table.tsv" in answer["Content-Disposition"]
    assert client.get(f"{ADDRESS}order.tsv").status_code == 404
    assert client.get(f"{ADDRESS}sha256.tsv").status_code == 404


def test_the_overview_links_to_the_board(client, printed_board):
    assert ADDRESS in client.get("/tasks/gwsc/").text


@pytest.mark.shared_task(has_data=False, has_organiser=True, state="draft", opened_at=None)
def test_a_board_of_a_draft_is_for_its_organisers_alone(client, as_ana, printed_board):
    mate = client_of(User.objects.create_user("mate"))
    for address in (ADDRESS, f"{ADDRESS}table.tsv"):
        assert client.get(address).status_code == 404
        assert mate.get(address).status_code == 404
        assert as_ana.get(address).status_code == 200


def test_a_preview_stores_nothing_and_the_import_is_logged(as_ana, client, shared_task):
    sent = {**SENT, "preview": "yes"}
    assert "As printed in" in as_ana.post(page("import_published"), sent).text
    assert not PublishedBoard.objects.exists()

    answer = as_ana.post(page("import_published"), SENT)

    assert answer["Location"] == page("scores")
    assert ADDRESS in as_ana.get(page("scores")).text
    stored = PublishedBoard.objects.get()
    assert (stored.table, stored.imported_by.username) == (TABLE, "ana")
    assert AuditEntry.objects.get(action="board.imported").actor == "ana"


def test_a_wrong_table_is_refused_on_the_form(as_ana, shared_task):
    answer = as_ana.post(page("import_published"), {**SENT, "table": TABLE.replace("0.9", "9")})

    assert answer.status_code == 422
    assert "Late: “9” is not a score from -1 to 1" in answer.text
    assert not PublishedBoard.objects.exists()


def test_a_board_is_deleted_after_a_question_and_logged(as_ana, client, printed_board):
    address = page("delete_published", "table-1")
    assert "Delete it" in as_ana.get(address).text
    assert PublishedBoard.objects.exists()

    as_ana.post(address)

    assert client.get(ADDRESS).status_code == 404
    entry = AuditEntry.objects.get(action="board.deleted")
    assert (entry.actor, entry.details["sha256"]) == ("ana", printed_board.sha256)
