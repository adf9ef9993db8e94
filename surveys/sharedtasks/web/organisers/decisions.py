"""The pages on which organisers decide about a team: exclude, merge, more attempts."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect

from surveys.sharedtasks.models import SharedTask, Team
from surveys.sharedtasks.teams.decisions import (
    allow_attempts,
    exclude_team,
    merge_teams,
    readmit_team,
)
from surveys.sharedtasks.web.organisers.access import now_of, show_form, task_page
from surveys.sharedtasks.web.organisers.team_forms import AllowanceForm, MergeForm, ReasonForm
from surveys.sharedtasks.web.organisers.teams import find_team
from surveys.web.forms import attempt, posted


@task_page()
def exclude(request: HttpRequest, shared_task: SharedTask, team_id: int) -> HttpResponse:
    """Exclude a team, with a reason that it reads."""
    team = find_team(shared_task, team_id)
    form = ReasonForm(posted(request))
    if attempt(form, lambda: exclude_team(team, form.cleaned_data["reason"])):
        messages.success(request, f"{team.name} is excluded.")
        return redirect("organisers:team", shared_task.slug, team_id)
    text = (
        "It submits nothing more, and is on no board that becomes final later. You can accept "
        "it again."
    )
    return show_form(
        request,
        shared_task,
        form,
        title=f"Exclude {team.name}",
        text=text,
        button="Exclude the team",
    )


@task_page("POST")
def readmit(request: HttpRequest, shared_task: SharedTask, team_id: int) -> HttpResponse:
    """Accept an excluded team again."""
    team = readmit_team(find_team(shared_task, team_id))
    messages.success(request, f"{team.name} takes part again.")
    return redirect("organisers:team", shared_task.slug, team_id)


@task_page()
def merge(request: HttpRequest, shared_task: SharedTask, team_id: int) -> HttpResponse:
    """Merge a team into another team: attempts add up."""
    team = find_team(shared_task, team_id)
    others = Team.objects.competing().filter(shared_task=shared_task).exclude(pk=team.pk)
    form = MergeForm(others, posted(request))

    def act() -> None:
        into, reason = form.cleaned_data["into"], form.cleaned_data["reason"]
        merge_teams(team, into, reason, now=now_of(request))

    if attempt(form, act):
        messages.success(request, f"{team.name} is merged into {form.cleaned_data['into'].name}.")
        return redirect("organisers:teams", shared_task.slug)
    text = (
        "Members and submissions move to the other team. Attempts add up: teams that have more "
        "than one team may have together stay apart. This cannot be undone."
    )
    return show_form(
        request, shared_task, form, title=f"Merge {team.name}", text=text, button="Merge the teams"
    )


@task_page()
def allow(request: HttpRequest, shared_task: SharedTask, team_id: int) -> HttpResponse:
    """Give a team more attempts in a phase."""
    team = find_team(shared_task, team_id)
    form = AllowanceForm(list(shared_task.phases.all()), posted(request))

    def act() -> None:
        sent = form.cleaned_data
        allow_attempts(team, sent["phase"], sent["n_attempts"], sent["reason"])

    if attempt(form, act):
        messages.success(request, f"{team.name} has more attempts.")
        return redirect("organisers:team", shared_task.slug, team_id)
    text = "They add to what the team was given before, for example after a fault of this site."
    return show_form(
        request,
        shared_task,
        form,
        title=f"More attempts for {team.name}",
        text=text,
        button="Give the attempts",
    )
