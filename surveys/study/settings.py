"""The names of a study's settings, by use; words, limits and choices are in `models.study`."""

SCALE = ("scale_minimum", "scale_maximum", "scale_step")
QUESTION = (  # as the rules of designs allow; one choice alone for two words in one text
    "question", "writes", "centre", "second_look_above", "n_doubled", "adjudicates", "layout",
)  # fmt: skip
GROUPS = {  # by legend, in the order of pages and commands
    "The study": (
        "title", "public_title", "language", "organisation", "contact", "ethics", "digits",
    ),
    "The question": QUESTION,
    "The scale": (
        *SCALE, "scale_labels", "question_forms", "variant", "allows_unjudgeable", "sends_choice",
    ),
    "The collection": ("ratings_per_context", "block_size", "seconds_per_item", "n_checkpoints"),
    "Annotators": (
        "pay", "allows_more_blocks", "pay_for_more", "assigning_policy", "lease_hours",
        "n_check_tries", "seed",
    ),
    "Use of answers": (
        "erases_withdrawn", "publishes_words", "legal_basis", "authority",
        "data_protection_officer",
    ),
}  # fmt: skip
OF_RATINGS = (
    *SCALE,
    "scale_labels",
    "sends_choice",
    "second_look_above",
    "layout",
    "n_checkpoints",
)
KIND = ("design", "item_kind", "same_word", "language2")  # given at import, changed at no door
SETTINGS = tuple(name for names in GROUPS.values() for name in names)
DRAFT_ONLY = (  # opening fixes them
    "language", *QUESTION, *SCALE, "question_forms", "variant", "block_size", "seed",
)  # fmt: skip
OPEN = tuple(name for name in SETTINGS if name not in DRAFT_ONLY)
LAYS_OUT_BLOCKS = ("block_size", "seed", "n_doubled")
AT_IMPORT = (  # the design that a study's stimuli are imported with
    "slug", "title", "design", "language", "language2", *SCALE, "question_forms",
    "ratings_per_context", "block_size", "lease_hours", "assigning_policy", "seed",
)  # fmt: skip
