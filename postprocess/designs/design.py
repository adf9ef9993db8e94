"""The design of a study: start values in one file, and rules for their combination."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from postprocess.designs import FOLDER, list_designs
from postprocess.designs.kinds import KINDS
from postprocess.errors import UserError
from postprocess.formats.toml import Document, Section, TomlError, parse_toml
from postprocess.layouts import LAYOUT_NAMES
from postprocess.steps import list_recipes
from postprocess.steps.recipe import Recipe, ScaleSection, read_recipe
from postprocess.types import Centre, NContexts

Kind = Literal["text", "words", "texts"]
Question = Literal["similarity_in_text", "similarity", "relatedness", "same_meaning", "translation"]
Writes = Literal["associations", "nothing", "translations", "substitutes"]
FITTING: dict[Kind, tuple[set[Question], set[Writes]]] = {
    "text": ({"similarity_in_text"}, {"associations"}),
    "words": ({"similarity", "relatedness", "translation"}, {"nothing", "translations"}),
    "texts": ({"similarity", "relatedness", "same_meaning"}, {"nothing", "substitutes"}),
}
Whole = Annotated[int, Field(ge=0)]
FromOne = Annotated[int, Field(ge=1)]


class DesignError(UserError):
    """An impossible design; the message names each setting and the problem."""


class ItemSection(Section):
    """What is rated; `same_word`: one lemma twice; word 2 may be of a second language."""

    kind: Kind = "text"
    same_word: bool = False
    languages: Literal[1, 2] = 1


class QuestionSection(Section):
    """What annotators are asked, and what they write."""

    question: Question = "similarity_in_text"
    writes: Writes = "associations"


class PointsSection(ScaleSection):
    """The rating scale, with labels of some points, and whether "cannot judge" is offered."""

    labels: dict[str, str] = {}
    unjudgeable: bool = False


class AnswersSection(Section):
    """How many answers an item has, items a block has (without: all), and items are doubled."""

    number: FromOne = 12
    block_size: FromOne | None = None
    more_blocks: bool = False
    doubled: Whole = 0


class RoundsSection(Section):
    """What follows the first answers."""

    second_look_above: Annotated[float, Field(gt=0)] | None = None
    adjudicates: bool = False


class ScoresSection(Section):
    """How answers become a score; `rescaled`: to the scale of the recipe, not the study's own."""

    centre: Centre = "mean"
    recipe: str = "cosimlex"
    rescaled: bool = True


class FilesSection(Section):
    """The layout in which the data set is published."""

    layout: str = "cosimlex"


class Design(Document):
    """All settings of a study that a publication tells; missing entries are as in CoSimLex."""

    name: Annotated[str, Field(min_length=1, max_length=60)]
    title: str
    source: str
    about: str
    item: ItemSection = ItemSection()
    question: QuestionSection = QuestionSection()
    scale: PointsSection = PointsSection()
    answers: AnswersSection = AnswersSection()
    rounds: RoundsSection = RoundsSection()
    scores: ScoresSection = ScoresSection()
    files: FilesSection = FilesSection()

    @model_validator(mode="after")
    def _goes_together(self) -> Self:
        if problems := [sentence for sentence, holds in RULES.items() if not holds(self)]:
            raise ValueError("; ".join(problems))
        return self

    @property
    def text_set(self) -> str:
        """The set of instructions and practice items that fits the items and the question."""
        kind = KINDS[self.item.kind]
        return kind.text_set(self.question.question, same_word=self.item.same_word)

    @property
    def n_contexts(self) -> NContexts:
        """How many contexts a pair has."""
        return KINDS[self.item.kind].n_contexts

    def as_recipe(self, changes: Sequence[str] = ()) -> Recipe:
        """Return the recipe of the scores, for ratings on this design's scale.

        `changes` are of single settings, as `read_recipe` takes them. Raises RecipeError.
        """
        scale = self.scale.as_scale()
        recipe = read_recipe(self.scores.recipe, changes).on_scale(scale)
        if self.scores.centre == "majority":
            recipe = leave_rejected_out(recipe)
        if self.scores.rescaled:
            return recipe
        ends = {"minimum": scale.minimum, "maximum": scale.maximum}
        return recipe.model_copy(update={"rescaling": recipe.rescaling.model_copy(update=ends)})


