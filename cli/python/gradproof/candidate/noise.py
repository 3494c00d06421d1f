# SPDX-License-Identifier: Apache-2.0
"""The weaker witness: the reference in float64, and how far it may be missed by its own noise in its own type.

The rule and where it comes from: docs/bring-your-own.md.
"""
import copy
import dataclasses
import math

import torch
from torch.overrides import TorchFunctionMode
from torch.utils._python_dispatch import TorchDispatchMode

from gradproof.candidate import loading, steps

# Runs of the reference in its own type beside the first, each with inputs and operations off by less than one rounding.
PERTURBED = 8
# More than the roundings in float64 that a permitted error has, of which there are fewer than a hundred.
ROUNDED = 2.0 ** -40
# These move numbers, and add none.
MOVING = ("index", "gather", "embedding", "index_select", "cat", "stack", "max_pool1d_with_indices", "max_pool2d_with_indices",
          "max_pool3d_with_indices", "sort", "topk")
# These round nothing, and their adjoint looks for the number that was selected.
SELECTING = ("amax", "amin", "max", "min", "maximum", "minimum", "clone", "copy", "_to_copy")


class Mode(TorchDispatchMode):
    """A mode for which torch does not import torch._dynamo, which takes a second and would forbid to compile the mode itself.

    torch.compile compiles nothing under a mode, whichever it is.
    """

    @classmethod
    def _should_skip_dynamo(cls):
        return False


