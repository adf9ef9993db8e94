"""What is stored, a room for each part of a study's life."""

from surveys.models.access import AuditEntry, Membership, Role
from surveys.models.batches import Batch, Hit, HitState
from surveys.models.collection import Annotator, Assignment, AssignmentState, Response
from surveys.models.payments import Payment, PaymentKind, PaymentState
from surveys.models.places import Place
from surveys.models.programs import (
    ApiToken,
    Delivery,
    IdempotencyRecord,
    Webhook,
    WebhookEvent,
)
from surveys.models.publication import Release
from surveys.models.qualifications import Grant, Qualification
from surveys.models.recruitment import (
    Arrival,
    Entrance,
    Invitation,
    Provider,
    ProviderState,
    Standing,
    Visit,
    Worker,
)
from surveys.models.reviewing import (
    Review,
    ReviewClaim,
    ReviewSettings,
    ReviewState,
    Verdict,
    VerdictKind,
)
from surveys.models.running import Run, RunKind, RunState
from surveys.models.sign_in import SignInBudget
from surveys.models.stimuli import Block, Checkpoint, Context, Item, Pair, Questionnaire, Round
from surveys.models.study import (
    AssigningPolicy,
    ConsentNotice,
    QuestionForms,
    Study,
    StudyText,
    TextKind,
)

__all__ = [
    "Annotator", "ApiToken", "Arrival", "AssigningPolicy", "Assignment", "AssignmentState",
    "AuditEntry",
    "Batch", "Block", "Checkpoint", "ConsentNotice", "Context", "Delivery", "Entrance", "Grant",
    "Hit", "HitState", "IdempotencyRecord", "Invitation", "Item", "Membership", "Pair", "Payment",
    "PaymentKind", "PaymentState", "Place", "Provider", "ProviderState", "Qualification",
    "QuestionForms",
    "Questionnaire", "Release", "Response", "Review", "ReviewClaim", "ReviewSettings",
    "ReviewState", "Role", "Round", "Run", "RunKind", "RunState", "SignInBudget", "Standing",
    "Study", "StudyText", "TextKind", "Verdict", "VerdictKind", "Visit", "Webhook", "WebhookEvent",
    "Worker",
]  # fmt: skip
