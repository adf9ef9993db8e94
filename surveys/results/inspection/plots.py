"""The plots of a run, from its archive."""

import json
from typing import NamedTuple

from django.db.models import Count
from django.db.models.functions import TruncDate

from surveys.models import Context, Response, Run, Study
from surveys.results.run_inspection import read_member

FORMS = {"svg": "image/svg+xml", "png": "image/png", "csv": "text/csv; charset=utf-8"}
INDEX = "plots/index.json"


class Plot(NamedTuple):
    """A plot: the name of its files, and what is written about it."""

    name: str
    title: str
    caption: str


def list_plots(run: Run) -> list[Plot]:
    """Return the plots of a finished run; none if it is older than they are."""
    index = read_member(run, INDEX)
    return [Plot(**entry) for entry in json.loads(index)] if index else []


def read_plot(run: Run, name: str, form: str) -> bytes | None:
    """Return a plot in one of `FORMS`, or None if there is no such file."""
    return read_member(run, f"plots/{name}.{form}") if form in FORMS else None


def count_ratings_by_day(study: Study) -> dict[str, int]:
    """Return the number of ratings of stimuli in the dataset on each day (UTC) with any."""
    counted = Response.objects.counted(study).on_stimuli().order_by()
    days = counted.annotate(day=TruncDate("rated_at")).values_list("day").annotate(n=Count("pk"))
    return {day.isoformat(): n for day, n in days.order_by("day")}


def count_ratings_wanted(study: Study) -> int:
    """Return the number of ratings that a study asks for."""
    return Context.objects.stimuli(study).count() * study.ratings_per_context
