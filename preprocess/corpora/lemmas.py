"""When two lemmas are the same word."""

import unicodedata

COMPOUND = "#"  # borders of compounds in Finnish treebanks: kaupungin#teatteri


def normalise_lemma(lemma: str) -> str:
    """Return a lemma as it is compared: small letters, without marks of compounds, NFC.

    >>> normalise_lemma("Kaupungin#teatteri"), normalise_lemma("#"), normalise_lemma("ŠUMA")
    ('kaupunginteatteri', '#', 'šuma')
    """
    bare = lemma if lemma == COMPOUND else lemma.replace(COMPOUND, "")
    return unicodedata.normalize("NFC", bare.lower())
