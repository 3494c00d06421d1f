# SPDX-License-Identifier: Apache-2.0
"""How an operator is called as a line. A plan is the content of a mapping file (docs/bring-your-own.md):

    {"op": "mine::fused", "arguments": {"x": "x", "mean": "mean -> new_mean", "out": "-> y", "eps": "y.eps"},
     "returns": ["y", null], "backward": {"op": ..., "arguments": {"dy": "dy", "rstd": "return 1"}, "returns": ["d_x"]}}

"x -> y": the operator is given x, and what it makes of that memory is y; backward's "-> d_x" likewise.
"d_x d_residual": one result that is the gradient of both.
"""
import json
import pathlib

from gradproof.candidate.loading import Refused
from gradproof.candidate.matching import NUMBERS, OPEN, Arguments, base, becoming, is_open, nearest

# Keys of a plan that is a mapping, and their types. A plan's backward has the same keys without `backward`.
KEYS = {"op": str, "arguments": dict, "returns": list, "backward": dict}


def has_autograd(keys):
    """Of an operator's registered dispatch keys."""
    return any(key.startswith("Autograd") or key == "CompositeImplicitAutograd" for key in keys)


def device_of(schema, wanted):
    """Where the operator is judged: where it is wanted, else on the CPU wherever it has a kernel for it."""
    keys = schema["keys"]
    if wanted and wanted.upper() not in keys and not any(key.startswith("Composite") for key in keys):
        raise Refused(f"--device: {schema['name']} has no kernel for '{wanted}'; it has: {' '.join(keys) or 'none'}")
    return wanted or ("cuda" if "CUDA" in keys and "CPU" not in keys else "cpu")


def read_mapping(path):
    """Empty where there is none."""
    try:
        return _checked(json.loads(pathlib.Path(path).read_text()), KEYS) if path else {}
    except ValueError as error:
        raise Refused(f"'{path}' is no JSON: {error}") from None


def _checked(said, known):
    for key, value in said.items() if isinstance(said, dict) else [("", said)]:
        if not isinstance(value, known.get(key, ())):
            raise Refused(f"a mapping is an object with {' '.join(known)}; not '{key}': {json.dumps(value)}")
    if "backward" in said:
        _checked(said["backward"], {key: kind for key, kind in known.items() if key != "backward"})
    for name in said.get("returns", []):
        if not (name is None or isinstance(name, str)):
            raise Refused(f"'returns' of a mapping are names or null, not {json.dumps(name)}")
    return said


def require_known(what, names, known):
    for name in names:
        if name not in known:
            raise Refused(f"the mapping names the {what} '{name}'; the line has: {' '.join(known)}{nearest(name, known)}")


class Forward:
    """buffers: outputs that are a tensor of the line behind the step, and those tensors. said: a mapping."""

    def __init__(self, schema, line, buffers, values):
        self.schema, self.line, self.buffers = schema, line, buffers
        self.arguments = Arguments(schema, line.inputs, values)

    def plan(self, said):
        arguments = self.arguments
        arguments.take_said(said.get("arguments", {}))
        require_known("output", arguments.made(), self.line.outputs)
        self._take_changed()
        arguments.take_tensors()
        self.returns = said.get("returns") or self._returns([name for name in self.line.outputs if name not in arguments.made()])
        self._place_missing()
        arguments.take_tensors(changed=True)
        arguments.take_numbers()
        plan = {"op": self.schema["name"], "arguments": arguments.settle(), "returns": self.returns}
        if not still_open(plan):
            self._require_whole()
        return plan

    def _take_changed(self):
        """Arguments that the operator changes, and that are called as an output or as a tensor."""
        becomes = {tensor: output for output, tensor in self.buffers.items()}
        for name in self.arguments.tensors_left(changed=True):
            if name in self.line.outputs:
                self.arguments.take(name, f"-> {name}")
            elif name in self.line.inputs:
                self.arguments.take(name, f"{name} -> {becomes[name]}" if name in becomes else name)

    def _returns(self, outputs):
        """What each returned tensor is: by its name where all outputs are named, else in the outputs' order."""
        names = [of["name"] for of in self.schema["returns"]]
        if all(output in names for output in outputs):
            return [name if name in outputs else None for name in names]
        return [*outputs, *[None] * len(names)][:len(names)]

    def _missing(self):
        return [name for name in self.line.outputs if name not in self.returns and name not in self.arguments.made()]

    def _place_missing(self):
        """Outputs that are not returned: what a changed argument becomes, or a buffer that is changed and not declared so."""
        arguments, missing = self.arguments, self._missing()
        changed = [a["name"] for a in self.schema["arguments"] if a["changed"]
                   and becoming(arguments.found.get(a["name"]))[1] is None and not is_open(arguments.found.get(a["name"]))]
        choices = {}
        for name in changed if missing else ():
            given = [arguments.found[name]] if name in arguments.found else arguments.unused() or [""]
            choices[name] = [f"{tensor} -> {output}".strip() for tensor in given for output in missing]
        for name, texts in choices.items():
            arguments.take(name, texts[0] if len(choices) == len(texts) == 1 else OPEN + " or ".join(texts))
        for output in missing if not changed else ():
            for name, value in arguments.found.items():
                if output in self.buffers and value == self.buffers[output]:
                    arguments.found[name] = f"{value} -> {output}"

    def _require_whole(self):
        missing, unused = self._missing(), self.arguments.unused()
        if missing:
            raise Refused(f"{self.schema['name']} returns {len(self.schema['returns'])} results, and none of its arguments "
                          f"becomes '{missing[0]}'; the line has the outputs {' '.join(self.line.outputs)}")
        if unused:
            raise Refused(f"the line's tensor '{unused[0]}' is no argument of {self.schema['text']}")


