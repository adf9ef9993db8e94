import os
import shutil
import subprocess
import sys
from pathlib import Path

from django.conf import settings

HAND_WRITTEN = '''
# Kept as it is.
def fill(apps, schema_editor):
    """Do nothing."""


class Migration(migrations.Migration):
'''
FIRST = "        # An extension of PostgreSQL.\n        TrigramExtension(),\n"
LAST = """        migrations.RunSQL("SELECT 1", "SELECT 2"),  # both ways
        migrations.RunPython(fill),
"""


def remake(project: Path) -> list[str]:
    done = subprocess.run(
        [sys.executable, "scripts/remake_migrations"],
        cwd=project, env={**os.environ, "VAR_DIR": str(project / "var")},
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    return done.stdout.splitlines()


def test_remake_migrations_rewrites_what_changed_and_keeps_what_is_written_by_hand(tmp_path):
    """In a copy of the project: unchanged, with a new index and operations, and once more."""
    for name in ("annotation_site", "preprocess", "postprocess", "pyproject.toml"):
        (tmp_path / name).symlink_to(settings.BASE_DIR / name)
    for name in ("surveys", "scripts"):
        shutil.copytree(settings.BASE_DIR / name, tmp_path / name)
    (tmp_path / "var").mkdir()
    (old,) = (tmp_path / "surveys/migrations").glob("0*.py")
    number = int(old.stem.rpartition("_")[2])
    assert f"surveys: {old.name} is up to date." in remake(tmp_path)

    text = old.read_text()
    head, operations = text.split("    operations = [\n")
    head = head.replace("\nclass Migration(migrations.Migration):\n", HAND_WRITTEN)
    head = f"from django.contrib.postgres.operations import TrigramExtension\n{head}"
    head = f"import surveys.money\n{head}"  # as if it had not been used since
    operations = FIRST + operations.removesuffix("    ]\n") + LAST
    old.write_text(f"{head}    operations = [\n{operations}    ]\n")
    model = tmp_path / "surveys/models/study.py"
    index = "indexes = [models.Index(fields=['title'], name='new')]"
    model.write_text(
        model.read_text().replace("class Meta:\n", f"class Meta:\n        {index}\n", 1)
    )
    new = old.with_name(f"0001_draft_{number + 1:02}.py")

    assert (
        f"surveys: wrote {new.name} in place of {old.name}; operations written by hand: 3."
    ) in remake(tmp_path)

    assert not old.exists()
    remade = new.read_text()
    assert HAND_WRITTEN in remade
    assert "surveys.money" not in remade
    assert f"    operations = [\n{FIRST}" in remade
    assert remade.endswith(f"{LAST}    ]\n")
    assert 'name="new"' in remade
    assert f"surveys: {new.name} is up to date." in remake(tmp_path)
    assert new.read_text() == remade
