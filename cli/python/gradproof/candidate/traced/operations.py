# SPDX-License-Identifier: Apache-2.0
"""Operations of torch as stages of docs/graphs.md: nodes of torch.fx to steps of a line."""
import dataclasses
import operator
import re

import torch


class Unknown(Exception):
    """An operation or a setting of it that no stage has."""


@dataclasses.dataclass
class Parameter:
    """A tensor that no step has used yet: its axes follow from what it meets."""
    name: str
    shape: list


@dataclasses.dataclass
class Constant:
    """A tensor that no input and no parameter changes."""
    tensor: object


@dataclasses.dataclass
class Moved:
    """A tensor or value whose dimensions stand in another order: dimension k is number order[k] of what it is of."""
    of: object
    order: list


# Words of torch for stages of one operand without a setting.
PLAIN = {"relu": "relu", "sigmoid": "sigmoid", "tanh": "tanh", "silu": "silu", "mish": "mish", "hardswish": "hardswish",
         "abs": "abs", "neg": "neg", "square": "square", "exp": "exp", "log": "log", "log1p": "log1p", "sqrt": "sqrt", "erf": "erf",
         "rsqrt": "rsqrt", "sin": "sin", "cos": "cos", "detach": "detach"}
BINARY = {"add": "add", "sub": "subtract", "subtract": "subtract", "mul": "multiply", "multiply": "multiply",
          "truediv": "divide", "div": "divide", "divide": "divide", "minimum": "minimum", "maximum": "maximum"}
REDUCED = {"sum": "sum", "mean": "mean", "amax": "max", "amin": "min", "max": "max", "min": "min", "logsumexp": "logsumexp"}
# In a node's meta the shape of its result: recognise.py writes it.
SHAPE = "gradproof_shape"
# There too: a tensor that no input and no parameter changes.
CONSTANT = "gradproof_constant"
# There too: it has truth values.
TRUTHS = "gradproof_truths"
# A cast says in which type something is computed, not what.
CASTS = ("float", "double", "half", "bfloat16", "to", "type_as", "type")
# To one of these it says that too.
ROUNDED = {torch.float8_e4m3fn: "f8e4m3", torch.float8_e5m2: "f8e5m2"}
SAME = (*CASTS, "clone", "contiguous", "Identity", "Dropout", "Dropout1d", "Dropout2d", "Dropout3d")


# torch takes these names of arguments beside its own.
NAMES_OF_NUMPY = {"axis": "dim", "keepdims": "keepdim", "x": "input", "x2": "other"}


def renamed(text, old, new):
    return re.sub(rf"(?<![\w.]){re.escape(old)}(?![\w])", new, text)


def member(writer, graph, path):
    """A parameter, a buffer, or a constant that the tracing made; one of a single number is that number."""
    tensor = operator.attrgetter(path)(graph)
    if path in writer.state:
        return Parameter(path, list(tensor.shape))
    return tensor.item() if tensor.numel() == 1 else Constant(tensor)


def written(writer, node, values):
    """The value that a call of a function or a method makes; its step stands in the line."""
    arguments = [_value_of(a, values) for a in node.args]
    keywords = {NAMES_OF_NUMPY.get(key, key): _value_of(a, values) for key, a in node.kwargs.items() if key != "inplace"}
    word = (node.target if node.op == "call_method" else node.target.__name__.partition(".")[0]).rstrip("_")
    word = word[1:] if word.startswith("i") and word[1:] in BINARY else word
    word = "hardtanh" if word == "clamp" else word
    of_tensor = bool(node.args) and isinstance(node.args[0], torch.fx.Node) and SHAPE in node.args[0].meta
    return stage_of(Call(writer, word, arguments, keywords, shape_of(node), of_tensor, node.op == "call_method"))


def _value_of(argument, values):
    if isinstance(argument, (list, tuple)):
        values_of = [_value_of(one, values) for one in argument]
        return tuple(values_of) if isinstance(argument, tuple) else values_of
    return values.get(argument, argument) if isinstance(argument, torch.fx.Node) else argument


def shape_of(node):
    return list(node.meta[SHAPE]) if SHAPE in node.meta else None


