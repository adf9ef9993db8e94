"""Pairs by quotas on parts of speech, concreteness, scores and antonyms."""

from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from preprocess.__main__ import main
from preprocess.pairs.reading import WordPair, load_pairs
from preprocess.pairs.sampling import QuotaError, Quotas, sample_pairs

SIMLEX = {"N": Fraction(2, 3), "V": Fraction(2, 9), "A": Fraction(1, 9)}


def simlex_like(sizes=(666, 222, 111), seed: int = 0) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    n = sum(sizes)
    return pd.DataFrame(
        {
            "word1": [f"a{number}" for number in range(n)],
            "word2": [f"b{number}" for number in range(n)],
            "pos": np.repeat(["N", "V", "A"], sizes),
            "score": rng.uniform(0, 10, n),
            "concreteness": rng.integers(1, 5, n),
            "antonym": rng.random(n) < 0.2,
        },
        index=range(1, n + 1),
    )


def draw(pairs, quotas, seed: int = 1):
    return sample_pairs(pairs, quotas, rng=np.random.default_rng(seed))


def test_a_sample_has_the_shares_that_are_asked_for():
    sampled, reached = draw(simlex_like(), Quotas(333, SIMLEX, n_bins=4))

    assert sampled["pos"].value_counts().to_dict() == {"N": 222, "V": 74, "A": 37}
    assert reached["wanted"].sum() == reached["reached"].sum() == 333
    assert (reached["wanted"] == reached["reached"]).all()
    of_nouns = reached.loc[reached["pos"] == "N", "reached"]
    assert of_nouns.max() - of_nouns.min() <= 1
    assert sampled.index.is_monotonic_increasing


def test_scores_and_antonyms_are_quotas_too():
    quotas = Quotas(60, SIMLEX, least_score=2.5, antonyms=Fraction(1, 10))
    sampled, reached = draw(simlex_like(), quotas)

    assert sampled["score"].min() >= 2.5
    assert reached.loc[reached["antonym"].eq(True), "wanted"].sum() == 6
    assert sampled["antonym"].sum() == 6


def test_other_pairs_replace_those_that_a_cell_lacks():
    pairs = simlex_like().assign(antonym=False)

    sampled, reached = draw(pairs, Quotas(50, antonyms=Fraction(1, 2)))

    assert len(sampled) == 50
    assert reached[["wanted", "reached"]].to_numpy().tolist() == [[25, 0], [25, 50]]


def test_the_same_seed_gives_the_same_sample():
    pairs, quotas = simlex_like(), Quotas(50, SIMLEX)

    first, again, other = (draw(pairs, quotas, seed)[0].index for seed in (1, 1, 2))

    assert list(first) == list(again) != list(other)


@pytest.mark.parametrize(
    ("quotas", "message"),
    [
        (Quotas(10, {"N": Fraction(1, 2)}), "add up to 1/2, not to 1"),
        (Quotas(999, SIMLEX, least_score=9), "the list has .* pairs of N, and 666 are wanted"),
        (Quotas(1000), "the list has 999 pairs, and 1,000 are wanted"),
    ],
)
def test_quotas_that_cannot_be_met_are_refused(quotas, message):
    with pytest.raises(QuotaError, match=message):
        draw(simlex_like(), quotas)


@settings(max_examples=40)
@given(number=st.integers(1, 100), n_bins=st.integers(1, 5), seed=st.integers(0, 9))
def test_a_sample_always_has_the_number_that_is_asked_for(number, n_bins, seed):
    sampled, reached = draw(simlex_like((90, 60, 40), seed), Quotas(number, SIMLEX, n_bins), seed)

    assert len(sampled) == reached["wanted"].sum() == reached["reached"].sum() == number
    assert sampled.index.is_unique


def test_the_command_writes_pairs_and_says_what_was_reached(tmp_path, capsys):
    columns = {"pos": "POS", "score": "SimLex999", "concreteness": "concQ"}
    source, out = tmp_path / "simlex.txt", tmp_path / "pairs.tsv"
    simlex_like().rename(columns=columns).to_csv(source, sep="\t", index=False)
    command = ["pairs", "sample", "--from", str(source), "--number", "90", "--out", str(out)]
    shares = ["--nouns", "2/3", "--verbs", "2/9", "--adjectives", "1/9", "--bins", "2"]

    assert main([*command, *shares, "--least-score", "1", "--antonyms", "0.1"]) == 0
    said = capsys.readouterr().out
    assert said.splitlines()[0].split() == ["pos", "bin", "antonym", "wanted", "reached"]
    lines = out.read_text(encoding="utf-8").splitlines()
    assert (lines[0], len(lines)) == ("word1\tword2", 91)

    source.write_text(source.read_text(encoding="utf-8").replace("\t4\t", "\tx\t", 1))
    assert main([*command, *shares]) == 2
    said = capsys.readouterr().err
    assert said.startswith(f"error: {source}: row ")
    assert "concQ: this is not a number; correct it" in said
    with pytest.raises(SystemExit):
        main([*command, "--nouns", "2"])
    assert "2 is not a share; write it as 2/3 or 0.25" in capsys.readouterr().err


def test_the_command_counts_a_pair_once_and_writes_words_without_spaces_around_them(
    tmp_path, capsys
):
    path, out = tmp_path / "list.tsv", tmp_path / "pairs.tsv"
    path.write_text("word1\tword2\nsea \t ship\nship\tsea\nSea\tship\nice  cream\tsun\n")
    command = ["pairs", "sample", "--from", str(path), "--out", str(out)]

    assert main([*command, "--number", "3"]) == 2
    assert "the list has 2 pairs, and 3 are wanted" in capsys.readouterr().err
    assert main([*command, "--number", "2"]) == 0

    assert "row 2 (line 3): the same pair as in row 1, read once" in capsys.readouterr().err
    assert load_pairs(out) == ([WordPair("sea", "ship"), WordPair("ice cream", "sun")], [])


def test_the_command_refuses_rows_that_are_no_pairs(tmp_path, capsys):
    path, out = tmp_path / "list.tsv", tmp_path / "pairs.tsv"
    path.write_text("word1\tword2\nsea\tship\nsun\t \nice\tIce\n")

    command = ["pairs", "sample", "--from", str(path), "--number", "1", "--out", str(out)]

    assert main(command) == 2
    said = capsys.readouterr().err
    assert "row 2 (line 3), word2: the field is empty" in said
    assert "row 3 (line 4): both words are the same" in said
    assert not out.exists()


def test_the_command_reads_the_header_of_multi_simlex(tmp_path):
    path, out = tmp_path / "list.csv", tmp_path / "pairs.tsv"
    path.write_text("ID,Word 1,Word 2,POS\n1,sea,ship,N\n2,ice,sun,V\n")

    command = ["pairs", "sample", "--from", str(path), "--number", "1", "--nouns", "1"]

    assert main([*command, "--out", str(out)]) == 0
    assert load_pairs(out) == ([WordPair("sea", "ship")], [])
