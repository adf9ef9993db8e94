"""Models in folders: real ones, and a small one with weights by chance."""

import shutil
from pathlib import Path

import pytest

from preprocess.models.loading import Model, load_model
from tests.fixtures.models import e5_folder, minilm, torch

__all__ = ["e5_folder", "minilm", "torch"]  # fixtures
OF_TOKENIZER = ("tokenizer.json", "tokenizer_config.json", "vocab.txt")


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
