from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("surveys", "0041_archives_made_again")]

    operations = [
        migrations.AddField(
            model_name="phase",
            name="baselines_at",
            field=models.DateTimeField(
                blank=True, help_text="when the site submitted its baselines", null=True
            ),
        ),
    ]
