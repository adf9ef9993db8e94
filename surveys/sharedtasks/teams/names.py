"""Names of teams: what they consist of, and which are the same."""

import re
import unicodedata
from collections.abc import Collection
from typing import Any

from django.db import IntegrityError, transaction

from surveys.access.audit_log import record
from surveys.sharedtasks.errors import TeamRefused
from surveys.sharedtasks.models import Team

SHORTEST, LONGEST, LONGEST_KEY = 2, 40, 80
# Controls, surrogates, private use, and separators of lines and paragraphs.
REFUSED_CATEGORIES = frozenset({"Cc", "Cs", "Co", "Zl", "Zp"})
DIRECTIONS = frozenset("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
BOUNDS = frozenset(
    {
        "human", "humans", "ceiling", "scoreceiling", "secondcrowd", "asecondcrowd", "average",
        "bestwithoutcontext",
    }
)  # fmt: skip
RESERVED = BOUNDS | {
    "baseline", "baselines", "constant", "distance", "form", "static", "scores", "import",
    "contextual", "organiser", "organisers",
}  # fmt: skip
TAKEN = "A team of this shared task has the name “{}” already. Choose another name."


def read_team_name(text: str) -> str:
    """Return a name of a team in NFC with single spaces. Raises TeamRefused for one not allowed."""
    return _refuse_reserved(read_row_name(text), RESERVED)


def read_row_name(text: str) -> str:
    """Return a name of a team or baseline, as `read_team_name`. Raises TeamRefused.

    Refused are only names of bounds, such as *human*, which no submission has.
    """
    from postprocess.formats.invisible import list_invisible

    name = unicodedata.normalize("NFC", text)
    refused = [
        character
        for character in name
        if unicodedata.category(character) in REFUSED_CATEGORIES or character in DIRECTIONS
    ] or list_invisible(name)
    if refused:
        raise TeamRefused(
            f"The name has the character U+{ord(refused[0]):04X}, which cannot be seen or changes "
            "the direction of the text. Enter the name again without it."
        )
    name = " ".join(name.split())
    if not SHORTEST <= len(name) <= LONGEST or len(make_name_key(name)) > LONGEST_KEY:
        raise TeamRefused(f"The name of a team has {SHORTEST} to {LONGEST} characters.")
    if not any(character.isalnum() for character in name):
        raise TeamRefused("The name of a team has a letter or a digit.")
    return _refuse_reserved(name, BOUNDS)


def _refuse_reserved(name: str, reserved: Collection[str]) -> str:
    if re.sub(r"[\W_]+", "", unicodedata.normalize("NFKC", name).casefold()) in reserved:
        raise TeamRefused(f"“{name}” is the name of another row of boards. Choose another name.")
    return name


def make_name_key(name: str) -> str:
    """Return the key under which a name is unique in a shared task: case does not count.

    >>> make_name_key("Straße") == make_name_key("STRASSE")
    True
    """
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", name).casefold())


def _refuse_code(shared_task: Any, key: str) -> None:
    """Raise TeamRefused for a name that is the code of a team, under which boards may show it."""
    if Team.objects.filter(shared_task=shared_task, code=key).exists():
        raise TeamRefused(TAKEN.format(key))


def add_team(**fields: object) -> Team:
    """Store a team with a name that was read. Raises TeamRefused if the name is taken."""
    name = str(fields["name"])
    key = make_name_key(name)
    _refuse_code(fields["shared_task"], key)
    try:
        with transaction.atomic():
            return Team.objects.create(name_key=key, **fields)
    except IntegrityError as error:
        raise TeamRefused(TAKEN.format(name)) from error


@transaction.atomic
def rename_team(team: Team, name: str) -> Team:
    """Give a team another name. Raises TeamRefused for one that is taken or not allowed."""
    name = read_team_name(name)
    team = Team.objects.select_for_update(no_key=True).get(pk=team.pk)
    if name == team.name:
        return team
    key, before = make_name_key(name), team.name
    others = Team.objects.filter(shared_task=team.shared_task_id, name_key=key).exclude(pk=team.pk)
    if others.exists():
        raise TeamRefused(TAKEN.format(name))
    _refuse_code(team.shared_task, key)
    team.name, team.name_key = name, key
    try:
        with transaction.atomic():
            team.save(update_fields=["name", "name_key"])
    except IntegrityError as error:  # another team took it at the same time
        raise TeamRefused(TAKEN.format(name)) from error
    record("team.renamed", team.shared_task, name, before=before)
    return team