class Sums(Mode):
    """Of all operations that run under it: the most numbers that one adds up into one, and the work of them all."""

    def __init__(self):
        super().__init__()
        self.longest = 1
        self.work = 0

    def __torch_dispatch__(self, operation, types, arguments=(), keywords=None):
        result = operation(*arguments, **(keywords or {}))
        given = [value for value in arguments if isinstance(value, torch.Tensor) and value.is_floating_point()]
        made = [value for value in (result if isinstance(result, (tuple, list)) else [result])
                if isinstance(value, torch.Tensor) and value.numel() > 0]
        if given and made:
            name = operation.__name__.split(".")[0]
            views = any(of.alias_info is not None and not of.alias_info.is_write for of in operation._schema.returns)
            adds = not views and name not in MOVING + SELECTING
            summands = self._summands(name, arguments, given, made) if adds else 1
            self.longest = max(self.longest, summands)
            self.work += max(tensor.numel() for tensor in made) * summands
        return result

    @staticmethod
    def _summands(name, arguments, given, made):
        if name in ("mm", "bmm"):
            return given[0].shape[-1]
        if name in ("addmm", "baddbmm"):
            return given[1].shape[-1]
        if name == "convolution":  # weight: [out, in, ...], of a transposed one [in, out, ...]
            return given[1].numel() // min(given[1].shape[:2])
        if name == "convolution_backward":  # of the weight: all of the batch and its places
            return max(given[2].numel() // min(given[2].shape[:2]), given[0].numel() // given[0].shape[1])
        if "softmax" in name:
            return max(given[0].shape, default=1)
        return max(tensor.numel() for tensor in given) // min(tensor.numel() for tensor in made)


class Wide(TorchFunctionMode):
    """Casts to a floating type are casts to float64: a reference that computes in float32, whatever it is given, does so. One to 8 bits
    stays what it is: nobody computes in such a type, and a reference that casts to one means to round."""
    OF_ONE_TYPE = (torch.Tensor.float, torch.Tensor.half, torch.Tensor.bfloat16)

    def __torch_function__(self, function, types, arguments=(), keywords=None):
        if function in self.OF_ONE_TYPE:
            return arguments[0].double()
        if function in (torch.Tensor.to, torch.Tensor.type_as) and self._is_tensor(arguments[1:]):
            return function(arguments[0], arguments[1].double(), *arguments[2:])
        wide = {key: self._wide(value) for key, value in (keywords or {}).items()}
        return function(*map(self._wide, arguments), **wide)

    @staticmethod
    def _is_tensor(rest):
        return bool(rest) and isinstance(rest[0], torch.Tensor) and rest[0].is_floating_point()

    @staticmethod
    def _wide(value):
        is_wider = isinstance(value, torch.dtype) and value.is_floating_point and value.itemsize > 1
        return torch.float64 if is_wider else value


@dataclasses.dataclass
class Reference:
    """The reference's callable, run with whichever numbers and in whichever type. arguments, cotangents: as host.py has them."""
    call: object
    arguments: list
    cotangents: list
    training: bool = True

    def run(self, tensors, dtype=None, between=lambda values: None):
        """Results, gradients and buffers by the names of host.py; zeros where nothing comes back. between: as of step()."""
        call = copy.deepcopy(self.call)
        if dtype and hasattr(call, "to"):
            call = call.to(dtype)
        if not self.training:
            call.eval()
        state = loading.state_of(call)
        with torch.no_grad():
            for name, tensor in state.items():
                tensor.copy_(tensors[name])
        given = {}
        for argument in self.arguments:
            name = argument["name"]
            given[name] = in_type(tensors[name].clone(), dtype) if argument["tensor"] else argument["value"]
            if argument["gradient"]:
                given[name].requires_grad_()
        values, gradients, buffers = steps.step(
            call, given, state, [in_type(tensors[name], dtype) for name in self.cotangents], between)
        leaves = {**given, **state}
        named = {f"result{k}": value.detach() for k, value in enumerate(values)}
        if self.cotangents:
            named.update({f"d_{name}": torch.zeros_like(leaves[name]) if gradient is None else gradient
                          for name, gradient in gradients.items()})
        named.update({f"after.{name}": buffer.detach() for name, buffer in buffers.items()})
        return {name: tensor.detach() for name, tensor in named.items()}

    def in_float64(self, tensors):
        before = torch.get_default_dtype()
        torch.set_default_dtype(torch.float64)
        try:
            with Wide():
                return self.run(tensors, torch.float64)
        finally:
            torch.set_default_dtype(before)


def in_type(tensor, dtype):
    return tensor.to(dtype) if dtype and tensor.is_floating_point() else tensor


class OtherRoundings(Mode):
    """Every operation that runs under it returns results that are off by less than one rounding more."""

    def __init__(self, generator):
        super().__init__()
        self.generator = generator

    def __torch_dispatch__(self, operation, types, arguments=(), keywords=None):
        result = operation(*arguments, **(keywords or {}))
        if operation.__name__.split(".")[0] in SELECTING:
            return result
        several, returns = isinstance(result, (tuple, list)), operation._schema.returns
        if several and len(returns) == 1:  # a list of tensors, as split returns
            returns = returns * len(result)
        # What is a view or was changed in place stays what it is.
        moved = [self.moved(value) if of.alias_info is None else value for value, of in zip(result if several else [result], returns)]
        return type(result)(moved) if several else moved[0] if moved else result

    def moved(self, value):
        if not isinstance(value, torch.Tensor) or not value.is_floating_point():
            return value
        unit = torch.finfo(value.dtype).eps / 2
        factor = 1 + unit * (2 * torch.rand(value.shape, generator=self.generator, dtype=torch.float64) - 1)
        return (value.double() * factor).to(value.dtype)


def spacing(truth, dtype):
    """Distance of the type's numbers around the truth, as docs/verdicts.md has it for one ulp."""
    kind = torch.finfo(dtype)
    exponent = torch.frexp(truth.abs().clamp(min=kind.tiny))[1].double() - 1
    return torch.exp2(exponent) * kind.eps


def errors_of(truth, runs):
    """One after the other: all at once would be nine tensors in float64."""
    for run in runs:
        error = run.double() - truth
        finite = torch.isfinite(error)
        yield error, finite, torch.where(finite, error, 0.0).square()


def permitted(truth, runs, longest):
    """The permitted error of each element, and the sentence that says where it comes from."""
    dtype = runs[0].dtype
    known, total = torch.ones(truth.shape, dtype=torch.bool), torch.zeros_like(truth)
    for _, finite, square in errors_of(truth, runs):
        known &= finite
        total += square
    # What rounding the result alone does; and what the tensor's elements show together, because at one of them the reference
    # may be exact by accident: where terms cancel its noise is theirs, and a few runs need not show it.
    least = spacing(truth, dtype).square() / 12 + (total.mean() / len(runs) if total.numel() else 0.0)
    typical = (total / len(runs) + least).sqrt()
    factor = 0.0
    for error, _, square in errors_of(truth, runs):
        others = ((total - square).clamp(min=0) / (len(runs) - 1) + least).sqrt()
        reach = error.abs() / others
        reach = reach[torch.isfinite(reach)]
        factor = max(factor, float(reach.max()) if reach.numel() else 0.0)
    # Whoever rounds the right number to the type is off by half an ulp, whatever these runs show: where numbers are subnormal all of
    # them may have the same error, and the bound would be that one, off by the roundings of its own.
    bound = torch.maximum(math.sqrt(longest) * factor * typical, spacing(truth, dtype) / 2) * (1 + ROUNDED)
    known &= torch.isfinite(bound)
    # Where the reference leaves its type's range nothing is said of finite results; where the truth is no number, its class is.
    bound = torch.where(known, bound, torch.where(torch.isfinite(truth), math.inf, 0.0))
    return bound, (f"weaker witness: the reference in float64; the noise of its own {str(dtype).removeprefix('torch.')}, "
                   f"{factor:.2g} times what is typical at an element, times sqrt({longest}) for another order of its longest sum")


def witness(reference, tensors, seed):
    """Truths and permitted errors of all floating results by name, their sentences, and whole numbers as they must be."""
    truth = reference.in_float64(tensors)
    generator = torch.Generator().manual_seed(seed)
    forward = []
    with Sums() as counted:
        runs = [reference.run(tensors, between=lambda values: forward.append(counted.longest))]
    other = OtherRoundings(generator)
    for _ in range(PERTURBED):
        moved = {name: other.moved(tensor) for name, tensor in tensors.items()}
        with other:
            runs.append(reference.run(moved))
    found, sentences = {}, {}
    for name, value in truth.items():
        if not value.is_floating_point():
            found[name], found[f"{name}.bound"] = value, torch.zeros(value.shape, dtype=torch.float64)
            continue
        found[name] = value.double()
        longest = counted.longest if name.startswith("d_") else forward[0]
        found[f"{name}.bound"], sentences[name] = permitted(value.double(), [run[name] for run in runs], longest)
    return found, sentences
