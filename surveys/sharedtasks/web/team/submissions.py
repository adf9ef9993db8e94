"""A team's submissions: history, one submission, download, choice of the counting submissions."""

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import FileResponse, Http404, HttpRequest, HttpResponse, QueryDict
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render

from surveys.query_params import LARGEST
from surveys.sharedtasks.models import Submission, SubmissionState, TeamMember
from surveys.sharedtasks.scoring.visibility import Viewer, is_gold_public
from surveys.sharedtasks.submissions import choose_submission, note_submission, withdraw_submission
from surveys.sharedtasks.teams.history import Choice, list_choices, show_submissions
from surveys.sharedtasks.web.access import team_page
from surveys.sharedtasks.web.team.result_forms import OwnNoteForm
from surveys.web.forms import attempt, posted, status_of
from surveys.web.timing import began_at

ROWS_PER_PAGE = 50
WITHDRAWABLE = (SubmissionState.STORED, SubmissionState.SCORED)  # a failed one is no attempt


@team_page("GET")
def submissions(request: HttpRequest, member: TeamMember) -> HttpResponse:
    """List what a team submitted, latest first, with the scores that it may see."""
    sent = Submission.objects.filter(team=member.team).select_related("phase__shared_task")
    rows = Paginator(sent, ROWS_PER_PAGE).get_page(request.GET.get("page"))
    page = {
        "shared_task": member.shared_task,
        "member": member,
        "rows": rows,
        "listed": show_submissions(Viewer(team=member.team), list(rows)),
    }
    return render(request, "sharedtasks/team/submissions.html", page)


@team_page()
def submission(request: HttpRequest, member: TeamMember, phase: str, number: int) -> HttpResponse:
    """Show a submission of the team; a POST stores its note."""
    submission = _find(member, phase, number)
    form = OwnNoteForm(posted(request), initial={"note": submission.note})
    if attempt(form, lambda: note_submission(submission, form.cleaned_data["note"])):
        messages.success(request, "The note is saved.")
        return _lead_to(submission)
    (shown,) = show_submissions(Viewer(team=member.team), [submission])
    page = {
        "shared_task": member.shared_task,
        "member": member,
        **shown._asdict(),
        "has_intervals": is_gold_public(submission.phase),
        "has_correlations": any("pearson" in score for score in shown.scores),
        "may_withdraw": submission.state in WITHDRAWABLE,
        "form": form,
    }
    return render(request, "sharedtasks/team/submission.html", page, status=status_of(form))


@team_page("GET")
def download(request: HttpRequest, member: TeamMember, phase: str, number: int) -> HttpResponseBase:
    """Send what the team submitted, as a zip archive."""
    submission = _find(member, phase, number)
    name = f"{member.shared_task.slug}_{phase}_{number}.zip"
    try:
        file = submission.file.open("rb")
    except FileNotFoundError as error:
        raise Http404 from error
    answer = FileResponse(file, as_attachment=True, filename=name, content_type="application/zip")
    answer["X-Content-Type-Options"] = "nosniff"
    return answer


@team_page()
def withdraw(request: HttpRequest, member: TeamMember, phase: str, number: int) -> HttpResponse:
    """Confirm (GET) or perform (POST) the withdrawal of a submission."""
    submission = _find(member, phase, number)
    if request.method == "POST":
        withdraw_submission(submission)
        messages.success(request, f"Submission {number} is withdrawn.")
        return _lead_to(submission)
    page = {"shared_task": member.shared_task, "member": member, "submission": submission}
    return render(request, "sharedtasks/team/withdraw_submission.html", page)


@team_page()
def choice(request: HttpRequest, member: TeamMember) -> HttpResponse:
    """Show which submissions count, and let the team choose others until a phase ends."""
    now = began_at(request)
    choices = list_choices(member.team, now)
    if request.method == "POST":
        submission, subtask = _find_candidate(choices, request.POST)
        choose_submission(submission, subtask, now)
        place = f"subtask {subtask} in {submission.phase.name}"
        messages.success(request, f"Submission {submission.number} counts for {place}.")
        return redirect("sharedtasks:choice", member.shared_task.slug)
    page = {"shared_task": member.shared_task, "member": member, "choices": choices, "now": now}
    return render(request, "sharedtasks/team/choice.html", page)


def _find(member: TeamMember, phase: str, number: int) -> Submission:
    sent = Submission.objects.filter(team=member.team).select_related(
        "phase__shared_task", "team", "sent_by"
    )
    return get_object_or_404(sent, phase__name=phase, number=min(number, LARGEST))


def _find_candidate(choices: list[Choice], sent: QueryDict) -> tuple[Submission, int]:
    """Return the submission that was chosen for a board, and its subtask, or raise 404."""
    named = (sent.get("phase"), sent.get("subtask"), sent.get("number"))
    for board in choices:
        for candidate in board.candidates:
            if named == (board.phase.name, str(board.subtask), str(candidate.number)):
                return candidate, board.subtask
    raise Http404


def _lead_to(submission: Submission) -> HttpResponse:
    slug = submission.phase.shared_task.slug
    return redirect("sharedtasks:submission", slug, submission.phase.name, submission.number)
