"""The steps before the items, as annotators see them above each page."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from django.utils.translation import gettext_lazy as _

from surveys.models import Study
from surveys.participation.introduction import Step

if TYPE_CHECKING:
    from django_stubs_ext import StrPromise

CONSENT, ITEMS = "consent", "items"
LABELS: "dict[str, StrPromise]" = {
    CONSENT: _("Consent"),
    Step.INSTRUCTIONS: _("Instructions"),
    Step.PRACTICE: _("Practice"),
    Step.CHECK: _("Questions"),
}


class ShownStep(NamedTuple):
    """A step with its label; its state is done, now or later."""

    label: "StrPromise"
    state: str


def show_steps(study: Study, steps: Sequence[Step], now: str) -> list[ShownStep]:
    """Return a study's steps, from consent to the items, with the present page's step marked.

    None for the preview of a step that the study does not ask for.
    """
    names = [CONSENT, *steps, ITEMS]
    if now not in names:
        return []
    here = names.index(now)
    states = ["done"] * here + ["now"] + ["later"] * (len(names) - here - 1)
    labels = {**LABELS, ITEMS: _("Texts") if study.kind.n_texts else _("Pairs")}
    return [ShownStep(labels[name], state) for name, state in zip(names, states, strict=True)]
