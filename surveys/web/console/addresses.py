"""What may stand in an address: where something else does, nothing is found, nobody asked."""

from django.urls.converters import StringConverter

from surveys.models.collection import ANNOTATOR_CODE


class AnnotatorCode(StringConverter):
    """A code that an annotator may have."""

    regex = ANNOTATOR_CODE
