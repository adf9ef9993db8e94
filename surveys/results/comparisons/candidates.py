"""What the ratings of a study can be compared with, and who may see a comparison.

A comparison with another study shows figures of both: only users who may work in both see it, and
for others neither it nor the other study exists.
"""

from typing import Any, NamedTuple

from django.contrib.auth.models import User
from django.db.models import Exists, OuterRef, Q, QuerySet
from django.db.models.fields.json import KT

from surveys.access.roles import Right, visible_studies
from surveys.models import Annotator, ImportedCollection, Membership, Run, Study
from surveys.models.results import RunQuerySet

MOST_RUNS = 50  # of other studies, that are offered
COLLECTION, STUDY, RUN = "collection", "study", "run"


class Candidate(NamedTuple):
    """A collection to compare with: its kind and id, and its description."""

    kind: str
    pk: int
    label: str

    @property
    def code(self) -> str:
        """The candidate as a form and a program send it, such as "collection-3"."""
        return f"{self.kind}-{self.pk}"


class Candidates(NamedTuple):
    """Everything a study can be compared with, for one user."""

    collections: list[Candidate]
    same_stimuli: list[Candidate]
    other_stimuli: list[Candidate]
    runs: list[Candidate]

    def find(self, code: str) -> Candidate | None:
        """Return the candidate with a code, or None."""
        matches = (candidate for group in self for candidate in group if candidate.code == code)
        return next(matches, None)


def list_candidates(study: Study, user: User | None) -> Candidates:
    """Return what a study can be compared with by a user, or by an operator if None.

    Runs that hold ratings of annotators who have withdrawn are left out.
    """
    collections = ImportedCollection.objects.filter(study=study).defer("ratings")
    if study.kind.n_contexts == 1:  # published data sets
        listed = [Candidate(COLLECTION, row.pk, row.name) for row in collections]
        return Candidates(listed, [], [], [])
    others = open_studies(user).exclude(pk=study.pk).order_by("slug")
    same = others.filter(stimuli_sha256=study.stimuli_sha256)
    runs = Run.objects.results().done().filter(study__in=others).with_withdrawn_since()
    runs = runs.select_related("study").defer("report")
    return Candidates(
        [Candidate(COLLECTION, row.pk, _describe_imported(row)) for row in collections],
        [Candidate(STUDY, row.pk, _describe_study(row)) for row in same],
        [
            Candidate(STUDY, row.pk, _describe_study(row))
            for row in others.exclude(stimuli_sha256=study.stimuli_sha256)
        ],
        [
            Candidate(RUN, row.pk, f"{row.study.slug}, {row.name}: {row.recipe_name}")
            for row in runs[:MOST_RUNS]
            if not getattr(row, "n_withdrawn_since", 0)
        ],
    )


def find_code(collection: int | None, slug: str | None, run: int | None) -> str:
    """Return the code for a collection or run, by its id, or for another study, by its slug.

    It is empty without such a study. `list_candidates` decides what a user may see.
    """
    if collection is not None:
        return f"{COLLECTION}-{collection}"
    if run is not None:
        return f"{RUN}-{run}"
    named = Study.objects.filter(slug=slug).first()
    return f"{STUDY}-{named.pk}" if named else ""


def may_work_in(study: Study, user: User | None) -> bool:
    """Return whether a user, or an operator if None, may see the results of a study."""
    return open_studies(user).filter(pk=study.pk).exists()


def visible_comparisons(study: Study, user: User) -> RunQuerySet:
    """Return a study's comparisons, without comparisons to studies that the user cannot see."""
    visible = list(open_studies(user).values_list("pk", flat=True))
    with_others = Q(job__request__other_study__in=visible)
    comparisons = Run.objects.filter(study=study).comparisons()
    return comparisons.filter(Q(job__request__other_study__isnull=True) | with_others)


def list_comparisons(study: Study, user: User) -> RunQuerySet:
    """Return the comparisons that a user may see, newest first, without their reports.

    Each has the name and kind of the other collection: `second_name`, `second_kind`.
    """
    comparisons = visible_comparisons(study, user).without_report()
    other = "second" if study.kind.n_contexts == 2 else "first"  # the data set
    return comparisons.select_related("job__requested_by").annotate(
        second_name=KT(f"report__{other}__name"), second_kind=KT("report__second__source__kind")
    )


def count_withdrawn(run: Run) -> int:
    """Count annotators of all its studies who withdrew since a comparison's ratings were read."""
    if releases := run.request.get("releases"):  # of a family, each with ratings of its own time
        made: Any = Run.objects.filter(pk__in=releases.values()).with_withdrawn_since()
        return sum(release.n_withdrawn_since for release in made)
    if run.collected_at is None:
        return 0
    studies = [run.study_id, run.request.get("other_study")]
    withdrawn = Annotator.objects.filter(
        study__in=[pk for pk in studies if pk],
        withdrawn_at__gte=run.collected_at,
        first_rated_at__lt=run.collected_at,
    )
    return withdrawn.count()


def open_studies(user: User | None) -> QuerySet[Study]:
    """Return the studies whose results a user may see; all for an operator."""
    if user is None:
        return Study.objects.all()
    studies = visible_studies(user)
    if user.is_superuser:
        return studies
    working = Membership.objects.filter(user=user, role__in=Right.WORK.value, study=OuterRef("pk"))
    return studies.filter(Exists(working))


def _describe_study(study: Study) -> str:
    return f"{study.slug}: {study.title} ({study.language})"


def _describe_imported(collection: ImportedCollection) -> str:
    return f"{collection.name} ({'MODEL' if collection.is_model else 'people'})"
