"""The rating scale, and what is raised for ratings; loads no other library."""

import math
from dataclasses import dataclass

from postprocess.errors import UserError
from postprocess.reporting.phrases import write_range


class RatingsError(UserError):
    """A ratings table cannot be used; the message names the rows and what to do."""


@dataclass(frozen=True)
class Scale:
    """A rating scale: its two ends and the distance between neighbouring ratings."""

    minimum: float = 0
    maximum: float = 6
    step: float = 1

    def __post_init__(self) -> None:
        if not all(math.isfinite(x) for x in (self.minimum, self.maximum, self.step)):
            raise RatingsError(f"the ends and the step of {self} must be finite numbers")
        if self.minimum >= self.maximum:
            raise RatingsError(f"the minimum of {self} must be below its maximum")
        n_steps = (self.maximum - self.minimum) / self.step if self.step > 0 else 0
        if n_steps < 1 or not math.isclose(n_steps, round(n_steps), abs_tol=1e-9):
            raise RatingsError(f"the step of {self} must divide the scale into equal parts")

    @property
    def n_points(self) -> int:
        """The number of different ratings."""
        return round((self.maximum - self.minimum) / self.step) + 1

    def __str__(self) -> str:
        steps = "" if self.step == 1 else f" in steps of {self.step:g}"
        return f"{write_range(self.minimum, self.maximum)}{steps}"
