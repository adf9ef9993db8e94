"""Small corpora for tests."""

from collections.abc import Iterable
from pathlib import Path

REST = ["_"] * 6


def word_line(number: int | str, form: str, lemma: str, upos: str = "NOUN", misc: str = "_") -> str:
    return "\t".join([str(number), form, lemma, upos, *REST[:5], misc])


def sentence(text: str, lemmas: dict[str, str] | None = None, *comments: str, names=()) -> str:
    """Return a sentence of words separated by spaces, with a full stop at its end.

    `lemmas` gives those of forms that are not their own lemma.
    """
    forms = text.removesuffix(".").split()
    lines = [*comments, f"# text = {text}"]
    for number, form in enumerate(forms, 1):
        upos = "PROPN" if form in names else "NOUN"
        misc = "SpaceAfter=No" if number == len(forms) else "_"
        lines.append(word_line(number, form, (lemmas or {}).get(form, form.lower()), upos, misc))
    lines.append(word_line(len(forms) + 1, ".", ".", "PUNCT"))
    return "\n".join([*lines, "", ""])


def write(path: Path, sentences: Iterable[str]) -> Path:
    path.write_text("".join(sentences), encoding="utf-8")
    return path
