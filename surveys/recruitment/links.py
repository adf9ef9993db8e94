"""Personal links and entrances: creation, changes, lists."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any, NamedTuple
from urllib.parse import urljoin

from django.conf import settings as site
from django.db import transaction
from django.db.models import BooleanField, Count, ExpressionWrapper, Q
from django.urls import reverse
from django.utils import timezone

from surveys.access.audit_log import record
from surveys.access.redaction import digest_in_study
from surveys.errors import InvitationRefused, SettingRefused
from surveys.models import AssignmentState, Entrance, Invitation, Provider, Study
from surveys.models.recruitment import REVOKED, UNUSED, InvitationQuerySet
from surveys.recruitment.providers import arrival_parameters
from surveys.study.design import refuse_unpayable

LONGEST_NOTE = 200
NOTE = "note"
MOST_INVITED = 10_000  # at once; more is a typing error
CODES = ("completion_code", "no_place_code")
CODE = re.compile(r"[A-Za-z0-9_-]{1,40}")


class InvitedList(NamedTuple):
    """The new and existing invitations for a list of notes, and all invitations by note."""

    new: list[Invitation]
    existing: list[Invitation]
    by_note: dict[str, Invitation]


def personal_link(token: str, base_url: str = "") -> str:
    """Return the URL of an invitation, on this site or on another."""
    return urljoin(base_url or site.SITE_URL, reverse("annotate:welcome", args=[token]))


def no_mail_link(token: str) -> str:
    """Return the URL at which the recipient of an invitation asks for no more e-mails."""
    return urljoin(site.SITE_URL, reverse("annotate:no_mail", args=[token]))


def entrance_address(entrance: Entrance) -> str:
    """Return the URL at which annotators arrive through an entrance."""
    return urljoin(site.SITE_URL, reverse("annotate:arrive", args=[entrance.token]))


def address_for_provider(entrance: Entrance) -> str:
    """Return the URL to give to a provider, with placeholders for its parameters."""
    parameters = arrival_parameters(entrance.provider)
    return f"{entrance_address(entrance)}{parameters and '?'}{parameters}"


@transaction.atomic
def invite_annotators(study: Study, count: int, *, n_before: int | None = None) -> list[Invitation]:
    """Create personal links.

    Raises InvitationRefused for an invalid count, and if the number of existing links is not
    `n_before`: a form that is sent twice creates links once.
    """
    if not 0 <= count <= MOST_INVITED:
        raise InvitationRefused(f"Up to {MOST_INVITED:,} links can be made at once, not {count:,}.")
    if n_before is not None:
        refuse_others_meanwhile(study, n_before)
    made = Invitation.objects.bulk_create(Invitation(study=study) for _ in range(count))
    record("invitations.made", study, "", new=len(made))
    return made


def refuse_others_meanwhile(study: Study, n_before: int) -> None:
    """Raise InvitationRefused unless the number of personal links is still the expected one."""
    Study.objects.select_for_update(no_key=True).get(pk=study.pk)  # two forms at once
    if n_before != Invitation.objects.personal(study).count():
        raise InvitationRefused(
            "Links were made since this page was opened, perhaps by sending it twice. Look at the "
            "list, and send it again if more are wanted."
        )


@transaction.atomic
def invite_listed(study: Study, notes: Iterable[str]) -> InvitedList:
    """Create a personal link for each listed label or address without a valid one.

    Raises InvitationRefused, naming the lines, for a note that is too long or repeated.
    """
    requested = read_notes(notes)
    Study.objects.select_for_update(no_key=True).get(pk=study.pk)  # two imports of the list at once
    by_note = _find_noted(study, requested)
    existing = [by_note[note] for note in requested if note in by_note]
    new = Invitation.objects.bulk_create(
        Invitation(study=study, note=note) for note in requested if note not in by_note
    )
    record("invitations.made", study, "from a list", new=len(new), known=len(existing))
    return InvitedList(new, existing, by_note | {invitation.note: invitation for invitation in new})


def _find_noted(study: Study, notes: Iterable[str]) -> dict[str, Invitation]:
    """Return the valid links for these notes, including notes stored as a digest."""
    valid = Invitation.objects.filter(study=study, revoked_at=None)
    links = {invitation.note: invitation for invitation in valid.exclude(note="")}
    dropped = {invitation.note_digest: invitation for invitation in valid.exclude(note_digest="")}
    digests = {digest_in_study(study.pk, NOTE, note): note for note in notes} if dropped else {}
    links |= {note: dropped[digest] for digest, note in digests.items() if digest in dropped}
    return links


def find_invitations(
    study: Study, *, sees_addresses: bool, state: str = "", note: str = "", through: str = ""
) -> InvitationQuerySet:
    """Return a study's links with their states, the latest first, filtered."""
    links = Invitation.objects
    matches = links.by_people(study) if through else links.personal(study)
    if note:
        matches = matches.noted(note, sees_addresses=sees_addresses)
    located: Any = matches.with_link_state().order_by("-pk")
    narrowed: InvitationQuerySet = located.filter(link_state=state) if state else located
    return narrowed


