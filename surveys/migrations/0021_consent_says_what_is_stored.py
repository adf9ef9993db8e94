import hashlib

import django.db.models.deletion
from django.db import migrations, models

# Of the defaults in English that studies in languages without defaults have stored so far.
ENGLISH = {
    "consent": "42430dc4dfc6f58a9114a8aad828becfe5db61d4ab9c929eaee8c97d31476074",
    "instructions": "f288b420e153ece941465f70cbeecd16976e7a1b3ec92f065b8e85c0d4fb655a",
}


def name_the_language_of_defaults(apps, schema_editor):
    """Texts in other studies that were shown as English because they are the English defaults."""
    texts = apps.get_model("surveys", "StudyText").objects
    others = texts.filter(kind__in=ENGLISH).exclude(study__language__regex="^en(-|$)")
    for pk, kind, body in others.values_list("pk", "kind", "body"):
        if hashlib.sha256(body.strip().encode()).hexdigest() == ENGLISH[kind]:
            texts.filter(pk=pk).update(language="en")


class Migration(migrations.Migration):
    dependencies = [
        ("surveys", "0020_pay_and_public_titles"),
    ]

    operations = [
        migrations.CreateModel(
            name="ConsentNotice",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "digest",
                    models.CharField(help_text="SHA-256 of language and sections", max_length=64),
                ),
                ("language", models.CharField(help_text="BCP 47 tag", max_length=35)),
                ("sections", models.JSONField(help_text="sentences by the section they are in")),
                ("created_at", models.DateTimeField(auto_now_add=True)),
            ],
            options={
                "ordering": ["pk"],
            },
        ),
        migrations.AddField(
            model_name="annotator",
            name="retention_days",
            field=models.PositiveSmallIntegerField(
                blank=True,
                help_text="agreed to: most days after payment until ids and notes are dropped",
                null=True,
            ),
        ),
        migrations.AddField(
            model_name="study",
            name="ethics",
            field=models.CharField(
                blank=True,
                default="",
                help_text="ethics approval or its reference; shown to annotators",
                max_length=300,
            ),
        ),
        migrations.AddField(
            model_name="study",
            name="organisation",
            field=models.CharField(
                blank=True,
                default="",
                help_text="who runs the study; shown to annotators",
                max_length=200,
            ),
        ),
        migrations.AddField(
            model_name="studytext",
            name="language",
            field=models.CharField(
                blank=True,
                default="",
                help_text="BCP 47 tag; empty for that of the study",
                max_length=35,
            ),
        ),
        migrations.AddField(
            model_name="studytext",
            name="reviewed_at",
            field=models.DateTimeField(blank=True, null=True),
        ),
        migrations.AddField(
            model_name="studytext",
            name="reviewed_by",
            field=models.CharField(blank=True, default="", max_length=150),
        ),
        migrations.AddConstraint(
            model_name="studytext",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("reviewed_at__isnull", True), ("reviewed_by", "")),
                    models.Q(
                        models.Q(("reviewed_by", ""), _negated=True), ("reviewed_at__isnull", False)
                    ),
                    _connector="OR",
                ),
                name="text_review_has_author_and_instant",
            ),
        ),
        migrations.AddField(
            model_name="consentnotice",
            name="study",
            field=models.ForeignKey(
                db_index=False,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="notices",
                to="surveys.study",
            ),
        ),
        migrations.AddField(
            model_name="annotator",
            name="notice",
            field=models.ForeignKey(
                blank=True,
                help_text="the notice that they consented to; empty for consent before notices were stored",
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="annotators",
                to="surveys.consentnotice",
            ),
        ),
        migrations.AddConstraint(
            model_name="consentnotice",
            constraint=models.UniqueConstraint(fields=("study", "digest"), name="notice_once"),
        ),
        migrations.RunPython(name_the_language_of_defaults, migrations.RunPython.noop),
    ]
