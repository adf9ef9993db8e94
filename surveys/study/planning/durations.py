"""Estimates of how long annotators take, for pages, plans and rewards.

An assignment takes `seconds_per_item` for each text. Before an annotator's first assignment comes
the introduction: consent, instructions, practice item and comprehension check. It is not repeated
for further blocks.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from postprocess.formats.tokens import tokenise
from surveys.models import Study, StudyText, TextKind
from surveys.models.study import Writes
from surveys.study.exercises import read_check, read_practice
from surveys.study.texts import read_texts

WORDS_A_MINUTE = 238
CHARACTERS_A_WORD = 6
SECONDS_TO_ANSWER = {  # an item: think of two words or translations, type them, rate
    Writes.ASSOCIATIONS: 20, Writes.NOTHING: 8, Writes.TRANSLATIONS: 28, Writes.SUBSTITUTES: 28,
}  # fmt: skip
SECONDS_OF_FIRST_PAGE = 35  # the site's own sentences on it: what to do, data, rights
SECONDS_TO_CHOOSE = 5  # an answer to a question of the check


class Times(NamedTuple):
    """Seconds of an introduction and of an item."""

    introduction: int
    item: int

    def first_minutes(self, n_items: int) -> int:
        """Return the minutes of an annotator's first assignment, introduction included."""
        return as_minutes(self.introduction + n_items * self.item)


def count_words(text: str) -> float:
    """Return the number of words of usual length in a text.

    A word counts as six characters at least, so that languages with long words, or without spaces,
    are not taken as fast to read: across languages with alphabets, characters a minute vary less
    than words a minute (Trauzettel-Klosinski and Dietz, 2012). A Chinese character or a hiragana
    counts as a word.

    >>> count_words("The cat sat on the mat."), count_words("今日雨下"), count_words("สวัสดีครับผม")
    (6, 4, 2.0)
    """
    words = tokenise(text)
    return max(len(words), len(text) / CHARACTERS_A_WORD)


def reading_seconds(text: str) -> float:
    """Return the time in which adults read a text silently.

    238 words a minute is the mean for English non-fiction in the meta-analysis of M. Brysbaert
    (2019), How many words do we read per minute?, Journal of Memory and Language 109.
    """
    return 60 * count_words(text) / WORDS_A_MINUTE


def estimate_seconds(texts: Sequence[str], writes: str = Writes.ASSOCIATIONS) -> int:
    """Return the time of an item: its text read carefully and once more, and its answers."""
    mean = sum(map(reading_seconds, texts)) / len(texts)
    return round(1.5 * mean + SECONDS_TO_ANSWER[Writes(writes)])


def introduction_seconds(study: Study, texts: Mapping[TextKind, StudyText] | None = None) -> int:
    """Return the time of everything before the first text, with the study's current texts.

    Consent, instructions, practice items (both pages and the explanation) and, if the study has
    one, the comprehension check, passed at the first attempt.
    """
    bodies = {kind: text.body for kind, text in (texts or read_texts(study)).items()}
    seconds = SECONDS_OF_FIRST_PAGE + reading_seconds(bodies[TextKind.CONSENT])
    seconds += reading_seconds(bodies[TextKind.INSTRUCTIONS])
    for practice in read_practice(bodies[TextKind.PRACTICE], study.item_rules):
        shown = " ".join(text.text for text in practice.item.texts)
        seconds += estimate_seconds([shown], study.writes) + reading_seconds(practice.explanation)
    if study.n_check_tries:
        for question in read_check(bodies[TextKind.CHECK]):
            words = " ".join([question.question, *question.answers])
            seconds += reading_seconds(words) + SECONDS_TO_CHOOSE
    return round(seconds)


def times_of(study: Study, texts: Mapping[TextKind, StudyText] | None = None) -> Times:
    """Return the times of a study, with its texts if they were read already."""
    return Times(introduction_seconds(study, texts), study.seconds_per_item)


def as_minutes(seconds: float) -> int:
    """Return seconds as whole minutes, at least one, as they are shown to annotators."""
    return max(1, round(seconds / 60))
