"""The pages with the submissions of a shared task: list, counts by day, one with its scores.

Organisers also cancel them, and submit baselines and trial runs.
"""

from itertools import groupby

from django.contrib import messages
from django.core.paginator import Paginator
from django.db.models import Count, Q
from django.http import FileResponse, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render

from surveys.query_params import read_query
from surveys.sharedtasks.models import (
    RefusedUpload,
    ScoringState,
    SharedTask,
    Submission,
    SubmissionState,
    Team,
)
from surveys.sharedtasks.oversight import count_by_day, count_refusals
from surveys.sharedtasks.scoring.baselines import send_baselines
from surveys.sharedtasks.scoring.visibility import round_figure
from surveys.sharedtasks.submissions import cancel_submission, rescore_failed
from surveys.sharedtasks.teams.organisers_team import submit_for_organisers
from surveys.sharedtasks.web.organisers.access import now_of, show_form, task_page
from surveys.sharedtasks.web.organisers.team_forms import OwnFilesForm, ReasonForm
from surveys.web.console.access import signed_in
from surveys.web.forms import attempt, posted, status_of

SUBMISSIONS_PER_PAGE = 50
MOST_ROWS, MOST_DAYS = 200, 14
LONGEST_ID = 12


@task_page("GET")
def submissions(request: HttpRequest, shared_task: SharedTask) -> HttpResponse:
    """List the submissions, the latest first, of one team or phase if the address names it."""
    matches = Submission.objects.filter(phase__shared_task=shared_task)
    phase, team = read_query(request.GET.get("phase", "")), _find_team(request, shared_task)
    if team:
        matches = matches.filter(team=team)
    if phase:
        matches = matches.filter(phase__name=phase)
    ids = matches.order_by("-pk").values_list("pk", flat=True)  # in the order of an index
    rows = Paginator(ids, SUBMISSIONS_PER_PAGE).get_page(request.GET.get("page"))
    shown = Submission.objects.filter(pk__in=list(rows)).order_by("-pk")
    counted = Q(submissions__team=team) if team else Q()
    page = {
        "shared_task": shared_task,
        "rows": rows,
        "submissions": shown.select_related("team", "phase"),
        "phase": phase,
        "team": team,
        "phases": shared_task.phases.annotate(n=Count("submissions", filter=counted)),
        "n_refused": RefusedUpload.objects.filter(phase__shared_task=shared_task).count(),
    }
    return render(request, "sharedtasks/organisers/submissions.html", page)


@task_page()
def submission(request: HttpRequest, shared_task: SharedTask, submission_id: int) -> HttpResponse:
    """Show a submission with its scores, warnings and flags; a POST cancels it with a reason."""
    submission = _find(shared_task, submission_id)
    form = ReasonForm(posted(request))
    if attempt(form, lambda: cancel_submission(submission, form.cleaned_data["reason"])):
        messages.success(request, "The submission was cancelled, and its attempt given back.")
        return redirect("organisers:submission", shared_task.slug, submission_id)
    current = submission.scores.filter(scoring__state=ScoringState.CURRENT).select_related("part")
    figures = ("score", "low", "high")
    page = {
        "shared_task": shared_task,
        "submission": submission,
        "is_failed": submission.state == SubmissionState.FAILED,
        "form": form,
        "scores": [
            (score, *(round_figure(getattr(score, name)) for name in figures))
            for score in current.order_by("subtask", "part__name")
        ],
    }
    return render(request, "sharedtasks/organisers/submission.html", page, status=status_of(form))


@task_page("POST")
def score_again(request: HttpRequest, shared_task: SharedTask, submission_id: int) -> HttpResponse:
    """Have a submission scored again that could not be scored."""
    rescore_failed(_find(shared_task, submission_id))
    messages.success(request, "The submission is being scored again.")
    return redirect("organisers:submission", shared_task.slug, submission_id)


@task_page("GET")
def files(request: HttpRequest, shared_task: SharedTask, submission_id: int) -> HttpResponseBase:
    """Download the files of a submission."""
    sent = _find(shared_task, submission_id)
    name = f"{shared_task.slug}_{sent.phase.name}_{sent.team.code}_{sent.number}.zip"
    return FileResponse(
        sent.file.open("rb"), as_attachment=True, filename=name, content_type="application/zip"
    )


@task_page("GET")
def days(request: HttpRequest, shared_task: SharedTask) -> HttpResponse:
    """Show submissions by team and day, and refused uploads by reason."""
    rows = sorted(count_by_day(shared_task, MOST_ROWS), key=lambda row: row.phase.pk)
    phases = []
    for phase, of_phase in groupby(rows, key=lambda row: row.phase):
        teams = list(of_phase)
        last = sorted({day for row in teams for day in row.by_day})[-MOST_DAYS:]
        counted = [(row, [row.by_day.get(day, 0) for day in last]) for row in teams]
        phases.append((phase, last, counted))
    page = {
        "shared_task": shared_task,
        "phases": phases,
        "refusals": count_refusals(shared_task),
        "most_days": MOST_DAYS,
        "most_rows": MOST_ROWS if len(rows) == MOST_ROWS else None,
    }
    return render(request, "sharedtasks/organisers/days.html", page)


@task_page("POST")
def baselines(request: HttpRequest, shared_task: SharedTask) -> HttpResponse:
    """Submit the baselines that every board has, in each phase that lacks them."""
    n_sent = send_baselines(shared_task, by=signed_in(request), now=now_of(request))
    words = f"Baselines were submitted: {n_sent}." if n_sent else "All baselines are there already."
    messages.success(request, words)
    return redirect("organisers:submissions", shared_task.slug)


@task_page()
def own_files(request: HttpRequest, shared_task: SharedTask) -> HttpResponse:
    """Submit files of the organisers: a trial run, or a further baseline."""
    files = request.FILES if request.method == "POST" else None
    form = OwnFilesForm(list(shared_task.phases.all()), posted(request), files)

    def send() -> None:
        submit_for_organisers(
            shared_task,
            form.cleaned_data["phase"],
            form.read_files(),
            by=signed_in(request),
            now=now_of(request),
            baseline=form.cleaned_data["baseline"],
        )

    if attempt(form, send):
        messages.success(request, "The files were submitted, and are being scored.")
        return redirect("organisers:submissions", shared_task.slug)
    return show_form(
        request,
        shared_task,
        form,
        title="A trial run or a baseline",
        text="Files of the organisers are marked, and never ranked. There are no limits, and "
        "the phase need not have begun.",
        button="Submit the files",
    )


def _find_team(request: HttpRequest, shared_task: SharedTask) -> Team | None:
    number = read_query(request.GET.get("team", ""))
    if not (number.isascii() and number.isdecimal()):
        return None
    return shared_task.teams.filter(pk=int(number[:LONGEST_ID])).first()


def _find(shared_task: SharedTask, submission_id: int) -> Submission:
    submissions = Submission.objects.select_related("team", "phase__shared_task", "sent_by")
    return get_object_or_404(submissions, phase__shared_task=shared_task, pk=submission_id)
