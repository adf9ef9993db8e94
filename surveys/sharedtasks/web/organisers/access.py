"""Access to the pages of organisers, and the menu of a shared task."""

from collections.abc import Callable
from datetime import datetime
from functools import cache, partial, wraps
from typing import NamedTuple

from django import forms
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from surveys.access.audit_log import acting
from surveys.sharedtasks.models import SharedTask
from surveys.sharedtasks.tasks import find_next_step, organised_tasks
from surveys.web.console.access import Page
from surveys.web.console.menu import NextLink, WayBack
from surveys.web.forms import status_of
from surveys.web.timing import began_at

SPACE = "organisers"


class Entry(NamedTuple):
    """An entry of the menu: its page, label and icon, and the URL names of its other pages."""

    page: str
    label: str
    icon: str
    others: str = ""
    is_step: bool = True


class Link(NamedTuple):
    """A menu link; `name` is its icon's name, `current` as in a study's menu."""

    label: str
    name: str
    url: str
    current: str
    is_step: bool


class Menu(NamedTuple):
    """The links of a shared task, the page above the page shown, and what comes next."""

    links: list[Link]
    parent: WayBack | None
    next: NextLink | None


ENTRIES = (
    Entry("data", "Data", "stimuli", "add_release add_files add_track remove_data"),
    Entry("phases", "Phases", "design", "add_phase gwsc phase remove_phase codabench"),
    Entry("rules", "Texts and rules", "review"),
    Entry("opening", "Opening", "release"),
    Entry(
        "teams", "Teams", "recruitment",
        "invite_team team link_team accept_team decline_team exclude_team merge_team "
        "allow_attempts revoke_link password_link remove_member",
    ),
    Entry("submissions", "Submissions", "collection", "submission days own_files"),
    Entry(
        "scores", "Scores", "results", "correct scoring finalise publish retract "
        "import_published delete_published",
    ),
    Entry("organisers", "Organisers", "people", "remove_organiser", is_step=False),
    Entry("log", "Log", "log", is_step=False),
)  # fmt: skip


def now_of(request: HttpRequest) -> datetime:
    """Return the instant at which a request began."""
    return request.now  # type: ignore[attr-defined,no-any-return]


def task_page(*methods: str) -> Callable[[Page], Page]:
    """Require an organiser of the shared task whose slug the URL holds, and pass it to the view.

    The page takes GET and POST unless methods are given. Without a sign-in the answer is the
    sign-in page; 404 for other researchers, so that the existence of a draft is not revealed.
    Sets `request.menu` and `request.now`.
    """

    def decorate(view: Page) -> Page:
        @require_http_methods(methods or ("GET", "POST"))
        @never_cache
        @login_required
        @wraps(view)
        def answer(request: HttpRequest, *, slug: str, **arguments: object) -> HttpResponseBase:
            now = began_at(request)
            shared_task = organised_tasks(request.user).filter(slug=slug).first()
            if shared_task is None:
                raise Http404
            page = request.resolver_match.url_name if request.resolver_match else None
            request.now = now  # type: ignore[attr-defined]
            request.menu = cache(  # type: ignore[attr-defined]
                partial(_make_menu, shared_task, page, now)
            )
            with acting(request.user):
                return view(request, shared_task, **arguments)

        return answer

    return decorate


def ask_first(
    request: HttpRequest,
    shared_task: SharedTask,
    *,
    title: str,
    text: str,
    button: str,
    back: str,
    fields: dict[str, str] | None = None,
) -> HttpResponse:
    """Show the effect of an action, with a button to confirm and a link to cancel."""
    page = {
        "base": "sharedtasks/organisers/_task.html",
        "shared_task": shared_task,
        "title": title,
        "text": text,
        "button": button,
        "back": back,
        "fields": fields or {},
    }
    return render(request, "console/confirm.html", page)


def show_form(
    request: HttpRequest,
    shared_task: SharedTask,
    form: forms.Form,
    *,
    title: str,
    text: str,
    button: str,
) -> HttpResponse:
    """Show a form that fills a page, with what its button does."""
    page = {
        "shared_task": shared_task, "form": form, "title": title, "text": text, "button": button,
    }  # fmt: skip
    return render(request, "sharedtasks/organisers/reason.html", page, status=status_of(form))


def _make_menu(shared_task: SharedTask, page: str | None, now: datetime) -> Menu:
    """Return the links of a shared task, with the entry of a page marked, and the next step."""
    links = [
        Link(
            entry.label,
            entry.icon,
            reverse(f"{SPACE}:{entry.page}", args=[shared_task.slug]),
            _mark(entry, page),
            entry.is_step,
        )
        for entry in ENTRIES
    ]
    current = next((link for link in links if link.current), None)
    parent = WayBack(current.label, current.url) if current and current.current == "true" else None
    if current is None and page != "overview":
        parent = WayBack(shared_task.title, reverse(f"{SPACE}:overview", args=[shared_task.slug]))
    if not (step := find_next_step(shared_task, now=now)):
        return Menu(links, parent, None)
    url = "" if step.page == page else reverse(f"{SPACE}:{step.page}", args=[shared_task.slug])
    return Menu(links, parent, NextLink(step.label, step.reason, url))


def _mark(entry: Entry, page: str | None) -> str:
    if page == entry.page:
        return "page"
    return "true" if page in entry.others.split() else ""
