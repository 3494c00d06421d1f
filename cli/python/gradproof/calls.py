# SPDX-License-Identifier: Apache-2.0
"""The calls of a function of torch that is on trial in this process, and what their bytes show: docs/python.md.

    with other numbers, and cotangents that are the same along their last axis
    with its own: the results that are judged; then once more
    with the other numbers, and those cotangents as an expanded tensor
    with its own, and cotangents that lie as a transposed tensor does
"""
import dataclasses

import torch

from gradproof import results, tensor_files
from gradproof.candidate import examination, layouts, repeated, steps
from gradproof.errors import Convicted


@dataclasses.dataclass(frozen=True)
class Judgeable:
    """Tensors by name: what the line is given, and what the function made of it. how: in what the call is another one."""
    given: dict
    got: dict
    how: str = ""


class Calls:
    def __init__(self, function, line, tensors, options):
        """tensors: inputs by name, and those cotangents that are given. options: of check()."""
        self.function, self.line, self.tensors, self.options = function, line, tensors, options
        self.inputs = {key: tensors[key] for key in line.inputs}
        self.laid = {key: layouts.Laid(tensor, options["device"]) for key, tensor in self.inputs.items()}
        for key, laid in self.laid.items():
            laid.tensor.requires_grad_(bool(options["backward"] and line.gradients[key]))
        self.leaves = {line.gradients[key]: laid.tensor for key, laid in self.laid.items() if laid.tensor.requires_grad}
        self.cotangents, self.kinds = {}, []

    def run(self):
        """The call, and those whose gradients have other bits because a cotangent lies otherwise."""
        other = repeated.rolled(self.inputs)
        with layouts.perturbed():
            before = self._judgeable(other, lambda tensor: layouts.expanded(tensor).contiguous())
            more = []
            written = repeated.run(self.step, self.inputs, self._arguments, self._around,
                                   lambda: more.append(self._with_lying(other, layouts.expanded, "an expanded cotangent")))
            if self.leaves:
                more.append(self._with_lying(self.inputs, layouts.transposed, "a transposed cotangent"))
        self._examine(written)
        # With every cotangent that is given, though nothing is sent back.
        given = {key: tensor for key, tensor in self.tensors.items() if self.line.is_given(key)}
        first = Judgeable({**self.cotangents, **given}, self._whole(examination.parts_of(written)["first"]))
        return [first, *[call for call, alike in zip(more, (before, first)) if self.leaves and not same_bits(call.got, alike.got)]]

    def step(self, numbers, between=lambda outputs: None, lying=None):
        """Results and gradients by the line's names; that of an argument to which nothing comes back is not there."""
        for key, laid in self.laid.items():
            laid.put(numbers[key])
        for device in {laid.memory.device.type for laid in self.laid.values()}:
            layouts.poison_freed(self.kinds, device)
        cotangents = []  # whose shapes are known when there are results

        def looked_at(values):
            outputs = dict(zip(self.line.outputs, values))
            self._require_gradient(values)
            cotangents.extend(self._cotangents_of(outputs, lying or as_given))
            between(outputs)

        arguments = {key: laid.tensor for key, laid in self.laid.items()}
        values, gradients, _ = steps.step(self._called, arguments, {}, cotangents, looked_at)
        found = {self.line.gradients[key]: gradient for key, gradient in gradients.items() if gradient is not None}
        return {**dict(zip(self.line.outputs, values)), **found}

    def _called(self, *arguments):
        return list(results.outputs_of(self.line, self.function(*arguments), self.tensors).values())

    def _require_gradient(self, values):
        if self.leaves and not any(value.requires_grad for value in values):
            raise Convicted(f"no gradient goes through the function: {' '.join(self.line.outputs)} has no grad_fn "
                            "(backward=False judges forward alone)")

    def _cotangents_of(self, outputs, lying):
        """Normal numbers where none are given: a cotangent of ones hides every term that sums to zero (docs/inputs.md)."""
        if not self.leaves:
            return []
        if not self.cotangents:
            generator = torch.Generator().manual_seed(self.options["seed"])
            drawn = {self.line.cotangents[key]: torch.randn(value.shape, generator=generator, dtype=torch.float64).to(value.dtype)
                     for key, value in outputs.items()}
            self.cotangents = {name: self.tensors.get(name, tensor) for name, tensor in drawn.items()}
            self.kinds = [(tensor.shape, tensor.dtype) for tensor in [*outputs.values(), *self.leaves.values()]]
        return [lying(self.cotangents[self.line.cotangents[key]].to(value.device)) for key, value in outputs.items()]

    def _with_lying(self, numbers, lying, how):
        """The call with cotangents that lie so, as gradients of other functions do."""
        if not self.leaves:
            return self.step(numbers)
        try:
            return self._judgeable(numbers, lying, f"with {how}")
        except Convicted:
            raise
        except Exception as error:
            raise Convicted(f"with {how} the call raised {type(error).__name__}: {error}") from error

    def _judgeable(self, numbers, lying, how=""):
        written = {}
        repeated.keep(written, "first", self.step(numbers, lying=lying))
        now = {key: laid.tensor.detach().clone() for key, laid in self.laid.items()}  # an axis of stride 0 took one number
        return Judgeable(self._given(now, lying), self._whole(examination.parts_of(written)["first"]), how)

    def _given(self, inputs, lying):
        return {**inputs, **{name: lying(tensor).detach() for name, tensor in self.cotangents.items()}}

    def _whole(self, got):
        """With the gradients that are 0, as autograd has it, because nothing comes back."""
        return {**{name: torch.zeros_like(leaf.detach()) for name, leaf in self.leaves.items()}, **got}

    def _arguments(self):
        return {key: laid.tensor for key, laid in self.laid.items()}

    def _around(self):
        return {key: laid.around() for key, laid in self.laid.items()}

    def _examine(self, written):
        found, parts = {}, examination.parts_of(written)
        if not self.options["deterministic"]:
            parts["again"] = {}
        given = {}
        repeated.keep(given, "given", self.inputs)
        examination.compare(parts, {name.partition("/")[2]: data for name, data in given.items()}, examination.Findings(found))
        if "Nondeterministic" in found:
            found["Nondeterministic"] += " (deterministic=False permits that)"
        if found:
            raise Convicted("; ".join(found.values()))


def as_given(tensor):
    return layouts.Laid(tensor).put(tensor)


def same_bits(a, b):
    return all(tensor_files.data_of(a[name]) == tensor_files.data_of(b[name]) for name in a)
