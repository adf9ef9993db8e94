"""Study → the links that annotators come by."""

import re
from collections.abc import Iterable
from typing import Any, NamedTuple
from urllib.parse import urljoin

from django.conf import settings as site
from django.db import transaction
from django.urls import reverse
from django.utils import timezone

from surveys.errors import InvitationRefused, SettingRefused
from surveys.models import Entrance, Invitation, Provider, Study

LONGEST_NOTE = 200
CODES = ("completion_code", "no_place_code")
CODE = re.compile(r"[A-Za-z0-9_-]{1,40}")


class InvitedList(NamedTuple):
    """The invitations that a list of notes led to."""

    new: list[Invitation]
    known: list[Invitation]


def personal_link(token: str, base_url: str = "") -> str:
    """The address that an invitation is sent out as, on this site or on another."""
    return urljoin(base_url or site.SITE_URL, reverse("annotate:welcome", args=[token]))


def entrance_address(entrance: Entrance) -> str:
    """The address at which people arrive through an entrance."""
    return urljoin(site.SITE_URL, reverse("annotate:arrive", args=[entrance.token]))


def invite_annotators(study: Study, count: int) -> list[Invitation]:
    """Make that many personal links."""
    return Invitation.objects.bulk_create(Invitation(study=study) for _ in range(count))


@transaction.atomic
def invite_listed(study: Study, notes: Iterable[str]) -> InvitedList:
    """Make a personal link for each label or address of a list that has no valid one yet.

    Raises InvitationRefused, naming the lines, when one is too long or stands twice.
    """
    wanted = _read_notes(notes)
    Study.objects.select_for_update(no_key=True).get(pk=study.pk)  # two imports of the list at once
    noted = Invitation.objects.filter(study=study, revoked_at=None).exclude(note="")
    by_note = {invitation.note: invitation for invitation in noted}
    known = [by_note[note] for note in wanted if note in by_note]
    new = Invitation.objects.bulk_create(
        Invitation(study=study, note=note) for note in wanted if note not in by_note
    )
    return InvitedList(new, known)


def invite_scripted_annotators(study: Study, count: int) -> list[Invitation]:
    """Make that many links for a rehearsal: what is answered by them stays known as scripted."""
    return Invitation.objects.bulk_create(
        Invitation(study=study, is_rehearsal=True) for _ in range(count)
    )


@transaction.atomic
def open_entrance(study: Study, provider: str, **settings: Any) -> Entrance:
    """Open the study's one entrance of a provider, or change its settings and open it again.

    Settings are cap, completion_code and no_place_code. Raises SettingRefused.
    """
    _refuse_settings(provider, settings)
    entrances = Entrance.objects.select_for_update(no_key=True)
    entrance, _ = entrances.get_or_create(study=study, provider=provider)
    for name, setting in {**settings, "closed_at": None}.items():
        setattr(entrance, name, setting)
    entrance.save()
    return entrance


def _refuse_settings(provider: str, settings: dict[str, Any]) -> None:
    if provider not in Provider.values:
        raise SettingRefused(f"No such provider: {provider}.")
    if unknown := sorted(set(settings) - {"cap", *CODES}):
        raise SettingRefused(f"No such setting: {', '.join(unknown)}.")
    cap = settings.get("cap")
    if cap is not None and (not isinstance(cap, int) or cap < 0):
        raise SettingRefused(f"The cap must be a whole number from 0, got {cap!r}.")
    for name in CODES:
        code = settings.get(name, "")
        if code and not CODE.fullmatch(code):
            raise SettingRefused(
                f"The {name.replace('_', ' ')} may have up to 40 letters, digits, hyphens and "
                f"underscores, got {code!r}."
            )


def close_entrance(entrance: Entrance) -> Entrance:
    """Let nobody start through it any more; who has started goes on."""
    Entrance.objects.filter(pk=entrance.pk, closed_at=None).update(closed_at=timezone.now())
    entrance.refresh_from_db()
    return entrance


def _read_notes(notes: Iterable[str]) -> list[str]:
    """The notes without empty lines, each once."""
    found: dict[str, int] = {}
    problems = []
    for number, note in enumerate(map(str.strip, notes), 1):
        if not note:
            continue
        if len(note) > LONGEST_NOTE:
            problems.append(f"line {number} is longer than {LONGEST_NOTE} characters")
        elif note in found:
            problems.append(f"line {number} says the same as line {found[note]}")
        elif "\0" in note:
            problems.append(f"line {number} holds a null character")
        found.setdefault(note, number)
    if problems:
        raise InvitationRefused(f"Nobody was invited: {'; '.join(problems)}.")
    if not found:
        raise InvitationRefused("Nobody was invited: the list is empty.")
    return list(found)
