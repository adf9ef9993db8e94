from surveys.crowd.models import HitState, PaymentState
from surveys.models.jobs import JobState
from surveys.models.participation import AssignmentState
from surveys.models.recruitment import ProviderState, ReconciliationResult
from surveys.models.review import ReviewState, VerdictKind
from surveys.templatetags.badges import LOOKS, STATES, badge

CHOICES = (
    AssignmentState, HitState, PaymentState, ProviderState, ReviewState, JobState,
    ReconciliationResult, VerdictKind,
)  # fmt: skip
OTHERS = {  # properties of models, and what pages name themselves
    "unused", "being sent", "sent", "interrupted", "delivered", "given up", "not approved",
    "approved until",
}  # fmt: skip


def test_each_state_has_one_look_and_exists():
    named = {str(state) for choices in CHOICES for state in choices} | OTHERS

    assert set(LOOKS) <= named
    assert sum(map(len, STATES.values())) == len(LOOKS)


def test_a_badge_escapes_what_it_shows():
    assert "<script>" not in badge("failed", "<script>: <b>")
