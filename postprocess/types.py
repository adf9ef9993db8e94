"""Types of the package; loads no library but NumPy."""

from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

Bools = NDArray[np.bool_]
Codes = NDArray[np.signedinteger[Any]]  # positions in a list of names, -1 for a missing one
Floats = NDArray[np.float64]
Integers = NDArray[np.integer[Any]]
Counts = Integers | Floats  # whole numbers
Centre = Literal["mean", "median", "majority"]  # of the ratings of a context: its score
NContexts = Literal[1, 2]  # of a pair
