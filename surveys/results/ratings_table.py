"""The ratings table of a study, and the other tables that `postprocess` takes."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import datetime
from decimal import Decimal
from typing import TYPE_CHECKING, Any, NamedTuple

from django.db import transaction
from django.db.models import Count
from django.utils import timezone

from surveys.errors import RatingsMissing, ReleaseRefused
from surveys.models import (
    Adjudication,
    Assignment,
    AssignmentState,
    Context,
    Response,
    Review,
    SecondAnswer,
    Study,
)
from surveys.models.participation import ResponseQuerySet
from surveys.models.study import Centre
from surveys.study.design import design_of
from surveys.study.stimuli.load import read_stored_stimuli
from surveys.study.stimuli.sources import read_origin, read_sources

if TYPE_CHECKING:
    import pandas as pd

    from postprocess.designs.design import Design
    from postprocess.release.assembling import Collected
    from postprocess.table.scale import Scale

Answer = Decimal | tuple[str, str]  # a rating, or the translations of both words
RATINGS_COLUMNS = ("pair", "context", "annotator", "rating", "group", "mark")
CHECKS_COLUMNS = ("checkpoint", "annotator", "rating", "group", "lowest", "highest")
WORDS_COLUMNS = ("pair", "context", "annotator")  # and what is written
DETAILS_COLUMNS = (
    "pair", "context", "annotator", "block", "position", "seconds", "layout", "order",
)  # fmt: skip
FIELDS = (
    "pair__position", "context__number", "annotator__code", "valid_rating",
    "assignment__questionnaire__block__number", "assignment__questionnaire__letter",
    "valid_is_unjudgeable", "assignment__state", "assignment__round__is_current",
    "context__checkpoint__lowest", "context__checkpoint__highest", "annotator__publishes_words",
    "position", "rating_visible_seconds", "scale_layout", "written1", "written2",
    "annotator__invitation__is_rehearsal", "assignment", "pk",
)  # fmt: skip
TALLIED = ("context", "pk", "assignment", "rated_at", "rating", "written1", "written2")


class Answers(NamedTuple):
    """A study's answers, as tables.

    `ratings`; `checks`: ratings of checkpoint items; `words`: engagement answers to be published;
    `details`: the block and position of each rated context, for how many seconds the page with the
    scale was visible and how it showed the scale, if it reported that; `scripted`: annotators of a
    rehearsal.
    """

    ratings: "pd.DataFrame"
    checks: "pd.DataFrame"
    words: "pd.DataFrame"
    details: "pd.DataFrame"
    scripted: frozenset[str]


class Tally(NamedTuple):
    """The answers to an item that count, by response; that of most of them, and what was decided.

    An adjudication that takes an annotator's answer decides as long as that answer counts.
    """

    answers: dict[int, Answer]
    majority: Answer | None
    decision: Answer | None

    @property
    def answer(self) -> Answer | None:
        """The majority, otherwise the decision; None for an item that is open."""
        return self.decision if self.majority is None else self.majority


def refuse_translations(study: Study) -> None:
    """Raise ReleaseRefused for a study that collects no ratings."""
    if study.collects_translations:
        raise ReleaseRefused(
            "A study of translations has no scores, runs or releases: export the translated items, "
            "the stimuli of a next study, with export_translations or on the page Release."
        )


def collect_study(study: Study) -> "Collected":
    """Return a study's ratings in the form `postprocess` takes; annotators are named by codes.

    Raises ReleaseRefused for a study of translations, RatingsMissing if a context has no rating,
    StimuliChanged if the stored texts are not those that were imported.
    """
    from postprocess.release.assembling import Collected

    refuse_translations(study)
    stimuli = read_stored_stimuli(study)
    answers = table_answers(study)
    decisions = _table_decisions(study)
    _refuse_unrated_contexts(study, answers.ratings, decisions)
    return Collected(
        stimuli,
        answers.ratings,
        checks=None if answers.checks.empty else answers.checks,
        words=None if answers.words.empty else answers.words,
        details=answers.details,
        scripted=answers.scripted,
        sources=read_sources(study),
        origin=read_origin(study),
        design=released_design(study),
        decisions=decisions,
    )


def released_design(study: Study) -> "Design | None":
    """Return the design that the files of a study's results say; None if that is CoSimLex."""
    return design_of(study) if study.kind.n_contexts == 1 else None


@transaction.atomic
def withdrawal_cutoff(study: Study) -> datetime:
    """Return the time from which a withdrawal may come too late for the next read of a study.

    Waits for the lock of the study, so that a withdrawal in progress is complete.
    """
    Study.objects.select_for_update(no_key=True).get(pk=study.pk)
    return timezone.now()


