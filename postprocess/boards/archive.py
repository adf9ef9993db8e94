"""The archive of a finished shared task: boards, gold, baselines and submissions, as files."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import PurePosixPath

from postprocess.boards.board import Board
from postprocess.boards.commitment import commit_to_gold
from postprocess.boards.entries import BoardError
from postprocess.boards.exports.freezing import render_board
from postprocess.boards.exports.latex import render_latex
from postprocess.boards.exports.page import render_page
from postprocess.boards.exports.tables import render_csv, render_differences
from postprocess.boards.plots import illustrate_board
from postprocess.boards.shown import describe_board
from postprocess.release.checksums import CHECKSUMS, render_checksums, write_archive
from postprocess.release.documents.markdown import escape
from postprocess.reporting.figures.gallery import Plate, render_plates

Files = Mapping[str, bytes]  # relative path → content
README = "README.md"
SALT = "salt.bin"
COMMITTED = "committed"  # folder of the gold before a correction
LICENCE = "CC BY 4.0"
OF_COSIMA = "`python -m postprocess score --metric` of Cosima computes scores."


@dataclass(frozen=True)
class ArchivedTeam:
    """A team in the archive: a row's name, and the team's files if it agreed to publish them.

    `folder`: the name of its folder, a slug; `description`: what the team wrote about its system.
    """

    name: str
    folder: str
    files: Files = field(default_factory=dict)
    description: str = ""


@dataclass(frozen=True)
class Archive:
    """All that is published of a shared task.

    `boards` by slug, such as evaluation-1; `gold` by language; `baselines` by name; `salt` and
    `commitment` if one was made, and `committed`, the gold of that time, if it was corrected since;
    `score`: the program that computes the scores, `score.py`, empty if none does;
    `text`: the description of the task, in Markdown; `plates`: further figures, such as
    predictions; `results`: the address below which results have their pages, "" if they have none.
    """

    title: str
    boards: Mapping[str, Board]
    gold: Files
    score: bytes
    text: str = ""
    baselines: Mapping[str, Files] = field(default_factory=dict)
    teams: Sequence[ArchivedTeam] = ()
    salt: bytes = b""
    commitment: str = ""
    committed: Files = field(default_factory=dict)
    plates: Sequence[Plate] = ()
    results: str = ""


def pack_archive(archive: Archive) -> dict[str, bytes]:
    """Return the files of an archive.

    Returns
    -------
    dict
        Relative path → content: for each board <slug>/board.csv, .json, .tex and .html,
        <slug>/differences.csv and <slug>/figures/; gold/gold_<lang>.tsv, baselines/<name>/,
        submissions/<team>/, score.py, README.md and SHA256SUMS, and committed/gold_<lang>.tsv if
        the gold was corrected. All figures have all digits. The same archive gives the same bytes.

    Raises
    ------
    BoardError
        A board without full digits or of other gold, a commitment that does not fit, two teams in
        one folder, or a path that leaves its folder.
    """
    _check(archive)
    files = {f"gold/gold_{language}.tsv": data for language, data in archive.gold.items()}
    files |= {
        f"{COMMITTED}/gold_{language}.tsv": data for language, data in archive.committed.items()
    }
    if archive.score:
        files["score.py"] = archive.score
    for slug, board in archive.boards.items():
        of_board = render_board_files(board, archive.results)
        files |= {f"{slug}/{path}": data for path, data in of_board.items()}
    for plate in archive.plates:
        files |= _name_plate("figures", plate)
    for name, baseline in archive.baselines.items():
        files |= {f"baselines/{name}/{path}": data for path, data in baseline.items()}
    for team in archive.teams:
        files |= {f"submissions/{team.folder}/{path}": data for path, data in team.files.items()}
    if archive.salt:
        files[SALT] = archive.salt
    for path in files:
        if PurePosixPath(path).is_absolute() or ".." in PurePosixPath(path).parts:
            raise BoardError(f"the path {path} leaves its folder")
    files[README] = render_readme(archive).encode()
    return {**files, CHECKSUMS: render_checksums(files)}


def zip_archive(files: Files, folder: str) -> bytes:
    """Return the files of an archive as a zip, in a folder; the same files give the same bytes."""
    return write_archive(files, folder)


def render_board_files(board: Board, results: str = "") -> dict[str, bytes]:
    """Return the files of a board whose gold is public, with its figures.

    `results`: see `Archive`.
    """
    plates = render_plates(illustrate_board(board, is_gold_public=True))
    pages = {row.name: f"{results}{row.result}/" for row in board.rows if row.result}
    links = pages if results else {}
    files = {
        "board.json": render_board(board, is_gold_public=True),
        "board.csv": render_csv(board, is_gold_public=True),
        "board.tex": render_latex(board),
        "board.html": render_page(board, plates=plates.values(), links=links),
        "differences.csv": render_differences(board, is_gold_public=True),
    }
    for plate in plates.values():
        files |= _name_plate("figures", plate)
    return files


def render_readme(archive: Archive) -> str:
    """Return the text of `README.md`."""
    return "\n\n".join(_write_readme(archive)) + "\n"


def _name_plate(folder: str, plate: Plate) -> dict[str, bytes]:
    return {f"{folder}/{plate.name}.svg": plate.svg, f"{folder}/{plate.name}.png": plate.png}


def _check(archive: Archive) -> None:
    for slug, board in archive.boards.items():
        if board.is_rounded:
            raise BoardError(f"the board {slug} has three decimals; give the one with all digits")
        if missing := [name for name in board.rules.languages if name not in archive.gold]:
            raise BoardError(f"the board {slug} has {missing[0]}, whose gold is missing")
    committed = archive.committed or archive.gold
    if archive.commitment and commit_to_gold(archive.salt, committed) != archive.commitment:
        raise BoardError("salt and gold are not those of the commitment")
    folders = [team.folder for team in archive.teams]
    if len(set(folders)) < len(folders):
        raise BoardError("two teams have the same folder; give each its own")


def _write_readme(archive: Archive) -> Iterator[str]:
    yield f"# {escape(archive.title)}"
    if archive.text:
        yield archive.text.strip()
    yield "## Boards"
    yield "\n".join(
        f"- `{slug}/`: {escape(describe_board(board))}" for slug, board in archive.boards.items()
    )
    yield (
        "`board.html` is for reading, `board.csv` for spreadsheets, `board.tex` for papers "
        "(package booktabs), `board.json` for programs; all show the same board. `differences.csv` "
        "has the test of each two ranked systems: d, the difference of their scores; p, two-sided, "
        "by a jackknife over pairs; p_holm, after Holm’s correction over the column. `figures/` "
        "has scores with intervals, and p of all pairs."
    )
    yield "## Compute the scores again"
    yield (
        ("`score.py` needs nothing but Python 3." if archive.score else OF_COSIMA)
        + " `gold/` has the scores to predict, a row for each pair."
    )
    if archive.commitment:
        if archive.committed:
            yield (
                "The gold was corrected after the test data was opened; the boards say when and "
                f"why. `{COMMITTED}/` has the gold of that time."
            )
        yield (
            "When the test data was opened, this digest of the gold was published: "
            f"`{archive.commitment}`. It covers `{SALT}` and then that time’s gold files "
            "in the order of their languages:"
        )
        folder = COMMITTED if archive.committed else "gold"
        paths = " ".join([SALT, *(f"{folder}/gold_{name}.tsv" for name in sorted(archive.gold))])
        yield f"```sh\ncat {paths} | sha256sum\n```"
    if archive.baselines:
        yield "## Baselines"
        names = ", ".join(f"`baselines/{name}/`" for name in archive.baselines)
        yield f"Predictions of the baselines, as result files: {names}."
    if archive.teams:
        yield "## Submissions"
        yield f"Teams that agreed publish their result files under {LICENCE}."
        yield "\n".join(_list_teams(archive.teams))
    yield f"`{CHECKSUMS}` has the digest of each file: `sha256sum -c {CHECKSUMS}` checks them."


def _list_teams(teams: Sequence[ArchivedTeam]) -> Iterator[str]:
    for team in teams:
        place = f": `submissions/{team.folder}/`" if team.files else ", files not published"
        about = f". {escape(' '.join(team.description.split()))}" if team.description else ""
        yield f"- {escape(team.name)}{place}{about}"
