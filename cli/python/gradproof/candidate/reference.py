# SPDX-License-Identifier: Apache-2.0
"""The reference's own process: it makes the inputs, waits until the candidate's process is gone, then says what is right.

It reads a line of JSON from standard input when answers may be computed, of which sets: "control", the reference in float64 on
a few rows, which a traced line must agree with; "witness", its values and what may be missed of them (noise.py); "exact", buffers
behind a step that are whole numbers or stay as they are.
"""
import dataclasses
import gc
import json
import os
import pathlib
import sys

gc.disable()  # an import leaves nothing to collect, and to look for it takes a tenth of torch's, whenever that is
import torch  # noqa: E402
gc.freeze()
gc.enable()

from gradproof import tensor_files
from gradproof.hard import hard_inputs, work
from gradproof.candidate import carried, loading, noise, processes, steps
from gradproof.candidate.traced import recognise
from gradproof.candidate.given import OWN_STATE, Inputs, arguments_of
from gradproof.executor import catching, presented

# The fill of a control.
CONTROLS = {"control_own": "own", "control_normal": "normal", "control_eval": "normal"}
# Seeds of the training steps' inputs, beyond those of fills.
STEP_SEED = 100


def set_folder(spec, fill):
    return pathlib.Path(spec["folder"]) / fill.replace(":", "_")


def kinds(tensors):
    return {name: [tensor_files.type_name(tensor), list(tensor.shape)] for name, tensor in tensors.items()}


def step_names(spec, state):
    """Training steps and the call in eval, where there are buffers."""
    return [*carried.step_names(spec["steps"]), carried.EVAL] if spec["steps"] and len(steps.parameters_of(state)) < len(state) else []


def sets_in_order(inputs, which, by_line):
    """What stands first is judged where not all are. which: "given" for the file's own numbers alone."""
    floating = [tensor for tensor in inputs.own.values() if tensor.is_floating_point()]
    first, *others = hard_inputs.usual(floating) if by_line and which != "all" else hard_inputs.FILLS
    more = inputs.more()
    if which == "given":
        return [first, *(name for name in more if name == OWN_STATE)]
    return [first, *(name for name in more if name == OWN_STATE), others[0], *(name for name in more if name != OWN_STATE), *others[1:]]


def sets_of(spec, sets, step_work, names):
    """As many sets as are judged in some ten seconds on two cores where a line is: the file's own inputs, the steps, the others.

    And whether the steps are among them; otherwise the weaker witness judges those.
    """
    if spec["inputs"] == "all":
        return sets, True
    count = work.count_of(step_work)
    return sets[:max(1, count - len(names))], count > len(names)


def prepared(spec):
    """The reference, its sets of inputs as files, and what trial.py is to know of them."""
    has_device = torch.cuda.is_available()
    if spec["executor"] or spec["device"] == "cuda" and not has_device:  # then the candidate is Skipped
        catching.leave_out()
        presented.present()
    before = loading.functions_now()
    module = loading.module_of(spec["file"])
    changed = loading.replaced(before)
    init = loading.member(module, "get_init_inputs")() if hasattr(module, "get_init_inputs") else []
    call = loading.built(module, spec["name"], list(init), spec["seed"])
    own, arguments = arguments_of(spec, module, call)
    inputs = Inputs(spec, call, own, arguments)
    torch.save(list(init), pathlib.Path(spec["folder"]) / "init.pt")
    found = {} if spec["line"] else recognise.line_of(call, own, arguments, inputs.names)
    reference = noise.Reference(call, arguments, list(inputs.cotangents))
    with noise.Sums() as counted:
        first = reference.run(inputs.of("own"))
    require_same(first, reference.run(inputs.of("own")))
    by_line = bool(spec["line"] or "line" in found)
    sets, names, steps_by_line = sets_in_order(inputs, spec["inputs"], by_line), step_names(spec, inputs.state), True
    of_all = sets
    if by_line:
        sets, steps_by_line = sets_of(spec, sets, counted.work, names)
    write_sets(spec, inputs, sets, names)
    gradients = [a["name"] for a in arguments if a["gradient"]] + list(steps.parameters_of(inputs.state))
    facts = {"witness": "the reference", "no_gradient": "no gradient goes through it (--no-backward judges forward alone)",
             "arguments": arguments, "names": inputs.names, "cotangents": list(inputs.cotangents),
             "state": {name: list(tensor.shape) for name, tensor in inputs.state.items()},
             "sets": [name.replace(":", "_") for name in sets], "left_out": of_all[len(sets):],
             "by_line_alone": [name for name in sets if name in hard_inputs.BY_LINE_ALONE],
             "own": [name for name in sets if name in ("own", OWN_STATE)],
             "steps": names, "steps_by_line": steps_by_line, "work": counted.work, "cuda": has_device,
             "replaced": changed, "differentiable": inputs.differentiable, "recognised": found,
             "recognised_eval": in_eval(call, lambda: recognise.line_of(call, own, arguments, inputs.names)) if names else {},
             "results": list(kinds(dict(enumerate(inputs.results))).values()),
             "gradients": kinds({f"d_{name}": {**own, **inputs.state}[name] for name in gradients}) if spec["backward"] else {},
             "buffers": kinds({f"after.{name}": tensor for name, tensor in inputs.state.items()
                               if not tensor.requires_grad})}
    return Prepared(spec, reference, inputs, facts)


