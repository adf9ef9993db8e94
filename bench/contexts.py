"""Measure the search for windows in a corpus, compared with other ways to read the same bytes.

    .venv/bin/python bench/contexts.py ../shared/corpora/sl_ssj-ud-dev.conllu
    .venv/bin/python bench/contexts.py CORPUS.conllu --megabytes 500 --pairs 10 1000 10000
    .venv/bin/python bench/contexts.py CORPUS.conllu --against ../other

The file is repeated until it has the wanted size, so that windows repeat, too, and processors find
the words in their caches. The words of the pairs are drawn from its 2,500 most frequent lemmas with
four letters or more, which is harder than the words of a usual study. Every measurement is a
separate process, timed without its imports; MB are the peak of the largest process. The ways take
turns, and the figures are medians. CPU MB/s are those of processor time, also of child processes,
for a busy machine. `--against` measures another checkout of Cosima as well, by turns, and gives its
processor time as a ratio to this one's.
"""

import argparse
import gzip
import json
import lzma
import random
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from statistics import median

from reporting import say, table

REPOSITORY = Path(__file__).resolve().parent.parent
COLUMNS = (
    "way", "pairs", "processes", "s", "MB/s", "CPU MB/s", "÷ lines", "peak MB", "windows", "other"
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
        found = find_places(
            [path], load_pairs(pairs)[0], SearchSettings(),
            processes=Processes(processes), store=ScanStore(Path(folder), ""),
            progress=lambda stage, done, of: None,
        )  # fmt: skip
    return int(found.n_seen.sum())


WAYS: dict[str, Callable[[Path, Path, int], int]] = {
    "lines": split_lines, "conllu": read_with_conllu, "search": search,
}  # fmt: skip


def make_corpus(source: Path, folder: Path, megabytes: int) -> Path:
    """Write the corpus repeated to a size, and a tenth of it as it is, gzip and xz."""
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


def measure(tree: Path, way: str, path: Path, pairs: Path, processes: int) -> dict[str, float]:
    """Measure a checkout of Cosima once in a separate process."""
    words = [sys.executable, str(Path(__file__).resolve()), "--measure", str(tree), way]
    words += [str(path), str(pairs), str(processes)]
    done = subprocess.run(words, capture_output=True, text=True, check=False, cwd=REPOSITORY)  # noqa: S603  (this script)
    if done.returncode:
        raise SystemExit(done.stderr)
    found: dict[str, float] = json.loads(done.stdout)
    return found


def measure_here(tree: str, way: str, path: Path, pairs: Path, processes: int) -> None:
    """Run once after the imports and print the result; called in the measured process."""
    sys.path.insert(0, tree)
    small = path.with_name("small.conllu")
    WAYS[way](small, pairs, 1)
    started, cpu = time.perf_counter(), count_cpu_seconds()
    windows = WAYS[way](path, pairs, processes)
    seconds, cpu = time.perf_counter() - started, count_cpu_seconds() - cpu
    peak = max(usage.ru_maxrss for usage in get_usage()) / 1024
    say(json.dumps({"seconds": seconds, "cpu": cpu, "megabytes": peak, "windows": windows}))


def count_cpu_seconds() -> float:
    """Return the processor time of this process and of children that have ended."""
    return sum(usage.ru_utime + usage.ru_stime for usage in get_usage())


def get_usage() -> list[resource.struct_rusage]:
    """Return what this process and its children have used."""
    return [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]


def main() -> None:
    """Measure all ways in turn, and print a table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("corpus", type=Path)
    parser.add_argument("--megabytes", type=int, default=500)
    parser.add_argument("--pairs", type=int, nargs="+", default=[10, 1_000, 10_000])
    parser.add_argument("--repetitions", type=int, default=3)
    parser.add_argument("--against", type=Path, help="another checkout, measured by turns")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        whole = make_corpus(options.corpus, folder, options.megabytes)
        (folder / "small.conllu").write_bytes(options.corpus.read_bytes())
        pairs = {n: draw_pairs(options.corpus, folder, n) for n in options.pairs}
        most, tenth = max(options.pairs[:2]), folder / "tenth.conllu"
        cases = [("lines", whole, most, 1), ("conllu", tenth, most, 1)]
        cases += [("search", whole, n, processes) for n in options.pairs for processes in (1, 2)]
        cases += [("search", Path(f"{tenth}{end}"), most, 1) for end in ("", ".gz", ".xz")]
        trees = [REPOSITORY, *([options.against.resolve()] if options.against else [])]
        rounds = [
            [
                [measure(tree, way, path, pairs[n], processes) for tree in trees]
                for way, path, n, processes in cases
            ]
            for _ in range(options.repetitions)
        ]
        rows = []
        for number, (way, path, n, processes) in enumerate(cases):
            results = [one[number][0] for one in rounds]
            others = [one[number][-1]["cpu"] / one[number][0]["cpu"] for one in rounds]
            megabytes = (tenth if path != whole else whole).stat().st_size / 1e6
            seconds = median(one["seconds"] for one in results)
            lines = median(one[0][0]["seconds"] for one in rounds) / (whole.stat().st_size / 1e6)
            name = f"{way} {path.suffix}" if path.suffix in (".gz", ".xz") else way
            rows.append(
                (name, f"{n:,}" if way == "search" else "", str(processes), f"{seconds:.2f}",
                 f"{megabytes / seconds:.0f}",
                 f"{megabytes / median(one['cpu'] for one in results):.0f}",
                 f"{seconds / megabytes / lines:.1f}",
                 f"{median(one['megabytes'] for one in results):.0f}",
                 f"{results[0]['windows']:,}" if way == "search" else "",
                 f"{median(others):.2f}" if len(trees) > 1 else "")
            )  # fmt: skip
        say(f"{whole.stat().st_size / 1e6:.0f} MB; compressed files and conllu: a tenth of it")
        say(table(COLUMNS, rows))


if __name__ == "__main__":
    if sys.argv[1:2] == ["--measure"]:
        tree, way, path, pairs, processes = sys.argv[2:]
        measure_here(tree, way, Path(path), Path(pairs), int(processes))
    else:
        main()
