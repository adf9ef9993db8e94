"""What contexts from corpora add to the site."""

from surveys.contexts.models import SearchKind
from surveys.features import Feature, MenuEntry, run_kind

SEARCH = "surveys.contexts.search.searching.search"
FEATURE = Feature(
    name="contexts",
    job_kinds=(run_kind(SearchKind.SEARCH, SEARCH, "contexts", "contexts/_summary.html"),),
    menu=(MenuEntry(place="new study", template="contexts/_new_study.html"),),
    console_urls="surveys.contexts.web.console.urls.PAGES",
    console_help={
        "docs/console.html#contexts": (
            "begin_contexts contexts candidates undo_choice candidates_file contexts_settings "
            "use_stimuli"
        ),
        "docs/contexts.html#search-in-the-console": (
            "search_contexts cancel_search retry_search pick_by_scores search_pair"
        ),
    },
    first_step="surveys.contexts.search.listing.describe_step",
    log_actions={
        "candidates.added": "Added candidates found in corpora to {}",
        "candidates.imported": "Imported candidates for the contexts ({})",
        "contexts.chosen": "Chose the contexts of {}",
        "contexts.configured": "Changed how experts choose contexts",
        "contexts.skipped": "Skipped {} in the choice of contexts",
        "contexts.undone": "Undid the choice of contexts of {}",
        "contexts.used": "Made stimuli of the contexts chosen",
        "search.cancelled": "Cancelled a search in corpora ({})",
        "search.made": "Finished a search in corpora ({})",
        "search.requested": "Started a search in corpora ({})",
    },
    log_areas={
        "candidates.": "Candidates for contexts",
        "contexts.": "Contexts",
    },
    log_fields={
        "is_double": "Two experts for each pair",
        "n_candidates": "Candidates",
        "n_discarded": "Choices discarded",
        "opinion": "Opinion",
        "shows_scores": "Scores are shown before the choice",
    },
)
