"""What is compared in a family: pairs, changes, distances, and the scores of a source list."""

import hashlib
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from postprocess.errors import UserError
from postprocess.formats.kinds import read_table
from postprocess.formats.parsed import read_cells
from postprocess.formats.tabular import Finding, Severity, TableError, fold, naming_file
from postprocess.pipeline import digest_code
from postprocess.release.assembling import REPORT
from postprocess.release.verification.published_data import find_dataset, read_files, read_report
from postprocess.reporting.phrases import write_range
from postprocess.reporting.published import HEADINGS
from postprocess.reporting.report import plain_report
from postprocess.statistics.confounds import measure_contexts, resample_pairs
from postprocess.statistics.correlations import DECIMALS, correlate
from postprocess.table.ratings import Scale, name_some
from postprocess.two_collections.collection import Collection
from postprocess.two_collections.loading import load_release
from postprocess.two_collections.stamps import list_warnings
from postprocess.version import __version__

ALL = "all"  # languages, or parts of speech
SOURCE = "source list"  # of pairs without context
N_RESAMPLES = 2000


class FamilyError(UserError):
    """Releases that are no family; the message names them."""


class Member(NamedTuple):
    """A release: its collection, its row of Table 1 as text, and its report's SHA-256."""

    collection: Collection
    table1: Mapping[str, str]
    digest: str


@dataclass(frozen=True)
class Family:
    """Releases of one data set in several languages.

    `tables`: overlap (id, languages, the row in each language), scores of contexts and, if known,
    of the source list, absolute changes, and the correlation of score and distance; `report`: the
    same figures as JSON types, Table 1 and the SHA-256 of the inputs.
    """

    sides: tuple[Collection, ...]
    tables: Mapping[str, pd.DataFrame]
    report: dict[str, Any]


def load_member(folder: Path) -> Member:
    """Load a release, with scores by its own recipe. Raises FamilyError, which names it."""
    try:
        files = read_files(folder)
        find_dataset(files)
        text = read_report(files)["table1"]["text"]
        table1 = {name: str(text[name]) for name in HEADINGS}
        return Member(load_release(folder), table1, hashlib.sha256(files[REPORT]).hexdigest())
    except UserError as error:
        raise FamilyError(f"{folder}: {error}") from error
    except (KeyError, TypeError) as error:
        raise FamilyError(f"{folder}: {REPORT} has no Table 1; build the release again") from error


def load_key(path: Path, languages: Sequence[str], published: Scale) -> pd.DataFrame:
    """Read a key: id, perhaps pos and score, and `<language>_word1` and `…_word2` of each language.

    A language may lack both words of a pair. Raises TableError by row and column, or OSError.
    """
    words = [f"{language}_word{n}" for language in languages for n in (1, 2)]
    with naming_file(path):
        data, optional = path.read_bytes(), ("pos", "score")
        table = read_table(data, ("id", *words), optional=optional, numbers=("id", "score"))
        if table.errors:
            raise TableError(table.errors)
        cells = [[cell.strip() for cell in row] for row in read_cells(table.rows).values()]
        key = pd.DataFrame(cells, columns=list(table.columns), index=list(table.rows))
        if findings := list(_find_errors(key, languages, published)):
            raise TableError(findings)
    return key


def compare_family(members: Sequence[Member], key_file: Path | None = None) -> Family:
    """Compare the releases of a family; without a key the overlap is not known.

    Parts of speech are those of the key, or else of the ratings. Raises FamilyError for releases
    that do not fit each other or the key, TableError or OSError as `load_key`.
    """
    sides = tuple(member.collection for member in members)
    languages, published = [side.language for side in sides], sides[0].published
    if len({*languages}) < len(sides) or any(side.published != published for side in sides):
        given = ", ".join(f"{side.name} ({side.language}, {side.published})" for side in sides)
        raise FamilyError(f"give one release of each language, all on one published scale: {given}")
    key = load_key(key_file, languages, published) if key_file else None
    pairs = [_list_pairs(side, key) for side in sides]
    parts = pd.concat(part for p in pairs for part in (p.assign(pos=ALL), p[p["pos"] != ""]))
    contexts = pd.concat([_list_contexts(side) for side in sides])
    scores = contexts
    if key is not None and "score" in key:
        listed = pd.DataFrame({"language": SOURCE, "score": key["score"].astype(float)})
        scores = pd.concat([listed, contexts])
    tables = {
        "overlap": _find_overlap(pd.concat(pairs), languages),
        "scores": _describe(scores.assign(pos=ALL), "score"),
        "changes": _describe(parts, "change"),
        "distance": pd.DataFrame([_relate_distance(contexts, name) for name in (ALL, *languages)]),
    }
    digests = {side.language: member.digest for side, member in zip(sides, members, strict=True)}
    if key_file:
        digests["key"] = hashlib.sha256(key_file.read_bytes()).hexdigest()
    report = {
        "code": {"version": __version__, "sha256": digest_code()},
        "inputs": digests,
        "warnings": list_warnings(sides),
        "published": {"minimum": published.minimum, "maximum": published.maximum},
        "n_resamples": N_RESAMPLES,
        "table1": {side.language: m.table1 for side, m in zip(sides, members, strict=True)},
        "overlap": tables["overlap"]["languages"].value_counts().sort_index().to_dict(),
        **{name: tables[name].to_dict("records") for name in ("scores", "changes", "distance")},
    }
    return Family(sides, tables, plain_report(report))


