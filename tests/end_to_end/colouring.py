"""The colours of what a browser shows, counted by pixels."""

import io
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from PIL import Image
from playwright.sync_api import Locator

BRIGHT, DARK = 200, 60  # of 255
COLOURFUL = 40  # by so much the largest part of red, green and blue exceeds the smallest


class Shares(NamedTuple):
    """The shares of a picture's pixels that are bright, dark, and neither black, grey nor white."""

    bright: float
    dark: float
    colourful: float


def see(shown: Locator) -> Shares:
    """Measure the colours of an element as it is shown."""
    pixels = _read(shown)
    return Shares(
        bright=float((pixels.min(axis=2) > BRIGHT).mean()),
        dark=float((pixels.max(axis=2) < DARK).mean()),
        colourful=float((np.ptp(pixels, axis=2) > COLOURFUL).mean()),
    )


def has_colour(shown: Locator, colour: str) -> bool:
    """Whether a pixel of an element has exactly a colour, such as #1f4e79."""
    return bool((_read(shown) == tuple(bytes.fromhex(colour[1:]))).all(axis=2).any())


def _read(shown: Locator) -> NDArray[np.int64]:
    picture = Image.open(io.BytesIO(shown.screenshot())).convert("RGB")
    return np.asarray(picture).astype(np.int64)
