"""Rows as earlier versions stored them, made with the models as they were then."""

from typing import Any

from django.utils import timezone

OLD_CONSENT = (  # the default text before migration 0021
    "Thank you for your interest. We would like to know how people understand words when "
    "they meet them in a text. You will read short texts. For each one, you write down two "
    "words that it makes you think of. Then you rate how similar in meaning two of its own "
    "words are.\n"
    "\n"
    "- Taking part is voluntary. You can stop at any time, and you need not say why.\n"
    "- We do not ask for your name. Your answers are stored under a random code.\n"
    "- The answers of everyone who takes part will be published as a dataset for research on "
    "language. Nothing in it will say who you are.\n"
    "- Please take part only if you are an adult and read English with ease.\n"
    "\n"
    "You do not need to prepare or to know anything special. What matters to us is how you "
    "understand each text."
)
OLD_TABLES = ("Study", "Pair", "Context", "Block", "Questionnaire", "Item", "Annotator",
              "Invitation", "Assignment", "Response")  # fmt: skip


def rows_of(old: Any, name: str) -> Any:
    return old.get_model("surveys", name).objects


def make_old_study(old: Any) -> Any:
    """A study of one text, as it was stored at first; its one questionnaire has two places."""
    make = {name: old.get_model("surveys", name).objects.create for name in OLD_TABLES}
    study = make["Study"](
        slug="old", title="old", language="en", ratings_per_context=2, block_size=5
    )
    pair = make["Pair"](study=study, position=1, word1="cat", word2="dog")
    context = make["Context"](
        pair=pair, number=1, text="cat dog", word1_start=0, word1_end=3, word2_start=4, word2_end=7
    )
    block = make["Block"](study=study, number=1)
    questionnaire = make["Questionnaire"](block=block, letter="A")
    make["Item"](questionnaire=questionnaire, position=1, context=context)
    return study


def make_old_assignment(old: Any, study: Any, number: int) -> Any:
    make = {name: old.get_model("surveys", name).objects.create for name in OLD_TABLES}
    annotator = make["Annotator"](study=study, code=f"code{number}")
    make["Invitation"](study=study, token=f"link{number}", annotator=annotator)
    context = old.get_model("surveys", "Context").objects.get()
    questionnaire = old.get_model("surveys", "Questionnaire").objects.get()
    assignment = make["Assignment"](
        questionnaire=questionnaire, annotator=annotator, token=f"token{number}"
    )
    make["Response"](
        assignment=assignment, annotator=annotator, pair=context.pair, context=context, position=1
    )
    return assignment


def answer(assignment: Any, old: Any, *, rating: int) -> None:
    now = timezone.now()
    old.get_model("surveys", "Response").objects.filter(assignment=assignment).update(
        inspired_word1="sea", inspired_word2="salt", engaged_at=now, rating=rating, rated_at=now
    )
    old.get_model("surveys", "Assignment").objects.filter(pk=assignment.pk).update(
        state="submitted", submitted_at=now
    )


def make_begun_study(old: Any, slug: str, **fields: Any) -> Any:
    wanted = {"language": "en", "opened_at": timezone.now(), **fields}
    return rows_of(old, "Study").create(
        slug=slug, title=slug, ratings_per_context=2, block_size=5, **wanted
    )
