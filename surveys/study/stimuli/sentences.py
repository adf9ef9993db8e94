"""The sentences of a text that contain its target words."""

from postprocess.formats.marks import MarkedContext
from postprocess.formats.tokens import sentence_ends


def find_sentences(context: MarkedContext) -> tuple[int, int]:
    """Return where the sentences with the two targets begin and end in the text.

    >>> from postprocess.formats.marks import Span
    >>> find_sentences(MarkedContext("One. Two three. Four.", Span(5, 8), Span(9, 14)))
    (5, 15)
    """
    text, (first, last) = context.text, sorted((context.word1, context.word2))
    ends = sentence_ends(text)
    begin = max((end for end in ends if end <= first.start), default=0)
    space = len(text[begin:]) - len(text[begin:].lstrip())
    return begin + space, next((end for end in ends if end >= last.end), len(text))
