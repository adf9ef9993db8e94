"""What the cards say in figures: counts, agreement and steps, in words."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from postprocess.pipeline import Dataset
from postprocess.recipe import Recipe
from postprocess.release.description import Description


@dataclass(frozen=True)
class Subject:
    """What the cards of a release are about.

    `n_test` and `n_practice` count the pairs of the test data and of the practice kit; `files`
    are the paths of the release, `rating_columns` what its individual ratings tell.
    """

    language: str
    description: Description
    recipe: Recipe
    dataset: Dataset
    n_test: int
    n_practice: int
    files: Sequence[str]
    rating_columns: Sequence[str]

    @property
    def language_name(self) -> str:
        """The language as readers call it, or else its code."""
        return self.description.language.name or self.language

    @property
    def title(self) -> str | None:
        """The title, if a person gave one."""
        return self.description.dataset.title

    @property
    def has_words(self) -> bool:
        """Whether the words that annotators wrote are published."""
        return "inspired_word1" in self.rating_columns


def count_annotators(subject: Subject) -> str:
    """How many rated how much, in a sentence."""
    counts = subject.dataset.report["counts"]
    fewest, most = (counts[f"{end}_ratings_of_a_context"] for end in ("fewest", "most"))
    return (
        f"{counts['annotators']} annotators gave {counts['ratings']} ratings; "
        f"{counts['ratings_used']} ratings by {counts['annotators_used']} of them make the "
        f"scores, {fewest if fewest == most else f'{fewest} to {most}'} in each context."
    )


def list_steps(subject: Subject) -> Iterator[str]:
    """What was done to the ratings, step by step, with the settings."""
    recipe, report = subject.recipe, subject.dataset.report
    left_out = report["counts"]["ratings_left_out"]
    if left_out:
        reasons = ", ".join(f"{reason}: {n}" for reason, n in left_out.items())
        yield f"Left out, by reason: {reasons}."
    if recipe.calibration.enabled:
        yield (
            f"Calibration: who was, on average, more than {recipe.calibration.threshold:g} away "
            f"from the mean of their group was moved by {recipe.calibration.step:g} towards it "
            f"({len(report['calibration']['shifted'])} annotators)."
        )
    if recipe.filtering.enabled:
        yield (
            "Filtering: who agreed with the others of their group less than "
            f"{recipe.filtering.k:g} standard deviations below the average annotator was left "
            f"out ({len(report['filtering']['left_out'])} annotators)."
        )
    yield (
        f"Rescaling: from {recipe.scale.as_scale()} to "
        f"{recipe.rescaling.minimum:g}–{recipe.rescaling.maximum:g}."
    )
    yield (
        "Aggregation: the mean and the sample deviation of each context, and a Mann-Whitney test "
        "of the change between the two."
    )


def list_agreement(subject: Subject) -> Iterator[str]:
    """The measures of agreement, on the ratings that make the scores."""
    overall = subject.dataset.report["agreement"]["overall"]
    names = {
        "human": "mean Spearman correlation of an annotator with the mean of the others",
        "pairwise": "mean Spearman correlation of two annotators",
        "alpha_interval": "Krippendorff's alpha, interval",
        "alpha_ordinal": "Krippendorff's alpha, ordinal",
    }
    for key, name in names.items():
        figure = overall.get(key)
        if isinstance(figure, int | float):
            yield f"{name}: {figure:.3f}"


def describe_time(subject: Subject) -> str:
    """How long an item took, as far as it is known."""
    collection = subject.description.collection
    if collection.median_seconds_per_item is not None:
        return f"The median time for an item was {collection.median_seconds_per_item:g} seconds."
    if collection.expected_seconds_per_item is not None:
        return (
            f"Annotators were told to expect {collection.expected_seconds_per_item:g} seconds "
            "an item."
        )
    return ""


def describe_days(subject: Subject) -> str:
    """When the ratings were collected, if it is known."""
    collection = subject.description.collection
    if collection.began_on and collection.ended_on:
        return f"{collection.began_on.isoformat()} to {collection.ended_on.isoformat()}"
    return ""
