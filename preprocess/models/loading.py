"""A model in a folder, as the library transformers saves it: network, tokenizer, configuration.

Nothing is downloaded, and names at the Hugging Face Hub are not looked up. torch and transformers
are imported when a model is loaded.
"""

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

from postprocess.errors import UserError
from postprocess.extras import require_models

ALL, LAST = "all", "last"  # layers
BATCH_SIZE = 16  # texts
CONFIGURATION = "config.json"
UNREAD = (".md", ".lock")  # files that no model depends on
UNLOADABLE = (OSError, ValueError, KeyError, ImportError, TypeError)
UNUSED_WEIGHTS = "pooler"  # gives the vector of a whole text


class Precision(StrEnum):
    """The numbers with which a model computes."""

    FP32 = "fp32"
    BF16 = "bf16"


class ModelError(UserError):
    """A model cannot be used: which folder, why, and what to do."""

    def __init__(self, folder: Path, what: str) -> None:
        self.folder, self.what = folder, what
        super().__init__(f"{folder}: {what}")


@dataclass(frozen=True, slots=True)
class Model:
    """A model in memory.

    `longest`: sub-words of a text at most, with those that mark its ends; None for any number.
    """

    folder: Path
    tokenizer: Any
    network: Any
    longest: int | None

    @property
    def n_layers(self) -> int:
        """The number of layers, without the vectors before the first one."""
        return int(self.network.config.num_hidden_layers)


def digest_model(folder: Path) -> str:
    """Return a SHA-256 digest of the files of a model. Raises OSError and ModelError."""
    _check_folder(folder)
    paths = sorted(
        path
        for path in folder.iterdir()
        if path.is_file() and not path.name.startswith(".") and path.suffix not in UNREAD
    )
    digest = hashlib.sha256()
    for path in paths:
        with path.open("rb") as file:
            content = hashlib.file_digest(file, "sha256").hexdigest()
        digest.update(f"{path.name}\0{content}\n".encode())
    return digest.hexdigest()


def load_model(folder: Path, precision: Precision = Precision.FP32) -> Model:
    """Load a model. Raises ModelError, and ExtraMissing without torch and transformers."""
    require_models()
    _check_folder(folder)
    with _quiet_transformers():
        tokenizer = _load_tokenizer(folder)
        network = _load_network(folder, precision)
    return Model(folder, tokenizer, network, _find_longest(tokenizer, network))


def _check_folder(folder: Path) -> None:
    if not folder.is_dir():
        raise ModelError(
            folder,
            "this is not a folder; download the model once and give its folder (names at the "
            "Hugging Face Hub are not looked up)",
        )
    if not (folder / CONFIGURATION).is_file():
        raise ModelError(
            folder,
            f"the folder has no {CONFIGURATION}; give the folder of a model as transformers saves "
            "it",
        )


def _load_tokenizer(folder: Path) -> Any:
    from transformers import AutoTokenizer

    try:
        tokenizer = AutoTokenizer.from_pretrained(  # nosec B615 # (nothing is downloaded)
            folder, local_files_only=True
        )
    except UNLOADABLE as error:
        raise ModelError(folder, f"the tokenizer cannot be loaded ({_shorten(error)})") from error
    if not tokenizer.is_fast:
        raise ModelError(
            folder,
            "the tokenizer does not say where its sub-words are in the text; only a fast tokenizer "
            "does (tokenizer.json)",
        )
    if not any((folder / name).is_file() for name in tokenizer.vocab_files_names.values()):
        raise ModelError(folder, "the folder has no tokenizer; add its files (tokenizer.json)")
    return tokenizer


def _load_network(folder: Path, precision: Precision) -> Any:
    import torch
    from safetensors import SafetensorError
    from transformers import AutoModel

    numbers = {Precision.FP32: torch.float32, Precision.BF16: torch.bfloat16}
    try:
        network, report = AutoModel.from_pretrained(  # nosec B615 # (nothing is downloaded)
            folder, local_files_only=True, dtype=numbers[precision], output_loading_info=True
        )
    except (*UNLOADABLE, RuntimeError, SafetensorError) as error:
        raise ModelError(folder, f"the model cannot be loaded ({_shorten(error)})") from error
    if missing := sorted(name for name in report["missing_keys"] if UNUSED_WEIGHTS not in name):
        raise ModelError(
            folder, f"weights are missing, the first is {missing[0]}; download the model again"
        )
    if not hasattr(network.config, "num_hidden_layers"):
        raise ModelError(folder, "this is not a model of text in layers")
    if network.config.is_encoder_decoder:
        network = network.get_encoder()
    return network.eval()


def _find_longest(tokenizer: Any, network: Any) -> int | None:
    """Return how many sub-words tokenizer and network accept, as far as they say so."""
    limits = [tokenizer.model_max_length]
    if most := getattr(network.config, "max_position_embeddings", None):
        # RoBERTa and its relatives count positions from behind that of the padding.
        embeddings = getattr(getattr(network, "embeddings", None), "position_embeddings", None)
        padding = getattr(embeddings, "padding_idx", None)
        limits.append(most if padding is None else most - padding - 1)
    longest = min(limits)
    return int(longest) if longest < 10**9 else None


@contextmanager
def _quiet_transformers() -> Iterator[None]:
    """Keep transformers from showing progress and warnings while it loads a model."""
    from transformers.utils import logging

    before, was_shown = logging.get_verbosity(), logging.is_progress_bar_enabled()
    logging.set_verbosity_error()
    logging.disable_progress_bar()
    try:
        yield
    finally:
        logging.set_verbosity(before)
        if was_shown:
            logging.enable_progress_bar()


def _shorten(error: Exception) -> str:
    return " ".join(str(error).split())[:200]
