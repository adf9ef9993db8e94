from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("surveys", "0033_verified_releases"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.RemoveIndex(
            model_name="review",
            name="review_queue",
        ),
        migrations.RemoveIndex(
            model_name="review",
            name="review_outcomes",
        ),
        migrations.AddIndex(
            model_name="place",
            index=models.Index(
                condition=models.Q(("is_replaced", True)),
                fields=["assignment"],
                name="replaced_places",
            ),
        ),
        migrations.AddIndex(
            model_name="review",
            index=models.Index(
                fields=["study", "n_wanted", "state", "-risk", "id"], name="reviews_by_two"
            ),
        ),
        migrations.AddIndex(
            model_name="review",
            index=models.Index(
                fields=["study", "outcome", "assignment", "id"], name="unwanted_reviews"
            ),
        ),
        migrations.AddIndex(
            model_name="review",
            index=models.Index(
                condition=models.Q(("response__isnull", False)),
                fields=["study", "state", "-risk", "id"],
                name="answers_in_the_queue",
            ),
        ),
        migrations.AddIndex(
            model_name="review",
            index=models.Index(
                condition=models.Q(("response__isnull", False), _negated=True),
                fields=["study", "-risk", "id", "state"],
                name="wholes_by_risk",
            ),
        ),
        migrations.AddIndex(
            model_name="review",
            index=models.Index(
                condition=models.Q(("response__isnull", False), _negated=True),
                fields=["outcome", "assignment"],
                name="wholes_by_outcome",
            ),
        ),
        migrations.AddIndex(
            model_name="verdict",
            index=models.Index(fields=["opinion", "review"], name="verdicts_by_opinion"),
        ),
    ]
