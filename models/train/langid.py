"""Trains models/langid_*.onnx: which of 8 languages is this piece of text?

The models read bytes of UTF-8 (0 = padding). `bilstm` is an embedding, a
bidirectional LSTM and two Linear; `bert` is an embedding with positions, a
Conv1d and two encoder layers of three heads. models/README.md says where the
texts come from.

A sample is a window that starts at a random character, runs on for a random
number of characters, and is cut at the model's length in bytes. The last 15 %
of each language's text are held out: no held-out window shares text with a
training window.

    python3 langid.py bert --fortunes DIR --english DIR --out FOLDER
"""

import argparse
import json
import math
import pathlib
import typing

import numpy as np
import torch
from torch import nn

LANGUAGES = ["en", "de", "es", "it", "cs", "pl", "br", "ru"]
HELD_OUT_SHARE = 0.15


def read_fortunes(root, language):
    """All fortunes of a language as one line of text, files by name.

    root holds the unpacked Debian packages fortunes-<language>.
    """
    folder = root / f"fortunes-{language}" / "usr/share/games/fortunes"
    files = sorted(p for p in folder.rglob("*")
                   if p.is_file() and not p.is_symlink()
                   and p.suffix not in (".dat", ".u8"))
    if not files:
        raise SystemExit(f"No fortunes are in {folder}; unpack Debian's "
                         f"package fortunes-{language} there.")
    return join(p.read_text("utf-8", errors="replace") for p in files)


def read_english(folder, documents=60):
    """The first documents of nlp-corpus, each the printed list it holds."""
    files = sorted(folder.glob("doc-*.json"))[:documents]
    if not files:
        raise SystemExit(f"No doc-*.json is in {folder}; unpack the npm "
                         "package nlp-corpus and give its folder builds.")
    return join(str(json.loads(p.read_text("utf-8"))) for p in files)


def join(texts):
    return " ".join(" ".join(text.split()) for text in texts)


class Windows(typing.NamedTuple):
    """The shape of a sample: characters from min to max, cut at bytes."""
    min_chars: int
    max_chars: int
    bytes: int

    def draw(self, texts, count, rng):
        """count windows of random languages: int64 [count, bytes], labels."""
        rows = np.zeros((count, self.bytes), np.int64)
        labels = rng.integers(len(texts), size=count)
        for row, label in zip(rows, labels):
            text = texts[label]
            size = rng.integers(self.min_chars, self.max_chars + 1)
            start = rng.integers(len(text) - size)
            window = text[start:start + size].encode()[:self.bytes]
            row[:len(window)] = np.frombuffer(window, np.uint8)
        return rows, labels


class BiLstm(nn.Module):
    """bytes int64 [batch, seq] -> logits [batch, 8]."""
    windows = Windows(30, 90, 96)
    inputs = {"bytes": ["batch", "seq"]}
    outputs = {"logits": ["batch"]}

    def __init__(self, embedding=48, hidden=96):
        super().__init__()
        self.e = nn.Embedding(256, embedding)
        self.r = nn.LSTM(embedding, hidden, batch_first=True,
                         bidirectional=True)
        self.f = nn.Linear(2 * hidden, 64)
        self.o = nn.Linear(64, len(LANGUAGES))

    def forward(self, text):
        states, _ = self.r(self.e(text))
        mask = (text != 0).unsqueeze(-1).float()
        mean = (states * mask).sum(1) / mask.sum(1).clamp(min=1.0)
        return self.o(torch.relu(self.f(mean)))

    @staticmethod
    def feed(rows):
        return {"bytes": rows}

    def logits(self, feed):
        return self(*map(torch.from_numpy, feed.values()))


class Encoder(nn.Module):
    """One transformer layer, normalized after each sum, exact GELU."""

    def __init__(self, width, heads, inner):
        super().__init__()
        self.width, self.heads, self.head = width, heads, width // heads
        self.q, self.k, self.v, self.o = (
            nn.Linear(width, width) for _ in range(4))
        self.n1, self.n2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.f1, self.f2 = nn.Linear(width, inner), nn.Linear(inner, width)

    def forward(self, x, bias):
        batch, seq = x.shape[:2]

        def split(y):
            return y.reshape(batch, seq, self.heads, self.head).transpose(1, 2)

        q, k, v = split(self.q(x)), split(self.k(x)), split(self.v(x))
        scores = q @ k.transpose(-1, -2) / math.sqrt(self.head) + bias
        mixed = (torch.softmax(scores, -1) @ v).transpose(1, 2)
        x = self.n1(x + self.o(mixed.reshape(batch, seq, self.width)))
        return self.n2(x + self.f2(nn.functional.gelu(self.f1(x))))


