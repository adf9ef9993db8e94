import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

import surveys.models.stimuli


class Migration(migrations.Migration):
    initial = True

    dependencies = [
        ("surveys", "0001_version_0_1"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="CandidatePair",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("number", models.PositiveIntegerField(help_text="within the study, from 1")),
                ("word1", models.TextField()),
                ("word2", models.TextField()),
                ("n_candidates", models.PositiveSmallIntegerField()),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("open", "open"),
                            ("disputed", "disputed"),
                            ("chosen", "chosen"),
                            ("skipped", "skipped"),
                        ],
                        default="open",
                        max_length=10,
                    ),
                ),
                (
                    "study",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="candidate_pairs",
                        to="surveys.study",
                    ),
                ),
            ],
            options={
                "ordering": ["number"],
            },
        ),
        migrations.CreateModel(
            name="Candidate",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("number", models.PositiveSmallIntegerField(help_text="within the pair, from 1")),
                ("window", models.CharField(help_text="its identifier in the file", max_length=64)),
                ("text", models.TextField()),
                ("word1_start", models.PositiveIntegerField()),
                ("word1_end", models.PositiveIntegerField()),
                ("word2_start", models.PositiveIntegerField()),
                ("word2_end", models.PositiveIntegerField()),
                (
                    "distance",
                    models.PositiveIntegerField(
                        help_text="words from one target word to the other"
                    ),
                ),
                (
                    "picked",
                    models.TextField(help_text="why it is a candidate, such as e5: most similar"),
                ),
                ("scores", models.JSONField(default=dict, help_text="by the name of the model")),
                ("file", models.TextField(blank=True)),
                ("document", models.TextField(blank=True)),
                ("title", models.TextField(blank=True)),
                ("url", models.TextField(blank=True)),
                ("revision", models.TextField(blank=True)),
                ("licence", models.TextField(blank=True)),
                (
                    "first_sentence",
                    models.PositiveIntegerField(help_text="of the document, from 1"),
                ),
                ("last_sentence", models.PositiveIntegerField()),
                (
                    "first_id",
                    models.TextField(blank=True, help_text="sent_id of its first sentence"),
                ),
                ("last_id", models.TextField(blank=True)),
                (
                    "pair",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="candidates",
                        to="contexts.candidatepair",
                    ),
                ),
            ],
            options={
                "ordering": ["pair", "number"],
            },
            bases=(surveys.models.stimuli.SpannedText, models.Model),
        ),
        migrations.CreateModel(
            name="CandidateSet",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("file_name", models.CharField(max_length=100)),
                ("sha256", models.CharField(help_text="digest of the file", max_length=64)),
                (
                    "model_names",
                    models.JSONField(default=list, help_text="of the models that scored them"),
                ),
                (
                    "n_wanted",
                    models.PositiveSmallIntegerField(help_text="most candidates of a pair"),
                ),
                (
                    "origin",
                    models.JSONField(
                        blank=True,
                        default=dict,
                        help_text="how they were found, as in origin_<lang>.json",
                    ),
                ),
                (
                    "is_double",
                    models.BooleanField(
                        default=False,
                        help_text="two experts choose for each pair, a third where they differ",
                    ),
                ),
                (
                    "shows_scores",
                    models.BooleanField(
                        default=False, help_text="scores and distances are shown before the choice"
                    ),
                ),
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
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="candidate_set",
                        to="surveys.study",
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="ContextChoice",
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
                        help_text="1 or 2; 3 decides between two others"
                    ),
                ),
                (
                    "reason",
                    models.CharField(
                        blank=True,
                        choices=[
                            ("no_text", "no good text"),
                            ("sense", "wrong sense"),
                            ("name", "a name"),
                            ("broken", "broken text"),
                        ],
                        default="",
                        max_length=10,
                    ),
                ),
                ("is_decisive", models.BooleanField(default=False)),
                ("chosen_at", models.DateTimeField(auto_now_add=True)),
                ("undone_at", models.DateTimeField(blank=True, null=True)),
                (
                    "candidate1",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="contexts.candidate",
                    ),
                ),
                (
                    "candidate2",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="contexts.candidate",
                    ),
                ),
                (
                    "expert",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "pair",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="choices",
                        to="contexts.candidatepair",
                    ),
                ),
            ],
            options={
                "ordering": ["-pk"],
            },
        ),
        migrations.CreateModel(
            name="ContextClaim",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("until", models.DateTimeField()),
                (
                    "expert",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "pair",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="claims",
                        to="contexts.candidatepair",
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="ContextEdit",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("number", models.PositiveSmallIntegerField(help_text="of the context: 1 or 2")),
                ("text", models.TextField()),
                ("word1_start", models.PositiveIntegerField()),
                ("word1_end", models.PositiveIntegerField()),
                ("word2_start", models.PositiveIntegerField()),
                ("word2_end", models.PositiveIntegerField()),
                (
                    "choice",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="edits",
                        to="contexts.contextchoice",
                    ),
                ),
            ],
            bases=(surveys.models.stimuli.SpannedText, models.Model),
        ),
        migrations.AddConstraint(
            model_name="candidatepair",
            constraint=models.UniqueConstraint(
                fields=("study", "number"), name="candidate_pair_once"
            ),
        ),
        migrations.AddConstraint(
            model_name="candidate",
            constraint=models.UniqueConstraint(fields=("pair", "number"), name="candidate_once"),
        ),
        migrations.AddConstraint(
            model_name="candidate",
            constraint=models.UniqueConstraint(
                fields=("pair", "window"), name="window_once_a_pair"
            ),
        ),
        migrations.AddConstraint(
            model_name="contextchoice",
            constraint=models.UniqueConstraint(
                condition=models.Q(("undone_at", None)),
                fields=("pair", "opinion"),
                name="opinion_once",
            ),
        ),
        migrations.AddConstraint(
            model_name="contextchoice",
            constraint=models.UniqueConstraint(
                condition=models.Q(("undone_at", None)),
                fields=("pair", "expert"),
                name="one_choice_an_expert",
            ),
        ),
        migrations.AddConstraint(
            model_name="contextchoice",
            constraint=models.UniqueConstraint(
                condition=models.Q(("is_decisive", True)),
                fields=("pair",),
                name="one_decisive_choice",
            ),
        ),
        migrations.AddConstraint(
            model_name="contextchoice",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(
                        ("candidate1__isnull", False),
                        ("candidate2__isnull", False),
                        ("reason", ""),
                        models.Q(("candidate1", models.F("candidate2")), _negated=True),
                    ),
                    models.Q(
                        ("candidate1", None),
                        ("candidate2", None),
                        models.Q(("reason", ""), _negated=True),
                    ),
                    _connector="OR",
                ),
                name="two_contexts_or_a_reason",
            ),
        ),
        migrations.AddConstraint(
            model_name="contextchoice",
            constraint=models.CheckConstraint(
                condition=models.Q(("undone_at", None), ("is_decisive", False), _connector="OR"),
                name="undone_decides_nothing",
            ),
        ),
        migrations.AddConstraint(
            model_name="contextchoice",
            constraint=models.CheckConstraint(
                condition=models.Q(("opinion__in", (1, 2, 3))), name="opinion_is_1_to_3"
            ),
        ),
        migrations.AddConstraint(
            model_name="contextclaim",
            constraint=models.UniqueConstraint(
                fields=("pair", "expert"), name="one_context_claim_each"
            ),
        ),
        migrations.AddConstraint(
            model_name="contextedit",
            constraint=models.UniqueConstraint(
                fields=("choice", "number"), name="edit_once_a_context"
            ),
        ),
        migrations.AddConstraint(
            model_name="contextedit",
            constraint=models.CheckConstraint(
                condition=models.Q(("number__in", (1, 2))), name="edit_is_of_1_or_2"
            ),
        ),
    ]
