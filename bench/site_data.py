"""Read the stored responses of a Cosima site, and make changes that no annotator can make.

Runs in the environment and folder of the site: `python site_data.py ACTION …`

    stored         print every started response as JSON
    lapse HOURS    move all timestamps back, as if hours had passed
    fill PLACES    answer that many places of each questionnaire
"""

import datetime as dt
import json
import os
import re
import sys
from pathlib import Path

import django

sys.path.insert(0, str(Path.cwd()))  # the checkout that is measured
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "annotation_site.settings")
django.setup()

from django.apps import apps  # noqa: E402
from django.db.models import DateTimeField, F  # noqa: E402
from django.utils import timezone  # noqa: E402

from surveys.models import (  # noqa: E402
    Assignment,
    AssignmentState,
    Questionnaire,
    Response,
    Study,
)
from surveys.participation.assignments import start_assignment  # noqa: E402
from surveys.recruitment.links import invite_annotators  # noqa: E402

ITEM = re.compile(r"\balpha(\d+)\b")


def list_stored() -> list[tuple[str, int, int, str, str, float | None, bool]]:
    """Return item, annotator, pair, words, rating and whether it counts, for each response.

    Answers of finished assignments count: a dataset contains no others.
    """
    begun = Response.objects.exclude(written1="").select_related("context", "assignment")
    return [
        (
            "".join(ITEM.findall(response.context.text)),
            response.annotator_id,
            response.pair_id,
            response.written1,
            response.written2,
            None if response.rating is None else float(response.rating),
            response.assignment.state == AssignmentState.SUBMITTED,
        )
        for response in begun
    ]


def let_lapse(hours: int) -> None:
    """Move all timestamps of the survey into the past."""
    shift = dt.timedelta(hours=hours)
    for model in apps.get_app_config("surveys").get_models():
        names = [f.name for f in model._meta.fields if isinstance(f, DateTimeField)]
        if names:
            model._default_manager.update(  # noqa: SLF001
                **{name: F(name) - shift for name in names}
            )


def fill(places: int) -> int:
    """Start assignments by the app's rules and answer them; return the number of responses."""
    study = Study.objects.get()
    count = places * Questionnaire.objects.filter(block__study=study).count()
    for invitation in invite_annotators(study, count):
        start_assignment(invitation)
    now = timezone.now()
    answered = Response.objects.update(
        written1="lorem", written2="ipsum", engaged_at=now, rating=3, rated_at=now
    )
    done = {"state": AssignmentState.SUBMITTED, "started_at": now, "submitted_at": now}
    Assignment.objects.update(**done)
    return answered


def main(action: str, *arguments: str) -> None:
    """Perform an action."""
    if action == "stored":
        sys.stdout.write(json.dumps(list_stored()))
    elif action == "lapse":
        let_lapse(int(arguments[0]))
    elif action == "fill":
        sys.stdout.write(f"{fill(int(arguments[0]))}\n")
    else:
        raise SystemExit(__doc__)


if __name__ == "__main__":
    main(*sys.argv[1:])
