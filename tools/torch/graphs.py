# SPDX-License-Identifier: Apache-2.0
"""Graphs of case files as functions of torch, run on the program's own inputs.

The text of a function is what `gradproof python CASE` prints: there is no second vocabulary here.
"""
import dataclasses
import pathlib
import re
import subprocess
import sys

import torch

sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "cli/python"))
from gradproof import tensor_files  # noqa: E402


@dataclasses.dataclass(frozen=True)
class Graph:
    """A Case of a graph: its line without braces, and the keys behind it."""
    line: str
    keys: str

    @staticmethod
    def of(case):
        found = re.fullmatch(r"\{(.*)\}\s*(.*)", case.strip())
        if not found:
            raise ValueError(f"'{case}' is no graph")
        return Graph(found[1], found[2])

    @property
    def name(self):
        found = re.search(r"\bname=(\S+)", self.keys)
        return found[1] if found else re.sub(r"\W+", "_", self.line)

    def with_dtype(self, dtype):
        return Graph(self.line, re.sub(r"\s*\bdtype=\S+", "", self.keys) + f" dtype={dtype}")

    def __str__(self):
        return f"{{{self.line}}} {self.keys}".strip()


def read_cases(path):
    lines = (line.strip() for line in pathlib.Path(path).read_text().splitlines())
    return [Graph.of(line) for line in lines if line and not line.startswith("#")]


class Program:
    """The built gradproof."""

    def __init__(self, folder):
        self.path = pathlib.Path(folder).resolve() / "gradproof"

    def run(self, *arguments):
        return subprocess.run([self.path, *map(str, arguments)], capture_output=True, text=True)

    def text(self, *arguments):
        done = self.run(*arguments)
        if done.returncode != 0:
            raise RuntimeError(f"gradproof {' '.join(map(str, arguments))}: {done.stderr.strip()}")
        return done.stdout

    def source(self, graph):
        return self.text("python", graph)

    def inputs(self, graph, path):
        self.text("inputs", graph, "--output", path)
        return tensor_files.read(path)


def results(source, tensors, compiled=False, device="cpu"):
    """Outputs and gradients by name, of a module's text on named tensors; zeros where nothing goes back."""
    module = {}
    exec(compile(source, "<gradproof python>", "exec"), module)  # what our own program printed
    forward = torch.compile(module["forward"], fullgraph=True, dynamic=False) if compiled else module["forward"]
    tensors = {name: tensor.to(device) for name, tensor in tensors.items()}
    arguments = [tensors[name].detach().clone().requires_grad_(gradient is not None)
                 for name, gradient in module["INPUTS"]]
    outputs = forward(*arguments)
    found = {name: value.detach() for (name, _), value in zip(module["OUTPUTS"], outputs)}
    pairs = [(value, tensors[cotangent].view_as(value))
             for (_, cotangent), value in zip(module["OUTPUTS"], outputs) if value.requires_grad]
    leaves = [argument for argument in arguments if argument.requires_grad]
    gradients = iter([None] * len(leaves))
    if pairs:
        values, cotangents = zip(*pairs)
        gradients = iter(torch.autograd.grad(values, leaves, cotangents, allow_unused=True))
    for argument, (_, name) in zip(arguments, module["INPUTS"]):
        if name is not None:
            gradient = next(gradients)
            found[name] = torch.zeros_like(argument) if gradient is None else gradient
    return {name: tensor.detach().cpu() for name, tensor in found.items()}
