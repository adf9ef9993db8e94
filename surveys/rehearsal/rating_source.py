"""Sources of the ratings of scripted annotators: a ratings file or a model."""

import random
from collections import defaultdict, deque
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Protocol

from postprocess.formats.reading import read_ratings
from postprocess.table.ratings import RatingsError, Scale, check_ratings
from surveys.errors import RehearsalFailed
from surveys.models import Context, Pair, Study


@dataclass(frozen=True)
class Person:
    """A model of an annotator: bias and noise, as shares of the scale's length."""

    rng: random.Random
    bias: float
    noise: float

    @classmethod
    def drawn(cls, seed: str) -> "Person":
        rng = random.Random(seed)  # noqa: S311  # nosec B311 # (to be repeated)
        return cls(rng, bias=rng.gauss(0, 0.12), noise=rng.uniform(0.05, 0.2))


class RatingSource(Protocol):
    """A source of the scripted annotators' ratings."""

    def rate(self, context: Context, person: Person) -> Decimal:
        """Return one more rating of a context."""

    def refuse_too_few(self, study: Study, places: dict[int, int]) -> None:
        """Raise RehearsalFailed unless the ratings suffice for the places of each questionnaire."""


@dataclass
class PlayedBackRatings:
    """Ratings of a file, each used once, in the file's order per context."""

    unused: dict[tuple[int, int], deque[Decimal]]

    def rate(self, context: Context, person: Person) -> Decimal:
        pair, number = context.pair.position, context.number
        if not self.unused.get((pair, number)):
            raise RehearsalFailed(f"No rating is left for pair {pair} context {number}.")
        return self.unused[pair, number].popleft()

    def refuse_too_few(self, study: Study, places: dict[int, int]) -> None:
        short = []
        for context in Context.objects.stimuli(study).select_related("pair", "item"):
            pair, number = context.pair.position, context.number
            n_given = len(self.unused.get((pair, number), ()))
            if n_given < (n_wanted := places.get(context.item.questionnaire_id, 0)):
                short.append(f"pair {pair} context {number} has {n_given} of {n_wanted}")
        if short:
            more = f" and {len(short) - 5} more" if len(short) > 5 else ""
            raise RehearsalFailed(
                f"The ratings file has too few ratings for the places left: "
                f"{'; '.join(short[:5])}{more}. Import the stimuli with fewer ratings per context, "
                "or rehearse with fewer annotators."
            )

    @property
    def n_unused(self) -> int:
        return sum(map(len, self.unused.values()))


@dataclass
class ModelledRatings:
    """Simulated ratings: a similarity per context, plus the bias and noise of each annotator."""

    scale: Sequence[Decimal]
    seed: int

    def rate(self, context: Context, person: Person) -> Decimal:
        shown = " ".join(context.texts) or context.pair
        seed = f"{self.seed} {shown} {context.find_form(1)}"
        of_context = random.Random(seed)  # noqa: S311  # nosec B311 # (to be repeated)
        share = of_context.random() + person.bias + person.rng.gauss(0, person.noise)
        point = round(share * (len(self.scale) - 1))
        return self.scale[min(max(point, 0), len(self.scale) - 1)]

    def refuse_too_few(self, study: Study, places: dict[int, int]) -> None:
        """Do nothing: a model has any number of ratings."""


def read_played_back(study: Study, data: bytes) -> PlayedBackRatings:
    """Return the ratings of a ratings file to play back. Raises RehearsalFailed."""
    scale = Scale(float(study.scale_minimum), float(study.scale_maximum), float(study.scale_step))
    try:
        ratings = read_ratings(data, study.language)
        table = check_ratings(ratings, scale, n_pairs=Pair.objects.stimuli(study).count())
    except RatingsError as error:
        raise RehearsalFailed(str(error)) from error
    unused: dict[tuple[int, int], deque[Decimal]] = defaultdict(deque)
    for pair, context, rating in zip(table["pair"], table["context"], table["rating"], strict=True):
        unused[pair, context].append(Decimal(str(rating)))
    return PlayedBackRatings(dict(unused))
