"""What is published and what annotators see stays as it is, to the byte, unless it is announced.

A change on purpose is frozen again by the command that a failure names, and has a line in the
changelog.
"""

import io
import json
from copy import deepcopy
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from django.conf import settings as site

from postprocess.__main__ import main as postprocess
from postprocess.steps.recipe import read_recipe
from surveys.access.redaction import digest_in_study
from surveys.models import Item, Study
from surveys.recruitment.links import invite_annotators, open_entrance
from surveys.rehearsal.demo import prepare_demo_studies
from surveys.results.export import stream_responses
from surveys.results.export_parquet import stream_responses_as_parquet
from surveys.results.release import release_dataset
from surveys.study.design import configure_study, design_of
from surveys.web.api.reference import describe_api
from tests.factories.answers import answer
from tests.factories.arrivals import RIGHT, WRONG, arrive, welcome
from tests.factories.designed import QUICKLY
from tests.factories.studies import finish, make_study, make_study_of, start
from tests.frozen.texts import check_frozen, read_folder, read_texts
from tests.frozen.walking import Walk, share

DEMO = site.BASE_DIR / "demo"
OF_TEXTS = ("texts/", "description", "croissant", "SHA256SUMS")  # hold the texts of the survey
SHOWN = ("README", "of-", "data/", "gold/", "published/", "design", "ratings_")  # not as digests


def build(stimuli: Path, ratings: Path, out: Path, *options: str) -> dict[str, bytes]:
    files = ["--stimuli", str(stimuli), "--ratings", str(ratings), "--language", "sl"]
    assert postprocess(["build", *files, "--out", str(out), *options]) == 0
    return read_folder(out)


def test_build_on_the_demo_data(tmp_path):
    files = DEMO / "data_sl.tsv", DEMO / "ratings_sl.csv"

    build(*files, tmp_path / "out", "--set", "report.pdf=false")

    check_frozen("build_demo", read_texts(tmp_path / "out"))


def test_build_on_the_published_data(published, tmp_path):
    files = published / "data_sl.tsv", published / "ratings_sl.csv"
    earlier = tmp_path / "cosimlex.toml"  # without the later rule on constant ratings
    earlier.write_text(read_recipe("cosimlex").render().replace("constant_from = 5\n", ""))

    built = build(*files, tmp_path / "out", "--no-report", "--recipe", str(earlier))

    check_frozen("build_published", built)
    now = build(*files, tmp_path / "now", "--no-report")
    of_recipe = {"recipe.toml", "report.json"}
    assert {name for name in built if built[name] != now[name]} == of_recipe


def test_release_by_the_library(tmp_path):
    out = tmp_path / "out"
    files = ["--stimuli", str(DEMO / "data_sl.tsv"), "--ratings", str(DEMO / "ratings_sl.csv")]
    key = ["--key", "frozen-frozen-frozen"]
    choices = ["--language", "sl", "--practice", "2", "--no-report", "--out", str(out)]

    assert postprocess(["release", *files, *key, *choices]) == 0

    check_frozen("release_demo", read_texts(tmp_path))


@pytest.mark.usefixtures("fixed", "empty_database")
def test_release_and_export_by_the_site(tmp_path):
    study = make_study(6, language="sl", ratings_per_context=3, block_size=3)
    for rating in (0, 6, 1, 5, 2, 4, 3, 3, 2, 6, 1, 4):
        finish(start(study), rating=rating)
    out = tmp_path / "out"

    release_dataset(study, out, read_recipe("raw", ["report.pdf=false"]))

    exported = "".join(stream_responses(study))
    check_frozen("release_site", {**read_texts(out), "export_responses": exported})
    answers = io.BytesIO(b"".join(stream_responses_as_parquet(study)))
    tables = {path.name: path for path in out.glob("*.parquet")}
    schemas = {
        name: str(pq.read_schema(table).remove_metadata())
        for name, table in {**tables, "answers.parquet": answers}.items()
    }
    check_frozen("columns", {**schemas, "answers.csv": exported.partition("\n")[0]})


