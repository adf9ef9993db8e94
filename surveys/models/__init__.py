"""What is stored, a room for each part of a study's life."""

from surveys.models.access import AuditEntry, Membership, Role
from surveys.models.collection import Annotator, Assignment, AssignmentState, Place, Response
from surveys.models.programs import (
    ApiToken,
    Delivery,
    IdempotencyRecord,
    Webhook,
    WebhookEvent,
)
from surveys.models.publication import Release
from surveys.models.recruitment import Entrance, Invitation, Provider, Visit, Worker
from surveys.models.reviewing import (
    Review,
    ReviewClaim,
    ReviewSettings,
    ReviewState,
    Verdict,
    VerdictKind,
)
from surveys.models.running import Run, RunKind, RunState
from surveys.models.stimuli import Block, Checkpoint, Context, Item, Pair, Questionnaire, Round
from surveys.models.study import AssigningPolicy, Study, StudyText, TextKind

__all__ = [
    "Annotator", "ApiToken", "AssigningPolicy", "Assignment", "AssignmentState", "AuditEntry",
    "Block", "Checkpoint", "Context", "Delivery", "Entrance", "IdempotencyRecord", "Invitation",
    "Item", "Membership", "Pair", "Place", "Provider", "Questionnaire", "Release", "Response",
    "Review", "ReviewClaim", "ReviewSettings", "ReviewState", "Role", "Round", "Run", "RunKind",
    "RunState", "Study", "StudyText", "TextKind", "Verdict", "VerdictKind", "Visit", "Webhook",
    "WebhookEvent", "Worker",
]  # fmt: skip
