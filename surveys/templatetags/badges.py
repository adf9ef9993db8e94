"""Template filter for states: as badges, which lists can be scanned for."""

from django import template
from django.utils.html import format_html
from django.utils.safestring import SafeString

register = template.Library()

# Looks differ by outline and filling, not only by colour, and the text always names the state.
# Red is for what needs a decision; a state that is not listed here is over, or a plain fact.
STATES = {
    "draft": (
        "offered", "unused", "waiting", "planned", "intended", "reserved", "open", "not approved",
    ),
    "collecting": (
        "started", "running", "creating", "live", "closing", "sending", "being sent", "active",
        "payable", "approved until",
    ),
    "complete": (
        "submitted", "done", "sent", "delivered", "paid", "outside", "settled", "approved", "good",
    ),
    "grave": (
        "failed", "interrupted", "disputed", "held", "unpaid", "refused", "unknown", "given up",
    ),
}  # fmt: skip
LOOKS = {state: look for look, states in STATES.items() for state in states}


@register.filter
def badge(state: str, text: str = "") -> SafeString:
    """Return a state as a badge; with `text`, in these words. What follows a colon is next to it.

    >>> badge("failed")
    '<span class="badge grave">Failed</span>'
    >>> badge("held", "held: a person decides")
    '<span class="badge grave">Held</span> <span class="hint">a person decides</span>'
    >>> badge("")
    '–'
    """
    if not state:
        return SafeString("–")
    name, _, meaning = (text or state).partition(": ")
    look = LOOKS.get(state, "")
    shown = format_html('<span class="{}">{}</span>', f"badge {look}".strip(), _capitalise(name))
    return format_html('{} <span class="hint">{}</span>', shown, meaning) if meaning else shown


def _capitalise(text: str) -> str:
    return text[:1].upper() + text[1:]
