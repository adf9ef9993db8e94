from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("surveys", "0001_version_0_1")]

    operations = [
        migrations.RemoveConstraint(model_name="response", name="engaged_has_two_words"),
        *(
            operation
            for number in (1, 2)
            for operation in (
                migrations.RenameField("response", f"inspired_word{number}", f"written{number}"),
                migrations.AlterField(
                    "response", f"written{number}", models.CharField(blank=True, max_length=200)
                ),
            )
        ),
        migrations.AddConstraint(
            model_name="response",
            constraint=models.CheckConstraint(
                condition=models.Q(engaged_at__isnull=True, written1="", written2="")
                | (
                    models.Q(engaged_at__isnull=False)
                    & ~models.Q(written1="")
                    & ~models.Q(written2="")
                ),
                name="engaged_has_two_words",
            ),
        ),
    ]
