"""The procedure of a design in words, for reports and releases; None is CoSimLex."""

from collections.abc import Iterator, Mapping
from typing import Any

from postprocess.designs.design import Design, Kind, Question, Writes

ITEMS: dict[Kind, str] = {
    "text": "two words in one text", "words": "two words, without a text",
    "texts": "two texts, each with its target in bold",
}  # fmt: skip
ASKED: dict[Question, str] = {
    "similarity_in_text": "rated how similar two words of a text are in it",
    "similarity": "rated how similar in meaning the two words are",
    "relatedness": "rated how related in meaning the two words are",
    "same_meaning": "said whether the word has the same meaning in both texts",
    "translation": "translated both words",
}
ASKED_OF_USES: dict[Question, str] = {
    "similarity": "rated how similar in meaning the two uses of the word are",
    "relatedness": "rated how related in meaning the two uses of the word are",
}
WRITTEN: dict[Writes, str] = {
    "associations": "The engagement words that annotators wrote before rating",
    "substitutes": "The other words that annotators wrote for each target",
    "translations": "The translations that annotators wrote",
    "nothing": "",
}


def describe_items(design: Design | None) -> str:
    """Describe the items and the task in a sentence."""
    if design is None:
        return (
            "Each pair has two contexts; annotators rated how similar the two words are in each of "
            "them."
        )
    return f"Annotators saw {ITEMS[design.item.kind]}, and {_describe_question(design)}."


def describe_task(design: Design | None) -> str:
    """Return what annotators did, in a sentence."""
    return f"Annotators {_describe_question(design)}."


def describe_procedure(design: Design) -> str:
    """Return how items were shown, in a paragraph."""
    also = ""
    if design.question.writes == "substitutes":
        also = " They also wrote, for each target, other words that mean the same there."
    return (
        f"On web pages, each annotator individually saw {ITEMS[design.item.kind]}, and "
        f"{_describe_question(design)}.{also} The order of the items was random for each annotator."
    )


def list_rounds(
    design: Design | None, n_decided: int = 0, doubled: Mapping[str, Any] | None = None
) -> Iterator[str]:
    """Describe the rounds after the first answers, a sentence each.

    `n_decided`: items without a majority that another person decided; `doubled`: see
    `report_doubled`.
    """
    if design is None:
        return
    if n_doubled := design.answers.doubled:
        yield f"{n_doubled:,} items have one answer more than the others, to measure agreement."
    if doubled and doubled["kappa"] is not None:
        yield (
            f"The first and the second answer to {doubled['n']:,} items agree with a κ of "
            f"{doubled['kappa']:.3f}."
        )
    if (above := design.rounds.second_look_above) is not None:
        yield (
            "The design has a second look: annotators see again the items that they rated more "
            f"than {above:g} away from the mean of the others."
        )
    if design.rounds.adjudicates:
        number = f": {n_decided:,} in all" if n_decided else ""
        yield f"By the design, another person decides items without a majority{number}."


def _describe_question(design: Design | None) -> str:
    if design is None:
        return ASKED["similarity_in_text"]
    question = design.question.question
    of_uses = ASKED_OF_USES if design.item.same_word else {}
    return of_uses.get(question, ASKED[question])


def name_written(design: Design | None) -> str:
    """Return what annotators wrote, as the subject of a sentence; "" for nothing."""
    return WRITTEN[design.question.writes if design else "associations"]
