"""Searches as background jobs perform them: windows found, candidates picked and stored."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from errno import EDQUOT, EFBIG, ENOSPC
from pathlib import Path
from typing import TYPE_CHECKING, Any

from django.conf import settings
from django.contrib.auth.models import User
from django.core.files import File
from django.db import transaction

from surveys.contexts.candidates import CheckedCandidates, add_candidates, import_candidates
from surveys.contexts.models import Candidate, CandidatePair, CandidateSet
from surveys.contexts.picking import Picking, pick
from surveys.contexts.search.listing import find_corpora
from surveys.errors import ImportRefused, RunRefused
from surveys.jobs.perform import Progress
from surveys.models import Run
from surveys.operations.job_process import in_job_process
from surveys.operations.stored_files import local_copy
from surveys.results.run_files import drop_files
from surveys.results.run_jobs import makes_run, store_part

if TYPE_CHECKING:
    import pandas as pd

    from preprocess.windows.searching import Search

WINDOWS = "windows.parquet"
COMPARED = ("window", "text", "file", "document", "first_sentence", "last_sentence")
NO_ROOM = (ENOSPC, EDQUOT, EFBIG)
N_TOTALS = 5  # columns of counts before those of the filters
MOST_NAMED = 1_000  # pairs without a text
FEWEST_EXAMINED = 100  # windows of a pair whose candidates are not enough
ADVICE = "An operator of this site can correct the corpus; until then, search others."
FULL = (
    "The disk of the server is full. Ask an operator to make room; then try again: the search goes "
    "on where it was."
)


@makes_run
def search(run: Run, progress: Progress) -> dict[str, Any]:
    """Perform a search, of a whole study or of one pair; a retry goes on where it was.

    Raises RunRefused for a corpus that cannot be read, and as `import_candidates`.
    """
    with _refusing(run):
        return _search_pair(run, progress) if "pair" in run.request else _search_all(run, progress)


def _search_all(run: Run, progress: Progress) -> dict[str, Any]:
    """Find windows for all pairs, and store their candidates; the windows are the run's file."""
    from preprocess.windows.table import load_windows

    request = run.request
    folder = _folder(run)
    search = _make_search(run, request["pairs"], request["per_pair"])
    counts, warnings = _find(search, folder, progress)
    progress("picking candidates", 0, 1)
    windows = folder / WINDOWS
    checked = pick_found(load_windows(windows), windows, Picking(request["number"]))
    report = _summarise(counts) | {"n_new": len(checked.rows), "warnings": warnings}
    name = f"{run.name} ({', '.join(request['corpora'])})"
    with transaction.atomic():
        import_candidates(
            run.study, checked, run.requested_by, file_name=name,
            discards_choices=request["discards_choices"],
        )  # fmt: skip
        store_part(run, report)  # or the search was cancelled, and nothing is stored
        drop_files(run.study, run.kind)
    with windows.open("rb") as file:
        run.archive.save(f"windows_{run.study.slug}_{run.number}.parquet", File(file), save=False)
    shutil.rmtree(folder, ignore_errors=True)
    return {"report": report}


def _search_pair(run: Run, progress: Progress) -> dict[str, Any]:
    """Find further windows of one pair, and add candidates to those it has."""
    from preprocess.selection.candidates import leave_out_known
    from preprocess.windows.table import load_windows

    if run.report:  # of a process that was killed when all was stored
        return {"report": run.report}
    request = run.request
    folder = _folder(run)
    pair = _find_pair(run)
    known_texts = _list_known(pair)
    per_pair = max(FEWEST_EXAMINED, 4 * (len(known_texts) + request["number"]))
    _, warnings = _find(_make_search(run, [request["words"]], per_pair), folder, progress)
    windows = folder / WINDOWS
    new = leave_out_known(load_windows(windows), known_texts)
    report: dict[str, Any] = {"n_new": 0, "warnings": warnings}
    with transaction.atomic():
        if len(new):
            checked = pick_found(new, windows, Picking(request["number"]))
            report["n_new"] = add_candidates(_find_pair(run), checked)
        store_part(run, report)
    shutil.rmtree(folder, ignore_errors=True)
    return {"report": report}


def pick_found(windows: "pd.DataFrame", path: Path, picking: Picking) -> CheckedCandidates:
    """Return candidates picked among a search's windows, or among some windows.

    `path`: the file that says how they were found. Raises ImportRefused if there are none, or if
    one cannot be used, and as `pick`.
    """
    from preprocess.windows.table import load_settings

    if windows.empty:
        raise ImportRefused(
            "No text of these corpora contains both words of a pair. Choose other corpora or "
            "pairs, or change the filters."
        )
    checked = pick(windows, load_settings(path), picking)
    if checked.errors:
        raise ImportRefused("\n".join(map(str, checked.errors)))
    return checked


