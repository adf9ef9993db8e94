"""The sentences of a text that contain its target words."""

from postprocess.formats.tokens import sentence_ends


def find_sentences(text: str, start: int, end: int) -> tuple[int, int]:
    """Return where the sentences with targets, the first at `start`, begin and end in a text.

    The last target ends at `end`.

    >>> find_sentences("One. Two three. Four.", 5, 14)
    (5, 15)
    """
    ends = sentence_ends(text)
    begin = max((before for before in ends if before <= start), default=0)
    space = len(text[begin:]) - len(text[begin:].lstrip())
    return begin + space, next((after for after in ends if after >= end), len(text))
