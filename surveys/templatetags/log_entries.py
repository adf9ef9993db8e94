"""Template filters that put log entries into words; the log itself stores short names."""

import ast
import re
from collections.abc import Callable
from datetime import datetime
from typing import Any, NamedTuple

from django import template

from surveys.features import merge_mappings
from surveys.models import (
    AuditEntry,
    CollectionKind,
    Provider,
    Role,
    Study,
    VerdictKind,
)
from surveys.models.fields import field_of, label_of
from surveys.study.settings import SETTINGS
from surveys.templatetags.dates import instant
from surveys.templatetags.figures import number
from surveys.templatetags.money import dollars

register = template.Library()

# What was done, after the name of the person who did it; {} is the subject of the entry.
ACTIONS = {
    "account.address_changed": "Changed the e-mail address of the account {}",
    "account.codes_renewed": "Made new recovery codes for {}",
    "account.factor_added": "Added a second factor to the account {}",
    "account.factor_removed": "Removed the second factor of {}",
    "account.invited": "Invited {} to the study",
    "account.link_made": "Made a sign-in link for {}",
    "account.link_used": "Signed in by a link as {}",
    "account.made": "Created the account {}",
    "account.password_changed": "Changed the password of {}",
    "account.password_chosen": "Chose a password for {}",
    "account.recovery_code_used": "Used a recovery code of {}",
    "account.reset_sent": "Sent a link to choose a new password for {}",
    "account.sessions_ended": "Ended sessions of {}",
    "annotator.erased": "Erased the data of {}",
    "annotator.exported": "Downloaded the data of {}",
    "annotator.withdrew": "Withdrew from the study: {}",
    "annotators.paid": "Marked {} as paid",
    "annotators.unpaid": "Marked {} as not paid",
    "block.repeat_undone": "Undid the repetition of {}",
    "block.repeated": "Repeated {}",
    "checkpoints.replaced": "Replaced the checkpoint items",
    "collection.deleted": "Deleted the imported collection “{}”",
    "collection.imported": "Imported the collection “{}”",
    "compare.made": "Finished {}",
    "compare.requested": "Started {}",
    "consent.reviewed": "Reviewed the consent text",
    "deposit.made": "Finished sending a release to a repository ({})",
    "deposit.requested": "Started sending a release to a repository ({})",
    "description.set": "Changed the description of the dataset",
    "entrance.closed": "Closed the entrance: {}",
    "entrance.opened": "Opened an entrance, or changed it: {}",
    "export.made": "Finished a file of the answers ({})",
    "export.requested": "Requested a file of the answers ({})",
    "family.changed": "Changed the family “{}”",
    "family.deleted": "Deleted the family “{}”",
    "family.joined": "Put the study into the family “{}”",
    "family.left": "Took the study out of the family “{}”",
    "family.made": "Finished {}",
    "family.requested": "Started {}",
    "invitation.forgotten": "Dropped the note of {} and revoked the link",
    "invitation.no_mail": "Stopped e-mails to {}",
    "invitation.revoked": "Revoked {}",
    "invitations.made": "Made personal links {}",
    "item.decided": "Decided {}",
    "links.made": "Finished making personal links ({})",
    "links.requested": "Started making personal links ({})",
    "mails.cancelled": "Cancelled e-mails that had not been sent",
    "mails.queued": "Queued e-mails: {}",
    "member.granted": "Gave {} a role",
    "member.revoked": "Removed {} from the study",
    "personal_data.dropped": "Dropped personal data whose time had passed",
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
    "job.retried": "Tried {} again",
    "second_look.closed": "Closed the second look",
    "second_look.opened": "Opened the second look to annotators",
    "stimuli.dropped": "Deleted {} of the stimuli",
    "stimuli.replaced": "Replaced the stimuli",
    "stimuli.revised": "Changed {} of the stimuli",
    "study.archived": "Archived the study",
    "study.closed": "Closed the study",
    "study.configured": "Changed the design",
    "study.drafted": "Created the study",
    "study.duplicated": "Created the study as a copy of {}",
    "study.exported": "Exported the study to a file for another site",
    "study.imported": "Imported the study {} of another site",
    "study.opened": "Opened the study to annotators",
    "study.reopened": "Opened the study again",
    "study.replacements": "Asked for replacements of questionnaires set aside",
    "study.restored": "Took the study out of the archive",
    "study.settled": "Marked all payments as complete",
    "study.unsettled": "Marked payments as not complete",
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
    **merge_mappings("log_actions"),
}
# Subjects in other words than the stored ones; "" is that of an entry without one.
SUBJECTS = {
    ("annotators.paid", ""): "all annotators who have finished",
    ("mails.queued", "again"): "those that failed, again",
    ("mails.queued", "invitation"): "invitations",
    ("mails.queued", "reminder"): "reminders",
}
FIELDS = {
    **{name: label_of(Study, name) for name in SETTINGS},
    "active": "Active",
    "annotators": "Annotators",
    "answers": "Answers",
    "cap": "Annotators, at most",
    "collection": "Collection",
    "context1": "Context 1",
    "context2": "Context 2",
    "days": "Days after payment",
    "double_percent": "Answers reviewed twice (%)",
    "dropped": "Kept after payment",
    "events": "Events",
    "host": "Repository",
    "in_releases": "In the releases",
    "is_active": "Active",
    "items": "Items",
    "kind": "Kind",
    "known": "Known before",
    "links": "Links",
    "model": "Model",
    "model_version": "Version of the model",
    "n": "Number",
    "n_pairs": "Pairs",
    "n_ratings": "Ratings",
    "n_sessions": "Sessions",
    "name": "Name",
    "new": "New",
    "of": "Account",
    "paid": "Paid, and so kept",
    "pairs": "Pairs",
    "places": "Places",
    "prompt_sha256": "Prompt (SHA-256)",
    "rated_on": "Rated on",
    "reason": "Reason",
    "recipe": "Recipe",
    "releases": "Releases",
    "reviewer": "Reviewed by",
    "role": "Role",
    "round": "Round",
    "runs": "Runs",
    "sample_percent": "Answers reviewed (%)",
    "scopes": "Scopes",
    "sha256": "File (SHA-256)",
    "stimuli": "Stimuli (SHA-256)",
    "strangers": "Workers who never came",
    "text": "Text",
    "url": "Address",
    "verdict.kind": "Verdict",
    "verdicts": "Verdicts",
    "version": "Version",
    "word1": "Word 1",
    "word2": "Word 2",
    **{f"word{n}_context{k}": f"Word {n} in context {k}" for n in (1, 2) for k in (1, 2)},
    **merge_mappings("log_fields"),
}
LEFT_OUT = {"by"}  # the number of an account, whose name the entry has
AREAS_OF_CORE = {
    "account.": "Accounts",
    "annotator": "Annotators",
    "block.": "Blocks",
    "checkpoints.": "Checkpoint items",
    "compare.": "Comparisons",
    "consent.": "Consent",
    "description.": "Description of the dataset",
    "mails.": "E-mails",
    "export.": "Files of answers",
    "family.": "Families",
    "collection.": "Imported collections",
    "entrance.": "Open links and providers",
    "member.": "People",
    "personal_data.": "Personal data",
    "invitation": "Personal links",
    "rehears": "Rehearsals",
    "release.": "Releases",
    "deposit.": "Repositories",
    "retention.": "Retention",
    "review.": "Review",
    "results.": "Runs",
    "second_look.": "Second look",
    "stimuli.": "Stimuli",
    "study.": "Study and design",
    "text.": "Texts",
    "verdict.": "Verdicts",
    "verify.": "Verifications",
    "webhook.": "Webhooks",
}
# Beginnings of actions: the choices of the log's filter, by label.
AREAS = dict(
    sorted((AREAS_OF_CORE | merge_mappings("log_areas")).items(), key=lambda area: area[1])
)
KINDS: dict[str, dict[str, Any]] = {
    "verdict": dict(VerdictKind.choices), "collection": dict(CollectionKind.choices),
}  # fmt: skip
CHOICES: dict[str, dict[str, Any]] = {
    **{name: dict(field_of(Study, name).flatchoices) for name in SETTINGS},
    "role": dict(Role.choices), "target": dict(Provider.choices),
}  # fmt: skip
DIGEST_SHOWN = 12
SEPARATOR = " → "  # between the values before and after, in the log
PLAIN = {"True": "yes", "False": "no", "None": "–", "": "–"}


