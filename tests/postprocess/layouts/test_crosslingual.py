from fractions import Fraction

import pytest

from postprocess.__main__ import main
from postprocess.layouts.columns import round_half_up
from postprocess.layouts.crosslingual import CrosslingualError, ScoredPair, list_scored, make_pairs
from postprocess.layouts.published import SEMEVAL2017
from postprocess.layouts.published_set import load_set

ROWS = [  # of the specification's example: words and scores in two languages
    (("tavo", "miren", Fraction(3)), ("gal", "posk", Fraction("2.5"))),
    (("sel", "oru", Fraction(1)), ("nim", "dac", Fraction(2))),
    (("kaf", "ulo", Fraction(3, 12)), ("tem", "rus", Fraction(16, 12))),
    (("lib", "lib", Fraction(4)), ("zor", "zor", Fraction("3.75"))),
    (("pem", "hata", Fraction(25, 12)), ("vod", "kri", Fraction(32, 12))),
]


def scored(side):
    return [ScoredPair(str(row), *pair[side]) for row, pair in enumerate(ROWS, 1)]


def test_words_of_two_languages_are_combined_if_scores_are_at_most_1_apart():
    pairs = make_pairs(scored(0), scored(1))

    assert [(p.id, p.word1, p.word2, round_half_up(p.score)) for p in pairs] == [
        ("1", "tavo", "posk", "2.75"), ("1", "miren", "gal", "2.75"),
        ("2", "sel", "dac", "1.5"), ("2", "oru", "nim", "1.5"),
        ("4", "lib", "zor", "3.88"),
        ("5", "pem", "kri", "2.38"), ("5", "hata", "vod", "2.38"),
    ]  # fmt: skip
    assert pairs[-1].score == Fraction(57, 24)


def test_the_languages_may_be_exchanged():
    pairs = {(p.word1, p.word2, p.score) for p in make_pairs(scored(0), scored(1))}

    assert {(p.word2, p.word1, p.score) for p in make_pairs(scored(1), scored(0))} == pairs


def test_other_concepts_are_refused_at_the_first():
    with pytest.raises(CrosslingualError, match='row 2 has the id "2" in one language, "3" in the'):
        make_pairs(scored(0)[:2], [scored(1)[0], scored(1)[2]])
    with pytest.raises(CrosslingualError, match="5 pairs in one language, 4 in the other"):
        make_pairs(scored(0), scored(1)[:4])


def test_the_command_writes_pairs_in_an_order_by_the_seed(tmp_path, capsys):
    for side, language in enumerate(("en", "hr")):
        rows = [f"{w1}\t{w2}\t{round_half_up(s)}\n" for w1, w2, s in (row[side] for row in ROWS)]
        (tmp_path / f"{language}.test.txt").write_text("".join(rows))
        arguments = [str(tmp_path / f"{language}.test.txt"), "--out", str(tmp_path / language)]
        assert main(["load", "semeval2017", *arguments]) == 0
    folders = [str(tmp_path / "en"), str(tmp_path / "hr")]

    for seed in (1, 2):
        out = ["--seed", str(seed), "--out", str(tmp_path / str(seed))]
        assert main(["crosslingual", *folders, *out]) == 0
    written = [load_set(SEMEVAL2017, tmp_path / name) for name in "12"]

    assert "pairs     7\n" in capsys.readouterr().out
    words = [[(item["word1"], item["word2"]) for item in published.items] for published in written]
    assert words[0] != words[1]
    assert sorted(words[0]) == sorted(words[1])
    assert {(p.word1, p.word2) for p in make_pairs(scored(0), scored(1))} == {*words[0]}
    sources = (tmp_path / "1/source.tsv").read_text().splitlines()
    assert sources[0] == "id\tsource\ts\tt"
    assert {row.split("\t", 1)[1] for row in sources[1:]} >= {"5\t25/12\t8/3", "2\t1\t2"}
    assert main(["write", "semeval2017", str(tmp_path / "1"), "--out", str(tmp_path / "w")]) == 0
    assert {path.name for path in (tmp_path / "w").iterdir()} == {
        "en-hr.test.data.txt", "en-hr.test.gold.txt",
    }  # fmt: skip


def test_scores_are_the_twelfths_that_are_printed_so(tmp_path):
    (tmp_path / "items_en.tsv").write_text("id\tword1\tword2\n1\ta\tb\n2\tc\td\n")
    (tmp_path / "published.tsv").write_text("id\tscore\n1\t0.58\n2\t1.72\n")

    scores = [pair.score for pair in list_scored(load_set(SEMEVAL2017, tmp_path))]

    assert scores == [Fraction(7, 12), Fraction("1.72")]
    for row in ("1\t\n", "2\t1.72\n"):
        (tmp_path / "published.tsv").write_text(f"id\tscore\n{row}")
        with pytest.raises(CrosslingualError, match='the pair "1" has no score; load the scores'):
            list_scored(load_set(SEMEVAL2017, tmp_path))
