from collections import Counter

import django.db.models.deletion
from django.db import migrations, models
from django.db.models import OuterRef, Subquery

NOUNS = {"results": "run"}  # others are called by their kind
ROWS_AT_ONCE = 2000


def check_references_at_once(apps, schema_editor):
    """PostgreSQL alters no table whose rows wait to be checked at the end of the transaction."""
    if schema_editor.connection.vendor == "postgresql":
        schema_editor.execute("SET CONSTRAINTS ALL IMMEDIATE")


def number_what_is_there(apps, schema_editor):
    """Number everything in the order of its creation, a release like the run that made it."""
    Run, Release, Batch, Entrance = (
        apps.get_model("surveys", name) for name in ("Run", "Release", "Batch", "Entrance")
    )
    entrances = Entrance.objects.filter(pk=OuterRef("entrance"))
    Batch.objects.update(study=Subquery(entrances.values("study")[:1]))
    _number(Batch.objects.values_list("study", "created_at", "pk"), Batch)
    for kind in Run.objects.exclude(kind="release").values_list("kind", flat=True).distinct():
        _number(Run.objects.filter(kind=kind).values_list("study", "requested_at", "pk"), Run)
    asked = Run.objects.filter(kind="release").values_list("study", "requested_at", "pk")
    by_command = Release.objects.filter(run=None).values_list("study", "created_at", "pk")
    last = Counter()
    in_order = [(*row, True) for row in asked] + [(*row, False) for row in by_command]
    for study, _, pk, is_run in sorted(in_order):
        last[study] += 1
        if is_run:
            Run.objects.filter(pk=pk).update(number=last[study])
        made = Release.objects.filter(run=pk) if is_run else Release.objects.filter(pk=pk)
        made.update(number=last[study])


def _number(rows, model):
    last = Counter()
    for study, _, pk in sorted(rows):
        last[study] += 1
        model.objects.filter(pk=pk).update(number=last[study])


def name_by_numbers_in_log(apps, schema_editor):
    """Let the log name everything as pages do now: an id would be taken for a number."""
    _rename_in_log(apps, {(study, old): new for study, old, new in _list_names(apps)})


def name_by_ids_in_log(apps, schema_editor):
    """Undo `name_by_numbers_in_log`."""
    _rename_in_log(apps, {(study, new): old for study, old, new in _list_names(apps)})


def _list_names(apps):
    """What the log called each thing and calls it now, by study."""
    Run, Release, Batch = (apps.get_model("surveys", n) for n in ("Run", "Release", "Batch"))
    for study, pk, kind, number in Run.objects.values_list("study", "pk", "kind", "number"):
        yield study, f"run {pk}", f"{NOUNS.get(kind, kind)} {number}"
    for study, pk, number in Batch.objects.values_list("study", "pk", "number"):
        yield study, f"batch {pk}", f"batch {number}"
    for study, pk, number in Release.objects.values_list("study", "pk", "number"):
        yield study, pk, number  # as numbers, in the details of an erasure


def _rename_in_log(apps, names):
    entries = apps.get_model("surveys", "AuditEntry").objects
    for entry in entries.exclude(study=None).iterator(chunk_size=ROWS_AT_ONCE):
        name, of, study = entry.subject.partition(" of ")
        subject, details = names.get((entry.study_id, name), name) + of + study, entry.details
        if "in_releases" in details:
            releases = [names.get((entry.study_id, one), one) for one in details["in_releases"]]
            details = {**details, "in_releases": releases}
        if (subject, details) != (entry.subject, entry.details):
            entries.filter(pk=entry.pk).update(subject=subject, details=details)


class Migration(migrations.Migration):
    dependencies = [
        ("surveys", "0017_mark_what_is_filed"),
    ]

    operations = [
        migrations.RunPython(check_references_at_once, migrations.RunPython.noop),
        migrations.AddField(
            model_name="run",
            name="number",
            field=models.PositiveIntegerField(
                help_text="within the study and the kind, from 1", null=True
            ),
        ),
        migrations.AddField(
            model_name="release",
            name="number",
            field=models.PositiveIntegerField(null=True),
        ),
        migrations.AddField(
            model_name="batch",
            name="number",
            field=models.PositiveIntegerField(null=True),
        ),
        migrations.AddField(
            model_name="batch",
            name="study",
            field=models.ForeignKey(
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="batches",
                to="surveys.study",
            ),
        ),
        migrations.RunPython(number_what_is_there, migrations.RunPython.noop),
        migrations.RunPython(name_by_numbers_in_log, name_by_ids_in_log),
        migrations.AlterField(
            model_name="run",
            name="number",
            field=models.PositiveIntegerField(help_text="within the study and the kind, from 1"),
        ),
        migrations.AlterField(
            model_name="release",
            name="number",
            field=models.PositiveIntegerField(
                help_text="within the study, from 1; that of the run which made it"
            ),
        ),
        migrations.AlterField(
            model_name="batch",
            name="number",
            field=models.PositiveIntegerField(help_text="within the study, from 1"),
        ),
        migrations.AlterField(
            model_name="batch",
            name="study",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.PROTECT,
                related_name="batches",
                to="surveys.study",
            ),
        ),
        migrations.AddConstraint(
            model_name="run",
            constraint=models.UniqueConstraint(
                fields=("study", "kind", "number"), name="one_run_a_number"
            ),
        ),
        migrations.AddConstraint(
            model_name="release",
            constraint=models.UniqueConstraint(
                fields=("study", "number"), name="one_release_a_number"
            ),
        ),
        migrations.AddConstraint(
            model_name="batch",
            constraint=models.UniqueConstraint(
                fields=("study", "number"), name="one_batch_a_number"
            ),
        ),
        migrations.RunPython(migrations.RunPython.noop, check_references_at_once),
    ]
