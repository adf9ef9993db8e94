from django.db import migrations, models
from django.db.models import F, OuterRef, Subquery

TRAINED, OWN = "trained", "own"
DONE_AT = {"instructions": "instructed_at", "practice": "practised_at", "check": "checked_at"}
VARIANTS = [
    ("plain", "plain: the rule, in the wording of CoSimLex"),
    ("trained", "trained: with examples whose similarity changes between two texts"),
]


def name_variants(apps, schema_editor):
    """Existing studies keep their texts and wording, which are now called trained."""
    studies, texts, annotators = (
        apps.get_model("surveys", name).objects for name in ("Study", "StudyText", "Annotator")
    )
    studies.update(variant=TRAINED)
    texts.filter(version=1).update(variant=TRAINED)  # the default as it was first shown
    firsts = texts.filter(study=OuterRef("study"), kind=OuterRef("kind"), version=1)
    again = texts.annotate(first=Subquery(firsts.values("body")[:1])).filter(body=F("first"))
    texts.filter(pk__in=[*again.values_list("pk", flat=True)]).update(variant=TRAINED)
    annotators.filter(instructed_at__isnull=False).update(variant=TRAINED)
    for kind, done_at in DONE_AT.items():
        read = texts.filter(study=OuterRef("study"), kind=kind, created_at__lte=OuterRef(done_at))
        read = read.order_by("-version").values("variant")[:1]
        found = annotators.annotate(read=Subquery(read)).filter(read=OWN)
        annotators.filter(pk__in=[*found.values_list("pk", flat=True)]).update(variant=OWN)


class Migration(migrations.Migration):
    dependencies = [("surveys", "0045_reservations_of_verifications")]

    operations = [
        migrations.AddField(
            model_name="annotator",
            name="variant",
            field=models.CharField(
                blank=True, choices=[*VARIANTS, (OWN, OWN)], default="", max_length=10,
                help_text="of the instructions, practice and check that they have read",
            ),
        ),
        migrations.AddField(
            model_name="study",
            name="variant",
            field=models.CharField(
                choices=VARIANTS, default="plain", max_length=10,
                help_text="of the default texts, the labels of the scale and the question",
            ),
        ),
        migrations.AddField(
            model_name="studytext",
            name="variant",
            field=models.CharField(
                choices=[*VARIANTS, (OWN, OWN)], default=OWN, max_length=10,
                help_text="if it is a default text",
            ),
        ),
        migrations.RunPython(name_variants, migrations.RunPython.noop),
    ]  # fmt: skip
