from django.core.management import CommandError
from django.db import migrations, models
from django.db.models import Exists, OuterRef, Q


def find_begun(apps):
    """Return the studies in which annotators may have answered."""
    assignments = apps.get_model("surveys", "Assignment").objects.filter(study=OuterRef("pk"))
    studies = apps.get_model("surveys", "Study").objects
    return studies.filter(Q(opened_at__isnull=False) | Q(Exists(assignments)))


def keep_what_was_asked(apps, schema_editor):
    """Mark the studies that have begun: until now the question named the forms in the text."""
    find_begun(apps).update(question_forms="text")


def refuse_loss(apps, schema_editor):
    """Refuse to go back where annotators would then be asked for other forms than before."""
    if n_studies := find_begun(apps).exclude(question_forms="text").count():
        raise CommandError(
            "The database cannot go back to before the forms of the question: it could not hold "
            f"studies that ask for dictionary forms: {n_studies}. Nothing of that was changed."
        )


class Migration(migrations.Migration):
    dependencies = [("surveys", "0018_number_within_the_study")]

    operations = [
        migrations.AddField(
            model_name="study",
            name="question_forms",
            field=models.CharField(
                choices=[
                    ("dictionary", "dictionary forms"),
                    ("text", "the forms used in the text"),
                ],
                default="dictionary",
                help_text="forms of the two words that the question names",
                max_length=10,
            ),
        ),
        migrations.RunPython(keep_what_was_asked, refuse_loss),
    ]
