"""Ratings from files are stored beside a study, and nothing of the study reads them."""

import pytest
from django.db import IntegrityError, transaction

from postprocess.steps.recipe import parse_recipe
from surveys.errors import ImportRefused
from surveys.models import AuditEntry, ImportedCollection, Place, Run, RunKind
from surveys.monitoring.progress import count_study_progress
from surveys.results.comparisons.candidates import list_candidates
from surveys.results.comparisons.comparing import ComparisonRequest, request_comparison
from surveys.results.comparisons.importing import (
    LARGEST_FILE,
    MOST_COLLECTIONS,
    CollectionFile,
    delete_collection,
    import_collection,
    read_imported,
)
from surveys.results.export import stream_responses
from surveys.results.ratings_table import list_shortfalls, table_answers
from surveys.results.release import ReleaseOptions, release_dataset
from tests.factories.imported import OF_MODEL, import_model, rated_study, ratings_csv
from tests.factories.jobs import perform_run
from tests.factories.studies import QUICK, make_run, stored

pytestmark = [pytest.mark.django_db, pytest.mark.study(n_pairs=3)]
DIGEST = "0a" * 32


def file_of(data, **changed):
    return CollectionFile("Owls", "ratings.csv", data)._replace(**changed)


def made_of(study, folder):
    """What a study makes of the ratings of people: tables, exports, files and counts."""
    recipe, options = parse_recipe(QUICK.encode()), ReleaseOptions(has_log=True)
    with transaction.atomic():
        release_dataset(study, folder / "out", recipe, options)
        transaction.set_rollback(True)  # its log is the same the next time
    return {
        "tables": [str(table) for table in table_answers(study)],
        "ratings": table_answers(study).ratings.to_csv(),
        "responses": "".join(stream_responses(study)),
        "release": (folder / "out.zip").read_bytes(),
        "progress": count_study_progress(study),
        "notes": list_shortfalls(study),
        "places": list(Place.objects.order_by("pk").values_list()),
        "runs": list(Run.objects.exclude(kind=RunKind.COMPARE).values_list()),
    }


@pytest.mark.every_database
@pytest.mark.usefixtures("comparisons_without_plots")
def test_an_import_and_a_comparison_change_nothing_of_the_ratings_of_people(tmp_path, monkeypatch):
    monkeypatch.setattr("surveys.results.release.make_key", lambda: "k" * 64)
    monkeypatch.setattr("surveys.results.release.verify_folder", lambda folder: {})  # slow
    study = rated_study()
    before = made_of(study, tmp_path / "before")

    model = import_model(study)
    (candidate,) = list_candidates(study, None).collections
    comparison = request_comparison(study, ComparisonRequest(candidate.code), None)
    perform_run(comparison.pk)

    assert stored(comparison, "state") == ("done",)
    assert model.n_ratings == 12
    assert made_of(study, tmp_path / "after") == before


def test_import_collection_stores_ratings_without_names(study):
    made = import_collection(study, file_of(ratings_csv(group="the house of Ana")))

    ratings = read_imported(made)
    assert set(ratings["annotator"]) == {"A01", "A02"}
    assert set(ratings["group"]) == {"G01"}
    assert "Ivana" not in made.ratings + made.name
    assert ratings["rating"].tolist()[:3] == ["2", "3", "3"]
    assert (made.kind, made.n_ratings, made.n_annotators, made.number) == ("people", 12, 2, 1)
    entry = AuditEntry.objects.get(action="collection.imported")
    assert (entry.subject, entry.details["kind"]) == ("Owls", "people")


@pytest.mark.parametrize("file_name", ["Ratings.CSV", "ratings.tsv"])
def test_import_collection_reads_the_marks_of_a_model_in_the_file(study, file_name):
    data = ratings_csv(kind="model", prompt_sha256=DIGEST, **OF_MODEL)
    if file_name.endswith("tsv"):
        data = data.replace(b",", b"\t")

    made = import_collection(study, file_of(data, file_name=file_name))

    assert made.is_model
    assert (made.model, made.model_version, made.rated_on) == tuple(OF_MODEL.values())
    assert made.prompt_sha256 == DIGEST


