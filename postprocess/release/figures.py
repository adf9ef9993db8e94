"""What the cards say in figures: counts, agreement and steps, in words."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from postprocess.phrases import write_figure, write_interval
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
    """The measures of agreement, on the ratings that make the scores, with their intervals."""
    overall = subject.dataset.report["agreement"]["overall"]
    names = {
        "human": "mean Spearman correlation of an annotator with the mean of the others",
        "pairwise_spearman": "mean Spearman correlation of two annotators",
        "pairwise_pearson": "mean Pearson correlation of two annotators",
        "alpha_ordinal": "Krippendorff's alpha, ordinal",
        "alpha_interval": "Krippendorff's alpha, interval",
        "icc_average": "ICC(2,k), reliability of the scores",
        "split_half": "split-half reliability of the scores",
    }
    for key, name in names.items():
        if overall[key] is not None:
            ends = overall.get(f"{key}_low"), overall.get(f"{key}_high")
            yield f"{name}: {_with_interval(overall[key], *ends)}"


def describe_change(subject: Subject) -> str:
    """How far the changes can be trusted, in sentences; "" where that is not defined."""
    change = subject.dataset.report["change"]["used"][0]
    if change["reliability"] is None:
        return ""
    reliability = _with_interval(change["reliability"], change["low"], change["high"])
    ceiling = _with_interval(change["ceiling"], change["ceiling_low"], change["ceiling_high"])
    return (
        f"Reliability of the changes, by split halves: {reliability}, which is what as many other "
        f"annotators would be expected to score in subtask 1. Ceiling of subtask 1: {ceiling}; no "
        "prediction made without sight of the published changes can be expected to pass it."
    )


def count_divided(subject: Subject) -> str:
    """On how many contexts annotators divide, in a sentence; "" for none."""
    divided = subject.dataset.report["divided"]
    if not divided["contexts"]:
        return ""
    return (
        f"On {len(divided['contexts'])} of {divided['n_contexts']} contexts annotators fall into "
        "two camps, so that the score is nobody's judgement; report.json lists them."
    )


def _with_interval(figure: float, low: float | None, high: float | None) -> str:
    text = write_figure(figure, 3)
    if low is None or high is None:
        return text
    return f"{text} (95 % interval {write_interval(low, high, 3)})"


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
