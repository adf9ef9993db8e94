"""Create a study with a finished assignment in every place, and an account to view it.

Runs in the environment and folder of a fresh site: `python export_data.py RESPONSES`. The
account is set by BENCH_ACCOUNT and BENCH_PASSWORD.
"""

import os
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator
from decimal import Decimal
from itertools import islice
from pathlib import Path

import django

sys.path.insert(0, str(Path.cwd()))
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "annotation_site.settings")
django.setup()

from django.contrib.auth.models import User  # noqa: E402
from django.utils import timezone  # noqa: E402

from surveys.models import (  # noqa: E402
    Annotator,
    Assignment,
    AssignmentState,
    Context,
    Invitation,
    Item,
    Place,
    Response,
    Study,
)
from surveys.study.create import create_study  # noqa: E402
from surveys.study.stimuli.load import StudyDesign, read_stimuli  # noqa: E402

STUDY = "bench"
RATINGS_PER_CONTEXT = 10
BLOCK_SIZE = 20
ROWS_AT_ONCE = 2000
HEADER = (
    "word1\tword2\tcontext1\tcontext2\t"
    "word1_context1\tword2_context1\tword1_context2\tword2_context2\n"
)


def make_study(n_pairs: int) -> Study:
    """Import a stimuli file of `n_pairs` pairs."""
    design = StudyDesign(
        slug=STUDY, language="en", ratings_per_context=RATINGS_PER_CONTEXT, block_size=BLOCK_SIZE
    )
    rows = "".join(map(write_pair, range(1, n_pairs + 1)))
    create_study(read_stimuli(f"{HEADER}{rows}".encode(), design))
    return Study.objects.get(slug=STUDY)


def write_pair(number: int) -> str:
    """Return a row of a stimuli file."""
    one, two = f"alpha{number}", f"beta{number}"
    contexts = (
        f"Rain fell on <strong>{one}</strong>. It grew dark. Then <strong>{two}</strong> left.",
        f"Here lived <strong>{two}</strong>. It was late. There <strong>{one}</strong> lay.",
    )
    return "\t".join((one, two, *contexts, one, two, one, two)) + "\n"


def take_places(study: Study, contexts: dict[int, list[Context]]) -> list[Assignment]:
    """Create a finished assignment in each place, each by a different annotator."""
    places = list(Place.objects.free(study))
    people = Annotator.objects.bulk_create(Annotator(study=study) for _ in places)
    Invitation.objects.bulk_create(Invitation(study=study, annotator=p) for p in people)
    now = timezone.now()
    assignments = Assignment.objects.bulk_create(
        Assignment(
            study=study,
            questionnaire_id=place.questionnaire_id,
            round_id=place.round_id,
            annotator=person,
            state=AssignmentState.SUBMITTED,
            n_items=len(contexts[place.questionnaire_id]),
            started_at=now,
            submitted_at=now,
        )
        for place, person in zip(places, people, strict=True)
    )
    for place, assignment in zip(places, assignments, strict=True):
        place.assignment = assignment
    Place.objects.bulk_update(places, ["assignment"], batch_size=ROWS_AT_ONCE)
    return assignments


def answer(
    assignments: Iterable[Assignment], contexts: dict[int, list[Context]], points: list[Decimal]
) -> Iterator[Response]:
    """Answer each context of each assignment."""
    for assignment in assignments:
        for position, context in enumerate(contexts[assignment.questionnaire_id], 1):
            response = Response(
                assignment=assignment,
                annotator_id=assignment.annotator_id,
                context=context,
                pair_id=context.pair_id,
                position=position,
            )
            response.inspired_word1, response.inspired_word2 = f"salt{position}", "sea"
            response.words_shown_at = response.engaged_at = timezone.now()
            response.rating_shown_at = response.rated_at = timezone.now()
            response.words_visible_seconds = response.rating_visible_seconds = 12.345
            response.rating = points[position % len(points)]
            yield response


def main(n_responses: int) -> None:
    """Fill the site."""
    study = make_study(max(1, n_responses // (2 * RATINGS_PER_CONTEXT)))
    contexts: dict[int, list[Context]] = defaultdict(list)
    for item in Item.objects.select_related("context"):
        contexts[item.questionnaire_id].append(item.context)
    answers = answer(take_places(study, contexts), contexts, study.scale_points)
    while rows := list(islice(answers, ROWS_AT_ONCE)):
        Response.objects.bulk_create(rows)
    User.objects.create_superuser(
        os.environ["BENCH_ACCOUNT"], password=os.environ["BENCH_PASSWORD"]
    )


if __name__ == "__main__":
    main(int(sys.argv[1]))