class Bert(nn.Module):
    """input_ids, attention_mask int64 [batch, seq] ->
    logits [batch, 8], last_hidden_state [batch, seq, width]."""
    windows = Windows(24, 60, 64)
    inputs = {"input_ids": ["batch", "seq"],
              "attention_mask": ["batch", "seq"]}
    outputs = {"logits": ["batch"], "last_hidden_state": ["batch", "seq"]}

    def __init__(self, width=96, heads=3, inner=384, layers=2):
        super().__init__()
        self.w = nn.Embedding(256, width)
        self.p = nn.Embedding(self.windows.bytes, width)
        self.c = nn.Conv1d(width, width, 5, padding=2)
        self.n = nn.LayerNorm(width)
        self.b = nn.ModuleList(
            Encoder(width, heads, inner) for _ in range(layers))
        self.o = nn.Linear(width, len(LANGUAGES))

    def forward(self, input_ids, attention_mask):
        positions = torch.arange(input_ids.shape[1])
        x = self.w(input_ids) + self.p(positions)
        x = self.n(self.c(x.transpose(1, 2)).transpose(1, 2))
        bias = (1.0 - attention_mask[:, None, None].float()) * -10000.0
        for layer in self.b:
            x = layer(x, bias)
        mask = attention_mask.unsqueeze(-1).float()
        return self.o((x * mask).sum(1) / mask.sum(1)), x

    @staticmethod
    def feed(rows):
        return {"input_ids": rows, "attention_mask": (rows != 0).astype("i8")}

    def logits(self, feed):
        return self(*map(torch.from_numpy, feed.values()))[0]


def train(network, texts, steps, rng, batch=128):
    optimizer = torch.optim.AdamW(network.parameters(), lr=2e-3)
    schedule = torch.optim.lr_scheduler.OneCycleLR(
        optimizer, 2e-3, total_steps=steps)
    network.train()
    for step in range(1, steps + 1):
        rows, labels = network.windows.draw(texts, batch, rng)
        loss = nn.functional.cross_entropy(
            network.logits(network.feed(rows)), torch.from_numpy(labels))
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(network.parameters(), 1.0)
        optimizer.step()
        schedule.step()
        if step % 100 == 0 or step == steps:
            print(f"step {step}: loss {loss.item():.4f}", flush=True)
    network.eval()


def export(network, path, feed):
    axes = {name: dict(enumerate(dims))
            for name, dims in (network.inputs | network.outputs).items()}
    example = tuple(torch.from_numpy(v[:2]) for v in feed.values())
    torch.onnx.export(network, example, str(path), opset_version=17,
                      input_names=list(network.inputs),
                      output_names=list(network.outputs), dynamic_axes=axes)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("variant", choices=["bilstm", "bert"])
    parser.add_argument("--fortunes", type=pathlib.Path, required=True,
                        help="the folder of unpacked fortunes-* packages")
    parser.add_argument("--english", type=pathlib.Path, required=True,
                        help="the folder builds of nlp-corpus")
    parser.add_argument("--out", type=pathlib.Path, required=True,
                        help="an existing folder for the model and samples")
    parser.add_argument("--steps", type=int, default=3000)
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    torch.manual_seed(args.seed)
    rng = np.random.default_rng(args.seed)

    known, held_out = [], []
    for language in LANGUAGES:
        text = (read_english(args.english) if language == "en"
                else read_fortunes(args.fortunes, language))
        cut = int(len(text) * (1 - HELD_OUT_SHARE))
        known.append(text[:cut])
        held_out.append(text[cut:])
        print(f"{language}: {len(text)} characters")

    network = BiLstm() if args.variant == "bilstm" else Bert()
    rows, labels = network.windows.draw(held_out, 2000, rng)
    feed = network.feed(rows)
    train(network, known, args.steps, rng)

    path = args.out / f"langid_{args.variant}.onnx"
    export(network, path, feed)
    np.savez_compressed(path.with_suffix(".test.npz"), **feed, y=labels)
    (args.out / "langid.labels.json").write_text(json.dumps(LANGUAGES))

    with torch.no_grad():
        logits = network.logits(feed)
    accuracy = np.mean(logits.argmax(1).numpy() == labels)
    print(f"{path}: {path.stat().st_size} bytes, top-1 accuracy "
          f"{accuracy:.4f} on {len(labels)} held-out windows")


if __name__ == "__main__":
    main()
