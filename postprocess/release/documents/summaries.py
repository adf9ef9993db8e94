"""Counts, agreement and post-processing steps in sentences, for the documents of a release."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from postprocess.designs.design import Design
from postprocess.designs.kinds import KINDS
from postprocess.designs.procedure import list_rounds, name_written
from postprocess.naming import STAMP
from postprocess.pipeline import Dataset, tag_report
from postprocess.release.description.study import Description
from postprocess.release.individual import WORDS
from postprocess.release.sources import Document
from postprocess.reporting.phrases import (
    describe_second_look,
    name_resampled,
    write_count,
    write_figure,
    write_interval,
    write_range,
)
from postprocess.reporting.report import count_reasons, count_shifted, describe_gaps
from postprocess.steps.core import CONSTANT, GAIN, LOW, LOWEST
from postprocess.steps.recipe import Recipe
from postprocess.steps.rehearsal import warn_of_scripts

COSIMA_NAME = "Cosima"  # as the platform of a collection
QUESTIONS = {
    "dictionary": "The question named the two words in their dictionary forms, in the order of "
    "the text.",
    "text": "The question named the two words in the forms used in the text.",
}
VARIANTS = {
    "plain": "Cosima's variant plain (the rule alone)",
    "trained": "Cosima's variant trained (with examples whose similarity changes between texts)",
    "own": "the researchers' own",
}
AGGREGATED = {  # by the centre of a design
    "": "Aggregation: mean and sample standard deviation of each context, and a Mann-Whitney test "
    "of the change between the two contexts.",
    "mean": "Aggregation: mean, sample standard deviation and median of each item.",
    "median": "Aggregation: median, sample standard deviation and mean of each item.",
    "majority": "Aggregation: the answer of most annotators to each item, and its share; there is "
    "none for a tie.",
}
LAYOUTS = {
    "row": "in one line",
    "column": "one below the other",
    "field": "as a field to type in",
    "slider": "as a field with a slider",
    "": "in a way that was not recorded",
}


@dataclass(frozen=True)
class Subject:
    """The release that its documents describe.

    `n_test` and `n_practice` count the pairs of the test data and of the practice kit; `files`
    are the paths of the release, `rating_columns` the columns of its individual ratings,
    `documents` those that the texts come from, `search` how they were found, in sentences, if
    that is known, and `layouts` the number of ratings by the layout of the scale ("": unknown).
    """

    language: str
    description: Description
    recipe: Recipe
    dataset: Dataset
    n_test: int
    n_practice: int
    files: Sequence[str]
    rating_columns: Sequence[str]
    documents: Sequence[Document] = ()
    search: str = ""
    layouts: Mapping[str, int] = field(default_factory=dict)

    @property
    def language_name(self) -> str:
        """The English name of the language, or else its code."""
        return self.description.language.name or self.language

    @property
    def title(self) -> str | None:
        """The title in the description, if any."""
        return self.description.dataset.title

    @property
    def design(self) -> Design | None:
        """The design of the collection; None for CoSimLex."""
        return self.dataset.design

    @property
    def n_texts(self) -> int:
        """How many texts annotators saw at one time."""
        return KINDS[self.design.item.kind if self.design else "text"].n_texts

    @property
    def unit(self) -> str:
        """What has a score: a context of a pair or, if pairs have one context, an item."""
        return self.dataset.outcome.unit

    @property
    def tag(self) -> str:
        """The part of file names that gives the language, and marks a rehearsal."""
        return tag_report(self.dataset.report)

    @property
    def stem(self) -> str:
        """The name of the dataset's files without their ending, and of the archive's folder."""
        return f"{self.dataset.name}_{self.tag}"

    @property
    def warning(self) -> str:
        """The warning about ratings by scripts; "" if there are none."""
        return warn_of_scripts(self.dataset.report["counts"])

    @property
    def gaps(self) -> str:
        """The contexts without a score or without compared annotators, in a sentence, or ""."""
        return describe_gaps(self.dataset.report["counts"])

    @property
    def software(self) -> str:
        """What Cosima did, and its version, in a sentence."""
        collected = self.description.collection.platform == COSIMA_NAME
        version = self.dataset.report["code"]["version"]
        return f"{'Collected and processed' if collected else 'Processed'} with Cosima {version}."

    def stamp(self, text: str) -> str:
        """Return a title or summary, prefixed with the rehearsal mark if scripts rated."""
        return f"{STAMP}: {text}" if self.warning else text

    @property
    def has_words(self) -> bool:
        """Whether the words that annotators wrote are published."""
        return any(name in self.rating_columns for name in WORDS)


def count_annotators(subject: Subject) -> str:
    """Return the numbers of annotators and ratings in a sentence."""
    counts = subject.dataset.report["counts"]
    return (
        f"{counts['annotators']} annotators gave {counts['ratings']} ratings; "
        f"{counts['ratings_used']} ratings by {counts['annotators_used']} of them are used "
        f"in the scores, {describe_ratings_each(subject)} "
        f"{'for each item' if subject.design else 'in each context'}."
    )


def list_outcomes(subject: Subject) -> Iterator[str]:
    """Count annotators by the use of their ratings; the counts add up to all annotators."""
    counts, collection = subject.dataset.report["counts"], subject.description.collection
    n_started = collection.n_annotators_started or 0
    n_absent = max(n_started - counts["annotators"], 0)
    n_withdrawn = min(collection.n_annotators_withdrawn or 0, n_absent)
    outcomes = {
        "in the scores": counts["annotators_used"],
        **{f"left out: {reason}": n for reason, n in counts["annotators_left_out"].items()},
        "withdrew": n_withdrawn,
        "without a rating": n_absent - n_withdrawn,
    }
    population = "all who started" if n_started else "all with a rating"
    yield f"{population}: {counts['annotators'] + n_absent}"
    yield from (f"{outcome}: {n}" for outcome, n in outcomes.items() if n)


def list_steps(subject: Subject) -> Iterator[str]:
    """Describe the steps of post-processing, with their settings and counts."""
    recipe, report = subject.recipe, subject.dataset.report
    reasons = [
        f"{reason}: {n_ratings} by {write_count(n_annotators, 'annotator')}"
        for reason, n_ratings, n_annotators in count_reasons(subject.dataset.outcome)
    ]
    if reasons:
        yield f"Ratings left out, by reason: {', '.join(reasons)}."
    if recipe.calibration.enabled:
        yield (
            "Calibration: the ratings of annotators who were, on average, more than "
            f"{recipe.calibration.threshold:g} away from the mean of their group were shifted "
            f"towards it by {recipe.calibration.step:g} "
            f"({write_count(count_shifted(report), 'annotator')})."
        )
    if recipe.filtering.enabled:
        yield _describe_filtering(subject)
    target, scale = recipe.rescaling, recipe.scale
    is_same = (target.minimum, target.maximum) == (scale.minimum, scale.maximum)
    if not (subject.design and is_same):
        yield (
            f"Rescaling: from {scale.as_scale()} to {write_range(target.minimum, target.maximum)}."
        )
    yield AGGREGATED[subject.design.scores.centre if subject.design else ""]


def _describe_filtering(subject: Subject) -> str:
    """Describe the filtering criteria, each with the number of annotators left out by it."""
    filtering = subject.recipe.filtering
    criteria = {
        LOW: f"was more than {filtering.k:g} standard deviations below the mean of the group",
        CONSTANT: "was not defined because they gave all "
        f"{'items' if subject.design else 'texts'} the same rating",
    }
    if filtering.minimum_rho is not None:
        criteria[LOWEST] = f"was below {filtering.minimum_rho:g}"
    if filtering.gain_share is not None:
        share = f"{100 * filtering.gain_share:g} %"
        criteria[GAIN] = f"lowered that of the group most (at most {share} of a group)"
    done = subject.dataset.report["filtering"]
    left_out, n_kept = done["left_out"], len({row["annotator"] for row in done["undefined"]})
    counts = {
        reason: len({row["annotator"] for row in left_out if row["reason"] == reason})
        for reason in criteria
    }
    listed = ", or ".join(
        f"{what} ({write_count(counts[reason], 'annotator')})" for reason, what in criteria.items()
    )
    exception = f" Kept although it was not defined: {write_count(n_kept, 'annotator')}."
    return (
        "Filtering: an annotator was left out of a group if their mean correlation with the others "
        f"{listed}.{exception if n_kept else ''}"
    )


def list_agreement(subject: Subject) -> Iterator[str]:
    """List the agreement of the ratings used in the scores, with intervals."""
    agreement = subject.dataset.report["agreement"]
    overall = agreement["overall"]
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
            over = name_resampled(f"{subject.unit}s", agreement["resample"])
            yield f"{name}: {_with_interval(overall[key], *ends, over=over)}"
    if look := subject.dataset.report.get("second_look"):
        yield describe_second_look(look)


def describe_change(subject: Subject) -> str:
    """Describe the reliability and the ceiling of the changes; "" if undefined."""
    if subject.design:
        return ""
    change = subject.dataset.report["change"]["used"][0]
    if change["reliability"] is None:
        return ""
    over = name_resampled("pairs", subject.dataset.report["change"]["resample"])
    reliability, ceiling = (
        _with_interval(change[figure], change[low], change[high], over=over)
        for figure, low, high in (
            ("reliability", "low", "high"),
            ("ceiling", "ceiling_low", "ceiling_high"),
        )
    )
    return (
        f"Reliability of the changes, by split halves: {reliability}, the expected score in "
        f"subtask 1 of an equal number of other annotators. Ceiling of subtask 1: {ceiling}; no "
        "prediction made without access to the published changes is expected to exceed it."
    )


def describe_tests(subject: Subject) -> str:
    """Return the shares of pairs that change: by q, two-sided, and one-sided as published.

    "" for pairs with one context.
    """
    if subject.design:
        return ""
    shares = subject.dataset.report["table1"]["text"]
    settings = subject.recipe
    caution = (
        " Calibration and filtering make all of these shares too large, since the tests do not "
        "account for them."
        if settings.calibration.enabled or settings.filtering.enabled
        else ""
    )
    intervals = subject.dataset.report["intervals"]
    of_all = write_count(intervals["n_changes"], "pair")
    apart = (
        " The 95 % interval of the change over annotators, for which all steps were repeated "
        f"without each of them, is without 0 for {intervals['n_apart']} of {of_all} "
        "(`intervals.tsv`)."
    )
    return (
        f"Pairs that change between the contexts: {shares['share_q']} with q < 0.05 (false "
        f"discovery rate), {shares['share_two_sided']} with a two-sided p < 0.05; one-sided, as "
        f"published: {shares['share_one_sided']} with p < 0.05, "
        f"where 10 % are expected by chance.{caution}{apart}"
    )


def count_divided(subject: Subject) -> str:
    """Return on how many contexts annotators form two camps, in a sentence; "" for none."""
    divided = subject.dataset.report["divided"]
    if not divided["contexts"]:
        return ""
    return (
        f"On {len(divided['contexts'])} of {divided['n_contexts']} {subject.unit}s the ratings "
        "fall into two camps, so that the score is close to no rating; report.json lists them."
    )


def _with_interval(figure: float, low: float | None, high: float | None, *, over: str) -> str:
    text = write_figure(figure, 3)
    if low is None or high is None:
        return text
    return f"{text} (95 % interval over {over}: {write_interval(low, high, 3)})"


def describe_question(subject: Subject) -> str:
    """Return how the question named the words, and which texts came before; "" if unknown."""
    dataset = subject.dataset
    doubled = dataset.report["agreement"].get("doubled")
    sentences = (
        list_rounds(subject.design, dataset.outcome.n_decided, doubled)
        if subject.design
        else _list_wordings(subject)
    )
    shown = [
        f"{LAYOUTS.get(layout, layout)} ({write_count(n, 'rating')})"
        for layout, n in subject.layouts.items()
    ]
    layouts = [f"The page showed the scale {', '.join(shown)}."] if shown else []
    return " ".join([*sentences, *layouts])


def _list_wordings(subject: Subject) -> Iterator[str]:
    """Describe the wording of the question and of the texts before it, of CoSimLex."""
    collection = subject.description.collection
    if forms := collection.question_forms:
        yield QUESTIONS[forms]
    if wording := collection.variant:
        yield f"Wording of the question and the labels: {VARIANTS[wording]}."
    read = [
        f"{VARIANTS[variant]}: {write_count(n, 'annotator')}"
        for variant, n in collection.n_annotators_by_variant.items()
    ]
    if read:
        yield f"Instructions, practice and check that annotators read: {'; '.join(read)}."


def list_on_people(subject: Subject) -> Iterator[str]:
    """Say what the release reveals of its annotators, in paragraphs."""
    yield (
        "Annotators appear under ids that are used only in this release. It contains no names, "
        "addresses, accounts or times of answers."
    )
    words = (
        "published if they agreed to it. These words may reveal something about their writers; "
        "handle them with care."
        if subject.has_words
        else "not published."
    )
    written = f"{name} are {words} " if (name := name_written(subject.design)) else ""
    yield f"{written}Data of annotators who withdrew are not included."
    yield "Two releases of the same ratings can still be matched through the ratings themselves."


def describe_published(subject: Subject) -> str:
    """Say why the test data are not in the layout of the design; "" if they are."""
    has_folder = any(path.startswith("published/") for path in subject.files)
    if subject.design is None or has_folder:
        return ""
    layout = subject.design.files.layout
    return f"There is no folder `published/`: the layout {layout} cannot hold the items."


def describe_scale(subject: Subject) -> str:
    """Return the rating scale with the labels of its points."""
    labels = ", ".join(
        f"{point} = {label}" for point, label in subject.description.scale.labels.items()
    )
    return f"{subject.recipe.scale.as_scale()}{f' ({labels})' if labels else ''}"


def describe_ratings_each(subject: Subject) -> str:
    """Return how many of the used ratings each context has."""
    counts = subject.dataset.report["counts"]
    fewest, most = (counts[f"{end}_ratings_of_a_context"] for end in ("fewest", "most"))
    return f"{fewest}" if fewest == most else f"{fewest} to {most}"


def describe_time(subject: Subject) -> str:
    """Return the median or expected time per item; "" if unknown."""
    collection = subject.description.collection
    if collection.median_seconds_per_item is not None:
        return f"**Median time per item:** {collection.median_seconds_per_item:g} seconds"
    if collection.expected_seconds_per_item is not None:
        return (
            "**Time per item announced to annotators:** "
            f"{collection.expected_seconds_per_item:g} seconds"
        )
    return ""


def describe_days(subject: Subject) -> str:
    """Return the first and last date of collection; "" if unknown."""
    collection = subject.description.collection
    if collection.began_on and collection.ended_on:
        return f"{collection.began_on.isoformat()} to {collection.ended_on.isoformat()}"
    return ""
