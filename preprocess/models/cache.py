"""Similarities on the disk, so that no model reads a text twice, and a stopped run can go on."""

import hashlib
from collections.abc import Mapping
from io import BytesIO
from pathlib import Path
from zipfile import BadZipFile

import numpy as np
import numpy.typing as npt

from postprocess.formats.marks import MarkedContext
from postprocess.formats.writing import write_files
from preprocess.models.loading import Precision, digest_model

RULES = "1"  # of `similarity`; another number makes all that is stored out of date
Similarities = npt.NDArray[np.float32]


class SimilarityCache:
    """A folder with the similarities of one model at one precision, in all its layers.

    A text is recognised by itself and the places of its target words, and the model by the digest
    of its files. Each file has some texts; those that cannot be read are passed over.
    """

    def __init__(self, folder: Path, model: Path, precision: Precision) -> None:
        """Choose the place in a folder that belongs to a model. Raises OSError and ModelError."""
        self.digest, self.precision = digest_model(model), precision
        self.folder = folder / f"{self.digest[:32]}-{precision}-{RULES}"

    def load(self) -> dict[str, Similarities]:
        """Return what is stored, by the keys of texts: an array with a number for each layer."""
        similarities_of: dict[str, Similarities] = {}
        for path in sorted(self.folder.glob("*.npz")):
            try:
                with np.load(path, allow_pickle=False) as stored:
                    keys, similarities = stored["keys"].tolist(), stored["similarities"]
            except (OSError, ValueError, KeyError, EOFError, BadZipFile):
                continue
            similarities_of |= dict(zip(keys, similarities, strict=False))
        return similarities_of

    def save(self, found: Mapping[str, Similarities]) -> None:
        """Store what was found for some texts, in a new file. Raises OSError."""
        content = BytesIO()
        np.savez(content, keys=np.array(list(found)), similarities=np.stack(list(found.values())))
        name = hashlib.sha256("".join(found).encode()).hexdigest()[:32]
        write_files({f"{name}.npz": content.getvalue()}, self.folder)


def key_of(context: MarkedContext) -> str:
    """Return a text's key: a digest of its words and target positions."""
    what = (context.text, *context.word1, *context.word2)
    return hashlib.sha256(repr(what).encode()).hexdigest()[:32]