@dataclasses.dataclass
class Call:
    writer: object
    word: str
    arguments: list
    keywords: dict
    shape: list
    of_tensor: bool = False  # its first argument is a tensor, no tuple of them
    is_method: bool = False

    def option(self, place, name, default):
        return self.arguments[place] if len(self.arguments) > place else self.keywords.get(name, default)

    @property
    def x(self):
        return self.arguments[0] if self.arguments else self.keywords.get("input")


def stage_of(call):
    word, writer = call.word, call.writer
    narrow = next((ROUNDED[one] for one in (*call.arguments, *call.keywords.values()) if isinstance(one, torch.dtype) and one in ROUNDED), None)
    if word in CASTS and narrow:
        return writer.step(f"round_to({call.x.name}, to={narrow}, overflow=special)", call.x.axes)
    if word in ("min", "max") and ("other" in call.keywords or not isinstance(call.option(1, "dim", None), (int, type(None)))):
        word = f"{word}imum"  # of two tensors
    if word in BINARY and "other" in call.keywords:
        rest = {key: value for key, value in call.keywords.items() if key not in ("input", "other")}
        call = dataclasses.replace(call, arguments=[call.x, call.keywords["other"]], keywords=rest)
    if word == "getattr" and call.arguments[1] in ("dtype", "device"):
        return None  # of a cast
    if word == "tensor" and isinstance(call.x, (int, float)):
        return call.x
    from gradproof.candidate.traced import products  # which has this module's words
    if word in products.MOVES:
        return products.moved(call)
    if word == "getattr" and call.arguments[1] in ("T", "mT"):
        return products.moved(dataclasses.replace(call, word="transpose", arguments=[call.x, -2, -1]))
    if word == "matmul" and hasattr(call.x, "axes") and _is_weight(call.arguments[1]):
        return linear(writer, call.x, call.arguments[1].of)
    if word in products.PRODUCTS:
        return products.product(call)
    from gradproof.candidate.traced import chosen
    if word in chosen.CHOICES:
        return chosen.CHOICES[word](call)
    from gradproof.candidate.traced import views
    if word in views.VIEWS:
        return views.VIEWS[word](call)
    if word == "getitem" and isinstance(call.x, tuple):
        return call.x[call.arguments[1]]
    if word == "getattr" and isinstance(call.x, tuple):
        return call.x[("values", "indices").index(call.arguments[1])]
    if word == "getitem" and isinstance(call.x, views.Parts):
        return views.part(call, call.x)
    if word == "getitem" and call.of_tensor:
        return views.indexed(call)
    if any(isinstance(argument, Moved) for argument in call.arguments):
        call = dataclasses.replace(call, arguments=[views.placed(writer, a) if isinstance(a, Moved) else a for a in call.arguments])
    if word in BINARY and any(isinstance(argument, Constant) for argument in call.arguments):
        return chosen.with_constant(call, BINARY[word])
    if word in BINARY:
        return binary(call, BINARY[word])
    if isinstance(call.x, Constant):
        raise Unknown("a constant tensor")
    if isinstance(call.x, Parameter) and word in SAME:
        return call.x
    if isinstance(call.x, Parameter):
        call = dataclasses.replace(call, arguments=[views.placed(writer, call.x), *call.arguments[1:]])
    from gradproof.candidate.traced import convolutions, pools
    from gradproof.candidate.traced.composed import COMPOSED
    from gradproof.candidate.traced.functional import FUNCTIONS  # all have this module's words
    if convolutions.WORDS.fullmatch(word):
        return convolutions.called(call)
    if pools.WORDS.fullmatch(word):
        return pools.called(call)
    if word == "dropout" and not call.option(2, "training", True):
        return call.x
    if word in FUNCTIONS or word in COMPOSED:
        return (FUNCTIONS.get(word) or COMPOSED[word])(call)
    x = call.x
    if word == "getitem" and call.arguments[1] != 0:
        raise Unknown("it takes indices of a maximum")
    if word in (*SAME, "getitem") or (word == "getattr" and call.arguments[1] == "values"):
        return x
    if word in PLAIN:
        return writer.step(f"{PLAIN[word]}({x.name})", x.axes)
    if word in REDUCED:
        return _reduced(writer, call, REDUCED[word], call.option(2, "keepdim", False))
    if word == "var":
        return _variance(writer, call)
    if word in ("unsqueeze", "squeeze"):
        return _reshaped(call, x)
    if word in OPTIONED:
        return writer.step(OPTIONED[word](call, x.name), x.axes)
    if word in ("softmax", "log_softmax"):
        dim = call.option(1, "dim", None)
        return writer.step(f"{word}({x.name}, {axes_text(x, [dim])})", x.axes)
    if word == "adaptive_avg_pool2d":
        return to_one(writer, x, call.option(1, "output_size", None), 2)
    raise Unknown(f"{word} has no stage")


