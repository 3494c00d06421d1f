# SPDX-License-Identifier: Apache-2.0
"""What the trusted process makes of the bytes that a candidate wrote: findings, and the tensors that the program judges.

Names of the hosts: result0, d_x, after.running_mean; those of a line are its own.
"""
import re

from gradproof import tensor_files
from gradproof.candidate import carried, repeated

__tracebackhide__ = True  # pytest shows the line of the test as the last one

SIZES = {"float64": 8, "float32": 4, "float16": 2, "bfloat16": 2, "int64": 8, "int32": 4, "int16": 2, "int8": 1, "uint8": 1,
         "float8_e4m3fn": 1, "float8_e5m2": 1, "float8_e8m0fnu": 1}


class NoGradient(tensor_files.Data):
    """The zeros that a gradient is where none comes back, as autograd has it."""


def zeros(kind, make=tensor_files.Data):
    dtype, shape = kind
    count = SIZES[dtype]
    for extent in shape:
        count *= extent
    return make(dtype, shape, bytes(count))


def repeated_along_last(data):
    """The numbers that are first along the last axis that is longer than 1, repeated along it: layouts.expanded()."""
    length = next((extent for extent in reversed(data.shape) if extent > 1), 1)
    size = SIZES[data.dtype]
    first = (data.data[k:k + size] for k in range(0, len(data.data), length * size))
    return tensor_files.Data(data.dtype, data.shape, b"".join(part * length for part in first))


class Findings:
    """Sentences by outcome; of one outcome there may be several."""

    def __init__(self, found):
        self.found = found

    def add(self, outcome, sentence):
        self.found[outcome] = f"{self.found[outcome]}; {sentence}" if outcome in self.found else sentence


def parts_of(written):
    """What repeated.py keeps, by part and name."""
    return {part: repeated.part_of(written, part) for part in ("first", "late", "again", "argument", "around")}


def compare(parts, given, findings, name_of=lambda name: name, changes=""):
    """Adds what the bytes of repeated calls show. given: what the call was given, by name."""
    for name, data in parts["argument"].items():
        if data.data != given[name].data:
            findings.add("Failed", f"the call changed '{name}'{changes}")
    for name, data in parts["around"].items():
        if data.data.strip(b"\xff"):  # layouts.POISON
            findings.add("Failed", f"the call wrote beside '{name}'")
    for part, outcome, says in (("late", "Failed", "changed after its call had returned"),
                                ("again", "Nondeterministic", "is another in a second call with the same numbers")):
        for name, data in parts[part].items():
            if name in parts["first"] and data.data != parts["first"][name].data:
                findings.add(outcome, f"{name_of(name)} {says}")


def examined(facts, folder, found):
    """The first call's tensors that have the right type and shape; adds what is wrong otherwise to `found`."""
    parts, findings = parts_of(tensor_files.read_data(carried.answers_of(folder))), Findings(found)
    given = tensor_files.read_data(folder / "inputs.safetensors")
    compare(parts, given, findings, lambda name: name_of(facts, name), facts.get("changes", ""))
    _examine_exact(folder / "exact.safetensors", parts["first"], findings)
    return _of_right_kind(facts, parts["first"], findings)


def _examine_exact(path, first, findings):
    """Buffers that are the reference's to the bit (reference.py)."""
    for name, data in tensor_files.read_data(path).items() if path.exists() else ():
        if name in first and first[name].data != data.data:
            is_number = data.shape == [] and "int" in data.dtype
            numbers = [int.from_bytes(one.data, "little", signed=True) for one in (first[name], data)]
            findings.add("Failed", f"'{name.removeprefix('after.')}' behind the step is not the reference's"
                         + (": {}, not {}".format(*numbers) if is_number else ""))


def name_of(facts, name):
    return facts["names"][int(name[6:])] if re.fullmatch(r"result\d+", name) and int(name[6:]) < len(facts["names"]) else name


def _of_right_kind(facts, first, findings):
    wanted = {**{f"result{k}": kind for k, kind in enumerate(facts["results"])}, **facts["gradients"], **facts["buffers"]}
    results = sum(name.startswith("result") for name in first)
    if results != len(facts["results"]):
        findings.add("Failed", f"it returns {results} results; {facts['witness']} {len(facts['results'])}")
    gradients = [name for name in facts["gradients"] if name in first]
    if "Crashed" in findings.found:
        pass  # backward raised, which is said, and forward alone is there
    elif facts["differentiable"] and facts["gradients"] and not gradients:
        findings.add("Failed", facts["no_gradient"])
    elif facts["gradients"]:
        first = {**{name: zeros(kind, NoGradient) for name, kind in facts["gradients"].items()}, **first}
    right = {}
    for name, data in first.items():
        dtype, shape = wanted.get(name, (None, None))
        if dtype is None:
            continue
        if data.shape != shape:
            findings.add("Failed", f"{name_of(facts, name)} has the shape {data.shape}; {facts['witness']}'s {shape}")
        elif data.dtype != dtype:
            findings.add("Failed", f"{name_of(facts, name)} has the type {data.dtype}; {facts['witness']}'s {dtype}")
        else:
            right[name] = data
    return right


class Judged:
    """Names that the program judges by: of a line with its buffers, or of the reference where there is none."""

    def __init__(self, facts, line, is_operator=False):
        """line: a Line, or None. is_operator: buffers behind a step are results like others."""
        self.facts = facts
        self.line = line
        self.buffers = line.buffers if line and not is_operator else {}
        if self.line:
            self.results = [name for name in self.line.outputs if name not in self.buffers]
            self._require_known()

    def _require_known(self):
        known = [argument["name"] for argument in self.facts["arguments"] if argument["tensor"]] + list(self.facts["state"])
        unknown = [name for name in self.line.inputs if name not in known]
        if unknown:
            raise ValueError(f"the line has the tensor '{unknown[0]}'; of inputs and state there are: {' '.join(known)}")
        if len(self.results) != len(self.facts["results"]):
            raise ValueError(f"the line has the outputs {' '.join(self.results)}; the reference returns "
                             f"{len(self.facts['results'])}")

    def inputs(self, tensors):
        """What the line is given: tensors by name, and a cotangent for each output, of buffers zeros."""
        found = {name: tensors[name] for name in self.line.inputs}
        if self.facts["cotangents"]:
            found.update({self.line.cotangents[name]: tensors[given]
                          for name, given in zip(self.results, self.facts["cotangents"])})
            found.update({self.line.cotangents[name]: zeros([tensors[buffer].dtype, tensors[buffer].shape])
                          for name, buffer in self.buffers.items()})
        return found

    def outputs(self, tensors):
        """Results, gradients and buffers by the names that they are judged by."""
        if not self.line:
            return {name_of(self.facts, name): data for name, data in tensors.items()}
        return {name: tensors[own] for name, own in self._names().items() if own in tensors}

    def _names(self):
        """Of the line's outputs and gradients those of the hosts."""
        names = {name: f"result{k}" for k, name in enumerate(self.results)}
        names.update({gradient: f"d_{name}" for name, gradient in self.line.gradients.items() if gradient})
        names.update({name: f"after.{buffer}" for name, buffer in self.buffers.items()})
        return names

    def left_out(self):
        """Gradients and buffers that the line says nothing of."""
        judged = set(self._names().values()) if self.line else {*self.facts["gradients"], *self.facts["buffers"]}
        if self.facts.get("steps"):  # _examine_exact()
            judged.update(name for name, (dtype, _) in self.facts["buffers"].items() if "float" not in dtype)
        return [name for name in [*self.facts["gradients"], *self.facts["buffers"]] if name not in judged]
