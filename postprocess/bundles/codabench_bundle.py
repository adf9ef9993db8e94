"""The files of a bundle that sets up one subtask on Codabench, and its zip archive."""

import json
import struct
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import UTC, datetime

import yaml

from postprocess.bundles.competition import (
    RANKING,
    Column,
    Competition,
    Leaderboard,
    Page,
    Phase,
    Question,
    Solution,
    Task,
)
from postprocess.bundles.pages import TITLES, find_address, render_organisers_readme, render_pages
from postprocess.bundles.task import UNLIMITED, BundleError, BundlePart, BundleTask
from postprocess.kits.kit import read_scorer, render_kit
from postprocess.kits.rules import PhaseRules, Visibility
from postprocess.release.checksums import write_archive
from postprocess.release.documents.metadata import write_yaml
from postprocess.release.practice import check_disjoint
from postprocess.scoring.gold import Part, check_gold, make_part
from postprocess.scoring.metrics import Track

LOGO_SIZE = 128  # pixels
DARK, LIGHT = b"\x2b\x4a\x6f", b"\xe8\xee\xf4"
COMPETITION, LOGO, TERMS = "competition.yaml", "logo.png", "terms.md"
PROGRAM, SOLUTION = "scoring_program", "solution"
IMAGE = "codalab/codalab-legacy:py39"
COMMAND = "python3 /app/program/scoring.py /app/input /app/output"
SECONDS = 120  # that a scoring may take
ONLY_CONTEXTS = "Codabench's scorer knows changes and similarities of words in contexts alone"
DATA = ((True, "practice", 0), (False, "test", 1))  # is it practice, name, index of the task
QUESTIONS = (
    ("system", "text", "Name of the system", "true"),
    ("description", "text", "Description, up to 1,000 characters", "false"),
    ("models", "text", "Models", "false"),
    ("resources", "text", "Human scores, translations or data for fine-tuning that were used",
     "false"),
    ("links", "text", "Links to paper and code", "false"),
    ("open", "checkbox", "The submitted files may be published under CC BY 4.0", "false"),
)  # fmt: skip


def write_bundle(task: BundleTask, track: Track) -> bytes:
    """Return the zip archive of a bundle; the same input gives the same bytes.

    Raises BundleError and the errors of `render_bundle`.
    """
    return write_archive(render_bundle(task, track))


def render_bundle(task: BundleTask, track: Track) -> dict[str, bytes]:
    """Return the files of a bundle, relative path → content.

    Raises
    ------
    BundleError
        A track that is not of contexts, no terms, an unknown language, phases that overlap,
        practice data without pairs, or anything else that Codabench refuses.
    GoldError, KitError, ReleaseError, TableError
        Gold that cannot tell systems apart, data that cannot be read, or practice pairs in the
        test data.
    """
    if not track.is_of_contexts:
        raise BundleError(f"subtask {track.number} ({track.title}) has no bundle: {ONLY_CONTEXTS}")
    _check_task(task)
    task = _hide_board(task)
    files = {
        COMPETITION: write_yaml(_make_competition(task, track).model_dump(exclude_none=True)),
        TERMS: task.rules.terms.strip() + "\n",
        "README.md": render_organisers_readme(task, track),
        f"{PROGRAM}/metadata.yaml": write_yaml({"command": COMMAND}),
        **{f"pages/{name}.md": text for name, text in render_pages(task, track).items()},
    }
    contents = {name: text.encode() for name, text in files.items()}
    contents |= {LOGO: task.logo or draw_logo(), f"{PROGRAM}/scoring.py": read_scorer()}
    for is_practice, name, _ in _list_data(task):
        contents |= _add_folder(
            f"reference_{name}", _render_reference(task, track, is_practice=is_practice)
        )
        contents |= _add_folder(f"kit_{name}", _render_kit(task, track, is_practice=is_practice))
    contents |= _find_solution(task, contents, track)
    check_bundle(contents)
    return contents


def check_bundle(files: Mapping[str, bytes]) -> Competition:
    """Check the files of a bundle as Codabench does, and that no gold is where teams can read it.

    Returns what `competition.yaml` says. Raises BundleError.
    """
    try:
        entries = yaml.safe_load(files[COMPETITION])
    except (KeyError, yaml.YAMLError) as error:
        raise BundleError(f"{COMPETITION} is missing or no YAML ({error})") from error
    competition = Competition.read(entries, "key", BundleError)
    for path in competition.list_paths():
        is_folder = path.endswith("/")
        inside = [name for name in files if name == path or (is_folder and name.startswith(path))]
        if not inside:
            raise BundleError(f"{COMPETITION} names {path}, which the bundle does not have")
        if not is_folder and not files[path].strip():
            raise BundleError(f"{path} is empty; Codabench refuses that")
    _check_secrecy(files)
    return competition


