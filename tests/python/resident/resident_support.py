# SPDX-License-Identifier: Apache-2.0
"""What tests of the program that stays have in common: a function, right and wrong, and looks at its processes."""
import pathlib
import time

import torch

from function_support import normal

import gradproof  # isort: skip
from gradproof import resident  # isort: skip

LINE = "y = rms_norm(x, weight, eps=1e-6)"


def norm(x, weight):
    return torch.nn.functional.rms_norm(x, x.shape[-1:], weight, 1e-6)


def wrong(x, weight):
    return norm(x, weight) * 1.001


def tensors():
    return {"x": normal(6, 32), "weight": normal(32, seed=4)}


def check(function=norm, inputs="given"):
    return gradproof.check(function, LINE, inputs=inputs, **tensors())


def process():
    return resident._keeper.resident.process


def children(pid):
    return [int(word) for path in pathlib.Path(f"/proc/{pid}/task").glob("*/children") for word in path.read_text().split()]


def is_there(pid):
    try:
        return pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


def wait_until(condition):
    for _ in range(1000):
        if condition():
            return True
        time.sleep(0.03)
    return False
