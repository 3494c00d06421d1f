# SPDX-License-Identifier: Apache-2.0
"""The reference's own process: it makes the inputs, waits until the candidate's process is gone, then says what is right.

It reads a line from standard input when answers may be computed: "control", the reference in float64 on a few rows, which a
traced line must agree with, or "witness", its values and what may be missed of them (noise.py).
"""
import dataclasses
import inspect
import json
import os
import pathlib
import sys

import torch

from gradproof import tensor_files
from gradproof.candidate import hard_inputs, loading, noise, processes, recognise, steps

# Multiply-adds of a step, of all sets together, up to which sets are judged by a line.
JUDGED_WORK = 2 ** 28
CONTROLS = ("own", "normal")


def names_of(call, count):
    """Of the arguments, by the signature of what is called."""
    forward = call.forward if isinstance(call, torch.nn.Module) else call
    try:
        names = [name for name, p in inspect.signature(forward).parameters.items()
                 if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    except (TypeError, ValueError):
        names = []
    return [names[k] if k < len(names) else f"input{k}" for k in range(count)]


def arguments_of(spec, module, call):
    """The file's own inputs as the arguments of a call: name, whether a tensor, its value otherwise, whether it has a gradient."""
    torch.manual_seed(spec["seed"])
    try:
        given = list(loading.member(module, "get_inputs")())
    except loading.Refused:
        raise
    except Exception as error:
        raise loading.Refused(f"get_inputs() of '{module.__file__}' raised {loading.last_line(error)}") from error
    state = loading.state_of(call)
    own, arguments = {}, []
    for name, value in zip(names_of(call, len(given)), given):
        name = f"input_{name}" if name in state else name
        tensor = isinstance(value, torch.Tensor)
        arguments.append({"name": name, "tensor": tensor, "value": None if tensor else value,
                          "gradient": tensor and value.is_floating_point() and spec["backward"]})
        if tensor:
            own[name] = value
    return own, arguments


class Inputs:
    """Sets of inputs by their fills, all of one shape, and a cotangent for each result."""

    def __init__(self, spec, call, own, arguments):
        self.seed = spec["seed"]
        self.own = own
        self.state = loading.state_of(call)
        self.results = self._results(call, own, arguments)
        taken = {*own, *self.state}
        bases = [base for base in ("y", "out", "result") if base not in taken]
        self.names = [bases[0]] if len(self.results) == 1 else [f"{bases[0]}{k}" for k in range(len(self.results))]
        floating = [k for k, result in enumerate(self.results) if result.is_floating_point()]
        self.cotangents = {f"d{self.names[k]}": self.results[k] for k in floating} if spec["backward"] else {}

    def _results(self, call, own, arguments):
        before = {name: tensor.detach().clone() for name, tensor in self.state.items()}
        values = [own[a["name"]].clone() if a["tensor"] else a["value"] for a in arguments]
        try:
            results = steps.results_of(call(*values))
            self.differentiable = any(result.requires_grad for result in results)
            return [result.detach() for result in results]
        except Exception as error:
            raise loading.Refused(f"the reference raised {loading.last_line(error)}") from error
        finally:
            with torch.no_grad():
                for name, tensor in self.state.items():
                    tensor.copy_(before[name])

    def of(self, fill):
        generator = torch.Generator().manual_seed(self.seed + hard_inputs.FILLS.index(fill))
        tensors = {name: hard_inputs.filled(fill, tensor, generator) for name, tensor in self.own.items()}
        tensors.update(hard_inputs.state(self.state, generator))
        for name, like in self.cotangents.items():
            tensors[name] = torch.randn(like.shape, generator=generator, dtype=torch.float64).to(like.dtype)
        return tensors


def set_folder(spec, fill):
    return pathlib.Path(spec["folder"]) / fill.replace(":", "_")


def kinds(tensors):
    return {name: [tensor_files.type_name(tensor), list(tensor.shape)] for name, tensor in tensors.items()}


def sets_of(spec, work):
    """As many sets as are judged in some ten seconds on two cores where a line is: the file's own inputs first."""
    count = len(hard_inputs.FILLS) if spec["all_inputs"] else max(1, JUDGED_WORK // max(work, 1))
    return hard_inputs.FILLS[:count]


def prepared(spec):
    """The reference, its sets of inputs as files, and what trial.py is to know of them."""
    before = loading.functions_now()
    module = loading.module_of(spec["file"])
    changed = loading.replaced(before)
    init = loading.member(module, "get_init_inputs")() if hasattr(module, "get_init_inputs") else []
    call = loading.built(module, spec["name"], list(init), spec["seed"])
    own, arguments = arguments_of(spec, module, call)
    inputs = Inputs(spec, call, own, arguments)
    torch.save(list(init), pathlib.Path(spec["folder"]) / "init.pt")
    found = {} if spec["line"] else recognise.line_of(call, own, arguments, inputs.names)
    reference = noise.Reference(call, arguments, list(inputs.cotangents))
    with noise.Sums() as counted:
        first = reference.run(inputs.of("own"))
    require_same(first, reference.run(inputs.of("own")))
    fills = sets_of(spec, counted.work) if spec["line"] or "line" in found else hard_inputs.FILLS
    for fill in fills:
        set_folder(spec, fill).mkdir()
        tensor_files.write(set_folder(spec, fill) / "inputs.safetensors", inputs.of(fill))
    gradients = [a["name"] for a in arguments if a["gradient"]] + list(steps.parameters_of(inputs.state))
    facts = {"witness": "the reference", "no_gradient": "no gradient goes through it (--no-backward judges forward alone)",
             "arguments": arguments, "names": inputs.names, "cotangents": list(inputs.cotangents),
             "state": {name: list(tensor.shape) for name, tensor in inputs.state.items()},
             "sets": [fill.replace(":", "_") for fill in fills], "left_out": list(hard_inputs.FILLS[len(fills):]),
             "work": counted.work, "replaced": changed, "differentiable": inputs.differentiable, "recognised": found,
             "results": list(kinds(dict(enumerate(inputs.results))).values()),
             "gradients": kinds({f"d_{name}": {**own, **inputs.state}[name] for name in gradients}) if spec["backward"] else {},
             "buffers": kinds({f"after.{name}": tensor for name, tensor in inputs.state.items()
                               if not tensor.requires_grad})}
    return Prepared(spec, reference, inputs, facts)


def require_same(first, again):
    for name, tensor in first.items():
        if not torch.equal(tensor.nan_to_num(), again[name].nan_to_num()):
            raise loading.Refused("the reference gives other numbers in a second call: what is drawn within cannot be compared")


@dataclasses.dataclass
class Prepared:
    spec: dict
    reference: noise.Reference
    inputs: Inputs
    facts: dict

    def answer(self, how):
        """Writes what is right. Returns why that cannot be, or nothing."""
        try:
            if how == "control":
                for fill in CONTROLS:
                    self._control(fill)
            else:
                for name in self.facts["sets"]:
                    self._witness(pathlib.Path(self.spec["folder"]) / name)
        except Exception as error:
            return f"the reference cannot run in float64: {loading.last_line(error)}"
        return ""

    def _control(self, fill):
        """The reference in float64 on a few rows: of the line, not of the candidate, whose sizes may be fixed."""
        tensors = few_rows(self.inputs.of(fill), self.inputs)
        folder = set_folder(self.spec, f"control_{fill}")
        folder.mkdir()
        found = self.reference.in_float64(tensors)
        tensor_files.write(folder / "float64.safetensors", found)
        tensor_files.write(folder / "inputs64.safetensors",
                           {name: noise.in_type(tensor, torch.float64) for name, tensor in tensors.items()})

    def _witness(self, folder):
        tensors = tensor_files.read(folder / "inputs.safetensors")
        found, sentences = noise.witness(self.reference, tensors, self.spec["seed"])
        tensor_files.write(folder / "witness.safetensors", renamed(found, self.facts), renamed(sentences, self.facts))


def few_rows(tensors, inputs):
    """With four rows where all inputs and results have as many; otherwise as they are."""
    batched = [*inputs.own, *inputs.cotangents]
    rows = {tensors[name].shape[0] if tensors[name].dim() > 1 else 0 for name in batched}
    if len(rows) != 1 or rows == {0}:
        return tensors
    return {name: tensor[:4].contiguous() if name in batched else tensor for name, tensor in tensors.items()}


def renamed(tensors, facts):
    """With the results' own names."""
    own = {f"result{k}{end}": f"{name}{end}" for k, name in enumerate(facts["names"]) for end in ("", ".bound")}
    return {own.get(name, name): tensor for name, tensor in tensors.items()}


def main():
    processes.end_with_parent()
    spec, channel = json.loads(sys.stdin.readline()), int(sys.argv[1])

    def say(**message):
        os.write(channel, json.dumps(message).encode() + b"\n")

    try:
        ready = prepared(spec)
    except loading.Refused as error:
        return say(refused=str(error))
    say(facts=ready.facts)
    for line in sys.stdin:
        say(answered=ready.answer(line.strip()))


if __name__ == "__main__":
    main()
