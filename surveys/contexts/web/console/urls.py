"""Addresses of contexts in the console, by the name of the page after which they come."""

from surveys.contexts.web.console import candidates, pairs, searches
from surveys.web.console.access import Page

PAGES: dict[str, dict[str, tuple[str, Page]]] = {
    "audit": {
        "begin_contexts": ("new/contexts/", candidates.begin),
    },
    "delete_rehearsal": {
        "contexts": ("contexts/", candidates.contexts),
        "candidates_file": ("contexts/file/", candidates.candidates_file),
        "contexts_settings": ("contexts/settings/", candidates.settings),
        "use_stimuli": ("contexts/stimuli/", candidates.use_stimuli),
        "search_contexts": ("contexts/search/", searches.search_contexts),
        "cancel_search": ("contexts/search/<int:run_id>/cancel/", searches.cancel),
        "retry_search": ("contexts/search/<int:run_id>/retry/", searches.retry),
        "pick_by_scores": ("contexts/scores/", searches.pick_by_scores),
        "search_pair": ("contexts/<int:number>/search/", searches.search_pair),
        "candidates": ("contexts/<int:number>/", pairs.candidates),
        "undo_choice": ("contexts/<int:number>/undo/", pairs.undo),
    },
}
