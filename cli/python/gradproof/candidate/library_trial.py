# SPDX-License-Identifier: Apache-2.0
"""The trusted process of a library's trial: inputs by the line, what is called how, and what the program is to judge.

Usage: python -m gradproof.candidate.library_trial SPEC     SPEC: JSON, as cli/front/candidates/library.cpp writes it
Writes trial.json into the folder, as trial.py does.
"""
import json
import pathlib

from gradproof import tensor_files
from gradproof.candidate import carried, examination, matching, plans
from gradproof.candidate.loading import Refused
from gradproof.candidate.processes import Ended, Silent
from gradproof.candidate.runs import TRUSTED_SECONDS, Runs, results_of, serve, write_judged
from gradproof.candidate.sandbox import sandbox

# A Case that says no fill has these of docs/inputs.md, and those that the program does not draw.
FILLS = ("normal", "offset:1e3", "common:1e4", "loguniform", "lone:1", "constant:0", "subnormal")
MORE = ("mixed", "scaled:1e-3", "outlier:1e4", "columns:1e3", "ties", "rows:constant", "columns:constant", "zeros", "ends")
# Sets whose tensors lie otherwise, and what reports call them; in the last two the cotangents alone.
LAYOUTS = {"layout_offset": "offset", "layout_strided": "strided"}
COTANGENTS = {"cotangent_transposed": "transposed", "cotangent_expanded": "expanded", "cotangent_no_leaf": "no_leaf"}
EMPTY, OPERATOR = "batch_empty", "operator"
# The seed of the inputs of training steps.
STEP_SEED = 100


class DiedLoading(Refused):
    """The library's constructors ended the process that loaded it."""


def operators_of(spec, child):
    """What schemas.py tells of the library. child: a process of host.py that has been told nothing yet."""
    child.send(json.dumps({"library": spec["candidate"]}))
    try:
        child.await_ready(TRUSTED_SECONDS)
        message = child.message(TRUSTED_SECONDS)
    except Ended as how:
        raise DiedLoading(f"'{spec['candidate']}' ended the process that loaded it: {how}") from None
    except Silent:
        raise Refused(f"'{spec['candidate']}' was silent for {TRUSTED_SECONDS} s as it was loaded") from None
    if "refused" in message:
        raise Refused(message["refused"])
    return message


def operator_named(name, operators, library):
    known = {operator["name"]: operator for operator in operators}
    if name not in known:
        raise Refused(f"'{library}' has no operator '{name}'; it has: {' '.join(known)}{matching.nearest(name, known)}")
    return known[name]


def plan_of(spec, line, values, operators):
    """The plan of plans.py, whatever of it is open, and the operator's schema."""
    said = plans.read_mapping(spec["mapping"])
    name = spec["op"] or said.get("op") or (operators[0]["name"] if len(operators) == 1 else "")
    if not name:
        raise Refused(f"'{spec['candidate']}' has several operators, and --op says which: {' '.join(one['name'] for one in operators)}")
    schema = operator_named(name, operators, spec["candidate"])
    plan = plans.Forward(schema, line, line.buffers, values).plan(said)
    backward = spec["backward_op"] or said.get("backward", {}).get("op")
    if backward:
        other = operator_named(backward, operators, spec["candidate"])
        plan["backward"] = plans.backward_plan(other, line, schema, said.get("backward", {}), values)
    return plan, schema


