"""The list of studies, and the overview, members and log of a study."""

from typing import Any

from django.contrib import messages
from django.contrib.auth.models import User
from django.core.paginator import Paginator
from django.db.models import Q
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_GET

from surveys.access.audit_log import find_entries
from surveys.access.roles import (
    Right,
    find_demonstrations,
    grant_role,
    revoke_role,
    role_in,
    visible_studies,
)
from surveys.access.sign_in_links import INVITED_FOR, invite_account
from surveys.models import Membership, Role, Study
from surveys.monitoring.checklist import outline_study
from surveys.monitoring.progress import count_progress_by_study, count_study_progress
from surveys.query_params import read_query
from surveys.results.public_log import mask_entries, stream_log
from surveys.templatetags.log_entries import AREAS
from surveys.web.console.access import console_page, is_owner, role_of, study_page
from surveys.web.console.confirmation import ask_first
from surveys.web.console.forms import InviteForm, MemberForm
from surveys.web.console.menu import list_open
from surveys.web.forms import attempt, posted, status_of

ENTRIES_PER_PAGE = 50
STUDIES_PER_PAGE = 24


@require_GET
@console_page
def studies(request: HttpRequest) -> HttpResponse:
    """List the studies in which the user has a role, with their states; search by title."""
    query = read_query(request.GET.get("q", ""))
    is_archive = request.GET.get("archived") == "on"
    visible = visible_studies(request.user)
    matches = visible.filter(archived_at__isnull=not is_archive).order_by("-created_at", "-pk")
    if query:
        matches = matches.filter(Q(title__icontains=query) | Q(slug__icontains=query))
    rows = Paginator(matches, STUDIES_PER_PAGE).get_page(request.GET.get("page"))
    tallies = count_progress_by_study(list(rows))
    page = {
        "rows": rows,
        "cards": [(study, tallies[study.pk]) for study in rows],
        "query": query,
        "is_archive": is_archive,
        "n_archived": visible.exclude(archived_at=None).count(),
        "demonstrations": find_demonstrations(),
        "is_searched": query or rows.paginator.num_pages > 1,
    }
    return render(request, "console/study/studies.html", page)


@study_page(Right.READ, "GET", also=Right.LOOK)
def overview(request: HttpRequest, study: Study) -> HttpResponse:
    """Show the steps of a study and the state of each."""
    tally = count_study_progress(study)
    page = {
        "study": study,
        "steps": outline_study(study, tally),
        "tally": tally,
        "linked": list_open(role_of(request)),
    }
    return render(request, "console/study/overview.html", page)


@study_page(Right.OWN)
def people(request: HttpRequest, study: Study) -> HttpResponse:
    """List the members of a study; a POST gives an account a role."""
    form = MemberForm(posted(request))

    def grant() -> None:
        grant_role(study, form.cleaned_data["username"], Role(form.cleaned_data["role"]))

    if attempt(form, grant):
        return redirect("console:people", study.slug)
    members = Membership.objects.filter(study=study).select_related("user")
    page = {"study": study, "members": members, "form": form}
    return render(request, "console/study/people.html", page, status=status_of(form))


@study_page(Right.OWN)
def invite_person(request: HttpRequest, study: Study) -> HttpResponse:
    """Create an account with a role, and show the link to choose its password."""
    form = InviteForm(posted(request))
    page = {"study": study, "form": form, "days": INVITED_FOR.days}

    def create() -> None:
        name, role = form.cleaned_data["username"], Role(form.cleaned_data["role"])
        page["link"] = invite_account(study, name, role)

    attempt(form, create)
    return render(request, "console/study/invite_person.html", page, status=status_of(form))


@study_page(Right.OWN)
def leave(request: HttpRequest, study: Study, user_id: int) -> HttpResponse:
    """Confirm (GET) or remove (POST) a member of a study."""
    back = reverse("console:people", args=[study.slug])
    account = User.objects.filter(pk=user_id)
    member = Membership.objects.filter(study=study, user__in=account).select_related("user").first()
    if member is None:  # the second of a double click
        return redirect(back)
    name = member.user.get_username()
    if request.method == "GET":
        return ask_first(
            request,
            study,
            title=f"Remove {name} from the study",
            text=f"{name} is {member.role} of this study and loses access to it at once, in the "
            "console and by tokens.\n\nWhat they did stays, and the log keeps their name. An "
            "owner can give them a role again.",
            button=f"Remove {name}",
            back=back,
        )
    revoke_role(study, member.user)
    messages.success(request, f"{name} was removed from the study.")
    is_still_owner = role_in(study, request.user) is not None
    return redirect(back if is_still_owner else reverse("console:studies"))


@study_page(Right.WORK, "GET")
def log(request: HttpRequest, study: Study) -> HttpResponse:
    """Show the log of a study, newest first."""
    filters = _read_filters(request)
    paginator = Paginator(find_entries(study, **filters), ENTRIES_PER_PAGE)
    entries = paginator.get_page(request.GET.get("page"))
    page = {
        "study": study,
        "entries": entries,
        "shown": mask_entries(entries, sees_addresses=is_owner(request)),
        "filters": filters,
        "areas": AREAS,
    }
    return render(request, "console/study/log.html", page)


@study_page(Right.WORK, "GET")
def export_log(request: HttpRequest, study: Study) -> StreamingHttpResponse:
    """Download the log as CSV, with the filters of its page."""
    entries = find_entries(study, **_read_filters(request))
    rows = stream_log(entries, sees_addresses=is_owner(request))
    return StreamingHttpResponse(
        rows,
        content_type="text/csv; charset=utf-8",
        headers={"Content-Disposition": f'attachment; filename="log_{study.slug}.csv"'},
    )


def _read_filters(request: HttpRequest) -> dict[str, Any]:
    """Return the filters, without characters that a database refuses."""
    return {name: read_query(request.GET.get(name, "")) for name in ("action", "actor")}
