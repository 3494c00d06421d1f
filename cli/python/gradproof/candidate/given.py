# SPDX-License-Identifier: Apache-2.0
"""What a reference is given: the arguments of its call, and sets of numbers for them."""
import inspect

import torch

from gradproof import tensor_files
from gradproof.hard import hard_inputs
from gradproof.candidate import layouts, loading, steps

# The file's own inputs with the state that it gives its model: what is drawn in its place hides a fault at its zeros.
OWN_STATE = "own_state"
# Beyond those of fills.
COTANGENT_SEED = 50


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
                          "gradient": tensor and tensor_files.is_floating(value) and spec["backward"]})
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

    def of(self, fill, seed=None, state=None):
        """state: in place of a drawn one."""
        generator = torch.Generator().manual_seed(self.seed + (hard_inputs.PLACES.index(fill) if seed is None else seed))
        tensors = {name: hard_inputs.filled(fill, tensor, generator) for name, tensor in self.own.items()}
        drawn = hard_inputs.state(self.state, generator)
        tensors.update(drawn if state is None else state)
        for name, like in self.cotangents.items():
            tensors[name] = torch.randn(like.shape, generator=generator, dtype=torch.float64).to(like.dtype)
        return tensors

    def of_set(self, name):
        """By the set's name: a fill, or one of `more()`."""
        if name == OWN_STATE:
            return self.of("own", state={key: tensor.detach().clone() for key, tensor in self.state.items()})
        if name not in layouts.COTANGENTS:
            return self.of(name)
        tensors = self.of("normal", COTANGENT_SEED + list(layouts.COTANGENTS).index(name))
        if layouts.COTANGENTS[name] is layouts.expanded:
            tensors.update({key: layouts.expanded(tensors[key]).contiguous() for key in self.cotangents})
        return tensors

    def more(self):
        """Sets beside the fills: with the state that the file gives, where another one is drawn; of cotangents that lie otherwise."""
        drawn = self.of("own")
        has_own = any(not torch.equal(tensor, drawn[name]) for name, tensor in self.state.items())
        lies = any(layouts.last_axis(like.shape) is not None for like in self.cotangents.values())
        return [*([OWN_STATE] if has_own else []), *(layouts.COTANGENTS if lies else [])]
