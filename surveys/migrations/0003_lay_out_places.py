"""Studies from before places and rounds: lay them out, and seat whoever holds a place."""

from django.core.management import CommandError
from django.db import migrations
from django.db.models import Count, F, OuterRef, Subquery


def lay_out(apps, schema_editor):
    Study, Annotator, Block, Round, Assignment = (
        apps.get_model("surveys", name)
        for name in ("Study", "Annotator", "Block", "Round", "Assignment")
    )
    for block in Block.objects.all():
        current = Round.objects.create(block=block, number=1)
        Assignment.objects.filter(questionnaire__block=block).update(round=current)
    study = Annotator.objects.filter(pk=OuterRef("annotator")).values("study")
    Assignment.objects.update(
        offered_at=F("started_at"), active_at=F("started_at"), study=Subquery(study)
    )
    for assignment in Assignment.objects.annotate(n=Count("responses")):
        Assignment.objects.filter(pk=assignment.pk).update(n_items=assignment.n)
    for study in Study.objects.all():
        _lay_out_study(study, apps)


def _lay_out_study(study, apps):
    Questionnaire, Place, Assignment = (
        apps.get_model("surveys", name) for name in ("Questionnaire", "Place", "Assignment")
    )
    questionnaires = Questionnaire.objects.filter(block__study=study).order_by(
        "block__number", "letter"
    )
    seated = {
        questionnaire.pk: list(
            Assignment.objects.filter(
                questionnaire=questionnaire,
                state__in=("started", "submitted"),
                is_over_quota=False,
            ).order_by("pk")
        )
        for questionnaire in questionnaires
    }
    for number in range(1, study.ratings_per_context + 1):
        for questionnaire in questionnaires:
            Place.objects.create(
                study=study,
                questionnaire=questionnaire,
                round=questionnaire.block.rounds.get(),
                number=number,
                assignment=next(iter(seated[questionnaire.pk][number - 1 : number]), None),
            )


def clear(apps, schema_editor):
    refuse_to_lose(apps)
    Round, Place, Assignment = (
        apps.get_model("surveys", name) for name in ("Round", "Place", "Assignment")
    )
    Place.objects.all().delete()
    Assignment.objects.update(round=None)
    Assignment.objects.filter(started_at=None).update(started_at=F("offered_at"))
    Round.objects.all().delete()


def refuse_to_lose(apps):
    """Raise CommandError for what the tables of before cannot hold, and would break or falsify."""
    Study, Round, Pair, Assignment, Response = (
        apps.get_model("surveys", name)
        for name in ("Study", "Round", "Pair", "Assignment", "Response")
    )
    submitted = Assignment.objects.filter(submitted_at__isnull=False)
    scales = Study.objects.values_list("scale_minimum", "scale_maximum", "scale_step")
    counts = {
        "checkpoint items": Pair.objects.filter(is_checkpoint=True).count(),
        "repeats of blocks": Round.objects.filter(number__gt=1).count(),
        "questionnaires withdrawn after they were submitted": submitted.exclude(
            state="submitted"
        ).count(),
        "texts that could not be judged": Response.objects.filter(is_unjudgeable=True).count(),
        "studies whose scale has fractions": sum(
            any(point % 1 for point in scale) for scale in scales
        ),
    }
    if found := [f"{what}: {count}" for what, count in counts.items() if count]:
        raise CommandError(
            "The database cannot go back to before places and rounds, where it could not hold "
            f"{'; '.join(found)}. Nothing of that was touched: come forward again with manage.py "
            "migrate surveys, or restore a backup from before."
        )


class Migration(migrations.Migration):
    dependencies = [("surveys", "0002_places_rounds_texts_entrances")]
    operations = [migrations.RunPython(lay_out, clear)]
