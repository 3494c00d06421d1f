# SPDX-License-Identifier: Apache-2.0
"""The calls of a function of torch that is on trial in this process, and what their bytes show: docs/python.md.

    with other numbers, and cotangents that are the same along their last axis
    with its own: the results that are judged
    once more, with cotangents that lie as a transposed tensor does and are no leaves of autograd's; where a bit is another then, once
    more as before, and once with cotangents of either kind
    with the other numbers, and those cotangents as an expanded tensor
    once with each set of hard numbers
"""
import contextlib
import dataclasses

import torch

from gradproof import arguments, results
from gradproof.hard import hard_inputs, work
from gradproof.candidate import examination, layouts, repeated, steps
from gradproof.errors import Convicted
from gradproof.judgement import GIVEN, Set

__tracebackhide__ = True  # pytest shows the line of the test as the last one


@contextlib.contextmanager
def own_mode(backward):
    """Within, autograd notes what is computed where that is wanted, also for those who ask from within torch.no_grad() or inference_mode()."""
    with torch.inference_mode(False), torch.set_grad_enabled(bool(backward) or torch.is_grad_enabled()):
        yield


# Multiply-adds of a step up to which the first set is judged while the function is called again: some half a second. Where one of those
# calls raises, the next question waits for it.
EARLY_WORK = 2 ** 24


class NoBackward(Convicted):
    """The function's backward is not there: it raised NotImplementedError."""


def without_backward(error):
    if not isinstance(error, NotImplementedError):
        raise error
    said = f"NotImplementedError: {error}" if str(error) else "NotImplementedError"
    raise NoBackward(f"its backward raised {said} (backward=False judges forward alone)") from error


@dataclasses.dataclass
class Call:
    """One that may be judged: the numbers it was given, how its cotangents lay, what it gave, and in what it is not the first one."""
    name: str
    numbers: dict
    lying: object
    got: dict
    how: str
    rows: object = None  # JudgedRows, where they alone are judged


