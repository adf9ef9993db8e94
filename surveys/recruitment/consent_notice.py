"""The consent notice: which data about annotators the site stores, and for how long.

The sentences follow from the settings of the study and from the recruitment channel, so that they
are complete without a researcher's help. `tests/surveys/recruitment/test_consent_notice.py` names
the sentence for each stored field. The notice that an annotator read is stored with their consent.
"""

import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import Enum
from typing import Self

from django.utils import translation
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from surveys.models import Annotator, ConsentNotice, Invitation, Study
from surveys.recruitment.providers import NOTED_LINK, PLAIN_LINK, Disclosure, rules_of
from surveys.study.texts import interface_of


class Said(Enum):
    """The subject of a sentence."""

    ORGANISATION = "who runs the study"
    ETHICS = "ethics approval"
    CONTACT = "contact"
    IDENTITY = "identifiers, apart from the answers"
    WITHDRAWAL = "what withdrawing does"
    PUBLICATION = "what is published"
    ANSWERS = "answers"
    TIMES = "page times and what the browser reports"
    STEPS = "texts and steps"
    CHECK = "tries for the comprehension check"
    ARRIVAL = "ids, labels, links"
    NETWORK = "the code of a network address"
    JUDGEMENT = "what researchers note, and payment"
    ABSENT = "what is not stored"
    ERASURE = "what withdrawing erases"
    TERM = "for how long answers are kept"
    RETENTION = "for how long ids and notes are kept"
    RIGHTS = "access and erasure"


SECTIONS = {
    "who": (Said.ORGANISATION, Said.ETHICS, Said.CONTACT),
    "lead": (Said.IDENTITY, Said.WITHDRAWAL, Said.PUBLICATION),
    "kept": (
        Said.ANSWERS, Said.TIMES, Said.STEPS, Said.CHECK, Said.ARRIVAL, Said.NETWORK,
        Said.JUDGEMENT, Said.ABSENT,
    ),
    "term": (Said.TERM, Said.RETENTION, Said.ERASURE, Said.RIGHTS),
}  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class Facts:
    """The facts from which the sentences follow."""

    disclosure: Disclosure
    organisation: str
    ethics: str
    contact: str
    allows_comments: bool
    has_check: bool
    erases_withdrawn: bool
    publishes_words: bool
    retention_days: int | None

    @classmethod
    def of(cls, study: Study, disclosure: Disclosure) -> Self:
        """Return the facts for an annotator who arrives now."""
        return cls(
            disclosure=disclosure,
            organisation=study.organisation.strip(),
            ethics=study.ethics.strip(),
            contact=study.contact.strip(),
            allows_comments=study.allows_unjudgeable,
            has_check=study.n_check_tries > 0,
            erases_withdrawn=study.erases_withdrawn,
            publishes_words=study.publishes_words,
            retention_days=study.retention_days,
        )

    @classmethod
    def for_annotator(cls, annotator: Annotator) -> Self:
        """Return the facts that apply now to an annotator, including what they agreed to."""
        study = annotator.study
        invitation = Invitation.objects.select_related("entrance").get(annotator=annotator)
        promised = [n for n in (study.retention_days, annotator.retention_days) if n is not None]
        return replace(
            cls.of(study, find_disclosure(invitation)),
            erases_withdrawn=annotator.erases_withdrawn,
            publishes_words=annotator.publishes_words,
            retention_days=min(promised, default=None),
        )


def find_disclosure(invitation: Invitation) -> Disclosure:
    """Return what the notice says about the data that came with this invitation."""
    if invitation.entrance:
        return rules_of(invitation.entrance.provider).disclosure
    return NOTED_LINK if invitation.note or invitation.note_digest else PLAIN_LINK


def make_notice(study: Study, facts: Facts) -> ConsentNotice:
    """Return the notice in the language of the study's pages, without storing it."""
    language = interface_of(study)
    with translation.override(language):
        said = list(list_sentences(facts))
    sections = {
        name: [text for about, text in said if about in topics] for name, topics in SECTIONS.items()
    }
    written = json.dumps([language, sections], ensure_ascii=False, sort_keys=True)
    digest = hashlib.sha256(written.encode()).hexdigest()
    return ConsentNotice(study=study, digest=digest, language=language, sections=sections)


def store_notice(notice: ConsentNotice) -> ConsentNotice:
    """Return the stored notice with the same sentences, stored now if it is the first."""
    stored, _is_new = ConsentNotice.objects.get_or_create(
        study=notice.study,
        digest=notice.digest,
        defaults={"language": notice.language, "sections": notice.sections},
    )
    return stored


def list_changes(agreed: ConsentNotice, now: ConsentNotice) -> list[str]:
    """Return the sentences that apply now and were not in the notice that was agreed to."""
    known = {text for texts in agreed.sections.values() for text in texts}
    return [text for texts in now.sections.values() for text in texts if text not in known]


