import secrets
import string
from datetime import datetime
from typing import ClassVar, Self

from django.conf import settings
from django.db import models
from django.db.models import Q

from surveys.models.access import LimitedAccount
from surveys.sharedtasks.models.tasks import Phase, SharedTask

CODE_LETTERS = 10


def make_code() -> str:
    """Return ten random letters, for a team without its name or the address of a result."""
    return "".join(secrets.choice(string.ascii_lowercase) for _ in range(CODE_LETTERS))


class TeamKind(models.TextChoices):
    """Whose predictions are shown under a name."""

    TEAM = "team", "team"
    BASELINE = "baseline", "baseline of the organisers: a reference row, never ranked"
    TRIAL = "trial", "trial of the organisers: marked, never ranked"


class TeamState(models.TextChoices):
    """What a team may do: pending and excluded teams submit nothing."""

    PENDING = "pending", "pending"
    ACCEPTED = "accepted", "accepted"
    EXCLUDED = "excluded", "excluded"
    WITHDRAWN = "withdrawn", "withdrawn"
    MERGED = "merged", "merged into another team"


class TeamQuerySet(models.QuerySet["Team"]):
    def competing(self) -> Self:
        """Return accepted teams of participants."""
        return self.filter(kind=TeamKind.TEAM, state=TeamState.ACCEPTED)


class Team(models.Model):
    """Those who submit under one name, and the description of their system."""

    shared_task = models.ForeignKey(SharedTask, models.CASCADE, related_name="teams")
    kind = models.CharField(max_length=10, choices=TeamKind, default=TeamKind.TEAM)
    name = models.CharField(max_length=40)
    name_key = models.CharField(max_length=80, help_text="the name in NFC, case folded")
    code = models.CharField(max_length=CODE_LETTERS, default=make_code)
    state = models.CharField(max_length=10, choices=TeamState, default=TeamState.ACCEPTED)
    state_reason = models.CharField(max_length=300, blank=True, default="")
    merged_into = models.ForeignKey(
        "self", models.PROTECT, null=True, blank=True, related_name="merged_teams"
    )
    hides_name = models.BooleanField(
        default=False, help_text="boards show the team's code instead, also once they are published"
    )
    accepted_terms = models.CharField(
        max_length=64, blank=True, default="", help_text="SHA-256 of the terms it accepted"
    )
    accepted_terms_at = models.DateTimeField(null=True, blank=True)
    contact = models.CharField(
        max_length=200, blank=True, default="", help_text="for organisers alone"
    )
    system = models.CharField(max_length=60, blank=True, default="", help_text="name of the system")
    summary = models.CharField(max_length=1000, blank=True, default="", help_text="Markdown")
    models_used = models.CharField(max_length=500, blank=True, default="")
    resources = models.CharField(
        max_length=500, blank=True, default="",
        help_text="such as human scores out of context, translations, data for fine-tuning",
    )  # fmt: skip
    paper_url = models.URLField(max_length=500, blank=True, default="")
    code_url = models.URLField(max_length=500, blank=True, default="")
    publishes_scores = models.BooleanField(default=False)
    publishes_files = models.BooleanField(default=False, help_text="under CC BY 4.0")
    described_at = models.DateTimeField(
        null=True, blank=True, help_text="when the description was completed"
    )
    created_at = models.DateTimeField(auto_now_add=True)

    objects = TeamQuerySet.as_manager()

    class Meta:
        ordering: ClassVar = ["name_key"]
        constraints: ClassVar = [
            models.UniqueConstraint(fields=("shared_task", "name_key"), name="team_name_once"),
            models.UniqueConstraint(fields=("shared_task", "code"), name="team_code_once"),
            models.CheckConstraint(
                condition=Q(state=TeamState.MERGED, merged_into__isnull=False)
                | ~Q(state=TeamState.MERGED) & Q(merged_into=None),
                name="merged_teams_name_another",
            ),
        ]

    def __str__(self) -> str:
        return self.name


class TeamMember(models.Model):
    """A participant in a team. A person is in one team of a shared task."""

    shared_task = models.ForeignKey(
        SharedTask, models.CASCADE, related_name="members", db_index=False
    )
    team = models.ForeignKey(Team, models.CASCADE, related_name="members")
    participant = models.ForeignKey(LimitedAccount, models.CASCADE, related_name="memberships")
    is_captain = models.BooleanField(default=False)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering: ClassVar = ["-is_captain", "participant__user__username"]
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=("shared_task", "participant"), name="one_team_a_person_and_task"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.participant} in {self.team}"


class TeamInvitationQuerySet(models.QuerySet["TeamInvitation"]):
    def valid(self, now: datetime) -> Self:
        """Return the links that may still be used."""
        return self.filter(used_at=None, revoked_at=None, expires_at__gt=now)


class TeamInvitation(models.Model):
    """A one-time link with which a person joins a team, or sets a new password.

    Only its digest is stored. `participant` is set for a new password alone.
    """

    team = models.ForeignKey(Team, models.CASCADE, related_name="invitations")
    participant = models.ForeignKey(
        LimitedAccount, models.CASCADE, null=True, blank=True, related_name="+"
    )
    is_captain = models.BooleanField(default=False)
    digest = models.CharField(max_length=64, unique=True, help_text="SHA-256 of its token")
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.SET_NULL, null=True, blank=True, related_name="+"
    )
    created_at = models.DateTimeField(auto_now_add=True)
    expires_at = models.DateTimeField()
    used_at = models.DateTimeField(null=True, blank=True)
    revoked_at = models.DateTimeField(null=True, blank=True)

    objects = TeamInvitationQuerySet.as_manager()

    class Meta:
        ordering: ClassVar = ["-pk"]

    def __str__(self) -> str:
        return f"link to {self.team}"


class Allowance(models.Model):
    """Attempts that organisers gave a team in a phase, beyond everybody's attempts."""

    team = models.ForeignKey(Team, models.CASCADE, related_name="allowances")
    phase = models.ForeignKey(Phase, models.CASCADE, related_name="allowances")
    n_attempts = models.PositiveSmallIntegerField()
    reason = models.CharField(max_length=300)

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=("team", "phase"), name="one_allowance_a_phase"),
        ]

    def __str__(self) -> str:
        return f"{self.n_attempts} more attempts of {self.team} in {self.phase}"
