# SPDX-License-Identifier: Apache-2.0
"""Masks of torch: comparisons, where, masked_fill, tril and triu as stages of docs/graphs.md."""
import dataclasses
import math

import torch

from gradproof.candidate.traced import operations, views
from gradproof.candidate.traced.operations import Constant, Unknown, number

COMPARISONS = {"gt": ("greater", False), "greater": ("greater", False), "lt": ("greater", True), "less": ("greater", True),
               "ge": ("greater_equal", False), "greater_equal": ("greater_equal", False), "le": ("greater_equal", True),
               "less_equal": ("greater_equal", True), "eq": ("equal", False)}


def compared(call):
    """1 where it holds, else 0."""
    stage, swapped = COMPARISONS[call.word]
    operands = call.arguments[1::-1] if swapped else call.arguments[:2]
    return operations.binary(dataclasses.replace(call, arguments=list(operands), keywords={}), stage)


def differs(call):
    return _negated(call.writer, compared(dataclasses.replace(call, word="eq")))


def inverted(call):
    return _negated(call.writer, views.placed(call.writer, call.x))


def _negated(writer, mask):
    return writer.step(f"subtract(1, {mask.name})", mask.axes)


def both(call):
    return operations.binary(dataclasses.replace(call, keywords={}), "minimum")


def either(call):
    return operations.binary(dataclasses.replace(call, keywords={}), "maximum")


def where(call):
    """torch.where(mask, x, other), and x.where(mask, other)."""
    operands = [*call.arguments, *(call.keywords[name] for name in ("input", "other") if name in call.keywords)]
    if len(operands) != 3:
        raise Unknown("where of a mask alone")
    return chosen(call, operands[1], operands[0], operands[2]) if call.is_method else chosen(call, *operands)


def masked_fill(call):
    """x.masked_fill(mask, value)."""
    return chosen(call, call.option(1, "mask", None), call.option(2, "value", None), call.x)


def chosen(call, mask, x, other):
    """x where the mask is true, else the other one; each is a value, a tensor or a number."""
    x, other = _as_number(x), _as_number(other)
    if isinstance(mask, Constant):
        if isinstance(x, (int, float)):
            return kept(call, other, ~mask.tensor.bool(), x)
        if isinstance(other, (int, float)):
            return kept(call, x, mask.tensor.bool(), other)
        raise Unknown("a choice between two tensors by a constant mask")
    values = [views.placed(call.writer, one) if isinstance(one, operations.Moved) else one for one in (mask, x, other)]
    wide = max((one for one in values if hasattr(one, "axes")), key=lambda one: len([axis for axis in one.axes if axis]), default=None)
    values = [one if one is wide else operations.of_one_name(call.writer, wide, one)[1] for one in values]
    axes = operations.joined(call.writer, values, call.shape)
    names = [operations.operand(call.writer, value, axes) for value in values]
    return call.writer.step(f"where({', '.join(names)})", axes)


def _as_number(value):
    """A constant that is the same number everywhere."""
    if isinstance(value, Constant) and value.tensor.numel() and bool((value.tensor == value.tensor.flatten()[0]).all()):
        return value.tensor.flatten()[0].item()
    return value


def kept(call, x, keep, value):
    """x where a constant mask is true, else a number: a band of the last two dimensions."""
    if bool(keep.all()):
        return x
    x = views.placed(call.writer, x)
    rows, cols = _two_axes(x, keep)
    sizes = views.extents(call.writer, x)[-2:]
    band = keep.reshape((1, 1, *keep.shape)[-2:]).expand(sizes)
    apart = torch.arange(band.shape[1])[None, :] - torch.arange(band.shape[0])[:, None]
    if not bool(keep.any()):
        raise Unknown("a mask that leaves nothing")
    least, most = int(apart[band].min()), int(apart[band].max())
    if not torch.equal(band, (apart >= least) & (apart <= most)):
        raise Unknown("a constant mask that is no band of two axes")
    has_lower, has_upper = least > int(apart.min()), most < int(apart.max())
    if not has_lower and value == 0:
        return call.writer.step(f"tril({x.name}, {rows}, {cols}, diagonal={most})", x.axes)
    if not has_upper and value == 0:
        return call.writer.step(f"triu({x.name}, {rows}, {cols}, diagonal={least})", x.axes)
    if not has_upper:
        raise Unknown("a mask that leaves what is above a diagonal")
    window = f", window={most - least + 1}" if has_lower else ""
    fill = "" if value == -math.inf else f", value={number(value)}"
    return call.writer.step(f"causal({x.name}, {rows}, {cols}, diagonal={most}{window}{fill})", x.axes)


