"""The three kinds of item: what their files hold, and what is shown, stored and asked.

Nothing but the methods of an `ItemKind` depends on the kind. A *pair* is what a row of a file
holds, an *item* what is rated at one time: a pair in one of its `n_contexts` contexts.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import repeat
from typing import TYPE_CHECKING, Any, Generic, Literal, NamedTuple, TypeVar

from postprocess.formats.marks import MarkedContext, MarkedText, Problem, Span, read_text
from postprocess.formats.stimuli import COLUMNS, StimulusPair, list_field_findings, read_pair
from postprocess.formats.tabular import Finding, Severity

if TYPE_CHECKING:  # which loads half a second longer, and a survey needs none of it
    from postprocess.designs.design import ItemSection, Kind
    from postprocess.types import NContexts

Row = dict[str, Any]  # of the table of contexts
WORDS = ("id", "word1", "word2")
TEXTS = ("text1", "text2")
FORMS = ("form1", "form2")
SPANS = ("word1_start", "word1_end", "word2_start", "word2_end")
STORED = ("word1", "word2", "text", "text2", *SPANS, "more_spans")  # of `ItemKind.restored`
Side = list[tuple[str, int]]  # a text cut at its targets: (piece, number of its target or 0)


class ItemRules(NamedTuple):
    """What is rated, as the `ItemSection` of a design has it."""

    kind: "Kind" = "text"
    same_word: bool = False
    languages: Literal[1, 2] = 1


@dataclass(frozen=True, slots=True)
class WordPair:
    """Two words to compare, alone or each in a separate text, and what else their file says."""

    id: str
    word1: str
    word2: str
    texts: tuple[MarkedText, ...] = ()
    details: Mapping[str, str] = field(default_factory=dict)


Text = TypeVar("Text", MarkedContext, MarkedText)


class Item(NamedTuple, Generic[Text]):
    """What is rated at one time: two words in one text, each in its own text, or alone."""

    word1: str
    word2: str
    texts: tuple[Text, ...]


class TextKind:
    """Two words in one text, rated in two such contexts: the stimuli of CoSimLex."""

    name = "text"
    n_contexts: "NContexts" = 2
    n_texts = 1  # shown at one time
    n_pages = 2  # of an item: what the text inspires, then its rating
    written = ("inspired_word1", "inspired_word2")  # columns of files

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns of `data_<lang>.tsv`."""
        return COLUMNS

    def read(
        self, fields: Mapping[str, str], rules: "ItemSection | ItemRules"
    ) -> tuple[StimulusPair | None, list[Finding]]:
        """Read a row as `parse_stimuli` does."""
        return read_pair(fields)

    def write(self, pair: StimulusPair) -> tuple[str, ...]:
        """Return the row of the stimuli file."""
        return pair.fields()

    def columns_of(self, pair: StimulusPair) -> tuple[str, ...]:
        """Return the columns of the fields that `write` returns."""
        return COLUMNS

    def joined(
        self, items: Sequence[Item[MarkedContext]], details: Mapping[str, str]
    ) -> StimulusPair:
        """Return the pair of the items in context 1 and context 2."""
        first, second = items
        return StimulusPair(first.word1, first.word2, *first.texts, *second.texts)

    def details(self, pair: StimulusPair) -> dict[str, str]:
        """Return nothing: the stimuli file has no further columns."""
        return {}

    def text_set(self, question: str, *, same_word: bool) -> str:
        """Return the only set of instructions and practice items."""
        return "text"

    def is_rated(self, question: str) -> bool:
        """Return True: items are rated on a scale."""
        return True

    def sides(self, item: Item[MarkedContext]) -> list[Side]:
        """Return the text, cut at both targets, which are numbered in its order."""
        return [_number_targets(text.parts, (1, 2)) for text in item.texts]

    def stored(self, pair: StimulusPair) -> list[Row]:
        """Return the rows of context 1 and context 2."""
        contexts = enumerate((pair.context1, pair.context2), 1)
        return [_row(n, (c.text, ""), (c.word1,), (c.word2,)) for n, c in contexts]

    def restored(self, row: Mapping[str, Any]) -> Item[MarkedContext]:
        """Return the item in one of the two contexts."""
        start1, end1, start2, end2 = (row[name] for name in SPANS)
        context = MarkedContext(row["text"], Span(start1, end1), Span(start2, end2))
        return Item(row["word1"], row["word2"], (context,))

    def asked(self, item: Item[MarkedContext], forms: str) -> tuple[str, ...]:
        """Return both words, in the order of the text."""
        (context,) = item.texts
        is_text = forms == "text"
        named = (context.form1, context.form2) if is_text else (item.word1, item.word2)
        return named if context.word1 < context.word2 else named[::-1]


