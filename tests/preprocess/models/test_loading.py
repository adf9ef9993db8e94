"""Models in folders, and folders that are none."""

import json
import re
import shutil
import socket

import pytest

from postprocess import extras
from postprocess.extras import ExtraMissing
from preprocess.models.loading import ModelError, digest_model, load_model


@pytest.fixture
def copied(tiny_folder, tmp_path):
    """A copy of the small model, to spoil."""
    return shutil.copytree(tiny_folder, tmp_path / "copied")


def refusal(folder) -> str:
    with pytest.raises(ModelError) as refused:
        load_model(folder)
    return str(refused.value)


def test_nothing_is_looked_up_in_the_network(tiny_folder, monkeypatch):
    def refuse(*_):
        raise AssertionError("the network")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)

    assert load_model(tiny_folder).longest == 64


def test_a_name_of_the_hub_is_refused(tmp_path, monkeypatch, torch):
    monkeypatch.chdir(tmp_path)

    assert "xlm-roberta-base: this is not a folder; download" in refusal(
        tmp_path / "xlm-roberta-base"
    )
    assert "the folder has no config.json" in refusal(tmp_path)


def test_a_folder_without_tokenizer_is_refused(copied):
    for path in [*copied.glob("tokenizer*"), copied / "vocab.txt"]:
        path.unlink()

    assert (
        refusal(copied) == f"{copied}: the folder has no tokenizer; add its files (tokenizer.json)"
    )


def test_a_tokenizer_without_places_is_refused(copied):
    for path in [*copied.glob("tokenizer*"), copied / "vocab.txt"]:
        path.unlink()
    (copied / "tokenizer_config.json").write_text('{"tokenizer_class": "ByT5Tokenizer"}')

    assert "only a fast tokenizer does" in refusal(copied)


def test_missing_weights_are_refused_and_not_drawn_by_chance(copied):
    from safetensors.torch import load_file, save_file

    path = copied / "model.safetensors"
    weights = load_file(path)
    del weights["encoder.layer.1.output.dense.weight"]
    save_file(weights, path, metadata={"format": "pt"})

    assert "the first is encoder.layer.1.output.dense.weight" in refusal(copied)


def test_the_weights_of_the_pooler_may_be_missing(copied):
    from safetensors.torch import load_file, save_file

    path = copied / "model.safetensors"
    weights = {name: one for name, one in load_file(path).items() if "pooler" not in name}
    save_file(weights, path, metadata={"format": "pt"})

    assert load_model(copied).n_layers == 2


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("model.safetensors", b"\0" * 100),
        ("config.json", b'{"model_type": "unheard-of"}'),
        ("config.json", b"{"),
        ("tokenizer.json", b"{"),
    ],
    ids=["weights", "kind", "configuration", "tokenizer"],
)
def test_damaged_files_are_refused(copied, name, content):
    (copied / name).write_bytes(content)

    assert re.search("the (model|tokenizer) cannot be loaded", refusal(copied))


def test_texts_of_roberta_are_shorter_than_its_table_of_positions(tiny_folder, tmp_path):
    from transformers import RobertaConfig, RobertaModel

    config = RobertaConfig(
        vocab_size=30522, hidden_size=16, num_hidden_layers=1, num_attention_heads=2,
        intermediate_size=32, max_position_embeddings=66, pad_token_id=1,
    )  # fmt: skip
    RobertaModel(config).save_pretrained(tmp_path)
    shutil.copy(tiny_folder / "tokenizer.json", tmp_path)

    assert load_model(tmp_path).longest == 64


def test_the_digest_is_that_of_the_files(copied):
    digest = digest_model(copied)
    (copied / "README.md").write_text("about")
    (copied / ".cache").mkdir()

    assert digest_model(copied) == digest
    config = json.loads((copied / "config.json").read_text())
    (copied / "config.json").write_text(json.dumps(config | {"layer_norm_eps": 1e-6}))
    assert digest_model(copied) != digest


def test_the_missing_extra_is_named(tiny_folder, monkeypatch):
    monkeypatch.setattr(extras, "MODELS", ("torch", "no_such_package"))

    message = "scores by models need no_such_package; install what is missing with: "
    with pytest.raises(ExtraMissing, match=re.escape(f"{message}pip install 'cosima[models]'")):
        load_model(tiny_folder)
