"""Bodies of requests and values of responses that the description of the API shows as examples."""

from typing import Any

CONTEXT1 = "The <strong>bank</strong> of the river was steep, and the <strong>shore</strong> flat."
CONTEXT2 = "The <strong>bank</strong> closed. We walked to the <strong>shore</strong>."
COLUMNS = (
    "word1", "word2", "context1", "context2",
    "word1_context1", "word2_context1", "word1_context2", "word2_context2",
)  # fmt: skip
ROW = ("bank", "shore", CONTEXT1, CONTEXT2, "bank", "shore", "bank", "shore")
STIMULI = "\t".join(COLUMNS) + "\n" + "\t".join(ROW) + "\n"
NEW_STUDY = {
    "slug": "words-en",
    "language": "en",
    "title": "Words in context",
    "ratings_per_context": 11,
    "block_size": 20,
}
VERDICT = {"kind": "unused", "reason": "the words were copied from the text"}
EVENTS = ["assignment.finished", "run.finished"]
SHOWN_ONCE = "shown once"

# By operation; the operations with a body that are not listed need no field.
BODIES: dict[str, dict[str, Any]] = {
    "studies_post": {**NEW_STUDY, "stimuli": STIMULI},
    "stimuli_put": {"stimuli": STIMULI},
    "row_revision_post": {
        "reason": "spelling",
        "shown": "0f343b0931126a20",
        "context2": CONTEXT2,
    },
    "row_removal_post": {"reason": "the pair is in another study", "shown": "0f343b0931126a20"},
    "design_patch": {
        "organisation": "University of Examples",
        "contact": "lab@example.org",
        "scale_labels": {"0": "not at all", "6": "the same"},
    },
    "texts_patch": {"instructions": "# How to rate\n\nRead both words in their text."},
    "consent_review_post": {"version": 1},
    "invitations_post": {"count": 12},
    "revocation_post": {"because": "sent to a wrong address"},
    "review_claims_post": {"count": 10},
    "review_settings_patch": {"sample_percent": 20, "double_percent": 10},
    "verdict_post": VERDICT,
    "settlement_post": VERDICT,
    "runs_post": {"preset": "cosimlex"},
    "collections_post": {
        "name": "Parrot",
        "kind": "model",
        "model": "Parrot",
        "model_version": "2",
        "rated_on": "2026-05-31",
        "ratings": "language,pair,context,annotator,rating\nen,1,1,run1,4\nen,1,2,run1,1\n",
    },
    "comparisons_post": {"collection": 1, "recipe": "raw"},
    "releases_post": {"preset": "cosimlex", "n_practice": 10, "seed": 1},
    "people_post": {"username": "mate", "role": "reviewer"},
    "webhooks_post": {"url": "https://lab.example.org/cosima", "events": EVENTS},
    "webhook_patch": {"is_active": False},
}
FORMS: dict[str, dict[str, Any]] = {
    "studies_post": {**NEW_STUDY, "stimuli": "@pairs.xlsx"},
    "stimuli_put": {
        "stimuli": "@pairs.csv", "separator": "semicolon", "encoding": "windows-1250",
    },
}  # fmt: skip

# Values of fields and parameters by name, in responses and addresses.
VALUES: dict[str, Any] = {
    "slug": "words-en",
    "task": "words-en",
    "phase": "evaluation",
    "subtask": 1,
    "languages": ["fi", "sl"],
    "zone": "Etc/GMT+12",
    "published_at": None,
    "retracted_at": None,
    "title": "Words in context",
    "public_title": "Words in texts",
    "language": "en",
    "organisation": "University of Examples",
    "contact": "lab@example.org",
    "role": "owner",
    "next": None,
    "word1": "bank",
    "word2": "shore",
    "inspired_word1": "river",
    "inspired_word2": "slope",
    "text": "The bank of the river was steep, and the shore flat.",
    "context1": CONTEXT1,
    "context2": CONTEXT2,
    "number": 1,
    "annotator": "K7QWT3MH",
    "questionnaire": "A",
    "letter": "A",
    "assignment_state": "submitted",
    "rating": 4.0,
    "first_rating": None,
    "changed_at": None,
    "opened_at": "2026-11-02T08:00:00Z",
    "created_at": "2026-11-01T08:00:00Z",
    "finished_at": "2026-11-20T12:00:07Z",
    "verified_at": "2026-11-20T12:00:07Z",
    "link": "https://survey.example.org/join/…/",
    "url": "https://lab.example.org/cosima",
    "events": EVENTS,
    "username": "mate",
    "actor": "ana",
    "reviewer": "ana",
    "reviewers": ["ana", "rob"],
    "action": "study.opened",
    "state": "done",
    "stage": "",
    "share_done": 100,
    "error": "",
    "warning": "",
    "warnings": [],
    "is_broken_off": False,
    "is_rehearsal": False,
    "n_withdrawn_since": 0,
    "n_figures": 4213,
    "n_differences": 0,
    "verification": "All 4,213 figures follow from the ratings.",
    "file": "scores.tsv",
    "place": "row 7, sim1",
    "published": "6.25",
    "computed": "6.2",
    "recipe_name": "cosimlex",
    "recipe": 'name = "cosimlex"\n',
    "description": '[dataset]\ntitle = "Words in context"\n',
    "n_pairs": 40,
    "n_blocks": 2,
    "n_assignments": 44,
    "stimuli_sha256": "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
    "shown": "0f343b0931126a20",
    "kind": "unused",
    "reason": "the words were copied from the text",
    "scale_minimum": 0,
    "scale_maximum": 6,
    "scale_step": 1,
    "scale_labels": {"0": "not at all", "6": "the same"},
    "secret": SHOWN_ONCE,
}
