"""Studies whose annotators differ."""

from decimal import Decimal

from surveys.models import Study
from tests.factories.answers import answer_due
from tests.factories.studies import due_response, start


def answer_apart(study: Study, n_annotators: int = 2) -> Study:
    """Let annotators finish a study: the second half of them differs on items of even position."""
    for number in range(n_annotators):
        assignment = start(study)
        for _ in range(assignment.responses.count()):
            is_apart = (
                due_response(assignment).pair.position % 2 == 0 and 2 * number >= n_annotators
            )
            answer_due(assignment, Decimal(not is_apart), ("lake" if is_apart else "sea", "salt"))
    return study
