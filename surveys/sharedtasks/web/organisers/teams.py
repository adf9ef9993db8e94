"""The pages with the teams of a shared task: list, links shown once, members, what they may do."""

from django.contrib import messages
from django.core.paginator import Paginator
from django.db.models import BooleanField, Count, ExpressionWrapper, Q
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse

from surveys.sharedtasks.models import (
    NO_ATTEMPTS,
    SharedTask,
    Team,
    TeamInvitation,
    TeamKind,
    TeamMember,
    TeamState,
)
from surveys.sharedtasks.retention.personal_data import IDLE
from surveys.sharedtasks.teams.description import has_accepted_terms, list_missing
from surveys.sharedtasks.teams.links import (
    LIFETIME,
    invite_team,
    make_link,
    make_password_link,
    revoke_link,
)
from surveys.sharedtasks.teams.members import remove_member
from surveys.sharedtasks.teams.registration import accept_team, decline_team
from surveys.sharedtasks.web.organisers.access import ask_first, now_of, task_page
from surveys.sharedtasks.web.organisers.team_forms import TeamNameForm
from surveys.web.console.access import signed_in
from surveys.web.forms import attempt, posted, status_of
from surveys.web.rendering.markdown import render_foreign_markdown

TEAMS_PER_PAGE = 100
IS_WAITING = ExpressionWrapper(Q(state=TeamState.PENDING), BooleanField())
ORDER = (IS_WAITING.desc(), "-kind", "name_key")


@task_page("GET")
def teams(request: HttpRequest, shared_task: SharedTask) -> HttpResponse:
    """List the teams, those that wait to be accepted first."""
    ids = shared_task.teams.order_by(*ORDER).values_list("pk", flat=True)
    rows = Paginator(ids, TEAMS_PER_PAGE).get_page(request.GET.get("page"))
    n_attempts = Count("submissions", filter=~Q(submissions__state__in=NO_ATTEMPTS))
    shown = Team.objects.filter(pk__in=list(rows)).annotate(n_attempts=n_attempts).order_by(*ORDER)
    shown = shown.select_related("merged_into").prefetch_related("members__participant__user")
    page = {"shared_task": shared_task, "rows": rows, "teams": shown}
    return render(request, "sharedtasks/organisers/teams.html", page)


@task_page()
def invite(request: HttpRequest, shared_task: SharedTask) -> HttpResponse:
    """Create a team, and show the link for its captain once."""
    form = TeamNameForm(posted(request))
    page = {"shared_task": shared_task, "form": form, "days": LIFETIME.days}

    def make() -> None:
        name = form.cleaned_data["name"]
        page["team"], page["link"] = invite_team(
            shared_task, name, by=signed_in(request), now=now_of(request)
        )

    attempt(form, make)
    return render(request, "sharedtasks/organisers/invite_team.html", page, status=status_of(form))


@task_page("GET")
def team(request: HttpRequest, shared_task: SharedTask, team_id: int) -> HttpResponse:
    """Show a team with its members, open links and description."""
    team = find_team(shared_task, team_id)
    links = TeamInvitation.objects.valid(now_of(request)).filter(team=team)
    page = {
        "shared_task": shared_task,
        "team": team,
        "members": team.members.select_related("participant__user"),
        "links": links.select_related("participant__user"),
        "missing": list_missing(team),
        "summary": render_foreign_markdown(team.summary),
        "has_accepted_terms": has_accepted_terms(team),
        "allowances": team.allowances.select_related("phase"),
        "counts": team.submissions.values("phase__name").annotate(n=Count("pk")).order_by(),
    }
    return render(request, "sharedtasks/organisers/team.html", page)


@task_page()
def link_team(request: HttpRequest, shared_task: SharedTask, team_id: int) -> HttpResponse:
    """Make a link with which a captain joins a team, and show it once."""
    team = find_team(shared_task, team_id)
    if request.method == "GET":
        return ask_first(
            request,
            shared_task,
            title=f"A new link to join {team.name}",
            text="The person who opens it joins the team as a captain. It works once, for "
            f"{LIFETIME.days} days. Captains make links for other members themselves, until test "
            "data is out.",
            button="Make the link",
            back=_address(team),
        )
    link = make_link(team, by=signed_in(request), now=now_of(request), is_captain=True)
    return _show_link(request, team, link, f"Send this link to a captain of {team.name}.")


