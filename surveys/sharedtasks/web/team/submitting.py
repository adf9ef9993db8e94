"""The pages on which a team submits, in two steps: check files, then submit them."""

from datetime import datetime
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render

from surveys.sharedtasks.errors import TooLate, UploadRefused
from surveys.sharedtasks.models import Phase, Submission, TeamMember, TeamState, Upload
from surveys.sharedtasks.scoring.tracks import find_tracks, has_contexts
from surveys.sharedtasks.submissions import submit
from surveys.sharedtasks.teams.attempts import (
    count_attempts,
    list_later_phases,
    refuse_phase,
    refuse_team,
)
from surveys.sharedtasks.teams.description import has_accepted_terms
from surveys.sharedtasks.teams.history import find_submitted, list_phases
from surveys.sharedtasks.teams.rates import limit_checks, limiting_submissions
from surveys.sharedtasks.uploads import check_files
from surveys.sharedtasks.web.access import signed_in, team_page
from surveys.sharedtasks.web.team.result_forms import FilesForm, NoteForm
from surveys.web.forms import attempt, posted, status_of
from surveys.web.timing import began_at


@team_page()
def choose_files(request: HttpRequest, member: TeamMember) -> HttpResponse:
    """Choose a phase and files; a POST checks them without using an attempt."""
    team, now = member.team, began_at(request)
    if not has_accepted_terms(team):
        return redirect("sharedtasks:terms", team.shared_task.slug)
    phases = list_phases(team, now)
    running = sorted((phase.phase for phase in phases if phase.is_running), key=_first_to_end)
    form = FilesForm(posted(request), request.FILES or None, phases=running)
    problems: list[tuple[str, int | None, str | None, str]] = []
    checked: list[Upload] = []

    def check() -> None:
        phase, files = form.cleaned_data["phase"], form.cleaned_data["results"]
        refuse_team(team)  # before the check is counted
        refuse_phase(team, phase, now)
        limit_checks(team)
        sent = [(file.name, file.read()) for file in files]
        try:
            checked.append(check_files(team, phase, sent, by=signed_in(request), now=now))
        except UploadRefused as refusal:
            problems.extend(refusal.problems)
            raise

    if attempt(form, check):
        return redirect("sharedtasks:checked", team.shared_task.slug, checked[0].pk)
    page = {
        "shared_task": team.shared_task,
        "member": member,
        "phases": phases,
        "parts": team.shared_task.parts.all(),
        "tracks": find_tracks(team.shared_task).values(),
        "of_contexts": has_contexts(team.shared_task),
        "form": form,
        "found": problems,
        "may_submit": team.state == TeamState.ACCEPTED,
        "now": now,
    }
    return render(request, "sharedtasks/team/submit.html", page, status=status_of(form))


@team_page()
def checked(request: HttpRequest, member: TeamMember, upload_id: int) -> HttpResponse:
    """Show checked files with the attempt that they would be, and submit them on a POST.

    Once the files are submitted, both redirect to the submission: after "back" or a second click.
    """
    team, now = member.team, began_at(request)
    upload = get_object_or_404(
        Upload.objects.select_related("phase__shared_task"), pk=upload_id, team=team
    )
    if submitted := find_submitted(upload):
        return _lead_to(submitted, team.shared_task.slug)
    is_late = not upload.phase.is_running(now)
    later = list_later_phases(upload.phase, now) if is_late else []
    form = NoteForm(posted(request), phases=later if is_late else [upload.phase])
    made: list[Submission] = []

    def act() -> None:
        phase, note = form.cleaned_data["phase"], form.cleaned_data["note"]
        try:
            with limiting_submissions(team):
                made.append(submit(upload, now=now, by=signed_in(request), phase=phase, note=note))
        except TooLate as late:  # between two requests
            form.offer(list_later_phases(upload.phase, now))
            raise late

    if attempt(form, act):
        messages.success(request, f"Submission {made[0].number} is stored.")
        return _lead_to(made[0], team.shared_task.slug)
    page = _describe(member, upload, form, later, now) | {"is_late": is_late}
    return render(request, "sharedtasks/team/checked.html", page, status=status_of(form))


def _first_to_end(phase: Phase) -> tuple[bool, datetime]:
    """Sort phases by their ends, those without one last: the first is the default."""
    return phase.closes_at is None, phase.closes_at or phase.opens_at


def _describe(
    member: TeamMember, upload: Upload, form: NoteForm, later: list[Phase], now: datetime
) -> dict[str, Any]:
    attempts = count_attempts(member.team, upload.phase, now)
    return {
        "shared_task": member.team.shared_task,
        "member": member,
        "upload": upload,
        "form": form,
        "later": later,
        "attempts": attempts,
        "number": attempts.n_used + 1,
        "now": now,
    }


def _lead_to(submission: Submission, slug: str) -> HttpResponse:
    return redirect("sharedtasks:submission", slug, submission.phase.name, submission.number)
