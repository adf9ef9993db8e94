"""What paid crowds add to the site."""

from surveys.features import Feature

FEATURE = Feature(
    name="crowd",
    export_person="surveys.crowd.personal_data.export_person",
    forget_workers="surveys.crowd.personal_data.forget_workers",
)
