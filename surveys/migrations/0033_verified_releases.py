from django.db import migrations, models
from django.db.models import Q


class Migration(migrations.Migration):
    dependencies = [
        ("surveys", "0032_rehearsals"),
    ]

    operations = [
        migrations.AddField(
            model_name="release",
            name="verified_at",
            field=models.DateTimeField(
                blank=True,
                help_text="when its figures were last computed again; empty: never",
                null=True,
            ),
        ),
        migrations.AddField(
            model_name="release",
            name="n_figures",
            field=models.PositiveIntegerField(
                blank=True, help_text="figures that follow from its ratings", null=True
            ),
        ),
        migrations.AddField(
            model_name="release",
            name="n_differences",
            field=models.PositiveIntegerField(
                blank=True,
                help_text="places of its files that do not follow from its ratings",
                null=True,
            ),
        ),
        migrations.AddField(
            model_name="release",
            name="differences",
            field=models.JSONField(
                blank=True, default=list, help_text="the first of them: file, place, both values"
            ),
        ),
        migrations.AddConstraint(
            model_name="release",
            constraint=models.CheckConstraint(
                condition=Q(verified_at=None, n_figures=None, n_differences=None)
                | Q(verified_at__isnull=False, n_figures__isnull=False)
                & Q(n_differences__isnull=False),
                name="verified_releases_have_figures",
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
                    ("verify", "verification of a release"),
                    ("rehearse", "a rehearsal by scripted annotators"),
                    ("publish", "publishing of a batch"),
                    ("fetch", "fetching of what was handed in"),
                    ("pay", "payment of a batch"),
                    ("stop", "end of a batch"),
                ],
                max_length=10,
            ),
        ),
    ]