def list_sentences(facts: Facts) -> Iterator[tuple[Said, str]]:
    """Yield each sentence with its subject, in the active language."""
    yield from _say_who(facts)
    code = _("Your answers are stored under a random code.")
    yield Said.IDENTITY, f"{code} {facts.disclosure.identity}"
    yield Said.WITHDRAWAL, _say_withdrawal(facts)
    yield Said.PUBLICATION, _say_publication(facts)
    yield from _say_kept(facts)
    yield from _say_term(facts)


def _say_who(facts: Facts) -> Iterator[tuple[Said, str]]:
    if facts.organisation:
        organisation = {"organisation": _isolate(facts.organisation)}
        yield Said.ORGANISATION, _("This study is run by %(organisation)s.") % organisation
    if facts.ethics:
        yield Said.ETHICS, _("Ethics approval: %(ethics)s") % {"ethics": _isolate(facts.ethics)}
    if facts.contact:
        contact = {"contact": _isolate(facts.contact)}
        yield Said.CONTACT, _("Questions? Write to %(contact)s.") % contact


def _say_withdrawal(facts: Facts) -> str:
    if facts.erases_withdrawn:
        return _(
            "You can withdraw at any time, also later, by your link. Your answers are then erased."
        )
    return _(
        "You can withdraw at any time, also later, by your link. Your answers are then not used, "
        "but they are kept."
    )


def _say_publication(facts: Facts) -> str:
    ratings = _(
        "Your ratings are published in a dataset, under another code and without any ID, label, "
        "address or time."
    )
    if facts.publishes_words:
        words = _("The words that you write are published together with your ratings.")
    else:
        words = _("The words that you write are not published.")
    return f"{ratings} {words}"


def _say_kept(facts: Facts) -> Iterator[tuple[Said, str]]:
    if facts.allows_comments:
        yield (
            Said.ANSWERS,
            _(
                "The words that you write, your ratings, and your comments on texts that "
                "you cannot judge."
            ),
        )
    else:
        yield Said.ANSWERS, _("The words that you write, and your ratings.")
    yield (
        Said.TIMES,
        _(
            "When each page with a text was sent to you, and when you answered it. If your "
            "browser runs JavaScript: for how many seconds the page was visible, and whether a "
            "word was pasted."
        ),
    )
    yield (
        Said.STEPS,
        _(
            "Which texts you were given, and when you agreed, read the instructions, practised, "
            "finished or withdrew."
        ),
    )
    if facts.has_check:
        yield Said.CHECK, _("How many tries you needed for the questions about the instructions.")
    yield Said.ARRIVAL, str(facts.disclosure.arrival)
    if facts.disclosure.counts_addresses:
        yield (
            Said.NETWORK,
            _(
                "If you came by a link that many people can open: for one day at most, a code made "
                "from your network address. It is kept apart from your answers, so that no program "
                "can take all the places."
            ),
        )
    yield (
        Said.JUDGEMENT,
        _("What the researchers note about your answers, and whether you were paid."),
    )
    yield (
        Said.ABSENT,
        _(
            "We do not ask for your name. This site stores neither your IP address nor which "
            "browser you use, and it sets no cookies."
        ),
    )


def _say_term(facts: Facts) -> Iterator[tuple[Said, str]]:
    yield (
        Said.TERM,
        _(
            "Your answers, their times and the researchers’ notes are kept for research, without a "
            "time limit."
        ),
    )
    if facts.disclosure.has_identifiers:
        yield Said.RETENTION, _say_retention(facts.retention_days)
    if facts.erases_withdrawn:
        yield (
            Said.ERASURE,
            _(
                "Withdrawing erases your words, ratings and comments with their times. It stays "
                "stored that you took part and withdrew."
            ),
        )
    yield (
        Said.RIGHTS,
        _(
            "You can ask at any time what is stored about you, and have it erased. What was "
            "published before that cannot be called back."
        ),
    )


def _say_retention(days: int | None) -> str:
    if days is None:
        return _("No date is set for deleting the IDs, label or address named above.")
    return ngettext(
        "The IDs, label or address named above are deleted %(n)s day after you were paid or the "
        "study was closed. A code made from them stays, so that you are recognised if you "
        "come again.",
        "The IDs, label or address named above are deleted %(n)s days after you were paid or the "
        "study was closed. A code made from them stays, so that you are recognised if you "
        "come again.",
        days,
    ) % {"n": days}


def _isolate(text: str) -> str:
    """Return a text wrapped so that it keeps its own direction."""
    return f"\N{FIRST STRONG ISOLATE}{text}\N{POP DIRECTIONAL ISOLATE}"
