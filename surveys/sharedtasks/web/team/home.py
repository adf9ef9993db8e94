"""A team's own pages: home, with what comes next, the terms, and its system's description."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render

from surveys.sharedtasks.models import TeamMember
from surveys.sharedtasks.teams.description import (
    accept_terms,
    describe_team,
    has_accepted_terms,
    list_missing,
    may_describe,
)
from surveys.sharedtasks.teams.history import list_phases
from surveys.sharedtasks.teams.members import may_change_members
from surveys.sharedtasks.web.access import team_page
from surveys.sharedtasks.web.team.account_forms import TermsForm
from surveys.sharedtasks.web.team.team_forms import DescriptionForm
from surveys.web.forms import attempt, posted, status_of
from surveys.web.rendering.markdown import render_foreign_markdown, render_markdown
from surveys.web.timing import began_at


@team_page("GET")
def home(request: HttpRequest, member: TeamMember) -> HttpResponse:
    """Show the phases, and the next steps of a team."""
    team, now = member.team, began_at(request)
    phases = list_phases(team, now)
    page = {
        "shared_task": team.shared_task,
        "member": member,
        "phases": phases,
        "is_running": any(phase.is_running for phase in phases),
        "n_sent": team.submissions.count(),
        "has_accepted": has_accepted_terms(team),
        "missing": list_missing(team),
        "may_invite": may_change_members(member, now),
        "merged": team.merged_teams.order_by("name"),
        "now": now,
    }
    return render(request, "sharedtasks/team/home.html", page)


@team_page()
def terms(request: HttpRequest, member: TeamMember) -> HttpResponse:
    """Show the terms as they are now, and accept them on a POST."""
    shared_task = member.team.shared_task
    form = TermsForm(posted(request), shared_task=shared_task)
    if attempt(form, lambda: accept_terms(member.team, now=began_at(request))):
        return redirect("sharedtasks:team", shared_task.slug)
    page = {
        "shared_task": shared_task,
        "member": member,
        "terms": render_markdown(shared_task.terms),
        "form": form,
        "has_accepted": has_accepted_terms(member.team),
    }
    return render(request, "sharedtasks/team/terms.html", page, status=status_of(form))


@team_page()
def description(request: HttpRequest, member: TeamMember) -> HttpResponse:
    """Show and change the description of a team's system."""
    team = member.team
    form = DescriptionForm.of(team, posted(request))
    if attempt(form, lambda: describe_team(team, form.cleaned_data, now=began_at(request))):
        messages.success(request, "The description is saved.")
        return redirect("sharedtasks:description", team.shared_task.slug)
    page = {
        "shared_task": team.shared_task,
        "member": member,
        "form": form,
        "missing": list_missing(team),
        "may_describe": may_describe(team),
        "summary": render_foreign_markdown(team.summary),
    }
    return render(request, "sharedtasks/team/description.html", page, status=status_of(form))
