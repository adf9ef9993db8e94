import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

import surveys.crowd.models


class Migration(migrations.Migration):
    initial = True

    dependencies = [
        ("surveys", "0001_version_0_1"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="Batch",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("number", models.PositiveIntegerField(help_text="within the study, from 1")),
                ("title", models.CharField(max_length=128)),
                ("description", models.CharField(max_length=2000)),
                ("keywords", models.CharField(blank=True, default="", max_length=1000)),
                (
                    "requirements",
                    models.JSONField(
                        blank=True, default=list, help_text="of workers, in the provider's format"
                    ),
                ),
                ("reward_cents", models.PositiveIntegerField()),
                (
                    "fee_cents",
                    models.PositiveIntegerField(
                        help_text="the provider's fee for each place, rounded up, as planned"
                    ),
                ),
                (
                    "billed_fee_cents",
                    models.PositiveIntegerField(
                        help_text="the fee as the provider bills it: rounded half up"
                    ),
                ),
                (
                    "assignment_seconds",
                    models.PositiveIntegerField(help_text="allowed for one assignment"),
                ),
                (
                    "lifetime_seconds",
                    models.PositiveIntegerField(
                        default=604800, help_text="how long it is offered to new workers"
                    ),
                ),
                (
                    "auto_approval_seconds",
                    models.PositiveIntegerField(
                        default=259200, help_text="after which workers are paid without a decision"
                    ),
                ),
                ("ceiling_cents", models.PositiveIntegerField(blank=True, null=True)),
                (
                    "total_cents",
                    models.PositiveIntegerField(
                        blank=True,
                        help_text="the planned cost, as typed when it was armed",
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
                            ("link", "open link"),
                            ("prolific", "Prolific"),
                            ("simulator", "MTurk simulator"),
                            ("sandbox", "MTurk sandbox"),
                            ("production", "MTurk"),
                        ],
                        help_text="the target; set once",
                        max_length=10,
                    ),
                ),
                ("n_places", models.PositiveSmallIntegerField()),
                (
                    "n_released",
                    models.PositiveSmallIntegerField(
                        default=0, help_text="of them, places that cost nothing since it was closed"
                    ),
                ),
                ("attempt", models.PositiveSmallIntegerField(default=1)),
                (
                    "token",
                    models.CharField(
                        help_text="idempotency token of the request", max_length=64, unique=True
                    ),
                ),
                (
                    "first_attempt_at",
                    models.DateTimeField(
                        blank=True,
                        help_text="when the token was first sent; the provider remembers it for a day",
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
                ("created_at", models.DateTimeField(auto_now_add=True)),
                (
                    "batch",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="hits",
                        to="crowd.batch",
                    ),
                ),
                (
                    "compensates",
                    models.ForeignKey(
                        blank=True,
                        help_text="the visit whose work it pays; it offers no places",
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="compensations",
                        to="surveys.visit",
                    ),
                ),
                (
                    "reservation",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="hit",
                        to="surveys.reservation",
                    ),
                ),
            ],
            options={
                "ordering": ["pk"],
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
                            ("link", "open link"),
                            ("prolific", "Prolific"),
                            ("simulator", "MTurk simulator"),
                            ("sandbox", "MTurk sandbox"),
                            ("production", "MTurk"),
                        ],
                        help_text="the target; set once",
                        max_length=10,
                    ),
                ),
                ("submission", models.CharField(help_text="the visit's submission", max_length=64)),
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
                        help_text="the grant's purpose; never granted twice",
                        max_length=64,
                        unique=True,
                    ),
                ),
                ("amount_cents", models.PositiveIntegerField()),
                ("fee_cents", models.PositiveIntegerField(default=0)),
                (
                    "token",
                    models.CharField(
                        default=surveys.crowd.models.make_payment_token, max_length=64, unique=True
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
                        help_text="when it was first sent; the provider remembers its token for a day",
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
                        to="crowd.batch",
                    ),
                ),
                (
                    "by",
                    models.ForeignKey(
                        blank=True,
                        help_text="who decided it; empty for a reward that is owed",
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
                            ("link", "open link"),
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
                        help_text="prevents its workers from doing the block again; empty for a private task",
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
                        blank=True, help_text="when the provider confirmed it", null=True
                    ),
                ),
                ("revoked_at", models.DateTimeField(blank=True, null=True)),
                (
                    "by",
                    models.ForeignKey(
                        blank=True,
                        help_text="empty if a visit led to it",
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
                        to="crowd.qualification",
                    ),
                ),
            ],
            options={
                "ordering": ["pk"],
            },
        ),
        migrations.AddConstraint(
            model_name="batch",
            constraint=models.UniqueConstraint(
                fields=("study", "number"), name="one_batch_a_number"
            ),
        ),
        migrations.AddConstraint(
            model_name="batch",
            constraint=models.CheckConstraint(
                condition=models.Q(("assignment_seconds__gte", 1), ("reward_cents__gte", 1)),
                name="batch_pays",
            ),
        ),
        migrations.AddConstraint(
            model_name="batch",
            constraint=models.CheckConstraint(
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
        ),
        migrations.AddConstraint(
            model_name="hit",
            constraint=models.UniqueConstraint(
                condition=models.Q(("hit_id", ""), _negated=True),
                fields=("provider", "hit_id"),
                name="one_row_a_hit",
            ),
        ),
        migrations.AddConstraint(
            model_name="hit",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    ("n_places__gte", 1),
                    ("n_places__lte", 9),
                    ("n_released__lte", models.F("n_places")),
                ),
                name="hit_has_up_to_nine_places",
            ),
        ),
        migrations.AddConstraint(
            model_name="hit",
            constraint=models.CheckConstraint(
                condition=models.Q(("state", "closed"), ("n_released", 0), _connector="OR"),
                name="places_are_released_by_closing",
            ),
        ),
        migrations.AddConstraint(
            model_name="hit",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    ("state__in", ("planned", "closed")),
                    ("first_attempt_at__isnull", False),
                    _connector="OR",
                ),
                name="asked_for_at_an_instant",
            ),
        ),
        migrations.AddConstraint(
            model_name="hit",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("state__in", ("live", "closing")), _negated=True),
                    models.Q(("hit_id", ""), _negated=True),
                    _connector="OR",
                ),
                name="live_has_an_id",
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
        migrations.AddConstraint(
            model_name="payment",
            constraint=models.UniqueConstraint(
                condition=models.Q(("kind", "reward")),
                fields=("provider", "submission"),
                name="one_reward_a_submission",
            ),
        ),
        migrations.AddConstraint(
            model_name="payment",
            constraint=models.CheckConstraint(
                condition=models.Q(("batch__isnull", False), ("state", "outside"), _connector="OR"),
                name="paid_under_a_batch",
            ),
        ),
        migrations.AddConstraint(
            model_name="payment",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("state__in", ("sending", "paid", "unknown")), _negated=True),
                    ("sent_at__isnull", False),
                    _connector="OR",
                ),
                name="sent_at_an_instant",
            ),
        ),
        migrations.AddConstraint(
            model_name="payment",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("state__in", ("paid", "outside")), _negated=True),
                    ("settled_at__isnull", False),
                    _connector="OR",
                ),
                name="settled_at_an_instant",
            ),
        ),
        migrations.AddConstraint(
            model_name="qualification",
            constraint=models.UniqueConstraint(
                fields=("provider", "name"), name="one_qualification_a_name"
            ),
        ),
        migrations.AddConstraint(
            model_name="qualification",
            constraint=models.UniqueConstraint(
                fields=("provider", "block"), name="one_qualification_a_block"
            ),
        ),
        migrations.AddConstraint(
            model_name="qualification",
            constraint=models.UniqueConstraint(
                condition=models.Q(("qualification_type_id", ""), _negated=True),
                fields=("provider", "qualification_type_id"),
                name="one_row_a_qualification_type",
            ),
        ),
        migrations.AddConstraint(
            model_name="grant",
            constraint=models.UniqueConstraint(
                condition=models.Q(("revoked_at__isnull", True)),
                fields=("qualification", "worker"),
                name="granted_once",
            ),
        ),
    ]
