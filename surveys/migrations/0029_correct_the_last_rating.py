from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("surveys", "0028_public_pages"),
    ]

    operations = [
        migrations.AddField(
            model_name="response",
            name="changed_at",
            field=models.DateTimeField(
                blank=True,
                help_text="when the annotator last changed the answer to page 2",
                null=True,
            ),
        ),
        migrations.AddField(
            model_name="response",
            name="first_rating",
            field=models.DecimalField(
                blank=True,
                decimal_places=2,
                help_text="before the annotator changed it; empty if they could not judge at first",
                max_digits=5,
                null=True,
            ),
        ),
        migrations.AddField(
            model_name="study",
            name="sends_choice",
            field=models.BooleanField(
                default=False, help_text="choosing a number sends it after a moment, with an undo"
            ),
        ),
        migrations.AddConstraint(
            model_name="response",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("changed_at__isnull", True), ("first_rating__isnull", True)),
                    models.Q(("changed_at__isnull", False), ("rated_at__isnull", False)),
                    _connector="OR",
                ),
                name="changed_after_rated",
            ),
        ),
    ]
