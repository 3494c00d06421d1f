# SPDX-License-Identifier: Apache-2.0
"""The reference's own process: it makes the inputs, waits until the candidate's process is gone, then says what is right.

It reads one line from standard input when the answers may be computed: "float64", the values of the reference in float64,
or "witness", those with what may be missed of them (noise.py).
"""
import inspect
import json
import os
import pathlib
import sys

import torch

from gradproof import tensor_files
from gradproof.candidate import hard_inputs, loading, noise, recognise, steps


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
        tensors.update(hard_inputs.state(fill, self.state, generator))
        for name, like in self.cotangents.items():
            tensors[name] = torch.randn(like.shape, generator=generator, dtype=torch.float64).to(like.dtype)
        return tensors


def set_folder(spec, fill):
    return pathlib.Path(spec["folder"]) / fill.replace(":", "_")


def kinds(tensors):
    return {name: [tensor_files.type_name(tensor), list(tensor.shape)] for name, tensor in tensors.items()}


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
    for fill in hard_inputs.FILLS:
        set_folder(spec, fill).mkdir()
        tensor_files.write(set_folder(spec, fill) / "inputs.safetensors", inputs.of(fill))
    state = {name: list(tensor.shape) for name, tensor in inputs.state.items()}
    facts = {"arguments": arguments, "state": state, "names": inputs.names,
             "differentiable": inputs.differentiable, "cotangents": list(inputs.cotangents),
             "sets": [fill.replace(":", "_") for fill in hard_inputs.FILLS], "replaced": changed,
             "results": [[tensor_files.type_name(result), list(result.shape)] for result in inputs.results],
             "gradients": kinds({f"d_{name}": tensor for name, tensor in {**own, **inputs.state}.items()
                                 if name in steps.parameters_of(inputs.state) or
                                 any(a["name"] == name and a["gradient"] for a in arguments)}) if spec["backward"] else {},
             "buffers": kinds({f"after.{name}": tensor for name, tensor in inputs.state.items()
                               if not tensor.requires_grad})}
    if not spec["line"]:
        facts["recognised"] = recognise.line_of(call, own, arguments, inputs.names)
    return call, arguments, facts


def renamed(tensors, facts):
    """With the results' own names."""
    own = {f"result{k}{end}": f"{name}{end}" for k, name in enumerate(facts["names"]) for end in ("", ".bound")}
    return {own.get(name, name): tensor for name, tensor in tensors.items()}


def answer(call, arguments, spec, facts, how):
    """Writes what is right for each set. Returns why it cannot, or nothing."""
    reference = noise.Reference(call)
    for name in facts["sets"]:
        folder = pathlib.Path(spec["folder"]) / name
        tensors = tensor_files.read(folder / "inputs.safetensors")
        try:
            if how == "float64":
                found, sentences = reference.in_float64(arguments, tensors, facts["cotangents"]), {}
                wide = {key: noise.in_type(tensor, torch.float64) for key, tensor in tensors.items()}
                tensor_files.write(folder / "inputs64.safetensors", wide)
            else:
                found, sentences = noise.witness(reference, arguments, tensors, facts["cotangents"], spec["seed"])
                found, sentences = renamed(found, facts), renamed(sentences, facts)
        except Exception as error:
            return f"the reference cannot run in float64: {loading.last_line(error)}"
        tensor_files.write(folder / f"{how}.safetensors", found, sentences)
    return ""


def main():
    spec = json.loads(sys.argv[1])

    def say(**message):
        os.write(spec["channel"], json.dumps(message).encode() + b"\n")

    try:
        call, arguments, facts = prepared(spec)
    except loading.Refused as error:
        return say(refused=str(error))
    say(facts=facts)
    for line in sys.stdin:
        say(answered=answer(call, arguments, spec, facts, line.strip()))


if __name__ == "__main__":
    main()
