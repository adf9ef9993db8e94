"""Roles in a study, the rights they give, and the accounts that have them."""

from collections.abc import Iterable, Mapping
from enum import Enum
from typing import Any

from django.conf import settings
from django.contrib.auth.models import AbstractBaseUser, AnonymousUser, User
from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models import QuerySet
from django.http import HttpRequest

from surveys.access.audit_log import record
from surveys.errors import AccessRefused
from surveys.models import Membership, Role, Study

MAX_USERNAME_LENGTH = 150
VISITOR = "visitor"  # in a demonstration study, also without an account; never stored
DEMONSTRATION = "demo-finished"
# The demonstration studies: their names, and digests of their stimuli, `demo/finished_*.tsv`.
DEMONSTRATED = {
    DEMONSTRATION: "f7207c28397ea7cfcfdc8db40f34f89188e37cfd49c662e034337e380db43e5b",
    "demo-words": "ddb1a93cb123eceafca23fcf4d3c353bbb366655fb8657a5db575cab4dace055",
    "demo-uses": "856b14df880c42608ff0b97591d47e50286e33463c4449ed0bdb72bda55d195d",
}
DEMO_TO_COME = "demo-to-come"  # in the cache: whether that study is still being made
HOME_MARK = "home"  # key of a session
AnyUser = User | AbstractBaseUser | AnonymousUser


class Right(Enum):
    """A right in a study; its value is the set of roles that have it."""

    LOOK = frozenset({VISITOR})  # at pages that show no account and no link of an annotator
    READ = frozenset(Role)  # and review answers
    WORK = frozenset({Role.OWNER, Role.RESEARCHER})
    OWN = frozenset({Role.OWNER})


def visible_studies(user: AnyUser) -> QuerySet[Study]:
    """Return the studies in which a user has a role; operators see all studies."""
    if not user.is_active:
        return Study.objects.none()
    if getattr(user, "is_superuser", False):
        return Study.objects.all()
    return Study.objects.filter(memberships__user_id=user.pk)


def role_in(study: Study, user: AnyUser) -> Role | None:
    """Return a user's role in a study, or None; operators own all studies."""
    if not user.is_active:
        return None
    if getattr(user, "is_superuser", False):
        return Role.OWNER
    memberships = Membership.objects.filter(study=study, user_id=user.pk).order_by()  # one at most
    role = next(iter(memberships.values_list("role", flat=True)), None)
    return Role(role) if role else None


def role_of_reader(study: Study, user: AnyUser) -> str | None:
    """Return the role in which a user may read pages of a study, if only as a visitor, or None."""
    role = role_in(study, user)
    return role or (VISITOR if is_shown(study) else None)


def name_rights(role: str) -> frozenset[str]:
    """Return the names of the rights of a role, in lower case.

    >>> sorted(name_rights("researcher")), sorted(name_rights("visitor"))
    (['read', 'work'], ['look'])
    """
    return frozenset(right.name.lower() for right in Right if role in right.value)


def is_demonstration(study: Study) -> bool:
    """Return whether a study is a finished demo study, and no person has answered it."""
    if study.stimuli_sha256 != DEMONSTRATED.get(study.slug):
        return False
    return not study.annotators.exclude(invitation__is_rehearsal=True).exists()


def is_shown(study: Study) -> bool:
    """Return whether visitors may look at a study: a demo study, unless settings hide them."""
    return settings.SHOW_DEMO and not study.is_draft and is_demonstration(study)


def find_demonstrations() -> list[Study]:
    """Return the studies that visitors may look at, that of CoSimLex's design first."""
    if not settings.SHOW_DEMO:
        return []
    studies = Study.objects.in_bulk(DEMONSTRATED, field_name="slug")
    return [studies[slug] for slug in DEMONSTRATED if slug in studies and is_shown(studies[slug])]


def is_limited(user: AnyUser) -> bool:
    """Return whether an account opens neither the console nor the admin, and has no role."""
    return hasattr(user, "limited_account")  # the user keeps the answer of the database


def mark_session(request: HttpRequest, user: User, **sent: object) -> None:
    """Mark the session of a limited account that has signed in; a receiver of `user_logged_in`.

    The mark spares the console a query for each page. Without it the account could still do
    nothing there: `grant_role` gives none a role.
    """
    request.session.pop(HOME_MARK, None)
    if is_limited(user):
        request.session[HOME_MARK] = user.limited_account.home


def find_home(request: HttpRequest) -> str | None:
    """Return the name of the first page of the session's account, or None unless it is limited."""
    return request.session.get(HOME_MARK)


def list_names(users: Iterable[int]) -> dict[int, str]:
    """Return the names of accounts by id."""
    return dict(User.objects.filter(pk__in=set(users)).values_list("pk", "username"))


def find_account(username: str) -> User:
    """Return the active account of a researcher with a name. Raises AccessRefused for no such."""
    researchers = User.objects.filter(is_active=True, limited_account=None)
    user = researchers.filter(username=username.strip()).first()
    if user is None:
        raise AccessRefused(
            "No account with this name exists. Invite the person under People; operators can also "
            "create accounts, with manage.py add_researcher."
        )
    return user


@transaction.atomic
def grant_role(study: Study, user: User, role: Role) -> Membership:
    """Give a user a role in a study; it replaces any earlier one.

    Raises AccessRefused if the study would have no owner, and for a limited account.
    """
    Study.objects.select_for_update(no_key=True).get(pk=study.pk)
    if is_limited(user):
        raise AccessRefused(
            f"{user.get_username()} is a limited account, which opens no study. Invite the person "
            "under another name."
        )
    if role is not Role.OWNER:
        _refuse_ownerless(study, user)
    membership, _ = Membership.objects.update_or_create(
        study=study, user=user, defaults={"role": role}
    )
    record("member.granted", study, user.get_username(), role=role.value)
    return membership


@transaction.atomic
def revoke_role(study: Study, user: User) -> None:
    """Remove a user from a study. Raises AccessRefused for the only owner."""
    Study.objects.select_for_update(no_key=True).get(pk=study.pk)
    _refuse_ownerless(study, user)
    if study.memberships.filter(user=user).delete()[0]:
        record("member.revoked", study, user.get_username())


@transaction.atomic
def add_researcher(
    username: str, password: str, *, study: Study | None = None, role: Role = Role.OWNER
) -> tuple[User, bool]:
    """Return the account with a name, and whether it is new.

    A new one gets the password, and either a role in the study if one is given. Raises
    AccessRefused for an invalid name.
    """
    user = User.objects.filter(username=username).first()
    is_new = user is None
    if user is None:
        user = User(username=username)
        user.set_password(password)
        try:
            user.full_clean()
        except ValidationError as error:
            raise AccessRefused(" ".join(error.messages)) from error
        user.save()
        record("account.made", None, username)
    if study is not None:
        grant_role(study, user, role)
    return user, is_new


def _refuse_ownerless(study: Study, leaving: User) -> None:
    owners = study.memberships.filter(role=Role.OWNER)
    if owners.filter(user=leaving).exists() and owners.count() == 1:
        raise AccessRefused(
            f"{leaving.get_username()} is the only owner of {study}; add another owner first."
        )


def read_username(request: HttpRequest, credentials: Mapping[str, Any] | None = None) -> str:
    """Return the user name of a sign-in attempt, without NUL and cut to the length of accounts'.

    The table of failed attempts could not store it otherwise.
    """
    sent = request.POST if credentials is None else credentials
    return str(sent.get("username") or "").replace("\0", "")[:MAX_USERNAME_LENGTH]