@task_page()
def password_link(request: HttpRequest, shared_task: SharedTask, member_id: int) -> HttpResponse:
    """Make a link with which a member chooses a new password, and show it once."""
    member = _find_member(shared_task, member_id)
    name = member.participant.user.get_username()
    if request.method == "GET":
        return ask_first(
            request,
            shared_task,
            title=f"A new password for {name}",
            text="The person who opens the link chooses the password of this account, so send it "
            f"to {name} alone. It works once, for {LIFETIME.days} days; earlier links end.",
            button="Make the link",
            back=_address(member.team),
        )
    link = make_password_link(member, by=signed_in(request), now=now_of(request))
    return _show_link(request, member.team, link, f"Send this link to {name}, and nobody else.")


@task_page()
def revoke(request: HttpRequest, shared_task: SharedTask, link_id: int) -> HttpResponse:
    """Confirm (GET) that a link is taken back, or take it back (POST)."""
    links = TeamInvitation.objects.select_related("team")
    link = get_object_or_404(links, team__shared_task=shared_task, pk=link_id)
    if request.method == "GET":
        return ask_first(
            request,
            shared_task,
            title=f"Take back a link of {link.team.name}",
            text="The link then opens nothing.",
            button="Take it back",
            back=_address(link.team),
        )
    revoke_link(link, now=now_of(request))
    return redirect(_address(link.team))


@task_page()
def leave(request: HttpRequest, shared_task: SharedTask, member_id: int) -> HttpResponse:
    """Confirm (GET) or remove (POST) a member of a team."""
    member = _find_member(shared_task, member_id)
    name = member.participant.user.get_username()
    if request.method == "GET":
        return ask_first(
            request,
            shared_task,
            title=f"Remove {name} from {member.team.name}",
            text="The account stays, and can join another team by a link. What the team submitted "
            "stays with the team.",
            button=f"Remove {name}",
            back=_address(member.team),
        )
    remove_member(member)
    messages.success(request, f"{name} was removed from {member.team.name}.")
    return redirect(_address(member.team))


@task_page("POST")
def accept(request: HttpRequest, shared_task: SharedTask, team_id: int) -> HttpResponse:
    """Let a team that registered take part."""
    team = accept_team(find_team(shared_task, team_id))
    messages.success(request, f"{team.name} takes part.")
    return redirect("organisers:teams", shared_task.slug)


@task_page()
def decline(request: HttpRequest, shared_task: SharedTask, team_id: int) -> HttpResponse:
    """Confirm (GET) that a team that registered is declined, or delete it (POST)."""
    team = find_team(shared_task, team_id)
    if request.method == "GET":
        return ask_first(
            request,
            shared_task,
            title=f"Decline {team.name}",
            text="The team is deleted. Its people can register again; accounts that are in no team "
            f"and are not used for {IDLE.days} days are deleted.",
            button="Decline the team",
            back=_address(team),
        )
    decline_team(team)
    messages.success(request, f"{team.name} was declined.")
    return redirect("organisers:teams", shared_task.slug)


def _show_link(request: HttpRequest, team: Team, link: str, text: str) -> HttpResponse:
    page = {
        "shared_task": team.shared_task, "team": team, "link": link, "text": text,
        "days": LIFETIME.days,
    }  # fmt: skip
    return render(request, "sharedtasks/organisers/link.html", page)


def find_team(shared_task: SharedTask, team_id: int) -> Team:
    teams = Team.objects.select_related("shared_task", "merged_into")
    return get_object_or_404(teams, shared_task=shared_task, kind=TeamKind.TEAM, pk=team_id)


def _find_member(shared_task: SharedTask, member_id: int) -> TeamMember:
    members = TeamMember.objects.select_related("team__shared_task", "participant__user")
    return get_object_or_404(members, shared_task=shared_task, pk=member_id)


def _address(team: Team) -> str:
    return reverse("organisers:team", args=[team.shared_task.slug, team.pk])
