# SPDX-License-Identifier: Apache-2.0
"""Which argument of an operator is which tensor or number of a line: by name, else where a kind fits exactly one.

A schema is what schemas.py says of an operator. What is found is texts, as a mapping file has them (plans.py).
"""
import difflib
import json

from gradproof.candidate.loading import Refused

OPEN = "?: "  # before the choices of what only a person knows
# The kind of an argument that is several tensors; which they are a mapping says.
LIST = "List[Tensor]"
# Kinds of arguments that are numbers or words of a line.
NUMBERS = {"float": (float,), "int": (int,), "SymInt": (int,), "number": (float, int), "str": (str,)}
# What a mapping may give one of a kind.
KINDS = {**{kind: (*types, int, str) if kind != "str" else types for kind, types in NUMBERS.items()}, "bool": (bool,)}


def base(kind):
    """"Tensor" of "Optional[Tensor]"."""
    return kind.removeprefix("Optional[").removesuffix("]") if kind.startswith("Optional[") else kind


def nearest(name, known):
    close = difflib.get_close_matches(name, known, 1)
    return f"; did you mean '{close[0]}'?" if close else ""


def is_open(value):
    return isinstance(value, str) and value.startswith(OPEN)


def becoming(value):
    """("x", "y") of "x -> y": the tensor that an argument is given, and what it makes of that memory; None without an arrow."""
    if not isinstance(value, str) or is_open(value):
        return "", None
    source, arrow, output = value.partition("->")
    return source.strip(), output.strip() if arrow else None


def values_of(line, sizes):
    """Numbers of a line by their names, "eps" and "y.eps", and its sizes by those of axes. Of a name there may be several."""
    values = {}
    for step, word, value in line.numbers:
        values.setdefault(word, []).append(value)
        values.setdefault(f"{step}.{word}", []).append(value)
    for axis, size in sizes.items():
        values.setdefault(axis, []).append(size)
    return values


class Arguments:
    """Of one operator. tensors: names that it may be given; values: values_of()."""

    def __init__(self, schema, tensors, values):
        self.schema = schema
        self.tensors = list(tensors)
        self.values = values
        self.found = {}
        self.left = {argument["name"]: argument for argument in schema["arguments"]}

    def take(self, name, value):
        self.found[name] = value
        self.left.pop(name, None)

    def tensors_left(self, changed):
        """Arguments that are tensors and not found; changed: those that the schema declares so, or the others."""
        return [name for name, a in self.left.items() if base(a["kind"]) == "Tensor" and a["changed"] == changed]

    def made(self):
        """Names of what arguments that are tensors become."""
        pairs = [becoming(self.found.get(a["name"])) for a in self.schema["arguments"] if base(a["kind"]) == "Tensor"]
        return [name for _, output in pairs if output is not None for name in output.split() or [""]]

    def unused(self):
        used = {becoming(value)[0] for value in self.found.values()}
        used.update(name for a in self.schema["arguments"] if base(a["kind"]) == LIST for name in self._listed(a["name"]))
        return [name for name in self.tensors if name not in used]

    def _listed(self, name):
        value = self.found.get(name)
        return value if isinstance(value, list) else []

    def take_said(self, said):
        """What a mapping says."""
        for name, value in said.items():
            if name not in self.left:
                known = [a["name"] for a in self.schema["arguments"]]
                raise Refused(f"the mapping names the argument '{name}'; {self.schema['name']} has: {' '.join(known)}"
                              + nearest(name, known))
            if base(self.left[name]["kind"]) == "Tensor":
                self._require_tensor(name, value)
            elif base(self.left[name]["kind"]) == LIST:
                self._require_list(name, value)
            else:
                self._require_number(name, value)
            self.take(name, value)

    def _refuse(self, name, value, says):
        raise Refused(f"the mapping gives '{name}' of {self.schema['name']} {json.dumps(value)}; {says}")

    def _require_tensor(self, name, value):
        may_be_none = self.left[name]["kind"].startswith("Optional")
        if not isinstance(value, str) and (value is not None or not may_be_none):
            self._refuse(name, value, f"a tensor is a name{' or null' if may_be_none else ''}")
        source, _ = becoming(value)
        if source not in ("", *self.tensors):
            raise Refused(f"the mapping gives '{name}' of {self.schema['name']} the tensor '{source}'; there are: "
                          f"{' '.join(self.tensors)}{nearest(source, self.tensors)}")

    def _require_list(self, name, value):
        if not isinstance(value, list) or not all(one in self.tensors for one in value):
            self._refuse(name, value, f"a list of tensors is one of their names; there are: {' '.join(self.tensors)}")

    def _require_number(self, name, value):
        """Of a kind that NUMBERS has: one, or the name of a number of the line."""
        kind = base(self.left[name]["kind"])
        types = KINDS[kind] if kind in KINDS else (list,) if kind.startswith("List[") else (type(value),)
        if type(value) not in types and (value is not None or kind == self.left[name]["kind"]):
            self._refuse(name, value, f"it is {kind}" + (", or the name of a number of the line" if kind in NUMBERS else ""))

    def take_tensors(self, changed=False):
        """By name, then the one that is left for the one that is left; those that may be None come last."""
        for name in self.tensors_left(changed):
            if name in self.tensors:
                self.take(name, name)
        required = [name for name in self.tensors_left(changed) if not self.left[name]["kind"].startswith("Optional")]
        for group in (required, self.tensors_left(changed)):
            if len(group) == 1 and len(self.unused()) == 1 and group[0] in self.left:
                self.take(group[0], self.unused()[0])

    def take_numbers(self):
        for name, argument in list(self.left.items()):
            if len(self._fitting(argument["kind"], [name])) == 1:
                self.take(name, name)
        for kind in NUMBERS:
            texts = {value for value in self.found.values() if isinstance(value, str)}
            group = [name for name, a in self.left.items() if base(a["kind"]) == kind]
            free = [key for key in self.values if "." in key and not {key, key.rpartition(".")[2]} & texts]
            choices = self._fitting(kind, free)
            if len(group) == 1 and len(choices) == 1:
                self.take(group[0], choices[0])

    def _fitting(self, kind, keys):
        """Of the names those that are one number of the kind."""
        types = NUMBERS.get(base(kind), ())
        return [key for key in keys if len(set(self.values.get(key, []))) == 1 and isinstance(self.values[key][0], types)]

    def settle(self):
        """Defaults, and a text of choices for what is not found then."""
        for name, argument in list(self.left.items()):
            kind = base(argument["kind"])
            if kind == "Tensor":
                optional = argument["kind"] != kind and not self.unused()
                self.take(name, None if optional else OPEN + (" or ".join(self.unused()) or "no tensor is left for it"))
            elif kind == LIST:
                self.take(name, f"{OPEN}a list of {' '.join(self.unused()) or 'no tensor that is left'}")
            elif not argument["default"]:
                choices = self._fitting(kind, list(self.values))
                self.take(name, f"{OPEN}{' or '.join(choices) or 'the line has none'} ({kind})")
        return {a["name"]: self.found[a["name"]] for a in self.schema["arguments"] if a["name"] in self.found}
