# SPDX-License-Identifier: Apache-2.0
"""What a reference is given: the arguments of its call, and sets of numbers for them."""
import inspect

import torch

from gradproof.candidate import hard_inputs, loading, steps


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

    def of(self, fill, seed=None):
        generator = torch.Generator().manual_seed(self.seed + (hard_inputs.FILLS.index(fill) if seed is None else seed))
        tensors = {name: hard_inputs.filled(fill, tensor, generator) for name, tensor in self.own.items()}
        tensors.update(hard_inputs.state(self.state, generator))
        for name, like in self.cotangents.items():
            tensors[name] = torch.randn(like.shape, generator=generator, dtype=torch.float64).to(like.dtype)
        return tensors
