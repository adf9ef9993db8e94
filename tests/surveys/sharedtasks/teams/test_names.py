import pytest

from surveys.models import AuditEntry
from surveys.sharedtasks.errors import TeamRefused
from surveys.sharedtasks.teams.names import (
    add_team,
    make_name_key,
    read_team_name,
    rename_team,
)
from tests.factories.sharedtasks import make_shared_task, make_team


@pytest.mark.parametrize(
    ("typed", "name"),
    [
        ("Otters", "Otters"),
        ("  Otters \u00a0 of\u2003Ljubljana ", "Otters of Ljubljana"),
        ("Cafe\u0301 42", "Café 42"),
        ("ab", "ab"),
        ("x" * 40, "x" * 40),
        ("تیم\u200cها", "تیم\u200cها"),  # a Persian plural needs the non-joiner
        ("Team 🦦", "Team 🦦"),
    ],
)
def test_read_team_name_normalises(typed, name):
    assert read_team_name(typed) == name


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ("a", "2 to 40 characters"),
        ("   a  ", "2 to 40 characters"),
        ("x" * 41, "2 to 40 characters"),
        ("ﬃ" * 30, "2 to 40 characters"),  # 90 characters without case
        ("a\0b", "U+0000"),
        ("a\nb", "U+000A"),
        ("a\u2028b", "U+2028"),
        ("Otters\u202e", "U+202E"),
        ("Otters\u200f", "U+200F"),
        ("Ot\u200bters", "U+200B"),
        ("Ot\u3164ters", "U+3164"),
        ("Otters\ue000", "U+E000"),
        ("...", "letter or a digit"),
        ("Human", "another row"),
        ("ＨＵＭＡＮ", "another row"),
        ("score  ceiling", "another row"),
        ("Second-Crowd", "another row"),
        ("Best without context", "another row"),
        ("DISTANCE", "another row"),
    ],
)
def test_read_team_name_refuses(typed, said):
    with pytest.raises(TeamRefused, match=said.replace("+", r"\+")):
        read_team_name(typed)


def test_the_key_of_a_name_has_no_case():
    assert make_name_key("ΣΊΣΥΦΟΣ") == make_name_key("σίσυφος")
    assert make_name_key("Cafe\u0301") == make_name_key("CAFÉ")


@pytest.mark.django_db
@pytest.mark.every_database
def test_rename_team_refuses_a_name_in_another_case():
    shared_task = make_shared_task()
    team = make_team(shared_task)
    make_team(shared_task, "Straße")

    with pytest.raises(TeamRefused, match="already"):
        rename_team(team, "STRASSE")

    team.refresh_from_db()
    assert (team.name, team.name_key) == ("Otters", "otters")


@pytest.mark.django_db
@pytest.mark.every_database
def test_the_code_of_a_team_is_no_name_of_another():
    """A board that shows one team by its code would have two rows of this name."""
    team = make_team(make_shared_task())
    other = make_team(team.shared_task, "Herons")

    with pytest.raises(TeamRefused, match="has the name"):
        rename_team(other, team.code.upper())
    with pytest.raises(TeamRefused, match="has the name"):
        add_team(shared_task=team.shared_task, name=team.code)


@pytest.mark.django_db
@pytest.mark.every_database
def test_rename_team_changes_the_case_of_its_own_name():
    team = rename_team(make_team(make_shared_task()), "OTTERS")

    assert (team.name, team.name_key) == ("OTTERS", "otters")
    entry = AuditEntry.objects.get(action="team.renamed")
    assert (entry.scope, entry.subject) == (team.shared_task.scope, "OTTERS")
    assert entry.details == {"before": "Otters"}
