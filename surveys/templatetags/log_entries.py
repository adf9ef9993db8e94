"""Template filters that put log entries into words; the log itself stores short names."""

import re

from django import template

from surveys.models import AuditEntry

register = template.Library()

# What was done, after the name of the person who did it; {} is the subject of the entry.
ACTIONS = {
    "account.invited": "Invited {} to the study",
    "account.link_made": "Made a sign-in link for {}",
    "account.link_used": "Signed in by a link as {}",
    "account.made": "Created the account {}",
    "account.password_changed": "Changed the password of {}",
    "account.password_chosen": "Chose a password for {}",
    "annotator.erased": "Erased the data of {}",
    "annotator.exported": "Downloaded the data of {}",
    "annotator.withdrew": "Withdrew from the study: {}",
    "annotators.paid": "Marked {} as paid",
    "annotators.unpaid": "Marked {} as not paid",
    "batch.armed": "Approved the budget of {}",
    "batch.disarmed": "Withdrew the approval of {}",
    "batch.dropped": "Dropped planned HITs of {}",
    "batch.planned": "Planned {}",
    "batch.stopped": "Stopped {}",
    "block.repeat_undone": "Undid the repetition of {}",
    "block.repeated": "Repeated {}",
    "checkpoints.replaced": "Replaced the checkpoint items",
    "collection.deleted": "Deleted the imported collection “{}”",
    "collection.imported": "Imported the collection “{}”",
    "compare.made": "Finished {}",
    "compare.requested": "Started {}",
    "compensation.planned": "Planned a compensation for {}",
    "consent.reviewed": "Reviewed the consent text",
    "deposit.made": "Finished sending a release to a repository ({})",
    "deposit.requested": "Started sending a release to a repository ({})",
    "description.set": "Changed the description of the dataset",
    "entrance.closed": "Closed the entrance: {}",
    "entrance.opened": "Opened an entrance, or changed it: {}",
    "export.made": "Finished a file of the answers ({})",
    "export.requested": "Requested a file of the answers ({})",
    "fetch.made": "Finished fetching submissions ({})",
    "fetch.requested": "Started fetching submissions ({})",
    "hit.created": "Published {}",
    "invitation.forgotten": "Dropped the note of {} and revoked the link",
    "invitation.no_mail": "Stopped e-mails to {}",
    "invitation.revoked": "Revoked {}",
    "invitations.made": "Made personal links {}",
    "links.made": "Finished making personal links ({})",
    "links.requested": "Started making personal links ({})",
    "mails.cancelled": "Cancelled e-mails that had not been sent",
    "mails.queued": "Queued e-mails: {}",
    "member.granted": "Gave {} a role",
    "member.revoked": "Removed {} from the study",
    "pay.made": "Finished paying a batch ({})",
    "pay.requested": "Started paying a batch ({})",
    "payment.intended": "Decided on a payment for {}",
    "payment.made": "Paid for {}",
    "payment.outside": "Recorded a payment outside the site for {}",
    "payment.refused": "Could not pay for {}: the provider refused",
    "personal_data.dropped": "Dropped personal data whose time had passed",
    "publish.made": "Finished publishing a batch ({})",
    "publish.requested": "Started publishing a batch ({})",
    "qualification.granted": "Granted a qualification: {}",
    "rehearsal.deleted": "Deleted the rehearsal",
    "rehearse.made": "Finished a rehearsal ({})",
    "rehearse.requested": "Started a rehearsal ({})",
    "release.deposited": "Sent {} to a repository as a draft",
    "release.made": "Finished {}",
    "release.page_closed": "Closed the public page of {}",
    "release.page_opened": "Published {} on a public page",
    "release.requested": "Started {}",
    "results.made": "Finished {}",
    "results.requested": "Started {}",
    "retention.set": "Changed how long personal data is kept",
    "review.configured": "Changed how much is reviewed",
    "review.effect_shown": "Looked at the effect on the results: {}",
    "run.retried": "Tried {} again",
    "stimuli.dropped": "Deleted {} of the stimuli",
    "stimuli.replaced": "Replaced the stimuli",
    "stimuli.revised": "Changed {} of the stimuli",
    "stop.made": "Finished stopping a batch ({})",
    "stop.requested": "Started stopping a batch ({})",
    "study.archived": "Archived the study",
    "study.closed": "Closed the study",
    "study.configured": "Changed the design",
    "study.drafted": "Created the study",
    "study.duplicated": "Created the study as a copy of {}",
    "study.opened": "Opened the study to annotators",
    "study.reopened": "Opened the study again",
    "study.replacements": "Asked for replacements of questionnaires set aside",
    "study.restored": "Took the study out of the archive",
    "study.settled": "Marked all payments as complete",
    "study.unsettled": "Marked payments as not complete",
    "submission.rejected": "Rejected the submission of {}",
    "submissions.reconciled": "Compared the submissions with a list from {}",
    "text.set": "Changed a text: {}",
    "token.made": "Made {}",
    "token.revoked": "Revoked {}",
    "verdict.given": "Judged {}",
    "verdict.undone": "Took back the verdict on {}",
    "verify.made": "Finished the verification of a release ({})",
    "verify.requested": "Started the verification of a release ({})",
    "webhook.added": "Added {}",
    "webhook.changed": "Changed {}",
    "webhook.removed": "Removed {}",
}
# Subjects in other words than the stored ones; "" is that of an entry without one.
SUBJECTS = {
    ("annotators.paid", ""): "all annotators who have finished",
    ("mails.queued", "again"): "those that failed, again",
    ("mails.queued", "invitation"): "invitations",
    ("mails.queued", "reminder"): "reminders",
}
AREAS = {
    "account.": "Accounts",
    "annotator": "Annotators",
    "batch.": "Batches",
    "block.": "Blocks",
    "checkpoints.": "Checkpoint items",
    "compare.": "Comparisons",
    "consent.": "Consent",
    "description.": "Description of the dataset",
    "mails.": "E-mails",
    "export.": "Files of answers",
    "hit.": "HITs",
    "collection.": "Imported collections",
    "entrance.": "Open links and providers",
    "payment.": "Payments",
    "member.": "People",
    "personal_data.": "Personal data",
    "invitation": "Personal links",
    "rehears": "Rehearsals",
    "release.": "Releases",
    "deposit.": "Repositories",
    "retention.": "Retention",
    "review.": "Review",
    "results.": "Runs",
    "stimuli.": "Stimuli",
    "study.": "Study and design",
    "submission": "Submissions",
    "text.": "Texts",
    "verdict.": "Verdicts",
    "verify.": "Verifications",
    "webhook.": "Webhooks",
}  # beginnings of actions, by which the log is filtered


@register.filter
def sentence(entry: AuditEntry) -> str:
    """Return what was done, in words.

    >>> sentence(AuditEntry(action="stimuli.dropped", subject="row 3"))
    'Deleted row 3 of the stimuli'
    """
    words = ACTIONS.get(entry.action) or f"{_spell_out(entry.action)}: {{}}"
    subject = entry.subject
    if entry.study is not None:  # the page is of this study alone
        subject = re.sub(rf" (by .+ )?(of|to) {re.escape(entry.study.slug)}\b", "", subject)
    subject = SUBJECTS.get((entry.action, subject), subject)
    subject = re.sub(r"^(?=questionnaire of)", "the ", subject)
    return words.format(subject).strip(" :").replace(" ()", "")


def _spell_out(name: str) -> str:
    """Return a stored name that has no words here, such as that of an earlier version."""
    return re.sub(r"[._]", " ", name).capitalize()
