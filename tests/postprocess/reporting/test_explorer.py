"""The release explorer: every pair with its texts, intervals, distributions and ratings."""

import base64
import hashlib
import json
import re
from dataclasses import replace

import lxml.html
import numpy as np
import pandas as pd
import pytest
from scipy import stats

from postprocess.reporting import explorer
from postprocess.reporting.explorer import render_explorer
from postprocess.statistics.means import mean_intervals
from tests.factories.datasets import dataset_of
from tests.factories.ratings import simulate_study


@pytest.fixture(scope="module")
def explorer_page(dataset):
    return render_explorer(dataset)


def parse(page):
    return lxml.html.fromstring(page)


def listed(page):
    return json.loads(parse(page).get_element_by_id("ratings").text)


def test_every_pair_is_listed_with_its_texts_and_targets(dataset, explorer_page):
    pairs = parse(explorer_page).xpath("//ol[@id='pairs']/li")

    assert len(pairs) == len(dataset.rows)
    for pair, row in zip(pairs, dataset.rows, strict=True):
        texts = pair.xpath(".//p[@class='text']")
        marked = [re.sub("</?strong>", "", context) for context in row[2:4]]
        assert [text.text_content() for text in texts] == marked
        targets = [{strong.text for strong in text.xpath(".//strong")} for text in texts]
        assert targets == [set(row[4:6]), set(row[6:8])]


def test_distributions_count_the_ratings_as_given(dataset, explorer_page):
    ledger = dataset.outcome.ledger
    scale = [str(point) for point in range(7)]
    for (pair, context), given in ledger.groupby(["pair", "context"]):
        (table,) = parse_counts(explorer_page, pair, context)
        used = given["rating"][given["reason"] == ""].map("{:g}".format).value_counts()
        assert table["used"] == [str(used.get(point, "")) for point in scale]


def parse_counts(page, pair, context):
    path = f"//details[@id='pair-{pair}']//section[{context}]//table[@class='counts']"
    for table in parse(page).xpath(path):
        rows = {row.xpath("th")[0].text: row for row in table.xpath(".//tr")}
        yield {name: [cell.text or "" for cell in row.xpath("td")] for name, row in rows.items()}


def test_every_rating_is_listed_as_in_the_ledger(dataset, explorer_page):
    found = listed(explorer_page)
    rows = [
        (pair, context, found["annotators"][who], rating, calibrated, found["reasons"][why])
        for pair, contexts in enumerate(found["pairs"], 1)
        for context, ratings in enumerate(contexts, 1)
        for who, rating, calibrated, why in ratings
    ]

    columns = ["pair", "context", "annotator", "rating", "calibrated", "reason"]
    wanted = dataset.outcome.ledger[columns].astype({"annotator": str, "reason": str})
    wanted = wanted.astype(object).where(wanted.notna(), None)
    assert rows == [
        (*row[:3], *(x if x is None else round(x, 4) for x in row[3:5]), row[5])
        for row in wanted.itertuples(index=False, name=None)
    ]


def test_too_many_ratings_are_only_counted(dataset, monkeypatch):
    monkeypatch.setattr(explorer, "MOST_RATINGS", 10)

    page = render_explorer(dataset)

    assert listed(page) == {"annotators": [], "reasons": [], "pairs": []}
    assert len(parse(page).xpath("//table[@class='counts']")) == 2 * len(dataset.rows)


def test_the_page_may_run_its_own_script_and_nothing_else(explorer_page):
    policy = parse(explorer_page).xpath("//meta[@http-equiv='Content-Security-Policy']/@content")[0]
    (script,) = re.findall(r"<script>(.*?)</script>", explorer_page, re.DOTALL)
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()

    assert policy == f"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{digest}'"
    assert not re.search(r"""(src|href)=["'](?!#)""", explorer_page)


def test_names_and_texts_cannot_end_the_script_or_add_elements(dataset):
    evil = "</script><img src=x onerror=alert(1)>"
    ratings = simulate_study()
    ratings["annotator"] = ratings["annotator"].astype(str) + evil
    rows = tuple((row[0] + evil, *row[1:2], row[2] + evil, *row[3:]) for row in dataset.rows)

    page = render_explorer(replace(dataset_of(ratings), rows=rows))

    assert parse(page).xpath("//img") == []
    assert len(parse(page).xpath("//script")) == 2
    assert listed(page)["annotators"][0].endswith(evil)


def test_a_rehearsal_is_stamped(dataset):
    report = dataset.report
    counts = {**report["counts"], "ratings_scripted": 3, "annotators_scripted": 1}

    page = render_explorer(replace(dataset, report={**report, "counts": counts}))

    assert parse(page).xpath("//title")[0].text.startswith("REHEARSAL: ")
    assert "This is a rehearsal" in page


@pytest.mark.parametrize("n", [2, 5, 30])
def test_mean_intervals_equal_those_of_scipy(n):
    sample = np.random.default_rng(n).uniform(2, 8, n)
    scores = pd.DataFrame({"n2": [n], "sim2": [sample.mean()], "stdev2": [sample.std(ddof=1)]})
    wanted = stats.ttest_1samp(sample, 0).confidence_interval()

    ends = mean_intervals(scores, 2, -100, 100)

    assert ends[0] == pytest.approx([wanted.low, wanted.high])


def test_mean_intervals_end_at_the_scale_and_need_two_ratings():
    scores = pd.DataFrame({"n1": [3, 1], "sim1": [9.5, 5.0], "stdev1": [2.0, np.nan]})

    ends = mean_intervals(scores, 1, 0, 10)

    assert ends[0, 1] == 10
    assert np.isnan(ends[1]).all()
