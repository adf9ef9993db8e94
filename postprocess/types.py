"""Types of the package; loads no library but NumPy."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

Bools = NDArray[np.bool_]
Codes = NDArray[np.signedinteger[Any]]  # positions in a list of names, -1 for a missing one
Floats = NDArray[np.float64]
Integers = NDArray[np.integer[Any]]
Counts = Integers | Floats  # whole numbers
