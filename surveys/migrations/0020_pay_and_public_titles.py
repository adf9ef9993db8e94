from django.db import migrations, models
from django.db.models import Exists, F, OuterRef, Q


def mark_as_paid_when_settled(apps, schema_editor):
    """Say of each annotator what settling a study said of all of them."""
    submitted = apps.get_model("surveys", "Assignment").objects.filter(
        annotator=OuterRef("pk"), submitted_at__isnull=False
    )
    scripted = apps.get_model("surveys", "Invitation").objects.filter(
        annotator=OuterRef("pk"), is_rehearsal=True
    )
    annotators = apps.get_model("surveys", "Annotator").objects
    studies = apps.get_model("surveys", "Study").objects.filter(settled_at__isnull=False)
    for study in studies.iterator():
        settled_at = study.settled_at
        unpaid = submitted.filter(submitted_at__lte=settled_at).filter(
            Q(annotator__paid_at=None) | Q(submitted_at__gt=F("annotator__paid_at"))
        )
        people = annotators.filter(Exists(unpaid), ~Exists(scripted), study=study)
        people.update(paid_at=settled_at)


class Migration(migrations.Migration):
    dependencies = [
        ("surveys", "0019_say_which_forms_are_asked"),
    ]

    operations = [
        migrations.AddField(
            model_name="study",
            name="public_title",
            field=models.CharField(
                blank=True,
                default="",
                help_text="named to annotators; empty for none",
                max_length=200,
            ),
        ),
        migrations.AlterField(
            model_name="studytext",
            name="kind",
            field=models.CharField(
                choices=[
                    ("consent", "Consent"),
                    ("instructions", "Instructions"),
                    ("practice", "practice (TOML)"),
                    ("check", "comprehension check (TOML)"),
                    ("invitation", "invitation (mail)"),
                    ("reminder", "reminder (mail)"),
                ],
                max_length=12,
            ),
        ),
        migrations.RunPython(mark_as_paid_when_settled, migrations.RunPython.noop),
    ]
