"""Texts with two target words each."""

from postprocess.formats.marks import MarkedContext, Span, read_context

WORDS = ("pond", "river", "gentleman", "unbelievably", "ice")
TEXTS = [
    f"The <strong>{first}</strong> was cold{', and nobody came' * n}, but the "
    f"<strong>{second}</strong> was not."
    for n, (first, second) in enumerate(
        (first, second) for first in WORDS for second in WORDS if first != second
    )
]


def read(marked: str) -> MarkedContext:
    """Read a text whose words are marked, the first of them being word 1."""
    first, second = (piece.split("</strong>")[0] for piece in marked.split("<strong>")[1:])
    context, problems = read_context(marked, {"word1": first, "word2": second})
    assert context is not None, problems
    return context


CONTEXTS = [read(text) for text in TEXTS][:12]


def long_context(n_words: int) -> MarkedContext:
    return read("<strong>ice</strong> " + "and " * n_words + "<strong>sun</strong>")


def context_without_a_sound() -> MarkedContext:
    """A text with a target of one control character, which tokenizers drop."""
    return MarkedContext("ice \u0007 sun", Span(0, 3), Span(4, 5))
