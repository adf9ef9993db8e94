"""What the core adds to the site."""

from datetime import timedelta

from surveys.features import MESSAGE_PAUSES, Area, Feature, Kind, Lane, run_kind
from surveys.models import RunKind

FEATURE = Feature(
    name="surveys",
    job_kinds=(
        run_kind(RunKind.RESULTS, "surveys.results.runs.make_results"),
        run_kind(RunKind.RELEASE, "surveys.results.runs.make_release"),
        run_kind(RunKind.LINKS, "surveys.results.export_jobs.make_links", "recruitment"),
        run_kind(RunKind.EXPORT, "surveys.results.export_jobs.write_export"),
        run_kind(
            RunKind.VERIFY, "surveys.results.inspection.verification.verify_archive", "release"
        ),
        run_kind(RunKind.DEPOSIT, "surveys.results.deposit.deposit_jobs.send_draft"),
        run_kind(RunKind.REHEARSE, "surveys.rehearsal.direct.rehearse", "collection"),
        run_kind(RunKind.COMPARE, "surveys.results.comparisons.comparing.make_comparison"),
        run_kind(RunKind.FAMILY, "surveys.results.comparisons.families.make_family"),
        Kind(
            name="webhooks.delivery",
            label="a webhook message",
            make="surveys.webhooks.messages.deliver",
            lane=Lane.SHORT,
            pauses=MESSAGE_PAUSES,
            max_deaths=len(MESSAGE_PAUSES),
            kept=timedelta(days=1),  # the message has its own history
        ),
        Kind(
            name="mails.delivery",
            label="an e-mail",
            make="surveys.recruitment.mails.send_mail",
            lane=Lane.MAIL,
            pauses=MESSAGE_PAUSES,
            is_repeatable=False,  # it may have arrived
            kept=timedelta(days=1),
        ),
        Kind(
            name="privacy.journal",
            label="entries of the journal of erasures",
            make="surveys.privacy.replay.write_entries",
            lane=Lane.SHORT,
            pauses=MESSAGE_PAUSES,
            max_deaths=len(MESSAGE_PAUSES),
            kept=timedelta(days=1),
        ),
        Kind(
            name="accounts.reset",
            label="an e-mail to choose a new password",
            make="surveys.access.account_addresses.send_resets",
            lane=Lane.MAIL,
            pauses=MESSAGE_PAUSES,
            is_repeatable=False,
            kept=timedelta(days=1),
        ),
        Kind(
            name="review.file",
            label="new answers for the review",
            make="surveys.review.queue.perform_filing",
            lane=Lane.SHORT,  # reviewers wait for it
            drains=True,
            ended="surveys.monitoring.checklist.end_filing",
            kept=timedelta(days=1),
        ),
    ),
    areas=(
        Area(
            namespace="console",
            prefix="console/",
            urls="surveys.web.console.urls",
            templates=("console",),
        ),
    ),
    files={"surveys.Run": ("archive", "ledger")},
    ids_within={
        "surveys.Job.request:ids_of": "surveys.Release",
        "surveys.Job.request:release": "surveys.Release",
        "surveys.Job.scope:": "surveys.Study",
    },
    moved_values={"surveys.Webhook": {"is_active": False}},
)
