"""What is stored, a room for each part of a study's life."""

from surveys.models.collection import Annotator, Assignment, AssignmentState, Response
from surveys.models.publication import Release
from surveys.models.recruitment import Invitation
from surveys.models.stimuli import Block, Context, Item, Pair, Questionnaire
from surveys.models.study import Study

__all__ = [
    "Annotator", "Assignment", "AssignmentState", "Block", "Context", "Invitation", "Item",
    "Pair", "Questionnaire", "Release", "Response", "Study",
]  # fmt: skip
