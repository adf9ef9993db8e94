import uuid
from decimal import Decimal

import django.db.models.deletion
import django.utils.timezone
from django.conf import settings
from django.core.management import CommandError
from django.db import migrations, models

import surveys.models.crowd
import surveys.models.participation
import surveys.models.results
import surveys.models.study

KEPT = ("AuditEntry", "Batch", "Hit", "Payment", "Qualification", "Grant")


def refuse_to_lose_the_log_or_the_ledger(apps, schema_editor):
    rows = {name: apps.get_model("surveys", name).objects.count() for name in KEPT}
    visits = apps.get_model("surveys", "Visit").objects
    rows["Visit"] = visits.exclude(standing="", provider_state="", assignment__isnull=False).count()
    entrances = apps.get_model("surveys", "Entrance").objects
    rows["Entrance"] = entrances.exclude(provider__in=("link", "prolific")).count()
    if found := ", ".join(f"{name} {count}" for name, count in rows.items() if count):
        raise CommandError(
            "The tables cannot be dropped: the log of who decided what, or what was offered, paid "
            f"and said by providers, would be lost ({found}). Nothing was changed."
        )


class Migration(migrations.Migration):
    """The schema of a new database, without the steps on rows that only older databases have."""

    initial = True
    replaces = [
        ("surveys", "0001_initial"),
        ("surveys", "0002_places_rounds_texts_entrances"),
        ("surveys", "0003_lay_out_places"),
        ("surveys", "0004_every_assignment_has_a_round"),
        ("surveys", "0005_say_why_places_close"),
        ("surveys", "0006_drop_redundant_indexes"),
        ("surveys", "0007_release_keys_and_published_words"),
        ("surveys", "0008_researchers_and_what_they_decide"),
        ("surveys", "0009_open_studies_when_ready"),
        ("surveys", "0010_runs"),
        ("surveys", "0011_verdicts_on_engagement"),
        ("surveys", "0012_programs"),
        ("surveys", "0013_keep_personal_data_for_a_time"),
        ("surveys", "0014_errands"),
        ("surveys", "0015_batches_and_payments"),
        ("surveys", "0016_crowd_work"),
        ("surveys", "0017_mark_what_is_filed"),
        ("surveys", "0018_number_within_the_study"),
        ("surveys", "0019_say_which_forms_are_asked"),
        ("surveys", "0020_pay_and_public_titles"),
        ("surveys", "0021_consent_says_what_is_stored"),
        ("surveys", "0022_leases_of_runs"),
        ("surveys", "0023_arrivals_within_the_hour"),
        ("surveys", "0024_limit_password_checks"),
    ]

    dependencies = [
        ("auth", "__first__"),
    ]

    operations = [
        migrations.CreateModel(
            name="Study",
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
                    "language",
                    models.CharField(
                        help_text="BCP 47 tag of the texts, such as sl", max_length=35
                    ),
                ),
                (
                    "scale_minimum",
                    models.DecimalField(decimal_places=2, default=Decimal(0), max_digits=5),
                ),
                (
                    "scale_maximum",
                    models.DecimalField(decimal_places=2, default=Decimal(6), max_digits=5),
                ),
                ("ratings_per_context", models.PositiveSmallIntegerField()),
                (
                    "block_size",
                    models.PositiveSmallIntegerField(help_text="most pairs judged in one sitting"),
                ),
                (
                    "seed",
                    models.BigIntegerField(default=0, help_text="of blocks and questionnaires"),
                ),
                (
                    "stimuli_sha256",
                    models.CharField(
                        help_text="digest of the stimuli in Cosima's own writing (LF, no BOM)",
                        max_length=64,
                    ),
                ),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                (
                    "allows_more_blocks",
                    models.BooleanField(
                        default=False, help_text="annotators who finish a block may do another"
                    ),
                ),
                (
                    "allows_unjudgeable",
                    models.BooleanField(
                        default=False, help_text="annotators may say that they cannot judge"
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
                    ),
                ),
                (
                    "contact",
                    models.CharField(
                        blank=True,
                        default="",
                        help_text="contact for questions of annotators",
                        max_length=200,
                    ),
                ),
                (
                    "erases_withdrawn",
                    models.BooleanField(
                        default=True,
                        help_text="withdrawing erases the answers; else they are kept, unused",
                    ),
                ),
                (
                    "lease_hours",
                    models.PositiveSmallIntegerField(
                        default=24, help_text="how long a place is held without an answer"
                    ),
                ),
                (
                    "n_check_tries",
                    models.PositiveSmallIntegerField(
                        default=0, help_text="tries for the comprehension check; 0 for no check"
                    ),
                ),
                (
                    "n_checkpoints",
                    models.PositiveSmallIntegerField(
                        default=0, help_text="checkpoint items mixed into each assignment"
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
                (
                    "scale_labels",
                    models.JSONField(
                        blank=True,
                        default=dict,
                        help_text='words for points of the scale, such as {"0": "…"}',
                    ),
                ),
                (
                    "scale_step",
                    models.DecimalField(decimal_places=2, default=Decimal(1), max_digits=5),
                ),
                (
                    "seconds_per_item",
                    models.PositiveSmallIntegerField(
                        default=45, help_text="for the estimate of how long an assignment takes"
                    ),
                ),
                (
                    "publishes_words",
                    models.BooleanField(
                        default=False,
                        help_text="consent says that the words annotators write are published",
                    ),
                ),
                (
                    "opened_at",
                    models.DateTimeField(
                        blank=True,
                        help_text="from when on annotators may come; empty for a draft",
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
                (
                    "question_forms",
                    models.CharField(
                        choices=[
                            ("dictionary", "dictionary forms"),
                            ("text", "the forms used in the text"),
                        ],
                        default="dictionary",
                        help_text="forms of the two words that the question names",
                        max_length=10,
                    ),
                ),
                (
                    "public_title",
                    models.CharField(
                        blank=True,
                        default="",
                        help_text="named to annotators; empty for none",
                        max_length=200,
                    ),
                ),
                (
                    "ethics",
                    models.CharField(
                        blank=True,
                        default="",
                        help_text="ethics approval or its reference; shown to annotators",
                        max_length=300,
                    ),
                ),
                (
                    "organisation",
                    models.CharField(
                        blank=True,
                        default="",
                        help_text="who runs the study; shown to annotators",
                        max_length=200,
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
                ],
            },
        ),
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
                (
                    "study",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="blocks",
                        to="surveys.study",
                    ),
                ),
            ],
            options={
                "ordering": ["number"],
                "constraints": [
                    models.UniqueConstraint(fields=("study", "number"), name="block_number_once")
                ],
            },
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
                ("position", models.PositiveIntegerField(help_text="row of the file, from 1")),
                ("word1", models.TextField()),
                ("word2", models.TextField()),
                (
                    "study",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="pairs",
                        to="surveys.study",
                    ),
                ),
                (
                    "is_checkpoint",
                    models.BooleanField(
                        default=False, help_text="of a checkpoint item, not of the stimuli"
                    ),
                ),
            ],
            options={
                "ordering": ["is_checkpoint", "position"],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("study", "is_checkpoint", "position"), name="pair_once_a_row"
                    )
                ],
            },
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
                "constraints": [
                    models.UniqueConstraint(fields=("pair", "number"), name="context_once_a_pair"),
                    models.CheckConstraint(
                        condition=models.Q(("number__in", (1, 2))), name="context_is_1_or_2"
                    ),
                    models.CheckConstraint(
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
                ],
            },
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
                "constraints": [
                    models.UniqueConstraint(
                        fields=("block", "letter"), name="questionnaire_letter_once"
                    )
                ],
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
                "constraints": [
                    models.UniqueConstraint(
                        fields=("questionnaire", "position"), name="item_place_once"
                    )
                ],
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
                ("created_at", models.DateTimeField(auto_now_add=True)),
                ("report", models.JSONField()),
                (
                    "study",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="releases",
                        to="surveys.study",
                    ),
                ),
                (
                    "key",
                    models.CharField(
                        default=surveys.models.results.make_key,
                        help_text="secret: decides the annotators' ids",
                        max_length=64,
                    ),
                ),
                (
                    "collected_at",
                    models.DateTimeField(
                        blank=True, help_text="just before the ratings were read", null=True
                    ),
                ),
                (
                    "number",
                    models.PositiveIntegerField(
                        help_text="within the study, from 1; that of the run which made it"
                    ),
                ),
            ],
            options={
                "ordering": ["-created_at"],
                "constraints": [
                    models.UniqueConstraint(fields=("study", "number"), name="one_release_a_number")
                ],
            },
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
                            ("link", "nobody: a link that is passed on"),
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
                    models.PositiveIntegerField(default=0, help_text="who have started here"),
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
                (
                    "study",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="entrances",
                        to="surveys.study",
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(
                        fields=("study", "provider"), name="one_entrance_a_provider"
                    )
                ],
            },
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
                "constraints": [
                    models.UniqueConstraint(fields=("block", "number"), name="round_number_once"),
                    models.UniqueConstraint(
                        condition=models.Q(("is_current", True)),
                        fields=("block",),
                        name="one_current_round_a_block",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            ("number", 1), models.Q(("reason", ""), _negated=True), _connector="OR"
                        ),
                        name="a_repeat_has_a_reason",
                    ),
                ],
            },
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
                ("created_at", models.DateTimeField(auto_now_add=True)),
                (
                    "study",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="texts",
                        to="surveys.study",
                    ),
                ),
                (
                    "language",
                    models.CharField(
                        blank=True,
                        default="",
                        help_text="BCP 47 tag; empty for that of the study",
                        max_length=35,
                    ),
                ),
                ("reviewed_at", models.DateTimeField(blank=True, null=True)),
                ("reviewed_by", models.CharField(blank=True, default="", max_length=150)),
            ],
            options={
                "ordering": ["study", "kind", "-version"],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("study", "kind", "version"), name="text_version_once"
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("reviewed_at__isnull", True), ("reviewed_by", "")),
                            models.Q(
                                models.Q(("reviewed_by", ""), _negated=True),
                                ("reviewed_at__isnull", False),
                            ),
                            _connector="OR",
                        ),
                        name="text_review_has_author_and_instant",
                    ),
                ],
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
                            ("link", "nobody: a link that is passed on"),
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
            name="AuditEntry",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("at", models.DateTimeField(auto_now_add=True)),
                (
                    "actor",
                    models.CharField(
                        help_text="the user's name then, or what acted", max_length=150
                    ),
                ),
                ("action", models.CharField(help_text="such as study.configured", max_length=40)),
                ("subject", models.CharField(blank=True, default="", max_length=200)),
                ("details", models.JSONField(blank=True, default=dict)),
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
            ],
            options={
                "verbose_name_plural": "audit entries",
                "ordering": ["-pk"],
                "indexes": [models.Index(fields=["study", "-id"], name="audit_of_a_study")],
            },
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
                    "study",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="memberships",
                        to="surveys.study",
                    ),
                ),
                (
                    "user",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="memberships",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "ordering": ["study", "user__username"],
                "constraints": [
                    models.UniqueConstraint(fields=("study", "user"), name="one_role_a_study")
                ],
            },
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
                            ("publish", "publishing of a batch"),
                            ("fetch", "fetching of what was handed in"),
                            ("pay", "payment of a batch"),
                            ("stop", "end of a batch"),
                        ],
                        max_length=10,
                    ),
                ),
                ("recipe", models.TextField(blank=True, default="", help_text="TOML")),
                ("recipe_name", models.CharField(blank=True, default="", max_length=60)),
                (
                    "wishes",
                    models.JSONField(blank=True, default=dict, help_text="what else was asked for"),
                ),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("waiting", "Waiting"),
                            ("running", "Running"),
                            ("done", "Done"),
                            ("failed", "Failed"),
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
                ("heard_at", models.DateTimeField(auto_now=True, help_text="last sign of life")),
                ("finished_at", models.DateTimeField(blank=True, null=True)),
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
                    "requested_by",
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
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="runs",
                        to="surveys.study",
                    ),
                ),
                (
                    "collected_at",
                    models.DateTimeField(
                        blank=True, help_text="just before the ratings were read", null=True
                    ),
                ),
                (
                    "number",
                    models.PositiveIntegerField(help_text="within the study and the kind, from 1"),
                ),
                (
                    "due_at",
                    models.DateTimeField(
                        default=django.utils.timezone.now, help_text="when it may be begun"
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
                        default=0,
                        help_text="processes that ended without a word while they performed it",
                    ),
                ),
            ],
            options={
                "ordering": ["-pk"],
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("state", "done"), _negated=True),
                            ("report__isnull", False),
                            _connector="OR",
                        ),
                        name="done_runs_have_a_report",
                    ),
                    models.UniqueConstraint(
                        fields=("study", "kind", "number"), name="one_run_a_number"
                    ),
                ],
                "indexes": [
                    models.Index(
                        condition=models.Q(("state__in", ("waiting", "running"))),
                        fields=["due_at"],
                        name="runs_under_way",
                    )
                ],
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
                        help_text="of the answers without evidence; those with some are all reviewed",
                    ),
                ),
                (
                    "double_percent",
                    models.PositiveSmallIntegerField(
                        default=0,
                        help_text="of the answers, judged by two reviewers blind to each other",
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
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(
                            ("double_percent__lte", 100), ("sample_percent__lte", 100)
                        ),
                        name="review_shares_are_percents",
                    )
                ],
            },
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
            name="IdempotencyRecord",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("key", models.CharField(help_text="chosen by the program", max_length=255)),
                (
                    "digest",
                    models.CharField(help_text="SHA-256 of what was asked for", max_length=64),
                ),
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
                (
                    "next_at",
                    models.DateTimeField(
                        blank=True, help_text="when it is tried next; empty for never", null=True
                    ),
                ),
                ("delivered_at", models.DateTimeField(blank=True, null=True)),
                ("error", models.CharField(blank=True, default="", max_length=200)),
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
                "indexes": [
                    models.Index(
                        models.F("next_at"),
                        condition=models.Q(("next_at__isnull", False)),
                        name="deliveries_due",
                    )
                ],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("webhook", "event", "subject"), name="told_once_of_each"
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            ("delivered_at__isnull", True),
                            ("next_at__isnull", True),
                            _connector="OR",
                        ),
                        name="delivered_is_not_due",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="Qualification",
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
                            ("link", "nobody: a link that is passed on"),
                            ("prolific", "Prolific"),
                            ("simulator", "MTurk simulator"),
                            ("sandbox", "MTurk sandbox"),
                            ("production", "MTurk"),
                        ],
                        help_text="the target; set once",
                        max_length=10,
                    ),
                ),
                ("name", models.CharField(max_length=200)),
                ("qualification_type_id", models.CharField(blank=True, default="", max_length=64)),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                (
                    "block",
                    models.ForeignKey(
                        blank=True,
                        help_text="whose workers it keeps from having it again; empty for a private task",
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="qualifications",
                        to="surveys.block",
                    ),
                ),
                (
                    "study",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="qualifications",
                        to="surveys.study",
                    ),
                ),
            ],
            options={
                "ordering": ["pk"],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("provider", "name"), name="one_qualification_a_name"
                    ),
                    models.UniqueConstraint(
                        fields=("provider", "block"), name="one_qualification_a_block"
                    ),
                    models.UniqueConstraint(
                        condition=models.Q(("qualification_type_id", ""), _negated=True),
                        fields=("provider", "qualification_type_id"),
                        name="one_row_a_qualification_type",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="Grant",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "amount",
                    models.PositiveIntegerField(default=1, help_text="its value at the provider"),
                ),
                ("reason", models.CharField(max_length=200)),
                ("granted_at", models.DateTimeField(auto_now_add=True)),
                (
                    "told_at",
                    models.DateTimeField(
                        blank=True, help_text="when the provider knew of it", null=True
                    ),
                ),
                ("revoked_at", models.DateTimeField(blank=True, null=True)),
                (
                    "by",
                    models.ForeignKey(
                        blank=True,
                        help_text="empty where it follows from a visit",
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "worker",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="grants",
                        to="surveys.worker",
                    ),
                ),
                (
                    "qualification",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="grants",
                        to="surveys.qualification",
                    ),
                ),
            ],
            options={
                "ordering": ["pk"],
                "constraints": [
                    models.UniqueConstraint(
                        condition=models.Q(("revoked_at__isnull", True)),
                        fields=("qualification", "worker"),
                        name="granted_once",
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="Batch",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("title", models.CharField(max_length=128)),
                ("description", models.CharField(max_length=2000)),
                ("keywords", models.CharField(blank=True, default="", max_length=1000)),
                (
                    "requirements",
                    models.JSONField(
                        blank=True,
                        default=list,
                        help_text="of its people, as the provider writes them",
                    ),
                ),
                ("reward_cents", models.PositiveIntegerField()),
                (
                    "fee_cents",
                    models.PositiveIntegerField(
                        help_text="the provider's, for each place, rounded up when the batch was planned"
                    ),
                ),
                (
                    "billed_fee_cents",
                    models.PositiveIntegerField(
                        help_text="the same as the provider bills it: rounded half up"
                    ),
                ),
                (
                    "assignment_seconds",
                    models.PositiveIntegerField(help_text="that one person may take"),
                ),
                (
                    "lifetime_seconds",
                    models.PositiveIntegerField(
                        default=604800, help_text="that it is offered to new people"
                    ),
                ),
                (
                    "auto_approval_seconds",
                    models.PositiveIntegerField(
                        default=259200, help_text="after which people are paid if nobody decides"
                    ),
                ),
                ("ceiling_cents", models.PositiveIntegerField(blank=True, null=True)),
                (
                    "total_cents",
                    models.PositiveIntegerField(
                        blank=True,
                        help_text="what it was to cost, as typed when it was armed",
                        null=True,
                    ),
                ),
                ("armed_at", models.DateTimeField(blank=True, null=True)),
                ("armed_until", models.DateTimeField(blank=True, null=True)),
                ("stopped_at", models.DateTimeField(blank=True, null=True)),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                (
                    "armed_by",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "entrance",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="batches",
                        to="surveys.entrance",
                    ),
                ),
                ("number", models.PositiveIntegerField(help_text="within the study, from 1")),
                (
                    "study",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="batches",
                        to="surveys.study",
                    ),
                ),
            ],
            options={
                "verbose_name_plural": "batches",
                "ordering": ["pk"],
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(
                            ("assignment_seconds__gte", 1), ("reward_cents__gte", 1)
                        ),
                        name="batch_pays",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(
                                ("armed_at__isnull", True),
                                ("armed_by__isnull", True),
                                ("armed_until__isnull", True),
                                ("ceiling_cents__isnull", True),
                                ("total_cents__isnull", True),
                            ),
                            models.Q(
                                ("armed_at__isnull", False),
                                ("armed_by__isnull", False),
                                ("armed_until__gt", models.F("armed_at")),
                                ("armed_until__isnull", False),
                                ("ceiling_cents__gte", models.F("total_cents")),
                                ("ceiling_cents__isnull", False),
                                ("total_cents__isnull", False),
                            ),
                            _connector="OR",
                        ),
                        name="armed_by_somebody_with_a_ceiling",
                    ),
                    models.UniqueConstraint(fields=("study", "number"), name="one_batch_a_number"),
                ],
            },
        ),
        migrations.CreateModel(
            name="Hit",
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
                            ("link", "nobody: a link that is passed on"),
                            ("prolific", "Prolific"),
                            ("simulator", "MTurk simulator"),
                            ("sandbox", "MTurk sandbox"),
                            ("production", "MTurk"),
                        ],
                        help_text="the target; set once",
                        max_length=10,
                    ),
                ),
                ("key", models.UUIDField(default=uuid.uuid4, editable=False, unique=True)),
                ("n_places", models.PositiveSmallIntegerField()),
                (
                    "n_released",
                    models.PositiveSmallIntegerField(
                        default=0,
                        help_text="of them, those for which nothing is owed since it was closed",
                    ),
                ),
                ("attempt", models.PositiveSmallIntegerField(default=1)),
                (
                    "token",
                    models.CharField(
                        help_text="of the request, once only", max_length=64, unique=True
                    ),
                ),
                (
                    "first_attempt_at",
                    models.DateTimeField(
                        blank=True,
                        help_text="from when on the provider remembers the token for a day",
                        null=True,
                    ),
                ),
                ("hit_id", models.CharField(blank=True, default="", max_length=64)),
                ("hit_type_id", models.CharField(blank=True, default="", max_length=64)),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("planned", "Planned"),
                            ("creating", "creating: asked for, and not yet answered"),
                            ("live", "Live"),
                            ("closing", "closing: takes nobody new, and some may still hand in"),
                            ("closed", "Closed"),
                            ("unknown", "unknown: whether it was created must be looked up"),
                        ],
                        default="planned",
                        max_length=8,
                    ),
                ),
                ("error", models.CharField(blank=True, default="", max_length=500)),
                ("expires_at", models.DateTimeField(blank=True, null=True)),
                ("closed_at", models.DateTimeField(blank=True, null=True)),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                (
                    "batch",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="hits",
                        to="surveys.batch",
                    ),
                ),
                (
                    "questionnaire",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="hits",
                        to="surveys.questionnaire",
                    ),
                ),
            ],
            options={
                "ordering": ["pk"],
                "constraints": [
                    models.UniqueConstraint(
                        condition=models.Q(("hit_id", ""), _negated=True),
                        fields=("provider", "hit_id"),
                        name="one_row_a_hit",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            ("n_places__gte", 1),
                            ("n_places__lte", 9),
                            ("n_released__lte", models.F("n_places")),
                        ),
                        name="hit_has_up_to_nine_places",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("state", "closed"), ("n_released", 0), _connector="OR"),
                        name="places_are_released_by_closing",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            ("state__in", ("planned", "closed")),
                            ("first_attempt_at__isnull", False),
                            _connector="OR",
                        ),
                        name="asked_for_at_an_instant",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("state__in", ("live", "closing")), _negated=True),
                            models.Q(("hit_id", ""), _negated=True),
                            _connector="OR",
                        ),
                        name="live_has_an_id",
                    ),
                ],
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
                (
                    "study",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="notices",
                        to="surveys.study",
                    ),
                ),
            ],
            options={
                "ordering": ["pk"],
                "constraints": [
                    models.UniqueConstraint(fields=("study", "digest"), name="notice_once")
                ],
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
                    "study",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="annotators",
                        to="surveys.study",
                    ),
                ),
                ("checked_at", models.DateTimeField(blank=True, null=True)),
                (
                    "erases_withdrawn",
                    models.BooleanField(
                        default=True, help_text="agreed to: withdrawing erases the answers"
                    ),
                ),
                ("instructed_at", models.DateTimeField(blank=True, null=True)),
                ("n_check_tries", models.PositiveSmallIntegerField(default=0)),
                ("practised_at", models.DateTimeField(blank=True, null=True)),
                ("withdrawn_at", models.DateTimeField(blank=True, null=True)),
                (
                    "consent",
                    models.ForeignKey(
                        help_text="the version that was agreed to",
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="surveys.studytext",
                    ),
                ),
                (
                    "worker",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="annotators",
                        to="surveys.worker",
                    ),
                ),
                (
                    "publishes_words",
                    models.BooleanField(
                        default=False, help_text="agreed to: the words they write are published"
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
                    "first_rated_at",
                    models.DateTimeField(
                        blank=True,
                        help_text="kept when they withdraw: what was made since holds them",
                        null=True,
                    ),
                ),
                (
                    "paid_at",
                    models.DateTimeField(
                        blank=True,
                        help_text="when an owner noted that they had been paid",
                        null=True,
                    ),
                ),
                (
                    "retention_days",
                    models.PositiveSmallIntegerField(
                        blank=True,
                        help_text="agreed to: most days after payment until ids and notes are dropped",
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
            options={
                "indexes": [
                    models.Index(
                        condition=models.Q(("withdrawn_at__isnull", False)),
                        fields=["study", "withdrawn_at", "first_rated_at"],
                        name="withdrawn_from_a_study",
                    )
                ],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("study", "worker"), name="one_annotator_a_worker"
                    )
                ],
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
                ("started_at", models.DateTimeField(blank=True, null=True)),
                ("submitted_at", models.DateTimeField(blank=True, null=True)),
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
                (
                    "active_at",
                    models.DateTimeField(
                        default=django.utils.timezone.now,
                        help_text="the last sign of life, answers apart",
                    ),
                ),
                ("ended_because", models.CharField(blank=True, default="", max_length=200)),
                (
                    "is_over_quota",
                    models.BooleanField(
                        default=False, help_text="taken up again when its place had been given away"
                    ),
                ),
                ("n_items", models.PositiveSmallIntegerField(help_text="texts laid out")),
                ("offered_at", models.DateTimeField(default=django.utils.timezone.now)),
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
                (
                    "study",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="assignments",
                        to="surveys.study",
                    ),
                ),
                (
                    "round",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="assignments",
                        to="surveys.round",
                    ),
                ),
                (
                    "filed_at",
                    models.DateTimeField(
                        blank=True, help_text="when its answers were looked through", null=True
                    ),
                ),
            ],
            options={
                "indexes": [
                    models.Index(fields=["study", "state", "active_at"], name="state_by_activity"),
                    models.Index(
                        condition=models.Q(
                            ("filed_at__isnull", True), ("submitted_at__isnull", False)
                        ),
                        fields=["study", "state", "questionnaire"],
                        name="submitted_and_not_filed",
                    ),
                ],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("questionnaire", "annotator"), name="sitting_once"
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("state", "submitted"), _negated=True),
                            ("submitted_at__isnull", False),
                            _connector="OR",
                        ),
                        name="submitted_has_an_instant",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("state__in", ("started", "submitted")), _negated=True),
                            ("started_at__isnull", False),
                            _connector="OR",
                        ),
                        name="started_has_an_instant",
                    ),
                ],
            },
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
                    "rated_at",
                    models.DateTimeField(
                        blank=True, help_text="when page 2 was answered", null=True
                    ),
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
                ("comment", models.CharField(blank=True, default="", max_length=500)),
                ("has_pasted_word1", models.BooleanField(default=False)),
                ("has_pasted_word2", models.BooleanField(default=False)),
                (
                    "is_erased",
                    models.BooleanField(default=False, help_text="at the wish of the annotator"),
                ),
                (
                    "is_unjudgeable",
                    models.BooleanField(default=False, help_text="the annotator cannot judge"),
                ),
                ("rating_shown_at", models.DateTimeField(blank=True, null=True)),
                ("rating_visible_seconds", models.FloatField(blank=True, null=True)),
                ("words_shown_at", models.DateTimeField(blank=True, null=True)),
                ("words_visible_seconds", models.FloatField(blank=True, null=True)),
            ],
            options={
                "ordering": ["assignment", "position"],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("annotator", "pair"), name="one_context_per_pair_per_annotator"
                    ),
                    models.UniqueConstraint(
                        fields=("assignment", "position"), name="one_item_a_place"
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(
                                ("engaged_at__isnull", True),
                                ("inspired_word1", ""),
                                ("inspired_word2", ""),
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
                    models.CheckConstraint(
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
                                    ("rating__isnull", False),
                                    ("is_unjudgeable", True),
                                    _connector="XOR",
                                ),
                            ),
                            _connector="OR",
                        ),
                        name="rated_after_engaged",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            ("is_erased", False), ("engaged_at__isnull", True), _connector="OR"
                        ),
                        name="erased_is_empty",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            ("comment", ""), ("is_unjudgeable", True), _connector="OR"
                        ),
                        name="comment_says_why_not",
                    ),
                ],
            },
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
                    "is_rehearsal",
                    models.BooleanField(default=False, help_text="used by a scripted annotator"),
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
                    "study",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="invitations",
                        to="surveys.study",
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
                ("revoked_at", models.DateTimeField(blank=True, null=True)),
                ("revoked_because", models.CharField(blank=True, default="", max_length=200)),
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
                    "note_digest",
                    models.CharField(
                        blank=True,
                        default="",
                        help_text="in place of a note that was dropped",
                        max_length=64,
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(
                        condition=models.Q(
                            models.Q(("note", ""), _negated=True), ("revoked_at__isnull", True)
                        ),
                        fields=("study", "note"),
                        name="one_invitation_a_note",
                    ),
                    models.UniqueConstraint(
                        condition=models.Q(
                            models.Q(("note_digest", ""), _negated=True),
                            ("revoked_at__isnull", True),
                        ),
                        fields=("study", "note_digest"),
                        name="one_invitation_a_dropped_note",
                    ),
                ],
            },
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
                    "study",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="places",
                        to="surveys.study",
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
                    "hit",
                    models.ForeignKey(
                        blank=True,
                        db_index=False,
                        help_text="for whose people alone it is, until the HIT is closed",
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="places",
                        to="surveys.hit",
                    ),
                ),
            ],
            options={
                "indexes": [
                    models.Index(
                        condition=models.Q(
                            ("is_open", True),
                            models.Q(("assignment__isnull", False), _negated=True),
                            models.Q(("hit__isnull", False), _negated=True),
                        ),
                        fields=["study", "number", "id", "questionnaire"],
                        name="free_places",
                    ),
                    models.Index(
                        condition=models.Q(
                            ("is_open", True),
                            models.Q(("assignment__isnull", False), _negated=True),
                            models.Q(("hit__isnull", False), _negated=True),
                        ),
                        fields=["study", "questionnaire", "number", "id"],
                        name="free_places_by_block",
                    ),
                    models.Index(
                        condition=models.Q(("hit__isnull", False)),
                        fields=["hit"],
                        name="places_of_hits",
                    ),
                ],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("questionnaire", "round", "number"), name="place_number_once"
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
                    "assignment",
                    models.ForeignKey(
                        blank=True,
                        help_text="empty for work submitted at the provider without a visit here",
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
                    "worker",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="visits",
                        to="surveys.worker",
                    ),
                ),
                ("accepted_at", models.DateTimeField(blank=True, null=True)),
                (
                    "deadline_at",
                    models.DateTimeField(
                        blank=True,
                        help_text="until when the provider takes what they hand in",
                        null=True,
                    ),
                ),
                (
                    "decided_at",
                    models.DateTimeField(blank=True, help_text="approved or rejected", null=True),
                ),
                ("handed_in_at", models.DateTimeField(blank=True, null=True)),
                (
                    "has_wrong_code",
                    models.BooleanField(
                        default=False, help_text="handed in with another code, or with none"
                    ),
                ),
                ("held_because", models.CharField(blank=True, default="", max_length=200)),
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
                (
                    "returned_at",
                    models.DateTimeField(
                        blank=True,
                        help_text="when another worker was found to have their place",
                        null=True,
                    ),
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
                    "hit",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="visits",
                        to="surveys.hit",
                    ),
                ),
            ],
            options={
                "ordering": ["pk"],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("entrance", "provider_study", "submission", "worker"),
                        name="one_visit_each",
                    )
                ],
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
                        help_text="decides about sample and second reviewer"
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
                            ("unused", "pay, but do not use"),
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
                (
                    "study",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="reviews",
                        to="surveys.study",
                    ),
                ),
            ],
            options={
                "indexes": [
                    models.Index(fields=["study", "state", "-risk", "id"], name="review_queue"),
                    models.Index(fields=["study", "outcome"], name="review_outcomes"),
                ],
                "constraints": [
                    models.UniqueConstraint(
                        condition=models.Q(("response__isnull", True)),
                        fields=("assignment",),
                        name="one_review_a_whole_assignment",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("draw__lt", 10000), ("n_wanted__in", (1, 2))),
                        name="one_or_two_reviewers",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(
                                ("state", "decided"), models.Q(("outcome", ""), _negated=True)
                            ),
                            models.Q(
                                models.Q(("state", "decided"), _negated=True), ("outcome", "")
                            ),
                            _connector="OR",
                        ),
                        name="decided_has_an_outcome",
                    ),
                ],
            },
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
            options={
                "constraints": [
                    models.UniqueConstraint(fields=("review", "reviewer"), name="one_claim_each")
                ],
            },
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
                        help_text="1 or 2 of those wanted; 3 where it settles what two saw differently"
                    ),
                ),
                (
                    "kind",
                    models.CharField(
                        choices=[
                            ("good", "good"),
                            ("unused", "pay, but do not use"),
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
                "indexes": [
                    models.Index(fields=["review", "opinion"], name="verdicts_of_a_review"),
                    models.Index(fields=["reviewer", "-id"], name="verdicts_of_a_reviewer"),
                ],
                "constraints": [
                    models.UniqueConstraint(
                        condition=models.Q(("undone_at__isnull", True)),
                        fields=("review", "opinion"),
                        name="one_standing_verdict_an_opinion",
                    ),
                    models.UniqueConstraint(
                        condition=models.Q(("undone_at__isnull", True)),
                        fields=("review", "reviewer"),
                        name="one_standing_verdict_a_reviewer",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("opinion__in", (1, 2, 3))), name="opinion_is_1_2_or_3"
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("kind", "rejected"), _negated=True),
                            models.Q(("reason", ""), _negated=True),
                            _connector="OR",
                        ),
                        name="rejected_for_a_reason",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="Payment",
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
                            ("link", "nobody: a link that is passed on"),
                            ("prolific", "Prolific"),
                            ("simulator", "MTurk simulator"),
                            ("sandbox", "MTurk sandbox"),
                            ("production", "MTurk"),
                        ],
                        help_text="the target; set once",
                        max_length=10,
                    ),
                ),
                ("submission", models.CharField(help_text="that of the visit", max_length=64)),
                (
                    "kind",
                    models.CharField(
                        choices=[
                            ("reward", "Reward"),
                            ("bonus", "Bonus"),
                            (
                                "compensation",
                                "compensation: finished work that no reward can reach",
                            ),
                        ],
                        max_length=12,
                    ),
                ),
                (
                    "grant_key",
                    models.CharField(
                        help_text="what it is for: never granted twice", max_length=64, unique=True
                    ),
                ),
                ("amount_cents", models.PositiveIntegerField()),
                ("fee_cents", models.PositiveIntegerField(default=0)),
                (
                    "token",
                    models.CharField(
                        default=surveys.models.crowd.make_payment_token,
                        max_length=64,
                        unique=True,
                    ),
                ),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("intended", "Intended"),
                            ("sending", "sending: perhaps paid"),
                            ("paid", "Paid"),
                            ("outside", "paid outside: by the provider itself, or by hand"),
                            ("refused", "Refused"),
                            ("unknown", "unknown: whether it was paid must be looked up"),
                        ],
                        default="intended",
                        max_length=8,
                    ),
                ),
                ("reason", models.CharField(blank=True, default="", max_length=200)),
                ("error", models.CharField(blank=True, default="", max_length=500)),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                (
                    "sent_at",
                    models.DateTimeField(
                        blank=True,
                        help_text="when it was sent first; its token is known for a day",
                        null=True,
                    ),
                ),
                ("settled_at", models.DateTimeField(blank=True, null=True)),
                (
                    "batch",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="payments",
                        to="surveys.batch",
                    ),
                ),
                (
                    "by",
                    models.ForeignKey(
                        blank=True,
                        help_text="who decided it; empty for what is owed anyway",
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "visit",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="payments",
                        to="surveys.visit",
                    ),
                ),
            ],
            options={
                "ordering": ["pk"],
                "constraints": [
                    models.UniqueConstraint(
                        condition=models.Q(("kind", "reward")),
                        fields=("provider", "submission"),
                        name="one_reward_a_submission",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            ("batch__isnull", False), ("state", "outside"), _connector="OR"
                        ),
                        name="paid_under_a_batch",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("state__in", ("sending", "paid", "unknown")), _negated=True),
                            ("sent_at__isnull", False),
                            _connector="OR",
                        ),
                        name="sent_at_an_instant",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("state__in", ("paid", "outside")), _negated=True),
                            ("settled_at__isnull", False),
                            _connector="OR",
                        ),
                        name="settled_at_an_instant",
                    ),
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
                        db_index=True, help_text="when all checks that were used are restored"
                    ),
                ),
            ],
        ),
        migrations.AddField(
            model_name="hit",
            name="compensates",
            field=models.ForeignKey(
                blank=True,
                help_text="whose finished work it pays, instead of offering places to anybody",
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="compensations",
                to="surveys.visit",
            ),
        ),
        migrations.AddConstraint(
            model_name="hit",
            constraint=models.CheckConstraint(
                condition=models.Q(("compensates__isnull", True), ("n_places", 1), _connector="OR"),
                name="compensation_is_for_one",
            ),
        ),
        migrations.AddConstraint(
            model_name="hit",
            constraint=models.UniqueConstraint(
                condition=models.Q(("state", "closed"), _negated=True),
                fields=("compensates",),
                name="one_compensation_at_a_time",
            ),
        ),
        migrations.RunPython(migrations.RunPython.noop, refuse_to_lose_the_log_or_the_ledger),
    ]
