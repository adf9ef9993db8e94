from typing import Any
from urllib.parse import urlsplit

from django.core.management.base import CommandError, CommandParser
from django.db.models import F

from surveys.management.commands._base import SurveyCommand, find_study, words
from surveys.models import Invitation, Study
from surveys.participation.withdrawal import revoke_invitation


class Command(SurveyCommand):
    help = "Revoke a personal link. Submitted answers stay."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("study")
        parser.add_argument("invitation", help="the link, its last part, or its note")
        parser.add_argument("--because", type=words(200), required=True, help="kept with the link")

    def handle(self, *, study: str, because: str, **options: Any) -> None:
        invitation = find_invitation(find_study(study), options["invitation"].strip())
        name = f"{invitation} ({invitation.note})" if invitation.note else str(invitation)
        if invitation.revoked_at:
            self.stdout.write(f"Nothing changed: {name} is revoked ({invitation.revoked_because}).")
            return
        revoke_invitation(invitation, because)
        self.stdout.write(f"Revoked {name}.")


def find_invitation(study: Study, named: str) -> Invitation:
    """Return the invitation with this link, token or note. Raises CommandError if there is none.

    If several have the note, the one that is not revoked, or else the last.
    """
    valid_first = F("revoked_at").desc(nulls_first=True)
    invitations = Invitation.objects.filter(study=study).order_by(valid_first, "-pk")
    token = urlsplit(named).path.rstrip("/").rpartition("/")[2]
    match = invitations.filter(token=token).first() or invitations.filter(note=named).first()
    if not named or match is None:
        raise CommandError(f"Study {study.slug} has no invitation with this link or note.")
    return match
