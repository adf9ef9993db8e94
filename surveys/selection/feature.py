"""What contexts from corpora add to the site."""

from surveys.features import Feature

FEATURE = Feature(name="contexts")
