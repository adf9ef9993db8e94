"""The pairs of a run: table and page, against loops over the ratings."""

import gzip
from statistics import fmean, stdev

import pytest
from django.db import transaction
from django.test import override_settings
from django.urls import reverse
from lxml import html
from scipy import stats

from surveys.models import Annotator, Context, Pair, Response, VerdictKind
from surveys.privacy.erasure import erase_annotator
from surveys.results.inspection import pairs
from surveys.results.run_inspection import read_member
from surveys.results.runs import request_results
from surveys.review.queue import file_answers
from surveys.review.verdicts import give_verdict
from surveys.study.design import configure_study
from tests.factories.jobs import perform_run
from tests.factories.reviews import reviewer, whole
from tests.factories.studies import QUICK, finish, make_study, rate_due, start

pytestmark = pytest.mark.study(of="rated_run")

N_PAIRS = 60
CALIBRATED = QUICK.replace("[calibration]\nenabled = false", "[calibration]\nenabled = true")


@pytest.fixture(scope="module")
def rated_run(django_db_setup, django_db_blocker, tmp_path_factory):
    """A run on a study in which context 1 of each pair is rated by its row, context 2 always 3.

    Created once; changes by a test are rolled back.
    """
    files = tmp_path_factory.getbasetemp() / "files"
    with django_db_blocker.unblock(), transaction.atomic(), override_settings(MEDIA_ROOT=files):
        study = make_study(N_PAIRS, block_size=N_PAIRS)
        for _ in range(4):
            finish(start(study))
        for pair in Pair.objects.all():
            first = Response.objects.filter(pair=pair, context__number=1).order_by("pk")
            for n, response in enumerate(first):
                Response.objects.filter(pk=response.pk).update(rating=(pair.position + n) % 7)
        yield perform(study)
        transaction.set_rollback(True)


def perform(study, recipe=QUICK):
    run = request_results(study, recipe, None)
    perform_run(run.pk)
    run.refresh_from_db()
    assert run.state == "done", run.error
    return run


def address(run, *pair):
    name = "console:pair" if pair else "console:pairs"
    return reverse(name, args=[run.study.slug, run.pk, *pair])


def read(answer):
    assert answer.status_code == 200, answer.status_code
    return html.document_fromstring(answer.content)


def list_pairs(client, run, **wanted):
    """Return the numbers of the pairs on all pages of the table."""
    numbers, n_pages = [], 1
    while True:
        page = read(client.get(address(run), {**wanted, "page": n_pages}))
        rows = page.xpath("//table[contains(@class, 'pairs')]/tbody/tr[th]")
        numbers += [int(row.xpath("string(td[1])")) for row in rows]
        if not page.xpath("//a[@rel='next']"):
            return numbers
        n_pages += 1


def ratings_of(pair, number):
    """Return the ratings of a context on the published scale from 0 to 10."""
    given = Response.objects.filter(pair__position=pair, context__number=number)
    return [float(rating) * 10 / 6 for rating in given.values_list("rating", flat=True)]


def change_of(pair):
    return fmean(ratings_of(pair, 2)) - fmean(ratings_of(pair, 1))


def test_the_table_has_the_figures_of_each_pair(rated_run, researcher):
    page = read(researcher.get(address(rated_run)))

    rows = page.xpath("//table[contains(@class, 'pairs')]/tbody/tr")
    assert len(rows) == 50
    for number, row in enumerate(rows, 1):
        cells = [" ".join(cell.text_content().split()) for cell in row]
        means = [fmean(ratings_of(number, context)) for context in (1, 2)]
        deviations = [stdev(ratings_of(number, context)) for context in (1, 2)]
        assert cells[0:2] == [str(number), f"alpha{number} · beta{number}"]
        assert [float(cell) for cell in cells[3:5]] == pytest.approx(means, abs=0.0051)
        change = float(cells[5].replace("−", "-"))
        assert change == pytest.approx(means[1] - means[0], abs=0.0051)
        assert [float(part) for part in cells[7].split(" · ")] == pytest.approx(
            deviations, abs=0.0051
        )
        assert cells[8] == "2 · 2"
    circles = rows[0].xpath(".//circle/@cx")
    assert [float(at.strip("%")) for at in circles] == pytest.approx(
        [10 * fmean(ratings_of(1, context)) for context in (1, 2)], abs=0.01
    )


