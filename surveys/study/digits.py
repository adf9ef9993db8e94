"""The digits of annotators' pages: usual in the active language, or chosen by the study."""

from django.utils.translation import get_language

USUAL = {"ar": "latn", "fa": "arabext"}  # in the languages that have a choice
SYSTEMS = {
    "arab": str.maketrans("0123456789.", "٠١٢٣٤٥٦٧٨٩٫"),
    "arabext": str.maketrans("0123456789.", "۰۱۲۳۴۵۶۷۸۹٫"),
}


def write_digits(number: object) -> str:
    r"""Return a number, or a range, with minus signs in the digits of the active language.

    In writing from right to left a negative number keeps its own direction.

    >>> from django.utils.translation import override
    >>> with override("fa"):
    ...     write_digits(7), write_digits("2.5"), write_digits("-3")
    ('۷', '۲٫۵', '\u2066−۳\u2069')
    """
    language, _, chosen = (get_language() or "").partition("-u-nu-")
    system = chosen or USUAL.get(language, "")
    written = str(number).replace("-", "−").translate(SYSTEMS.get(system, {}))
    if language not in USUAL or "−" not in written:
        return written
    return f"\N{LEFT-TO-RIGHT ISOLATE}{written}\N{POP DIRECTIONAL ISOLATE}"
