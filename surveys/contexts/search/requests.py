"""Searches in corpora as background jobs: requested, found again, and cancelled."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction

from surveys.access.audit_log import record
from surveys.contexts.candidates import refuse_standing_choices
from surveys.contexts.models import CandidatePair, SearchKind
from surveys.contexts.picking import CANDIDATES, MOST_CANDIDATES
from surveys.contexts.search.listing import find_corpora
from surveys.errors import RunRefused
from surveys.jobs.queue import end_job
from surveys.models import Job, JobState, Run, Study
from surveys.models.results import RunQuerySet
from surveys.results.runs import store_request
from surveys.study.lifecycle import lock_draft

WINDOWS_PER_PAIR = 100  # usually
MOST_PAIRS, MOST_WINDOWS = 10_000, 1_000
CANCELLED = "It was cancelled."


@dataclass(frozen=True)
class SearchRequest:
    """The request for a search of a whole study, as stored with its job.

    `filters` are changes of the filters, `source` what is known of documents that do not state it,
    `by_sent_id` as in a search of the library.
    """

    corpora: Sequence[str]
    pairs: Sequence[Sequence[str]]
    per_pair: int = WINDOWS_PER_PAIR
    number: int = CANDIDATES
    filters: Sequence[str] = ()
    source: Mapping[str, str] = field(default_factory=dict)
    discards_choices: bool = False
    by_sent_id: bool = False


@transaction.atomic
def request_search(study: Study, request: SearchRequest, by: User | None) -> Run:
    """Queue a search for a draft's candidates, in place of its present candidates.

    Raises RunRefused if a corpus is missing or another search is in progress, CandidatesKept if
    there are choices that are not to be discarded, and StudyOpen.
    """
    lock_draft(study)
    find_corpora(request.corpora)
    if not request.discards_choices:
        refuse_standing_choices(study)
    return _queue(study, asdict(request), by)


@transaction.atomic
def request_more(
    pair: CandidatePair,
    corpora: Sequence[str],
    number: int,
    filters: Sequence[str],
    by: User | None,
) -> Run:
    """Queue a search for further candidates of one pair.

    Raises RunRefused if a corpus is missing, another search is in progress, or the pair would have
    more candidates than there are keys; and StudyOpen.
    """
    lock_draft(pair.study)
    find_corpora(corpora)
    if number > (n_left := MOST_CANDIDATES - pair.n_candidates):
        raise RunRefused(f"A pair has at most {MOST_CANDIDATES} candidates, so {n_left} more.")
    last = find_searches(pair.study).filter(job__request__has_key="pairs").first()
    request = {
        "pair": pair.number,
        "words": [pair.word1, pair.word2],
        "corpora": list(corpora),
        "number": number,
        "filters": list(filters),
        "source": last.request["source"] if last else {},
        "by_sent_id": bool(last and last.request.get("by_sent_id")),
    }
    return _queue(pair.study, request, by)


@transaction.atomic
def cancel_search(run: Run) -> None:
    """Cancel a search. Raises RunRefused if its candidates are stored already, or it failed."""
    locked = Run.objects.select_for_update(no_key=True, of=("self",)).get(pk=run.pk)
    under_way = Job.objects.under_way().filter(pk=run.job_id)
    is_stored = locked.report is not None
    if is_stored or not end_job(under_way, locked.job, JobState.FAILED, CANCELLED):
        raise RunRefused("The search is over already.")
    record("search.cancelled", run.study, run.name)
    run.refresh_from_db()


def find_searches(study: Study) -> RunQuerySet:
    """Return the searches of a study, latest first."""
    return Run.objects.filter(study=study, kind=SearchKind.SEARCH)


def find_windows(study: Study) -> Run | None:
    """Return the last search of a whole study that keeps its windows, or None."""
    return find_searches(study).with_file().first()


def _queue(study: Study, request: Mapping[str, Any], by: User | None) -> Run:
    run = store_request(study, SearchKind.SEARCH, by, request)  # locks the study
    if find_searches(study).under_way().exclude(pk=run.pk).exists():
        raise RunRefused("A search is already in progress. Wait until it ends, or cancel it.")
    return run
