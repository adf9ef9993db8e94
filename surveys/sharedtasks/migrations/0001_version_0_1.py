import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

import surveys.sharedtasks.models.tasks
import surveys.sharedtasks.models.teams


class Migration(migrations.Migration):
    initial = True

    dependencies = [
        ("surveys", "0001_version_0_1"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="SharedTask",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("slug", models.SlugField(unique=True)),
                ("title", models.CharField(max_length=200)),
                (
                    "text",
                    models.TextField(blank=True, default="", help_text="its overview; Markdown"),
                ),
                (
                    "terms",
                    models.TextField(
                        blank=True, default="", help_text="which teams accept; Markdown"
                    ),
                ),
                (
                    "contact",
                    models.CharField(
                        help_text="of the organisers; shown to everybody", max_length=200
                    ),
                ),
                (
                    "zone",
                    models.CharField(
                        default="Etc/GMT+12",
                        help_text="IANA name; Etc/GMT+12 is anywhere on earth",
                        max_length=60,
                    ),
                ),
                (
                    "required_languages",
                    models.JSONField(
                        blank=True,
                        default=list,
                        help_text="languages that every submission must contain",
                    ),
                ),
                (
                    "best_of",
                    models.PositiveSmallIntegerField(
                        blank=True,
                        help_text="average over so many best languages; empty: over all",
                        null=True,
                    ),
                ),
                (
                    "names",
                    models.CharField(
                        choices=[
                            ("shown", "by their names"),
                            ("codes", "by codes until the results are published"),
                        ],
                        default="shown",
                        max_length=10,
                    ),
                ),
                (
                    "registration",
                    models.CharField(
                        choices=[
                            ("links", "by a link from the organisers"),
                            ("form", "by a public form; organisers accept each team"),
                        ],
                        default="links",
                        max_length=10,
                    ),
                ),
                (
                    "requires_description",
                    models.BooleanField(
                        default=True, help_text="results without a description are not ranked"
                    ),
                ),
                (
                    "contact_days",
                    models.PositiveSmallIntegerField(
                        default=90,
                        help_text="after publishing, until members and contacts are deleted",
                    ),
                ),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("draft", "draft"),
                            ("open", "open"),
                            ("finalised", "finalised"),
                            ("published", "published"),
                        ],
                        default="draft",
                        max_length=10,
                    ),
                ),
                (
                    "salt",
                    models.CharField(
                        default=surveys.sharedtasks.models.tasks.make_salt,
                        help_text="secret until publishing; hexadecimal digits",
                        max_length=64,
                    ),
                ),
                (
                    "commitment",
                    models.CharField(
                        blank=True,
                        default="",
                        help_text="SHA-256 of salt and gold; once opened",
                        max_length=64,
                    ),
                ),
                (
                    "archive",
                    models.FileField(
                        blank=True, upload_to=surveys.sharedtasks.models.tasks.name_private_file
                    ),
                ),
                ("archive_sha256", models.CharField(blank=True, default="", max_length=64)),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                ("opened_at", models.DateTimeField(blank=True, null=True)),
                ("finalised_at", models.DateTimeField(blank=True, null=True)),
                ("published_at", models.DateTimeField(blank=True, null=True)),
                (
                    "retracted_at",
                    models.DateTimeField(
                        blank=True, help_text="when what was published was taken back", null=True
                    ),
                ),
            ],
            options={
                "ordering": ["-pk"],
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("best_of", None), ("best_of__gte", 1), _connector="OR"),
                        name="best_of_one_or_more",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            ("state", "draft"), ("opened_at__isnull", False), _connector="OR"
                        ),
                        name="open_tasks_were_opened",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("state", "published"), _negated=True),
                            ("published_at__isnull", False),
                            _connector="OR",
                        ),
                        name="published_tasks_have_a_date",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="Scoring",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("number", models.PositiveIntegerField(help_text="of the shared task, from 1")),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("computing", "being computed"),
                            ("ready", "computed, not in use yet"),
                            ("current", "current"),
                            ("replaced", "replaced by a later one"),
                            ("discarded", "discarded"),
                        ],
                        default="computing",
                        max_length=10,
                    ),
                ),
                ("scorer", models.CharField(help_text="version of the scorer", max_length=20)),
                ("gold_sha256", models.JSONField(default=dict, help_text="by language")),
                (
                    "gold_files",
                    models.JSONField(
                        blank=True,
                        default=dict,
                        help_text="names of corrected gold files by language",
                    ),
                ),
                ("reason", models.CharField(blank=True, default="", max_length=300)),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                ("current_since", models.DateTimeField(blank=True, null=True)),
                (
                    "created_by",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "shared_task",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="scorings",
                        to="sharedtasks.sharedtask",
                    ),
                ),
            ],
            options={
                "ordering": ["number"],
            },
        ),
        migrations.CreateModel(
            name="Phase",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "name",
                    models.SlugField(
                        help_text="part of addresses, such as evaluation", max_length=40
                    ),
                ),
                (
                    "data",
                    models.CharField(
                        choices=[("practice", "practice data"), ("test", "test data")],
                        default="test",
                        max_length=10,
                    ),
                ),
                ("subtasks", models.JSONField(default=list, help_text="1, 2 or both")),
                ("opens_at", models.DateTimeField()),
                (
                    "closes_at",
                    models.DateTimeField(blank=True, help_text="empty: never", null=True),
                ),
                (
                    "attempts_total",
                    models.PositiveIntegerField(
                        blank=True, help_text="of a team; empty for no limit", null=True
                    ),
                ),
                (
                    "attempts_a_day",
                    models.PositiveIntegerField(
                        blank=True,
                        help_text="days of the task's zone; empty for no limit",
                        null=True,
                    ),
                ),
                (
                    "visibility",
                    models.CharField(
                        choices=[
                            ("hidden", "hidden: a team learns only that its files are valid"),
                            ("own", "own: a team sees its own scores"),
                            ("board", "board: everybody sees all scores"),
                        ],
                        default="hidden",
                        max_length=10,
                    ),
                ),
                (
                    "counting",
                    models.CharField(
                        choices=[
                            ("chosen", "the one that the team chooses, or else its last"),
                            ("best", "the one with the highest score"),
                        ],
                        default="chosen",
                        max_length=10,
                    ),
                ),
                (
                    "moved_at",
                    models.DateTimeField(
                        blank=True,
                        help_text="when the end was last moved; shown on the page",
                        null=True,
                    ),
                ),
                (
                    "moved_from",
                    models.DateTimeField(
                        blank=True, help_text="the end before it was moved", null=True
                    ),
                ),
                (
                    "shared_task",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="phases",
                        to="sharedtasks.sharedtask",
                    ),
                ),
            ],
            options={
                "ordering": ["opens_at", "pk"],
            },
        ),
        migrations.CreateModel(
            name="Organiser",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                (
                    "user",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="organised_tasks",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "shared_task",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="organisers",
                        to="sharedtasks.sharedtask",
                    ),
                ),
            ],
            options={
                "ordering": ["shared_task", "user__username"],
            },
        ),
        migrations.CreateModel(
            name="Submission",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "number",
                    models.PositiveIntegerField(help_text="of the team in the phase, from 1"),
                ),
                (
                    "code",
                    models.CharField(
                        default=surveys.sharedtasks.models.teams.make_code,
                        help_text="of its result page",
                        max_length=10,
                        unique=True,
                    ),
                ),
                ("sent_at", models.DateTimeField(help_text="when its request began")),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("stored", "waits for its scores"),
                            ("scored", "scored"),
                            ("failed", "could not be scored: a fault of this site"),
                            ("cancelled", "cancelled by the organisers"),
                            ("withdrawn", "withdrawn by the team"),
                        ],
                        default="stored",
                        max_length=10,
                    ),
                ),
                ("state_reason", models.CharField(blank=True, default="", max_length=300)),
                (
                    "file",
                    models.FileField(
                        help_text="a zip of its result files",
                        upload_to=surveys.sharedtasks.models.tasks.name_private_file,
                    ),
                ),
                ("file_sha256", models.CharField(max_length=64)),
                ("digest", models.CharField(help_text="SHA-256 of the predictions", max_length=64)),
                (
                    "contents",
                    models.JSONField(default=list, help_text="subtask and language of each file"),
                ),
                ("warnings", models.JSONField(default=list)),
                (
                    "flags",
                    models.JSONField(default=list, help_text="what organisers should look at"),
                ),
                (
                    "note",
                    models.CharField(
                        blank=True, default="", help_text="the team's own", max_length=300
                    ),
                ),
                (
                    "phase",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="submissions",
                        to="sharedtasks.phase",
                    ),
                ),
                (
                    "sent_by",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "ordering": ["-sent_at", "-pk"],
            },
        ),
        migrations.CreateModel(
            name="TaskPart",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("language", models.CharField(help_text="BCP 47 tag, such as sl", max_length=35)),
                (
                    "data",
                    models.FileField(upload_to=surveys.sharedtasks.models.tasks.name_private_file),
                ),
                (
                    "gold",
                    models.FileField(upload_to=surveys.sharedtasks.models.tasks.name_private_file),
                ),
                (
                    "practice_data",
                    models.FileField(
                        blank=True, upload_to=surveys.sharedtasks.models.tasks.name_private_file
                    ),
                ),
                (
                    "practice_gold",
                    models.FileField(
                        blank=True, upload_to=surveys.sharedtasks.models.tasks.name_private_file
                    ),
                ),
                (
                    "instructions",
                    models.TextField(blank=True, default="", help_text="what annotators read"),
                ),
                ("n_pairs", models.PositiveIntegerField(help_text="of the test data")),
                ("n_practice", models.PositiveIntegerField(default=0)),
                ("data_sha256", models.CharField(max_length=64)),
                ("gold_sha256", models.CharField(max_length=64)),
                (
                    "reliability",
                    models.FloatField(
                        blank=True,
                        help_text="R of the changes of its test data; empty: not known",
                        null=True,
                    ),
                ),
                (
                    "human",
                    models.FloatField(
                        blank=True,
                        help_text="mean Spearman of one person with the mean of the others",
                        null=True,
                    ),
                ),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                (
                    "release",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="task_parts",
                        to="surveys.release",
                    ),
                ),
                (
                    "shared_task",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="parts",
                        to="sharedtasks.sharedtask",
                    ),
                ),
            ],
            options={
                "ordering": ["language"],
            },
        ),
        migrations.CreateModel(
            name="SubtaskScore",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("subtask", models.PositiveSmallIntegerField()),
                ("score", models.FloatField()),
                ("pearson", models.FloatField(blank=True, null=True)),
                ("spearman", models.FloatField(blank=True, null=True)),
                ("n", models.PositiveIntegerField(help_text="pairs")),
                (
                    "error",
                    models.FloatField(
                        blank=True,
                        help_text="its standard error; empty until it is computed",
                        null=True,
                    ),
                ),
                ("low", models.FloatField(blank=True, help_text="of the 95 % interval", null=True)),
                ("high", models.FloatField(blank=True, null=True)),
                ("reason", models.CharField(blank=True, default="", max_length=20)),
                ("file_sha256", models.CharField(max_length=64)),
                (
                    "scoring",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="scores",
                        to="sharedtasks.scoring",
                    ),
                ),
                (
                    "submission",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="scores",
                        to="sharedtasks.submission",
                    ),
                ),
                (
                    "part",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="scores",
                        to="sharedtasks.taskpart",
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="Team",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "kind",
                    models.CharField(
                        choices=[
                            ("team", "team"),
                            (
                                "baseline",
                                "baseline of the organisers: a reference row, never ranked",
                            ),
                            ("trial", "trial of the organisers: marked, never ranked"),
                        ],
                        default="team",
                        max_length=10,
                    ),
                ),
                ("name", models.CharField(max_length=40)),
                (
                    "name_key",
                    models.CharField(help_text="the name in NFC, case folded", max_length=80),
                ),
                (
                    "code",
                    models.CharField(
                        default=surveys.sharedtasks.models.teams.make_code, max_length=10
                    ),
                ),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("pending", "pending"),
                            ("accepted", "accepted"),
                            ("excluded", "excluded"),
                            ("withdrawn", "withdrawn"),
                            ("merged", "merged into another team"),
                        ],
                        default="accepted",
                        max_length=10,
                    ),
                ),
                ("state_reason", models.CharField(blank=True, default="", max_length=300)),
                (
                    "hides_name",
                    models.BooleanField(
                        default=False,
                        help_text="boards show the team's code instead, also once they are published",
                    ),
                ),
                (
                    "accepted_terms",
                    models.CharField(
                        blank=True,
                        default="",
                        help_text="SHA-256 of the terms it accepted",
                        max_length=64,
                    ),
                ),
                ("accepted_terms_at", models.DateTimeField(blank=True, null=True)),
                (
                    "contact",
                    models.CharField(
                        blank=True, default="", help_text="for organisers alone", max_length=200
                    ),
                ),
                (
                    "system",
                    models.CharField(
                        blank=True, default="", help_text="name of the system", max_length=60
                    ),
                ),
                (
                    "summary",
                    models.CharField(blank=True, default="", help_text="Markdown", max_length=1000),
                ),
                ("models_used", models.CharField(blank=True, default="", max_length=500)),
                (
                    "resources",
                    models.CharField(
                        blank=True,
                        default="",
                        help_text="such as human scores out of context, translations, data for fine-tuning",
                        max_length=500,
                    ),
                ),
                ("paper_url", models.URLField(blank=True, default="", max_length=500)),
                ("code_url", models.URLField(blank=True, default="", max_length=500)),
                ("publishes_scores", models.BooleanField(default=False)),
                (
                    "publishes_files",
                    models.BooleanField(default=False, help_text="under CC BY 4.0"),
                ),
                (
                    "described_at",
                    models.DateTimeField(
                        blank=True, help_text="when the description was completed", null=True
                    ),
                ),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                (
                    "merged_into",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="merged_teams",
                        to="sharedtasks.team",
                    ),
                ),
                (
                    "shared_task",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="teams",
                        to="sharedtasks.sharedtask",
                    ),
                ),
            ],
            options={
                "ordering": ["name_key"],
            },
        ),
        migrations.AddField(
            model_name="submission",
            name="team",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.PROTECT,
                related_name="submissions",
                to="sharedtasks.team",
            ),
        ),
        migrations.CreateModel(
            name="RefusedUpload",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "reasons",
                    models.JSONField(
                        default=list, help_text="the first findings, as the team saw them"
                    ),
                ),
                ("refused_at", models.DateTimeField(auto_now_add=True)),
                (
                    "phase",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="refused_uploads",
                        to="sharedtasks.phase",
                    ),
                ),
                (
                    "team",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="refused_uploads",
                        to="sharedtasks.team",
                    ),
                ),
            ],
            options={
                "ordering": ["-pk"],
            },
        ),
        migrations.CreateModel(
            name="CountedSubmission",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("subtask", models.PositiveSmallIntegerField()),
                ("is_chosen", models.BooleanField(default=False, help_text="the team chose it")),
                ("average", models.FloatField(blank=True, null=True)),
                ("average_low", models.FloatField(blank=True, null=True)),
                ("average_high", models.FloatField(blank=True, null=True)),
                (
                    "scores",
                    models.JSONField(
                        default=dict,
                        help_text="by language: score, low, high, pearson, spearman, n, reason",
                    ),
                ),
                (
                    "n_attempts",
                    models.PositiveIntegerField(default=0, help_text="of the team in the phase"),
                ),
                (
                    "phase",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="counted_submissions",
                        to="sharedtasks.phase",
                    ),
                ),
                (
                    "submission",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="counted_submissions",
                        to="sharedtasks.submission",
                    ),
                ),
                (
                    "team",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="counted_submissions",
                        to="sharedtasks.team",
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="Allowance",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("n_attempts", models.PositiveSmallIntegerField()),
                ("reason", models.CharField(max_length=300)),
                (
                    "phase",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="allowances",
                        to="sharedtasks.phase",
                    ),
                ),
                (
                    "team",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="allowances",
                        to="sharedtasks.team",
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="TeamInvitation",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("is_captain", models.BooleanField(default=False)),
                (
                    "digest",
                    models.CharField(help_text="SHA-256 of its token", max_length=64, unique=True),
                ),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                ("expires_at", models.DateTimeField()),
                ("used_at", models.DateTimeField(blank=True, null=True)),
                ("revoked_at", models.DateTimeField(blank=True, null=True)),
                (
                    "created_by",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "participant",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="surveys.limitedaccount",
                    ),
                ),
                (
                    "team",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="invitations",
                        to="sharedtasks.team",
                    ),
                ),
            ],
            options={
                "ordering": ["-pk"],
            },
        ),
        migrations.CreateModel(
            name="TeamMember",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("is_captain", models.BooleanField(default=False)),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                (
                    "participant",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="memberships",
                        to="surveys.limitedaccount",
                    ),
                ),
                (
                    "shared_task",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="members",
                        to="sharedtasks.sharedtask",
                    ),
                ),
                (
                    "team",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="members",
                        to="sharedtasks.team",
                    ),
                ),
            ],
            options={
                "ordering": ["-is_captain", "participant__user__username"],
            },
        ),
        migrations.CreateModel(
            name="Upload",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "file",
                    models.FileField(upload_to=surveys.sharedtasks.models.tasks.name_private_file),
                ),
                ("digest", models.CharField(help_text="SHA-256 of the predictions", max_length=64)),
                (
                    "contents",
                    models.JSONField(default=list, help_text="subtask and language of each file"),
                ),
                ("warnings", models.JSONField(default=list)),
                ("checked_at", models.DateTimeField(auto_now_add=True, db_index=True)),
                (
                    "phase",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="uploads",
                        to="sharedtasks.phase",
                    ),
                ),
                (
                    "sent_by",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "team",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="uploads",
                        to="sharedtasks.team",
                    ),
                ),
            ],
            options={
                "ordering": ["-pk"],
            },
        ),
        migrations.CreateModel(
            name="FrozenBoard",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("subtask", models.PositiveSmallIntegerField()),
                ("body", models.TextField(help_text="board.json, with all digits")),
                ("sha256", models.CharField(help_text="of the body", max_length=64)),
                ("frozen_at", models.DateTimeField(auto_now_add=True)),
                (
                    "phase",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="frozen_boards",
                        to="sharedtasks.phase",
                    ),
                ),
                (
                    "scoring",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="sharedtasks.scoring",
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(fields=("phase", "subtask"), name="frozen_once")
                ],
            },
        ),
        migrations.AddConstraint(
            model_name="scoring",
            constraint=models.UniqueConstraint(
                fields=("shared_task", "number"), name="scoring_once"
            ),
        ),
        migrations.AddConstraint(
            model_name="scoring",
            constraint=models.UniqueConstraint(
                condition=models.Q(("state", "current")),
                fields=("shared_task",),
                name="one_current_scoring",
            ),
        ),
        migrations.AddConstraint(
            model_name="phase",
            constraint=models.UniqueConstraint(fields=("shared_task", "name"), name="phase_once"),
        ),
        migrations.AddConstraint(
            model_name="phase",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    ("closes_at", None), ("closes_at__gt", models.F("opens_at")), _connector="OR"
                ),
                name="phases_end_after_they_begin",
            ),
        ),
        migrations.AddConstraint(
            model_name="phase",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("counting", "best"), _negated=True),
                    models.Q(("visibility", "hidden"), _negated=True),
                    _connector="OR",
                ),
                name="the_best_counts_where_it_is_seen",
            ),
        ),
        migrations.AddConstraint(
            model_name="phase",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(
                        ("attempts_total", None), ("attempts_total__lte", 10000), _connector="OR"
                    ),
                    models.Q(
                        ("attempts_a_day", None), ("attempts_a_day__lte", 10000), _connector="OR"
                    ),
                ),
                name="attempts_are_plausible",
            ),
        ),
        migrations.AddConstraint(
            model_name="organiser",
            constraint=models.UniqueConstraint(
                fields=("shared_task", "user"), name="organiser_once"
            ),
        ),
        migrations.AddConstraint(
            model_name="taskpart",
            constraint=models.UniqueConstraint(
                fields=("shared_task", "language"), name="part_once"
            ),
        ),
        migrations.AddConstraint(
            model_name="taskpart",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("n_practice", 0), ("practice_data", ""), ("practice_gold", "")),
                    models.Q(
                        models.Q(("practice_data", ""), _negated=True),
                        models.Q(("practice_gold", ""), _negated=True),
                        ("n_practice__gt", 0),
                    ),
                    _connector="OR",
                ),
                name="practice_has_data_and_gold",
            ),
        ),
        migrations.AddConstraint(
            model_name="subtaskscore",
            constraint=models.UniqueConstraint(
                fields=("submission", "part", "subtask", "scoring"), name="scored_once"
            ),
        ),
        migrations.AddConstraint(
            model_name="subtaskscore",
            constraint=models.CheckConstraint(
                condition=models.Q(("subtask__in", (1, 2))), name="score_of_subtask_1_or_2"
            ),
        ),
        migrations.AddConstraint(
            model_name="team",
            constraint=models.UniqueConstraint(
                fields=("shared_task", "name_key"), name="team_name_once"
            ),
        ),
        migrations.AddConstraint(
            model_name="team",
            constraint=models.UniqueConstraint(
                fields=("shared_task", "code"), name="team_code_once"
            ),
        ),
        migrations.AddConstraint(
            model_name="team",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("merged_into__isnull", False), ("state", "merged")),
                    models.Q(models.Q(("state", "merged"), _negated=True), ("merged_into", None)),
                    _connector="OR",
                ),
                name="merged_teams_name_another",
            ),
        ),
        migrations.AddIndex(
            model_name="submission",
            index=models.Index(
                condition=models.Q(("state", "stored")),
                fields=["phase"],
                name="submissions_to_score",
            ),
        ),
        migrations.AddConstraint(
            model_name="submission",
            constraint=models.UniqueConstraint(
                fields=("phase", "team", "number"), name="one_submission_a_number"
            ),
        ),
        migrations.AddConstraint(
            model_name="submission",
            constraint=models.UniqueConstraint(
                condition=models.Q(("state__in", ("cancelled", "failed")), _negated=True),
                fields=("phase", "team", "digest"),
                name="same_predictions_once",
            ),
        ),
        migrations.AddConstraint(
            model_name="countedsubmission",
            constraint=models.UniqueConstraint(
                fields=("phase", "subtask", "team"), name="counted_once"
            ),
        ),
        migrations.AddConstraint(
            model_name="allowance",
            constraint=models.UniqueConstraint(
                fields=("team", "phase"), name="one_allowance_a_phase"
            ),
        ),
        migrations.AddConstraint(
            model_name="teammember",
            constraint=models.UniqueConstraint(
                fields=("shared_task", "participant"), name="one_team_a_person_and_task"
            ),
        ),
    ]