@pytest.mark.usefixtures("fixed", "empty_database")
@pytest.mark.parametrize(("subject", "name"), [("words", "simlex"), ("texts", "mclwic")])
def test_release_of_items_with_one_context(subject, name, tmp_path):
    study = make_study_of(name, 6, slug=f"of-{subject}", ratings_per_context=3, block_size=3)
    for number in range(6):
        answer(start(study), opposes=number % 3 == 2)
    out, recipe = tmp_path / "out", design_of(study).as_recipe(QUICKLY)

    release_dataset(study, out, recipe)

    shown = {path: text for path, text in read_texts(out).items() if path.startswith(SHOWN)}
    files = {**read_folder(out), **shown}
    outputs = {path: file for path, file in files.items() if not path.startswith(OF_TEXTS)}
    check_frozen(f"release_{subject}", outputs)


@pytest.mark.usefixtures("fixed", "empty_database")
def test_blocks_of_the_demo_studies():
    laid_out = {}
    for study in prepare_demo_studies():
        items = Item.objects.filter(questionnaire__block__study=study).order_by("pk")
        rows = items.values_list(
            "questionnaire__block__number", "questionnaire__letter", "context__pair__position",
            "context__number",
        )  # fmt: skip
        laid_out[study.slug] = "\n".join(" ".join(map(str, row)) for row in rows)

    check_frozen("blocks", laid_out)


@pytest.mark.usefixtures("fixed", "empty_database")
def test_annotator_pages_of_the_demo_studies():
    pages: dict[str, str | bytes] = {}
    for study in prepare_demo_studies():
        pages |= walk_through(configure_study(study, n_check_tries=2, allows_unjudgeable=True))

    check_frozen("pages", share(pages))


def walk_through(study: Study) -> dict[str, str | bytes]:
    """Return the pages of annotators of a study: those of each way to its end."""
    walk = Walk(study.slug)
    walk.get("/")
    one, another = (welcome(link) for link in invite_annotators(study, 2))
    walk.post(one, answer="decline")
    begun = walk.post(one, answer="agree")["Location"]
    step = walk.get(begun)["Location"]
    walk.get(step)
    if walk.client.get(begun)["Location"] == step:
        walk.post(step)
    refuse_what_is_wrong(walk, begun)
    last = walk.follow(begun, RIGHT)
    top = last.removesuffix("thanks/")
    for page in ("instructions/", "withdraw/", "kept/", "1/words/", "1/rating/"):
        walk.get(f"{top}{page}")
    begun = walk.post(another, answer="agree")["Location"]
    walk.post(f"{begun}withdraw/")
    walk.post(f"{begun}withdraw/", confirmed="yes")
    walk.get(f"{begun}ended/")
    walk.get(another)
    walk.get(arrive(open_entrance(study, "link")).split("?")[0])
    walk.get("/invitation/nothing/")
    return walk.pages


def refuse_what_is_wrong(walk: Walk, begun: str) -> None:
    """Send each form of the introduction empty or wrong."""
    walk.post(f"{begun}practice/")
    walk.post(f"{begun}practice/rating/")
    walk.post(f"{begun}practice/answer/?item=2")
    walk.post(f"{begun}check/", **WRONG)
    walk.post(f"{begun}check/", **RIGHT)
    walk.post(f"{begun}1/words/")
    walk.post(f"{begun}1/words/", inspired_word1="one", inspired_word2="one")
    walk.post(f"{begun}1/words/", inspired_word1="mountain", inspired_word2="river")
    walk.post(f"{begun}1/rating/")


@pytest.mark.needs("sharedtasks", "crowd", "contexts")
def test_description_of_the_api():
    described = deepcopy(describe_api())  # which other tests read, too
    schemas = described["components"].pop("schemas")
    parts = {**described.pop("paths"), **schemas, "about": described}

    check_frozen("api", {name: write_json(part) for name, part in parts.items()})


def write_json(part: object) -> str:
    return json.dumps(part, sort_keys=True, indent=1)


def test_digests_in_place_of_ids(settings):
    settings.SECRET_KEY = "frozen"

    check_frozen("ids", {"worker": digest_in_study(1, "worker", "5f0c0ffee")})
