"""`board.json`: a board as it is frozen, and read again into the same object."""

import json
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from postprocess.boards.board import Board, Cell, Differences, Place, Row
from postprocess.boards.entries import AVERAGE, BoardError, Kind, Rules
from postprocess.boards.exports.rounding import round_board
from postprocess.scoring.metrics import GWSC, Metric, Track
from postprocess.scoring.ranking import Places

FORMAT = 1  # raised when a reader must know of a change
OF_LANGUAGES = ("n", "score", "low", "high", "reason", "file_sha256", "pearson", "spearman")
AGAINST = ("p_distance", "p_baseline")


def render_board(board: Board, *, is_gold_public: bool = False) -> bytes:
    """Return the content of `board.json`.

    Rows are as `python -m postprocess score --json` writes submissions, with their places and p
    against the baselines. `differences` has for each column the names of its ranked rows, and d, p
    and Holm's p of all pairs of them in the order first–second, first–third, …, second–third, ….
    A line has a row, or all figures of one kind. Unless the gold is public, all figures have three
    decimals. `track` and `places` are there unless they are those of SemEval-2020 Task 3.
    """
    shown = board if is_gold_public else round_board(board)
    content = {
        "format": FORMAT,
        "rules": _describe_rules(shown.rules),
        "is_rounded": shown.is_rounded,
        "columns": list(shown.columns),
        "best_baseline": dict(shown.best_baseline),
    }
    text = _dump(content, indent=1).removesuffix("\n}")
    rows = ",\n".join(f"  {_dump(_describe_row(row, shown.rules))}" for row in shown.rows)
    tests = _write_differences(shown)
    return f'{text},\n "rows": [\n{rows}\n ],\n "differences": {tests}\n}}\n'.encode()


def read_board(data: bytes) -> Board:
    """Return the board of a file. Raises BoardError for another file."""
    try:
        content = json.loads(data, parse_constant=_refuse_constant)
        if content["format"] != FORMAT:
            raise BoardError(
                f"the file has the format {content['format']}; this version reads {FORMAT}"
            )
        return Board(
            _read_rules(content["rules"]),
            tuple(_read_row(row) for row in content["rows"]),
            {name: _read_tests(tests) for name, tests in content["differences"].items()},
            content["best_baseline"],
            content["is_rounded"],
        )
    except (LookupError, TypeError, AttributeError, ValueError, RecursionError) as error:
        if isinstance(error, BoardError):
            raise
        raise BoardError(f"the file is not the JSON file of a board: {error}") from error


def _refuse_constant(name: str) -> None:
    raise BoardError(f"the file has the number {name}")


def _describe_rules(rules: Rules) -> dict[str, Any]:
    track = rules.track
    described = {
        "task": rules.task,
        "phase": rules.phase,
        "subtask": str(track.number),
        "sizes": dict(rules.sizes),
        "best_of": rules.best_of,
        "scorer": rules.scorer,
        "gold_sha256": dict(rules.gold_sha256),
        "remarks": list(rules.remarks),
    }
    if track not in GWSC:
        described["track"] = {**asdict(track), "columns": list(track.columns)}
    return described | ({"places": rules.places} if rules.places != Places.COMPETITION else {})


def _read_rules(content: Mapping[str, Any]) -> Rules:
    fields = {**content, "remarks": tuple(content["remarks"])}
    subtask, described = int(fields.pop("subtask")), fields.pop("track", None)
    if described is None:
        track = GWSC[subtask - 1]
    else:
        metric, columns = Metric(described["metric"]), tuple(described["columns"])
        track = Track(**{**described, "metric": metric, "columns": columns})
    places = Places(fields.pop("places", Places.COMPETITION))
    return Rules(**fields, track=track, places=places)


def _describe_row(row: Row, rules: Rules) -> dict[str, Any]:
    average = row.cells.get(AVERAGE)
    return {
        "name": row.name,
        "kind": row.kind.value,
        "system": row.system,
        "attempts": row.attempts,
        "result": row.result,
        "outside": row.outside,
        "parts": {
            language: {name: getattr(row.cells[language], name) for name in OF_LANGUAGES}
            for language in rules.languages
            if language in row.cells
        },
        "missing": [language for language in rules.languages if language not in row.cells],
        "average": average.score if average else None,
        "average_low": average.low if average else None,
        "average_high": average.high if average else None,
        "places": {column: place._asdict() for column, place in row.places.items()},
        "against": {
            column: {name: getattr(cell, name) for name in AGAINST}
            for column, cell in row.cells.items()
            if cell.p_distance is not None or cell.p_baseline is not None
        },
    }


def _read_row(content: Mapping[str, Any]) -> Row:
    cells = {}
    if content["average"] is not None:
        ends = content["average_low"], content["average_high"]
        cells[AVERAGE] = {"score": content["average"], "low": ends[0], "high": ends[1]}
    cells |= content["parts"]
    against = content["against"]
    return Row(
        content["name"],
        Kind(content["kind"]),
        content["system"],
        content["attempts"],
        content["result"],
        content["outside"],
        {column: Cell(**cell, **against.get(column, {})) for column, cell in cells.items()},
        {column: Place(**place) for column, place in content["places"].items()},
    )


def _read_tests(content: Mapping[str, Any]) -> Differences:
    return Differences(**{name: tuple(figures) for name, figures in content.items()})


def _write_differences(board: Board) -> str:
    """Return the tests as JSON, a line for the figures of each kind; there may be millions."""
    columns = [
        f"  {_dump(name)}: {{\n{_write_tests(tests)}\n  }}"
        for name, tests in board.differences.items()
    ]
    return "{{\n{}\n }}".format(",\n".join(columns)) if columns else "{}"


def _write_tests(tests: Differences) -> str:
    lists = {"names": tests.names, "d": tests.d, "p": tests.p, "holm": tests.holm}
    return ",\n".join(f"   {_dump(name)}: {_dump(figures)}" for name, figures in lists.items())


def _dump(content: object, *, indent: int | None = None) -> str:
    return json.dumps(content, ensure_ascii=False, indent=indent, allow_nan=False)
