"""Recruitment: personal links, the open link and Prolific."""

from typing import Any

from django.conf import settings
from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse

from surveys.access.roles import Right
from surveys.models import Entrance, Invitation, Provider, Study, TextKind
from surveys.monitoring.links_needed import count_links_by_state, count_links_needed
from surveys.participation.assignments import list_places_left
from surveys.participation.withdrawal import revoke_invitation
from surveys.privacy.erasure import forget_invitation
from surveys.recruitment.links import (
    address_for_provider,
    close_entrance,
    find_invitations,
    invite_annotators,
    invite_listed,
    open_entrance,
    sum_by_state,
)
from surveys.recruitment.providers import completion_address, list_pages, rules_of
from surveys.recruitment.reaching import warn_unreachable
from surveys.recruitment.reminders import list_placeholder_values, list_recruits
from surveys.results.export import stream_invitations, stream_mails
from surveys.results.export_jobs import LINKS_AT_ONCE
from surveys.results.runs import request_links
from surveys.web.console.access import Page, is_owner, signed_in, study_page
from surveys.web.console.confirmation import ask_first
from surveys.web.console.recruitment.link_forms import (
    CodesForm,
    EntranceForm,
    InvitationFilter,
    InviteForm,
    RevokeForm,
)
from surveys.web.forms import attempt, posted, status_of

LINKS_A_PAGE = 25


@study_page(Right.WORK, "GET")
def recruitment(request: HttpRequest, study: Study) -> HttpResponse:
    """List the personal links with their states, newest first."""
    form = InvitationFilter(request.GET)
    filters = form.cleaned_data if form.is_valid() else {}
    matches = find_invitations(study, sees_addresses=is_owner(request), **filters)
    links = count_links_by_state(study)
    counts, paginator = sum_by_state(links), Paginator(matches, LINKS_A_PAGE)
    if not form.data.get("note") and not form.data.get("through"):  # they are counted already
        state = filters.get("state")
        paginator.count = counts.get(state, 0) if state else sum(counts.values())
    rows = paginator.get_page(request.GET.get("page"))
    recruits = list_recruits(study, rows, sees_addresses=is_owner(request))
    page = {
        "study": study,
        "form": form,
        "rows": rows,
        "recruits": recruits,
        "links": "".join(f"{recruit.link}\n" for recruit in recruits),
        "counts": counts,
        "ways": _list_ways(study),
        "needed": count_links_needed(study, links),
        "unreachable": warn_unreachable(),
    }
    return render(request, "console/recruitment/recruitment.html", page, status=status_of(form))


@study_page(Right.WORK)
def invite(request: HttpRequest, study: Study) -> HttpResponse:
    """Create a number of personal links, or a link for each person of a list."""
    needed = count_links_needed(study, count_links_by_state(study))
    initial = {"count": needed.n_needed or None}
    form = InviteForm(posted(request), request.FILES or None, initial=initial)
    targets = ["recruitment"]

    def act() -> None:
        count = form.cleaned_data["count"] or 0
        if max(count, len(form.lines)) > LINKS_AT_ONCE:
            request_links(
                study, signed_in(request), n_before=form.n_before, count=count, notes=form.lines
            )
            targets.append("jobs")
            messages.success(request, "The links are being created; this page shows the progress.")
            return
        if count:
            links = invite_annotators(study, count, n_before=form.n_before)
            messages.success(request, f"Links created: {len(links):,}.")
        else:
            made = invite_listed(study, form.lines)
            messages.success(
                request, f"Links created: {len(made.new):,}; already known: {len(made.existing):,}."
            )

    if attempt(form, act):
        return redirect(f"console:{targets[-1]}", study.slug)
    page = {
        "study": study,
        "form": form,
        "n_before": Invitation.objects.personal(study).count(),
        "needed": needed,
        "unreachable": warn_unreachable(),
    }
    return render(request, "console/recruitment/invite.html", page, status=status_of(form))


@study_page(Right.WORK, "GET")
def export(request: HttpRequest, study: Study) -> StreamingHttpResponse:
    """Download the personal links as CSV."""
    chunks = stream_invitations(study, settings.SITE_URL, shows_addresses=is_owner(request))
    name = f"invitations_{study.slug}.csv"
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    return StreamingHttpResponse(chunks, content_type="text/csv; charset=utf-8", headers=headers)


def mails_page(kind: TextKind) -> Page:
    """Return the view that downloads all invitations, or all reminders, as CSV."""

    @study_page(Right.WORK, "GET")
    def export_mails(request: HttpRequest, study: Study) -> StreamingHttpResponse:
        chunks = stream_mails(study, kind, shows_addresses=is_owner(request))
        headers = {"Content-Disposition": f'attachment; filename="{kind}_mails_{study.slug}.csv"'}
        return StreamingHttpResponse(
            chunks, content_type="text/csv; charset=utf-8", headers=headers
        )

    return export_mails