class Detail(NamedTuple):
    """A detail of an entry in words."""

    label: str
    value: str


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


@register.filter
def describe(entry: AuditEntry) -> list[Detail]:
    """Return the details of an entry in words.

    >>> entry = AuditEntry(action="study.configured", details={"scale_maximum": "6.00 → 10.00"})
    >>> describe(entry)
    [Detail(label='Highest point', value='6 → 10')]
    """
    area = entry.action.partition(".")[0]
    return [
        Detail(_name_field(name, area), write_value(name, value, area))
        for name, value in entry.details.items()
        if name not in LEFT_OUT
    ]


def write_value(name: str, value: Any, area: str = "") -> str:
    """Return a value of a field in words; a dash for None and for an empty list or mapping.

    >>> write_value("publishes_words", "False → True"), write_value("reward_cents", 120)
    ('no → yes', '$1.20')
    >>> write_value("scale_labels", {"0": "different", "6": "same"}), write_value("events", [])
    ('0 = different, 6 = same', '–')
    """
    if isinstance(value, str) and SEPARATOR in value and name not in FREE_TEXT:
        return SEPARATOR.join(write_value(name, part, area) for part in value.split(SEPARATOR))
    if isinstance(value, dict):
        return ", ".join(f"{key} = {write_value('', part)}" for key, part in value.items()) or "–"
    if isinstance(value, list | tuple):
        return ", ".join(write_value("", part) for part in value) or "–"
    if write := dollars if name.endswith("_cents") else WRITERS.get(name):
        return write(value)
    choices = (KINDS.get(area) if name == "kind" else CHOICES.get(name)) or {}
    if value in choices:
        label = str(choices[value]).partition(":")[0]
        return label.lower() if name == "kind" else label
    text = str(value)
    if isinstance(value, int | float) and not isinstance(value, bool):
        return text.replace("-", "−")
    return PLAIN.get(text, text)


def _write_digest(value: Any) -> str:
    return f"{value[:DIGEST_SHOWN]}…" if value else "–"


def _write_labels(value: Any) -> str:
    """Write labels of points, which the log has as a mapping or as Python writes one."""
    return write_value("", ast.literal_eval(value)) if value else "–"


def _write_instant(value: Any) -> str:
    return f"{instant(datetime.fromisoformat(value))} UTC"


WRITERS: dict[str, Callable[[Any], str]] = {
    "until": _write_instant,
    "sha256": _write_digest, "prompt_sha256": _write_digest, "stimuli": _write_digest,
    "scale_minimum": number, "scale_maximum": number, "scale_step": number,
    "scale_labels": _write_labels,
}  # fmt: skip
FREE_TEXT = {"reason", "context1", "context2", "word1", "word2"}  # may contain the separator


def _name_field(name: str, area: str) -> str:
    base, _, when = name.rpartition(" ")
    if base in FIELDS and when in ("before", "after"):
        return f"{FIELDS[base]}, {when}"
    return FIELDS.get(f"{area}.{name}") or FIELDS.get(name) or _spell_out(name)


def _spell_out(name: str) -> str:
    """Return a stored name without words here as text."""
    return re.sub(r"[._]", " ", name).capitalize()
