"""The menu of a study: its steps, the pages of each, and the right that they need."""

from typing import NamedTuple

from django.urls import reverse

from surveys.access.roles import Right
from surveys.models import Role, Study


class Step(NamedTuple):
    """A step of a study: the URL names of its first page and of its other pages."""

    first: str
    others: str = ""
    right: Right = Right.WORK


class Link(NamedTuple):
    """A link of the menu; `current` is its `aria-current`, empty on pages of other steps."""

    label: str
    url: str
    current: str


STEPS = (
    Step("stimuli", "row replace_file remove_row checkpoints"),
    Step("design", "text opening"),
    Step(
        "recruitment",
        "invite invitation open_link prolific close_entrance batches plan_batch batch arm_batch "
        "drop_batch stop_batch batch_ledger batch_people batch_bonus batch_choose visit pay_visit "
        "reject_visit retry_visit override_visit compensate_visit note_visit",
    ),
    Step("collection", "block repeat annotators annotator context jobs", Right.READ),
    Step(
        "review",
        "review_more review_one review_questionnaires review_disputes review_agreement "
        "review_settings",
        Right.READ,
    ),
    Step("results", "run ledger compare"),
    Step("release"),
    Step("people", "leave", Right.OWN),
    Step("privacy", "find_person person erase pay settle drop", Right.OWN),
    Step("log"),
)


def list_links(study: Study, role: Role, page: str | None) -> list[Link]:
    """Return the links that a role may follow, with the step of a page marked."""
    return [
        Link(
            step.first.capitalize(),
            reverse(f"console:{step.first}", args=[study.slug]),
            "page" if page == step.first else "true" if page in step.others.split() else "",
        )
        for step in STEPS
        if role in step.right.value
    ]
