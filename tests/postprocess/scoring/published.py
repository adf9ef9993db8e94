"""The published datasets as gold, where they are on this machine."""

import numpy as np
import pytest

from postprocess.formats.files import GOLD_COLUMNS, read_dataset, render_gold
from postprocess.scoring.gold import Part
from tests.machine import COSIMLEX

EXACT = 1e-6

needs_shared = pytest.mark.skipif(not COSIMLEX.exists(), reason="scripts/fetch_published")


def write_gold(folder, *languages):
    """Write the gold files of published datasets into a folder, and return it."""
    for language in languages:
        dataset = read_dataset((COSIMLEX / f"cosimlex_{language}.csv").read_bytes())
        (folder / f"gold_{language}.tsv").write_text(render_gold(dataset), encoding="utf-8")
    return folder


def make_gold(similarities, language="sl", words=()):
    """Return a part with the scores of pairs in two contexts, and their changes."""
    columns = (*similarities.T, np.diff(similarities)[:, 0])
    return Part(language, dict(zip(GOLD_COLUMNS, columns, strict=True)), "digest", words)
