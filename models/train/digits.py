"""The digits: UCI's optical digits as scikit-learn ships them, split once.

1797 images of 8 x 8 pixels, values 0 to 16 divided by 16. Both digit models
hold out the same 397.
"""

import typing

import numpy as np
from sklearn.datasets import load_digits


class Samples(typing.NamedTuple):
    pixels: np.ndarray  # float32 [n, 64], 0 to 1
    labels: np.ndarray  # int64 [n]


def split(held_out=397):
    """(training, held-out) samples; the order is fixed by RandomState(0)."""
    pixels, labels = load_digits(return_X_y=True)
    order = np.random.RandomState(0).permutation(len(labels))
    pixels = (pixels[order] / 16).astype(np.float32)
    labels = labels[order].astype(np.int64)
    return (Samples(pixels[:-held_out], labels[:-held_out]),
            Samples(pixels[-held_out:], labels[-held_out:]))


def report(path, answers, labels):
    """Prints what was written and how many held-out answers are right."""
    print(f"{path}: {path.stat().st_size} bytes, top-1 accuracy "
          f"{np.mean(answers == labels):.4f} on {len(labels)} held-out digits")