def table_answers(study: Study) -> Answers:
    """Return tables of all answers, without annotators who withdrew.

    Pairs and checkpoint items are identified by their position, annotators by their random codes,
    groups by their questionnaire (such as 2A). `mark` says why a rating does not count. `words`
    has the annotators who agreed to publication, if the study still publishes words.
    """
    rows = list(_list_answers(study))
    unwanted = set(Review.objects.unwanted(study).values_list("assignment", "response"))
    orders = _order_doubled(study)
    ratings, checks, words, details = [], [], [], []
    for pair, number, annotator, rating, block, letter, unjudged, state, current, *more in rows:
        low, high, may_publish, position, seconds, shown, *written, _, assignment, response = more
        points = None if rating is None else float(rating)
        group = f"{block}{letter}"
        if low is None:
            is_rejected = not unwanted.isdisjoint([(assignment, None), (assignment, response)])
            mark = _mark(unjudged, state, is_current=current, is_rejected=is_rejected)
            ratings.append((pair, number, annotator, points, group, mark))
            place = (str(block), float(position), seconds, shown, orders.get(response, ""))
            details.append((pair, number, annotator, *place))
            if may_publish and study.publishes_words and any(written):
                words.append((pair, number, annotator, *written))
        elif state == AssignmentState.SUBMITTED and current:
            checks.append((pair, annotator, points, group, low, high))
    return Answers(
        _table(ratings, RATINGS_COLUMNS),
        _table(checks, CHECKS_COLUMNS),
        _table(words, (*WORDS_COLUMNS, *study.kind.written)),
        _join_looks(study, _table(details, DETAILS_COLUMNS).astype({"seconds": float})),
        frozenset(row[2] for row in rows if row[-3]),
    )


def _table_decisions(study: Study) -> "pd.DataFrame | None":
    """Return the decisions on items without a majority as ratings; None if there are none."""
    if not study.adjudicates:
        return None
    positions = dict(Context.objects.stimuli(study).values_list("pk", "pair__position"))
    rows = [
        (positions[pk], 1, "adjudicator", float(tally.answer), "", "")
        for pk, tally in tally_answers(study).items()
        if tally.majority is None and isinstance(tally.answer, Decimal)
    ]
    return _table(rows, RATINGS_COLUMNS).drop(columns=["group", "mark"]) if rows else None


def _join_looks(study: Study, details: "pd.DataFrame") -> "pd.DataFrame":
    """Add to the details of ratings what a second look changed, if there was one."""
    import pandas as pd

    from postprocess.table.details import DECISION, LOOKS

    if study.second_look_above is None:
        return details
    shown: Any = SecondAnswer.objects.of_study(study).with_items()
    looks = [
        (
            look.response.pair.position,
            look.response.context.number,
            look.response.annotator.code,
            float(look.response.rating),
            float(look.others_sum) / look.n_others,
            float(look.n_others),
            look.decision,
        )
        for look in shown
    ]
    table = pd.DataFrame(looks, columns=[*DETAILS_COLUMNS[:3], *LOOKS, DECISION])
    return details.merge(table, how="left") if looks else details


def number_annotators(collected: "Collected") -> "Collected":
    """Return the same with annotators A01, A02, … in the order of their codes, for a release."""
    codes = sorted({*collected.ratings["annotator"], *collected.scripted})
    width = max(2, len(str(len(codes))))
    names = {code: f"A{number:0{width}}" for number, code in enumerate(codes, 1)}
    tables = {
        name: table.assign(annotator=table["annotator"].map(names))
        for name in ("ratings", "checks", "words", "details")
        if (table := getattr(collected, name)) is not None
    }
    return replace(
        collected, **tables, scripted=frozenset(map(names.__getitem__, collected.scripted))
    )


def _list_answers(study: Study) -> Iterable[tuple[Any, ...]]:
    return Response.objects.given(study).with_valid_rating(study).values_list(*FIELDS)


def _order_doubled(study: Study) -> dict[int, str]:
    """Return which answers to doubled items came first ("1"), second and so on, by response."""
    if not study.n_doubled or study.centre != Centre.MAJORITY:
        return {}
    given = (
        Response.objects.current(study)
        .on_stimuli()
        .filter(assignment__questionnaire__block__n_more=1)
    )
    by_item: defaultdict[int, list[int]] = defaultdict(list)
    for pair, response in given.order_by("rated_at", "pk").values_list("pair", "pk"):
        by_item[pair].append(response)
    return {pk: f"{n}" for answers in by_item.values() for n, pk in enumerate(answers, 1)}


def list_rejected(study: Study) -> ResponseQuerySet:
    """Return the current ratings of stimuli that reviewers have rejected; all others are usable."""
    unwanted = Review.objects.unwanted(study).order_by()
    wholes = unwanted.filter(response__isnull=True).values("assignment")
    of_wholes = Response.objects.filter(assignment__in=wholes).order_by().values("pk")
    single = unwanted.filter(response__isnull=False).values("response")
    rated = Response.objects.counted(study).on_stimuli()
    return rated.filter(pk__in=of_wholes.union(single))  # with OR all responses would be read