def backward_plan(schema, line, forward, said, values):
    """forward: the schema whose results backward may ask for."""
    named = [of["name"] or f"return {k}" for k, of in enumerate(forward["returns"])]
    known = dict.fromkeys([*line.cotangents.values(), *line.inputs, *line.outputs, *named])
    arguments = Arguments(schema, known, values)
    arguments.take_said(said.get("arguments", {}))
    for name in arguments.tensors_left(changed=False):
        if name in known:
            arguments.take(name, name)
    left = [name for name in line.cotangents.values() if name in arguments.unused()]
    if len(arguments.tensors_left(changed=False)) == 1 and len(left) == 1:
        arguments.take(arguments.tensors_left(changed=False)[0], left[0])
    arguments.take_numbers()
    gradients = [gradient for gradient in line.gradients.values() if gradient]
    said_gradients = [name for names in said.get("returns", []) if names and not is_open(names) for name in names.split()]
    require_known("gradient", [*arguments.made(), *said_gradients], gradients)
    _take_memory(arguments, gradients)
    left = [gradient for gradient in gradients if gradient not in arguments.made()]
    return {"op": schema["name"], "arguments": arguments.settle(), "returns": said.get("returns") or _gradients(schema, left)}


def _take_memory(arguments, gradients):
    """What backward changes: a gradient or a tensor of its name, else the only gradient where none is returned."""
    for name in arguments.tensors_left(changed=True):
        if name in gradients or name in arguments.tensors:
            arguments.take(name, f"-> {name}" if name in gradients else name)
    changed = arguments.tensors_left(changed=True)
    choices = [f"-> {gradient}" for gradient in gradients if gradient not in arguments.made()]
    for name in changed:
        is_clear = len(changed) == len(choices) == 1 and not arguments.schema["returns"]
        arguments.take(name, choices[0] if is_clear else OPEN + (" or ".join(choices) or "no gradient is left for it"))


def _gradients(schema, gradients):
    names = [of["name"] for of in schema["returns"]]
    if all(name in gradients for name in names):
        return names
    return gradients if len(names) == len(gradients) else [OPEN + " or ".join([*gradients, "null"])] * len(names)


def still_open(plan):
    """Arguments and results of which only choices are known."""
    found = {**plan["arguments"], **{f"return {k}": value for k, value in enumerate(plan["returns"])}}
    return {name: value for name, value in found.items() if is_open(value)}


def not_judged(plan, schema):
    """Notes of results and of changed arguments that the line says nothing of."""
    notes = [f"not judged: result {k} of {plan['op']}" for k, name in enumerate(plan["returns"]) if not name]
    if any(of["alias"] for of in schema["returns"]):  # what the argument becomes is returned
        return notes
    return notes + [f"not judged: what '{a['name']}' of {plan['op']} becomes" for a in schema["arguments"]
                    if a["changed"] and becoming(plan["arguments"].get(a["name"]))[1] is None]


def require_complete(plan, schemas, values):
    """The plan with its numbers in place of their names. Raises Refused for what is open or unknown."""
    for name, value in still_open(plan).items():
        raise Refused(f"'{name}' of {plan['op']} is not clear: {value.removeprefix(OPEN)}; 'gradproof describe' with the same "
                      "--op and --pipeline writes a mapping to correct, for --mapping")
    arguments = dict(plan["arguments"])
    for a in schemas[plan["op"]]["arguments"]:
        value = arguments.get(a["name"])
        if isinstance(value, str) and base(a["kind"]) in NUMBERS and (base(a["kind"]) != "str" or value in values):
            if len(set(values.get(value, []))) != 1:
                raise Refused(f"'{a['name']}' of {plan['op']} is the number '{value}'; the line has: {' '.join(values) or 'none'}"
                              + nearest(value, values))
            arguments[a["name"]] = values[value][0]
    whole = {**plan, "arguments": arguments}
    return {**whole, "backward": require_complete(plan["backward"], schemas, values)} if "backward" in plan else whole
