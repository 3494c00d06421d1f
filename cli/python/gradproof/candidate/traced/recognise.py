# SPDX-License-Identifier: Apache-2.0
"""A model of torch as a line of mathematics (docs/graphs.md), where torch.fx can trace it and each operation has a stage."""
import dataclasses
import re

import torch

from gradproof import tensor_files
from gradproof.candidate import loading
from gradproof.candidate.traced import attention, modules, operations, tracing, views
from gradproof.candidate.traced.operations import Unknown

# The arguments beside tensors that a line has as they are.
NUMBERS = (int, float, str, type(None))
AXES = {0: (), 1: ("cols",), 2: ("rows", "cols"), 3: ("n", "c", "l"), 4: ("n", "c", "h", "w"), 5: ("n", "c", "d", "h", "w")}


@dataclasses.dataclass
class Value:
    """A tensor or a step of the line, and of each of its dimensions the axis; None: of length 1, which the line has not."""
    name: str
    axes: list


class Writer:
    """Steps of a line in the order in which they are computed."""

    def __init__(self, state, given):
        """given: the arguments that are tensors, by name."""
        self.state, self.given = state, given
        self.names = {*state, *given}
        self.steps = []
        self.buffers = {}   # outputs that are buffers behind the step: by the name in the line that in the state
        self.extents = {}
        self.tensors = {}
        self.truths = set()  # names of what has truth values
        self.fixed = set()   # names of tensors that torch asks for no gradient of
        self.count = 0

    def axis(self, base, extent):
        """A new axis, with the name of no other and of no tensor."""
        name, k = base, 2
        while name in self.extents or name in self.names:
            name, k = f"{base}{k}", k + 1
        self.extents[name] = extent
        return name

    def tensor(self, name, axes):
        """An input or a member of the state."""
        known = self.tensors.setdefault(name, Value(name, list(axes)))
        if known.axes != list(axes):
            raise Unknown(f"'{name}' is used over other axes a second time")
        return known

    def step(self, call, axes, name=None, order=()):
        """`order` has the axes of a value where they stand in another order than the stage leaves them in."""
        self.count += 1
        while not name and f"v{self.count}" in self.names:
            self.count += 1
        name = name or f"v{self.count}"
        self.steps.append(f"{name}{_order_text(order)} = {call}")
        return Value(name, list(axes))

    def text(self, outputs):
        """The line; a tensor's axes stand behind its first use. Nobody asks for the gradient of a buffer."""
        line = "; ".join(self.used_by([*outputs, *self.buffers]))
        for value in self.tensors.values():
            axes = ",".join(axis for axis in value.axes if axis)
            text = f"{value.name}[{axes}]"
            if self.is_fixed(value.name):
                text = f"fixed({text})"
            line = re.sub(rf"(?<![\w.]){re.escape(value.name)}(?![\w.(=])", text, line, count=1)
        return f"{line}; outputs {' '.join([*outputs, *self.buffers])}"

    def is_fixed(self, name):
        """True for a buffer that is no running statistic, and for an argument of truth values, of numbers of 8 bits, or that no
        gradient is asked for."""
        if name in self.fixed or name in self.given and (name in self.truths or tensor_files.is_of_8_bits(self.given[name])):
            return True
        tensor = self.state.get(name)
        return (tensor is not None and not isinstance(tensor, torch.nn.Parameter) and tensor.is_floating_point()
                and not name.endswith(("running_mean", "running_var")))

    def used_by(self, outputs):
        """The steps that outputs need: a constant mask replaces what computes it."""
        wanted, kept = set(outputs), []
        for step in reversed(self.steps):
            head, _, call = step.partition(" = ")
            if head.partition("[")[0] in wanted:
                kept.insert(0, step)
                wanted |= set(re.findall(r"[A-Za-z_][\w.]*", call))
        return kept


def _order_text(order):
    return f"[{','.join(order)}]" if order else ""


def line_of(call, own, arguments, outputs):
    """{"line": TEXT}, or {"why"}: which part has no line."""
    try:
        return _line(call, own, arguments, outputs)
    except Unknown as error:
        return {"why": str(error)}
    except Exception as error:  # of torch.fx: a branch on a tensor's values, a loop over its size, ...
        return {"why": f"torch.fx cannot trace it: {str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__}"}


