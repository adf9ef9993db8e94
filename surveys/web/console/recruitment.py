"""Recruitment: personal links, and the ways by which many may come."""

from typing import Any

from django.conf import settings
from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from surveys.access.roles import Right
from surveys.models import Entrance, Invitation, Provider, Study
from surveys.participation.assignments import list_places_left
from surveys.participation.withdrawal import revoke_invitation
from surveys.privacy.erasure import forget_invitation
from surveys.recruitment.links import (
    address_for_provider,
    close_entrance,
    count_whereabouts,
    find_invitations,
    invite_annotators,
    invite_listed,
    open_entrance,
)
from surveys.recruitment.providers import completion_address
from surveys.recruitment.reaching import warn_unreachable
from surveys.recruitment.reminders import list_recruits
from surveys.results.export import stream_invitations
from surveys.results.jobs import LINKS_AT_ONCE
from surveys.results.runs import request_links
from surveys.tasks import start_run
from surveys.web.console.access import is_owner, signed_in, study_page
from surveys.web.console.confirming import Question, ask_first
from surveys.web.console.forms import attempt
from surveys.web.console.recruitment_forms import (
    EntranceForm,
    InvitationFilter,
    InviteForm,
    ProlificForm,
    RevokeForm,
)

LINKS_A_PAGE = 25
FORMS = {Provider.LINK: EntranceForm, Provider.PROLIFIC: ProlificForm}
PAGES = {Provider.LINK: "open_link", Provider.PROLIFIC: "prolific"}


@require_GET
@study_page(Right.WORK)
def recruitment(request: HttpRequest, study: Study) -> HttpResponse:
    """The personal links and where their people are, the latest first."""
    form = InvitationFilter(request.GET)
    wanted = form.cleaned_data if form.is_valid() else {}
    found = find_invitations(study, sees_addresses=is_owner(request), **wanted)
    counts, paginator = count_whereabouts(study), Paginator(found, LINKS_A_PAGE)
    if not form.data.get("note") and not form.data.get("through"):  # they are counted already
        state = wanted.get("state")
        paginator.count = counts.get(state, 0) if state else sum(counts.values())
    rows = paginator.get_page(request.GET.get("page"))
    page = {
        "study": study,
        "form": form,
        "rows": rows,
        "recruits": list_recruits(study, rows, sees_addresses=is_owner(request)),
        "counts": counts,
        "ways": _list_ways(study),
        "unreachable": warn_unreachable(),
    }
    return render(request, "console/recruitment.html", page, status=422 if form.errors else 200)


@require_http_methods(["GET", "POST"])
@study_page(Right.WORK)
def invite(request: HttpRequest, study: Study) -> HttpResponse:
    """Make personal links, so many or for a list of people."""
    is_sent = request.method == "POST"
    form = InviteForm(request.POST, request.FILES) if is_sent else InviteForm()
    led_to = ["recruitment"]

    def act() -> None:
        count = form.cleaned_data["count"] or 0
        if max(count, len(form.lines)) > LINKS_AT_ONCE:
            run = request_links(
                study, signed_in(request), n_before=form.n_before, count=count, notes=form.lines
            )
            start_run(run.pk)
            led_to.append("errands")
            messages.success(request, "The links are being made; this page tells how far it is.")
            return
        if count:
            links = invite_annotators(study, count, n_before=form.n_before)
            messages.success(request, f"Links made: {len(links)}.")
        else:
            made = invite_listed(study, form.lines)
            told = f"Links made: {len(made.new)}; known already: {len(made.known)}."
            messages.success(request, told)

    if is_sent and attempt(form, act):
        return redirect(f"console:{led_to[-1]}", study.slug)
    page = {
        "study": study,
        "form": form,
        "n_before": Invitation.objects.personal(study).count(),
        "n_left": sum(list_places_left(study).values()),
        "unreachable": warn_unreachable(),
    }
    return render(request, "console/invite.html", page, status=422 if form.errors else 200)


@require_GET
@study_page(Right.WORK)
def export(request: HttpRequest, study: Study) -> StreamingHttpResponse:
    """The personal links as CSV."""
    chunks = stream_invitations(study, settings.SITE_URL, shows_addresses=is_owner(request))
    name = f"invitations_{study.slug}.csv"
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    return StreamingHttpResponse(chunks, content_type="text/csv; charset=utf-8", headers=headers)


@require_http_methods(["GET", "POST"])
@study_page(Right.WORK)
def invitation(request: HttpRequest, study: Study, invitation_id: int) -> HttpResponse:
    """One personal link: copy it, remind whom it is for, revoke it."""
    found = _find_link(study, invitation_id)
    form = RevokeForm(request.POST if request.method == "POST" else None)

    def act() -> None:
        revoke_invitation(found, form.cleaned_data["because"])
        messages.success(request, "The link leads nowhere any more.")

    if request.method == "POST" and attempt(form, act):
        return redirect("console:invitation", study.slug, invitation_id)
    return _show_link(request, study, found, form, RevokeForm(auto_id="drop_%s"))


