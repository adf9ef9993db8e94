from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("surveys", "0042_baselines_of_phases")]

    operations = [
        migrations.AddField(
            model_name="candidateset",
            name="origin",
            field=models.JSONField(
                blank=True, default=dict, help_text="how they were found, as in origin_<lang>.json"
            ),
        ),
    ]
