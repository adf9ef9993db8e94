"""The corpora that an operator has put under CORPORA_DIR; requests name them, and no paths."""

import logging
import re
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from django.conf import settings

from surveys.contexts.models import CandidatePair
from surveys.errors import RunRefused
from surveys.models import Study
from surveys.monitoring.checklist import Step

ENDINGS = (".conllu", ".conllu.gz", ".conllu.bz2", ".conllu.xz")
WORDS = re.compile(r"[a-z]+")
log = logging.getLogger(__name__)


def describe_step(study: Study, *, has_stimuli: bool) -> Step | None:
    """Return the step of a study that begins without stimuli, or None for another study."""
    pairs = CandidatePair.objects.filter(study=study)
    n_pairs = pairs.count()
    if not n_pairs:
        can_search = study.is_draft and not has_stimuli and has_corpora_dir()
        searching = Step("contexts", False, "Search for texts in the corpora of this site.")
        return searching if can_search else None
    n_left = pairs.undecided().count()
    noun = "pair" if n_left == 1 else "pairs"
    missing = f"Choose the contexts of {n_left:,} {'more ' if n_left < n_pairs else ''}{noun}."
    if not n_left:
        missing = "Use the chosen contexts as stimuli."
    return Step("contexts", has_stimuli, missing, f"{n_pairs - n_left:,} of {n_pairs:,}")


class Corpus(NamedTuple):
    """A corpus: a file, or a folder with several, under the name of either."""

    name: str
    paths: tuple[Path, ...]
    n_bytes: int

    def is_named_for(self, language: str) -> bool:
        """Return whether the corpus's or a file's name has a language's code.

        The code is a part of the name between other characters than letters; those of script and
        region are not compared.

        >>> Corpus("hr_set-ud-dev.conllu", (), 0).is_named_for("hr-HR")
        True
        >>> Corpus("chronicle.conllu", (), 0).is_named_for("hr")
        False
        """
        code = language.partition("-")[0].lower()
        names = (self.name, *(path.name for path in self.paths))
        return any(code in WORDS.findall(name.lower()) for name in names)


def has_corpora_dir() -> bool:
    """Return whether the operator offers corpora on this site."""
    return bool(settings.CORPORA_DIR)


def list_corpora() -> list[Corpus]:
    """Return the corpora of this site, by name; a folder that cannot be read has none."""
    folder: Path | None = settings.CORPORA_DIR
    corpora = [_describe(entry) for entry in _list_entries(folder)] if folder else []
    return [corpus for corpus in corpora if corpus.paths]


def find_corpora(names: Sequence[str]) -> list[Corpus]:
    """Return corpora by their names, in the order of the list. Raises RunRefused."""
    corpora = list_corpora()
    if missing := set(names) - {corpus.name for corpus in corpora}:
        raise RunRefused(f"This site has no corpus “{min(missing)}” now. Choose another.")
    return [corpus for corpus in corpora if corpus.name in names]


def _describe(entry: Path) -> Corpus:
    paths = [entry] if _is_corpus(entry) else []
    if entry.is_dir():
        paths = [path for path in _list_entries(entry) if _is_corpus(path)]
    return Corpus(entry.name, tuple(paths), sum(path.stat().st_size for path in paths))


def _list_entries(folder: Path) -> list[Path]:
    try:
        return sorted(entry for entry in folder.iterdir() if not entry.name.startswith("."))
    except OSError as error:
        log.warning("%s cannot be read: %s", folder.name, error.strerror)
        return []


def _is_corpus(path: Path) -> bool:
    return path.name.endswith(ENDINGS) and path.is_file()
