import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("surveys", "0035_deposits"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
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
                    ("deposit", "draft of a release in a repository"),
                    ("rehearse", "a rehearsal by scripted annotators"),
                    ("compare", "comparison with another collection"),
                    ("publish", "publishing of a batch"),
                    ("fetch", "fetching of what was handed in"),
                    ("pay", "payment of a batch"),
                    ("stop", "end of a batch"),
                ],
                max_length=10,
            ),
        ),
        migrations.CreateModel(
            name="ImportedCollection",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("number", models.PositiveIntegerField(help_text="within the study, from 1")),
                ("name", models.CharField(max_length=60)),
                (
                    "kind",
                    models.CharField(
                        choices=[("people", "people"), ("model", "a language model")], max_length=10
                    ),
                ),
                (
                    "model",
                    models.CharField(
                        blank=True, default="", help_text="of a model: name", max_length=200
                    ),
                ),
                ("model_version", models.CharField(blank=True, default="", max_length=200)),
                ("prompt_sha256", models.CharField(blank=True, default="", max_length=64)),
                (
                    "rated_on",
                    models.CharField(
                        blank=True,
                        default="",
                        help_text="of a model: a day, such as 2026-05-31",
                        max_length=10,
                    ),
                ),
                (
                    "language",
                    models.CharField(
                        help_text="BCP 47 tag of the texts, such as sl", max_length=35
                    ),
                ),
                ("scale_minimum", models.DecimalField(decimal_places=2, max_digits=5)),
                ("scale_maximum", models.DecimalField(decimal_places=2, max_digits=5)),
                ("scale_step", models.DecimalField(decimal_places=2, max_digits=5)),
                ("ratings", models.TextField(help_text="tab-separated")),
                ("n_ratings", models.PositiveIntegerField()),
                ("n_annotators", models.PositiveIntegerField()),
                ("sha256", models.CharField(help_text="digest of the file", max_length=64)),
                ("imported_at", models.DateTimeField(auto_now_add=True)),
                (
                    "imported_by",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "study",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="imported_collections",
                        to="surveys.study",
                    ),
                ),
            ],
            options={
                "ordering": ["-number"],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("study", "number"), name="one_collection_a_number"
                    ),
                    models.UniqueConstraint(fields=("study", "name"), name="one_collection_a_name"),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("kind", "people"), ("model", "")),
                            models.Q(("kind", "model"), models.Q(("model", ""), _negated=True)),
                            _connector="OR",
                        ),
                        name="models_have_a_name",
                    ),
                ],
            },
        ),
    ]
