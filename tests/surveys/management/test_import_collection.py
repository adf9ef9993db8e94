import pytest
from django.core.management.base import CommandError

from surveys.models import AuditEntry, ImportedCollection
from tests.factories.imported import ratings_csv
from tests.factories.studies import make_study
from tests.surveys.management.running import run

pytestmark = pytest.mark.django_db


def test_import_collection_stores_the_ratings_of_a_model(tmp_path):
    make_study(2)
    (tmp_path / "ratings.csv").write_bytes(ratings_csv(2))
    marks = ("--kind", "model", "--model", "Parrot", "--rated-on", "2026-05-31")

    said, _ = run("import_collection", "study", tmp_path / "ratings.csv", "--name", "P", *marks)

    assert "Imported P to compare it with study study. Rated by: MODEL: Parrot. Ratings: 8" in said
    made = ImportedCollection.objects.get()
    assert (made.kind, made.rated_on) == ("model", "2026-05-31")
    assert AuditEntry.objects.get(action="collection.imported").actor == "the command line"


def test_import_collection_refuses_with_advice(tmp_path):
    make_study(2)
    (tmp_path / "ratings.csv").write_bytes(ratings_csv(2, language="fi"))
    given = ("import_collection", "study", tmp_path / "ratings.csv", "--name", "P")

    with pytest.raises(CommandError, match='language is not "en"'):
        run(*given)
    assert not ImportedCollection.objects.exists()

    said, _ = run(*given, "--language", "fi", "--scale", "0", "10", "1")
    assert "Rated by: people" in said
