"""Trains models/digits_cnn.onnx: a small CNN on handwritten digits.

Conv 3x3, depthwise Conv 3x3, Conv 1x1, pooling, Conv 3x3, two Gemm; the batch
normalization after the first Conv is folded into it by the exporter. The 397
held-out digits are those of digits_mlp.py.

    python3 digits_cnn.py --out FOLDER
"""

import argparse
import pathlib

import numpy as np
import torch
from torch import nn

import digits


def make_network():
    return nn.Sequential(
        nn.Conv2d(1, 32, 3, padding=1), nn.BatchNorm2d(32), nn.ReLU(),
        nn.Conv2d(32, 32, 3, padding=1, groups=32),
        nn.Conv2d(32, 64, 1), nn.ReLU(), nn.MaxPool2d(2),
        nn.Conv2d(64, 64, 3, padding=1), nn.ReLU(), nn.Flatten(),
        nn.Linear(64 * 4 * 4, 64), nn.ReLU(), nn.Linear(64, 10))


def train(network, images, labels, epochs):
    optimizer = torch.optim.AdamW(network.parameters(), lr=2e-3)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, epochs)
    network.train()
    for epoch in range(epochs):
        total = 0.0
        for batch in torch.randperm(len(labels)).split(64):
            loss = nn.functional.cross_entropy(
                network(images[batch]), labels[batch], label_smoothing=0.05)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            total += loss.item() * len(batch)
        schedule.step()
        print(f"epoch {epoch + 1}: loss {total / len(labels):.4f}")
    network.eval()


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--out", type=pathlib.Path, required=True,
                        help="an existing folder for the model and samples")
    parser.add_argument("--epochs", type=int, default=40)
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    torch.manual_seed(args.seed)

    train_set, test = (
        digits.Samples(s.pixels.reshape(-1, 1, 8, 8), s.labels)
        for s in digits.split())
    network = make_network()
    train(network, torch.from_numpy(train_set.pixels),
          torch.from_numpy(train_set.labels), args.epochs)

    path = args.out / "digits_cnn.onnx"
    torch.onnx.export(
        network, (torch.zeros(1, 1, 8, 8),), str(path), opset_version=17,
        input_names=["image"], output_names=["logits"],
        dynamic_axes={"image": {0: "batch"}, "logits": {0: "batch"}})
    np.savez_compressed(args.out / "digits_cnn.test.npz",
                        image=test.pixels, y=test.labels)
    with torch.no_grad():
        logits = network(torch.from_numpy(test.pixels))
    digits.report(path, logits.argmax(1).numpy(), test.labels)


if __name__ == "__main__":
    main()
