"""The consent notice: which data about annotators the site stores, and for how long.

The sentences follow from the settings of the study and from the recruitment channel, so that they
are complete without a researcher's help. `tests/surveys/recruitment/test_consent_notice.py` names
the sentence for each stored field. The notice that an annotator read is stored with their consent.
"""

import hashlib
import json
from dataclasses import dataclass, replace
from enum import Enum
from typing import TYPE_CHECKING, Self

from django.utils import translation
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from surveys.access.redaction import ADDRESS
from surveys.models import Annotator, ConsentNotice, Invitation, Study
from surveys.models.study import Writes
from surveys.recruitment.providers import MAILED_LINK, NOTED_LINK, PLAIN_LINK, Disclosure, rules_of
from surveys.study.languages import write_digits
from surveys.study.texts import interface_of

if TYPE_CHECKING:
    from django_stubs_ext import StrPromise


class Said(Enum):
    """The subject of a sentence."""

    ORGANISATION = "who runs the study"
    ETHICS = "ethics approval"
    CONTACT = "contact"
    BASIS = "legal basis"
    OFFICER = "data protection officer"
    AUTHORITY = "authority for complaints"
    IDENTITY = "identifiers, apart from the answers"
    WITHDRAWAL = "what withdrawing does"
    PUBLICATION = "what is published"
    SECOND_LOOK = "pairs that may be shown again"
    ANSWERS = "answers"
    CORRECTIONS = "the first rating of a changed one"
    TIMES = "page times and what the browser reports"
    LAYOUT = "how the scale was shown"
    STEPS = "texts and steps"
    CHECK = "tries for the comprehension check"
    ARRIVAL = "ids, labels, links"
    MAILS = "e-mails that were sent"
    NETWORK = "the code of a network address"
    JUDGEMENT = "what researchers note, and payment"
    ABSENT = "what is not stored"
    ERASURE = "what withdrawing erases"
    TERM = "for how long answers are kept"
    RETENTION = "for how long ids and notes are kept"
    RIGHTS = "access and erasure"


NAMED = {  # the setting that a sentence names; without it the sentence is left out
    Said.ORGANISATION: "organisation", Said.ETHICS: "ethics", Said.CONTACT: "contact",
    Said.BASIS: "legal_basis", Said.OFFICER: "data_protection_officer", Said.AUTHORITY: "authority",
}  # fmt: skip
SECTIONS = {
    "who": tuple(NAMED),
    "lead": (Said.IDENTITY, Said.PUBLICATION, Said.SECOND_LOOK),
    "kept": (
        Said.ANSWERS, Said.CORRECTIONS, Said.TIMES, Said.LAYOUT, Said.STEPS, Said.CHECK,
        Said.ARRIVAL, Said.MAILS, Said.NETWORK, Said.JUDGEMENT, Said.ABSENT,
    ),
    "term": (Said.TERM, Said.RETENTION, Said.ERASURE),
    "rights": (Said.WITHDRAWAL, Said.RIGHTS),
}  # fmt: skip


# Sentences without a choice of words; some of them apply to some studies and channels only.
FIXED: "dict[Said, StrPromise]" = {
    Said.CORRECTIONS: gettext_lazy(
        "If you change a rating: the first one as well, and when you changed it."
    ),
    Said.SECOND_LOOK: gettext_lazy("Later, we may ask you to look at some pairs once more."),
    Said.TIMES: gettext_lazy(
        "When each page with a text was sent to you, and when you answered it. If your browser "
        "runs JavaScript: for how many seconds the page was visible, and whether a word was pasted."
    ),
    Said.LAYOUT: gettext_lazy(
        "How the page showed you the numbers to choose from: in a line, in a column, or as a field "
        "to type in, with or without a slider. This is published with your ratings."
    ),
    Said.STEPS: gettext_lazy(
        "Which texts you were given, and when you agreed, read the instructions, practised, "
        "finished or withdrew."
    ),
    Said.CHECK: gettext_lazy("How many tries you needed for the questions about the instructions."),
    Said.MAILS: gettext_lazy(
        "When this site sent an invitation or a reminder to your e-mail address, and whether you "
        "asked for no more e-mails."
    ),
    Said.NETWORK: gettext_lazy(
        "If you came by a link that many people can open: for one day at most, a code made from "
        "your network address. It is kept apart from your answers, so that no program can take all "
        "the places."
    ),
    Said.JUDGEMENT: gettext_lazy(
        "What the researchers note about your answers, and whether you were paid."
    ),
    Said.ABSENT: gettext_lazy(
        "We do not ask for your name. This site stores neither your IP address nor which browser "
        "you use, and it sets no cookies."
    ),
    Said.TERM: gettext_lazy(
        "Your answers, their times and the researchers’ notes are kept for research, without a "
        "time limit."
    ),
    Said.ERASURE: gettext_lazy(
        "Withdrawing erases your words, ratings and comments with their times. It stays stored "
        "that you took part and withdrew."
    ),
    Said.RIGHTS: gettext_lazy(
        "You can ask at any time what is stored about you, and have it erased. What was published "
        "before that cannot be called back."
    ),
}