@pytest.mark.parametrize(
    ("order", "key"),
    [
        ("number", lambda pair: pair),
        ("-number", lambda pair: -pair),
        ("score1", lambda pair: (round(fmean(ratings_of(pair, 1)), 6), pair)),
        ("-score1", lambda pair: (-round(fmean(ratings_of(pair, 1)), 6), pair)),
        ("change", lambda pair: (round(change_of(pair), 6), pair)),
        ("-size", lambda pair: (-round(abs(change_of(pair)), 6), pair)),
        ("word", lambda pair: f"alpha{pair} beta{pair}"),
    ],
)
def test_pairs_are_sorted(order, key, rated_run, researcher):
    expected = sorted(range(1, N_PAIRS + 1), key=key)

    assert list_pairs(researcher, rated_run, order=order) == expected


def test_pairs_are_filtered_and_searched(rated_run, researcher):
    numbers = range(1, N_PAIRS + 1)
    rising = [pair for pair in numbers if change_of(pair) > 1e-9]
    falling = [pair for pair in numbers if change_of(pair) < -1e-9]

    assert rising
    assert falling
    assert list_pairs(researcher, rated_run, direction="2") == rising
    assert list_pairs(researcher, rated_run, direction="1") == falling
    assert list_pairs(researcher, rated_run, word="ÁLPHA12") == [12]
    assert list_pairs(researcher, rated_run, word="beta5", direction="1") == [
        pair for pair in falling if str(pair).startswith("5")
    ]
    assert list_pairs(researcher, rated_run, change="q") == []
    assert list_pairs(researcher, rated_run, ratings="few") == []
    assert (
        "No pair matches" in researcher.get(address(rated_run), {"word": "gamma"}).content.decode()
    )


@pytest.mark.usefixtures("figures_rendered_once")
def test_pairs_with_few_ratings_are_found(study, researcher):
    configure_study(study, ratings_per_context=3)
    assignment = start(study)
    while assignment.responses.filter(rating=None).exists():
        rate_due(assignment, 3)
    letter = assignment.questionnaire.letter
    full = Context.objects.filter(item__questionnaire__letter=letter)
    run = perform(study)

    few = list_pairs(researcher, run, ratings="few")

    assert full.count() == N_PAIRS
    assert few == list(range(1, N_PAIRS + 1))  # one context of each has two


@pytest.mark.parametrize(
    "query",
    [
        {"order": "name"},
        {"change": "p"},
        {"direction": "3"},
        {"ratings": "1"},
        {"word": "x" * 61},
        {"word": "a\0b"},
        {"word": "\ufffd"},
    ],
)
def test_invalid_filters_are_refused(query, rated_run, researcher):
    for where in (address(rated_run), address(rated_run, 3)):
        assert researcher.get(where, query).status_code == 422


@pytest.mark.parametrize("page", ["0", "x", "99999"])
def test_other_pages_are_the_first_or_last(page, rated_run, researcher):
    assert researcher.get(address(rated_run), {"page": page}).status_code == 200


def test_column_headers_sort_and_keep_the_filter(rated_run, researcher):
    page = read(researcher.get(address(rated_run), {"word": "beta", "order": "-size", "page": 2}))

    (header,) = page.xpath("//th[@aria-sort]")
    assert (header.text_content().strip().split()[0], header.get("aria-sort")) == (
        "Change", "descending",
    )  # fmt: skip
    links = [link.get("href") for link in page.xpath("//table//thead//a")]
    assert links[4] == "?word=beta&order=size"
    assert "?word=beta&order=q" in links


def test_the_page_of_a_pair_has_every_rating(rated_run, researcher):
    page = read(researcher.get(address(rated_run, 12)))

    assert page.xpath("//h1")[0].text_content().split() == ["alpha12", "·", "beta12"]
    texts = page.xpath("//blockquote")
    contexts = Context.objects.filter(pair__position=12).order_by("number")
    for text, context in zip(texts, contexts, strict=True):
        assert text.text_content().strip() == context.text
        assert {bold.text for bold in text.xpath(".//strong")} == {"alpha12", "beta12"}
    rows = page.xpath("//table[contains(@class, 'ratings')]//tr[td]")
    shown = {
        row.xpath("string(th)").strip(): [" ".join(c.text_content().split()) for c in row[1:]]
        for row in rows
    }
    stored = Response.objects.filter(pair__position=12).select_related("annotator")
    assert shown == {
        r.annotator.code: [
            f"1{r.assignment.questionnaire.letter}",
            f"{r.rating:.0f}", f"{r.rating:.0f}", "", "sea, salt",
        ]
        for r in stored
    }  # fmt: skip
    links = page.xpath("//a/@href")
    assert reverse("console:context", args=["study", 12, 2]) in links
    assert reverse("console:block", args=["study", 1]) in links
    for response in stored:
        annotator = reverse("console:annotator", args=["study", response.annotator.code])
        where = f"{annotator}?assignment={response.assignment_id}"
        assert where in links
        assert researcher.get(where).status_code == 200


