"""The sources of contexts in a release."""

import json

import pytest

from postprocess.release.sources import parse_sources
from postprocess.steps.recipe import read_recipe
from surveys.contexts.choices import Chosen, record_choice
from surveys.contexts.stimuli import use_as_stimuli
from surveys.models import StimuliOrigin, Study
from surveys.results.release import ReleaseOptions, release_dataset
from surveys.study.stimuli.edit import drop_row, read_upload, replace_stimuli, revise_row
from surveys.study.stimuli.load import fingerprint_row, write_row
from surveys.study.stimuli.sources import read_origin, read_sources
from tests.factories.datasets import LITTLE_CHANCE
from tests.factories.selections import make_draft
from tests.factories.studies import finish, make_study, numbered_stimuli, open_draft, start

pytestmark = [pytest.mark.django_db, pytest.mark.study(of="opened_choices")]


@pytest.fixture
def opened_choices(ana) -> Study:
    draft = make_draft(ana)
    draft.candidate_pairs.get(number=2).candidates.filter(number=1).update(
        licence="", title="A *star*", url="javascript:alert(1)"
    )
    edited = "Story 2 had an <strong>alpha2</strong> here. Then a <strong>beta2</strong> came."
    for number, chosen in ((1, Chosen(1, 2)), (2, Chosen(1, 2, texts={2: edited}))):
        record_choice(draft.candidate_pairs.get(number=number), ana, chosen)
    return open_draft(use_as_stimuli(draft))


def make_release(study, folder, **options):
    for rating in (1, 5, 2, 4):
        finish(start(study), rating=rating)
    recipe = read_recipe("cosimlex", [*LITTLE_CHANCE, "report.pdf=false"])
    return release_dataset(study, folder, recipe, ReleaseOptions(**options))


def test_sources_are_those_of_the_candidates_chosen(study):
    found = read_sources(study)

    assert [one[:3] for one in found] == [
        (1, 1, "w1-1"), (1, 2, "w1-2"), (2, 1, "w2-1"), (2, 2, "w2-2"),
    ]  # fmt: skip
    assert found[3][3:14] == (
        "corpus.conllu", "story2", "6", "8", "s2", "s4", "Story 2", "https://example.org/2", "7",
        "CC0-1.0", "yes",
    )  # fmt: skip
    assert [one.edited for one in found] == ["", "", "", "yes"]
    assert read_sources(make_study(1, slug="other")) == ()


def row_of(pair):
    return write_row(pair.study, pair)


def test_sources_follow_the_changes_of_a_draft(ana):
    draft = make_draft(ana)
    for pair in draft.candidate_pairs.all():
        record_choice(pair, ana, Chosen(1, 2))
    first, second = use_as_stimuli(draft).pairs.order_by("position")

    row = row_of(second)
    shorter = {**row, "context2": "An <strong>alpha2</strong> and a <strong>beta2</strong>."}
    revise_row(second, shorter, shown=fingerprint_row(row), reason="too long")
    drop_row(first, shown=fingerprint_row(row_of(first)), reason="a name")

    assert [(*source[:3], source.edited) for source in read_sources(draft)] == [
        (1, 1, "w2-1", ""), (1, 2, "w2-2", "yes"),
    ]  # fmt: skip


def test_other_stimuli_have_no_sources(ana):
    draft = make_draft(ana)
    record_choice(draft.candidate_pairs.first(), ana, Chosen(1, 2))
    use_as_stimuli(draft)
    StimuliOrigin.objects.update(origin={"seed": 5})

    replace_stimuli(draft, read_upload(numbered_stimuli(1), draft))

    assert (read_sources(draft), read_origin(draft)) == ((), {})


def test_a_release_lists_the_sources(study, tmp_path):
    release = make_release(study, tmp_path / "out")

    attribution = (tmp_path / "out/ATTRIBUTION.md").read_text(encoding="utf-8")
    assert release.is_confirmed
    assert parse_sources((tmp_path / "out/sources_en.tsv").read_bytes(), 2) == read_sources(study)
    assert "- A \\*star\\*, javascript:alert(1), revision 7: pair 2 (context 1)" in attribution
    assert "edited lightly: pair 2 (context 2)" in attribution
    derived = json.loads((tmp_path / "out/croissant.json").read_text(encoding="utf-8"))
    assert "Story 2" in {one["prov:label"] for one in derived["prov:wasDerivedFrom"]}


def test_a_release_says_how_the_texts_were_found(study, tmp_path):
    origin = {"version": "1.0", "seed": 5, "more": [{"pair": ["alpha1", "beta1"]}]}
    StimuliOrigin.objects.update(origin=origin)

    release = make_release(study, tmp_path / "out")

    assert release.is_confirmed
    published = (tmp_path / "out/origin_en.json").read_text(encoding="utf-8")
    assert json.loads(published) == origin
    assert read_origin(make_study(1, slug="other")) == {}


def test_a_release_can_withhold_texts_of_an_unknown_licence(study, tmp_path):
    release = make_release(study, tmp_path / "out", withholds_unknown=True)

    data = (tmp_path / "out/data/data_en.tsv").read_text(encoding="utf-8")
    assert release.is_confirmed
    assert "Xxxxx 0 xxx xx <strong>alpha2</strong>" in data
    assert "Story 1 has an" in data
    assert (tmp_path / "out/rebuild.py").exists()


def test_the_form_of_a_release_offers_to_mask_texts_of_unknown_licences(study, client, ana):
    client.force_login(ana)
    for rating in (1, 5, 2, 4):
        finish(start(study), rating=rating)
    page = f"/console/studies/{study.slug}/release/"
    field = 'name="withholds_unknown"'

    assert field in client.get(page).content.decode()

    stored = study.stimuli_origin
    for source in stored.sources.values():
        source["licence"] = "CC0-1.0"
    stored.save()
    assert field not in client.get(page).content.decode()
