"""What is stored, a room for each part of a study's life."""

from surveys.models.collection import Annotator, Assignment, AssignmentState, Place, Response
from surveys.models.publication import Release
from surveys.models.recruitment import Entrance, Invitation, Provider, Visit, Worker
from surveys.models.stimuli import Block, Checkpoint, Context, Item, Pair, Questionnaire, Round
from surveys.models.study import AssigningPolicy, Study, StudyText, TextKind

__all__ = [
    "Annotator", "AssigningPolicy", "Assignment", "AssignmentState", "Block", "Checkpoint",
    "Context", "Entrance", "Invitation", "Item", "Pair", "Place", "Provider", "Questionnaire",
    "Release", "Response", "Round", "Study", "StudyText", "TextKind", "Visit", "Worker",
]  # fmt: skip
