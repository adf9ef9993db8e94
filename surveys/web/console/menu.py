"""The menu of a study: its steps, the pages of each, and the right that they need."""

from collections import ChainMap, defaultdict
from typing import NamedTuple

from django.urls import reverse

from surveys.access.roles import VISITOR, Right
from surveys.features import load_objects
from surveys.models import Study
from surveys.monitoring.checklist import NextStep, find_next_step, recall_steps


class Page(NamedTuple):
    """A menu entry: the URL names of its first page and its other pages."""

    first: str
    others: str = ""
    right: Right = Right.WORK
    is_shown: bool = False  # to visitors of a demonstration study
    is_optional: bool = False  # left out unless it is a step of the study

    def is_open_to(self, role: str) -> bool:
        """Return whether a role may look at the entry's first page."""
        return role in self.right.value or (role == VISITOR and self.is_shown)

    def mark(self, page: str | None) -> str:
        """Return the entry's `aria-current` on a page."""
        if page == self.first:
            return "page"
        return "true" if page in self.others.split() else ""


class Link(NamedTuple):
    """A link of the menu; `current` is its `aria-current`, empty on pages of other steps.

    `name` is that of its icon, `progress` that of the step in numbers, if there are any. Pages that
    are no step of a study come after its steps.
    """

    name: str
    url: str
    current: str
    is_step: bool = False
    is_done: bool = False
    progress: str = ""

    @property
    def label(self) -> str:
        return self.name.capitalize()


class WayBack(NamedTuple):
    """The page above the page shown."""

    label: str
    url: str


class NextLink(NamedTuple):
    """What the user does next in a study; `url` is empty on the page itself."""

    label: str
    reason: str
    url: str


class Menu(NamedTuple):
    """The links of a study's pages, the page above the page shown, what its user does next, and
    whether the study holds scripted answers.
    """

    links: list[Link]
    parent: WayBack | None
    next: NextLink | None
    is_rehearsed: bool


PAGES = (
    Page("stimuli", "row replace_file remove_row checkpoints", is_shown=True),
    Page("design", "text practice_rows check_rows opening", is_shown=True),
    Page(
        "recruitment",
        "invite invitation open_link prolific close_entrance mails send_invitations "
        "send_reminders retry_mails cancel_mails no_mail",
    ),
    Page(
        "collection",
        "block repeat replace second_look annotators annotator context adjudication adjudicate "
        "jobs rehearsal delete_rehearsal",
        Right.READ,
        is_shown=True,
    ),
    Page(
        "review",
        "review_more review_one review_effect review_questionnaires review_disputes "
        "review_agreement review_settings",
        Right.READ,
        is_shown=True,
    ),
    Page(
        "results",
        "recipe_text run pairs pair plots ledger compare comparisons comparison new_collection "
        "remove_collection",
        is_shown=True,
    ),
    Page(
        "release", "description description_text release_page verify_release deposit", is_shown=True
    ),
    Page("people", "leave invite_person webhooks webhook remove_webhook", Right.OWN),
    Page("privacy", "find_person person erase pay settle drop", Right.OWN),
    Page("log"),
)


def list_entries() -> list[Page]:
    """Return the entries, apps' first; a page of an app belongs to that of its address's start."""
    below: dict[str, list[str]] = defaultdict(list)
    for places in load_objects("console_urls"):
        for name, (address, _) in ChainMap(*places.values()).items():
            below[address.partition("/")[0]].append(name)
    apps = [Page(first, is_optional=True) for first in below if first in below[first]]
    return [
        page._replace(others=" ".join([page.others, *below[page.first]]))
        for page in (*apps, *PAGES)
    ]


def list_open(role: str) -> set[str]:
    """Return the URL names of the first pages that a role may look at."""
    return {entry.first for entry in list_entries() if entry.is_open_to(role)}


def make_menu(study: Study, role: str, page: str | None) -> Menu:
    """Return the links that a role may follow, with the step of a page marked, and the next."""
    steps = recall_steps(study)
    by_name = {step.name: step for step in steps}
    links = []
    for entry in list_entries():
        step = by_name.get(entry.first)
        if entry.is_open_to(role) and (step or not entry.is_optional):
            links.append(
                Link(
                    entry.first,
                    reverse(f"console:{entry.first}", args=[study.slug]),
                    entry.mark(page),
                    is_step=step is not None,
                    is_done=step is not None and step.is_done,
                    progress=step.progress if step else "",
                )
            )
    following = _link_next(study, role, page, find_next_step(steps))
    is_rehearsed = any(step.is_rehearsed for step in steps)
    return Menu(links, _find_parent(study, links, page), following, is_rehearsed)


def _find_parent(study: Study, links: list[Link], page: str | None) -> WayBack | None:
    """Return the way back from a page: to its entry of the menu, from other pages to the overview.

    None on the overview and on the pages of the menu, which is next to them.
    """
    current = next((link for link in links if link.current), None)
    if current and current.current == "true":
        return WayBack(current.label, current.url)
    if current or page == "overview":
        return None
    return WayBack(study.title or study.slug, reverse("console:overview", args=[study.slug]))


def _link_next(
    study: Study, role: str, page: str | None, following: NextStep | None
) -> NextLink | None:
    if following is None:
        return None
    entry = next(e for e in list_entries() if following.page in (e.first, *e.others.split()))
    if role not in entry.right.value:
        return None
    url = reverse(f"console:{following.page}", args=[study.slug])
    return NextLink(following.label, following.reason, "" if page == following.page else url)
