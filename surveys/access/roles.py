"""Who may do what in a study."""

from collections.abc import Iterable, Mapping
from enum import Enum
from typing import Any

from django.contrib.auth.models import AbstractBaseUser, AnonymousUser, User
from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models import QuerySet
from django.http import HttpRequest

from surveys.access.audit_log import record
from surveys.errors import AccessRefused
from surveys.models import Membership, Role, Study

LONGEST_USERNAME = 150
Somebody = User | AbstractBaseUser | AnonymousUser


class Right(Enum):
    """What can be done in a study, with the roles that may."""

    READ = frozenset(Role)  # and judge answers
    WORK = frozenset({Role.OWNER, Role.RESEARCHER})
    OWN = frozenset({Role.OWNER})


def visible_studies(user: Somebody) -> QuerySet[Study]:
    """The studies in which somebody has a role; an operator has one in all."""
    if not user.is_active:
        return Study.objects.none()
    if getattr(user, "is_superuser", False):
        return Study.objects.all()
    return Study.objects.filter(memberships__user_id=user.pk)


def role_in(study: Study, user: Somebody) -> Role | None:
    """Somebody's role in a study; an operator owns all of them."""
    if not user.is_active:
        return None
    if getattr(user, "is_superuser", False):
        return Role.OWNER
    membership = Membership.objects.of(user).filter(study=study).first()
    return Role(membership.role) if membership else None


def list_names(users: Iterable[int]) -> dict[int, str]:
    """The names of accounts by their ids."""
    return dict(User.objects.filter(pk__in=set(users)).values_list("pk", "username"))


def find_account(username: str) -> User:
    """The account of that name which may sign in. Raises AccessRefused where there is none."""
    user = User.objects.filter(username=username.strip(), is_active=True).first()
    if user is None:
        raise AccessRefused(
            "There is no such account. An operator makes accounts: manage.py add_researcher."
        )
    return user


@transaction.atomic
def grant_role(study: Study, user: User, role: Role) -> Membership:
    """Give somebody a role in a study, in place of the one they had.

    Raises AccessRefused where nobody would own the study any more.
    """
    Study.objects.select_for_update(no_key=True).get(pk=study.pk)
    if role is not Role.OWNER:
        _refuse_ownerless(study, user)
    membership, _ = Membership.objects.update_or_create(
        study=study, user=user, defaults={"role": role}
    )
    record("member.granted", study, user.get_username(), role=role.value)
    return membership


@transaction.atomic
def revoke_role(study: Study, user: User) -> None:
    """Take somebody out of a study. Raises AccessRefused for its last owner."""
    Study.objects.select_for_update(no_key=True).get(pk=study.pk)
    _refuse_ownerless(study, user)
    if Membership.objects.of(user).filter(study=study).delete()[0]:
        record("member.revoked", study, user.get_username())


@transaction.atomic
def add_researcher(
    username: str, password: str, *, study: Study | None = None, role: Role = Role.OWNER
) -> tuple[User, bool]:
    """The account of that name, made if there is none, with a role in a study if one is given.

    Whether it is new stands beside it: only then the password is set. Raises AccessRefused for a
    name that no account can have.
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
    owners = Membership.objects.filter(study=study, role=Role.OWNER)
    if owners.of(leaving).exists() and owners.count() == 1:
        raise AccessRefused(
            f"{leaving.get_username()} is the only owner of {study}; make somebody else one first."
        )


def read_username(request: HttpRequest, credentials: Mapping[str, Any] | None = None) -> str:
    """The name under which somebody tries to sign in, no longer than any account's.

    Longer ones would be more than the table of wrong passwords holds, as would NUL characters.
    """
    sent = request.POST if credentials is None else credentials
    return str(sent.get("username") or "").replace("\0", "")[:LONGEST_USERNAME]
