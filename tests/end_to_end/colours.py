"""Colours of rendered elements, counted by pixels."""

import io
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from PIL import Image
from playwright.sync_api import Locator

BRIGHT, DARK = 200, 60  # of 255
COLOURFUL = 40  # minimum difference between the largest and smallest of red, green and blue


class Shares(NamedTuple):
    """Shares of bright, dark and colourful pixels of a picture."""

    bright: float
    dark: float
    colourful: float


def see(shown: Locator) -> Shares:
    """Measure the colours of a rendered element."""
    pixels = _read(shown)
    return Shares(
        bright=float((pixels.min(axis=2) > BRIGHT).mean()),
        dark=float((pixels.max(axis=2) < DARK).mean()),
        colourful=float((np.ptp(pixels, axis=2) > COLOURFUL).mean()),
    )


def has_colour(shown: Locator, colour: str) -> bool:
    """Return whether a pixel of an element has exactly a colour, such as #1f4e79."""
    return bool((_read(shown) == tuple(bytes.fromhex(colour[1:]))).all(axis=2).any())


def _read(shown: Locator) -> NDArray[np.int64]:
    picture = Image.open(io.BytesIO(shown.screenshot())).convert("RGB")
    return np.asarray(picture).astype(np.int64)
