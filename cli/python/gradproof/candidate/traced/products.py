# SPDX-License-Identifier: Apache-2.0
"""Matrix products of torch as the stage `contract` of docs/graphs.md: matmul and its kin, einsum and attention without a mask."""
import dataclasses

from gradproof.candidate.traced.operations import Moved, Parameter, Unknown, number, renamed_axis

PRODUCTS = ("matmul", "mm", "bmm", "mv", "dot", "einsum", "scaled_dot_product_attention")
MOVES = ("transpose", "swapaxes", "permute", "t", "movedim")


@dataclasses.dataclass
class Factor:
    """An operand of a product: the tensor or value, and for each dimension its label and extent."""
    of: object
    labels: list
    shape: list


def product(call):
    if call.word == "einsum":
        return _einsum(call)
    if call.word == "scaled_dot_product_attention":
        return _attention(call)
    if len(call.arguments) != 2 or call.keywords:
        raise Unknown(f"{call.word} with {' '.join(call.keywords) or 'other arguments than two factors'}")
    a, b = call.arguments
    ranks = len(_shape(call.writer, a)), len(_shape(call.writer, b))
    batch = [f"batch{k}" for k in range(max(ranks) - 2, 0, -1)]
    labels = [[*(batch[len(batch) - (rank - 2):] if rank > 2 else []), *own] for rank, own in
              zip(ranks, (["k"] if ranks[0] == 1 else ["rows", "k"], ["k"] if ranks[1] == 1 else ["k", "out"]))]
    result = [*batch, *([] if ranks[0] == 1 else ["rows"]), *([] if ranks[1] == 1 else ["out"])]
    return contracted(call.writer, _factor(call.writer, a, labels[0]), _factor(call.writer, b, labels[1]), result)


def _einsum(call):
    equation, *operands = call.arguments
    if not isinstance(equation, str) or len(operands) != 2 or "." in equation or "->" not in equation:
        raise Unknown("einsum of other than two operands, or without '->'")
    factors, _, result = equation.replace(" ", "").partition("->")
    return contracted(call.writer, *(_factor(call.writer, value, list(labels)) for value, labels in zip(operands, factors.split(","))),
                      list(result))


def _attention(call):
    from gradproof.candidate.traced import chosen  # which has the words of views.py
    query, key, value = call.arguments[:3]
    if call.option(4, "dropout_p", 0.0) not in (0.0, None):
        raise Unknown("scaled_dot_product_attention with dropout_p")
    mask, is_causal = call.option(3, "attn_mask", None), call.option(5, "is_causal", False)
    writer, rank = call.writer, len(_shape(call.writer, query))
    if call.keywords.get("enable_gqa", False):
        key, value = (_for_each_head(writer, one, _shape(writer, query)[-3]) for one in (key, value))
    batch = [f"batch{k}" for k in range(rank - 2, 0, -1)]
    scores = contracted(writer, _factor(writer, query, [*batch, "rows", "d"]), _factor(writer, key, [*batch, "keys", "d"]),
                        [*batch, "rows", "keys"])
    scale = call.keywords.get("scale") or _shape(writer, query)[-1] ** -0.5
    scaled = writer.step(f"multiply({scores.name}, {number(scale)})", scores.axes)
    if is_causal or mask is not None:
        scaled = chosen.attention_mask(call, scaled, mask, is_causal)
    weights = writer.step(f"softmax({scaled.name}, {scaled.axes[-1]})", scaled.axes)
    return contracted(writer, _factor(writer, weights, [*batch, "rows", "keys"]), _factor(writer, value, [*batch, "keys", "out"]),
                      [*batch, "rows", "out"])


