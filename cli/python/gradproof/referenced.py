# SPDX-License-Identifier: Apache-2.0
"""A function beside a reference of torch, where no line is given: docs/python.md#without-a-line.

The reference is traced to a line, which must be what it computes in float64; where that cannot be, the weaker witness judges.
"""
import inspect
import sys
import weakref

import torch

from gradproof import calls, judgement, program, resident, tensor_files
from gradproof.hard import hard_inputs, work
from gradproof.candidate import noise, steps
from gradproof.candidate.traced import recognise
from gradproof.errors import Convicted, ProgramError
from gradproof.judgement import GIVEN, Set

__tracebackhide__ = True  # pytest shows the line of the test as the last one

# The lines that are known to be what a reference computes, and those that it was told of, by the reference.
_agreed = weakref.WeakKeyDictionary()


def judgeable(function, reference, given, options, *, inputs, contract, name, elements):
    """What judge_sets() is given: the Line, or what stands for it, the sets, names of those left out, what the text begins with, and
    what was begun.

    options: of check(), as Calls has them. given: tensors by name, and other arguments of the reference.
    """
    asked = Asked(reference, given, options)
    wrapped = asked.wrapped(function)
    line, why = asked.line()
    if line:
        _say_once(reference, line.text)
    elif contract:
        raise ProgramError(f"contract={contract!r} needs a line; the reference has none: {why}")
    judged_by = line or asked.signature
    options = {**options, "types": {name: dtype for name, (_, dtype) in zip(judged_by.outputs, asked.kinds)}}
    fills = work.fills_of(judged_by, asked.tensors, inputs, by_line=bool(line))
    if not line:
        asked.require_noise(why)
    called = calls.Calls(wrapped(judged_by.inputs), judged_by, asked.tensors, options)
    begun = judgement.Begun(line, contract, name, elements) if line else None
    sets = called.run(fills, begun and begun.begin)
    if not line:
        sets = [asked.witnessed(one) for one in sets]
    note = "" if line else f"the reference has no line: {why}\n"
    return judged_by, sets, called.fills.left_out, note, begun


class Signature:
    """What Line says of a line, of a reference that has none: axes are known by their lengths alone."""
    text = ""
    stages = ()  # no part of it is known

    def __init__(self, inputs, outputs):
        self.inputs, self.outputs = list(inputs), outputs
        self.gradients = {name: f"d_{name}" if tensor_files.is_floating(tensor) else None for name, tensor in inputs.items()}
        self.cotangents = {name: f"d{name}" for name in outputs}
        self.axes = {name: [f"of {extent}" for extent in tensor.shape] for name, tensor in inputs.items()}
        self.axes.update({name: ["its own"] for name in outputs})

    def is_given(self, name):
        return name in self.gradients or name in self.cotangents.values()