class Calls:
    def __init__(self, function, line, tensors, options):
        """tensors: inputs by name, and those cotangents that are given. options: of check()."""
        self.function = arguments.called_by_name(function, line.inputs)
        self.line, self.tensors, self.options = line, tensors, options
        self.inputs = {key: tensors[key] for key in line.inputs}
        with own_mode(options["backward"]):
            self.laid = {key: layouts.Laid(tensor, options["device"]) for key, tensor in self.inputs.items()}
        for key, laid in self.laid.items():
            laid.tensor.requires_grad_(bool(options["backward"] and line.gradients[key]))
        self.leaves = {line.gradients[key]: laid.tensor for key, laid in self.laid.items() if laid.tensor.requires_grad}
        self.cotangents, self.kinds = {}, []
        self.views = {}  # by output the argument in whose memory it lies
        self.together = {}  # the bytes of a second call whose cotangents are transposed and no leaves
        self.raised = None  # what that call raised
        self.fills = work.NONE  # that were judged
        self.within = contextlib.nullcontext  # makes the context of the function and its backward
        self.none = {}  # of the last call, by its gradient's name: each argument to which no gradient came back

    def run(self, fills=work.NONE, begin=None):
        """The call, those whose gradients have other bits because a cotangent lies otherwise, and one of each fill.

        begin: is given the set of the call itself, and how many there may be, before the others are made, where that saves time.
        """
        is_early = begin is not None and self._leaves_cores() and self._is_quick()
        other, lying = layouts.rolled(self.inputs), []
        with layouts.perturbed(), own_mode(self.options["backward"]), hard_inputs.few_threads(self.inputs) as self.within:
            before = self._bytes(other, repeated_along_last) if self.leaves else self._bytes(other)

            def behind():
                if self.leaves:
                    lying.append((self._otherwise("expanded", other, layouts.expanded), before))
                else:
                    self.step(other)

            def begun(first):
                if is_early:
                    begin(self._given_set(first), len(LYING) + 1 + len(fills.judged))

            written = repeated.run(self.step, self.inputs, self._arguments, self._around, behind, self._again, begun)
            self._examine(written)
            first = repeated.part_of(written, "first")
            lying = [*((call, first) for call in self._apart(written, first)), *lying]
            self.fills = fills = fills.behind(first)
            hard = [self._otherwise(fill, numbers, rows=fills.rows(fill))
                    for fill, numbers in hard_inputs.sets_of(fills.judged, self.line, self.inputs, self.options["seed"], fills.apart)]
        other_bits = [call for call, alike in lying if not same_bits(call.got, alike)]
        # The calls with the first one's numbers follow it: the program compares them with its truths.
        return [self._given_set(first), *(self._set_of(call) for call in [*other_bits, *hard])]

    def _given_set(self, first):
        return Set(GIVEN, {**self.cotangents, **self._given()}, self._whole(first))

    def _leaves_cores(self):
        """A function on the CPU does not: torch's threads wait for one another, and longer where others compute beside them. With the
        judge among them a check of 64 x 768 took 20.5 ms in place of 15.5 on 16 cores, 30 in place of 28 on two."""
        return all(laid.memory.device.type != "cpu" for laid in self.laid.values())

    def _is_quick(self):
        return work.work_of(self.line, {key: tensor.shape for key, tensor in self.inputs.items()}) <= EARLY_WORK

    def _again(self, first):
        """The second call with the same numbers. Its cotangents lie as transposed ones do and are no leaves: where its bits are those of
        the first call, three calls are known by one."""
        if not self.leaves:
            return self.step(self.inputs)
        try:
            self.together = self._bytes(self.inputs, layouts.transposed_no_leaf)
        except Exception as error:
            self.together, self.raised = {}, error
        return self.together if same_bits(self.together, first) else self.step(self.inputs)

    def _apart(self, written, first):
        """Where the bits were others, a call with cotangents of either kind, to say which it is.

        Bits that come and go with every other call are not due to how a cotangent lies.
        """
        if not self.leaves or same_bits(self.together, first):
            return []
        transposed = self._otherwise("transposed", self.inputs, layouts.transposed)
        no_leaf = self._otherwise("no_leaf", self.inputs, layouts.no_leaf)
        if self.raised:
            raise Convicted(f"a second call with the same numbers raised {type(self.raised).__name__}: {self.raised}; "
                            "others before and behind it did not")
        if self.together and not same_bits(self.together, transposed.got):
            repeated.keep(written, "again", self.together)
            self._examine(written)
        return [transposed, no_leaf]

    def step(self, numbers, between=lambda outputs: None, lying=None, rows=None):
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
            cotangents.extend(self._cotangents_of(outputs, lying or layouts.as_given, rows))
            between(outputs)

        arguments = {key: laid.tensor for key, laid in self.laid.items()}
        values, gradients, _ = steps.step(self._called, arguments, {}, cotangents, looked_at, without_backward, self.within)
        self.none = {self.line.gradients[key]: key for key, gradient in gradients.items() if gradient is None}
        found = {self.line.gradients[key]: gradient for key, gradient in gradients.items() if gradient is not None}
        return {**dict(zip(self.line.outputs, values)), **found}

    def _called(self, *arguments):
        try:
            made = self.function(*arguments)
        except RuntimeError as error:
            if "a leaf Variable that requires grad" not in str(error):
                raise
            raise Convicted(f"the call changes an input in place, which autograd refuses{IN_PLACE}") from error
        return list(results.outputs_of(self.line, made, self.tensors, self.options.get("types")).values())

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

    def _cotangents_of(self, outputs, lying, rows):
        """Normal numbers where none are given: a cotangent of ones hides every term that sums to zero (docs/inputs.md)."""
        if not self.leaves:
            return []
        if not self.cotangents:
            normals = hard_inputs.normals(hard_inputs.kinds_of(outputs.values()), self.options["seed"])
            drawn = {self.line.cotangents[key]: tensor for key, tensor in zip(outputs, normals)}
            self.cotangents = {name: self.tensors.get(name, tensor) for name, tensor in drawn.items()}
            self.kinds = [(tensor.shape, tensor.dtype) for tensor in [*outputs.values(), *self.leaves.values()]]
        sent = {key: self.cotangents[self.line.cotangents[key]] for key in outputs}
        if rows:
            sent = {key: rows.alone(key, cotangent) for key, cotangent in sent.items()}
        return [lying(sent[key].to(value.device)) for key, value in outputs.items()]

    def _otherwise(self, name, numbers, lying=None, rows=None):
        """The call with other numbers, or with cotangents that lie so, as gradients of other functions do."""
        how = f"with {LYING[name]}" if name in LYING else f"with the inputs '{name}'"
        try:
            return Call(name, numbers, lying, self._bytes(numbers, lying, rows), how, rows)
        except Convicted as error:
            raise Convicted(f"{how}: {error}") from error
        except Exception as error:
            raise Convicted(f"{how} the call raised {type(error).__name__}: {error}") from error

    def _bytes(self, numbers, lying=None, rows=None):
        """What a call gives, as bytes by name."""
        written = {}
        repeated.keep(written, "first", self.step(numbers, lying=lying, rows=rows))
        return repeated.part_of(written, "first")

    def _set_of(self, call):
        now = {key: laid.numbers_of(call.numbers[key]) for key, laid in self.laid.items()}
        sent = {key: repeated_along_last(tensor) if call.lying is layouts.expanded else tensor for key, tensor in self.cotangents.items()}
        given, got = {**self._given(), **now, **sent}, self._whole(call.got)
        if call.rows:
            return Set(call.name, call.rows.of(given), call.rows.of(got), f"{call.how}{call.rows}")
        has_given = call.numbers is self.inputs and call.lying is not layouts.expanded
        return Set(call.name, given, got, call.how, numbers_of=GIVEN if has_given else "", is_further=call.name in LYING)

    def _given(self):
        """With every cotangent that is given, though nothing is sent back."""
        return {key: tensor for key, tensor in self.tensors.items() if self.line.is_given(key)}

    def _whole(self, got):
        """With the gradients that are 0, as autograd has it, because nothing comes back."""
        return {**{name: torch.zeros_like(leaf.detach()) for name, leaf in self.leaves.items() if name not in got}, **got}

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


def repeated_along_last(tensor):
    """The numbers that are first along the last axis, repeated along it."""
    return layouts.expanded(tensor).contiguous()


def same_bits(a, b):
    return a.keys() == b.keys() and all(a[name].data == b[name].data for name in a)