def _two_axes(x, keep):
    if any(size != 1 for size in keep.shape[:-2]) or not hasattr(x, "axes") or len(x.axes) < 2:
        raise Unknown("a constant mask over other than two dimensions")
    if None in x.axes[-2:]:
        raise Unknown("a mask over a dimension of length 1")
    return x.axes[-2:]


def triangle(call):
    """torch.tril and torch.triu of the last two dimensions."""
    x = views.placed(call.writer, call.x)
    if len(x.axes) < 2 or None in x.axes[-2:]:
        raise Unknown(f"{call.word} over a dimension of length 1")
    diagonal = call.option(1, "diagonal", 0)
    return call.writer.step(f"{call.word}({x.name}, {x.axes[-2]}, {x.axes[-1]}, diagonal={diagonal})", x.axes)


def with_constant(call, stage):
    """x by a constant tensor: a number, what masks by adding -inf, or by a product with 0 and 1."""
    a, b = (_as_number(value) for value in call.arguments[:2])
    if not isinstance(a, Constant) and not isinstance(b, Constant):
        return operations.binary(dataclasses.replace(call, arguments=[a, b]), stage)
    x, constant = (b, a) if isinstance(a, Constant) else (a, b)
    numbers = constant.tensor
    if not hasattr(x, "axes"):
        raise Unknown("a constant tensor meets one that no step has used")
    if stage == "add" and bool(((numbers == 0) | (numbers == -math.inf)).all()):
        return kept(call, x, numbers == 0, -math.inf)
    if stage == "multiply" and bool(((numbers == 0) | (numbers == 1)).all()):
        return kept(call, x, numbers == 1, 0)
    raise Unknown(f"{call.word} with a constant tensor")


def attention_mask(call, scores, mask, is_causal):
    """The scores with the masks of scaled_dot_product_attention."""
    if is_causal:
        rows, cols = scores.axes[-2:]
        return call.writer.step(f"causal({scores.name}, {rows}, {cols})", scores.axes)
    if isinstance(mask, Constant) and not mask.tensor.is_floating_point():
        return kept(call, scores, mask.tensor.bool(), -math.inf)
    if isinstance(mask, Constant):
        return with_constant(dataclasses.replace(call, word="add", arguments=[scores, mask]), "add")
    is_chosen = mask.name in call.writer.truths if hasattr(mask, "name") else mask.of.name in call.writer.truths
    mask = views.placed(call.writer, mask)
    mask = operations.of_one_name(call.writer, scores, mask)[1]
    axes = operations.joined(call.writer, [scores, mask], [call.writer.extents.get(axis, 1) for axis in scores.axes])
    name = operations.operand(call.writer, mask, axes)
    stage = f"where({name}, {scores.name}, -inf)" if is_chosen else f"add({scores.name}, {name})"
    return call.writer.step(stage, scores.axes, order=[axis for axis in scores.axes if axis] if is_chosen else ())


def cumulated(call):
    """torch.cumsum(x, dim)."""
    x, dim = views.placed(call.writer, call.x), call.option(1, "dim", None)
    if x.axes[dim] is None:
        return x
    return call.writer.step(f"cumsum({x.name}, {x.axes[dim]})", x.axes)


class Places:
    """Where sorted numbers stood, which no step has."""
    @property
    def axes(self):
        raise Unknown("the places of sorted numbers")


def ordered(call):
    """torch.sort(x, dim, descending): the numbers and their places."""
    x = views.placed(call.writer, call.x)
    dim, descending = call.option(1, "dim", -1), call.option(2, "descending", False)
    return _ordered(call, x, dim, "descending" if descending else "ascending"), Places()


def _ordered(call, x, dim, order):
    if x.axes[dim] is None:
        return x
    said = "" if order == "descending" else f", order={order}"
    return call.writer.step(f"sort({x.name}, {x.axes[dim]}{said})", x.axes)


def largest(call):
    """torch.topk(x, k, dim, largest, sorted): the first k numbers in order, and their places."""
    x = views.placed(call.writer, call.x)
    count, dim, is_largest, is_sorted = (call.option(*said) for said in
                                         ((1, "k", None), (2, "dim", -1), (3, "largest", True), (4, "sorted", True)))
    if not is_sorted:
        raise Unknown("topk in no order")
    numbers = _ordered(call, x, dim, "descending" if is_largest else "ascending")
    return (numbers if x.axes[dim] is None else views.first_of(call.writer, numbers, dim % len(x.axes), count)), Places()


CHOICES = {**dict.fromkeys(COMPARISONS, compared), "ne": differs, "not_equal": differs, "invert": inverted, "logical_not": inverted,
           "bitwise_not": inverted, "and": both, "logical_and": both, "or": either, "logical_or": either, "where": where,
           "masked_fill": masked_fill, "tril": triangle, "triu": triangle, "cumsum": cumulated,
           "sort": ordered, "topk": largest}
