"""The finished demo studies of two other designs: words alone, and two uses of a word."""

from collections.abc import Mapping
from typing import NamedTuple

from django.db import transaction

from surveys.access.roles import is_demonstration
from surveys.models import Pair, Study
from surveys.rehearsal.demo import create_demo_study
from surveys.rehearsal.finished.collection import Collection, draw_arrivals
from surveys.rehearsal.finished.people import Manner, Source
from surveys.rehearsal.finished.reviewing import review_answers
from surveys.rehearsal.finished.study import (
    FIRST_ROUND,
    REVIEW,
    date_opening,
    find_begin,
    make_results,
    store_answers,
)
from surveys.study.design import start_study


class Demo(NamedTuple):
    """A finished demo study of a design, and its careless people by how many came before."""

    design: str
    title: str
    public_title: str
    careless: Mapping[int, Manner]
    n_elsewhere: int  # people of other demo studies


DEMOS = {
    "words": Demo(
        "simlex", "Finished demo of words alone", "How similar are two words?",
        {4: Manner.CONSTANT, 11: Manner.RANDOM}, n_elsewhere=48,
    ),
    "uses": Demo(
        "durel", "Finished demo of two uses of a word", "How related are two uses of a word?", {},
        n_elsewhere=63,
    ),
}  # fmt: skip


def prepare_finished_designs() -> None:
    """Create the studies, or what they lack; another study with such a name is left alone."""
    for name, demo in DEMOS.items():
        study = Study.objects.filter(slug=f"demo-{name}").first() or _make_study(name, demo)
        if is_demonstration(study):
            make_results(study, "finished_en_description.toml")


@transaction.atomic
def _make_study(name: str, demo: Demo) -> Study:
    """Create a study, its answers, and the review of its questionnaires."""
    design = start_study(demo.design, slug=f"demo-{name}", title=demo.title, language="en", seed=1)
    study = create_demo_study(design, f"finished_{name}.tsv", public_title=demo.public_title)
    begin = find_begin()
    date_opening(study, begin)
    sources = {
        (pair.position, 1): Source(float(pair.details["intended"]) - float(study.scale_minimum))
        for pair in Pair.objects.stimuli(study)
    }
    careless = {("1A", 1, number): manner for number, manner in demo.careless.items()}
    collection = Collection(study, sources, careless, demo.n_elsewhere)
    for arrives_at in draw_arrivals(begin, study.ratings_per_context, *FIRST_ROUND):
        collection.take_part(arrives_at)
    store_answers(collection)
    review_answers(study, collection.manners, begin + REVIEW)
    return study
