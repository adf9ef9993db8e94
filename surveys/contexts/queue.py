"""Which pair an expert is given next, and in which order its candidates are shown."""

import hashlib
from datetime import timedelta
from typing import NamedTuple

from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone

from surveys.contexts.candidates import KEYS
from surveys.contexts.models import (
    Candidate,
    CandidatePair,
    CandidateSet,
    ContextChoice,
    ContextClaim,
)
from surveys.models import Study

CLAIM_PERIOD = timedelta(minutes=30)  # to read the candidates of a pair


class KeyedCandidate(NamedTuple):
    """A candidate, and the key that chooses it."""

    key: str
    candidate: Candidate


@transaction.atomic
def claim_next(study: Study, expert: User) -> CandidatePair | None:
    """Claim the next pair for an expert, in the order of the file; None if there is none.

    Their claim on the pair before is given up. Pairs that others have open come later.
    """
    stored = CandidateSet.objects.select_for_update(no_key=True).filter(study=study).first()
    if stored is None:
        return None
    now = timezone.now()
    claims = ContextClaim.objects.filter(pair__study=study)
    claims.filter(expert=expert).delete()
    claims.filter(until__lte=now).delete()
    pairs = CandidatePair.objects.filter(study=study)
    pair = pairs.open_to(expert, now, is_double=stored.is_double).order_by("number").first()
    if pair is not None:
        ContextClaim.objects.create(pair=pair, expert=expert, until=now + CLAIM_PERIOD)
    return pair


def order_candidates(pair: CandidatePair, expert: User) -> list[KeyedCandidate]:
    """Return the candidates of a pair in a random order, always the same for an expert."""

    def draw(candidate: Candidate) -> bytes:
        return hashlib.sha256(f"{expert.pk} {pair.pk} {candidate.window}".encode()).digest()

    shuffled = sorted(pair.candidates.all(), key=draw)
    return [KeyedCandidate(key, shown) for key, shown in zip(KEYS, shuffled, strict=False)]


def find_latest(study: Study, expert: User) -> ContextChoice | None:
    """Return an expert's last choice that was not undone, with all that the page shows."""
    choices = ContextChoice.objects.standing().filter(pair__study=study, expert=expert)
    latest = choices.select_related("pair__study", "candidate1", "candidate2")
    return latest.prefetch_related("edits").order_by("-pk").first()