def _line(call, own, arguments, outputs):
    if any(not argument["tensor"] and not isinstance(argument["value"], NUMBERS) for argument in arguments):
        raise Unknown("an argument is neither a tensor nor a number")
    given = [own[argument["name"]].clone() if argument["tensor"] else argument["value"] for argument in arguments]
    state = loading.state_of(call)
    before = {name: tensor.detach().clone() for name, tensor in state.items()}
    try:
        graph = tracing.traced(call, state, given)
    finally:
        with torch.no_grad():
            for name, tensor in state.items():
                tensor.copy_(before[name])
    tensors = {argument["name"]: own[argument["name"]] for argument in arguments if argument["tensor"]}
    return _written(graph, Writer(state, tensors), list(tensors), outputs)


def _written(graph, writer, names, outputs):
    values, inputs = {}, iter(names)
    for node in graph.graph.nodes:
        if node.op == "placeholder":
            values[node] = _input(writer, next(inputs), operations.shape_of(node))
        elif node.op == "get_attr":
            values[node] = operations.member(writer, graph, node.target)
        elif node.op == "output":
            return _end(writer, node, values, outputs)
        elif node.op == "call_module":
            placed = {one: _placed(writer, values[one]) for one in dict.fromkeys(node.args) if one in values}
            module, arguments = graph.get_submodule(node.target), [placed.get(one, one) for one in node.args]
            if isinstance(module, torch.nn.MultiheadAttention):
                keywords = {key: values.get(one, one) for key, one in node.kwargs.items()}
                values[node] = attention.of_module(writer, module, node.target, arguments, keywords)
            else:
                values[node] = modules.written(writer, module, node.target, arguments[0])
        elif operations.CONSTANT in node.meta:
            values[node] = operations.Constant(node.meta[operations.CONSTANT])
        else:
            values[node] = operations.written(writer, node, values)
            if _is_in_place(node):
                values[node.args[0]] = values[node]
        if node.meta.get(operations.TRUTHS) and hasattr(values.get(node), "name"):
            writer.truths.add(values[node].name)
        _note_extents(writer, values.get(node), operations.shape_of(node))
    raise Unknown("it returns nothing")


def _is_in_place(node):
    """True for x.relu_() and its kin, and with inplace=True: what x is from here on is the result."""
    word = node.target if isinstance(node.target, str) else getattr(node.target, "__name__", "")
    plain = word.rstrip("_")
    is_operator = node.op == "call_function" and plain.startswith("i") and plain[1:] in operations.BINARY
    return (node.op == "call_method" and word.endswith("_") and not word.startswith("__")) or node.kwargs.get("inplace") is True or is_operator


def _placed(writer, value):
    return views.placed(writer, value) if isinstance(value, operations.Moved) else value


def _note_extents(writer, value, shape):
    """Those of axes that a window left."""
    if isinstance(value, Value) and shape is not None and len(shape) == len(value.axes):
        for axis, extent in zip(value.axes, shape):
            if axis:
                writer.extents.setdefault(axis, extent)


def _input(writer, name, shape):
    if len(shape) not in AXES:
        raise Unknown(f"'{name}' has {len(shape)} axes")
    # A second input of the same shape has the same axes; of another it is joined where it is used.
    if not writer.extents:
        return writer.tensor(name, [writer.axis(axis, extent) for axis, extent in zip(AXES[len(shape)], shape)])
    return operations.Parameter(name, shape)


def _end(writer, node, values, outputs):
    results = node.args[0] if isinstance(node.args[0], (tuple, list)) else [node.args[0]]
    names = []
    if len(set(results)) != len(results):
        raise Unknown("it returns one value twice")
    for result, name in zip(results, outputs):
        value = values[result]
        if isinstance(value, operations.Moved):
            value = views.placed(writer, value)
        if not isinstance(value, Value):
            raise Unknown("it returns what it was given")
        for k, step in enumerate(writer.steps):
            head, _, rest = step.partition(" = ")
            made, bracket, order = head.partition("[")
            if made == value.name:
                writer.steps[k] = f"{name}{bracket}{order} = {rest}"
            elif value.name in rest:
                writer.steps[k] = f"{head} = {operations.renamed(rest, value.name, name)}"
        names.append(name)
    return {"line": writer.text(names)}