def _for_each_head(writer, value, heads):
    """Keys or values of which several heads share one, repeated for each of these, as their dimension of heads counts."""
    from gradproof.candidate.traced import views
    x = views.placed(writer, value)
    at, shared = len(x.axes) - 3, _shape(writer, x)[-3]
    if shared == heads:
        return x
    if shared == 1:
        return views.widened(writer, x, at, heads, "heads")
    wide = views.widened(writer, dataclasses.replace(x, axes=[*x.axes[:at + 1], None, *x.axes[at + 1:]]), at + 1, heads // shared, "repeated")
    joined = writer.axis("heads", heads)
    return writer.step(f"join({wide.name}, {x.axes[at]}, {wide.axes[at + 1]}, {joined})", [*x.axes[:at], joined, *x.axes[at + 1:]])


def moved(call):
    """A tensor or value whose dimensions stand in another order; products alone take it."""
    x, rank = call.x, len(_shape(call.writer, call.x))
    order = list(range(rank))
    if call.word == "permute":
        dims = call.arguments[1:] if isinstance(call.arguments[1], int) else call.arguments[1]
        order = [dim % rank for dim in dims]
    elif call.word == "movedim":
        raise Unknown("movedim has no stage")
    else:
        first, second = (0, 1) if call.word == "t" else (call.option(1, "dim0", None) % rank, call.option(2, "dim1", None) % rank)
        order[first], order[second] = second, first
    return transposed(x, order)


def transposed(x, order):
    return Moved(x.of, [x.order[k] for k in order]) if isinstance(x, Moved) else Moved(x, order)


def _shape(writer, value):
    if isinstance(value, Moved):
        return [_shape(writer, value.of)[k] for k in value.order]
    if isinstance(value, Parameter):
        return value.shape
    if not hasattr(value, "axes"):
        raise Unknown("a product with what is no tensor")
    if any(axis and axis not in writer.extents for axis in value.axes):
        raise Unknown("a product along an axis that a window left")
    return [writer.extents[axis] if axis else 1 for axis in value.axes]


def _factor(writer, value, labels):
    if len(labels) != len(_shape(writer, value)) or len(set(labels)) != len(labels):
        raise Unknown("a product that takes a diagonal or broadcasts")
    if isinstance(value, Moved):
        kept = sorted(range(len(labels)), key=lambda k: value.order[k])
        return _factor(writer, value.of, [labels[k] for k in kept])
    if isinstance(value, Parameter):  # one that a step has used has axes
        value = writer.tensors.get(value.name, value)
    return Factor(value, labels, _shape(writer, value))


def contracted(writer, first, second, result):
    """The product over the labels that the result lacks, with the result's dimensions in that order."""
    second = _with_names_of(writer, first, second)
    axes = _axes(writer, first, second)
    summed = [label for label in first.labels if label not in result]
    if not summed or any(label not in second.labels or axes[label] is None for label in summed):
        raise Unknown("a product that sums over a dimension of one factor, of length 1 or over none")
    names = [_operand(writer, factor, axes) for factor in (first, second)]
    wanted = [axes[label] for label in result if axes[label]]
    left = [axes[label] for factor in (first, second) for label, extent in zip(factor.labels, factor.shape)
            if label in result and extent != 1]
    order = [] if list(dict.fromkeys(left)) == wanted else wanted
    return writer.step(f"contract({', '.join(names)}, {', '.join(axes[label] for label in summed)})", [axes[label] for label in result],
                       order=order)


def _with_names_of(writer, first, second):
    """The second factor with the first's axes along labels that both have, and with others along its own."""
    if isinstance(first.of, Parameter) or isinstance(second.of, Parameter):
        return second
    of_first = dict(zip(first.labels, first.of.axes))
    value = second.of
    for k, label in enumerate(second.labels):  # first those that stand in the way
        if label not in of_first and value.axes[k] in first.of.axes:
            value = renamed_axis(writer, value, value.axes[k], writer.axis(label, second.shape[k]))
    for k, label in enumerate(second.labels):
        wanted, own = of_first.get(label), value.axes[k]
        if not wanted or not own or own == wanted:
            continue
        if wanted in value.axes:
            raise Unknown("a product of a value with itself along two axes under each other's names")
        value = renamed_axis(writer, value, own, wanted)
    return dataclasses.replace(second, of=value)


def _axes(writer, first, second):
    """The axis of each label: that of a value that has one, else a new one; None where every factor has length 1."""
    axes, extents = {}, {}
    for factor in (first, second):
        for k, label in enumerate(factor.labels):
            extents[label] = max(extents.get(label, 1), factor.shape[k])
            known = None if isinstance(factor.of, Parameter) else factor.of.axes[k]
            if known and axes.get(label) not in (None, known):
                raise Unknown("two different axes of one length meet")
            axes[label] = known or axes.get(label)
    known = [axis for axis in axes.values() if axis]
    if len(set(known)) != len(known):
        raise Unknown("a product of a value with itself along one axis under two names")
    for label, axis in axes.items():
        if axis is None and extents[label] != 1:
            axes[label] = writer.axis("batch" if label.startswith("batch") else label, extents[label])
    return axes


def _operand(writer, factor, axes):
    if not isinstance(factor.of, Parameter):
        return factor.of.name
    return writer.tensor(factor.of.name, [axes[label] if extent != 1 else None for label, extent in zip(factor.labels, factor.shape)]).name