@require_POST
@study_page(Right.OWN)
def forget(request: HttpRequest, study: Study, invitation_id: int) -> HttpResponse:
    """Drop the note of a link that nobody has used, and revoke it."""
    found = _find_link(study, invitation_id)
    form = RevokeForm(request.POST, auto_id="drop_%s")

    def act() -> None:
        forget_invitation(found, form.cleaned_data["because"])
        messages.success(request, "The note is dropped, and the link leads nowhere any more.")

    if attempt(form, act):
        return redirect("console:invitation", study.slug, invitation_id)
    return _show_link(request, study, found, RevokeForm(), form)


def _find_link(study: Study, invitation_id: int) -> Any:
    links: Any = Invitation.objects.by_people(study).with_whereabouts()
    return get_object_or_404(links, pk=invitation_id)


def _show_link(
    request: HttpRequest, study: Study, found: Any, form: RevokeForm, drop: RevokeForm
) -> HttpResponse:
    """A link, with what was wrong about revoking it or about dropping its note."""
    (recruit,) = list_recruits(study, [found], sees_addresses=is_owner(request))
    page = {
        "study": study,
        "invitation": found,
        "recruit": recruit,
        "form": form,
        "drop": drop,
        "unreachable": warn_unreachable(),
    }
    status = 422 if form.errors or drop.errors else 200
    return render(request, "console/invitation.html", page, status=status)


@require_http_methods(["GET", "POST"])
@study_page(Right.WORK)
def entrance(request: HttpRequest, study: Study, provider: Provider) -> HttpResponse:
    """The open link, or the place on Prolific: open it, change it."""
    found = Entrance.objects.filter(study=study, provider=provider).first()
    fields = ("cap", "completion_code", "no_place_code")
    initial = {name: getattr(found, name) for name in fields} if found else {}
    form = FORMS[provider](request.POST if request.method == "POST" else None, initial=initial)

    def act() -> None:
        open_entrance(study, provider, **form.cleaned_data)
        messages.success(request, "It is open.")

    if request.method == "POST" and attempt(form, act):
        return redirect(f"console:{PAGES[provider]}", study.slug)
    page = {
        "study": study,
        "entrance": found,
        "is_prolific": provider == Provider.PROLIFIC,
        "address": address_for_provider(found) if found else "",
        "returns": _list_returns(found) if found else [],
        "unreachable": warn_unreachable(),
        "form": form,
    }
    return render(request, "console/entrance.html", page, status=422 if form.errors else 200)


@require_http_methods(["GET", "POST"])
@study_page(Right.WORK)
def close(request: HttpRequest, study: Study, entrance_id: int) -> HttpResponse:
    """Ask whether to let nobody start by the open link, or from Prolific; a POST does it."""
    entrances = Entrance.objects.select_related("study").filter(provider__in=PAGES)
    found = get_object_or_404(entrances, study=study, pk=entrance_id)
    back = reverse(f"console:{PAGES[Provider(found.provider)]}", args=[study.slug])
    if request.method == "GET":
        return ask_first(request, _ask_to_close(found, back), study=study)
    close_entrance(found)
    messages.success(request, "Closed: nobody can start here any more.")
    return redirect(back)


def _ask_to_close(found: Entrance, back: str) -> Question:
    is_prolific = found.provider == Provider.PROLIFIC
    what = "the way from Prolific" if is_prolific else "the open link"
    return Question(
        title=f"Close {what}",
        text="Nobody can start by it any more, and those who try are told so. Annotators who have "
        "started can finish.\n\nIt can be opened again, with the same address.",
        button=f"Close {what}",
        back=back,
    )


def _list_ways(study: Study) -> list[dict[str, object]]:
    """How many may come: the page of each way, and its entrance if it is in use."""
    entrances = {entrance.provider: entrance for entrance in study.entrances.all()}
    labels = {Provider.LINK: "Open link", Provider.PROLIFIC: "Prolific"}
    return [
        {"page": page, "label": labels[provider], "entrance": entrances.get(provider)}
        for provider, page in PAGES.items()
    ]


def _list_returns(entrance: Entrance) -> list[tuple[str, str, str]]:
    """Each code, for whom it is, and where the provider takes it."""
    codes = {
        "who has finished": entrance.completion_code,
        "who found no place": entrance.no_place_code,
    }
    return [
        (whom, code, completion_address(entrance.provider, code)) for whom, code in codes.items()
    ]
