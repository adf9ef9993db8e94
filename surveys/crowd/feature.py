"""What paid crowds add to the site."""

from datetime import timedelta

from surveys.crowd.models import BatchWork
from surveys.features import Feature, Kind, Lane, MenuEntry, run_kind

PERFORM = "surveys.crowd.mturk.batch_jobs.perform_batch_work"
FEATURE = Feature(
    name="crowd",
    job_kinds=(
        *(run_kind(kind, PERFORM, summary="crowd/_summary.html") for kind in BatchWork),
        Kind(
            name="crowd.grants",
            label="granted qualifications for a target",
            make="surveys.crowd.mturk.qualifications.perform_sending",
            lane=Lane.SHORT,
            drains=True,
            kept=timedelta(days=1),
        ),
    ),
    channels="surveys.crowd.mturk.targets.list_channels",
    frames="surveys.crowd.mturk.targets.list_frames",
    gauges="surveys.crowd.ledger.read_gauges",
    menu=(
        MenuEntry(place="recruitment", template="crowd/_recruitment.html"),
        MenuEntry(place="prolific", template="crowd/_prolific.html"),
    ),
    console_urls="surveys.crowd.web.console.urls.PAGES",
    console_help={
        "docs/console.html#paid-batches": (
            "batches plan_batch batch_cost batch arm_batch disarm_batch drop_batch stop_batch "
            "work_batch batch_ledger batch_people batch_bonus batch_choose visit pay_visit "
            "reject_visit retry_visit override_visit compensate_visit note_visit"
        ),
        "docs/console.html#prolifics-export": "prolific_export",
    },
    annotator_urls="surveys.crowd.web.annotate.PATHS",
    ids_within={
        "surveys.Job.request:batch": "crowd.Batch",
        "crowd.Payment.grant_key:": "surveys.Visit",
    },
    moved_values={
        "crowd.Batch": dict.fromkeys(
            ("armed_by", "armed_at", "armed_until", "ceiling_cents", "total_cents")
        ),
    },
    export_person="surveys.crowd.personal_data.export_person",
    forget_workers="surveys.crowd.personal_data.forget_workers",
    log_actions={
        "batch.armed": "Approved the budget of {}",
        "batch.disarmed": "Withdrew the approval of {}",
        "batch.dropped": "Dropped planned HITs of {}",
        "batch.planned": "Planned {}",
        "batch.stopped": "Stopped {}",
        "compensation.planned": "Planned a compensation for {}",
        "fetch.made": "Finished fetching submissions ({})",
        "fetch.requested": "Started fetching submissions ({})",
        "hit.created": "Published {}",
        "pay.made": "Finished paying a batch ({})",
        "pay.requested": "Started paying a batch ({})",
        "payment.intended": "Decided on a payment for {}",
        "payment.made": "Paid for {}",
        "payment.outside": "Recorded a payment outside the site for {}",
        "payment.refused": "Could not pay for {}: the provider refused",
        "publish.made": "Finished publishing a batch ({})",
        "publish.requested": "Started publishing a batch ({})",
        "qualification.granted": "Granted a qualification: {}",
        "stop.made": "Finished stopping a batch ({})",
        "stop.requested": "Started stopping a batch ({})",
        "submission.rejected": "Rejected the submission of {}",
        "submissions.reconciled": "Compared the submissions with a list from {}",
    },
    log_areas={
        "batch.": "Batches",
        "hit.": "HITs",
        "payment.": "Payments",
        "submission": "Submissions",
    },
    log_fields={
        "amount": "Value",
        "amount_cents": "Amount",
        "ceiling_cents": "Ceiling",
        "expired": "Expired",
        "fee_cents": "Fee",
        "held": "Held",
        "hits": "HITs",
        "nothing to do": "Nothing to do",
        "payable": "Payable",
        "reward_cents": "Reward",
        "settled": "Settled",
        "target": "Platform",
        "total_cents": "Cost",
        "unpaid": "Unpaid",
        "until": "Until",
    },
)