def pick_by_scores(
    run: Run, picking: Picking, by: User, *, discards_choices: bool = False
) -> CandidateSet:
    """Pick a draft's candidates by a file that scores a search's windows.

    They replace those that the draft has. Raises ImportRefused for scores that cannot be used, and
    as `import_candidates`.
    """
    with local_copy(run.archive) as windows:
        picked = _pick(windows, picking)
    return import_candidates(
        run.study, picked, by,
        file_name=f"{run.name}, {picking.scores_name}", discards_choices=discards_choices,
    )  # fmt: skip


@in_job_process
def _pick(windows: Path, picking: Picking) -> CheckedCandidates:
    from preprocess.windows.table import load_windows

    return pick_found(load_windows(windows), windows, picking)


def _make_search(run: Run, pairs: list[list[str]], per_pair: int) -> "Search":
    from preprocess.pairs.reading import WordPair
    from preprocess.windows.searching import Search

    request = run.request
    return Search(
        [path for corpus in find_corpora(request["corpora"]) for path in corpus.paths],
        [WordPair(*words) for words in pairs],
        run.study.language.partition("-")[0],
        per_pair=per_pair,
        filters=request["filters"],
        source=request["source"],
        by_sent_id=request.get("by_sent_id", False),
    )


def _find(search: "Search", folder: Path, progress: Progress) -> tuple["pd.DataFrame", list[str]]:
    """Write the windows of a search into its folder, which keeps what is done until the end.

    Returns their counts, and warnings about the corpora.
    """
    from preprocess.windows.dividing import Processes
    from preprocess.windows.searching import check_search, search_corpus

    warnings = check_search(search)
    counts = search_corpus(
        search, folder / WINDOWS, store=search.open_store(folder / "parts"),
        processes=Processes(), progress=progress,
    )  # fmt: skip
    return counts, warnings


def _summarise(counts: "pd.DataFrame") -> dict[str, Any]:
    """Return what a search found, by the counts of its windows: pairs without any are named."""
    without = counts.loc[counts["kept"] == 0, ["word1", "word2"]]
    reasons = counts.iloc[:, N_TOTALS:].sum()
    return {
        "n_pairs": len(counts),
        "n_found": len(counts) - len(without),
        "n_single": int((counts["kept"] == 1).sum()),
        "n_seen": int(counts["seen"].sum()),
        "n_kept": int(counts["kept"].sum()),
        "without": [" – ".join(words) for words in without.head(MOST_NAMED).to_numpy().tolist()],
        "rejected": {str(code): int(n) for code, n in reasons.items() if n},
    }


def _folder(run: Run) -> Path:
    """Return the folder in which the searches of a study keep what is done so far."""
    return Path(settings.VAR_DIR) / "searches" / str(run.study_id)


def _find_pair(run: Run) -> CandidatePair:
    """Return the pair of a search, which another file may have replaced."""
    word1, word2 = run.request["words"]
    pairs = CandidatePair.objects.select_related("study").filter(
        study=run.study, number=run.request["pair"], word1=word1, word2=word2
    )
    if (pair := pairs.first()) is None:
        raise RunRefused("The pair was replaced in the meantime.")
    return pair


def _list_known(pair: CandidatePair) -> "pd.DataFrame":
    """Return the candidates that a pair has, as a table."""
    import pandas as pd

    candidates = Candidate.objects.filter(pair=pair).values_list(*COMPARED)
    return pd.DataFrame(list(candidates), columns=list(COMPARED))


@contextmanager
def _refusing(run: Run) -> Iterator[None]:
    """Turn errors of the library and the disk into refusals, with names of files without paths."""
    from preprocess.corpora.errors import CorpusError
    from preprocess.windows.filters import FilterError

    try:
        yield
    except CorpusError as error:
        place = f"{error.path.name}, line {error.line}" if error.line else error.path.name
        raise RunRefused(f"{place}: {error.what}. {ADVICE}") from error
    except FilterError as error:
        raise RunRefused(str(error)) from error
    except OSError as error:
        if error.errno in NO_ROOM:
            raise RunRefused(FULL) from error
        place = f"{Path(str(error.filename)).name}: " if error.filename else ""
        raise RunRefused(f"{place}{error.strerror}. Ask an operator for the log.") from error
