from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("surveys", "0040_searches")]

    operations = [
        migrations.AlterField(
            model_name="taskjob",
            name="kind",
            field=models.CharField(
                choices=[
                    ("rescore", "scoring of all submissions again"),
                    ("finalise", "final boards"),
                    ("archive", "archive of the final boards"),
                ],
                max_length=10,
            ),
        ),
    ]
