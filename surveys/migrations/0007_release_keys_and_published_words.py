from django.db import migrations, models

import surveys.models.results


class Migration(migrations.Migration):
    dependencies = [
        ("surveys", "0006_drop_redundant_indexes"),
    ]

    operations = [
        migrations.AddField(
            model_name="annotator",
            name="publishes_words",
            field=models.BooleanField(
                default=False, help_text="agreed to: the words they write are published"
            ),
        ),
        migrations.AddField(
            model_name="study",
            name="publishes_words",
            field=models.BooleanField(
                default=False,
                help_text="consent says that the words annotators write are published",
            ),
        ),
        migrations.AddField(
            model_name="release",
            name="key",
            field=models.CharField(
                default="", help_text="secret: decides the annotators' ids", max_length=64
            ),
            preserve_default=False,
        ),
        migrations.AlterField(
            model_name="release",
            name="key",
            field=models.CharField(
                default=surveys.models.results.make_key,
                help_text="secret: decides the annotators' ids",
                max_length=64,
            ),
        ),
    ]
