"""Addresses of contexts in the console, by the name of the page after which they come."""

from surveys.contexts.web.console import pairs, searches, views
from surveys.web.console.access import Page

PAGES: dict[str, dict[str, tuple[str, Page]]] = {
    "audit": {
        "begin_contexts": ("new/contexts/", views.begin),
    },
    "delete_rehearsal": {
        "contexts": ("contexts/", views.contexts),
        "candidates_file": ("contexts/file/", views.candidates_file),
        "contexts_settings": ("contexts/settings/", views.settings),
        "use_stimuli": ("contexts/stimuli/", views.use_stimuli),
        "search_contexts": ("contexts/search/", searches.search_contexts),
        "cancel_search": ("contexts/search/<int:run_id>/cancel/", searches.cancel),
        "pick_by_scores": ("contexts/scores/", searches.pick_by_scores),
        "search_pair": ("contexts/<int:number>/search/", searches.search_pair),
        "candidates": ("contexts/<int:number>/", pairs.candidates),
        "undo_choice": ("contexts/<int:number>/undo/", pairs.undo),
    },
}
