from django.core.management import CommandError
from django.db import migrations, models
from django.db.models import F


def open_what_is_there(apps, schema_editor):
    """Studies from before were open from their beginning."""
    apps.get_model("surveys", "Study").objects.update(opened_at=F("created_at"))


def refuse_drafts(apps, schema_editor):
    """Without `opened_at` a draft would be open to annotators."""
    drafts = apps.get_model("surveys", "Study").objects.filter(opened_at=None)
    if names := list(drafts.values_list("slug", flat=True)):
        raise CommandError(
            "The database cannot go back to before drafts: annotators could come to studies that "
            f"are not open yet: {', '.join(names)}. Open them first. Nothing was changed."
        )


class Migration(migrations.Migration):
    dependencies = [
        ("surveys", "0008_researchers_and_what_they_decide"),
    ]

    operations = [
        migrations.AddField(
            model_name="study",
            name="opened_at",
            field=models.DateTimeField(
                blank=True,
                help_text="from when on annotators may come; empty for a draft",
                null=True,
            ),
        ),
        migrations.RunPython(open_what_is_there, refuse_drafts),
    ]