class Asked:
    """A reference with the tensors that it is asked about."""

    def __init__(self, reference, given, options):
        self.reference, self.options = reference, options
        self.names, others = _arguments(reference, given)
        self.others = {key: value for key, value in others.items() if not tensor_files.is_tensor(value)}
        self.tensors = {name: tensor_files.torch_of(given[name]) for name in self.names}
        results = steps.results_of(self.call(*(tensor.detach().clone() for tensor in self.tensors.values())))
        self.kinds = [(result.shape, result.dtype) for result in results]
        base = next(base for base in ("y", "out", "result") if base not in self.tensors)
        outputs = [base] if len(results) == 1 else [f"{base}{k}" for k in range(len(results))]
        self.signature = Signature(self.tensors, outputs)
        unknown = [key for key in given if key not in {*self.names, *self.others, *self.signature.cotangents.values()}]
        if unknown:
            raise TypeError(f"the reference has the arguments {' '.join([*self.names, *self.others])}, and its results the cotangents "
                            f"{' '.join(self.signature.cotangents.values())}; unknown: {' '.join(unknown)}")
        self.tensors.update({key: tensor_files.torch_of(value) for key, value in given.items()
                             if key in self.signature.cotangents.values()})

    @property
    def call(self):
        """The reference as a function of its tensors alone, which torch.fx can trace."""
        said = ", ".join(f"{name}={name}" for name in self.names)
        return eval(f"lambda {', '.join(self.names)}: f({said}, **others)", {"f": self.reference, "others": self.others})

    def wrapped(self, function):
        """By the inputs of what judges the function as it gets them: it is called as the reference is."""
        def of(inputs):
            def called(*values):
                found = {**self.tensors, **dict(zip(inputs, values)), **self.others}
                results = function(*(found[name] for name in [*self.names, *self.others]))
                self._require_alike(results)
                return results
            return called
        return of

    def _require_alike(self, results):
        found = list(results) if isinstance(results, (tuple, list)) else [results]
        for name, one, (shape, dtype) in zip(self.signature.outputs, found, self.kinds):
            if tensor_files.is_tensor(one) and (one.shape != shape or one.dtype != dtype):
                raise Convicted(f"'{name}' is {one.dtype} {list(one.shape)}, that of the reference {dtype} {list(shape)}")

    def line(self):
        """The Line that the reference is, or None and why it has none."""
        arguments = [{"name": name, "tensor": True} for name in self.names]
        found = recognise.line_of(self.call, self._inputs(), arguments, self.signature.outputs)
        if "line" not in found:
            return None, found["why"]
        try:
            line = resident.line_of(found["line"])
        except ProgramError as error:
            return None, str(error)
        # torch has none of a loss's weights, for example.
        self.signature.gradients.update(dict.fromkeys(name for name in self.names if not line.gradients.get(name)))
        try:
            agrees = self._agrees(line)
        except (ProgramError, Convicted) as error:
            return None, f"it is traced to {found['line']}, and {str(error).strip().splitlines()[0]}"
        except Exception as error:  # of the reference: it may hold what is not of float64
            return None, f"in float64 it raises {type(error).__name__}: {str(error).strip().splitlines()[0] if str(error).strip() else ''}"
        if not agrees:
            return None, f"in float64 it does not compute the line that it is traced to, {found['line']}"
        return line, ""

    def _inputs(self):
        return {name: self.tensors[name] for name in self.names}

    def _agrees(self, line):
        """Whether the reference in float64 is within the bounds of the line, on its own numbers and on normal ones."""
        if line.text in _lines_of(self.reference):
            return True
        [(_, normal)] = hard_inputs.sets_of(["normal"], line, self._inputs(), self.options["seed"])
        sets = [self._in_float64(GIVEN, self._inputs()), self._in_float64("normal", normal)]
        said = judgement.judged(judgement.written(line, sets))
        agrees = bool(said.records) and not any(program.is_wrong(record) for record in said.records)
        if agrees:
            _lines_of(self.reference).add(line.text)
        return agrees

    def _in_float64(self, name, numbers):
        generator = torch.Generator().manual_seed(self.options["seed"])
        cotangents = {self.signature.cotangents[output]: torch.randn(shape, generator=generator, dtype=torch.float64)
                      for output, (shape, _) in zip(self.signature.outputs, self.kinds)} if self.options["backward"] else {}
        wide = {key: noise.in_type(tensor.detach().cpu(), torch.float64) for key, tensor in {**numbers, **cotangents}.items()}
        return Set(name, wide, self._renamed(self._noisy(list(cotangents)).in_float64(wide)))

    def require_noise(self, why):
        if any(dtype == torch.float64 for _, dtype in self.kinds):
            raise ProgramError(f"in float64 a reference needs a line, as no wider type says what is right: {why}")

    def _noisy(self, cotangents):
        """The reference as the weaker witness runs it."""
        arguments = [{"name": name, "tensor": True, "gradient": bool(self.options["backward"] and self.signature.gradients[name])}
                     for name in self.names]
        return noise.Reference(self.call, arguments, cotangents)

    def _renamed(self, found):
        own = {f"result{k}{end}": f"{name}{end}" for k, name in enumerate(self.signature.outputs) for end in ("", ".bound")}
        return {own.get(name, name): tensor for name, tensor in found.items()}

    def witnessed(self, one):
        """The set with what the reference makes of its numbers, and by how much that may be missed."""
        cotangents = [name for name in self.signature.cotangents.values() if name in one.given]
        truth, sentences = noise.witness(self._noisy(cotangents), {name: one.given[name].cpu() for name in [*self.names, *cotangents]},
                                         self.options["seed"])
        truth = self._renamed(truth)
        for name, got in one.got.items():
            _permit_flushed(truth, name, got)
        return Set(one.name, one.given, one.got, one.how, None, truth, self._renamed(sentences))


# Below it arithmetic of float32, in which 16-bit types are computed, may flush to 0.
FLUSHED = torch.finfo(torch.float32).tiny


def _permit_flushed(truth, name, got):
    """A result below the smallest normal number may be 0, as under a line of code that declares nothing; no other number is right for that."""
    bound = f"{name}.bound"
    if bound not in truth or name not in truth or got.dtype == "float64":
        return
    right, zero = truth[name].double(), tensor_files.tensor_of(got).reshape(truth[name].shape) == 0
    flushed = zero & (right.abs() < FLUSHED)
    truth[bound] = torch.where(flushed, torch.maximum(truth[bound], right.abs()), truth[bound])


def _arguments(reference, given):
    """Names of the tensors in the order of the reference's arguments, and the other arguments by name.

    Raises TypeError for one that is missing, and for a reference whose arguments have no names.
    """
    try:
        parameters = inspect.signature(reference).parameters.values()
    except (TypeError, ValueError):
        parameters = []
    named = [p for p in parameters if p.kind in (p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY)]
    if not named:
        raise TypeError("the reference's arguments have no names, by which its tensors are given; lambda x: torch.tanh(x) has")
    missing = [p.name for p in named if p.default is p.empty and p.name not in given]
    if missing:
        raise TypeError(f"the reference has the arguments {' '.join(p.name for p in named)}; missing: {' '.join(missing)}")
    there = [p.name for p in named if p.name in given]
    tensors = [name for name in there if tensor_files.is_tensor(given[name])]
    return tensors, {name: given[name] for name in there}


def _lines_of(reference):
    try:
        return _agreed.setdefault(reference, set())
    except TypeError:  # it cannot be referred to weakly
        return set()


# The pairs of a reference's name and its line that were printed.
_said = set()


def _say_once(reference, line):
    name = getattr(reference, "__qualname__", repr(reference))
    if (name, line) not in _said:
        _said.add((name, line))
        print(f"gradproof: the reference {name} is the line {line!r}; in place of reference=... it says what is meant",
              file=sys.stderr)
