"""Releases of published designs, of invented items and ratings."""

from collections.abc import Callable, Mapping
from itertools import product

import pandas as pd

from postprocess.designs.design import Design, read_design
from postprocess.designs.items import parse_items
from postprocess.designs.kinds import KINDS
from postprocess.formats.parsed import ParsedRows
from postprocess.pipeline import Dataset
from postprocess.release.assembling import Choices, Collected, Release, build_release
from postprocess.release.description.study import Description

QUICKLY = ("report.n_resamples=0", "report.n_splits=5", "report.pdf=false")
NOUNS = {"pos": "N"}


def invented_items(design: Design, n_items: int, more: Mapping[str, str] = NOUNS) -> bytes:
    """Return a file of items with ids p1, p2, …, and more columns: name → text, with {n}."""
    columns = (*KINDS[design.item.kind].columns, *more)
    other = "alpha" if design.item.same_word else "beta"
    lines = ["\t".join(columns)]
    for n in range(1, n_items + 1):
        words = {"word1": f"alpha{n}", "word2": f"{other}{n}"}
        texts = {f"text{k}": f"Text {k} of <strong>{words[f'word{k}']}</strong> ." for k in (1, 2)}
        forms = {f"form{k}": words[f"word{k}"] for k in (1, 2)}
        fields = {"id": f"p{n}", **words, **texts, **forms}
        fields |= {name: text.format(n=n) for name, text in more.items()}
        lines.append("\t".join(fields[column] for column in columns))
    return "\n".join([*lines, ""]).encode()


def invented_ratings(design: Design, n_items: int, n_annotators: int = 5) -> pd.DataFrame:
    """Return ratings by annotators who differ by a point of the scale at most."""
    scale = design.scale.as_scale()
    rows = []
    for n, who in product(range(n_items), range(n_annotators)):
        place = (n * 3 + (who == n % n_annotators)) % scale.n_points
        rows.append((n + 1, 1, f"x{who}", scale.minimum + place * scale.step, "1A", ""))
    return pd.DataFrame(rows, columns=["pair", "context", "annotator", "rating", "group", "mark"])


def designed_release(
    name: str,
    n_items: int = 12,
    *,
    more: Mapping[str, str] = NOUNS,
    ratings: pd.DataFrame | None = None,
    decisions: pd.DataFrame | None = None,
    add_files: Callable[[Dataset], Mapping[str, bytes]] | None = None,
    language: str = "en",
    **choices: int | bool,
) -> Release:
    """Return a release of a published design."""
    design = read_design(name)
    items: ParsedRows[object] = parse_items(invented_items(design, n_items, more), design.item)
    given = invented_ratings(design, n_items) if ratings is None else ratings
    return build_release(
        Collected(items, given, design=design, decisions=decisions),
        Description(), design.as_recipe(QUICKLY),
        Choices("frozen-frozen-frozen", **choices), language=language, add_files=add_files,
    )  # type: ignore[arg-type] # fmt: skip
