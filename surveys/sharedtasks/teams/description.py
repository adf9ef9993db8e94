"""What a team tells about itself: the terms that it accepted, and the description of its system."""

import hashlib
from collections.abc import Mapping
from datetime import datetime

from django.db import transaction

from surveys.access.audit_log import record
from surveys.sharedtasks.errors import TeamRefused
from surveys.sharedtasks.models import SharedTask, SharedTaskState, Team
from surveys.sharedtasks.teams.attempts import is_limited

REQUIRED = {
    "system": "the name of the system",
    "summary": "what the system does",
    "models_used": "the models",
    "resources": "the resources",
    "contact": "a contact for the organisers",
    "publishes_scores": "consent to the publication of the scores",
}
OPTIONAL = ("paper_url", "code_url", "publishes_files", "hides_name")
FIELDS = (*REQUIRED, *OPTIONAL)


def list_missing(team: Team) -> list[str]:
    """Return what a complete description still lacks."""
    return [what for name, what in REQUIRED.items() if not getattr(team, name)]


def may_describe(team: Team) -> bool:
    """Return whether the description may be changed: until the boards are final."""
    return team.shared_task.state == SharedTaskState.OPEN


@transaction.atomic
def describe_team(team: Team, fields: Mapping[str, object], *, now: datetime) -> Team:
    """Store parts of a description, also if others are missing. Raises TeamRefused when final."""
    team = Team.objects.select_for_update(no_key=True).get(pk=team.pk)
    if not may_describe(team):
        raise TeamRefused("The boards are final, so descriptions can no longer be changed.")
    changed = {name: value for name, value in fields.items() if value != getattr(team, name)}
    if unknown := sorted(changed.keys() - {*FIELDS}):
        raise TeamRefused(f"A description has no {', '.join(unknown)}.")
    for name, value in changed.items():
        setattr(team, name, value)
    is_complete = not list_missing(team)
    if not is_complete:
        team.described_at = None
    elif team.described_at is None:
        team.described_at = now
    if changed:
        team.save(update_fields=[*changed, "described_at"])
        record("team.described", team.shared_task, team.name, changed=sorted(changed))
    return team


def has_accepted_terms(team: Team) -> bool:
    """Return whether a team accepted the terms as they are now."""
    return not team.shared_task.terms or team.accepted_terms == digest_terms(team.shared_task)


def require_terms(team: Team) -> None:
    """Raise TeamRefused for a team that has not accepted the terms as they are now.

    Teams of organisers need not.
    """
    if is_limited(team) and not has_accepted_terms(team):
        raise TeamRefused(
            "Your team has not accepted the terms as they are now. A member does this on the page "
            "of the team, under Accept the terms."
        )


@transaction.atomic
def accept_terms(team: Team, *, now: datetime) -> Team:
    """Record that a team accepted the terms as they are now; idempotent."""
    team = Team.objects.select_for_update(no_key=True).get(pk=team.pk)
    digest = digest_terms(team.shared_task)
    if team.accepted_terms == digest:
        return team
    team.accepted_terms, team.accepted_terms_at = digest, now
    team.save(update_fields=["accepted_terms", "accepted_terms_at"])
    record("team.terms_accepted", team.shared_task, team.name)
    return team


def digest_terms(shared_task: SharedTask) -> str:
    """Return the SHA-256 digest of the terms, which names their version."""
    return hashlib.sha256(shared_task.terms.encode()).hexdigest()
