from datetime import timedelta

import django.utils.timezone
from django.db import migrations, models
from django.db.models import Q
from django.utils import timezone

SILENCE = timedelta(minutes=10)  # after which a run counted as broken off until now
LEFT = "It was left behind by an earlier version of the site. Try again."


def fail_what_was_left_behind(apps, schema_editor):
    """Mark old runs as failed that no process performs: nothing old starts without a person."""
    left = apps.get_model("surveys", "Run").objects.filter(
        state__in=("waiting", "running"), heard_at__lt=timezone.now() - SILENCE
    )
    left.update(state="failed", error=LEFT)


class Migration(migrations.Migration):
    """Runs are leased to the process that performs them, and wait until an instant."""

    dependencies = [("surveys", "0021_consent_says_what_is_stored")]

    operations = [
        migrations.RunPython(fail_what_was_left_behind, migrations.RunPython.noop),
        migrations.AddField(
            "run",
            "due_at",
            models.DateTimeField(
                default=django.utils.timezone.now, help_text="when it may be begun"
            ),
        ),
        migrations.AddField(
            "run",
            "lease",
            models.CharField(
                blank=True,
                default="",
                help_text="of the process that performs it",
                max_length=80,
            ),
        ),
        migrations.AddField(
            "run",
            "n_deaths",
            models.PositiveSmallIntegerField(
                default=0,
                help_text="processes that ended without a word while they performed it",
            ),
        ),
        migrations.AddIndex(
            "run",
            models.Index(
                condition=Q(state__in=("waiting", "running")),
                fields=["due_at"],
                name="runs_under_way",
            ),
        ),
    ]