def leave_rejected_out(recipe: Recipe) -> Recipe:
    """Return a recipe for majorities, in which rejected answers have no say."""
    kept = recipe.exclusion.model_copy(update={"rejected_engagement": True})
    return recipe.model_copy(update={"exclusion": kept})


def _question_fits_kind(design: Design) -> bool:
    questions, writes = FITTING[design.item.kind]
    return design.question.question in questions and design.question.writes in writes


def _is_yes_or_no(design: Design) -> bool:
    scale = design.scale.minimum, design.scale.maximum, design.scale.step
    return (
        design.question.question != "same_meaning"
        or (design.item.same_word and scale == (0, 1, 1) and design.scores.centre == "majority")
    )  # fmt: skip


def _translations_go_together(design: Design) -> bool:
    is_asked, is_written = (
        design.question.question == "translation", design.question.writes == "translations"
    )  # fmt: skip
    return is_asked == is_written and (
        not is_asked or (design.item.languages == 2 and design.scores.centre == "majority")
    )


RULES: dict[str, Callable[[Design], bool]] = {
    "the question and what is written do not fit the kind of item": _question_fits_kind,
    "one lemma twice is only possible with two texts": (
        lambda d: d.item.kind == "texts" or not d.item.same_word
    ),
    "two languages are only possible with two words or two texts": (
        lambda d: d.item.kind != "text" or d.item.languages == 1
    ),
    'the question for the same meaning needs one lemma twice, the scale 0–1 and centre "majority"':
        _is_yes_or_no,
    "translations are asked for and written, in two languages, and decided by majority":
        _translations_go_together,
    "a second look needs words or texts, and the mean as centre": (
        lambda d: d.rounds.second_look_above is None
        or (d.item.kind != "text" and d.scores.centre == "mean")
    ),
    "another centre than the mean needs words or texts": (
        lambda d: d.item.kind != "text" or d.scores.centre == "mean"
    ),
    "doubled items need blocks": (
        lambda d: not d.answers.doubled or d.answers.block_size is not None
    ),
    "only majorities are adjudicated": (
        lambda d: not d.rounds.adjudicates or d.scores.centre == "majority"
    ),
    "the layout is none of the library's": (
        lambda d: d.files.layout in {FilesSection().layout, *LAYOUT_NAMES}
    ),
    "the recipe is none of the library's": lambda d: d.scores.recipe in list_recipes(),
    "a majority is neither calibrated nor filtered: its recipe is raw": (
        lambda d: d.scores.centre != "majority" or d.scores.recipe == "raw"
    ),
}  # fmt: skip


def read_design(source: str) -> Design:
    """Read a design by name or from a file.

    Raises
    ------
    DesignError
        An unknown design or entry, invalid TOML, or entries that do not go together.
    OSError
        The file cannot be read.

    Examples
    --------
    >>> read_design("simlex").answers.number
    15
    """
    path = FOLDER / f"{source}.toml" if source in list_designs() else Path(source)
    if not path.suffix:
        raise DesignError(
            f'unknown design "{source}"; name one of {", ".join(list_designs())}, or a file '
            "such as mine.toml"
        )
    return parse_design(path.read_bytes())


def parse_design(data: bytes) -> Design:
    """Read a design from the content of a file; see `read_design`. Raises DesignError."""
    try:
        entries = parse_toml(data)
    except TomlError as error:
        raise DesignError(f"the design is not valid TOML: {error}") from error
    return Design.read(entries, "entry", DesignError)
