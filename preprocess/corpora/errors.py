"""What can be wrong with a corpus."""

from functools import partial
from pathlib import Path

from postprocess.errors import UserError


class CorpusError(UserError):
    """A corpus cannot be read: which file, which line, and what to do."""

    def __init__(self, path: Path, what: str, *, line: int | None = None) -> None:
        self.path, self.line, self.what = path, line, what
        place = f"{path}, line {line}" if line else f"{path}"
        super().__init__(f"{place}: {what}")

    def __reduce__(self) -> tuple[partial["CorpusError"], tuple[Path, str]]:
        """Make the error picklable, so that another process's error can be raised here."""
        return partial(CorpusError, line=self.line), (self.path, self.what)