def write_sets(spec, inputs, sets, names):
    for name in sets:
        set_folder(spec, name).mkdir()
        tensor_files.write(set_folder(spec, name) / "inputs.safetensors", inputs.of_set(name))
    state = {}
    for k, name in enumerate(names):
        set_folder(spec, name).mkdir()
        tensors = inputs.of("normal", STEP_SEED + k)
        state = state if k else {key: tensors[key] for key in inputs.state}
        tensor_files.write(set_folder(spec, name) / "inputs.safetensors", {**tensors, **state})


def in_eval(call, ask):
    with loading.in_eval(call):
        return ask()


def require_same(first, again):
    for name, tensor in first.items():
        if not torch.equal(tensor.nan_to_num(), again[name].nan_to_num()):
            raise loading.Refused("the reference gives other numbers in a second call: what is drawn within cannot be compared")


@dataclasses.dataclass
class Prepared:
    spec: dict
    reference: noise.Reference
    inputs: Inputs
    facts: dict

    def answer(self, how, names):
        """Writes what is right. Returns why that cannot be, or nothing."""
        write = {"control": self._control, "witness": self._witness, "exact": self._exact}[how]
        try:
            for name in names:
                write(pathlib.Path(self.spec["folder"]) / name)
        except Exception as error:
            return f"the reference cannot run in {'its own type' if how == 'exact' else 'float64'}: {loading.last_line(error)}"
        return ""

    def _control(self, folder):
        """The reference in float64 on a few rows: of the line, not of the candidate, whose sizes may be fixed."""
        tensors = few_rows(self.inputs.of(CONTROLS[folder.name]), self.inputs)
        folder.mkdir()
        found = self._of(folder.name).in_float64(tensors)
        tensor_files.write(folder / "float64.safetensors", found)
        tensor_files.write(folder / "inputs64.safetensors",
                           {name: noise.in_type(tensor, torch.float64) for name, tensor in tensors.items()})

    def _of(self, name):
        """The reference as it is run in that set."""
        return dataclasses.replace(self.reference, training=name not in (carried.EVAL, "control_eval"))

    def _exact(self, folder):
        tensors = tensor_files.read(folder / "inputs.safetensors")
        found = self._of(folder.name).run(tensors)
        same = {name: tensor for name, tensor in found.items() if name.startswith("after.")
                and (not tensor.is_floating_point() or torch.equal(tensor, tensors[name.removeprefix("after.")]))}
        tensor_files.write(folder / "exact.safetensors", same)

    def _witness(self, folder):
        tensors = tensor_files.read(folder / "inputs.safetensors")
        found, sentences = noise.witness(self._of(folder.name), tensors, self.spec["seed"])
        tensor_files.write(folder / "witness.safetensors", renamed(found, self.facts), renamed(sentences, self.facts))


def few_rows(tensors, inputs):
    """With four rows where all inputs and results have as many; otherwise as they are."""
    batched = [*inputs.own, *inputs.cotangents]
    rows = {tensors[name].shape[0] if tensors[name].dim() > 1 else 0 for name in batched}
    if len(rows) != 1 or rows == {0}:
        return tensors
    return {name: tensor[:4].contiguous() if name in batched else tensor for name, tensor in tensors.items()}


def renamed(tensors, facts):
    """With the results' own names."""
    own = {f"result{k}{end}": f"{name}{end}" for k, name in enumerate(facts["names"]) for end in ("", ".bound")}
    return {own.get(name, name): tensor for name, tensor in tensors.items()}


def main():
    processes.end_with_parent()
    spec, channel = json.loads(sys.stdin.readline()), int(sys.argv[1])

    def say(**message):
        os.write(channel, json.dumps(message).encode() + b"\n")

    try:
        ready = prepared(spec)
    except loading.Refused as error:
        return say(refused=str(error))
    say(facts=ready.facts)
    for line in sys.stdin:
        say(answered=ready.answer(**json.loads(line)))


if __name__ == "__main__":
    main()
