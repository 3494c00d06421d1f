# SPDX-License-Identifier: Apache-2.0
"""Views, parts and joints of tensors in torch as the stages of docs/graphs.md that move numbers."""
import dataclasses
import math

import torch

from gradproof.candidate.traced.operations import Constant, Moved, Parameter, Unknown, number, renamed_axis


@dataclasses.dataclass
class Parts:
    """What chunk or split leaves: parts of a value along one dimension, and the axis that they share; none where it is longer."""
    of: object
    dim: int
    sizes: list
    axis: object


def shaped(call):
    """view, reshape, flatten and unflatten: dimensions that are joined, and some that are split."""
    x, shape = placed(call.writer, call.x), list(call.shape)
    sizes = extents(call.writer, x)
    if math.prod(sizes) == 0:
        raise Unknown(f"{call.word} of no elements")
    axes, taken = [], 0
    for place, size in enumerate(shape):
        if size == 1:
            axes.append(None)
            continue
        while taken < len(sizes) and sizes[taken] == 1:
            taken += 1
        if len(axes) and isinstance(axes[-1], int):
            raise Unknown(f"{call.word} to a shape that cuts across dimensions")
        x, sizes, end = _joined(call.writer, x, sizes, taken, size)
        rest = shape[place + 1:]
        if sizes[taken] != size:
            x, sizes = _split(call.writer, x, sizes, taken, size, rest)
        axes.append(x.axes[taken])
        taken = end
    return dataclasses.replace(x, axes=axes)


def _joined(writer, x, sizes, first, size):
    """Joins dimensions from `first` on until they have a multiple of `size` elements."""
    last, count = first + 1, sizes[first]
    while count % size and last < len(sizes):
        count, last = count * sizes[last], last + 1
    if count % size:
        raise Unknown("a shape that cuts across dimensions")
    names = [axis for axis in x.axes[first:last] if axis]
    if len(names) > 1:
        made = writer.axis(names[0], count)
        x = writer.step(f"join({x.name}, {', '.join(names)}, {made})", [*x.axes[:first], made, *x.axes[last:]])
    else:
        x = dataclasses.replace(x, axes=[*x.axes[:first], names[0], *x.axes[last:]])
    return x, [*sizes[:first], count, *sizes[last:]], first + 1


def _split(writer, x, sizes, at, size, rest):
    """Splits a dimension into one of that size and what stands behind it."""
    axis, behind = x.axes[at], sizes[at] // size
    if not rest:
        raise Unknown("a shape that cuts across dimensions")
    outer, inner = writer.axis(axis, size), writer.axis(axis, behind)
    made = writer.step(f"split({x.name}, {axis}, {outer}, {inner}, parts={size})", [*x.axes[:at], outer, inner, *x.axes[at + 1:]])
    return made, [*sizes[:at], size, behind, *sizes[at + 1:]]


def placed(writer, value):
    """A tensor or value with its dimensions in their order: a step orders those of a Moved."""
    if isinstance(value, Parameter):
        return _of_its_own(writer, value)
    if not isinstance(value, Moved):
        return value
    x = placed(writer, value.of)
    axes = [x.axes[k] for k in value.order]
    named = [axis for axis in axes if axis]
    if named == [axis for axis in x.axes if axis]:
        return dataclasses.replace(x, axes=axes)
    return writer.step(f"permute({x.name})", axes, order=named)


def _of_its_own(writer, value):
    """A tensor that no step has used: with the first one's shape it has its axes, else new ones. One that a step has used has axes."""
    if value.name in writer.tensors:
        return writer.tensors[value.name]
    first = next(iter(writer.tensors.values()), None)
    if first and [writer.extents.get(axis, 1) for axis in first.axes] == list(value.shape):
        return writer.tensor(value.name, first.axes)
    return writer.tensor(value.name, [writer.axis(f"{value.name}{k}", extent) if extent != 1 else None
                                      for k, extent in enumerate(value.shape)])


def extents(writer, x):
    if any(axis and axis not in writer.extents for axis in x.axes):
        raise Unknown("a view of an axis that a window left")
    return [writer.extents[axis] if axis else 1 for axis in x.axes]


