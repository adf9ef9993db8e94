"""Answers → ratings table → dataset. The figures themselves are `postprocess`'s."""

import csv
import hashlib
import io
from typing import NamedTuple

import pandas as pd
from django.db.models import Count

from postprocess.pipeline import Dataset, Settings, build_dataset
from postprocess.ratings import RatingsError
from postprocess.stimuli import MarkedContext, Span, StimulusPair, parse_stimuli, render_stimuli
from surveys.errors import RatingsMissing, StimuliChanged
from surveys.models import (
    Assignment,
    AssignmentState,
    Context,
    Pair,
    Response,
    Study,
)

RATINGS_COLUMNS = ("language", "pair", "context", "annotator", "rating", "group")


class StudyDataset(NamedTuple):
    """A study's dataset, and the individual ratings it was made of as a ratings file."""

    dataset: Dataset
    ratings_csv: str


def analyse_study(study: Study, settings: Settings) -> StudyDataset:
    """Post-process the ratings of a study's submitted assignments.

    Raises RatingsMissing when a context has no rating, or none after filtering, StimuliChanged
    when the stored texts are not those that were imported.
    """
    stimuli = _stimuli_as_imported(study)
    ratings = table_ratings(study)
    _refuse_unrated_contexts(study, ratings)
    ratings_csv = _write_ratings(ratings, study.language)
    try:
        dataset = build_dataset(
            parse_stimuli(stimuli),
            ratings,
            language=study.language,
            settings=settings,
            inputs={"stimuli": _digest(stimuli), "ratings": _digest(ratings_csv.encode())},
            notes=list_shortfalls(study),
        )
    except RatingsError as error:
        raise RatingsMissing(str(error)) from error
    return StudyDataset(dataset, ratings_csv)


def table_ratings(study: Study) -> pd.DataFrame:
    """The ratings of submitted assignments: pair, context, annotator, rating, group.

    A pair is named by its row in the stimuli, an annotator by a number in the order of their
    random codes, a group by its questionnaire (such as 2A).
    """
    rows = (
        Response.objects.counted(study)
        .on_stimuli()
        .values_list(
            "pair__position",
            "context__number",
            "annotator__code",
            "rating",
            "assignment__questionnaire__block__number",
            "assignment__questionnaire__letter",
        )
    )
    codes = sorted({row[2] for row in rows})
    width = max(2, len(str(len(codes))))
    names = {code: f"A{number:0{width}}" for number, code in enumerate(codes, 1)}
    table = pd.DataFrame(
        [
            (p, c, names[code], float(rating), f"{block}{letter}")
            for p, c, code, rating, block, letter in rows
            if rating is not None
        ],
        columns=list(RATINGS_COLUMNS[1:]),
    )
    return table.sort_values(["pair", "context", "annotator"], ignore_index=True)


def list_shortfalls(study: Study) -> list[str]:
    """What a reader of a dataset made of the study now should know, in words."""
    assignments = Assignment.objects.for_study(study)
    current = assignments.filter(round__is_current=True)
    finished = current.submitted()
    unfinished = current.exclude(state__in=(AssignmentState.SUBMITTED, AssignmentState.WITHDRAWN))
    responses = Response.objects.for_study(study)
    counts = [
        (
            _count_short_contexts(study),
            f"contexts with fewer than the {study.ratings_per_context} ratings wanted",
        ),
        (
            responses.rated().on_stimuli().filter(assignment__in=unfinished).count(),
            "ratings of unfinished questionnaires, left out",
        ),
        (unfinished.count(), "unfinished questionnaires"),
        (
            current.filter(state=AssignmentState.WITHDRAWN).count(),
            "questionnaires withdrawn by their annotators, left out",
        ),
        (
            assignments.submitted().exclude(round__is_current=True).count(),
            "questionnaires of earlier rounds of repeated blocks, left out",
        ),
        (
            responses.filter(assignment__in=finished, is_unjudgeable=True).count(),
            "texts that annotators could not judge",
        ),
        (
            finished.filter(responses__in=responses.failed_checkpoints()).distinct().count(),
            "questionnaires with a failed checkpoint item, included",
        ),
        (
            finished.filter(is_over_quota=True).count(),
            "questionnaires finished over quota, included",
        ),
        (
            finished.scripted().count(),
            "questionnaires answered by scripted annotators (rehearse_study), not by people",
        ),
    ]
    return [f"{words}: {count}" for count, words in counts if count]


def _count_short_contexts(study: Study) -> int:
    ratings = Response.objects.counted(study).on_stimuli().order_by().values("context")
    full = ratings.annotate(n=Count("pk")).filter(n__gte=study.ratings_per_context)
    return Context.objects.stimuli(study).count() - full.count()


def _refuse_unrated_contexts(study: Study, ratings: pd.DataFrame) -> None:
    n_contexts = Context.objects.stimuli(study).count()
    n_rated = len(ratings[["pair", "context"]].drop_duplicates())
    if n_rated < n_contexts:
        raise RatingsMissing(
            f"{n_contexts - n_rated} of the {n_contexts} contexts of study {study.slug} have no "
            "rating from a finished questionnaire yet. Wait for more annotators, then release."
        )


def _stimuli_as_imported(study: Study) -> bytes:
    contexts = {(c.pair_id, c.number): c for c in Context.objects.stimuli(study)}
    rows = (
        StimulusPair(
            word1=pair.word1,
            word2=pair.word2,
            context1=_as_marked(contexts[pair.pk, 1]),
            context2=_as_marked(contexts[pair.pk, 2]),
        ).fields()
        for pair in Pair.objects.stimuli(study)
    )
    stimuli = render_stimuli(rows).encode()
    if _digest(stimuli) != study.stimuli_sha256:
        raise StimuliChanged(
            f"The texts stored for study {study.slug} are not those that were imported. "
            "Restore the database from a backup; nothing was written."
        )
    return stimuli


def _as_marked(context: Context) -> MarkedContext:
    return MarkedContext(
        context.text,
        Span(context.word1_start, context.word1_end),
        Span(context.word2_start, context.word2_end),
    )


def _write_ratings(ratings: pd.DataFrame, language: str) -> str:
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(RATINGS_COLUMNS)
    for pair, context, annotator, rating, group in ratings.itertuples(index=False, name=None):
        writer.writerow((language, pair, context, annotator, f"{rating:g}", group))
    return out.getvalue()


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