@study_page(Right.WORK)
def invitation(request: HttpRequest, study: Study, invitation_id: int) -> HttpResponse:
    """Show a personal link, to copy it, remind its annotator or revoke it."""
    invitation = _find_link(study, invitation_id)
    form = RevokeForm(posted(request))
    if attempt(form, lambda: revoke_invitation(invitation, form.cleaned_data["because"])):
        messages.success(request, "The link is revoked.")
        return redirect("console:invitation", study.slug, invitation_id)
    return _show_link(request, study, invitation, form, RevokeForm(auto_id="drop_%s"))


@study_page(Right.OWN, "POST")
def forget(request: HttpRequest, study: Study, invitation_id: int) -> HttpResponse:
    """Delete the note of an unused link, and revoke it."""
    invitation = _find_link(study, invitation_id)
    form = RevokeForm(request.POST, auto_id="drop_%s")
    if attempt(form, lambda: forget_invitation(invitation, form.cleaned_data["because"])):
        messages.success(request, "The note is deleted and the link revoked.")
        return redirect("console:invitation", study.slug, invitation_id)
    return _show_link(request, study, invitation, RevokeForm(), form)


def _find_link(study: Study, invitation_id: int) -> Any:
    links: Any = Invitation.objects.by_people(study).with_link_state()
    return get_object_or_404(links, pk=invitation_id)


def _show_link(
    request: HttpRequest, study: Study, invitation: Any, form: RevokeForm, drop: RevokeForm
) -> HttpResponse:
    """Render a link with the forms to revoke it and to delete its note."""
    (recruit,) = list_recruits(study, [invitation], sees_addresses=is_owner(request))
    page = {
        "study": study,
        "invitation": invitation,
        "recruit": recruit,
        "form": form,
        "drop": drop,
        "unreachable": warn_unreachable(),
    }
    status = status_of(form, drop)
    return render(request, "console/recruitment/invitation.html", page, status=status)


@study_page(Right.WORK)
def entrance(request: HttpRequest, study: Study, provider: Provider) -> HttpResponse:
    """Open, change or show the settings of a channel."""
    rules, channel = rules_of(provider), list_pages()[provider]
    entrance = Entrance.objects.filter(study=study, provider=provider).first()
    fields = ("cap", "completion_code", "no_place_code")
    initial = {name: getattr(entrance, name) for name in fields} if entrance else {}
    make_form = CodesForm if rules.needs_code else EntranceForm
    form = make_form(posted(request), initial=initial)
    if attempt(form, lambda: open_entrance(study, provider, **form.cleaned_data)):
        messages.success(request, "Open.")
        return redirect(f"console:{channel.name}", study.slug)
    page = {
        "study": study,
        "entrance": entrance,
        "channel": channel,
        "address": address_for_provider(entrance) if entrance else "",
        "offer": list_placeholder_values(study),
        "n_places": sum(list_places_left(study).values()),
        "returns": _list_returns(entrance) if entrance else [],
        "unreachable": warn_unreachable(),
        "form": form,
    }
    template = f"console/recruitment/{channel.name}.html"
    return render(request, template, page, status=status_of(form))


@study_page(Right.WORK)
def close(request: HttpRequest, study: Study, entrance_id: int) -> HttpResponse:
    """Confirm (GET) or close (POST) the link of a channel."""
    channels = list_pages()
    entrances = Entrance.objects.select_related("study").filter(provider__in=channels)
    entrance = get_object_or_404(entrances, study=study, pk=entrance_id)
    channel = channels[Provider(entrance.provider)]
    back = reverse(f"console:{channel.name}", args=[study.slug])
    if request.method == "GET":
        return ask_first(
            request,
            study,
            title=f"Close the {channel.subject}",
            text="No new annotators can start with it; they see a notice. Annotators who have "
            "started can finish.\n\nIt can be reopened with the same URL.",
            button=f"Close the {channel.subject}",
            back=back,
        )
    close_entrance(entrance)
    messages.success(request, "Closed: no new annotators can start here.")
    return redirect(back)


def _list_ways(study: Study) -> list[dict[str, object]]:
    """Return the settings page of each channel, and its link if it is in use."""
    entrances = {entrance.provider: entrance for entrance in study.entrances.all()}
    return [
        {"page": channel.name, "label": channel.title, "entrance": entrances.get(provider)}
        for provider, channel in list_pages().items()
    ]


def _list_returns(entrance: Entrance) -> list[tuple[str, str, str]]:
    """Return recipients, code and return URL of each completion code."""
    codes = {
        "annotators who have finished": entrance.completion_code,
        "annotators without a place": entrance.no_place_code,
    }
    return [
        (name, code, completion_address(entrance.provider, code)) for name, code in codes.items()
    ]
