"""The published datasets as gold, where they are on this machine."""

import pytest

from postprocess.formats.files import read_dataset, render_gold
from tests.machine import COSIMLEX

EXACT = 1e-6

needs_shared = pytest.mark.skipif(not COSIMLEX.exists(), reason="scripts/fetch_published")


def write_gold(folder, *languages):
    """Write the gold files of published datasets into a folder, and return it."""
    for language in languages:
        dataset = read_dataset((COSIMLEX / f"cosimlex_{language}.csv").read_bytes())
        (folder / f"gold_{language}.tsv").write_text(render_gold(dataset), encoding="utf-8")
    return folder
