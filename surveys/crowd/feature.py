"""What paid crowds add to the site."""

from surveys.features import Feature

FEATURE = Feature(name="crowd")
