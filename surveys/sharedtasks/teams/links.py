"""One-time links with which people join a team, or choose a new password.

The site stores only the digest of a link. It works once, for two weeks.
"""

import hashlib
import secrets
from datetime import datetime, timedelta

from django.conf import settings
from django.contrib.auth.models import User
from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction
from django.urls import reverse

from surveys.access.audit_log import acting, record
from surveys.models import LimitedAccount
from surveys.sharedtasks.errors import TeamRefused
from surveys.sharedtasks.models import (
    SharedTask,
    SharedTaskState,
    Team,
    TeamInvitation,
    TeamMember,
    TeamState,
)
from surveys.sharedtasks.teams.description import accept_terms, digest_terms
from surveys.sharedtasks.teams.members import add_member, has_test_begun, require_captain
from surveys.sharedtasks.teams.names import add_team, read_team_name

HOME = "sharedtasks:account"  # of participants, whose accounts open the pages of teams alone
LIFETIME = timedelta(days=14)
N_BYTES = 32
MOST_OPEN = 30  # links of a team that are open at the same time
MOST_MEMBERS = 50
INVALID = "This link is no longer valid. Ask the person who sent it for a new one."


@transaction.atomic
def invite_team(shared_task: SharedTask, name: str, *, by: User, now: datetime) -> tuple[Team, str]:
    """Create an accepted team, and return it with the link for its captain.

    Raises TeamRefused for a name that is taken or not allowed, and in a draft.
    """
    if shared_task.state == SharedTaskState.DRAFT:
        raise TeamRefused("Open the shared task first; teams cannot see a draft.")
    team = add_team(shared_task=shared_task, name=read_team_name(name))
    record("team.made", shared_task, team.name)
    return team, make_link(team, by=by, now=now, is_captain=True)


@transaction.atomic
def make_link(team: Team, *, by: User, now: datetime, is_captain: bool = False) -> str:
    """Return a new link with which a person joins a team. Raises TeamRefused."""
    team = Team.objects.select_for_update(no_key=True).get(pk=team.pk)
    _require_open(team)
    if TeamInvitation.objects.valid(now).filter(team=team).count() >= MOST_OPEN:
        raise TeamRefused(f"{MOST_OPEN} links of the team are open. Revoke one first.")
    record("team.link_made", team.shared_task, team.name)
    return _make_link(team=team, created_by=by, is_captain=is_captain, expires_at=now + LIFETIME)


@transaction.atomic
def make_member_link(captain: TeamMember, *, now: datetime) -> str:
    """Return a new link for a member of a captain's own team. Raises TeamRefused."""
    require_captain(captain, now)
    return make_link(captain.team, by=captain.participant.user, now=now)


@transaction.atomic
def make_password_link(member: TeamMember, *, by: User, now: datetime) -> str:
    """Return a link with which a member chooses a new password; earlier links end.

    The link gives access to the account. Raises TeamRefused for a member who is also in a team of
    a shared task that the other does not organise.
    """
    participant = member.participant
    tasks = SharedTask.objects.filter(members__participant=participant)
    if not by.is_superuser and tasks.exclude(organisers__user=by).exists():
        raise TeamRefused(
            f"{participant} is also in a shared task that you do not organise. Ask an operator of "
            "the site to make the link."
        )
    TeamInvitation.objects.valid(now).filter(participant=participant).update(revoked_at=now)
    record("team.password_link_made", member.shared_task, member.team.name, member=str(participant))
    return _make_link(
        team=member.team, created_by=by, participant=participant, expires_at=now + LIFETIME
    )


@transaction.atomic
def revoke_link(invitation: TeamInvitation, *, now: datetime) -> None:
    """Revoke a link, which then opens nothing; idempotent."""
    if TeamInvitation.objects.valid(now).filter(pk=invitation.pk).update(revoked_at=now):
        team = invitation.team
        record("team.link_revoked", team.shared_task, team.name)