def _find_errors(
    key: pd.DataFrame, languages: Sequence[str], published: Scale
) -> Iterator[Finding]:
    wrong = [("id", (key["id"] == "") | key["id"].duplicated(), "the id is empty or repeated")]
    for language in languages:
        one, other = (f"{language}_word{n}" for n in (1, 2))
        wrong.append((one, (key[one] == "") != (key[other] == ""), "one of the words is missing"))
    if "score" in key:
        ends = published.minimum, published.maximum
        is_on_scale = pd.to_numeric(key["score"], errors="coerce").between(*ends)
        wrong.append(("score", ~is_on_scale, f"the score is not within {write_range(*ends)}"))
    for column, are_wrong, what in wrong:
        yield from (Finding(Severity.ERROR, what, n, column) for n in key.index[are_wrong])


def _list_pairs(side: Collection, key: pd.DataFrame | None) -> pd.DataFrame:
    """Return the scored pairs: language, pair, id and pos ("" if unknown), absolute change."""
    pairs = pd.DataFrame({"language": side.language, "id": "", "pos": ""}, index=side.scores.index)
    pairs["change"] = (side.scores["sim2"] - side.scores["sim1"]).abs().round(DECIMALS)
    if "pos" in side.traits:
        pairs["pos"] = side.traits["pos"].fillna("")
    if key is not None:
        pairs["id"] = _find_ids(side, key)
    if key is not None and "pos" in key:
        listed = pairs["id"].map(key.set_index("id")["pos"])
        pairs["pos"] = listed.where(listed != "", pairs["pos"])
    return pairs.reset_index()


def _find_ids(side: Collection, key: pd.DataFrame) -> pd.Series:
    """Return the id of each pair by its words, in either order. Raises FamilyError.

    Where a language has the same words for several pairs, they are matched in their order.
    """
    columns = ["id", f"{side.language}_word1", f"{side.language}_word2"]
    ids: dict[tuple[str, ...], list[str]] = defaultdict(list)
    for name, *pair in key[columns].itertuples(index=False):
        ids[tuple(map(fold, pair))].append(name)
    found, lacking = {}, []
    for number, row in enumerate(side.rows, 1):
        words = tuple(map(fold, row[:2]))
        if listed := ids.get(words) or ids.get(words[::-1]):
            found[number] = listed.pop(0) if len(listed) > 1 else listed[0]
        else:
            lacking.append(f"row {number} ({', '.join(row[:2])})")
    if lacking:
        raise FamilyError(f"the key lacks pairs of {side.name}: {name_some(lacking)}")
    return pd.Series(found)


def _list_contexts(side: Collection) -> pd.DataFrame:
    """Return the scored contexts: language, pair, score, and distance (NaN if not known)."""
    distances = measure_contexts(side.rows).set_index("pair")["distance"].loc[side.scores.index]
    scores = side.scores[["sim1", "sim2"]].to_numpy(dtype=float).ravel().round(DECIMALS)
    return distances.reset_index().assign(language=side.language, score=scores)


def _find_overlap(pairs: pd.DataFrame, languages: Sequence[str]) -> pd.DataFrame:
    listed = pairs[pairs["id"] != ""].drop_duplicates(["language", "id"])
    overlap = listed.pivot(index="id", columns="language", values="pair")
    overlap = overlap.reindex(columns=list(languages)).rename_axis(columns=None)
    overlap.insert(0, "languages", overlap.notna().sum(axis="columns"))
    return overlap.reset_index()


def _describe(parts: pd.DataFrame, figure: str) -> pd.DataFrame:
    """Return number, mean, deviation and quartiles of a figure, by language and pos."""
    described = parts.groupby(["language", "pos"], sort=False)[figure].describe().reset_index()
    return described.astype({"count": int}).rename(columns={"count": "n", "std": "sd"})


def _relate_distance(contexts: pd.DataFrame, language: str) -> dict[str, Any]:
    part = contexts[contexts["language"].isin([language]) | (language == ALL)].dropna()
    x, y = (part[name].to_numpy(dtype=float) for name in ("distance", "score"))
    pairs = np.asarray(part.groupby(["language", "pair"]).ngroup(), dtype=np.int64)
    r, rng = float(correlate(x, y, method="pearson")), np.random.default_rng(0)
    low, high = resample_pairs(r, (x, y), pairs, method="pearson", rng=rng, n_resamples=N_RESAMPLES)
    counts = {"contexts": len(x), "pairs": len(np.unique(pairs))}
    return {"language": language, "r": r, "low": low, "high": high, **counts}
