# SPDX-License-Identifier: Apache-2.0
"""The calls of a function of torch that is on trial in this process, and what their bytes show: docs/python.md.

    with other numbers, and cotangents that are the same along their last axis
    with its own: the results that are judged; then once more
    with the other numbers, and those cotangents as an expanded tensor
    with its own, and cotangents that lie as a transposed tensor does; then those that are no leaf of autograd's
    once with each set of hard numbers
"""
import torch

from gradproof import hard_inputs, results, tensor_files
from gradproof.candidate import examination, layouts, repeated, steps
from gradproof.errors import Convicted
from gradproof.judgement import GIVEN, Set

__tracebackhide__ = True  # pytest shows the line of the test as the last one


class NoBackward(Convicted):
    """The function's backward is not there: it raised NotImplementedError."""


def without_backward(error):
    if not isinstance(error, NotImplementedError):
        raise error
    said = f"NotImplementedError: {error}" if str(error) else "NotImplementedError"
    raise NoBackward(f"its backward raised {said} (backward=False judges forward alone)") from error


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
        self.views = {}  # by output the argument in whose memory it lies
        self.none = {}  # of the last call, by its gradient's name: each argument to which no gradient came back

    def run(self, fills=()):
        """The call, those whose gradients have other bits because a cotangent lies otherwise, and one of each fill."""
        other = repeated.rolled(self.inputs)
        with layouts.perturbed():
            before = self._judgeable("", other, lambda tensor: layouts.expanded(tensor).contiguous())
            more = []
            written = repeated.run(self.step, self.inputs, self._arguments, self._around,
                                   lambda: more.append(self._otherwise("expanded", other, layouts.expanded)) if self.leaves
                                   else self.step(other))
            self._examine(written)
            if self.leaves:
                more += [self._otherwise("transposed", self.inputs, layouts.transposed),
                         self._otherwise("no_leaf", self.inputs, layouts.no_leaf)]
            hard = [self._otherwise(fill, hard_inputs.numbers_of(fill, self.line, self.inputs, self.options["seed"]))
                    for fill in fills]
        first = Set(GIVEN, {**self.cotangents, **self._given()}, self._whole(examination.parts_of(written)["first"]))
        lying = [call for call, alike in zip(more, (before, first, first)) if not same_bits(call.got, alike.got)]
        # The calls with the first one's numbers follow it: the program compares them with its truths.
        return [first, *sorted(lying, key=lambda call: call.name == "expanded"), *hard]

    def step(self, numbers, between=lambda outputs: None, lying=None):
        """Results and gradients by the line's names; that of an argument to which nothing comes back is not there."""
        for key, laid in self.laid.items():
            laid.put(numbers[key])
        for device in {laid.memory.device.type for laid in self.laid.values()}:
            layouts.poison_freed(self.kinds, device)
        cotangents = []  # whose shapes are known when there are results

        def looked_at(values):
            outputs = dict(zip(self.line.outputs, values))
            self._note_views(values)
            self._require_gradient(values)
            cotangents.extend(self._cotangents_of(outputs, lying or as_given))
            between(outputs)

        arguments = {key: laid.tensor for key, laid in self.laid.items()}
        values, gradients, _ = steps.step(self._called, arguments, {}, cotangents, looked_at, without_backward)
        self.none = {self.line.gradients[key]: key for key, gradient in gradients.items() if gradient is None}
        found = {self.line.gradients[key]: gradient for key, gradient in gradients.items() if gradient is not None}
        return {**dict(zip(self.line.outputs, values)), **found}

    def _called(self, *arguments):
        return list(results.outputs_of(self.line, self.function(*arguments), self.tensors).values())

    def _note_views(self, values):
        memory = {laid.memory.untyped_storage().data_ptr(): key for key, laid in self.laid.items()}
        found = {key: memory.get(value.untyped_storage().data_ptr()) for key, value in zip(self.line.outputs, values)}
        self.views = {key: name for key, name in found.items() if name}

    def _require_gradient(self, values):
        if self.leaves and not any(value.requires_grad for value in values):
            raise Convicted(f"no gradient goes through the function: {' '.join(self.line.outputs)} has no grad_fn "
                            "(backward=False judges forward alone)")
        leaves = [key for key, value in zip(self.line.outputs, values) if value.requires_grad and value.is_leaf]
        if self.leaves and leaves and not self.views:
            raise Convicted(f"'{leaves[0]}' requires a gradient and has no grad_fn: the function made it a leaf, and no gradient goes "
                            "through one (backward=False judges forward alone)")

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

    def _otherwise(self, name, numbers, lying=None):
        """The call with other numbers, or with cotangents that lie so, as gradients of other functions do."""
        how = f"with {LYING[name]}" if name in LYING else f"with the inputs '{name}'"
        try:
            return self._judgeable(name, numbers, lying or as_given, how)
        except Convicted as error:
            raise Convicted(f"{how}: {error}") from error
        except Exception as error:
            raise Convicted(f"{how} the call raised {type(error).__name__}: {error}") from error

    def _judgeable(self, name, numbers, lying, how=""):
        written = {}
        repeated.keep(written, "first", self.step(numbers, lying=lying))
        now = {key: laid.tensor.detach().clone() for key, laid in self.laid.items()}  # an axis of stride 0 took one number
        sent = {key: lying(tensor).detach() for key, tensor in self.cotangents.items()}
        return Set(name, {**self._given(), **now, **sent}, self._whole(examination.parts_of(written)["first"]), how)

    def _given(self):
        """With every cotangent that is given, though nothing is sent back."""
        return {key: tensor for key, tensor in self.tensors.items() if self.line.is_given(key)}

    def _whole(self, got):
        """With the gradients that are 0, as autograd has it, because nothing comes back."""
        return {**{name: torch.zeros_like(leaf.detach()) for name, leaf in self.leaves.items()}, **got}

    def _arguments(self):
        return {key: laid.tensor for key, laid in self.laid.items()}

    def _named(self, name):
        if name not in self.views:
            return name
        return f"{name}, which lies in the memory of the argument '{self.views[name]}' (return a copy: .clone()),"

    def _around(self):
        return {key: laid.around() for key, laid in self.laid.items()}

    def _examine(self, written):
        found, parts = {}, examination.parts_of(written)
        if not self.options["deterministic"]:
            parts["again"] = {}
        given = {}
        repeated.keep(given, "given", self.inputs)
        examination.compare(parts, {name.partition("/")[2]: data for name, data in given.items()}, examination.Findings(found),
                            self._named, IN_PLACE)
        if "Nondeterministic" in found:
            found["Nondeterministic"] += " (deterministic=False permits that)"
        if found:
            raise Convicted("; ".join(found.values()))


# A finding about an input that the call changed ends so: some operators keep their gradients where their inputs were.
IN_PLACE = " (a function that may do so is judged on copies: lambda x: function(x.clone()))"
# A call's name says how its cotangents lie.
LYING = {"expanded": "an expanded cotangent", "transposed": "a transposed cotangent", "no_leaf": "a cotangent that is no leaf"}


def as_given(tensor):
    return layouts.Laid(tensor).put(tensor)


def same_bits(a, b):
    return all(tensor_files.data_of(a[name]) == tensor_files.data_of(b[name]) for name in a)