@pytest.mark.usefixtures("figures_rendered_once")
def test_histograms_count_ratings_before_and_after(study, researcher):
    ratings = {1: [0, 1], 2: [6, 6]}
    for number, given in ratings.items():
        rows = Response.objects.filter(pair__position=7, context__number=number).order_by("pk")
        for response, rating in zip(rows, given, strict=True):
            Response.objects.filter(pk=response.pk).update(rating=rating)
    run = perform(study, CALIBRATED)

    page = read(researcher.get(address(run, 7)))

    counts = [
        [int("0" + cell.text_content()) for cell in table.xpath("tbody/tr[1]/td")]
        for table in page.xpath("//figure//table")
    ]
    used_as = [
        [float(row.xpath("string(td[3])")) for row in body.xpath("tr[td]")]
        for body in page.xpath("//table[contains(@class, 'ratings')]/tbody")
    ]
    assert counts[0] == [1, 1, 0, 0, 0, 0, 0]
    assert counts[2] == [0, 0, 0, 0, 0, 0, 2]
    for after, values in zip((counts[1], counts[3]), used_as, strict=True):
        assert after == [sum(int(x + 0.5) == point for x in values) for point in range(7)]
        assert sum(after) == 2


@pytest.mark.usefixtures("figures_rendered_once")
def test_ratings_left_out_are_shown_with_the_reason(study, researcher):
    file_answers(study)
    rejected = whole(study)
    give_verdict(rejected, reviewer(study), VerdictKind.REJECTED, "at random")
    strict = QUICK.replace("rejected_engagement = false", "rejected_engagement = true")
    run = perform(study, strict)

    page = read(researcher.get(address(run, 1)))

    (row,) = page.xpath(f"//tr[th//a[contains(., '{rejected.assignment.annotator.code}')]]")
    assert row.xpath("string(td[3])") == "–"
    assert row.xpath("string(td[4])").strip() == "engagement rejected"
    assert "(marked" not in page.text_content()
    assert (
        "+1" in page.xpath("//figure")[0].text_content() + page.xpath("//figure")[2].text_content()
    )


def test_words_of_erased_annotators_are_not_shown(study, rated_run, researcher):
    gone = Annotator.objects.order_by("pk").first()
    erase_annotator(gone, "asked by mail")

    page = read(researcher.get(address(rated_run, 2)))

    (row,) = page.xpath(f"//tr[th[contains(., '{gone.code}')]]")
    assert row.xpath("string(td[last()])").strip() == "–"
    assert page.text_content().count("sea") == 3
    assert "withdrew or was" in " ".join(page.text_content().split())


def test_a_pair_shows_the_interval_of_its_change(rated_run, researcher):
    page = read(researcher.get(address(rated_run, 3)))

    change = page.xpath("//dt[text()='Change']/following-sibling::dd")[0]
    figure, interval = change.text.strip(), change.xpath("string(span)")
    first = ratings_of(3, 1)  # context 2 is always rated 3, so it adds no error
    low, high = stats.t.interval(0.95, len(first) - 1, change_of(3), stats.sem(first))
    shown = [float(end.replace("−", "-")) for end in (figure.lstrip("+"), *interval.split(" to "))]
    assert shown == pytest.approx([change_of(3), max(-10, low), min(10, high)], abs=0.0051)
    assert "intervals over annotators" in " ".join(page.text_content().split())


