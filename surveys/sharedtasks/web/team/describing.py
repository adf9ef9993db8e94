"""The page on which a team describes its system."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render

from surveys.sharedtasks.models import TeamMember
from surveys.sharedtasks.teams.description import describe_team, list_missing, may_describe
from surveys.sharedtasks.web.access import team_page
from surveys.sharedtasks.web.team.team_forms import DescriptionForm
from surveys.web.forms import attempt, posted, status_of
from surveys.web.rendering.markdown import render_foreign_markdown
from surveys.web.timing import began_at


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