def test_import_collection_is_idempotent(study):
    first = import_model(study)

    assert import_model(study) == first
    assert AuditEntry.objects.filter(action="collection.imported").count() == 1


REFUSED = [
    ({"data": ratings_csv(2)}, "contexts without ratings: pair 3 context 1"),
    ({"data": ratings_csv(4)}, "pair must be a whole number from 1 to 3: row 13"),
    ({"data": ratings_csv(language="fi")}, 'language is not "en"'),
    ({"data": ratings_csv(rating=9)}, "outside the scale 0–6"),
    ({"data": b"\xff\xfe"}, "the file is empty"),
    ({"data": b"x" * (LARGEST_FILE + 1)}, "at most 4,000,000"),
    ({"data": b"PAR1", "file_name": "x.parquet"}, "the file is not a Parquet file"),
    ({"file_name": "x.ods"}, "must end in .csv, .tsv, .txt, .xlsx, .parquet"),
    ({"name": " "}, "Give the collection a name"),
    ({"name": "a\nb"}, "of one line"),
    ({"language": "x y"}, "is not a language code"),
    ({"scale": (6, 0, 1)}, "must be below its maximum"),
    ({"scale": (0, 6, 0.001)}, "at most two decimals"),
    ({"scale": (0, 6, float("nan"))}, "at most two decimals"),
    ({"scale": (0, 600, 1)}, "at most 100"),
    ({"scale": (-100, 100, 0.01)}, "20,001 points"),
    ({"kind": "model"}, "does not say which model rated"),
    ({"model_version": "2"}, "give its name"),
    ({"kind": "people", "data": ratings_csv(kind="model", model="x")}, "a model rated"),
    ({"data": ratings_csv(kind=["model"] * 6 + ["people"] * 6)}, "different sources"),
]


def test_import_collection_refuses_with_advice(study):
    for changed, message in REFUSED:
        with pytest.raises(ImportRefused, match=message):
            import_collection(study, file_of(ratings_csv())._replace(**changed))

    assert not ImportedCollection.objects.exists()


def test_import_collection_refuses_the_name_of_another_file(study):
    import_model(study)

    with pytest.raises(ImportRefused, match="another collection called Parrot"):
        import_model(study, data=ratings_csv(rating=3))


def test_import_collection_refuses_more_than_a_study_can_have(study, monkeypatch):
    import_model(study)
    module = "surveys.results.comparisons.importing.MOST_COLLECTIONS"
    monkeypatch.setattr(module, 1)

    with pytest.raises(ImportRefused, match="Delete one"):
        import_model(study, name="Another")

    assert MOST_COLLECTIONS == 100


def test_import_collection_takes_another_language_and_scale(study):
    file = file_of(ratings_csv(language="fi"), language="fi", scale=(0, 12, 0.5))

    made = import_collection(study, file)

    assert stored(made, "language", "scale_maximum") == ("fi", 12)


def test_delete_collection_is_logged_and_leaves_comparisons(study):
    made = import_model(study)
    make_run(study, RunKind.COMPARE, request={"second": ["collection", 1]})

    delete_collection(made)

    assert not ImportedCollection.objects.exists()
    assert AuditEntry.objects.filter(action="collection.deleted", subject="Parrot").exists()
    assert Run.objects.comparisons().count() == 1


@pytest.mark.every_database
@pytest.mark.parametrize("wrong", [{"model": ""}, {"kind": "people"}, {"number": 2}])
def test_the_database_refuses_collections_without_a_source_or_a_name(study, wrong):
    made = import_model(study)
    if "number" not in wrong:
        with pytest.raises(IntegrityError), transaction.atomic():
            ImportedCollection.objects.filter(pk=made.pk).update(**wrong)
        return
    made.pk = None  # the same name under another number
    made.number = wrong["number"]
    with pytest.raises(IntegrityError), transaction.atomic():
        made.save()
