"""Adjudication: once every place is finished, a person decides each item without a majority."""

import re
from decimal import Decimal
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Q

from surveys.access.audit_log import record
from surveys.access.redaction import digest_in_study
from surveys.errors import AdjudicationRefused
from surveys.models import Adjudication, Context, Invitation, Place, Study
from surveys.models.study import Writes
from surveys.recruitment.links import NOTE
from surveys.results.ratings_table import Answer, Tally, tally_answers
from surveys.review.evidence import are_equal


def find_undecided(study: Study) -> list[int]:
    """Return the ids of the contexts without a majority or a decision.

    None before every place is finished.
    """
    if not study.adjudicates or Place.objects.unfinished(study).exists():
        return []
    return [pk for pk, tally in tally_answers(study).items() if tally.answer is None]


def decided_answers(study: Study) -> dict[int, Answer]:
    """Return the majority or the decision by the id of the context, where there is one."""
    tallies = tally_answers(study).items()
    return {pk: tally.answer for pk, tally in tallies if tally.answer is not None}


def has_answered(context: Context, person: User) -> bool:
    """Return whether an annotator of an item came by a personal link for a person.

    The note of the link is the person's name or has their e-mail address; a note that was dropped
    was one of both.
    """
    links = Invitation.objects.filter(
        annotator__responses__context=context, annotator__responses__rated_at__isnull=False
    )
    named = [name for name in (person.username, person.email) if name]
    digests = [digest_in_study(context.pair.study_id, NOTE, name) for name in named]
    is_theirs = Q(note__iexact=person.username) | Q(note_digest__in=digests)
    if person.email:
        address = re.escape(person.email)
        is_theirs |= Q(note__iregex=rf"(^|[\s<,;]){address}($|[\s>,;])")
    return links.filter(is_theirs).exists()


@transaction.atomic
def decide(
    context: Context, by: User, answer: int | Answer, reason: str, *, replaces: int | None
) -> Adjudication:
    """Store a person's decision on an item, in place of the standing one; idempotent.

    `answer` is the id of an annotator's response that is taken, or another answer; `replaces` the
    standing decision that the person has seen. Raises AdjudicationRefused if the item is not to be
    decided, the person has answered it, or another decision was stored meanwhile.
    """
    locked = Context.objects.select_for_update(no_key=True, of=("self",)).select_related(
        "pair__study"
    )
    context = locked.get(pk=context.pk)
    study = context.pair.study
    decisions = Adjudication.objects.standing(study).filter(context=context)
    standing = decisions.select_related("author").first()
    decision = Adjudication(context=context, author=by, reason=reason.strip(), **_fields(answer))
    if standing and _content(standing) == _content(decision):
        return standing
    if standing and standing.pk != replaces:
        raise AdjudicationRefused(
            f"{standing.author} has decided this item meanwhile. Look at that decision first."
        )
    tally = tally_answers(study, pk=context.pk)[context.pk]
    _refuse_undecidable(study, tally, context, by)
    _refuse_answer(study, tally, answer, decision.reason)
    decisions.update(is_standing=False)
    decision.save()
    record("item.decided", study, f"item {context.pair.details['id']}", reason=decision.reason)
    return decision


def _fields(answer: int | Answer) -> dict[str, Any]:
    if isinstance(answer, int):
        return {"response_id": answer}
    if isinstance(answer, Decimal):
        return {"rating": answer}
    written = (" ".join(text.split()) for text in answer)
    return dict(zip(("written1", "written2"), written, strict=True))


def _content(decision: Adjudication) -> tuple[Any, ...]:
    return decision.author_id, decision.response_id, decision.answer, decision.reason


def _refuse_undecidable(study: Study, tally: Tally, context: Context, person: User) -> None:
    if not study.adjudicates:
        raise AdjudicationRefused("By the design of this study no items are decided.")
    if Place.objects.unfinished(study).exists():
        raise AdjudicationRefused("Items are decided once every place of the study is finished.")
    if tally.majority is not None:
        raise AdjudicationRefused("Most annotators give the same answer to this item: it counts.")
    if has_answered(context, person):
        raise AdjudicationRefused(
            "You have answered this item yourself: another person decides it."
        )


def _refuse_answer(study: Study, tally: Tally, answer: int | Answer, reason: str) -> None:
    if not reason:
        raise AdjudicationRefused("Give a reason: it is kept with the decision.")
    if isinstance(answer, int):
        is_valid = answer in tally.answers
    elif isinstance(answer, Decimal):
        is_valid = study.writes != Writes.TRANSLATIONS and answer in study.scale_points
    else:
        is_written = all(map(str.strip, answer)) and not are_equal(*map(str.strip, answer))
        is_valid = study.writes == Writes.TRANSLATIONS and is_written
    if not is_valid:
        raise AdjudicationRefused("This is no answer to the item that counts. Choose another.")
