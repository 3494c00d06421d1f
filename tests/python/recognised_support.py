# SPDX-License-Identifier: Apache-2.0
"""The line that the trace finds of a function of torch."""
import os
import pathlib
import sys

import torch

sys.path.insert(0, str(pathlib.Path(os.environ["GRADPROOF_SOURCE_DIR"]) / "cli/python"))
from gradproof.candidate.traced import recognise  # noqa: E402


def said(function, tensors):
    """{"line": TEXT} or {"why": TEXT}; the function's arguments are called a, b and c2, as c is an axis."""
    names = ("a", "b", "c2")[:len(tensors)]
    scope = {}
    exec(f"def forward(self, {', '.join(names)}): return function({', '.join(names)})", {"function": function}, scope)
    model = type("Model", (torch.nn.Module,), {"forward": scope["forward"]})()
    return recognise.line_of(model, {name: t.clone() for name, t in zip(names, tensors)},
                             [{"name": name, "tensor": True} for name in names], ["y"])
