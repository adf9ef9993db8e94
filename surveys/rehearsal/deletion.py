"""Deletion of a rehearsal: scripted annotators, and all that was made of their answers."""

from collections.abc import Iterable
from typing import NamedTuple

from django.db import transaction
from django.db.models import Q

from surveys.access.audit_log import record
from surveys.access.roles import is_demonstration
from surveys.errors import RunRefused
from surveys.models import (
    Adjudication,
    Annotator,
    Assignment,
    Invitation,
    Release,
    Response,
    Review,
    Run,
    RunKind,
    SecondAnswer,
    SecondLook,
    Study,
    Verdict,
    Visit,
)
from surveys.models.results import OF_SEVERAL_STUDIES
from surveys.participation.assignments import lock_places
from surveys.results.run_files import delete_runs, drop_exports
from surveys.study.blocks.quota import give_back_places, in_chunks

OF_ANSWERS = (
    RunKind.RESULTS, RunKind.RELEASE, RunKind.VERIFY, RunKind.EXPORT, RunKind.REHEARSE,
    *OF_SEVERAL_STUDIES,
)  # fmt: skip


class Scripted(NamedTuple):
    """Numbers of the rows that deleting a rehearsal removes.

    `paid` scripted annotators came by a paid batch of the simulator: they are kept with its ledger.
    """

    annotators: int
    answers: int
    verdicts: int
    runs: int
    releases: int
    paid: int

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to delete."""
        return not any((self.annotators, self.runs, self.releases))


def count_scripted(study: Study) -> Scripted:
    """Return how much of a study is scripted or was made of scripted answers."""
    assignments = _list_assignments(study)
    runs, used = _list_runs(study), Invitation.objects.filter(pk__in=_list_links(study))
    return Scripted(
        annotators=used.exclude(annotator=None).count(),
        answers=sum(
            Response.objects.filter(assignment__in=some, engaged_at__isnull=False).count()
            for some in in_chunks(assignments)
        ),
        verdicts=sum(
            Verdict.objects.filter(review__assignment__in=some).count()
            for some in in_chunks(assignments)
        ),
        runs=sum(run.kind == RunKind.RESULTS for run in runs),
        releases=len(_list_releases(study)),
        paid=Invitation.objects.filter(
            study=study, is_rehearsal=True, annotator__in=_came_by_batch(study)
        ).count(),
    )


@transaction.atomic
def delete_scripted(study: Study) -> Scripted:
    """Delete what is scripted in a study, and give its places back; idempotent.

    The log keeps the numbers. Raises RunRefused for the finished demo study, and while a job reads
    or writes answers.
    """
    study = lock_places(study.pk)
    if is_demonstration(study):
        raise RunRefused("The finished demo study consists of scripted answers only. It is kept.")
    if Run.objects.filter(study=study, kind__in=OF_ANSWERS).under_way().exists():
        raise RunRefused("A background job is reading or writing answers. Wait until it ends.")
    scripted = count_scripted(study)
    _delete_runs(study)
    assignments = _list_assignments(study)
    give_back_places(assignments)
    for some in in_chunks(assignments):
        reviews = Review.objects.filter(assignment__in=some)
        Verdict.objects.filter(review__in=reviews).delete()
        reviews.delete()
        Adjudication.objects.filter(context__responses__assignment__in=some).delete()
        SecondAnswer.objects.filter(response__assignment__in=some).delete()
        Response.objects.filter(assignment__in=some).delete()
        Assignment.objects.filter(pk__in=some).delete()
    if assignments and not SecondAnswer.objects.filter(response__annotator__study=study).exists():
        SecondLook.objects.filter(study=study).delete()  # of scripted annotators; a study has one
    links = _list_links(study)
    annotators = [
        pk
        for some in in_chunks(links)
        for pk in Annotator.objects.filter(invitation__in=some).values_list("pk", flat=True)
    ]
    for some in in_chunks(links):
        Invitation.objects.filter(pk__in=some).delete()
    for some in in_chunks(annotators):
        Annotator.objects.filter(pk__in=some).delete()
    if links or not scripted.is_empty:
        drop_exports(study)
        record("rehearsal.deleted", study, **scripted._asdict())
    return scripted


def _came_by_batch(study: Study) -> Iterable[int]:
    """Return the ids of annotators who came from a provider."""
    visits = Visit.objects.filter(assignment__study=study)
    return visits.order_by().values_list("assignment__annotator", flat=True).distinct()


def _list_links(study: Study) -> list[int]:
    """Return the ids of scripted annotators' links, used or not."""
    links = Invitation.objects.filter(study=study, is_rehearsal=True)
    used = links.filter(annotator__in=_came_by_batch(study)).values("pk")
    return list(links.exclude(pk__in=used).order_by("pk").values_list("pk", flat=True))


def _list_assignments(study: Study) -> list[int]:
    """Return the ids of the assignments of scripted annotators who came by a link."""
    pks: list[int] = []
    for some in in_chunks(_list_links(study)):
        assignments = Assignment.objects.filter(annotator__invitation__in=some)
        pks += assignments.order_by("pk").values_list("pk", flat=True)
    return pks


def _list_runs(study: Study) -> list[Run]:
    """Return the finished runs that contain scripted ratings: results, releases, comparisons.

    Comparisons of other studies with this one are among them.
    """
    made = Run.objects.filter(
        Q(study=study, kind__in=(RunKind.RESULTS, RunKind.RELEASE, RunKind.COMPARE))
        | Q(kind=RunKind.FAMILY, job__request__releases__has_key=str(study.pk))
        | Q(kind=RunKind.COMPARE, job__request__other_study=study.pk)
    )
    return [run for run in made.done().without_report() if run.is_rehearsal]


def _list_releases(study: Study) -> list[Release]:
    made = Release.objects.filter(study=study).without_report()
    return [release for release in made if release.is_rehearsal]


def _delete_runs(study: Study) -> None:
    """Delete runs and releases with scripted ratings; their files once that is committed."""
    runs, releases = _list_runs(study), _list_releases(study)
    of_releases = Run.objects.filter(release__in=[release.pk for release in releases])
    delete_runs({run.pk: run for run in (*of_releases, *runs)}.values())
    Release.objects.filter(pk__in=[release.pk for release in releases]).delete()
