"""Deposits as background jobs: requested, shown before they are sent, and performed."""

from typing import TYPE_CHECKING, Any

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from surveys.access.audit_log import record
from surveys.errors import DepositRefused, RunRefused
from surveys.jobs.perform import Progress
from surveys.models import Deposit, Release, RepositoryKind, Run, RunKind, Study
from surveys.models.results import RunQuerySet
from surveys.results.deposit.contents import read_contents, refuse_obstacle
from surveys.results.deposit.repositories import Repository, find_repository
from surveys.results.run_jobs import makes_run
from surveys.results.runs import store_request

if TYPE_CHECKING:
    from surveys.results.deposit.drafts import Draft, Sender
    from surveys.results.deposit.steps import Step


@transaction.atomic
def request_deposit(release: Release, repository: str, by: User | None) -> Run:
    """Queue a job that sends a release as a draft to a repository.

    Raises DepositRefused if no token is set for it or the release must not be deposited,
    RunRefused while a draft of the study is being sent.
    """
    find_repository(repository)
    refuse_obstacle(release)
    request = {"release": release.pk, "repository": repository}
    run = store_request(release.study, RunKind.DEPOSIT, by, request)  # locks the study
    if find_jobs(release.study).under_way().exclude(pk=run.pk).exists():
        raise RunRefused("A draft is already being sent. Wait until that is done.")
    return run


def list_requests(release: Release, repository: str) -> "list[Step]":
    """Return the requests with which a release would be sent; nothing is sent.

    Raises DepositRefused.
    """
    return _make_sender(release, find_repository(repository)).list_steps()


@makes_run
def send_draft(run: Run, progress: Progress) -> dict[str, Any]:
    """Send the draft that a run requests; a retry continues where it was interrupted.

    Raises DepositRefused, and GatewayRefused or GatewayDown as `Client.send`.
    """
    from surveys.results.deposit.client import Client

    release = Release.objects.filter(pk=run.request["release"]).first()
    if release is None:
        raise DepositRefused("The release has been deleted.")
    repository = find_repository(run.request["repository"])
    sender = _make_sender(release, repository)

    def keep(draft: "Draft") -> None:
        _store(release, repository, draft, sender.file_names)

    with Client(repository) as client:
        draft = sender.send(client, keep, progress)
    _finish(release, repository, draft, sender.file_names)
    return {
        "report": {"n_files": len(sender.file_names), "url": draft.url, "host": repository.host}
    }


def find_job(release: Release) -> Run | None:
    """Return the last job that was to send a release, or None."""
    return find_jobs(release.study).filter(job__request__release=release.pk).first()


def find_jobs(study: Study) -> RunQuerySet:
    """Return the jobs that send drafts of a study, latest first."""
    return Run.objects.filter(study=study, kind=RunKind.DEPOSIT)


def find_deposit(study: Study, repository: Repository) -> Deposit | None:
    """Return the draft of a study in a repository, or None."""
    return _find_drafts(study, repository).select_related("release").first()


def _find_drafts(study: Study, repository: Repository) -> QuerySet[Deposit]:
    return Deposit.objects.filter(study=study, repository=repository.kind, host=repository.host)


def _make_sender(release: Release, repository: Repository) -> "Sender":
    contents = read_contents(release)
    deposit = find_deposit(release.study, repository)
    remote_id, earlier = (deposit.remote_id, deposit.file_names) if deposit else ("", [])
    if repository.kind == RepositoryKind.ZENODO:
        from surveys.results.deposit.zenodo import ZenodoSender

        return ZenodoSender(repository, contents, remote_id, earlier)
    from surveys.results.deposit.hub import HubSender

    return HubSender(repository, contents, remote_id, earlier)


@transaction.atomic
def _store(release: Release, repository: Repository, draft: "Draft", file_names: list[str]) -> None:
    """Store the draft of a study before its files are sent, so that no second one is created."""
    earlier = find_deposit(release.study, repository)
    names = sorted({*file_names, *(earlier.file_names if earlier else [])})
    values = {**draft._asdict(), "release": release, "file_names": names, "sent_at": None}
    Deposit.objects.update_or_create(
        study=release.study, repository=repository.kind, host=repository.host, defaults=values
    )


@transaction.atomic
def _finish(
    release: Release, repository: Repository, draft: "Draft", file_names: list[str]
) -> None:
    drafts = _find_drafts(release.study, repository)
    drafts.update(sent_at=timezone.now(), file_names=file_names)
    record("release.deposited", release.study, release.name, host=repository.host, url=draft.url)
