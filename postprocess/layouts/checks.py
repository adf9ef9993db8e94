"""What an audit names in a data set of a layout; each check yields warnings by row."""

from collections import defaultdict
from collections.abc import Iterator
from fractions import Fraction

from postprocess.formats.marks import TAG, plain_text
from postprocess.formats.tabular import Finding, Severity
from postprocess.layouts.columns import round_half_up
from postprocess.layouts.published_set import PublishedSet

FEWEST_RATERS, TOP = 15, 10  # of a pair of SimLex-999, and of its published scale
RATERS, STEPS = 3, 4  # of SemEval-2017, whose ratings are quarters
PLACES = 2  # decimal places of its scores


def find_large_deviations(published: PublishedSet) -> Iterator[Finding]:
    """Yield deviations that no 15 or more ratings of 0 to 10 with the printed mean can have.

    The variance of n ratings with mean m is at most n / (n - 1) · m · (10 - m), at the ends.
    """
    for row, figure in enumerate(published.figures, 1):
        if figure.get("sd", "NA") == "NA":
            continue
        mean, deviation = Fraction(figure["score"]), Fraction(figure["sd"])
        if deviation**2 > Fraction(FEWEST_RATERS, FEWEST_RATERS - 1) * mean * (TOP - mean):
            what = (
                f"no {FEWEST_RATERS} or more ratings with the mean {figure['score']} have the "
                f"deviation {figure['sd']}"
            )
            yield Finding(Severity.WARNING, what, row, "sd", "correct one of the two")


def find_scores_off_grid(published: PublishedSet) -> Iterator[Finding]:
    """Yield scores of one language that three ratings in quarters cannot have as their mean."""
    for row, figure in enumerate(() if published.is_of_two else published.figures, 1):
        if "score" in figure and find_exact_mean(figure["score"]) is None:
            what = f"{figure['score']} is not a mean of {RATERS} ratings in steps of 1/{STEPS}"
            yield Finding(Severity.WARNING, what, row, "score", "correct it")


def find_exact_mean(printed: str) -> Fraction | None:
    """Return the mean of three ratings in quarters that is printed so; None if there is none.

    >>> find_exact_mean("0.58"), find_exact_mean("0.59")
    (Fraction(7, 12), None)
    """
    number, parts = Fraction(printed), RATERS * STEPS
    mean = Fraction(round(number * parts), parts)
    places = max(PLACES, len(printed.partition(".")[2]))
    return mean if Fraction(round_half_up(mean, places)) == number else None


def find_wrong_means(published: PublishedSet) -> Iterator[Finding]:
    """Yield printed means that are not the rounded mean of the row's ratings, up or down."""
    for row, printed, mean in _list_means(published):
        half = Fraction(1, 2 * 10 ** len(printed.partition(".")[2]))
        if abs(Fraction(printed) - mean) > half:
            yield _wrong_mean(row, printed, mean)


def find_inexact_means(published: PublishedSet) -> Iterator[Finding]:
    """Yield printed means that are not exactly the mean of the row's ratings."""
    for row, printed, mean in _list_means(published):
        if Fraction(printed) != mean:
            yield _wrong_mean(row, printed, mean)


def find_spaces_at_ends(published: PublishedSet) -> Iterator[Finding]:
    """Yield targets that begin or end with a space."""
    for row, item in enumerate(published.items, 1):
        for column in ("text1", "text2"):
            if any(target != target.strip() for target in TAG.split(item[column])[1::2]):
                what = "the target begins or ends with a space"
                yield Finding(Severity.WARNING, what, row, column, "mark the word alone")


def find_unshared_texts(published: PublishedSet) -> Iterator[Finding]:
    """Yield lexemes whose two items share no text, or both."""
    lexemes: dict[tuple[str, str], list[tuple[int, set[str]]]] = defaultdict(list)
    for row, item in enumerate(published.items, 1):
        texts = {plain_text(item["text1"]), plain_text(item["text2"])}
        lexemes[item["word1"], item["pos"]].append((row, texts))
    for (word, _), items in lexemes.items():
        for (first, texts), (row, others) in zip(items[::2], items[1::2], strict=False):
            if len(texts & others) != 1:
                n_shared = "no text" if not texts & others else "both texts"
                what = f'the items of "{word}" in row {first} and here share {n_shared}'
                yield Finding(Severity.WARNING, what, row, advice="they share one")


def find_unequal_tags(published: PublishedSet) -> Iterator[Finding]:
    """Yield that there are not as many items with the tag T as with F."""
    tags = [figure["tag"] for figure in published.figures if "tag" in figure]
    if tags.count("T") != tags.count("F"):
        what = f"{tags.count('T')} items have the tag T, and {tags.count('F')} F"
        yield Finding(Severity.WARNING, what, advice="half of them each is meant")


def _list_means(published: PublishedSet) -> Iterator[tuple[int, str, Fraction]]:
    """Yield the rows with ratings and a mean, that mean, and the exact mean of the ratings."""
    raters = published.raters
    for row, figure in enumerate(published.figures, 1):
        ratings = [Fraction(figure[rater]) for rater in raters if figure[rater]]
        if ratings and "score" in figure:
            yield row, figure["score"], sum(ratings, Fraction()) / len(ratings)


def _wrong_mean(row: int, printed: str, mean: Fraction) -> Finding:
    what = f"{printed} is not the mean of the ratings, {round_half_up(mean, 4)}"
    return Finding(Severity.WARNING, what, row, "score", "correct it")
