import pytest

from postprocess.__main__ import main
from postprocess.formats.writing import write_files
from postprocess.layouts.auditing import audit_layout
from postprocess.layouts.published import LAYOUTS
from postprocess.layouts.published_set import list_ratings
from postprocess.layouts.reading import read_set
from tests.postprocess.layouts.examples import EXAMPLES, SIMLEX_HEADER, as_json, encode, item, tag

SIMLEX_ROW = "tavo\tmiren\tN\t{}\tNA\tNA\tNA\tNA\tNA\t{}\n"


def audit(name, tmp_path, files):
    write_files(encode(files), tmp_path)
    found = audit_layout(LAYOUTS[name], [tmp_path])
    assert found.n_errors == 0
    return [str(entry.finding) for entry in found.findings]


def test_a_deviation_is_possible_up_to_that_of_ratings_at_both_ends(tmp_path):
    # 15 ratings with mean 5 deviate by 5.18 at most: sqrt(15 / 14 * 5 * 5) = 5.175
    rows = [SIMLEX_ROW.format(*figures) for figures in (("5", "5.17"), ("5", "5.18"), ("0", "NA"))]

    (line,) = audit("simlex", tmp_path, {"a.txt": SIMLEX_HEADER + "".join(rows)})

    impossible = "no 15 or more ratings with the mean 5 have the deviation 5.18"
    assert line == f"row 2 (line 3), sd: {impossible}; correct one of the two"


def test_scores_of_three_raters_are_twelfths(tmp_path):
    files = {
        "en.test.data.txt": "a\tb\n" * 6, "en.test.gold.txt": "0.08\n0.09\n1\n4.0\n2.583\n2.6\n",
        "de.test.txt": "a\tb\t0.5\n" * 6, "it.test.txt": "a\tb\t0.5\n" * 5,
        "de-en.test.txt": "a\tb\t0.09\n",
    }  # fmt: skip

    assert audit("semeval2017", tmp_path, files) == [
        "row 2 (line 2), score: 0.09 is not a mean of 3 ratings in steps of 1/4; correct it",
        "row 6 (line 6), score: 2.6 is not a mean of 3 ratings in steps of 1/4; correct it",
        "5 items, but 6 in 2 other languages; a row is the same concept in all languages",
    ]


def test_lexemes_share_one_text_and_targets_have_no_space(tmp_path):
    items = [
        item(0), item(1, texts=("The tavo sang.", "One tavo.")),
        {**item(2), "lemma": "oru"}, {**item(3), "lemma": "oru"},
        {**item(4, texts=("My oru", "An oru ")), "lemma": "mir"},
        {**item(5, texts=("Else oru", "Oru oru"), places=(4, 8, 3, 7)), "lemma": "mir"},
    ]  # fmt: skip
    items[4].update(start1="3", end1="6", start2="3", end2="7")
    files = {
        "dev.en-en.data": as_json(items),
        "dev.en-en.gold": as_json([tag(n, "FTTTFT"[n]) for n in range(6)]),
    }

    assert audit("mclwic", tmp_path, files) == [
        "row 5, text2: the target begins or ends with a space; mark the word alone",
        "row 6, text1: the target begins or ends with a space; mark the word alone",
        "row 6, text2: the target begins or ends with a space; mark the word alone",
        'row 4: the items of "oru" in row 3 and here share both texts; they share one',
        'row 6: the items of "mir" in row 5 and here share no text; they share one',
        "4 items have the tag T, and 2 F; half of them each is meant",
    ]


def test_means_are_exactly_those_of_the_ratings(tmp_path):
    row = "{}\ta\tn\tb\tn\t<b> a </b>\t<b> b </b>\t{}\t{}\n"
    ratings = "\t".join(["5.0", "4.0"] * 4 + ["3.51", "3.50"])
    rows = row.format(1, "4.301", ratings) + row.format(2, "4.3", ratings)

    assert audit("scws", tmp_path, {"ratings.txt": rows}) == [
        "row 2 (line 2), score: 4.3 is not the mean of the ratings, 4.301; correct it"
    ]


def test_means_with_few_digits_are_rounded_up_or_down(tmp_path):
    # two raters: 2.5 is printed as 2 or 3, but not as 2.4; then 2.125, as 2.12 or 2.13
    scores = ("2,2,3", "3,2,3", "2.4,2,3", "2.12,2,2.25", "2.13,2,2.25", "2.14,2,2.25")
    rows = "".join(f"a,b{row},{cells}\n" for row, cells in enumerate(scores))

    assert audit("simlex", tmp_path, {"a.csv": f"word1,word2,mean,1,2\n{rows}"}) == [
        "row 3 (line 4), score: 2.4 is not the mean of the ratings, 2.5; correct it",
        "row 6 (line 7), score: 2.14 is not the mean of the ratings, 2.125; correct it",
    ]
    assert audit("simlex", tmp_path, {"a.csv": "word1,word2,1,2\na,b,2,3\n"}) == []


def test_the_summary_names_what_is_written_otherwise(tmp_path, capsys):
    path = tmp_path / "dev.data.txt"
    path.write_bytes(EXAMPLES["wic"][0]["dev.data.txt"].replace("\n", "\r\n").encode())

    assert main(["audit", "--layout", "wic", str(path)]) == 0
    assert capsys.readouterr().out == (
        "dev.data.txt\n  items         2\n"
        "  written back  dev.data.txt: lines end in LF, not CRLF or CR\n\n0 errors, 0 warnings\n"
    )


def test_files_that_cannot_be_read_are_errors(tmp_path, capsys):
    (tmp_path / "a.txt").write_text("word1\n")

    assert main(["audit", "--layout", "simlex", str(tmp_path)]) == 1
    assert "error    a.txt: missing columns: word2, POS, SimLex999" in capsys.readouterr().out
    assert main(["audit", "--layout", "simplex", str(tmp_path)]) == 2
    assert main(["audit", str(tmp_path), str(tmp_path)]) == 2
    assert capsys.readouterr().err.endswith("give one folder or file; several are for --layout\n")
    assert main(["audit", "--layout", "wic", str(tmp_path)]) == 2
    assert "no files of the layout wic" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("name", "place", "ratings"),
    [
        # 3 and 4 of A03 have the median 3.5, which is no point of the scale
        ("dwug", 0, [("1", "A04", "", "cannot judge"), ("2", "A03", "4", "")]),
        # without the rows of means
        ("usim", 0, [("1", "A03", "4", ""), ("1", "A04", "3", ""), ("2", "A03", "1", "")]),
        ("simlex", 1, [("1", "1", "8", ""), ("1", "2", "7", ""), ("2", "2", "2", "")]),
    ],
)
def test_a_person_has_one_rating_of_a_pair(name, place, ratings):
    published = read_set(LAYOUTS[name], encode(EXAMPLES[name][place]))

    assert list_ratings(published) == ratings