def _check_secrecy(files: Mapping[str, bytes]) -> None:
    secret = {content for name, content in files.items() if name.startswith("reference_test/gold_")}
    for name, content in files.items():
        if not name.startswith("reference_test/") and any(gold in content for gold in secret):
            raise BundleError(f"{name} has the gold of the test data")


def _check_task(task: BundleTask) -> None:
    if not task.rules.terms.strip():
        raise BundleError("the terms are empty; Codabench wants some that teams accept")
    languages = [part.language for part in task.parts]
    if not languages or len(set(languages)) < len(languages):
        raise BundleError("a bundle needs one or more languages, each once")
    if unknown := [language for language in task.rules.required if language not in languages]:
        raise BundleError(f"{unknown[0]} is required, but there is no data for this language")
    if (task.rules.best_of or 1) > len(languages):
        raise BundleError(f"there are not {task.rules.best_of} languages to average over")
    if not task.phases:
        raise BundleError("a bundle needs one or more phases")
    if any(p.is_practice for p in task.phases) and not task.list_parts(is_practice=True):
        raise BundleError("a phase has practice data, and no language has any; add practice_data")
    for part in task.parts:
        check_gold(_make_part(part, is_practice=False))
        if part.practice_data is not None:
            check_gold(_make_part(part, is_practice=True), is_practice=True)
            names = (f"data_{part.language}.tsv", f"practice data_{part.language}.tsv")
            check_disjoint(dict(zip(names, (part.data, part.practice_data), strict=True)), *names)


def _hide_board(task: BundleTask) -> BundleTask:
    """Return the task with the visibility that Codabench can offer: one board for all phases."""
    if all(phase.visibility is Visibility.BOARD for phase in task.phases):
        return task
    hidden = {Visibility.BOARD: Visibility.OWN}
    phases = [
        replace(phase, visibility=hidden.get(phase.visibility, phase.visibility))
        for phase in task.phases
    ]
    return replace(task, phases=tuple(phases))


def _make_part(part: BundlePart, *, is_practice: bool) -> Part:
    """Return the gold and words of a part. Raises BundleError and GoldError."""
    if not is_practice:
        return make_part(part.language, part.gold, part.data)
    if part.practice_gold is None:
        raise BundleError(f"the practice data of {part.language} has no gold; add practice_gold")
    return make_part(part.language, part.practice_gold, part.practice_data)


def _list_data(task: BundleTask) -> Iterator[tuple[bool, str, int]]:
    used = {phase.is_practice for phase in task.phases}
    return (kind for kind in DATA if kind[0] in used)


def _add_folder(folder: str, files: Mapping[str, bytes]) -> dict[str, bytes]:
    return {f"{folder}/{name}": content for name, content in files.items()}


def _render_reference(task: BundleTask, track: Track, *, is_practice: bool) -> dict[str, bytes]:
    """Return the gold files and the rules for the scorer."""
    parts = [
        (part, _make_part(part, is_practice=is_practice))
        for part in task.list_parts(is_practice=is_practice)
    ]
    best_of = task.rules.best_of
    languages = [part.language for part, _ in parts]
    rules = {
        "subtask": str(track.number),
        "words": {part.language: made.words for part, made in parts},
        "required": [language for language in task.rules.required if language in languages],
        "best_of": best_of if best_of is not None and best_of <= len(parts) else None,
    }
    gold = {
        f"gold_{part.language}.tsv": (part.practice_gold if is_practice else part.gold) or b""
        for part, _ in parts
    }
    text = json.dumps(rules, ensure_ascii=False, indent=1, sort_keys=True) + "\n"
    return {"task.json": text.encode(), **gold}


def _render_kit(task: BundleTask, track: Track, *, is_practice: bool) -> dict[str, bytes]:
    phase = next(phase for phase in task.phases if phase.is_practice == is_practice)
    parts = task.list_parts(is_practice=is_practice)
    of_kit = [part.for_kit(is_practice=is_practice) for part in parts]
    return render_kit(of_kit, task.rules, replace(phase, tracks=(track,)))


def _find_solution(task: BundleTask, files: Mapping[str, bytes], track: Track) -> dict[str, bytes]:
    """Return the solution: the results of the baseline *distance* in the kit of the last data."""
    folder = f"kit_{[*_list_data(task)][-1][1]}/res{track.number}/"
    results = {
        path.removeprefix(folder): content
        for path, content in files.items()
        if path.startswith(folder)
    }
    return _add_folder(SOLUTION, results)