class LibraryTrial:
    def __init__(self, spec, front):
        self.spec, self.front = spec, front
        self.folder = pathlib.Path(spec["folder"])
        self.notes = []
        self.name = spec["op"] or pathlib.Path(spec["candidate"]).stem  # what reports call it

    def run(self):
        self.line = self.front.line_of(self.spec["pipeline"], self.spec["case"])
        self.sets = self._write_inputs()
        self._write_steps()
        tensors = tensor_files.read_data(self.folder / self.sets[0] / "inputs.safetensors")
        self.facts = self._facts(tensors)
        self.judged = examination.Judged(self.facts, self.line, is_operator=True)
        self.runs = Runs(self.spec, self.folder, sandbox(self.spec, self.notes))
        try:
            return {"sets": self._sets(tensors), "notes": self.notes}
        finally:
            self.runs.end()

    def _sets(self, tensors):
        try:
            found = operators_of(self.spec, self.runs.waiting)
        except DiedLoading as how:
            return [self._set(self.sets[0], {"Crashed": str(how)}, False)]
        values = matching.values_of(self.line, sizes_of(self.line, tensors))
        plan, schema = plan_of(self.spec, self.line, values, found["operators"])
        plan = plans.require_complete(plan, {operator["name"]: operator for operator in found["operators"]}, values)
        self.keys = {operator["name"]: operator["keys"] for operator in found["operators"]}
        self.name = plan["op"]
        self.notes += plans.not_judged(plan, schema)
        device = plans.device_of(schema, self.spec["device"])
        if device == "cuda" and not found["cuda"]:
            return [self._set(self.sets[0], {"Skipped": f"{plan['op']} is judged on a CUDA device, and there is none"}, False)]
        if not (plans.has_autograd(schema["keys"]) or "backward" in plan):
            self.facts["no_gradient"] = (f"no autograd is registered for {plan['op']}, so no gradient goes through it "
                                         "(--backward names an operator that is its backward; --no-backward judges forward alone)")
        self._run(plan, schema, device, tensors)
        layouts = [name for name, says in self.layouts.items()
                   if not self._refuses(name, f"{says} {'tensors' if name in LAYOUTS else 'cotangents'}")]
        self._examine_empty()
        done = self.runs.answers
        if self.sets[0] in done:  # what it raises there, it raises at opcheck too
            self._merge(OPERATOR, "its registration: ")
        return ([self._set(name, self.runs.findings[name], name in done, self.layouts.get(name, "")) for name in [*self.sets, *layouts]]
                + self._steps())

    def _steps(self):
        """Of the training steps; where they have no results, of the first what is said of them."""
        if not self.steps:
            return []
        carried.carry(self.folder, self.steps, self.becomes)
        done = carried.STEPS in self.runs.answers
        return [self._set(name, self.runs.of_steps(is_first=k == 0), done, name.replace("_", ""))
                for k, name in enumerate(self.steps if done else self.steps[:1])]

    def _run(self, plan, schema, device, tensors):
        line = self.line
        self.layouts = {**LAYOUTS, **(COTANGENTS if self.facts["cotangents"] else {})}
        for name in self.layouts:
            (self.folder / name).mkdir()
            given = {**tensors, **{key: examination.repeated_along_last(tensors[key]) for key in self.facts["cotangents"]}}
            tensor_files.write(self.folder / name / "inputs.safetensors", given if name == "cotangent_expanded" else tensors)
        self.empty = self._write_empty(tensors)
        plan.update({"inputs": line.inputs, "outputs": line.outputs, "cotangents": list(line.cotangents.values()),
                     "gradients": list(line.gradients.values())})
        self.runs.run([*self.sets, *self.layouts, *([EMPTY] if self.empty else []), *carried.together(self.steps), OPERATOR], {
            "file": self.spec["candidate"], "operator": plan, "device": device, "apart": [*LAYOUTS, EMPTY],
            "likes": {**line.cotangents, **{gradient: name for name, gradient in line.gradients.items() if gradient}},
            "plain": self.sets[0], "keys": self.keys,
            "steps": self.steps, "carried": self.becomes, **{key: self.facts[key] for key in ("arguments", "cotangents")}})
        said = self.runs.answers.get(OPERATOR, {})
        self.notes += said.get("notes", [])
        for sentence in said.get("wrong", []):
            examination.Findings(self.runs.findings[OPERATOR]).add("Failed", str(sentence))

    def _write_inputs(self):
        """Names of the sets that the Case asks for."""
        said = self.line.keys
        fills = ("own",) if "fill" in said else FILLS[:1] if self.spec["inputs"] == "given" else FILLS
        for fill in fills:
            folder = self.folder / fill.replace(":", "_")
            folder.mkdir(parents=True)
            self._draw(folder, said if fill == "own" else {**said, "fill": fill})
        return [fill.replace(":", "_") for fill in [*fills, *(self._write_more() if len(fills) > 1 else ())]]

    def _write_more(self):
        """The fills that the program does not draw, in place of the first one's data."""
        from gradproof.hard import hard_inputs, work  # import torch, which nothing else here needs
        tensors = tensor_files.read(self.folder / FILLS[0] / "inputs.safetensors")
        count = work.count_of(work.work_of(self.line, {key: tensors[key].shape for key in self.line.inputs})) - len(FILLS)
        fills = MORE if self.spec["inputs"] == "all" else MORE[:max(count, 0)]
        for fill, numbers in hard_inputs.sets_of(fills, self.line, tensors, self.spec["seed"]):
            path = self.folder / fill.replace(":", "_")
            path.mkdir()
            tensor_files.write(path / "inputs.safetensors", numbers)
        if len(fills) < len(MORE):
            self.notes.append(f"left out: inputs {' '.join(MORE[len(fills):])}; they take long (--inputs all)")
        return fills

    def _write_steps(self):
        """Names of the training steps, where the line has buffers, and what is carried from one to the next."""
        self.becomes = {tensor: f"result{self.line.outputs.index(output)}"
                        for output, tensor in self.line.buffers.items()}
        self.steps = carried.step_names(self.spec["steps"]) if self.becomes else []
        for k, name in enumerate(self.steps):
            (self.folder / name).mkdir()
            self._draw(self.folder / name, {**self.line.keys, "fill": "normal", "seed": STEP_SEED + k})

    def _draw(self, folder, keys):
        self.front.run("inputs", self.line.case(keys), "--output", folder / "inputs.safetensors")

    def _facts(self, tensors):
        """As examination.py asks for them."""
        def kind(name):
            return [tensors[name].dtype, tensors[name].shape]
        line, backward = self.line, self.spec["backward"]
        return {"witness": "the line", "changes": ", and its schema does not say so",
                "no_gradient": "no gradient goes through it (--no-backward judges forward alone)",
                "arguments": [{"name": name, "tensor": True, "gradient": bool(gradient) and backward}
                              for name, gradient in line.gradients.items()],
                "names": line.outputs, "cotangents": list(line.cotangents.values()) if backward else [], "state": {},
                "results": [kind(cotangent) for cotangent in line.cotangents.values()],
                "gradients": {gradient: kind(name) for name, gradient in line.gradients.items() if gradient} if backward else {},
                "buffers": {}, "differentiable": True}

    def _write_empty(self, tensors):
        """The facts of a set without rows: without a length of the axis that the first tensor has first."""
        axes = {**self.line.axes, **{cotangent: self.line.axes[output] for output, cotangent in self.line.cotangents.items()}}
        batch = (axes[self.line.inputs[0]] or [""])[0]
        without = [output for output in self.line.outputs if batch not in axes[output]]
        if without:
            self.notes.append(f"an empty batch: not asked, as '{without[0]}' has no axis '{batch}'")
            return None
        empty = {name: tensor for name, tensor in tensors.items()}
        for name, tensor in tensors.items():
            if batch in axes[name]:
                shape = [0 if axis == batch else extent for axis, extent in zip(axes[name], tensor.shape)]
                empty[name] = tensor_files.Data(tensor.dtype, shape, b"")
        (self.folder / EMPTY).mkdir()
        tensor_files.write(self.folder / EMPTY / "inputs.safetensors", empty)
        return {**self._facts(empty), "no_gradient": self.facts["no_gradient"]}

    def _refuses(self, name, what):
        """Whether the operator raises there, which it may: that is said, and the set is not judged."""
        crashed = self.runs.findings[name].get("Crashed", "")
        if crashed.startswith("raised "):
            self.notes.append(f"{what}: refused, {crashed}")
        return crashed.startswith("raised ")

    def _examine_empty(self):
        """All results are empty, so every gradient is 0."""
        if not self.empty or self._refuses(EMPTY, "an empty batch"):
            return
        found = self.runs.findings[EMPTY]
        tensors = results_of(self.folder / EMPTY, self.empty, found, EMPTY in self.runs.answers)
        for name, data in tensors.items():
            if not is_zero(data):
                examination.Findings(found).add("Failed", f"{name} is not 0")
        self._merge(EMPTY, "with an empty batch: ")

    def _merge(self, name, head):
        """Findings of a set that the program does not judge belong to the first one's."""
        for outcome, sentence in self.runs.findings[name].items():
            examination.Findings(self.runs.findings[self.sets[0]]).add(outcome, head + sentence)

    def _set(self, name, found, done, layout=""):
        """Files of one set and how they are to be judged."""
        folder = self.folder / name
        write_judged(folder, self.facts, self.judged, found, done)
        return {"line": self.spec["pipeline"], "inputs": str(folder / "given.safetensors"),
                "outputs": str(folder / "outputs.safetensors"), "name": f"{self.name}.{layout}" if layout else self.name,
                "part_of": self.name if layout else ""}


def is_zero(data):
    """Of a tensor's floating numbers, 0 or -0: the sign is in an element's last byte."""
    size = examination.SIZES[data.dtype]
    return not any(data.data[k::size].strip(b"\0\x80" if k == size - 1 else b"\0") for k in range(size))


def sizes_of(line, tensors):
    """Of axes by their names."""
    return {axis: extent for name, axes in line.axes.items() if name in tensors for axis, extent in zip(axes, tensors[name].shape)}


if __name__ == "__main__":
    serve(LibraryTrial)