def _mark(is_unjudgeable: bool, state: str, *, is_current: bool, is_rejected: bool) -> str:
    """Return why a rating does not count, as the library names it; "" if it does."""
    from postprocess.table.ratings import REJECTED, UNJUDGED

    if not is_current:
        return "replaced"
    if state != AssignmentState.SUBMITTED:
        return "unfinished"
    if is_unjudgeable:
        return UNJUDGED
    return REJECTED if is_rejected else ""


def _table(rows: list[tuple[Any, ...]], columns: Sequence[str]) -> "pd.DataFrame":
    import pandas as pd

    table = pd.DataFrame(rows, columns=list(columns))
    return table.sort_values([*columns[:2], "annotator"], ignore_index=True)


def tally_answers(study: Study, **of: Any) -> dict[int, Tally]:
    """Return a tally for each context of the stimuli, or those that a filter keeps, by its id.

    Answers that are current, and neither rejected nor "cannot judge", count, the earliest first. A
    decision counts until there is a later answer, as after a repeat of the block.
    """
    from postprocess.statistics.agreement.kappa import find_majority

    contexts = Context.objects.stimuli(study).filter(**of)
    by_context: dict[int, dict[int, Answer]] = {
        pk: {} for pk in contexts.values_list("pk", flat=True)
    }
    unwanted = set(Review.objects.unwanted(study).values_list("assignment", "response"))
    given = Response.objects.current(study).filter(context__in=contexts, is_unjudgeable=False)
    rows = given.order_by("rated_at", "pk").values_list(*TALLIED)
    latest: dict[int, datetime] = {}
    for context, pk, assignment, rated_at, rating, written1, written2 in rows:
        latest[context] = rated_at
        if unwanted.isdisjoint([(assignment, None), (assignment, pk)]):
            by_context[context][pk] = (written1, written2) if rating is None else rating
    decided: dict[int, Answer | None] = {
        a.context_id: by_context[a.context_id].get(a.response_id) if a.response_id else a.answer
        for a in Adjudication.objects.standing(study).filter(context__in=contexts)
        if a.context_id not in latest or a.at > latest[a.context_id]
    }
    return {
        context: Tally(answers, find_majority([*answers.values()]), decided.get(context))
        for context, answers in by_context.items()
    }


def scale_of(study: Study) -> "Scale":
    """Return the study's rating scale as the library takes it."""
    from postprocess.table.scale import Scale

    ends = (study.scale_minimum, study.scale_maximum, study.scale_step)
    return Scale(*map(_as_number, ends))


def _as_number(point: Decimal) -> float:
    """Return whole numbers as int, so that the report equals the report by `postprocess build`."""
    return int(point) if point == int(point) else float(point)


def list_shortfalls(study: Study) -> list[str]:
    """Return notes on what a dataset of the study would lack or contain now, with counts."""
    assignments = Assignment.objects.for_study(study)
    current = assignments.filter(round__is_current=True)
    finished = current.submitted()
    unfinished = current.exclude(state__in=(AssignmentState.SUBMITTED, AssignmentState.WITHDRAWN))
    responses = Response.objects.for_study(study)
    item, text = ("context", "text") if study.kind.n_contexts == 2 else ("item", "item")
    counts = [
        (
            _count_short_contexts(study),
            f"{item}s with fewer than the {study.ratings_per_context} ratings wanted",
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
            responses.with_valid_rating()
            .filter(assignment__in=finished, valid_is_unjudgeable=True)
            .count(),
            f"{text}s that annotators could not judge",
        ),
        (
            finished.filter(responses__in=responses.failed_checkpoints()).distinct().count(),
            "questionnaires with a failed checkpoint item, included",
        ),
        (
            SecondAnswer.objects.of_study(study).due().count(),
            "ratings that annotators may still change in the second look, which is open",
        ),
        (
            list_rejected(study).count(),
            "ratings marked in review, left out unless the recipe says otherwise",
        ),
        (
            finished.filter(is_over_quota=True).count(),
            "questionnaires finished over quota, included",
        ),
        (
            assignments.filter(started_at__isnull=False).scripted().count(),
            "questionnaires of scripted annotators (a rehearsal), not of people, in all rounds",
        ),
    ]
    return [f"{words}: {count}" for count, words in counts if count]


def _count_short_contexts(study: Study) -> int:
    usable = Response.objects.counted(study).on_stimuli().exclude(pk__in=list_rejected(study))
    ratings = usable.order_by().values("context")
    full = ratings.annotate(n=Count("pk")).filter(n__gte=study.ratings_per_context)
    return Context.objects.stimuli(study).count() - full.count()


def _refuse_unrated_contexts(
    study: Study, ratings: "pd.DataFrame", decisions: "pd.DataFrame | None"
) -> None:
    import pandas as pd

    n_contexts = Context.objects.stimuli(study).count()
    counted = ratings[ratings["mark"] == ""]
    n_rated = len(pd.concat([counted, decisions])[["pair", "context"]].drop_duplicates())
    if n_rated < n_contexts:
        raise RatingsMissing(
            f"{n_contexts - n_rated} of the {n_contexts} contexts of study {study.slug} have no "
            "rating from a finished questionnaire yet. Wait for more annotators, then release."
        )
