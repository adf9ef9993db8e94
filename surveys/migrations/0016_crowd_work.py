import django.db.models.deletion
from django.core.management import CommandError
from django.db import migrations, models

KINDS = ("publish", "fetch", "pay", "stop")


def refuse_crowd_work(apps, schema_editor):
    """Without what they compensate for, HITs would offer places that are not there."""
    n_hits = apps.get_model("surveys", "Hit").objects.filter(compensates__isnull=False).count()
    n_runs = apps.get_model("surveys", "Run").objects.filter(kind__in=KINDS).count()
    if n_hits or n_runs:
        raise CommandError(
            f"The database cannot go back to before batches were published from here: {n_hits} "
            f"HITs that compensate and {n_runs} runs would be lost. Nothing was changed."
        )


class Migration(migrations.Migration):
    dependencies = [
        ("surveys", "0015_batches_and_payments"),
    ]

    operations = [
        migrations.AddField(
            model_name="hit",
            name="compensates",
            field=models.ForeignKey(
                blank=True,
                help_text="whose finished work it pays, instead of offering places to anybody",
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="compensations",
                to="surveys.visit",
            ),
        ),
        migrations.AlterField(
            model_name="run",
            name="kind",
            field=models.CharField(
                choices=[
                    ("results", "results to look at"),
                    ("release", "a release to publish"),
                    ("links", "personal links"),
                    ("export", "a file of the answers"),
                    ("publish", "publishing of a batch"),
                    ("fetch", "fetching of what was handed in"),
                    ("pay", "payment of a batch"),
                    ("stop", "end of a batch"),
                ],
                max_length=10,
            ),
        ),
        migrations.AddConstraint(
            model_name="hit",
            constraint=models.CheckConstraint(
                condition=models.Q(("compensates__isnull", True), ("n_places", 1), _connector="OR"),
                name="compensation_is_for_one",
            ),
        ),
        migrations.AddConstraint(
            model_name="hit",
            constraint=models.UniqueConstraint(
                condition=models.Q(("state", "closed"), _negated=True),
                fields=("compensates",),
                name="one_compensation_at_a_time",
            ),
        ),
        migrations.RunPython(migrations.RunPython.noop, refuse_crowd_work),
    ]