def find_link(token: str, now: datetime) -> TeamInvitation | None:
    """Return the link of a token, or None if it is unknown, used, revoked or expired.

    A captain's link to join ends when test data open.
    """
    links = TeamInvitation.objects.valid(now).select_related(
        "team__shared_task", "participant__user", "created_by"
    )
    link = links.filter(digest=_digest(token)).first()
    if link is None or link.team.shared_task.state == SharedTaskState.DRAFT:
        return None
    if link.participant is not None:
        return link if link.participant.user.is_active else None
    is_open = link.team.state in (TeamState.ACCEPTED, TeamState.PENDING)
    is_captains = LimitedAccount.objects.filter(user=link.created_by_id).exists()
    if not is_open or (is_captains and has_test_begun(link.team.shared_task, now)):
        return None
    return link


@transaction.atomic
def join_team(token: str, user: User, *, now: datetime) -> TeamMember:
    """Let a participant join the team of a link, which is used up. Raises TeamRefused."""
    return _join(_use_link(token, now=now, to_join=True), user.limited_account, now=now)


@transaction.atomic
def join_with_account(token: str, username: str, password: str, *, now: datetime) -> TeamMember:
    """Create the account of a participant, who joins the team of a link. Raises TeamRefused."""
    link = _use_link(token, now=now, to_join=True)
    participant = make_account(username, password)
    with acting(participant.user):
        return _join(link, participant, now=now)


@transaction.atomic
def choose_password(token: str, password: str, *, now: datetime) -> User:
    """Set the password of the account of a link, which is used up. Raises TeamRefused."""
    link = _use_link(token, now=now, to_join=False)
    if link.participant is None:
        raise TeamRefused(INVALID)
    user: User = link.participant.user
    user.set_password(password)
    user.save(update_fields=["password"])
    with acting(user):
        record("account.password_chosen", None, user.get_username())
    return user


def make_account(username: str, password: str) -> LimitedAccount:
    """Create the account of a participant. Raises TeamRefused for a name taken or not allowed."""
    user = User(username=username.strip())
    try:
        user.full_clean(exclude=["password"])
    except ValidationError as error:
        raise TeamRefused(" ".join(error.messages)) from error
    user.set_password(password)  # takes long, so only an allowed name costs it
    try:
        with transaction.atomic():
            user.save()
    except IntegrityError as error:  # another person took the name at the same time
        raise TeamRefused("A user with that username already exists.") from error
    return LimitedAccount.objects.create(user=user, home=HOME)


def _join(link: TeamInvitation, participant: LimitedAccount, *, now: datetime) -> TeamMember:
    team = Team.objects.select_for_update(no_key=True).get(pk=link.team_id)
    if team.members.count() >= MOST_MEMBERS:
        raise TeamRefused(f"The team has {MOST_MEMBERS} members, which is the most.")
    member = add_member(team, participant, is_captain=link.is_captain)
    if link.is_captain:
        accept_terms(team, now=now)
    terms = digest_terms(team.shared_task) if team.shared_task.terms else None
    record("team.joined", team.shared_task, team.name, terms=terms)
    return member


def _use_link(token: str, *, now: datetime, to_join: bool) -> TeamInvitation:
    """Mark a link as used, within the caller's transaction."""
    TeamInvitation.objects.select_for_update(no_key=True).filter(digest=_digest(token)).first()
    link = find_link(token, now)  # read under the lock: two tabs may use it
    if link is None or (link.participant is None) != to_join:
        raise TeamRefused(INVALID)
    link.used_at = now
    link.save(update_fields=["used_at"])
    return link


def _require_open(team: Team) -> None:
    if team.state not in (TeamState.ACCEPTED, TeamState.PENDING):
        raise TeamRefused(f"The team is {team.get_state_display()}; nobody can join it now.")


def _make_link(**fields: object) -> str:
    token = secrets.token_urlsafe(N_BYTES)
    TeamInvitation.objects.create(digest=_digest(token), **fields)
    return f"{settings.SITE_URL}{reverse('sharedtasks:invitation', args=[token])}"


def _digest(token: str) -> str:
    """Return the digest of a token; 256 random bits need no salt and no slow hash."""
    return hashlib.sha256(token.encode(errors="replace")).hexdigest()
