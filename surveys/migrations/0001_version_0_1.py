import uuid
from decimal import Decimal

import django.core.validators
import django.db.models.deletion
import django.utils.timezone
from django.conf import settings
from django.db import migrations, models

import surveys.models.participation
import surveys.models.results
import surveys.models.stimuli
import surveys.models.study


class Migration(migrations.Migration):
    initial = True

    dependencies = [
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="Block",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("number", models.PositiveIntegerField()),
            ],
            options={
                "ordering": ["number"],
            },
        ),
        migrations.CreateModel(
            name="ConsentNotice",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "digest",
                    models.CharField(help_text="SHA-256 of language and sections", max_length=64),
                ),
                ("language", models.CharField(help_text="BCP 47 tag", max_length=35)),
                ("sections", models.JSONField(help_text="sentences by the section they are in")),
                ("created_at", models.DateTimeField(auto_now_add=True)),
            ],
            options={
                "ordering": ["pk"],
            },
        ),
        migrations.CreateModel(
            name="Entrance",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "provider",
                    models.CharField(
                        choices=[
                            ("link", "open link"),
                            ("prolific", "Prolific"),
                            ("simulator", "MTurk simulator"),
                            ("sandbox", "MTurk sandbox"),
                            ("production", "MTurk"),
                        ],
                        default="link",
                        max_length=10,
                    ),
                ),
                (
                    "token",
                    models.CharField(
                        default=surveys.models.participation.make_token, max_length=22, unique=True
                    ),
                ),
                (
                    "cap",
                    models.PositiveIntegerField(
                        blank=True,
                        help_text="how many may start here; empty for no separate limit",
                        null=True,
                    ),
                ),
                (
                    "n_arrived",
                    models.PositiveIntegerField(default=0, help_text="annotators who started here"),
                ),
                ("completion_code", models.CharField(blank=True, default="", max_length=40)),
                (
                    "no_place_code",
                    models.CharField(
                        blank=True,
                        default="",
                        help_text="when no place is left, or screened out",
                        max_length=40,
                    ),
                ),
                ("closed_at", models.DateTimeField(blank=True, null=True)),
                ("created_at", models.DateTimeField(auto_now_add=True)),
            ],
        ),
        migrations.CreateModel(
            name="Pair",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "is_checkpoint",
                    models.BooleanField(
                        default=False, help_text="belongs to a checkpoint item, not to the stimuli"
                    ),
                ),
                ("position", models.PositiveIntegerField(help_text="row of the file, from 1")),
                ("word1", models.TextField()),
                ("word2", models.TextField()),
            ],
            options={
                "ordering": ["is_checkpoint", "position"],
            },
        ),
        migrations.CreateModel(
            name="Release",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "number",
                    models.PositiveIntegerField(
                        help_text="within the study, from 1; its run's number"
                    ),
                ),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                (
                    "collected_at",
                    models.DateTimeField(
                        blank=True, help_text="just before the ratings were read", null=True
                    ),
                ),
                ("report", models.JSONField()),
                (
                    "key",
                    models.CharField(
                        default=surveys.models.results.make_key,
                        help_text="secret: decides the annotators' ids",
                        max_length=64,
                    ),
                ),
                (
                    "page_opened_at",
                    models.DateTimeField(
                        blank=True,
                        help_text="when its public page was opened; empty: closed",
                        null=True,
                    ),
                ),
                (
                    "verified_at",
                    models.DateTimeField(
                        blank=True,
                        help_text="when its figures were last recomputed; empty: never",
                        null=True,
                    ),
                ),
                (
                    "n_figures",
                    models.PositiveIntegerField(
                        blank=True,
                        help_text="distinct figures that can be recomputed from its ratings",
                        null=True,
                    ),
                ),
                (
                    "n_differences",
                    models.PositiveIntegerField(
                        blank=True,
                        help_text="places in its files that differ when recomputed",
                        null=True,
                    ),
                ),
                (
                    "differences",
                    models.JSONField(
                        blank=True,
                        default=list,
                        help_text="the first of them: file, place, both values",
                    ),
                ),
                (
                    "reservations",
                    models.JSONField(
                        blank=True,
                        default=list,
                        help_text="parts of its files that could not be checked, in words",
                    ),
                ),
            ],
            options={
                "ordering": ["-created_at"],
            },
        ),
        migrations.CreateModel(
            name="SharedMark",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("subject", models.CharField(max_length=20, unique=True)),
                (
                    "mark",
                    models.CharField(
                        help_text="a digest of the key, or what a file contains", max_length=64
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="SignInBudget",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "key",
                    models.CharField(
                        help_text="such as address 203.0.113.9", max_length=80, unique=True
                    ),
                ),
                (
                    "spent_until",
                    models.DateTimeField(
                        db_index=True, help_text="when all used checks are available again"
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="ApiToken",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("name", models.CharField(help_text="what it is for", max_length=100)),
                (
                    "digest",
                    models.CharField(help_text="SHA-256 of the key", max_length=64, unique=True),
                ),
                (
                    "scopes",
                    models.JSONField(
                        default=list, help_text="what it may do, such as studies:read"
                    ),
                ),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                (
                    "last_used_at",
                    models.DateTimeField(blank=True, help_text="to the minute", null=True),
                ),
                ("expires_at", models.DateTimeField(blank=True, null=True)),
                ("revoked_at", models.DateTimeField(blank=True, null=True)),
                (
                    "user",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="api_tokens",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "ordering": ["-pk"],
            },
        ),
        migrations.CreateModel(
            name="Annotator",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "code",
                    models.CharField(
                        default=surveys.models.participation.make_annotator_code,
                        max_length=16,
                        unique=True,
                    ),
                ),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                (
                    "erases_withdrawn",
                    models.BooleanField(
                        default=True, help_text="agreed to: withdrawing erases the answers"
                    ),
                ),
                (
                    "publishes_words",
                    models.BooleanField(
                        default=False, help_text="agreed to: the words they write are published"
                    ),
                ),
                (
                    "retention_days",
                    models.PositiveSmallIntegerField(
                        blank=True,
                        help_text="agreed to: longest time in days after payment before ids and notes are dropped",
                        null=True,
                    ),
                ),
                ("instructed_at", models.DateTimeField(blank=True, null=True)),
                ("practised_at", models.DateTimeField(blank=True, null=True)),
                (
                    "variant",
                    models.CharField(
                        blank=True,
                        choices=[
                            ("plain", "plain: the rule, in the wording of CoSimLex"),
                            (
                                "trained",
                                "trained: with examples whose similarity changes between two texts",
                            ),
                            ("own", "own"),
                        ],
                        default="",
                        help_text="of the instructions, practice and check that they have read",
                        max_length=10,
                    ),
                ),
                ("n_check_tries", models.PositiveSmallIntegerField(default=0)),
                ("checked_at", models.DateTimeField(blank=True, null=True)),
                (
                    "paid_at",
                    models.DateTimeField(
                        blank=True, help_text="when an owner recorded the payment", null=True
                    ),
                ),
                ("withdrawn_at", models.DateTimeField(blank=True, null=True)),
                (
                    "first_rated_at",
                    models.DateTimeField(
                        blank=True,
                        help_text="kept after a withdrawal, as results contain it",
                        null=True,
                    ),
                ),
                (
                    "erased_at",
                    models.DateTimeField(
                        blank=True,
                        help_text="when an owner erased them at their request",
                        null=True,
                    ),
                ),
                (
                    "notice",
                    models.ForeignKey(
                        blank=True,
                        help_text="the notice that they consented to; empty for consent before notices were stored",
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="annotators",
                        to="surveys.consentnotice",
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="Job",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("kind", models.CharField(help_text="such as sharedtasks.finalise", max_length=40)),
                (
                    "scope",
                    models.CharField(
                        blank=True, default="", help_text="what it is for", max_length=60
                    ),
                ),
                (
                    "key",
                    models.CharField(
                        blank=True,
                        default="",
                        help_text="at most one under way has it",
                        max_length=80,
                    ),
                ),
                ("request", models.JSONField(blank=True, default=dict)),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("waiting", "Waiting"),
                            ("running", "Running"),
                            ("done", "Done"),
                            ("failed", "Failed"),
                            ("cancelled", "Cancelled"),
                        ],
                        default="waiting",
                        max_length=10,
                    ),
                ),
                ("stage", models.CharField(blank=True, default="", max_length=40)),
                (
                    "share_done",
                    models.PositiveSmallIntegerField(default=0, help_text="of the stage, per cent"),
                ),
                ("error", models.TextField(blank=True, default="")),
                ("requested_at", models.DateTimeField(auto_now_add=True)),
                (
                    "due_at",
                    models.DateTimeField(
                        default=django.utils.timezone.now, help_text="earliest start"
                    ),
                ),
                ("begun_at", models.DateTimeField(blank=True, help_text="last", null=True)),
                (
                    "heard_at",
                    models.DateTimeField(
                        default=django.utils.timezone.now, help_text="last sign of life"
                    ),
                ),
                (
                    "lease",
                    models.CharField(
                        blank=True,
                        default="",
                        help_text="of the process that performs it",
                        max_length=80,
                    ),
                ),
                (
                    "n_deaths",
                    models.PositiveSmallIntegerField(
                        default=0, help_text="processes that died while performing it"
                    ),
                ),
                (
                    "n_tries",
                    models.PositiveSmallIntegerField(
                        default=0, help_text="each was postponed, since a service did not respond"
                    ),
                ),
                (
                    "is_wanted_again",
                    models.BooleanField(
                        default=False, help_text="requested again while it was under way"
                    ),
                ),
                ("finished_at", models.DateTimeField(blank=True, null=True)),
                (
                    "requested_by",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "ordering": ["-pk"],
            },
        ),
        migrations.CreateModel(
            name="LimitedAccount",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "home",
                    models.CharField(
                        help_text="name of its first page, such as app:account", max_length=60
                    ),
                ),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                (
                    "user",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="limited_account",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="Context",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("number", models.PositiveSmallIntegerField(help_text="context_number: 1 or 2")),
                ("text", models.TextField()),
                ("word1_start", models.PositiveIntegerField()),
                ("word1_end", models.PositiveIntegerField()),
                ("word2_start", models.PositiveIntegerField()),
                ("word2_end", models.PositiveIntegerField()),
                (
                    "pair",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="contexts",
                        to="surveys.pair",
                    ),
                ),
            ],
            options={
                "ordering": ["pair__position", "number"],
            },
            bases=(surveys.models.stimuli.SpannedText, models.Model),
        ),
        migrations.CreateModel(
            name="Questionnaire",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("letter", models.CharField(choices=[("A", "A"), ("B", "B")], max_length=1)),
                (
                    "block",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="questionnaires",
                        to="surveys.block",
                    ),
                ),
            ],
            options={
                "ordering": ["block__number", "letter"],
            },
        ),
        migrations.CreateModel(
            name="Item",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("position", models.PositiveIntegerField(help_text="from 1")),
                (
                    "context",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="item",
                        to="surveys.context",
                    ),
                ),
                (
                    "questionnaire",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="items",
                        to="surveys.questionnaire",
                    ),
                ),
            ],
            options={
                "ordering": ["questionnaire", "position"],
            },
        ),
        migrations.CreateModel(
            name="Assignment",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "token",
                    models.CharField(
                        default=surveys.models.participation.make_token, max_length=22, unique=True
                    ),
                ),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("offered", "Offered"),
                            ("started", "Started"),
                            ("submitted", "Submitted"),
                            ("expired", "Expired"),
                            ("returned", "Returned"),
                            ("withdrawn", "Withdrawn"),
                        ],
                        default="offered",
                        max_length=10,
                    ),
                ),
                (
                    "reason",
                    models.CharField(
                        blank=True, default="", help_text="why this questionnaire", max_length=200
                    ),
                ),
                (
                    "seed",
                    models.BigIntegerField(
                        default=0, help_text="of the choice and the order of the items"
                    ),
                ),
                ("n_items", models.PositiveSmallIntegerField(help_text="texts laid out")),
                (
                    "is_over_quota",
                    models.BooleanField(
                        default=False,
                        help_text="resumed after its place was given to another annotator",
                    ),
                ),
                ("ended_because", models.CharField(blank=True, default="", max_length=200)),
                ("offered_at", models.DateTimeField(default=django.utils.timezone.now)),
                (
                    "active_at",
                    models.DateTimeField(
                        default=django.utils.timezone.now,
                        help_text="the last sign of life, answers apart",
                    ),
                ),
                ("started_at", models.DateTimeField(blank=True, null=True)),
                ("submitted_at", models.DateTimeField(blank=True, null=True)),
                (
                    "filed_at",
                    models.DateTimeField(
                        blank=True, help_text="when its answers were queued for review", null=True
                    ),
                ),
                (
                    "annotator",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="assignments",
                        to="surveys.annotator",
                    ),
                ),
                (
                    "questionnaire",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="assignments",
                        to="surveys.questionnaire",
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="Response",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("position", models.PositiveSmallIntegerField(help_text="from 1")),
                ("inspired_word1", models.CharField(blank=True, max_length=50)),
                ("inspired_word2", models.CharField(blank=True, max_length=50)),
                (
                    "engaged_at",
                    models.DateTimeField(
                        blank=True, help_text="when page 1 was answered", null=True
                    ),
                ),
                (
                    "rating",
                    models.DecimalField(blank=True, decimal_places=2, max_digits=5, null=True),
                ),
                (
                    "is_unjudgeable",
                    models.BooleanField(default=False, help_text="the annotator cannot judge"),
                ),
                ("comment", models.CharField(blank=True, default="", max_length=500)),
                (
                    "rated_at",
                    models.DateTimeField(
                        blank=True, help_text="when page 2 was answered", null=True
                    ),
                ),
                (
                    "first_rating",
                    models.DecimalField(
                        blank=True,
                        decimal_places=2,
                        help_text="before the annotator changed it; empty if they could not judge at first",
                        max_digits=5,
                        null=True,
                    ),
                ),
                (
                    "changed_at",
                    models.DateTimeField(
                        blank=True,
                        help_text="when the annotator last changed the answer to page 2",
                        null=True,
                    ),
                ),
                ("words_shown_at", models.DateTimeField(blank=True, null=True)),
                ("rating_shown_at", models.DateTimeField(blank=True, null=True)),
                ("words_visible_seconds", models.FloatField(blank=True, null=True)),
                ("rating_visible_seconds", models.FloatField(blank=True, null=True)),
                (
                    "scale_layout",
                    models.CharField(
                        blank=True,
                        choices=[
                            ("row", "one line"),
                            ("column", "one below the other"),
                            ("field", "a field for the number"),
                            ("slider", "a field for the number, and a slider"),
                        ],
                        default="",
                        help_text="reported by the rating's page",
                        max_length=6,
                    ),
                ),
                ("has_pasted_word1", models.BooleanField(default=False)),
                ("has_pasted_word2", models.BooleanField(default=False)),
                (
                    "is_erased",
                    models.BooleanField(default=False, help_text="at the annotator's request"),
                ),
                (
                    "annotator",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="responses",
                        to="surveys.annotator",
                    ),
                ),
                (
                    "assignment",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="responses",
                        to="surveys.assignment",
                    ),
                ),
                (
                    "context",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="responses",
                        to="surveys.context",
                    ),
                ),
                (
                    "pair",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="responses",
                        to="surveys.pair",
                    ),
                ),
            ],
            options={
                "ordering": ["assignment", "position"],
            },
        ),
        migrations.CreateModel(
            name="Review",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("evidence", models.JSONField(blank=True, default=list)),
                (
                    "risk",
                    models.PositiveSmallIntegerField(default=0, help_text="weight of the evidence"),
                ),
                (
                    "draw",
                    models.PositiveSmallIntegerField(
                        help_text="random; decides about sample and second reviewer"
                    ),
                ),
                (
                    "n_wanted",
                    models.PositiveSmallIntegerField(default=1, help_text="reviewers, 1 or 2"),
                ),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("open", "to be judged"),
                            ("not drawn", "not in the sample"),
                            ("disputed", "judged differently by two reviewers"),
                            ("decided", "judged"),
                            ("covered", "judged with its whole questionnaire"),
                            ("withdrawn", "withdrawn by the annotator"),
                        ],
                        default="open",
                        max_length=10,
                    ),
                ),
                (
                    "outcome",
                    models.CharField(
                        blank=True,
                        choices=[
                            ("good", "good"),
                            ("unused", "pay, exclude from data"),
                            ("rejected", "reject"),
                        ],
                        default="",
                        max_length=10,
                    ),
                ),
                ("filed_at", models.DateTimeField(auto_now_add=True)),
                (
                    "assignment",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="reviews",
                        to="surveys.assignment",
                    ),
                ),
                (
                    "response",
                    models.OneToOneField(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="review",
                        to="surveys.response",
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="ReviewClaim",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("until", models.DateTimeField()),
                (
                    "review",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="claims",
                        to="surveys.review",
                    ),
                ),
                (
                    "reviewer",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="Round",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("number", models.PositiveSmallIntegerField(help_text="from 1")),
                (
                    "is_current",
                    models.BooleanField(default=True, help_text="its answers make the dataset"),
                ),
                ("opened_at", models.DateTimeField(auto_now_add=True)),
                ("opened_by", models.CharField(blank=True, default="", max_length=150)),
                ("reason", models.CharField(blank=True, default="", max_length=500)),
                (
                    "block",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="rounds",
                        to="surveys.block",
                    ),
                ),
            ],
            options={
                "ordering": ["block__number", "number"],
            },
        ),
        migrations.AddField(
            model_name="assignment",
            name="round",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.PROTECT,
                related_name="assignments",
                to="surveys.round",
            ),
        ),
        migrations.CreateModel(
            name="Study",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "slug",
                    models.SlugField(
                        error_messages={
                            "invalid": "Use letters, digits, hyphens and underscores only."
                        },
                        unique=True,
                        verbose_name="Short name",
                    ),
                ),
                (
                    "title",
                    models.CharField(
                        help_text="Shown to researchers.", max_length=200, verbose_name="Title"
                    ),
                ),
                (
                    "public_title",
                    models.CharField(
                        blank=True,
                        default="",
                        help_text="Heading of their first page; also in invitations and reminders. Empty: no title is given.",
                        max_length=200,
                        verbose_name="Title for annotators",
                    ),
                ),
                (
                    "language",
                    models.CharField(
                        help_text="BCP 47 tag, such as sl or pt-BR.",
                        max_length=35,
                        validators=[surveys.models.study.validate_language],
                        verbose_name="Language of the texts",
                    ),
                ),
                (
                    "scale_minimum",
                    models.DecimalField(
                        decimal_places=2,
                        default=Decimal(0),
                        max_digits=5,
                        validators=[
                            django.core.validators.MinValueValidator(-100),
                            django.core.validators.MaxValueValidator(100),
                        ],
                        verbose_name="Lowest point",
                    ),
                ),
                (
                    "scale_maximum",
                    models.DecimalField(
                        decimal_places=2,
                        default=Decimal(6),
                        max_digits=5,
                        validators=[
                            django.core.validators.MinValueValidator(-100),
                            django.core.validators.MaxValueValidator(100),
                        ],
                        verbose_name="Highest point",
                    ),
                ),
                (
                    "scale_step",
                    models.DecimalField(
                        decimal_places=2,
                        default=Decimal(1),
                        max_digits=5,
                        validators=[
                            django.core.validators.MinValueValidator(-100),
                            django.core.validators.MaxValueValidator(100),
                        ],
                        verbose_name="Step",
                    ),
                ),
                (
                    "scale_labels",
                    models.JSONField(
                        blank=True,
                        default=dict,
                        help_text="Words by point of the scale. Empty: the two ends have labels.",
                        verbose_name="Labels of points",
                    ),
                ),
                (
                    "question_forms",
                    models.CharField(
                        choices=[
                            ("dictionary", "dictionary forms"),
                            ("text", "the forms used in the text"),
                        ],
                        default="dictionary",
                        help_text="Dictionary forms, as in CoSimLex: where the text has “soldiers”, the question names “soldier”.",
                        max_length=10,
                        verbose_name="Forms of the two words in the question",
                    ),
                ),
                (
                    "variant",
                    models.CharField(
                        choices=[
                            ("plain", "plain: the rule, in the wording of CoSimLex"),
                            (
                                "trained",
                                "trained: with examples whose similarity changes between two texts",
                            ),
                        ],
                        default="plain",
                        help_text="Of Cosima’s instructions, practice and check, the labels of both ends, and the question. Texts of your own stay.",
                        max_length=10,
                        verbose_name="Texts and wording",
                    ),
                ),
                (
                    "digits",
                    models.CharField(
                        blank=True,
                        choices=[
                            ("", "as usual in the language"),
                            ("latn", "0 1 2 3"),
                            ("arab", "٠ ١ ٢ ٣"),
                            ("arabext", "۰ ۱ ۲ ۳"),
                        ],
                        default="",
                        help_text="Usual are Western digits in Arabic, and Persian ones in Persian.",
                        max_length=7,
                        verbose_name="Digits of the pages in Arabic and Persian",
                    ),
                ),
                (
                    "ratings_per_context",
                    models.PositiveSmallIntegerField(
                        default=11,
                        validators=[
                            django.core.validators.MinValueValidator(1),
                            django.core.validators.MaxValueValidator(10000),
                        ],
                        verbose_name="Ratings per context",
                    ),
                ),
                (
                    "block_size",
                    models.PositiveSmallIntegerField(
                        default=20,
                        help_text="Rated in one assignment.",
                        validators=[
                            django.core.validators.MinValueValidator(1),
                            django.core.validators.MaxValueValidator(10000),
                        ],
                        verbose_name="Pairs in a block, at most",
                    ),
                ),
                (
                    "lease_hours",
                    models.PositiveSmallIntegerField(
                        default=24,
                        validators=[
                            django.core.validators.MinValueValidator(1),
                            django.core.validators.MaxValueValidator(10000),
                        ],
                        verbose_name="Hours for which a place is reserved without an answer",
                    ),
                ),
                (
                    "seed",
                    models.BigIntegerField(
                        default=0,
                        help_text="The same seed and stimuli give the same blocks.",
                        verbose_name="Seed",
                    ),
                ),
                (
                    "stimuli_sha256",
                    models.CharField(
                        help_text="digest of the stimuli in Cosima's own writing (LF, no BOM)",
                        max_length=64,
                    ),
                ),
                (
                    "assigning_policy",
                    models.CharField(
                        choices=[
                            ("balanced", "all questionnaires fill up evenly"),
                            ("blockwise", "a block is filled before the next begins"),
                            ("random", "any free place, by chance"),
                        ],
                        default="balanced",
                        max_length=10,
                        verbose_name="Assignment of questionnaires",
                    ),
                ),
                (
                    "organisation",
                    models.CharField(
                        blank=True,
                        default="",
                        help_text="Shown to annotators. Required to open the study.",
                        max_length=200,
                        verbose_name="Organisation that runs the study",
                    ),
                ),
                (
                    "contact",
                    models.CharField(
                        blank=True,
                        default="",
                        help_text="Such as an e-mail address; shown to annotators. Required to open the study.",
                        max_length=200,
                        verbose_name="Contact for annotators",
                    ),
                ),
                (
                    "ethics",
                    models.CharField(
                        blank=True,
                        default="",
                        help_text="Board and reference, such as “University of …, no. 123”; shown to annotators. Empty: not mentioned.",
                        max_length=300,
                        verbose_name="Ethics approval",
                    ),
                ),
                (
                    "legal_basis",
                    models.CharField(
                        blank=True,
                        default="",
                        help_text="Such as “Your consent (GDPR, article 6(1)(a))”, in the language of the study. Shown to annotators. Empty: not mentioned.",
                        max_length=300,
                        verbose_name="Legal basis for storing personal data",
                    ),
                ),
                (
                    "authority",
                    models.CharField(
                        blank=True,
                        default="",
                        help_text="To which annotators may complain. Shown to annotators. Empty: not mentioned.",
                        max_length=300,
                        verbose_name="Authority for complaints",
                    ),
                ),
                (
                    "data_protection_officer",
                    models.CharField(
                        blank=True,
                        default="",
                        help_text="Name or address. Shown to annotators. Empty: not mentioned.",
                        max_length=300,
                        verbose_name="Data protection officer",
                    ),
                ),
                (
                    "pay",
                    models.CharField(
                        blank=True,
                        default="",
                        help_text="Such as “£2.50”, in the language of the study; shown to annotators before they agree. Empty: not mentioned.",
                        max_length=100,
                        verbose_name="Pay",
                    ),
                ),
                (
                    "pay_for_more",
                    models.CharField(
                        blank=True,
                        default="",
                        help_text="Shown where another block is offered. Empty: annotators read that it is not paid, if the first one was.",
                        max_length=100,
                        verbose_name="Pay for another block",
                    ),
                ),
                (
                    "allows_unjudgeable",
                    models.BooleanField(
                        default=False, verbose_name="Annotators may say that they cannot judge"
                    ),
                ),
                (
                    "sends_choice",
                    models.BooleanField(
                        default=False,
                        help_text="After a moment, in which it can be undone.",
                        verbose_name="Choosing a number sends it",
                    ),
                ),
                (
                    "allows_more_blocks",
                    models.BooleanField(
                        default=False,
                        verbose_name="Annotators can do another block after finishing one",
                    ),
                ),
                (
                    "erases_withdrawn",
                    models.BooleanField(
                        default=True,
                        help_text="Otherwise they are kept, unused.",
                        verbose_name="Withdrawal erases the answers",
                    ),
                ),
                (
                    "publishes_words",
                    models.BooleanField(
                        default=False,
                        help_text="The consent text says so.",
                        verbose_name="Words written by annotators are published",
                    ),
                ),
                (
                    "n_check_tries",
                    models.PositiveSmallIntegerField(
                        default=0,
                        help_text="0: no check.",
                        validators=[
                            django.core.validators.MinValueValidator(0),
                            django.core.validators.MaxValueValidator(10000),
                        ],
                        verbose_name="Tries for the comprehension check",
                    ),
                ),
                (
                    "n_checkpoints",
                    models.PositiveSmallIntegerField(
                        default=0,
                        help_text="Texts with a known rating.",
                        validators=[
                            django.core.validators.MinValueValidator(0),
                            django.core.validators.MaxValueValidator(10000),
                        ],
                        verbose_name="Checkpoint items in an assignment",
                    ),
                ),
                (
                    "seconds_per_item",
                    models.PositiveSmallIntegerField(
                        default=45,
                        help_text="For both pages; estimated from the length of the texts.",
                        validators=[
                            django.core.validators.MinValueValidator(1),
                            django.core.validators.MaxValueValidator(10000),
                        ],
                        verbose_name="Seconds per text",
                    ),
                ),
                (
                    "revision",
                    models.CharField(
                        default=surveys.models.study.make_revision,
                        help_text="changes whenever the study does",
                        max_length=16,
                    ),
                ),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                (
                    "opened_at",
                    models.DateTimeField(
                        blank=True,
                        help_text="when it opened to annotators; empty for a draft",
                        null=True,
                    ),
                ),
                (
                    "closed_at",
                    models.DateTimeField(
                        blank=True,
                        help_text="when it closed to new annotators; empty while open",
                        null=True,
                    ),
                ),
                (
                    "archived_at",
                    models.DateTimeField(
                        blank=True,
                        help_text="when a draft or closed study left the list of studies",
                        null=True,
                    ),
                ),
                (
                    "retention_days",
                    models.PositiveSmallIntegerField(
                        blank=True,
                        help_text="after payment, until provider ids and notes are dropped; empty for never",
                        null=True,
                    ),
                ),
                (
                    "settled_at",
                    models.DateTimeField(
                        blank=True,
                        help_text="when it was over and everybody had been paid",
                        null=True,
                    ),
                ),
            ],
            options={
                "verbose_name_plural": "studies",
                "ordering": ["slug"],
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(
                            ("scale_minimum__lt", models.F("scale_maximum")), ("scale_step__gt", 0)
                        ),
                        name="scale_has_two_ends",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            ("block_size__gte", 1),
                            ("lease_hours__gte", 1),
                            ("ratings_per_context__gte", 1),
                        ),
                        name="study_asks_for_work",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            ("closed_at", None), ("opened_at__isnull", False), _connector="OR"
                        ),
                        name="only_open_studies_close",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            ("archived_at", None),
                            ("opened_at", None),
                            ("closed_at__isnull", False),
                            _connector="OR",
                        ),
                        name="studies_that_collect_are_not_archived",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="StimuliOrigin",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("sources", models.JSONField(default=dict)),
                (
                    "origin",
                    models.JSONField(
                        default=dict, help_text="how they were found: origin_<lang>.json"
                    ),
                ),
                (
                    "study",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="stimuli_origin",
                        to="surveys.study",
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="Run",
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
                            ("results", "results to look at"),
                            ("release", "a release to publish"),
                            ("links", "personal links"),
                            ("export", "a file of the answers"),
                            ("verify", "verification of a release"),
                            ("deposit", "draft of a release in a repository"),
                            ("rehearse", "a rehearsal by scripted annotators"),
                            ("compare", "comparison with another collection"),
                        ],
                        help_text="or a kind of an app",
                        max_length=10,
                    ),
                ),
                (
                    "number",
                    models.PositiveIntegerField(help_text="within the study and the kind, from 1"),
                ),
                ("recipe", models.TextField(blank=True, default="", help_text="TOML")),
                ("recipe_name", models.CharField(blank=True, default="", max_length=60)),
                (
                    "collected_at",
                    models.DateTimeField(
                        blank=True, help_text="just before the ratings were read", null=True
                    ),
                ),
                ("report", models.JSONField(blank=True, null=True)),
                (
                    "archive",
                    models.FileField(blank=True, upload_to=surveys.models.results.name_file),
                ),
                (
                    "ledger",
                    models.FileField(blank=True, upload_to=surveys.models.results.name_file),
                ),
                (
                    "job",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="run",
                        to="surveys.job",
                    ),
                ),
                (
                    "release",
                    models.OneToOneField(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="run",
                        to="surveys.release",
                    ),
                ),
                (
                    "study",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="runs",
                        to="surveys.study",
                    ),
                ),
            ],
            options={
                "ordering": ["-pk"],
            },
        ),
        migrations.CreateModel(
            name="ReviewSettings",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "sample_percent",
                    models.PositiveSmallIntegerField(
                        default=100,
                        help_text="Answers with evidence are always judged. With 20, a random fifth of the others is judged, too.",
                        validators=[django.core.validators.MaxValueValidator(100)],
                        verbose_name="Answers without evidence that are judged, in per cent",
                    ),
                ),
                (
                    "double_percent",
                    models.PositiveSmallIntegerField(
                        default=0,
                        help_text="Neither sees the other’s verdict; where they differ, a third reviewer decides.",
                        validators=[django.core.validators.MaxValueValidator(100)],
                        verbose_name="Answers judged by two reviewers, in per cent",
                    ),
                ),
                (
                    "study",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="review_settings",
                        to="surveys.study",
                    ),
                ),
            ],
            options={
                "verbose_name_plural": "review settings",
            },
        ),
        migrations.AddField(
            model_name="review",
            name="study",
            field=models.ForeignKey(
                db_index=False,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="reviews",
                to="surveys.study",
            ),
        ),
        migrations.CreateModel(
            name="Reservation",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("token", models.UUIDField(default=uuid.uuid4, editable=False, unique=True)),
                (
                    "pay",
                    models.CharField(
                        help_text="for the questionnaire, as annotators read it", max_length=40
                    ),
                ),
                ("closed_at", models.DateTimeField(blank=True, null=True)),
                (
                    "questionnaire",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="reservations",
                        to="surveys.questionnaire",
                    ),
                ),
                (
                    "study",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="reservations",
                        to="surveys.study",
                    ),
                ),
            ],
            options={
                "ordering": ["pk"],
            },
        ),
        migrations.AddField(
            model_name="release",
            name="study",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.PROTECT,
                related_name="releases",
                to="surveys.study",
            ),
        ),
        migrations.CreateModel(
            name="Place",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "number",
                    models.PositiveSmallIntegerField(help_text="from 1 to the ratings wanted"),
                ),
                (
                    "is_open",
                    models.BooleanField(
                        default=True,
                        help_text="closed when the block is repeated, or fewer ratings are wanted",
                    ),
                ),
                (
                    "is_replaced",
                    models.BooleanField(
                        default=False,
                        help_text="its assignment was set aside and another place opened instead",
                    ),
                ),
                (
                    "assignment",
                    models.OneToOneField(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="place",
                        to="surveys.assignment",
                    ),
                ),
                (
                    "questionnaire",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="places",
                        to="surveys.questionnaire",
                    ),
                ),
                (
                    "reservation",
                    models.ForeignKey(
                        blank=True,
                        db_index=False,
                        help_text="only its workers get this place, until it is closed",
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="places",
                        to="surveys.reservation",
                    ),
                ),
                (
                    "round",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="places",
                        to="surveys.round",
                    ),
                ),
                (
                    "study",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="places",
                        to="surveys.study",
                    ),
                ),
            ],
        ),
        migrations.AddField(
            model_name="pair",
            name="study",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.PROTECT,
                related_name="pairs",
                to="surveys.study",
            ),
        ),
        migrations.CreateModel(
            name="Membership",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "role",
                    models.CharField(
                        choices=[
                            ("owner", "owner: everything, people and personal data included"),
                            ("researcher", "researcher: sets up, collects, computes and releases"),
                            ("reviewer", "reviewer: reads the collection and judges answers"),
                        ],
                        max_length=10,
                    ),
                ),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                (
                    "user",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="memberships",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "study",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="memberships",
                        to="surveys.study",
                    ),
                ),
            ],
            options={
                "ordering": ["study", "user__username"],
            },
        ),
        migrations.AddField(
            model_name="job",
            name="study",
            field=models.ForeignKey(
                blank=True,
                help_text="for access",
                null=True,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="jobs",
                to="surveys.study",
            ),
        ),
        migrations.CreateModel(
            name="Invitation",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "token",
                    models.CharField(
                        default=surveys.models.participation.make_token, max_length=22, unique=True
                    ),
                ),
                (
                    "note",
                    models.CharField(
                        blank=True,
                        default="",
                        help_text="its recipient: a label or an address",
                        max_length=200,
                    ),
                ),
                (
                    "note_digest",
                    models.CharField(
                        blank=True,
                        default="",
                        help_text="in place of a note that was dropped",
                        max_length=64,
                    ),
                ),
                (
                    "is_rehearsal",
                    models.BooleanField(default=False, help_text="used by a scripted annotator"),
                ),
                ("revoked_at", models.DateTimeField(blank=True, null=True)),
                ("revoked_because", models.CharField(blank=True, default="", max_length=200)),
                (
                    "no_mail_since",
                    models.DateTimeField(
                        blank=True,
                        help_text="when its recipient asked for no more e-mail",
                        null=True,
                    ),
                ),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                (
                    "annotator",
                    models.OneToOneField(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="invitation",
                        to="surveys.annotator",
                    ),
                ),
                (
                    "entrance",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="invitations",
                        to="surveys.entrance",
                    ),
                ),
                (
                    "study",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="invitations",
                        to="surveys.study",
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="ImportedCollection",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("number", models.PositiveIntegerField(help_text="within the study, from 1")),
                ("name", models.CharField(max_length=60)),
                (
                    "kind",
                    models.CharField(
                        choices=[("people", "people"), ("model", "a language model")], max_length=10
                    ),
                ),
                (
                    "model",
                    models.CharField(
                        blank=True, default="", help_text="of a model: name", max_length=200
                    ),
                ),
                ("model_version", models.CharField(blank=True, default="", max_length=200)),
                ("prompt_sha256", models.CharField(blank=True, default="", max_length=64)),
                (
                    "rated_on",
                    models.CharField(
                        blank=True,
                        default="",
                        help_text="of a model: a day, such as 2026-05-31",
                        max_length=10,
                    ),
                ),
                (
                    "language",
                    models.CharField(
                        help_text="BCP 47 tag of the texts, such as sl", max_length=35
                    ),
                ),
                ("scale_minimum", models.DecimalField(decimal_places=2, max_digits=5)),
                ("scale_maximum", models.DecimalField(decimal_places=2, max_digits=5)),
                ("scale_step", models.DecimalField(decimal_places=2, max_digits=5)),
                ("ratings", models.TextField(help_text="tab-separated")),
                ("n_ratings", models.PositiveIntegerField()),
                ("n_annotators", models.PositiveIntegerField()),
                ("sha256", models.CharField(help_text="digest of the file", max_length=64)),
                ("imported_at", models.DateTimeField(auto_now_add=True)),
                (
                    "imported_by",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "study",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="imported_collections",
                        to="surveys.study",
                    ),
                ),
            ],
            options={
                "ordering": ["-number"],
            },
        ),
        migrations.AddField(
            model_name="entrance",
            name="study",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.PROTECT,
                related_name="entrances",
                to="surveys.study",
            ),
        ),
        migrations.CreateModel(
            name="Deposit",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "repository",
                    models.CharField(
                        choices=[("zenodo", "Zenodo"), ("huggingface", "Hugging Face")],
                        max_length=12,
                    ),
                ),
                ("host", models.CharField(help_text="such as sandbox.zenodo.org", max_length=200)),
                (
                    "remote_id",
                    models.CharField(help_text="of the draft, in the repository", max_length=200),
                ),
                ("url", models.URLField(help_text="where its owner sees it", max_length=500)),
                (
                    "doi",
                    models.CharField(
                        blank=True, default="", help_text="reserved for it", max_length=200
                    ),
                ),
                (
                    "file_names",
                    models.JSONField(blank=True, default=list, help_text="sent by this site"),
                ),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                (
                    "sent_at",
                    models.DateTimeField(
                        blank=True,
                        help_text="when all files had arrived; empty: not yet",
                        null=True,
                    ),
                ),
                (
                    "release",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="deposits",
                        to="surveys.release",
                    ),
                ),
                (
                    "study",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="deposits",
                        to="surveys.study",
                    ),
                ),
            ],
            options={
                "ordering": ["repository", "host"],
            },
        ),
        migrations.AddField(
            model_name="consentnotice",
            name="study",
            field=models.ForeignKey(
                db_index=False,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="notices",
                to="surveys.study",
            ),
        ),
        migrations.AddField(
            model_name="block",
            name="study",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.PROTECT,
                related_name="blocks",
                to="surveys.study",
            ),
        ),
        migrations.CreateModel(
            name="AuditEntry",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "scope",
                    models.CharField(
                        blank=True,
                        default="",
                        help_text="other than a study, such as sharedtask:7",
                        max_length=60,
                    ),
                ),
                ("at", models.DateTimeField(auto_now_add=True)),
                (
                    "actor",
                    models.CharField(
                        help_text="name of the user at that time, or of the program", max_length=150
                    ),
                ),
                ("action", models.CharField(help_text="such as study.configured", max_length=40)),
                ("subject", models.CharField(blank=True, default="", max_length=200)),
                ("details", models.JSONField(blank=True, default=dict)),
                (
                    "user",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "study",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="audit_entries",
                        to="surveys.study",
                    ),
                ),
            ],
            options={
                "verbose_name_plural": "audit entries",
                "ordering": ["-pk"],
            },
        ),
        migrations.AddField(
            model_name="assignment",
            name="study",
            field=models.ForeignKey(
                db_index=False,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="assignments",
                to="surveys.study",
            ),
        ),
        migrations.AddField(
            model_name="annotator",
            name="study",
            field=models.ForeignKey(
                db_index=False,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="annotators",
                to="surveys.study",
            ),
        ),
        migrations.CreateModel(
            name="StudyText",
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
                ("version", models.PositiveIntegerField(help_text="from 1")),
                ("body", models.TextField(blank=True)),
                (
                    "language",
                    models.CharField(
                        blank=True,
                        default="",
                        help_text="BCP 47 tag; empty for that of the study",
                        max_length=35,
                    ),
                ),
                (
                    "variant",
                    models.CharField(
                        choices=[
                            ("plain", "plain: the rule, in the wording of CoSimLex"),
                            (
                                "trained",
                                "trained: with examples whose similarity changes between two texts",
                            ),
                            ("own", "own"),
                        ],
                        default="own",
                        help_text="if it is a default text",
                        max_length=10,
                    ),
                ),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                ("reviewed_by", models.CharField(blank=True, default="", max_length=150)),
                ("reviewed_at", models.DateTimeField(blank=True, null=True)),
                (
                    "study",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="texts",
                        to="surveys.study",
                    ),
                ),
            ],
            options={
                "ordering": ["study", "kind", "-version"],
            },
        ),
        migrations.CreateModel(
            name="MailDelivery",
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
                (
                    "address_digest",
                    models.CharField(help_text="keyed, of the address", max_length=64),
                ),
                ("attempts", models.PositiveSmallIntegerField(default=0)),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                ("attempted_at", models.DateTimeField(blank=True, null=True)),
                ("sent_at", models.DateTimeField(blank=True, null=True)),
                ("error", models.CharField(blank=True, default="", max_length=200)),
                (
                    "invitation",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="mails",
                        to="surveys.invitation",
                    ),
                ),
                (
                    "job",
                    models.OneToOneField(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="mail",
                        to="surveys.job",
                    ),
                ),
                (
                    "study",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="mails",
                        to="surveys.study",
                    ),
                ),
                (
                    "text",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="surveys.studytext",
                    ),
                ),
            ],
            options={
                "verbose_name_plural": "mail deliveries",
                "ordering": ["-pk"],
            },
        ),
        migrations.AddField(
            model_name="annotator",
            name="consent",
            field=models.ForeignKey(
                help_text="the version that was agreed to",
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="+",
                to="surveys.studytext",
            ),
        ),
        migrations.CreateModel(
            name="Verdict",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "opinion",
                    models.PositiveSmallIntegerField(
                        help_text="1 or 2: an independent verdict; 3: settles a dispute of the two"
                    ),
                ),
                (
                    "kind",
                    models.CharField(
                        choices=[
                            ("good", "good"),
                            ("unused", "pay, exclude from data"),
                            ("rejected", "reject"),
                        ],
                        max_length=10,
                    ),
                ),
                ("reason", models.CharField(blank=True, default="", max_length=500)),
                ("at", models.DateTimeField(auto_now_add=True)),
                ("undone_at", models.DateTimeField(blank=True, null=True)),
                (
                    "review",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="verdicts",
                        to="surveys.review",
                    ),
                ),
                (
                    "reviewer",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="verdicts",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "ordering": ["pk"],
            },
        ),
        migrations.CreateModel(
            name="Webhook",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("url", models.CharField(max_length=500)),
                (
                    "secret",
                    models.CharField(help_text="signs what is sent; shown once", max_length=64),
                ),
                ("events", models.JSONField(default=list)),
                ("is_active", models.BooleanField(default=True)),
                (
                    "failed_at",
                    models.DateTimeField(
                        blank=True, help_text="when a message last failed", null=True
                    ),
                ),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                (
                    "study",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="webhooks",
                        to="surveys.study",
                    ),
                ),
            ],
            options={
                "ordering": ["pk"],
            },
        ),
        migrations.CreateModel(
            name="Delivery",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "event",
                    models.CharField(
                        choices=[
                            ("assignment.finished", "Assignment Finished"),
                            ("block.finished", "Block Finished"),
                            ("run.finished", "Run Finished"),
                        ],
                        max_length=30,
                    ),
                ),
                ("subject", models.CharField(help_text="what it happened to", max_length=60)),
                ("payload", models.JSONField()),
                ("attempts", models.PositiveSmallIntegerField(default=0)),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                ("delivered_at", models.DateTimeField(blank=True, null=True)),
                ("error", models.CharField(blank=True, default="", max_length=200)),
                (
                    "job",
                    models.OneToOneField(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        to="surveys.job",
                    ),
                ),
                (
                    "webhook",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="deliveries",
                        to="surveys.webhook",
                    ),
                ),
            ],
            options={
                "verbose_name_plural": "deliveries",
                "ordering": ["-pk"],
            },
        ),
        migrations.CreateModel(
            name="Worker",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "provider",
                    models.CharField(
                        choices=[
                            ("link", "open link"),
                            ("prolific", "Prolific"),
                            ("simulator", "MTurk simulator"),
                            ("sandbox", "MTurk sandbox"),
                            ("production", "MTurk"),
                        ],
                        max_length=10,
                    ),
                ),
                ("worker_id", models.CharField(max_length=64)),
                ("is_digest", models.BooleanField(default=False, help_text="the id was dropped")),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(
                        fields=("provider", "worker_id"), name="one_row_a_worker"
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="Visit",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("provider_study", models.CharField(max_length=64)),
                ("submission", models.CharField(max_length=64)),
                ("completion_code", models.CharField(blank=True, default="", max_length=40)),
                ("arrived_at", models.DateTimeField(auto_now_add=True)),
                (
                    "deadline_at",
                    models.DateTimeField(
                        blank=True, help_text="deadline for handing in at the provider", null=True
                    ),
                ),
                (
                    "returned_at",
                    models.DateTimeField(
                        blank=True,
                        help_text="when another worker was found to have taken the place",
                        null=True,
                    ),
                ),
                (
                    "provider_state",
                    models.CharField(
                        blank=True,
                        choices=[
                            ("reserved", "Reserved"),
                            ("active", "Active"),
                            ("submitted", "submitted, to be paid or rejected"),
                            ("approved", "Approved"),
                            ("rejected", "Rejected"),
                            ("returned", "Returned"),
                            ("timed out", "Timed Out"),
                            ("screened out", "Screened Out"),
                        ],
                        default="",
                        help_text="last known",
                        max_length=12,
                    ),
                ),
                ("accepted_at", models.DateTimeField(blank=True, null=True)),
                ("handed_in_at", models.DateTimeField(blank=True, null=True)),
                (
                    "decided_at",
                    models.DateTimeField(blank=True, help_text="approved or rejected", null=True),
                ),
                (
                    "standing",
                    models.CharField(
                        blank=True,
                        choices=[
                            ("payable", "Payable"),
                            ("held", "held: a person decides"),
                            ("settled", "settled: paid, or rejected by a person"),
                            ("unpaid", "unpaid work: finished, and not to be paid the usual way"),
                            ("expired", "expired: its place is open again"),
                        ],
                        default="",
                        max_length=8,
                    ),
                ),
                (
                    "has_wrong_code",
                    models.BooleanField(
                        default=False, help_text="handed in with a wrong code or none"
                    ),
                ),
                ("held_because", models.CharField(blank=True, default="", max_length=200)),
                (
                    "assignment",
                    models.ForeignKey(
                        blank=True,
                        help_text="empty for work submitted at the provider without an arrival here",
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="visits",
                        to="surveys.assignment",
                    ),
                ),
                (
                    "entrance",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="visits",
                        to="surveys.entrance",
                    ),
                ),
                (
                    "reservation",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="visits",
                        to="surveys.reservation",
                    ),
                ),
                (
                    "worker",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="visits",
                        to="surveys.worker",
                    ),
                ),
            ],
            options={
                "ordering": ["pk"],
            },
        ),
        migrations.AddField(
            model_name="annotator",
            name="worker",
            field=models.ForeignKey(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="annotators",
                to="surveys.worker",
            ),
        ),
        migrations.CreateModel(
            name="WrittenDescription",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("body", models.TextField(blank=True, default="", help_text="TOML")),
                ("updated_at", models.DateTimeField(auto_now=True)),
                (
                    "study",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="written_description",
                        to="surveys.study",
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="Checkpoint",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("lowest", models.DecimalField(decimal_places=2, max_digits=5)),
                ("highest", models.DecimalField(decimal_places=2, max_digits=5)),
                (
                    "context",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="checkpoint",
                        to="surveys.context",
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("lowest__lte", models.F("highest"))),
                        name="checkpoint_has_a_range",
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="Arrival",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("address_digest", models.CharField(max_length=64)),
                ("arrived_at", models.DateTimeField(default=django.utils.timezone.now)),
                (
                    "entrance",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="arrivals",
                        to="surveys.entrance",
                    ),
                ),
            ],
            options={
                "indexes": [
                    models.Index(fields=["entrance", "arrived_at"], name="recent_arrivals")
                ],
            },
        ),
        migrations.CreateModel(
            name="IdempotencyRecord",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("key", models.CharField(help_text="chosen by the program", max_length=255)),
                ("digest", models.CharField(help_text="SHA-256 of the request", max_length=64)),
                ("status", models.PositiveSmallIntegerField()),
                ("answer", models.JSONField()),
                ("created_at", models.DateTimeField(auto_now_add=True, db_index=True)),
                (
                    "user",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(fields=("user", "key"), name="one_answer_a_key")
                ],
            },
        ),
        migrations.AddConstraint(
            model_name="context",
            constraint=models.UniqueConstraint(
                fields=("pair", "number"), name="context_once_a_pair"
            ),
        ),
        migrations.AddConstraint(
            model_name="context",
            constraint=models.CheckConstraint(
                condition=models.Q(("number__in", (1, 2))), name="context_is_1_or_2"
            ),
        ),
        migrations.AddConstraint(
            model_name="context",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    ("word1_start__lt", models.F("word1_end")),
                    ("word2_start__lt", models.F("word2_end")),
                    models.Q(
                        ("word1_end__lte", models.F("word2_start")),
                        ("word2_end__lte", models.F("word1_start")),
                        _connector="OR",
                    ),
                ),
                name="targets_apart",
            ),
        ),
        migrations.AddConstraint(
            model_name="questionnaire",
            constraint=models.UniqueConstraint(
                fields=("block", "letter"), name="questionnaire_letter_once"
            ),
        ),
        migrations.AddConstraint(
            model_name="item",
            constraint=models.UniqueConstraint(
                fields=("questionnaire", "position"), name="item_place_once"
            ),
        ),
        migrations.AddConstraint(
            model_name="response",
            constraint=models.UniqueConstraint(
                fields=("annotator", "pair"), name="one_context_per_pair_per_annotator"
            ),
        ),
        migrations.AddConstraint(
            model_name="response",
            constraint=models.UniqueConstraint(
                fields=("assignment", "position"), name="one_item_a_place"
            ),
        ),
        migrations.AddConstraint(
            model_name="response",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(
                        ("engaged_at__isnull", True), ("inspired_word1", ""), ("inspired_word2", "")
                    ),
                    models.Q(
                        ("engaged_at__isnull", False),
                        models.Q(("inspired_word1", ""), _negated=True),
                        models.Q(("inspired_word2", ""), _negated=True),
                    ),
                    _connector="OR",
                ),
                name="engaged_has_two_words",
            ),
        ),
        migrations.AddConstraint(
            model_name="response",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(
                        ("is_unjudgeable", False),
                        ("rated_at__isnull", True),
                        ("rating__isnull", True),
                    ),
                    models.Q(
                        ("engaged_at__isnull", False),
                        ("rated_at__isnull", False),
                        models.Q(
                            ("rating__isnull", False), ("is_unjudgeable", True), _connector="XOR"
                        ),
                    ),
                    _connector="OR",
                ),
                name="rated_after_engaged",
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
        migrations.AddConstraint(
            model_name="response",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    ("is_erased", False), ("engaged_at__isnull", True), _connector="OR"
                ),
                name="erased_is_empty",
            ),
        ),
        migrations.AddConstraint(
            model_name="response",
            constraint=models.CheckConstraint(
                condition=models.Q(("comment", ""), ("is_unjudgeable", True), _connector="OR"),
                name="comment_says_why_not",
            ),
        ),
        migrations.AddConstraint(
            model_name="reviewclaim",
            constraint=models.UniqueConstraint(
                fields=("review", "reviewer"), name="one_claim_each"
            ),
        ),
        migrations.AddConstraint(
            model_name="round",
            constraint=models.UniqueConstraint(
                fields=("block", "number"), name="round_number_once"
            ),
        ),
        migrations.AddConstraint(
            model_name="round",
            constraint=models.UniqueConstraint(
                condition=models.Q(("is_current", True)),
                fields=("block",),
                name="one_current_round_a_block",
            ),
        ),
        migrations.AddConstraint(
            model_name="round",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    ("number", 1), models.Q(("reason", ""), _negated=True), _connector="OR"
                ),
                name="a_repeat_has_a_reason",
            ),
        ),
        migrations.AddConstraint(
            model_name="run",
            constraint=models.UniqueConstraint(
                fields=("study", "kind", "number"), name="one_run_a_number"
            ),
        ),
        migrations.AddConstraint(
            model_name="reviewsettings",
            constraint=models.CheckConstraint(
                condition=models.Q(("double_percent__lte", 100), ("sample_percent__lte", 100)),
                name="review_shares_are_percents",
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
        migrations.AddConstraint(
            model_name="review",
            constraint=models.UniqueConstraint(
                condition=models.Q(("response__isnull", True)),
                fields=("assignment",),
                name="one_review_a_whole_assignment",
            ),
        ),
        migrations.AddConstraint(
            model_name="review",
            constraint=models.CheckConstraint(
                condition=models.Q(("draw__lt", 10000), ("n_wanted__in", (1, 2))),
                name="one_or_two_reviewers",
            ),
        ),
        migrations.AddConstraint(
            model_name="review",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("state", "decided"), models.Q(("outcome", ""), _negated=True)),
                    models.Q(models.Q(("state", "decided"), _negated=True), ("outcome", "")),
                    _connector="OR",
                ),
                name="decided_has_an_outcome",
            ),
        ),
        migrations.AddConstraint(
            model_name="release",
            constraint=models.UniqueConstraint(
                fields=("study", "number"), name="one_release_a_number"
            ),
        ),
        migrations.AddConstraint(
            model_name="release",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("n_differences", None), ("n_figures", None), ("verified_at", None)),
                    models.Q(
                        ("n_figures__isnull", False),
                        ("verified_at__isnull", False),
                        ("n_differences__isnull", False),
                    ),
                    _connector="OR",
                ),
                name="verified_releases_have_figures",
            ),
        ),
        migrations.AddIndex(
            model_name="place",
            index=models.Index(
                condition=models.Q(
                    ("is_open", True),
                    models.Q(("assignment__isnull", False), _negated=True),
                    models.Q(("reservation__isnull", False), _negated=True),
                ),
                fields=["study", "number", "id", "questionnaire"],
                name="free_places",
            ),
        ),
        migrations.AddIndex(
            model_name="place",
            index=models.Index(
                condition=models.Q(
                    ("is_open", True),
                    models.Q(("assignment__isnull", False), _negated=True),
                    models.Q(("reservation__isnull", False), _negated=True),
                ),
                fields=["study", "questionnaire", "number", "id"],
                name="free_places_by_block",
            ),
        ),
        migrations.AddIndex(
            model_name="place",
            index=models.Index(
                condition=models.Q(("reservation__isnull", False)),
                fields=["reservation"],
                name="reserved_places",
            ),
        ),
        migrations.AddIndex(
            model_name="place",
            index=models.Index(
                condition=models.Q(("is_replaced", True)),
                fields=["assignment"],
                name="replaced_places",
            ),
        ),
        migrations.AddConstraint(
            model_name="place",
            constraint=models.UniqueConstraint(
                fields=("questionnaire", "round", "number"), name="place_number_once"
            ),
        ),
        migrations.AddConstraint(
            model_name="place",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    ("is_replaced", False), ("assignment__isnull", False), _connector="OR"
                ),
                name="only_occupied_places_are_replaced",
            ),
        ),
        migrations.AddConstraint(
            model_name="pair",
            constraint=models.UniqueConstraint(
                fields=("study", "is_checkpoint", "position"), name="pair_once_a_row"
            ),
        ),
        migrations.AddConstraint(
            model_name="membership",
            constraint=models.UniqueConstraint(fields=("study", "user"), name="one_role_a_study"),
        ),
        migrations.AddIndex(
            model_name="job",
            index=models.Index(
                condition=models.Q(("state__in", ("waiting", "running"))),
                fields=["due_at"],
                name="jobs_under_way",
            ),
        ),
        migrations.AddIndex(
            model_name="job",
            index=models.Index(fields=["scope", "-id"], name="jobs_of_a_scope"),
        ),
        migrations.AddIndex(
            model_name="job",
            index=models.Index(fields=["finished_at"], name="finished_jobs"),
        ),
        migrations.AddConstraint(
            model_name="job",
            constraint=models.UniqueConstraint(
                condition=models.Q(
                    ("state__in", ("waiting", "running")), models.Q(("key", ""), _negated=True)
                ),
                fields=("key",),
                name="one_job_under_way_a_key",
            ),
        ),
        migrations.AddConstraint(
            model_name="invitation",
            constraint=models.UniqueConstraint(
                condition=models.Q(
                    models.Q(("note", ""), _negated=True), ("revoked_at__isnull", True)
                ),
                fields=("study", "note"),
                name="one_invitation_a_note",
            ),
        ),
        migrations.AddConstraint(
            model_name="invitation",
            constraint=models.UniqueConstraint(
                condition=models.Q(
                    models.Q(("note_digest", ""), _negated=True), ("revoked_at__isnull", True)
                ),
                fields=("study", "note_digest"),
                name="one_invitation_a_dropped_note",
            ),
        ),
        migrations.AddConstraint(
            model_name="importedcollection",
            constraint=models.UniqueConstraint(
                fields=("study", "number"), name="one_collection_a_number"
            ),
        ),
        migrations.AddConstraint(
            model_name="importedcollection",
            constraint=models.UniqueConstraint(
                fields=("study", "name"), name="one_collection_a_name"
            ),
        ),
        migrations.AddConstraint(
            model_name="importedcollection",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("kind", "people"), ("model", "")),
                    models.Q(("kind", "model"), models.Q(("model", ""), _negated=True)),
                    _connector="OR",
                ),
                name="models_have_a_name",
            ),
        ),
        migrations.AddConstraint(
            model_name="entrance",
            constraint=models.UniqueConstraint(
                fields=("study", "provider"), name="one_entrance_a_provider"
            ),
        ),
        migrations.AddConstraint(
            model_name="deposit",
            constraint=models.UniqueConstraint(
                fields=("study", "repository", "host"), name="one_draft_a_study_and_host"
            ),
        ),
        migrations.AddConstraint(
            model_name="consentnotice",
            constraint=models.UniqueConstraint(fields=("study", "digest"), name="notice_once"),
        ),
        migrations.AddConstraint(
            model_name="block",
            constraint=models.UniqueConstraint(
                fields=("study", "number"), name="block_number_once"
            ),
        ),
        migrations.AddIndex(
            model_name="auditentry",
            index=models.Index(fields=["study", "-id"], name="audit_of_a_study"),
        ),
        migrations.AddIndex(
            model_name="auditentry",
            index=models.Index(fields=["scope", "-id"], name="audit_of_a_scope"),
        ),
        migrations.AddIndex(
            model_name="assignment",
            index=models.Index(fields=["study", "state", "active_at"], name="state_by_activity"),
        ),
        migrations.AddIndex(
            model_name="assignment",
            index=models.Index(
                condition=models.Q(("filed_at__isnull", True), ("submitted_at__isnull", False)),
                fields=["study", "state", "questionnaire"],
                name="submitted_and_not_filed",
            ),
        ),
        migrations.AddConstraint(
            model_name="assignment",
            constraint=models.UniqueConstraint(
                fields=("questionnaire", "annotator"), name="sitting_once"
            ),
        ),
        migrations.AddConstraint(
            model_name="assignment",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("state", "submitted"), _negated=True),
                    ("submitted_at__isnull", False),
                    _connector="OR",
                ),
                name="submitted_has_an_instant",
            ),
        ),
        migrations.AddConstraint(
            model_name="assignment",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("state__in", ("started", "submitted")), _negated=True),
                    ("started_at__isnull", False),
                    _connector="OR",
                ),
                name="started_has_an_instant",
            ),
        ),
        migrations.AddConstraint(
            model_name="studytext",
            constraint=models.UniqueConstraint(
                fields=("study", "kind", "version"), name="text_version_once"
            ),
        ),
        migrations.AddConstraint(
            model_name="studytext",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("reviewed_at__isnull", True), ("reviewed_by", "")),
                    models.Q(
                        models.Q(("reviewed_by", ""), _negated=True), ("reviewed_at__isnull", False)
                    ),
                    _connector="OR",
                ),
                name="text_review_has_author_and_instant",
            ),
        ),
        migrations.AddConstraint(
            model_name="maildelivery",
            constraint=models.UniqueConstraint(
                fields=("study", "kind", "address_digest"), name="one_mail_of_a_kind"
            ),
        ),
        migrations.AddIndex(
            model_name="verdict",
            index=models.Index(fields=["review", "opinion"], name="verdicts_of_a_review"),
        ),
        migrations.AddIndex(
            model_name="verdict",
            index=models.Index(fields=["reviewer", "-id"], name="verdicts_of_a_reviewer"),
        ),
        migrations.AddIndex(
            model_name="verdict",
            index=models.Index(fields=["opinion", "review"], name="verdicts_by_opinion"),
        ),
        migrations.AddConstraint(
            model_name="verdict",
            constraint=models.UniqueConstraint(
                condition=models.Q(("undone_at__isnull", True)),
                fields=("review", "opinion"),
                name="one_standing_verdict_an_opinion",
            ),
        ),
        migrations.AddConstraint(
            model_name="verdict",
            constraint=models.UniqueConstraint(
                condition=models.Q(("undone_at__isnull", True)),
                fields=("review", "reviewer"),
                name="one_standing_verdict_a_reviewer",
            ),
        ),
        migrations.AddConstraint(
            model_name="verdict",
            constraint=models.CheckConstraint(
                condition=models.Q(("opinion__in", (1, 2, 3))), name="opinion_is_1_2_or_3"
            ),
        ),
        migrations.AddConstraint(
            model_name="verdict",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("kind", "rejected"), _negated=True),
                    models.Q(("reason", ""), _negated=True),
                    _connector="OR",
                ),
                name="rejected_for_a_reason",
            ),
        ),
        migrations.AddConstraint(
            model_name="delivery",
            constraint=models.UniqueConstraint(
                fields=("webhook", "event", "subject"), name="one_delivery_an_event"
            ),
        ),
        migrations.AddConstraint(
            model_name="visit",
            constraint=models.UniqueConstraint(
                fields=("entrance", "provider_study", "submission", "worker"), name="one_visit_each"
            ),
        ),
        migrations.AddIndex(
            model_name="annotator",
            index=models.Index(
                condition=models.Q(("withdrawn_at__isnull", False)),
                fields=["study", "withdrawn_at", "first_rated_at"],
                name="withdrawn_from_a_study",
            ),
        ),
        migrations.AddConstraint(
            model_name="annotator",
            constraint=models.UniqueConstraint(
                fields=("study", "worker"), name="one_annotator_a_worker"
            ),
        ),
    ]
