from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("surveys", "0004_every_assignment_has_a_round"),
    ]

    operations = [
        migrations.AlterField(
            model_name="place",
            name="is_open",
            field=models.BooleanField(
                default=True,
                help_text="closed when the block is repeated, or fewer ratings are wanted",
            ),
        ),
    ]
