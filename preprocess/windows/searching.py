"""A whole search: a corpus is checked and scanned for all pairs, and the windows are written."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pandas as pd

from postprocess.version import __version__
from preprocess.corpora.checking import check_corpus
from preprocess.corpora.errors import CorpusError
from preprocess.pairs.reading import WordPair
from preprocess.windows.dividing import Processes
from preprocess.windows.examining import DUPLICATE, Examination, count_windows
from preprocess.windows.filters import Filter, change_filter, default_filters
from preprocess.windows.finding import Progress, examine_places, find_places
from preprocess.windows.scanning import SearchSettings
from preprocess.windows.storing import ScanStore
from preprocess.windows.table import write_windows

ALWAYS = ("place", "mark")  # reasons that no setting switches off
EXAMINED = 2  # windows that are read for each that is wanted


@dataclass(frozen=True, slots=True)
class Search:
    """What is looked for, and in which files.

    `per_pair`: windows that are kept per pair, of `size` sentences each. `seed` of the choice among
    many. `by_paragraph`, `by_sent_id`: see `SearchSettings`. `filters`: changes of the filters, as
    `change_filter` reads them. `source`: what is known of documents that do not state it (title,
    url, revision, licence).
    """

    paths: Sequence[Path]
    pairs: Sequence[WordPair]
    language: str
    per_pair: int = 100
    size: int = 3
    seed: int = 1
    by_paragraph: bool = False
    by_sent_id: bool = False
    filters: Sequence[str] = ()
    source: Mapping[str, str] = field(default_factory=dict)

    @property
    def settings(self) -> SearchSettings:
        """The settings of the scan."""
        return SearchSettings(
            self.size, EXAMINED * self.per_pair, self.seed, self.by_paragraph, self.by_sent_id
        )

    def open_store(self, folder: Path) -> ScanStore:
        """Return the store of this search in a folder, with which it goes on if it is stopped."""
        return ScanStore(folder, repr((self.settings, list(self.pairs))))

    def make_filters(self) -> dict[str, Filter]:
        """Return the filters as changed. Raises FilterError."""
        filters = default_filters(self.language)
        for setting in self.filters:
            filters = change_filter(filters, setting)
        return filters


def check_search(search: Search) -> list[str]:
    """Check the files of a search and its words against them; return warnings.

    Raises OSError, and CorpusError for a file that cannot be searched, two files of one name, and
    words that no lemma of the corpus can be.
    """
    names = [path.name for path in search.paths]
    if repeated := next((name for name in names if names.count(name) > 1), None):
        raise CorpusError(Path(repeated), "two files have this name; rename one of them")
    looks = [check_corpus(path, search.language) for path in search.paths]
    words = (word for pair in search.pairs for word in (pair.word1, pair.word2))
    spaced = [f"“{word}”" for word in dict.fromkeys(words) if len(word.split()) > 1]
    if spaced and not any(look.has_spaces for look in looks):
        what = (
            f"no lemma has a space, so these words cannot be found: {', '.join(spaced)}; leave "
            "their pairs out, or make each of them one token of the corpus, with that lemma"
        )
        raise CorpusError(search.paths[0], what)
    return [
        f"{path.name}: {warning}"
        for path, look in zip(search.paths, looks, strict=True)
        if (warning := look.describe_documents(by_sent_id=search.by_sent_id))
    ]


def search_corpus(
    search: Search, out: Path, *, store: ScanStore, processes: Processes, progress: Progress
) -> pd.DataFrame:
    """Write the windows of all pairs into a file, and return their counts (`count_windows`).

    `check_search` lists errors beforehand. The store is not removed, so that its owner can
    first store what belongs to the windows. Raises FilterError, CorpusError, ClusterError, and
    OSError, after which the same search goes on where it was.
    """
    filters = search.make_filters()
    paths, pairs = search.paths, search.pairs
    examination = Examination(
        search.size, search.per_pair, filters, search.source, search.by_sent_id
    )
    places = find_places(
        paths, pairs, search.settings, processes=processes, store=store, progress=progress
    )
    tables = examine_places(
        paths, pairs, places, examination, processes=processes, progress=progress
    )
    written = write_windows(out, tables, _describe(search, filters))
    judged = pd.concat([table[["pair", "rejected"]] for table in written])
    return count_windows(pairs, places.n_seen, judged, [*ALWAYS, *filters, DUPLICATE])


def _describe(search: Search, filters: Mapping[str, Filter]) -> dict[str, Any]:
    """Return what the file of windows says about their origin."""
    return {
        "version": __version__,
        "language": search.language,
        "corpus": [[path.name, path.stat().st_size] for path in search.paths],
        "sentences": search.size,
        "per_pair": search.per_pair,
        "seed": search.seed,
        "by_paragraph": search.by_paragraph,
        "by_sent_id": search.by_sent_id,
        "filters": [[rule.code, rule.least, rule.most, rule.action] for rule in filters.values()],
    }