OPTIONED = {
    "leaky_relu": lambda c, x: f"leaky_relu({x}, slope={number(c.option(1, 'negative_slope', 0.01))})",
    "gelu": lambda c, x: f"gelu({x}, approximate={c.keywords.get('approximate', 'none')})",
    "softplus": lambda c, x: f"softplus({x})" if len(c.arguments) == 1 and not c.keywords else refuse("softplus' beta"),
    "hardtanh": lambda c, x: clamped(x, c.option(1, "min", c.keywords.get("min_val")), c.option(2, "max", c.keywords.get("max_val"))),
}


def refuse(what):
    raise Unknown(f"{what} has no stage")


def clamped(x, least, most):
    if least is not None and most is not None:
        return f"hardtanh({x}, min={number(least)}, max={number(most)})"
    return f"maximum({x}, {number(least)})" if most is None else f"minimum({x}, {number(most)})"


def number(value):
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise Unknown(f"{type(value).__name__} where a number is wanted")
    return repr(float(value)) if isinstance(value, float) else str(value)


def axes_text(x, dims):
    """Those of a value by their places. A dimension of length 1 has none: a sum over it is over one element."""
    names = [x.axes[dim] for dim in dims]
    if any(name is None for name in names):
        raise Unknown("it works over a dimension of length 1")
    return ", ".join(names)


def binary(call, stage):
    writer, (a, b) = call.writer, call.arguments[:2]
    if call.keywords:
        raise Unknown(f"{call.word} with {' '.join(call.keywords)}")
    a, b = (writer.tensors.get(one.name, one) if isinstance(one, Parameter) else one for one in (a, b))
    if isinstance(a, Parameter) and isinstance(b, Parameter):
        raise Unknown("two tensors meet that no step has used")
    from gradproof.candidate.traced import views
    if isinstance(a, Parameter) and not hasattr(b, "axes"):
        a = views.placed(writer, a)
    if isinstance(b, Parameter) and not hasattr(a, "axes"):
        b = views.placed(writer, b)
    if not hasattr(a, "axes") and isinstance(a, (int, float)) and stage in ("add", "multiply"):
        a, b = b, a
    a, b = of_one_name(writer, a, b)
    axes = joined(writer, (a, b), call.shape)
    # The value of a line has the axes of its first operand, then those that the second adds.
    named = [[axis for axis in _axes_of(value, axes) if axis] for value in (a, b)]
    if named[0] + [axis for axis in named[1] if axis not in named[0]] != [axis for axis in axes if axis]:
        if stage not in ("add", "multiply", "minimum", "maximum"):
            raise Unknown(f"{call.word} makes axes in another order")
        a, b = b, a
    return writer.step(f"{stage}({operand(writer, a, axes)}, {operand(writer, b, axes)})", axes)


def of_one_name(writer, a, b):
    """Both, the second with the first's axes where dimensions of one length meet that have two."""
    if not hasattr(a, "axes") or not hasattr(b, "axes"):
        return a, b
    for own, other in zip(reversed(a.axes), reversed(list(b.axes))):
        if own and other and own != other and own not in b.axes:
            b = renamed_axis(writer, b, other, own)
    return a, b


def renamed_axis(writer, x, old, new):
    return writer.step(f"rename({x.name}, {old}, {new})", [new if axis == old else axis for axis in x.axes])


def joined(writer, values, shape):
    """The axes of what operands make, as they are broadcast."""
    axes = [None] * len(shape)
    for value in values:
        for place, axis in enumerate(reversed(getattr(value, "axes", []))):
            at = len(shape) - 1 - place
            if axis is not None and axes[at] not in (None, axis):
                raise Unknown("two different axes of one length meet")
            axes[at] = axis or axes[at]
    # An axis that only a tensor not used before has.
    for at, extent in enumerate(shape):
        if axes[at] is None and extent != 1:
            axes[at] = writer.axis("wide", extent)
    return axes


