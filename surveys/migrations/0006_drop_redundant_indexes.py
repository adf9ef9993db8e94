"""Without indexes of columns with which a unique constraint begins, whose index serves as well."""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("surveys", "0005_say_why_places_close"),
    ]

    operations = [
        migrations.AlterField(
            model_name="annotator",
            name="study",
            field=models.ForeignKey(
                db_index=False,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="annotators",
                to="surveys.study",
            ),
        ),
        migrations.AlterField(
            model_name="assignment",
            name="questionnaire",
            field=models.ForeignKey(
                db_index=False,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="assignments",
                to="surveys.questionnaire",
            ),
        ),
        migrations.AlterField(
            model_name="place",
            name="questionnaire",
            field=models.ForeignKey(
                db_index=False,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="places",
                to="surveys.questionnaire",
            ),
        ),
        migrations.AlterField(
            model_name="visit",
            name="entrance",
            field=models.ForeignKey(
                db_index=False,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="visits",
                to="surveys.entrance",
            ),
        ),
    ]