def test_pairs_of_a_run_of_an_earlier_version_have_intervals_of_the_means(rated_run, monkeypatch):
    def read_older(run, name):
        return None if name == "intervals.tsv" else read_member(run, name)

    of_now = pairs.load_pairs(rated_run)
    monkeypatch.setattr(pairs, "read_member", read_older)
    monkeypatch.setattr(pairs, "digest_run", lambda run: "earlier-version")

    table = pairs.load_pairs(rated_run)

    assert (table.is_over_annotators, of_now.is_over_annotators) == (False, True)
    one, same = (found.show([3])[0].sides[0] for found in (table, of_now))
    assert (one.low, one.high) == pytest.approx((same.low, same.high))  # the recipe has no steps


def test_neighbours_follow_the_order_and_the_filter(rated_run, researcher):
    order = list_pairs(researcher, rated_run, order="-size", direction="2")
    query = {"direction": "2", "order": "-size"}

    page = read(researcher.get(address(rated_run, order[1]), query))

    (before,), (after,) = (page.xpath(f"//a[@rel='{rel}']/@href") for rel in ("prev", "next"))
    assert before == f"{address(rated_run, order[0])}?direction=2&order=-size"
    assert after == f"{address(rated_run, order[2])}?direction=2&order=-size"
    first = read(researcher.get(address(rated_run, order[0]), query))
    assert not first.xpath("//a[@rel='prev']")


@pytest.mark.parametrize("number", [0, N_PAIRS + 1, 2**63])
def test_unknown_pairs_are_not_found(number, rated_run, researcher):
    assert researcher.get(address(rated_run, number)).status_code == 404


def test_runs_without_results_have_no_pairs(study, researcher):
    run = request_results(study, QUICK, None)

    assert researcher.get(address(run)).status_code == 404
    assert researcher.get(address(run, 1)).status_code == 404


def test_queries_do_not_grow_with_pairs_and_ratings(
    rated_run, researcher, django_assert_max_num_queries
):
    researcher.get(address(rated_run))

    with django_assert_max_num_queries(5):
        researcher.get(address(rated_run))
    with django_assert_max_num_queries(7):
        researcher.get(address(rated_run, 1))


def test_the_page_of_a_run_has_its_largest_changes(rated_run, researcher):
    page = read(researcher.get(reverse("console:run", args=["study", rated_run.pk])))

    rows = page.xpath("//table[contains(@class, 'pairs')]/tbody/tr")
    numbers = [int(row.xpath("string(td[1])")) for row in rows]
    assert numbers == list_pairs(researcher, rated_run, order="-size")[:10]


def test_plots_have_captions_and_files(rated_run, researcher):
    page = read(researcher.get(reverse("console:plots", args=["study", rated_run.pk])))

    links = page.xpath("//figure//a/@href")
    assert len(page.xpath("//figure[figcaption]")) == 5
    assert len(links) == 15
    kinds = {
        researcher.get(link).headers["Content-Type"].partition(";")[0]: link.rsplit("/", 2)[1]
        for link in links
    }
    assert kinds == {"image/svg+xml": "svg", "image/png": "png", "text/csv": "csv"}
    assert page.xpath("//figure//img/@src") == links[::3]
    data = researcher.get(links[2])
    assert 'filename="study-run-1-change-against-p.csv"' in data["Content-Disposition"]
    assert data.content.decode().splitlines()[1].startswith("1,alpha1,beta1,")
    over_time = researcher.get(links[11]).content.decode().splitlines()
    assert sum(int(line.split(",")[1]) for line in over_time[1:]) == 4 * N_PAIRS


def test_a_plot_is_sent_compressed(rated_run, researcher):
    where = reverse("console:plot", args=["study", rated_run.pk, "calibration", "svg"])

    plain, packed = researcher.get(where), researcher.get(where, HTTP_ACCEPT_ENCODING="gzip")

    assert gzip.decompress(packed.content) == plain.content
    assert len(packed.content) < len(plain.content) / 2


@pytest.mark.parametrize(
    ("plot", "form"), [("agreement", "pdf"), ("none", "svg"), ("index", "json")]
)
def test_unknown_plots_are_not_found(plot, form, rated_run, researcher):
    where = reverse("console:plot", args=["study", rated_run.pk, plot, form])

    assert researcher.get(where).status_code == 404


def test_a_run_without_plots_says_so(rated_run, researcher, monkeypatch):
    monkeypatch.setattr("surveys.results.inspection.plots.INDEX", "plots/none.json")

    page = researcher.get(reverse("console:plots", args=["study", rated_run.pk])).content.decode()

    assert "made before runs had plots" in page