def _axes_of(value, axes):
    """Those of a joined value that an operand has."""
    if isinstance(value, Parameter):
        own = axes[len(axes) - len(value.shape):]
        return [axis if extent != 1 else None for axis, extent in zip(own, value.shape)]
    return getattr(value, "axes", [])


def operand(writer, value, axes):
    if isinstance(value, Parameter):
        return writer.tensor(value.name, _axes_of(value, axes)).name
    return value.name if hasattr(value, "axes") else number(value)


def _variance(writer, call):
    """torch.var(x, dim, *, correction=1, keepdim=False), var(x, dim, unbiased, keepdim) or var(x, unbiased)."""
    if isinstance(call.option(1, "dim", None), bool):
        call = dataclasses.replace(call, arguments=[call.x, None, call.arguments[1]])
    unbiased = call.option(2, "unbiased", True)
    correction = call.keywords.get("correction", 1 if unbiased else 0)
    return _reduced(writer, call, "var", call.option(3, "keepdim", False), f", correction={number(correction)}")


def _reduced(writer, call, stage, kept, more=""):
    x, dims = call.x, call.option(1, "dim", None)
    dims = range(len(x.axes)) if dims is None else dims if isinstance(dims, (tuple, list)) else [dims]
    dims = [dim % len(x.axes) for dim in dims]
    axes = [None if k in dims else axis for k, axis in enumerate(x.axes)]
    names = [x.axes[dim] for dim in dims if x.axes[dim]]
    # Over a dimension of length 1 that an earlier reduction left, the line names the axis that is gone.
    gone = [axis for axis in writer.extents if axis not in x.axes][:1] if not names else []
    if not names and not gone:
        raise Unknown(f"{stage} over a dimension of length 1")
    value = writer.step(f"{stage}({x.name}, {', '.join(names or gone)}{more})", axes)
    if not kept:
        value.axes = [axis for k, axis in enumerate(axes) if k not in dims]
    return value


def _reshaped(call, x):
    dim, axes = call.option(1, "dim", None), list(x.axes)
    if call.word == "unsqueeze":
        axes.insert(dim if dim >= 0 else len(axes) + 1 + dim, None)
    elif dim is None:
        axes = [axis for axis in axes if axis]
    elif axes[dim] is None:
        del axes[dim]
    return dataclasses.replace(x, axes=axes)


def to_one(writer, x, size, count):
    if size not in (1, (1,) * count, [1] * count):
        raise Unknown("an adaptive pool to more than one number")
    names = [axis for axis in x.axes[-count:] if axis]
    if not names:  # it has one number there
        return x
    return writer.step(f"mean({x.name}, {', '.join(names)})", [*x.axes[:-count], *[None] * count])


def _is_weight(value):
    """True for the transpose of a matrix that no step has used: the weight of a linear."""
    return isinstance(value, Moved) and isinstance(value.of, Parameter) and value.order == [1, 0]


def linear(writer, x, weight, bias=None):
    """x through a matrix, a row for each output. One that a step has used has axes: the value's dimension takes the name."""
    known, other = (writer.tensors.get(one.name) if one else None for one in (weight, bias))
    out, inner = known.axes if known else (other.axes[0] if other else writer.axis("out", weight.shape[0]), x.axes[-1])
    if inner == out:  # the bias has been added to this value
        inner = writer.axis(inner, weight.shape[1])
    if x.axes[-1] != inner:
        if inner in x.axes or None in (inner, x.axes[-1]):
            raise Unknown(f"'{weight.name}' is used over other axes a second time")
        x = renamed_axis(writer, x, x.axes[-1], inner)
    if out in x.axes[:-1]:
        raise Unknown(f"'{weight.name}' makes an axis that its operand has")
    members = [writer.tensor(weight.name, [out, inner]).name, *([writer.tensor(bias.name, [out]).name] if bias else [])]
    return writer.step(f"linear({x.name}, {', '.join(members)})", [*x.axes[:-1], out])
