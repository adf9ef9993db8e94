"""The home page of a team: what is running, and what comes next."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render

from surveys.sharedtasks.models import TeamMember
from surveys.sharedtasks.teams.description import accept_terms, has_accepted_terms, list_missing
from surveys.sharedtasks.teams.history import list_phases
from surveys.sharedtasks.teams.members import may_change_members
from surveys.sharedtasks.web.access import team_page
from surveys.sharedtasks.web.team.account_forms import TermsForm
from surveys.web.forms import attempt, posted, status_of
from surveys.web.rendering.markdown import render_markdown
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