class PairKind:
    """Two words alone, or each in a separate text; they may be of two languages."""

    n_contexts: "NContexts" = 1
    n_pages = 1
    written = ("written1", "written2")

    def __init__(self, name: "Kind", texts: Sequence[str] = (), forms: Sequence[str] = ()) -> None:
        self.name: Kind = name
        self._texts, self._forms = texts, forms
        self.n_texts = len(texts)

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns of `items_<lang>.tsv`."""
        return (*WORDS, *self._texts, *self._forms)

    def read(
        self, fields: Mapping[str, str], rules: "ItemSection | ItemRules"
    ) -> tuple[WordPair | None, list[Finding]]:
        """Read a row; whether its words are equal must be as the rules say."""
        columns = self.columns
        given = {name: fields[name] for name in columns if name != "id"}
        findings = [*list_field_findings(given, self._texts), *_compare_words(fields, rules)]
        wrong = {finding.column for finding in findings if finding.severity is Severity.ERROR}
        texts = []
        for name, form in zip(self._texts, self._forms, strict=True):
            text = read_text(fields[name]) if name not in wrong else None
            if isinstance(text, Problem):
                findings.append(_finding(name, *text))
            elif text is not None and text.form != fields[form]:
                what = f'the marked "{text.form}" is not equal to "{fields[form]}" ({form})'
                findings.append(_finding(name, what, "write both the same"))
            elif text is not None:
                texts.append(text)
        if any(finding.severity is Severity.ERROR for finding in findings):
            return None, findings
        details = {name: text for name, text in fields.items() if name not in columns}
        words = fields["id"], fields["word1"], fields["word2"]
        return WordPair(*words, tuple(texts), details), findings

    def write(self, pair: WordPair) -> tuple[str, ...]:
        """Return the id, the words, the marked texts, their forms and the details by name."""
        marked = (text.marked() for text in pair.texts)
        forms = (text.form for text in pair.texts)
        more = (text for _, text in sorted(pair.details.items()))  # as databases keep no order
        return pair.id, pair.word1, pair.word2, *marked, *forms, *more

    def columns_of(self, pair: WordPair) -> tuple[str, ...]:
        """Return the columns of the fields that `write` returns."""
        return (*WORDS, *self._texts, *self._forms, *sorted(pair.details))

    def joined(self, items: Sequence[Item[MarkedText]], details: Mapping[str, str]) -> WordPair:
        """Return the pair of the only item, with its id and the further columns of its file."""
        (item,) = items
        more = {name: text for name, text in sorted(details.items()) if name != "id"}
        return WordPair(details["id"], item.word1, item.word2, item.texts, more)

    def details(self, pair: WordPair) -> dict[str, str]:
        """Return the id and the further columns of the file."""
        return {"id": pair.id, **pair.details}

    def text_set(self, question: str, *, same_word: bool) -> str:
        """Return the set of instructions and practice items that fits the items and a question.

        `words` and `texts` are about similarity: the relatedness of two words needs other texts.
        """
        if question == "same_meaning" or question == "translation":
            return question
        return "uses" if same_word else self.name

    def is_rated(self, question: str) -> bool:
        """Return whether items are rated on a scale, and not translated."""
        return question != "translation"

    def sides(self, item: Item[MarkedText]) -> list[Side]:
        """Return both texts, cut at the pieces of their target."""
        texts = (text.trimmed for text in item.texts)
        return [_number_targets(text.parts, repeat(n)) for n, text in enumerate(texts, 1)]

    def stored(self, pair: WordPair) -> list[Row]:
        """Return the row of the only context, with both texts; words have none."""
        if not pair.texts:
            return [_row(1, ("", ""), (), ())]
        text1, text2 = pair.texts
        return [_row(1, (text1.text, text2.text), text1.spans, text2.spans)]

    def restored(self, row: Mapping[str, Any]) -> Item[MarkedText]:
        """Return the words, with their texts and targets if there are any."""
        texts: tuple[MarkedText, ...] = ()
        if self._texts:
            further1, further2 = row["more_spans"] or ([], [])
            start1, end1, start2, end2 = (row[name] for name in SPANS)
            spans1, spans2 = [(start1, end1), *further1], [(start2, end2), *further2]
            texts = (_text(row["text"], spans1), _text(row["text2"], spans2))
        return Item(row["word1"], row["word2"], texts)

    def asked(self, item: Item[MarkedText], forms: str) -> tuple[str, ...]:
        """Return a lemma that is in both texts once, other words in the form that is asked for."""
        if item.texts and item.word1 == item.word2:
            return (item.word1,)
        if item.texts and forms == "text":
            return tuple(text.trimmed.form for text in item.texts)
        return (item.word1, item.word2)


ItemKind = TextKind | PairKind
KINDS: dict[str, ItemKind] = {
    "text": TextKind(),
    "words": PairKind("words"),
    "texts": PairKind("texts", TEXTS, FORMS),
}


def _compare_words(
    fields: Mapping[str, str], rules: "ItemSection | ItemRules"
) -> Iterator[Finding]:
    """Yield what is wrong or odd about the equality of two words."""
    word1, word2 = fields["word1"], fields["word2"]
    if rules.same_word:
        if rules.languages == 1 and word1 != word2:
            yield _finding("word2", f'"{word2}" is not "{word1}"', "both texts are of one word")
    elif word1 == word2 and rules.kind == "texts":
        what = f'both words are "{word1}"'
        yield Finding(Severity.WARNING, what, column="word2", advice="check that this is meant")
    elif word1 == word2 and rules.languages == 1:
        yield _finding("word2", f'both words are "{word1}"', "a pair needs two words")


def _finding(column: str, what: str, advice: str) -> Finding:
    return Finding(Severity.ERROR, what, column=column, advice=advice)


def _number_targets(parts: Iterable[tuple[str, bool]], numbers: Iterable[int]) -> Side:
    number = iter(numbers)
    return [(piece, next(number) if is_target else 0) for piece, is_target in parts]


def _text(text: str, spans: Sequence[Sequence[int]]) -> MarkedText:
    return MarkedText(text, tuple(Span(*span) for span in spans))


def _row(
    number: int, texts: tuple[str, str], spans1: Sequence[Span], spans2: Sequence[Span]
) -> Row:
    """Return a row of the table of contexts; without spans they are null."""
    ends = (*spans1[0], *spans2[0]) if spans1 else (None,) * 4
    more = [[list(span) for span in spans[1:]] for spans in (spans1, spans2)]
    return {
        "number": number, "text": texts[0], "text2": texts[1],
        **dict(zip(SPANS, ends, strict=True)), "more_spans": more if any(more) else None,
    }  # fmt: skip