@dataclass(frozen=True, kw_only=True)
class Facts:
    """The facts from which the sentences follow, with what is, or was, agreed to."""

    study: Study
    disclosure: Disclosure
    erases_withdrawn: bool
    publishes_words: bool
    retention_days: int | None

    @classmethod
    def of(cls, study: Study, disclosure: Disclosure) -> Self:
        """Return the facts for an annotator who arrives now."""
        return cls(
            study=study,
            disclosure=disclosure,
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
    if ADDRESS.search(invitation.note) or (invitation.note_digest and invitation.mails.exists()):
        return MAILED_LINK
    return NOTED_LINK if invitation.note or invitation.note_digest else PLAIN_LINK


def make_notice(facts: Facts) -> ConsentNotice:
    """Return the notice in the language of the study's pages, without storing it."""
    language = interface_of(facts.study)
    with translation.override(language):
        sentences = write_sentences(facts)
    sections = {
        name: [sentences[about] for about in topics if about in sentences]
        for name, topics in SECTIONS.items()
    }
    written = json.dumps([language, sections], ensure_ascii=False, sort_keys=True)
    digest = hashlib.sha256(written.encode()).hexdigest()
    return ConsentNotice(study=facts.study, digest=digest, language=language, sections=sections)


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
    accepted = {text for texts in agreed.sections.values() for text in texts}
    return [text for texts in now.sections.values() for text in texts if text not in accepted]


def write_sentences(facts: Facts) -> dict[Said, str]:
    """Return the sentences that apply, in the active language."""
    study = facts.study
    names = {about: getattr(study, name).strip() for about, name in NAMED.items()}
    isolated = {name: _isolate(names[about]) for about, name in NAMED.items()}
    code = _("Your answers are stored under a random code.")
    sentences = {about: str(sentence) for about, sentence in FIXED.items()} | {
        Said.ORGANISATION: _("This study is run by %(organisation)s.") % isolated,
        Said.ETHICS: _("Ethics approval: %(ethics)s") % isolated,
        Said.CONTACT: _("Questions? Write to %(contact)s.") % isolated,
        Said.BASIS: _("Legal basis for storing your data: %(legal_basis)s") % isolated,
        Said.OFFICER: _("Data protection officer: %(data_protection_officer)s") % isolated,
        Said.AUTHORITY: _("You can complain about the use of your data to: %(authority)s")
        % isolated,
        Said.IDENTITY: f"{code} {facts.disclosure.identity}",
        Said.WITHDRAWAL: _describe_withdrawal(facts),
        Said.PUBLICATION: _describe_publication(facts),
        Said.ANSWERS: _describe_answers(facts),
        Said.ARRIVAL: str(facts.disclosure.arrival),
        Said.RETENTION: _describe_retention(facts.retention_days),
    }
    applies = {
        **names,
        Said.CHECK: study.n_check_tries,
        Said.MAILS: facts.disclosure.gets_mail,
        Said.NETWORK: facts.disclosure.counts_addresses,
        Said.SECOND_LOOK: study.second_look_above is not None,
        Said.ERASURE: facts.erases_withdrawn,
        Said.RETENTION: facts.disclosure.has_identifiers,
    }
    return {about: sentence for about, sentence in sentences.items() if applies.get(about, True)}


def _describe_withdrawal(facts: Facts) -> str:
    if facts.erases_withdrawn:
        return _(
            "You can withdraw at any time, even after you finish, with your link. We then erase "
            "your answers."
        )
    return _(
        "You can withdraw at any time, even after you finish, with your link. We then do not use "
        "your answers, but they are kept."
    )


def _describe_publication(facts: Facts) -> str:
    ratings = _(
        "Your ratings are published in a dataset, under another code and without any ID, label, "
        "address or time."
    )
    writes = facts.study.writes
    if writes == Writes.NOTHING:
        return ratings
    if writes == Writes.TRANSLATIONS:
        return _(
            "Your translations become part of a published list, without any ID, label, address or "
            "time."
        )
    if writes == Writes.SUBSTITUTES and facts.publishes_words:
        words = _("The words with which you explain your answers are published together with them.")
    elif writes == Writes.SUBSTITUTES:
        words = _("The words with which you explain your answers are not published.")
    elif facts.publishes_words:
        words = _("The words that you write are published together with your ratings.")
    else:
        words = _("The words that you write are not published.")
    return f"{ratings} {words}"


def _describe_answers(facts: Facts) -> str:
    if facts.study.writes != Writes.ASSOCIATIONS:
        answers = {
            Writes.NOTHING: _("Your ratings."),
            Writes.SUBSTITUTES: _("Your ratings, and the words with which you explain them."),
            Writes.TRANSLATIONS: _("Your translations."),
        }[Writes(facts.study.writes)]
        comments = _("Your comments on pairs that you cannot judge.")
        return f"{answers} {comments}" if facts.study.allows_unjudgeable else answers
    if not facts.study.allows_unjudgeable:
        return _("The words that you write, and your ratings.")
    return _(
        "The words that you write, your ratings, and your comments on texts that you cannot judge."
    )


def _describe_retention(days: int | None) -> str:
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
    ) % {"n": write_digits(days)}


def _isolate(text: str) -> str:
    """Return a text wrapped so that it keeps its own direction."""
    return f"\N{FIRST STRONG ISOLATE}{text}\N{POP DIRECTIONAL ISOLATE}"
