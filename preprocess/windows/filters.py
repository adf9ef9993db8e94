"""Filters for badly built contexts: what is measured, the limits, and what happens beyond them.

The measures follow GDEX (Kilgarriff et al. 2008; for Slovene Kosem, Husák and McCarthy 2011) and
the rules with which web corpora are cleaned. The limits reject 9 % of the 222 Slovene and 4 % of
the 48 Finnish contexts that the experts of CoSimLex chose, most of them for a short sentence.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import partial

from postprocess.errors import UserError
from postprocess.formats.marks import TAG
from preprocess.languages import looks_like
from preprocess.windows.reading import WindowText

ADDRESS = re.compile(r"https?://|www\.|\S@\S+\.\w", re.IGNORECASE)
MARKUP = re.compile(r"</?[a-zA-Z][^>]*>|\[\[|\]\]|\{\{|\}\}|\|\}|&[a-z]+;|&#[0-9]+;")
SENTENCE_ENDS = (".", "!", "?", "…", "。", "！", "？", "؟")
CLOSING = "\"'”’“»«›‹)]」』 "
BRACKETS = {"(": ")", "[": "]", "{": "}"}
SEPARATORS = frozenset(":;|•*")
NO_WORDS = frozenset({"PUNCT", "SYM"})


class Action(StrEnum):
    """What happens to a window beyond a limit."""

    REJECT = "reject"
    WARN = "warn"
    OFF = "off"


@dataclass(frozen=True, slots=True)
class Filter:
    """A measure of a window, with the lowest and highest value that are accepted."""

    code: str
    what: str
    measure: Callable[[WindowText], float]
    least: float | None = None
    most: float | None = None
    action: Action = Action.REJECT

    def accepts(self, window: WindowText) -> bool:
        """Return whether the value of a window lies within the limits."""
        value = self.measure(window)
        is_low = self.least is not None and value < self.least
        return not is_low and not (self.most is not None and value > self.most)


class FilterError(UserError):
    """A setting of the filters that cannot be understood."""


def default_filters(language: str) -> dict[str, Filter]:
    """Return all filters by their codes, in the order of application.

    `language` is the code of the language of the texts.
    """
    filters = (
        Filter("words", "words of the window", _n_words, 20, 90),
        Filter("sentence", "words of its shortest sentence", _shortest_sentence, 4),
        Filter("form", "other words spelt as a target", _n_other_forms, most=0),
        Filter("name", "targets that are proper nouns", _n_names, most=0),
        Filter("punctuation", "share of punctuation among the tokens", _punctuation, most=0.35),
        Filter("digits", "share of digits among the characters", _digits, most=0.1),
        Filter("capitals", "share of words with a capital letter", _capitalised, most=0.45),
        Filter("upper", "share of words in capital letters", _upper_case, most=0.15),
        Filter("brackets", "brackets", _n_brackets, most=6),
        Filter("balance", "brackets without their other half", _n_unbalanced, most=0),
        Filter("separators", "colons, semicolons, bars, bullets", _n_separators, most=6),
        Filter("distinct", "share of distinct words", _distinct, 0.5),
        Filter("address", "addresses of pages and of e-mail", _n_addresses, most=0),
        Filter("markup", "rests of markup", _n_markup, most=0),
        Filter("language", "text in the language", partial(_is_language, language), 1),
        Filter("end", "sentence mark at the end", _has_end, 1, action=Action.WARN),
    )
    return {filter_.code: filter_ for filter_ in filters}


def change_filter(filters: Mapping[str, Filter], setting: str) -> dict[str, Filter]:
    """Return the filters with one filter changed: `code=off`, `=warn`, `=reject` or `=20..90`.

    Either limit may be left out: `distinct=0.6..`. Raises FilterError.
    """
    code, _, value = setting.partition("=")
    if code not in filters:
        raise FilterError(f'filter "{code}" does not exist; choose from {", ".join(filters)}')
    if value in set(Action):
        return {**filters, code: replace(filters[code], action=Action(value))}
    least, dots, most = value.partition("..")
    try:
        limits = [float(limit) if limit else None for limit in (least, most)]
    except ValueError:
        limits = []
    if not dots or not limits:
        raise FilterError(
            f'"{value}" is not a setting of the filter {code}; write off, warn, reject, or limits '
            "such as 20..90, 20.. or ..90"
        )
    return {**filters, code: replace(filters[code], least=limits[0], most=limits[1])}


def judge(window: WindowText, filters: Mapping[str, Filter]) -> tuple[str, tuple[str, ...]]:
    """Return the code of the first filter that rejects a window, or nothing, and the warnings.

    Windows whose words have no known place (`place`) or that contain marks of targets (`mark`)
    cannot be used, whatever the filters say.
    """
    if window.context is None:
        return "place", ()
    if TAG.search(window.text):
        return "mark", ()
    codes: dict[Action, list[str]] = {Action.REJECT: [], Action.WARN: []}
    for code, rule in filters.items():
        if rule.action != Action.OFF and not rule.accepts(window):
            codes[rule.action].append(code)
    return next(iter(codes[Action.REJECT]), ""), tuple(codes[Action.WARN])


def _forms(window: WindowText) -> list[str]:
    """Return the words that are neither punctuation nor symbols."""
    return [word.form for word in window.words if _is_word(word.form, word.upos)]


def _is_word(form: str, upos: str) -> bool:
    return upos not in NO_WORDS and any(character.isalnum() for character in form)


def _n_words(window: WindowText) -> float:
    return len(_forms(window))


def _shortest_sentence(window: WindowText) -> float:
    return min(
        sum(_is_word(word.form, word.upos) for word in sentence.words)
        for sentence in window.sentences
    )


def _n_other_forms(window: WindowText) -> float:
    targets = [target.word for target in window.targets]
    forms = {word.form.lower() for word in targets}
    return sum(word.form.lower() in forms for word in window.words) - len(targets)


def _n_names(window: WindowText) -> float:
    return sum(target.word.upos == "PROPN" for target in window.targets)


def _share(n: float, of: int) -> float:
    return n / of if of else 0.0


def _punctuation(window: WindowText) -> float:
    return 1 - _share(_n_words(window), len(window.words))


def _digits(window: WindowText) -> float:
    return _share(sum(map(str.isdigit, window.text)), len(window.text))


def _capitalised(window: WindowText) -> float:
    forms = _forms(window)
    return _share(sum(form[0].isupper() for form in forms), len(forms))


def _upper_case(window: WindowText) -> float:
    forms = _forms(window)
    return _share(sum(form.isupper() and len(form) > 1 for form in forms), len(forms))


def _n_brackets(window: WindowText) -> float:
    return sum(window.text.count(sign) for sign in "".join([*BRACKETS, *BRACKETS.values()]))


def _n_unbalanced(window: WindowText) -> float:
    return len(list(_unmatched(window.text)))


def _unmatched(text: str) -> Iterator[str]:
    opened = []
    for sign in text:
        if sign in BRACKETS:
            opened.append(BRACKETS[sign])
        elif sign in BRACKETS.values():
            if opened and opened[-1] == sign:
                opened.pop()
            else:
                yield sign
    yield from opened


def _n_separators(window: WindowText) -> float:
    return sum(sign in SEPARATORS for sign in window.text)


def _distinct(window: WindowText) -> float:
    forms = [form.lower() for form in _forms(window)]
    return _share(len(set(forms)), len(forms))


def _n_addresses(window: WindowText) -> float:
    return len(ADDRESS.findall(window.text))


def _n_markup(window: WindowText) -> float:
    return len(MARKUP.findall(window.text))


def _has_end(window: WindowText) -> float:
    return window.text.rstrip(CLOSING).endswith(SENTENCE_ENDS)


def _is_language(language: str, window: WindowText) -> float:
    return looks_like(window.text, language)
