"""Measure the search for windows in a corpus, compared with other ways to read the same bytes.

    .venv/bin/python bench/contexts.py
    .venv/bin/python bench/contexts.py --corpus CORPUS.conllu --pairs 10 1000 10000

The file is repeated until it has the wanted size. The words of the pairs are drawn from its 2,500
most frequent lemmas with four letters or more, which is harder than the words of a usual study.
Every measurement is a separate process, timed without its imports; MB are the peak of the largest
process. The ways take turns, and the figures are medians. CPU MB/s count processor time, also of
child processes.
"""

import gzip
import lzma
import random
import resource
import shutil
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

from processes import medians_in_turns
from reporting import REPOSITORY, read_options, say, table

COLUMNS = (
    "way", "pairs", "processes", "s", "MB/s", "CPU MB/s", "÷ lines", "peak MB", "windows"
)  # fmt: skip
N_LEMMAS, LETTERS, SEED = 2_500, 4, 20200312


def split_lines(path: Path, pairs: Path, processes: int) -> int:
    """Read the lines as bytes and split off the lemma: what every search has to do."""
    with path.open("rb") as file:
        for line in file:
            line.split(b"\t", 3)
    return 0


def read_with_conllu(path: Path, pairs: Path, processes: int) -> int:
    """Parse all sentences with the library conllu, id, form and lemma alone."""
    import conllu

    with path.open(encoding="utf-8") as file:
        return 0 * sum(len(s) for s in conllu.parse_incr(file, fields=("id", "form", "lemma")))


def search(path: Path, pairs: Path, processes: int) -> int:
    """Find the places of the windows of all pairs."""
    from preprocess.pairs.reading import load_pairs
    from preprocess.windows.dividing import Processes
    from preprocess.windows.finding import find_places
    from preprocess.windows.scanning import SearchSettings
    from preprocess.windows.storing import ScanStore

    with tempfile.TemporaryDirectory() as folder:
        places = find_places(
            [path], load_pairs(pairs)[0], SearchSettings(),
            processes=Processes(processes), store=ScanStore(Path(folder), ""),
            progress=lambda stage, done, of: None,
        )  # fmt: skip
    return int(places.n_seen.sum())


WAYS: dict[str, Callable[[Path, Path, int], int]] = {
    "lines": split_lines, "conllu": read_with_conllu, "search": search,
}  # fmt: skip


def make_corpus(source: Path, folder: Path, megabytes: int) -> Path:
    """Write the corpus repeated to a size, and a tenth as plain text, gzip and xz."""
    text = source.read_bytes()
    path, tenth = folder / "whole.conllu", folder / "tenth.conllu"
    for target, size in ((path, megabytes * 1e6), (tenth, megabytes * 1e5)):
        with target.open("wb") as file:
            for _ in range(max(1, round(size / len(text)))):
                file.write(text)
    for open_packed, end in ((gzip.open, ".gz"), (lzma.open, ".xz")):
        with tenth.open("rb") as plain, open_packed(f"{tenth}{end}", "wb") as packed:
            shutil.copyfileobj(plain, packed)
    return path


def draw_pairs(source: Path, folder: Path, n_pairs: int) -> Path:
    """Write pairs of frequent lemmas."""
    chance = random.Random(SEED)  # noqa: S311  (not for security)
    lines = source.read_text(encoding="utf-8").splitlines()
    words = [line.split("\t") for line in lines if line[:1].isdigit()]
    counts = Counter(word[2].lower() for word in words if word[2].isalpha())
    frequent = [w for w, _ in counts.most_common() if len(w) >= LETTERS][:N_LEMMAS]
    chosen = chance.sample(frequent, min(2 * n_pairs, len(frequent)))
    pairs: set[tuple[str, ...]] = set()
    while len(pairs) < min(n_pairs, len(chosen) * (len(chosen) - 1) // 3):
        pairs.add(tuple(sorted(chance.sample(chosen, 2))))
    path = folder / f"pairs{n_pairs}.tsv"
    rows = "".join("\t".join(pair) + "\n" for pair in sorted(pairs))
    path.write_text(f"word1\tword2\n{rows}", encoding="utf-8")
    return path


def measure(way: str, path: Path, pairs: Path, processes: int) -> dict[str, float]:
    """Measure a way once after a warm-up, in a process that does nothing else."""
    WAYS[way](path.with_name("small.conllu"), pairs, 1)
    started, cpu = time.perf_counter(), count_cpu_seconds()
    windows = WAYS[way](path, pairs, processes)
    seconds, cpu = time.perf_counter() - started, count_cpu_seconds() - cpu
    peak = max(usage.ru_maxrss for usage in get_usage()) / 1024
    return {"seconds": seconds, "cpu": cpu, "megabytes": peak, "windows": windows}


def count_cpu_seconds() -> float:
    """Return the processor time of this process and of children that have ended."""
    return sum(usage.ru_utime + usage.ru_stime for usage in get_usage())


def get_usage() -> list[resource.struct_rusage]:
    """Return what this process and its children have used."""
    return [resource.getrusage(scope) for scope in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]


def main() -> None:
    """Measure all ways in turn, and print a table."""
    options = read_options(
        __doc__,
        corpus=(REPOSITORY / "demo/corpus_en.conllu", "a treebank; the demo's is small"),
        megabytes=500,
        pairs=[10, 1_000, 10_000],
        repetitions=3,
    )
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        whole = make_corpus(options.corpus, folder, options.megabytes)
        (folder / "small.conllu").write_bytes(options.corpus.read_bytes())
        pairs = {n: draw_pairs(options.corpus, folder, n) for n in options.pairs}
        most, tenth = max(options.pairs[:2]), folder / "tenth.conllu"
        cases = [("lines", whole, most, 1), ("conllu", tenth, most, 1)]
        cases += [("search", whole, n, processes) for n in options.pairs for processes in (1, 2)]
        cases += [("search", Path(f"{tenth}{end}"), most, 1) for end in ("", ".gz", ".xz")]
        measured = medians_in_turns(
            measure,
            [(way, path, pairs[n], processes) for way, path, n, processes in cases],
            options.repetitions,
        )
        rows = []
        of_lines = measured[0]["seconds"] / (whole.stat().st_size / 1e6)
        for (way, path, n, processes), figures in zip(cases, measured, strict=True):
            seconds, cpu, peak, windows = figures.values()
            megabytes = (tenth if path != whole else whole).stat().st_size / 1e6
            is_search = way == "search"
            rows.append((
                f"{way} {path.suffix}" if path.suffix in (".gz", ".xz") else way,
                f"{n:,}" if is_search else "", str(processes), f"{seconds:.2f}",
                f"{megabytes / seconds:.0f}", f"{megabytes / cpu:.0f}",
                f"{seconds / megabytes / of_lines:.1f}", f"{peak:.0f}",
                f"{windows:,.0f}" if is_search else "",
            ))  # fmt: skip
        say(f"{whole.stat().st_size / 1e6:.0f} MB; compressed files and conllu: a tenth")
        say(table(COLUMNS, rows))


if __name__ == "__main__":
    main()
