"""What the database refuses of designs, items and answers, whoever writes to it."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from itertools import product

import pytest
from django.db import IntegrityError, models, transaction

from surveys.models import Adjudication, Block, Context, SecondAnswer, SecondLook
from tests.factories.studies import start

pytestmark = [pytest.mark.django_db, pytest.mark.every_database]

WORDS = {"item_kind": "words", "question": "similarity", "writes": "nothing"}
TEXTS = {**WORDS, "item_kind": "texts"}
MAJORITY = {"centre": "majority"}
TRANSLATED = {
    **WORDS, **MAJORITY, "question": "translation", "writes": "translations", "language2": "fi",
    "publishes_words": True,
}  # fmt: skip
YES_OR_NO = {
    **TEXTS, **MAJORITY, "question": "same_meaning", "same_word": True, "scale_maximum": 1,
}  # fmt: skip
KEPT = [
    {}, MAJORITY, {**MAJORITY, "adjudicates": True}, {"block_size": None}, {"n_doubled": 3},
    WORDS, {**WORDS, "question": "relatedness", "language2": "fi"}, TRANSLATED, TEXTS,
    {**TEXTS, "question": "relatedness", "same_word": True, "writes": "substitutes"},
    {**TEXTS, "writes": "substitutes", "sends_choice": True}, YES_OR_NO,
    {**YES_OR_NO, "sends_choice": True}, {**YES_OR_NO, "writes": "substitutes"},
    {**WORDS, "second_look_above": 1}, {**TEXTS, "second_look_above": "0.25"},
]  # fmt: skip
REFUSED = {
    "study_asks_for_work": [
        {"block_size": 0}, {"ratings_per_context": 0}, {"lease_hours": 0, "block_size": None},
    ],
    "question_fits_kind": [
        {"question": "similarity"}, {"writes": "nothing"}, {"same_word": True},
        {"language2": "fi"}, {"item_kind": "words"}, {"item_kind": "texts"},
        {**WORDS, "same_word": True}, {**WORDS, "writes": "substitutes"},
        {**YES_OR_NO, "item_kind": "words", "same_word": False}, {**TEXTS, "item_kind": "other"},
        {**TEXTS, "writes": "associations"}, {**TRANSLATED, "item_kind": "texts"},
    ],
    "same_meaning_is_yes_or_no": [
        {**YES_OR_NO, "same_word": False}, {**YES_OR_NO, "scale_minimum": -1},
        {**YES_OR_NO, "scale_maximum": 2}, {**YES_OR_NO, "scale_step": "0.5"},
        {**YES_OR_NO, "centre": "mean"},
        {**YES_OR_NO, "writes": "substitutes", "sends_choice": True},
    ],
    "translations_go_together": [
        {**TRANSLATED, "language2": ""}, {**TRANSLATED, "writes": "nothing"},
        {**TRANSLATED, "question": "similarity"}, {**TRANSLATED, "centre": "mean"},
        {**TRANSLATED, "publishes_words": False},
    ],
    "languages_differ": [{**WORDS, "language2": "en"}],
    "second_look_is_of_means": [
        {"second_look_above": 1}, {**WORDS, "second_look_above": 0},
        {**WORDS, "second_look_above": 1, "centre": "median"},
    ],
    "doubled_have_blocks": [{"n_doubled": 3, "block_size": None}],
    "majority_is_decided": [{"adjudicates": True}, {"adjudicates": True, "centre": "median"}],
}  # fmt: skip
NEVER_NULL = (
    *WORDS, "same_word", "language2", "centre", "layout", "design", "n_doubled", "adjudicates",
    "ratings_per_context", "lease_hours", "scale_minimum", "sends_choice", "publishes_words",
)  # fmt: skip
SPANS = ("word1_start", "word1_end", "word2_start", "word2_end")
NOON = datetime(2026, 5, 4, 12, tzinfo=UTC)
LATER = NOON + timedelta(minutes=1)


class Undo(Exception):
    """Ends a transaction whose statement the database took."""


def refusal(row: models.Model, **values: object) -> str:
    """Return why the database refuses to change a row; empty if it would not."""
    try:
        with transaction.atomic():
            type(row)._default_manager.filter(pk=row.pk).update(**values)  # noqa: SLF001
            raise Undo
    except IntegrityError as error:
        return str(error)
    except Undo:
        return ""


def test_possible_designs_are_stored(study):
    assert [values for values in KEPT if refusal(study, **values)] == []


@pytest.mark.parametrize("name", REFUSED)
def test_impossible_designs_are_refused(study, name):
    assert [v for v in REFUSED[name] if name not in refusal(study, **v)] == []


def test_a_design_has_no_unknown_settings(study):
    assert [name for name in NEVER_NULL if not refusal(study, **{name: None})] == []


def test_a_block_has_at_most_one_answer_more(study):
    block = Block.objects.first()

    assert [n for n in (0, 1, 2) if not refusal(block, n_more=n)] == [0, 1]
    assert refusal(block, n_more=None)


def list_contexts() -> Iterator[tuple[tuple[object, ...], bool]]:
    """Yield values of a context, null in each place among them, and whether they fit a kind."""
    apart, turned = (0, 2, 3, 5), (3, 5, 0, 2)
    one_null = [tuple(None if n == k else end for n, end in enumerate(apart)) for k in range(4)]
    spans = [apart, turned, (0, 3, 2, 5), (2, 2, 3, 5), (0, 2, 5, 5), (None,) * 4, *one_null]
    for number, text, text2, more, ends in product(
        (1, 2), ("", "ab cd"), ("", "ef gh"), (None, [[[4, 5]], []]), spans
    ):
        has_targets = None not in ends and ends[0] < ends[1] and ends[2] < ends[3]
        is_text = bool(text and not text2 and not more and ends in (apart, turned))
        is_texts = bool(number == 1 and text and text2 and has_targets)
        is_words = number == 1 and not text and not text2 and not more and ends == (None,) * 4
        yield (number, text, text2, more, *ends), is_text or is_texts or is_words


def test_a_context_is_of_one_kind(study):
    context = Context.objects.filter(number=1).first()
    names = ("number", "text", "text2", "more_spans", *SPANS)

    wrong = [
        (values, fits)
        for values, fits in list_contexts()
        if ("targets_as_kind" not in refusal(context, **dict(zip(names, values, strict=True))))
        is not fits
    ]

    assert wrong == []


ANSWER = ("writes", "engaged_at", "rated_at", "written1", "written2", "rating", "is_unjudgeable")
UNANSWERED = (None, None, "", "", None, False)
BY_WRITES = {
    "associations": [
        UNANSWERED,
        (NOON, None, "sea", "salt", None, False),
        *(
            (NOON, rated_at, "sea", "salt", *given)
            for rated_at in (NOON, LATER)
            for given in ((3, False), (None, True))
        ),
    ],
    "nothing": [UNANSWERED, *((NOON, NOON, "", "", *g) for g in ((3, False), (None, True)))],
    "substitutes": [
        UNANSWERED,
        (NOON, NOON, "sea", "salt", 3, False),
        (NOON, NOON, "sea", "salt", None, True),
        (NOON, NOON, "", "", None, True),
    ],
    "translations": [
        UNANSWERED,
        (NOON, NOON, "sea", "salt", None, False),
        (NOON, NOON, "sea", "salt", None, True),
        (NOON, NOON, "", "", None, True),
    ],
}


def test_an_answer_has_what_its_study_asks_for(study):
    response = start(study).responses.first()
    combinations = [
        *product(
            BY_WRITES, (None, NOON), (None, NOON, LATER), ("", "sea"), ("", "salt"), (None, 3),
            (False, True),
        )
    ]  # fmt: skip

    accepted = [
        values
        for values in combinations
        if not refusal(response, **dict(zip(ANSWER, values, strict=True)))
    ]

    meant = {(writes, *answer) for writes, answers in BY_WRITES.items() for answer in answers}
    assert (len(combinations), len(accepted)) == (384, 17)
    assert set(accepted) == meant
    assert [
        name
        for name in ("writes", "written1", "written2", "is_unjudgeable")
        if not refusal(response, **{name: None})
    ] == []


SECOND = ("answered_at", "rating", "is_unjudgeable", "comment")
KEPT_SECOND = {
    (None, None, False, ""), (NOON, 3, False, ""), (NOON, None, True, ""),
    (NOON, None, True, "unknown word"),
}  # fmt: skip


def test_a_second_answer_is_a_rating_or_none(study):
    response = start(study).responses.first()
    answer = SecondAnswer.objects.create(response=response, others_sum=9, n_others=2)
    combinations = product((None, NOON), (None, 3), (False, True), ("", "unknown word"))

    accepted = {v for v in combinations if not refusal(answer, **dict(zip(SECOND, v, strict=True)))}

    assert accepted == KEPT_SECOND
    assert refusal(answer, n_others=1)
    assert refusal(answer, is_unjudgeable=None)


def test_a_second_look_is_closed_by_somebody(study, django_user_model):
    user = django_user_model.objects.create_user("vesna")
    look = SecondLook.objects.create(study=study, above=1, ratings_digest="0", opened_by=user)

    assert [
        refusal(look, closed_at=a, closed_by=u) == "" for a in (None, NOON) for u in (None, user)
    ] == [True, False, False, True]


def test_an_adjudication_is_one_answer(study, django_user_model):
    user = django_user_model.objects.create_user("vesna")
    response = start(study).responses.first()
    decision = {"context": response.context, "reason": "a slip", "author": user}
    first = Adjudication.objects.create(**decision, response=response)
    Adjudication.objects.create(**decision, rating=1, is_standing=False)
    names = ("response", "rating", "written1", "written2")
    combinations = product((None, response), (None, 1), ("", "sea"), ("", "salt"))

    accepted = [v for v in combinations if not refusal(first, **dict(zip(names, v, strict=True)))]

    assert accepted == [(None, None, "sea", "salt"), (None, 1, "", ""), (response, None, "", "")]
    assert refusal(first, reason="")
    with pytest.raises(IntegrityError), transaction.atomic():
        Adjudication.objects.create(**decision, rating=1)
