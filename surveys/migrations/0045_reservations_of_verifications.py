from django.db import migrations, models

UNVERIFIED = {"verified_at": None, "n_figures": None, "n_differences": None}


def forget_confirmations(apps, schema_editor):
    """Have confirmed releases verified again: their figures were counted once for every file."""
    apps.get_model("surveys", "Release").objects.filter(n_differences=0).update(**UNVERIFIED)


class Migration(migrations.Migration):
    dependencies = [("surveys", "0044_ours_in_practice_texts")]

    operations = [
        migrations.AddField(
            model_name="release",
            name="reservations",
            field=models.JSONField(
                blank=True,
                default=list,
                help_text="what of its files could not be checked, in words",
            ),
        ),
        migrations.AlterField(
            model_name="release",
            name="n_figures",
            field=models.PositiveIntegerField(
                blank=True,
                help_text="different figures that follow from its ratings",
                null=True,
            ),
        ),
        migrations.RunPython(forget_confirmations, migrations.RunPython.noop),
    ]
