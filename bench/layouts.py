"""Measure how long data sets of each layout take to read and to write back.

    .venv/bin/python bench/layouts.py

Microseconds of processor time a row, for 10,000 and 100,000 rows, and their ratio, which is near 1
if the time is linear; then the rule of the second look, for ten times as many. Five minutes.
"""

import json
import time
from collections.abc import Callable

from processes import call_apart
from reporting import number, read_options, say, table

SIZES = (10_000, 100_000)
TEXT = "The tavo sang to an old miren of stone , and some more words follow"
Files = dict[str, bytes]


def make_simlex(n_rows: int) -> Files:
    """Return rows with the columns of SimLex-999."""
    header = "word1 word2 POS SimLex999 conc(w1) conc(w2) concQ Assoc(USF) SimAssoc333 SD(SimLex)"
    lines = "".join(f"tavo{n}\tmiren\tN\t4.17\t2.7\t2.81\t2\t7.2\t1\t0.4\n" for n in range(n_rows))
    return {"simlex.txt": ("\t".join(header.split()) + "\n" + lines).encode()}


def make_semeval2017(n_rows: int) -> Files:
    """Return words and scores apart."""
    words = "".join(f"tavo{n}\tmiren{n}\n" for n in range(n_rows))
    return {"en.test.data.txt": words.encode(), "en.test.gold.txt": b"2.58\n" * n_rows}


def make_wic(n_rows: int) -> Files:
    """Return tokenised texts and tags apart."""
    rows = "".join(f"tavo\tN\t1-1\t{TEXT} {n} .\t{TEXT} .\n" for n in range(n_rows))
    return {"dev.data.txt": rows.encode(), "dev.gold.txt": b"T\nF\n" * (n_rows // 2)}


def make_mclwic(n_rows: int) -> Files:
    """Return JSON lists of items and of tags."""
    ends = {"start1": "4", "end1": "8", "start2": "4", "end2": "8"}
    fixed = {"lemma": "tavo", "pos": "NOUN", "sentence1": TEXT, "sentence2": TEXT}
    items = [{"id": f"dev.en-en.{n}", **fixed, **ends} for n in range(n_rows)]
    tags = [{"id": item["id"], "tag": "T"} for item in items]
    files = {"dev.en-en.data": items, "dev.en-en.gold": tags}
    return {name: (json.dumps(rows, indent=4) + "\n").encode() for name, rows in files.items()}


def make_scws(n_rows: int) -> Files:
    """Return rows with ten ratings."""
    marked = TEXT.replace("tavo", "<b> tavo </b>")
    fields = f"tavo\tn\tmiren\tn\t{marked}\t{marked}\t4.5" + "\t5.0\t4.0" * 5
    return {"ratings.txt": "".join(f"{n}\t{fields}\n" for n in range(n_rows)).encode()}


def make_usim(n_rows: int) -> Files:
    """Return judgements by five people, without the texts."""
    rows = "".join(f"{n // 5},{n // 5 + 1},{n % 5 + 1},A{n % 5},tavo.n\n" for n in range(n_rows))
    return {"usim2ratings.csv": f"lexsub_id1,lexsub_id2,judgment,user_id,lemma\n{rows}".encode()}


def make_dwug(n_rows: int) -> Files:
    """Return judgements and uses of many lemmas."""
    uses = "lemma pos date grouping identifier description context indexes_target_token"
    judgments = "identifier1 identifier2 annotator judgment comment lemma"
    n, files = n_rows // 100, {}
    for lemma in map("tavo{}".format, range(100)):
        rows = [f"{lemma}\tn\t1950\t1\tu{k}\t \t{TEXT}\t4:8\n" for k in range(n // 5 + 2)]
        given = [f"u{k // 5}\tu{k // 5 + 1}\tA{k % 5}\t3.0\t \t{lemma}\n" for k in range(n)]
        for name, header, lines in (("uses", uses, rows), ("judgments", judgments, given)):
            text = "\t".join(header.split()) + "\n" + "".join(lines)
            files[f"{lemma}/{name}.csv"] = text.encode()
    return files


MAKERS = {name.removeprefix("make_"): make for name, make in globals().items() if "make_" in name}


def measure(of_layout: tuple[str, int]) -> float:
    """Read a data set, make the files of its folder and write it back; µs a row."""
    from postprocess.layouts.published import LAYOUTS
    from postprocess.layouts.published_set import render_set
    from postprocess.layouts.reading import read_set
    from postprocess.layouts.writing import write_set

    name, n_rows = of_layout
    files, began = MAKERS[name](n_rows), time.process_time()
    published = read_set(LAYOUTS[name], files)
    render_set(published)
    if write_set(published) != files:
        raise ValueError(name)
    return 1e6 * (time.process_time() - began) / n_rows


def measure_rule(n_ratings: int) -> float:
    """Find the ratings for a second look; µs a rating."""
    import numpy as np
    import pandas as pd

    from postprocess.statistics.disagreement import find_disagreements

    rating = np.random.default_rng(1).integers(0, 17, n_ratings) / 4
    ratings = pd.DataFrame({"pair": np.arange(n_ratings) // 3, "annotator": "", "rating": rating})
    began = time.process_time()
    find_disagreements(ratings, 1)
    return 1e6 * (time.process_time() - began) / n_ratings


def compare(label: str, act: Callable[..., float], cases: list[object]) -> list[str]:
    """Return a row: the time of each case, and the ratio of the last to the first."""
    figures = [call_apart(act, case) for case in cases]
    return [label, *map(number, figures), number(figures[-1] / figures[0])]


if __name__ == "__main__":
    read_options(__doc__)
    rows = [compare(name, measure, [(name, n) for n in SIZES]) for name in MAKERS]
    rows.append(compare("second look", measure_rule, [100_000, 1_000_000]))
    say(table(["", "µs a row", "ten times as many", "ratio"], rows))