def count_links(study: Study, before: datetime) -> Counter[tuple[str, bool]]:
    """Return the number of personal links by state, and whether they were created by an instant."""
    is_older = ExpressionWrapper(Q(created_at__lte=before), output_field=BooleanField())
    links: Any = Invitation.objects.personal(study).with_link_state().order_by()
    rows = links.annotate(is_older=is_older).values_list("link_state", "is_older")
    return Counter({(state, older): n for state, older, n in rows.annotate(n=Count("pk"))})


def sum_by_state(links: Mapping[tuple[str, bool], int]) -> dict[str, int]:
    """Return the number of personal links by state, summed from `count_links`."""
    states = (UNUSED, *AssignmentState.values, REVOKED)
    counts = {state: links.get((state, True), 0) + links.get((state, False), 0) for state in states}
    return {state: n for state, n in counts.items() if n}


def invite_scripted_annotators(study: Study, count: int) -> list[Invitation]:
    """Create links for a rehearsal, whose answers are marked as scripted."""
    return Invitation.objects.bulk_create(
        Invitation(study=study, is_rehearsal=True) for _ in range(count)
    )


@transaction.atomic
def open_entrance(study: Study, provider: str, **settings: Any) -> Entrance:
    """Open the study's entrance for a provider, or change its settings and reopen it.

    Settings are cap, completion_code and no_place_code. Raises SettingRefused, also for an open
    link without a code while the study promises pay.
    """
    _refuse_settings(provider, settings)
    study = Study.objects.select_for_update(no_key=True).get(pk=study.pk)  # its pay, too
    entrances = Entrance.objects.select_for_update(no_key=True)
    entrance, _ = entrances.get_or_create(study=study, provider=provider)
    for name, setting in {**settings, "closed_at": None}.items():
        setattr(entrance, name, setting)
    if entrance.completion_code and entrance.completion_code == entrance.no_place_code:
        raise SettingRefused(
            "The two codes must differ: by them the provider tells who has finished from who "
            "found no place."
        )
    entrance.save()
    refuse_unpayable(study)
    record("entrance.opened", study, entrance.get_provider_display(), cap=entrance.cap)
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


@transaction.atomic
def close_entrance(entrance: Entrance) -> Entrance:
    """Close a link to new annotators; idempotent. Annotators under way may continue."""
    is_open = Entrance.objects.filter(pk=entrance.pk, closed_at=None)
    if is_open.update(closed_at=timezone.now()):
        record("entrance.closed", entrance.study, entrance.get_provider_display())
    entrance.refresh_from_db()
    return entrance


def read_notes(notes: Iterable[str]) -> list[str]:
    """Return the notes without empty lines and repeated addresses.

    Raises InvitationRefused, naming the invalid lines.
    """
    seen: dict[str, int] = {}
    problems = []
    lines = list(notes)
    if len(lines) > MOST_INVITED:
        raise InvitationRefused(
            f"Nobody was invited: the list has {len(lines):,} lines, and may have {MOST_INVITED:,}."
        )
    for number, note in enumerate(map(str.strip, lines), 1):
        if not note:
            continue
        if len(note) > LONGEST_NOTE:
            problems.append(f"line {number} is longer than {LONGEST_NOTE} characters")
        elif note in seen and "@" not in note:  # two people may have one name, not one address
            problems.append(f"line {number} says the same as line {seen[note]}")
        elif "\0" in note:
            problems.append(f"line {number} holds a null character")
        seen.setdefault(note, number)
    if problems:
        raise InvitationRefused(f"Nobody was invited: {'; '.join(problems)}.")
    if not seen:
        raise InvitationRefused("Nobody was invited: the list is empty.")
    return list(seen)
