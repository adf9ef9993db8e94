from django.db import migrations, models
from django.db.models import OuterRef, Subquery


def mark_what_is_filed(apps, schema_editor):
    wholes = apps.get_model("surveys", "Review").objects.filter(response__isnull=True)
    filed = wholes.filter(assignment=OuterRef("pk"))
    assignments = apps.get_model("surveys", "Assignment").objects
    assignments.filter(pk__in=wholes.values("assignment")).update(
        filed_at=Subquery(filed.values("filed_at")[:1])
    )


class Migration(migrations.Migration):
    dependencies = [
        ("surveys", "0016_crowd_work"),
    ]

    operations = [
        migrations.AddField(
            model_name="assignment",
            name="filed_at",
            field=models.DateTimeField(
                blank=True, help_text="when its answers were looked through", null=True
            ),
        ),
        migrations.AddIndex(
            model_name="assignment",
            index=models.Index(
                condition=models.Q(("filed_at__isnull", True), ("submitted_at__isnull", False)),
                fields=["study", "state", "questionnaire"],
                name="submitted_and_not_filed",
            ),
        ),
        migrations.RunPython(mark_what_is_filed, migrations.RunPython.noop),
    ]