def _make_competition(task: BundleTask, track: Track) -> Competition:
    entries = {
        "version": 2,
        "title": f"{task.rules.title}, subtask {track.number}",
        "description": f"Subtask {track.number} of {task.rules.title}",
        "image": LOGO,
        "terms": TERMS,
        "contact_email": find_address(task.rules.contact),
        "docker_image": IMAGE,
        "registration_auto_approve": False,
        "make_programs_available": False,
        "make_input_data_available": False,
        "enable_detailed_results": False,
        "can_participants_make_submissions_public": False,
        "auto_run_submissions": True,
        "fact_sheet": {question[0]: _make_question(*question) for question in QUESTIONS},
        "pages": [Page(title=title, file=f"pages/{name}.md") for name, title in TITLES.items()],
        "tasks": [_make_task(name, index) for _, name, index in _list_data(task)],
        "solutions": [
            Solution(
                index=0, name="distance", path=f"{SOLUTION}/", tasks=[[*_list_data(task)][-1][2]]
            )
        ],
        "phases": [_make_phase(index, phase) for index, phase in enumerate(task.phases)],
        "leaderboards": [_make_leaderboard(task, track)],
    }
    return Competition.read(entries, "key", BundleError)


def _make_question(key: str, kind: str, title: str, is_required: str) -> Question:
    entries = {"key": key, "type": kind, "title": title, "is_required": is_required}
    selection = [True, False] if kind == "checkbox" else ""
    shown = "true" if key == QUESTIONS[0][0] else "false"
    entries |= {"selection": selection, "is_on_leaderboard": shown}  # type: ignore[dict-item]
    return Question.read(dict(entries), "key", BundleError)


def _make_task(name: str, index: int) -> Task:
    return Task(
        index=index,
        name=f"{name} data",
        description=f"Predictions for the {name} data",
        scoring_program=f"{PROGRAM}/",
        reference_data=f"reference_{name}/",
    )


def _make_phase(index: int, phase: PhaseRules) -> Phase:
    name, of_task = next(kind[1:] for kind in DATA if kind[0] == phase.is_practice)
    return Phase(
        index=index,
        name=phase.name,
        description=f"Predictions for the {name} data",
        start=write_time(phase.opens_at),
        end=write_time(phase.closes_at) if phase.closes_at else None,
        max_submissions=phase.attempts_total or UNLIMITED,
        max_submissions_per_day=phase.attempts_a_day or UNLIMITED,
        execution_time_limit=SECONDS,
        hide_output=False,
        hide_prediction_output=False,
        hide_score_output=phase.visibility is Visibility.HIDDEN,
        starting_kit=f"kit_{name}/",
        tasks=[of_task],
    )


def _make_leaderboard(task: BundleTask, track: Track) -> Leaderboard:
    keys = [RANKING, *(part.language for part in task.parts)]
    return Leaderboard(
        title=f"Subtask {track.number}",
        key=f"subtask{track.number}",
        hidden=any(phase.visibility is not Visibility.BOARD for phase in task.phases),
        submission_rule=task.rule,
        columns=[
            Column(title=key, key=key, index=index, sorting="desc", precision=3, hidden=False)
            for index, key in enumerate(keys)
        ],
    )


def write_time(at: datetime) -> str:
    """Write an instant as Codabench reads it: in UTC, without a zone.

    >>> write_time(datetime.fromisoformat("2026-12-01T12:00:00+02:00"))
    '2026-12-01 10:00:00'
    """
    return at.astimezone(UTC).strftime("%Y-%m-%d %H:%M:%S")


def draw_logo() -> bytes:
    """Return a picture (PNG) of two overlapping squares, always the same bytes."""
    rows = b"".join(b"\0" + _draw_row(row) for row in range(LOGO_SIZE))
    header = struct.pack(">2L5B", LOGO_SIZE, LOGO_SIZE, 8, 2, 0, 0, 0)
    # Stored, not compressed: the bytes of a compressor depend on its version.
    chunks = ((b"IHDR", header), (b"IDAT", zlib.compress(rows, 0)), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(_pack_chunk(*chunk) for chunk in chunks)


def _draw_row(row: int) -> bytes:
    return b"".join(DARK if _is_dark(row, column) else LIGHT for column in range(LOGO_SIZE))


def _is_dark(row: int, column: int) -> bool:
    first = all(LOGO_SIZE // 8 <= place < LOGO_SIZE * 5 // 8 for place in (row, column))
    second = all(LOGO_SIZE * 3 // 8 <= place < LOGO_SIZE * 7 // 8 for place in (row, column))
    return first != second


def _pack_chunk(name: bytes, content: bytes) -> bytes:
    checksum = zlib.crc32(name + content)
    return struct.pack(">L", len(content)) + name + content + struct.pack(">L", checksum)