def parted(call):
    """chunk(x, count, dim) and split(x, size or sizes, dim)."""
    x, said, dim = placed(call.writer, call.x), call.arguments[1], call.option(2, "dim", 0)
    dim %= len(x.axes)
    whole = extents(call.writer, x)[dim]
    size = -(-whole // said) if call.word == "chunk" else said
    sizes = list(size) if isinstance(size, (tuple, list)) else [min(size, whole - at) for at in range(0, whole, size)]
    if x.axes[dim] is None:
        raise Unknown(f"{call.word} of a dimension of length 1")
    alike = len(set(sizes)) == 1 and sizes[0] > 1
    return Parts(x, dim, sizes, call.writer.axis(x.axes[dim], sizes[0]) if alike else None)


def part(call, parts):
    """One of the parts, by its number."""
    which = call.arguments[1] % len(parts.sizes)
    size = parts.sizes[which]
    return _slice(call.writer, parts.of, parts.dim, sum(parts.sizes[:which]), size, 1, parts.axis)


def _slice(writer, x, dim, first, count, every, axis=None):
    name = x.axes[dim]
    if count == 1:
        return writer.step(f"select({x.name}, {name}, at={first})", [*x.axes[:dim], None, *x.axes[dim + 1:]])
    axis = axis or writer.axis(name, count)
    more = f", step={every}" if every != 1 else ""
    return writer.step(f"slice({x.name}, {name}, {axis}, from={first}, count={count}{more})",
                       [*x.axes[:dim], axis, *x.axes[dim + 1:]])


def first_of(writer, x, dim, count):
    """The first numbers along a dimension."""
    return x if count == writer.extents[x.axes[dim]] else _slice(writer, x, dim, 0, count, 1)


def selected(call):
    """x.select(dim, index)."""
    x, dim, at = placed(call.writer, call.x), call.option(1, "dim", None), call.option(2, "index", None)
    dim %= len(x.axes)
    if x.axes[dim]:
        x = _slice(call.writer, x, dim, at % extents(call.writer, x)[dim], 1, 1)
    return dataclasses.replace(x, axes=[*x.axes[:dim], *x.axes[dim + 1:]])


def narrowed(call):
    """x.narrow(dim, start, length)."""
    x = placed(call.writer, call.x)
    dim, first, count = (call.option(place, name, None) for place, name in ((1, "dim"), (2, "start"), (3, "length")))
    if x.axes[dim] is None:
        raise Unknown("narrow of a dimension of length 1")
    return _slice(call.writer, x, dim % len(x.axes), first, count, 1)


def unfolded(call):
    """x.unfold(dim, size, step) where windows stand side by side: the dimension in parts, whose own stands last."""
    x = placed(call.writer, call.x)
    dim, size, step = (call.option(place, name, None) for place, name in ((1, "dimension"), (2, "size"), (3, "step")))
    dim %= len(x.axes)
    whole = extents(call.writer, x)[dim]
    if size != step or whole % size or x.axes[dim] is None or size == 1 or size == whole:
        raise Unknown("unfold with windows that overlap, or leave a rest")
    made, _ = _split(call.writer, x, extents(call.writer, x), dim, whole // size, [size])
    order = [k for k in range(len(made.axes)) if k != dim + 1]
    return Moved(made, [*order, dim + 1])


def indexed(call):
    """x[2, :, 1:5, ..., None]."""
    x, writer = placed(call.writer, call.x), call.writer
    said = call.arguments[1] if isinstance(call.arguments[1], tuple) else (call.arguments[1],)
    if any(not isinstance(one, (int, slice, type(None), type(Ellipsis))) for one in said):
        raise Unknown("an index that is a tensor")
    used = sum(one is not None and one is not Ellipsis for one in said)
    said = said if Ellipsis in said else (*said, Ellipsis)
    dim, gone = 0, []
    for one in said:
        if one is Ellipsis:
            dim += len(x.axes) - gone.count("new") - used
        elif one is None:
            x = dataclasses.replace(x, axes=[*x.axes[:dim], None, *x.axes[dim:]])
            gone.append("new")
            dim += 1
        elif isinstance(one, int):
            if x.axes[dim]:
                x = _slice(writer, x, dim, one % extents(writer, x)[dim], 1, 1)
            gone.append(dim)
            dim += 1
        else:
            first, end, every = one.indices(extents(writer, x)[dim])
            count = len(range(first, end, every))
            if every < 1 or count < 1:
                raise Unknown("an index backwards, or of no elements")
            if count != extents(writer, x)[dim]:
                x = _slice(writer, x, dim, first, count, every)
            dim += 1
    drop = [at for at in gone if at != "new"]
    return dataclasses.replace(x, axes=[axis for at, axis in enumerate(x.axes) if at not in drop])


def concatenated(call):
    tensors, dim = list(call.arguments[0]), call.option(1, "dim", 0)
    zeros = {place: tensors[place].tensor.shape[dim] for place in (0, -1) if _is_zeros(tensors[place])}
    if zeros:
        return _beside_zeros(call, tensors, dim, zeros)
    made = placed(call.writer, tensors[0])
    dim %= len(made.axes)
    total = extents(call.writer, made)[dim]
    for tensor in tensors[1:]:
        value = _beside(call.writer, tensor, made, dim)
        made, value = (widened(call.writer, one, dim, 1, "one") if one.axes[dim] is None else one for one in (made, value))
        total += extents(call.writer, value)[dim]
        own, other = made.axes[dim], value.axes[dim]
        names = own if own == other else f"{own}, {other}"
        axis = call.writer.axis(own, total)
        made = call.writer.step(f"concat({made.name}, {value.name}, {names}, {axis})", [*made.axes[:dim], axis, *made.axes[dim + 1:]])
    return made


def widened(writer, x, dim, size, base):
    """The value with an axis of `size` numbers in the place of a dimension of length 1."""
    own = writer.axis(base, size)
    axes = [own if k == dim else axis for k, axis in enumerate(x.axes)]
    named = [axis for axis in axes if axis]
    return writer.step(f"repeat({x.name}, {own}, size={size})", axes, order=named if named[0] != own else ())


def expanded(call):
    """x.expand(sizes) and expand_as: dimensions of length 1 repeat, and new ones stand in front."""
    return _repeated_to(call, placed(call.writer, call.x))


def repeated(call):
    """x.repeat(counts) of dimensions of length 1 alone."""
    x = placed(call.writer, call.x)
    sizes = [1] * (len(call.shape) - len(x.axes)) + extents(call.writer, x)
    if any(size not in (1, made) for size, made in zip(sizes, call.shape)):
        raise Unknown("repeat of a dimension that has more than one number")
    return _repeated_to(call, x)


def _repeated_to(call, x):
    x = dataclasses.replace(x, axes=[None] * (len(call.shape) - len(x.axes)) + list(x.axes))
    for dim, size in enumerate(call.shape):
        if x.axes[dim] is None and size != 1:
            x = widened(call.writer, x, dim, size, "repeated")
    return x


def stacked(call):
    """torch.stack(tensors, dim): each with a new dimension of one number, one behind the other."""
    tensors, dim = call.arguments[0], call.option(1, "dim", 0) % len(call.shape)
    first = placed(call.writer, tensors[0])
    values = [first, *(_beside(call.writer, tensor, first, None) for tensor in tensors[1:])]
    wide = [dataclasses.replace(value, axes=[*value.axes[:dim], None, *value.axes[dim:]]) for value in values]
    return concatenated(dataclasses.replace(call, arguments=[wide, dim], keywords={}))


def _is_zeros(tensor):
    return isinstance(tensor, Constant) and not bool(tensor.tensor.any())


def _beside_zeros(call, tensors, dim, zeros):
    """What stands between zeros is padded with them."""
    rest = tensors[1 if 0 in zeros else 0:-1 if -1 in zeros else None]
    x = placed(call.writer, rest[0]) if len(rest) == 1 else concatenated(dataclasses.replace(call, arguments=[rest, dim]))
    dim %= len(x.axes)
    if x.axes[dim] is None:
        x = widened(call.writer, x, dim, 1, "one")
    axis = call.writer.axis(x.axes[dim], extents(call.writer, x)[dim] + sum(zeros.values()))
    return call.writer.step(f"pad({x.name}, {x.axes[dim]}, {axis}, before={zeros.get(0, 0)}, after={zeros.get(-1, 0)})",
                            [*x.axes[:dim], axis, *x.axes[dim + 1:]])


def _beside(writer, tensor, first, dim):
    """A tensor with the axes of another one but along one dimension."""
    if isinstance(tensor, Parameter) and tensor.name not in writer.tensors:
        return writer.tensor(tensor.name, [axis if k != dim else writer.axis(axis or "cols", tensor.shape[dim]) if tensor.shape[dim] != 1
                                           else None for k, axis in enumerate(first.axes)])
    value = placed(writer, tensor)
    for k, (wanted, own) in enumerate(zip(first.axes, value.axes)):
        if k != dim and wanted and own and wanted != own:
            if wanted in value.axes:
                raise Unknown("cat of dimensions under each other's names")
            value = renamed_axis(writer, value, own, wanted)
    return value


PADDINGS = {"constant": "zeros", "reflect": "reflect", "replicate": "replicate", "circular": "circular"}


def padded(call):
    """F.pad(x, (before, after, ...)) from the last dimension on."""
    x, around = placed(call.writer, call.x), call.option(1, "pad", None)
    mode = call.option(2, "mode", "constant")
    if mode not in PADDINGS or any(count < 0 for count in around):
        raise Unknown("pad by less than nothing")
    value = call.option(3, "value", None)
    fill = f", value={number(value)}" if value and mode == "constant" else ""
    for k in range(0, len(around), 2):
        dim = len(x.axes) - 1 - k // 2
        if around[k] or around[k + 1]:
            if x.axes[dim] is None:
                raise Unknown("pad of a dimension of length 1")
            axis = call.writer.axis(x.axes[dim], extents(call.writer, x)[dim] + around[k] + around[k + 1])
            x = call.writer.step(f"pad({x.name}, {x.axes[dim]}, {axis}, before={around[k]}, after={around[k + 1]}, "
                                 f"mode={PADDINGS[mode]}{fill})", [*x.axes[:dim], axis, *x.axes[dim + 1:]])
    return x


def turned(call):
    """flip and roll, along dimensions that are no longer than 1 as they are."""
    x = placed(call.writer, call.x)
    dims = call.option(2 if call.word == "roll" else 1, "dims", None)
    if call.word == "flip" and isinstance(dims, int):
        dims = call.arguments[1:]
    if dims is None:
        raise Unknown(f"{call.word} of all dimensions as one")
    dims = [dim % len(x.axes) for dim in (dims if isinstance(dims, (tuple, list)) else [dims])]
    shifts = call.option(1, "shifts", None) if call.word == "roll" else [0] * len(dims)
    for dim, shift in zip(dims, shifts if isinstance(shifts, (tuple, list)) else [shifts]):
        if x.axes[dim]:
            more = f", shift={shift}" if call.word == "roll" else ""
            x = call.writer.step(f"{call.word}({x.name}, {x.axes[dim]}{more})", x.axes)
    return x


# Settings of embedding that change nothing; all else is None.
UNSAID = {"norm_type": 2.0, "scale_grad_by_freq": False, "sparse": False}


def embedded(call):
    """F.embedding(labels, table)."""
    labels, table = call.x, call.option(1, "weight", None)
    said = {key: value for key, value in call.keywords.items() if key not in ("input", "weight") and value != UNSAID.get(key)}
    if len(call.arguments) > 2 or said or not isinstance(table, Parameter):
        raise Unknown("embedding with settings, or of what a step makes")
    return taken(call.writer, labels, table)


def taken(writer, labels, table):
    labels = placed(writer, labels)
    axes = [writer.axis("v", table.shape[0]), writer.axis("d", table.shape[1])]
    name = writer.tensor(table.name, axes).name
    return writer.step(f"take({name}, {labels.name}, {axes[0]})", [*labels.axes, axes[1]])


VIEWS = {"view": shaped, "reshape": shaped, "flatten": shaped, "unflatten": shaped, "chunk": parted, "narrow": narrowed, "expand": expanded, "expand_as": expanded, "broadcast_to": expanded, "repeat": repeated,
         "stack": stacked, "select": selected, "unfold": unfolded, "split": parted,
         "cat": concatenated, "concat": concatenated, "pad": padded, "flip": turned, "roll": turned, "embedding": embedded}
