"""The pages of a team's members: links to join, captains, the name of the team, withdrawal."""

from datetime import datetime
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render

from surveys.sharedtasks.models import SharedTaskState, TeamInvitation, TeamMember, TeamState
from surveys.sharedtasks.teams.links import make_member_link, revoke_link
from surveys.sharedtasks.teams.members import (
    has_test_begun,
    make_captain,
    may_change_members,
    remove_teammate,
    require_captain,
)
from surveys.sharedtasks.teams.names import rename_team
from surveys.sharedtasks.teams.registration import withdraw_team
from surveys.sharedtasks.web.access import signed_in, team_page
from surveys.sharedtasks.web.team.team_forms import NameForm
from surveys.web.forms import attempt, posted, status_of
from surveys.web.timing import began_at


@team_page("GET")
def members(request: HttpRequest, member: TeamMember) -> HttpResponse:
    """List the members of a team, and the links with which others can join."""
    return _show(request, member, began_at(request))


@team_page("POST")
def make_invitation(request: HttpRequest, member: TeamMember) -> HttpResponse:
    """Make a link for another member, which is shown once."""
    now = began_at(request)
    link = make_member_link(member, now=now)
    return _show(request, member, now, link=link)


@team_page("POST")
def revoke_invitation(request: HttpRequest, member: TeamMember, link_id: int) -> HttpResponse:
    """Revoke a link of the team."""
    now = began_at(request)
    require_captain(member, now)
    links = TeamInvitation.objects.filter(team=member.team, participant=None)
    revoke_link(get_object_or_404(links, pk=link_id), now=now)
    messages.success(request, "The link is revoked.")
    return redirect("sharedtasks:members", member.shared_task.slug)


@team_page("POST")
def promote(request: HttpRequest, member: TeamMember, member_id: int) -> HttpResponse:
    """Make another member a captain."""
    other = get_object_or_404(TeamMember, pk=member_id, team=member.team)
    make_captain(member, other, now=began_at(request))
    messages.success(request, f"{other.participant} is a captain now.")
    return redirect("sharedtasks:members", member.shared_task.slug)


@team_page()
def remove(request: HttpRequest, member: TeamMember, member_id: int) -> HttpResponse:
    """Confirm (GET) or remove (POST) a member."""
    other = get_object_or_404(TeamMember, pk=member_id, team=member.team)
    now = began_at(request)
    require_captain(member, now)
    if request.method == "GET":
        page = {"shared_task": member.shared_task, "member": member, "other": other}
        return render(request, "sharedtasks/team/remove.html", page)
    remove_teammate(member, other, now=now)
    if other.pk == member.pk:
        return redirect("sharedtasks:account")
    messages.success(request, f"{other.participant} is no longer in the team.")
    return redirect("sharedtasks:members", member.shared_task.slug)


@team_page()
def rename(request: HttpRequest, member: TeamMember) -> HttpResponse:
    """Give the team another name."""
    require_captain(member, began_at(request))
    form = NameForm(posted(request), initial={"name": member.team.name})
    if attempt(form, lambda: rename_team(member.team, form.cleaned_data["name"])):
        return redirect("sharedtasks:members", member.shared_task.slug)
    page = {"shared_task": member.shared_task, "member": member, "form": form}
    return render(request, "sharedtasks/team/rename.html", page, status=status_of(form))


@team_page()
def withdraw(request: HttpRequest, member: TeamMember) -> HttpResponse:
    """Confirm (GET) or perform (POST) the withdrawal of the team, by a captain."""
    shared_task = member.team.shared_task
    if request.method == "POST" and member.is_captain:
        hides_name = request.POST.get("hides_name") == "on"
        withdraw_team(member.team, hides_name=hides_name, now=began_at(request))
        messages.success(request, "Your team has withdrawn.")
        return redirect("sharedtasks:team", shared_task.slug)
    page = {
        "shared_task": shared_task,
        "member": member,
        "is_final": shared_task.state != SharedTaskState.OPEN,
        "has_withdrawn": member.team.state == TeamState.WITHDRAWN,
    }
    return render(request, "sharedtasks/team/withdraw.html", page)


def _show(request: HttpRequest, member: TeamMember, now: datetime, **more: Any) -> HttpResponse:
    team = member.team
    may_change = may_change_members(member, now)
    links = TeamInvitation.objects.valid(now).filter(team=team, participant=None)
    page = {
        "shared_task": team.shared_task,
        "member": member,
        "members": team.members.select_related("participant__user"),
        "links": links.select_related("created_by") if may_change else [],
        "may_change": may_change,
        "has_test_begun": has_test_begun(team.shared_task, now),
        "me": signed_in(request).pk,
        **more,
    }
    return render(request, "sharedtasks/team/members.html", page)
