# SPDX-License-Identifier: Apache-2.0
"""Numbers that are hard for kernels, in the shapes of the tensors that a function is given. Names and meaning: docs/inputs.md."""
import contextlib
import functools
import math

import torch

from gradproof import tensor_files

# Rows of a tensor that is "mixed" have these in turn, and so has each index of the second axis of one that is "mixed:columns".
MIXED = ("scaled:1e-3", "offset:1e3", "normal", "outlier:1e4", "ties", "rows:constant", "loguniform", "zeros", "lone:1", "common:-1e4",
         "constant:0", "subnormal")
# Where each row of the results is made of a row of the data alone (judged_rows.py) a row shows what a whole tensor does. What is far
# from 0 or constant stands in a set of its own: there a norm's bound may be infinite, and that of each gradient which sums over rows.
BY_ROWS = {"mixed:rows": ("scaled:1e-3", "normal", "outlier:1e4", "columns:1e3", "ties", "loguniform", "zeros", "lone:1"),
           "mixed:shifted": ("offset:1e3", "common:-1e4", "rows:constant", "constant:0", "subnormal")}
# Each mixed tensor has these fills in turn, along that axis.
IN_TURN = {"mixed": (MIXED, 0), "mixed:columns": (MIXED, 1), **{fill: (fills, 0) for fill, fills in BY_ROWS.items()}}
# Over which axes a norm works is not known: an offset of each row is one within a row (LayerNorm), an offset of each column
# (of the second axis, where channels lie) one within a channel (BatchNorm), and a common one is one within any. "mixed" shows what
# is seen within a row, "mixed:columns" within a channel, the next three what is seen in a whole tensor alone. In order of how much
# a set shows: where not all are judged, the first ones are.
USUAL = ("own", "mixed", "mixed:columns", "scaled:1e-3", "common:-1e4", "columns:1e3")
FILLS = (*USUAL, "normal", "offset:1e3", "outlier:1e4", "ties", "rows:constant", "columns:constant", "loguniform", "zeros", "lone:1",
         "constant:0", "subnormal", "ends")
# What a line permits of these and the weaker witness does not know of: at a tie or a kink another program may send a gradient
# elsewhere, and at the ends of a type another step may overflow.
BY_LINE_ALONE = ("mixed", "mixed:columns", "ties", "zeros", "ends")
# One thread makes a set of tensors that have fewer elements together in some milliseconds.
SMALL = 1 << 20
# Stages that are no numbers, or infinite, at numbers that are not positive.
OF_POSITIVE = frozenset(("log", "log1p", "sqrt", "rsqrt", "pow", "divide"))
# A line that rounds to fewer bits is judged on multiples of a half too: many lie in the middle of two of a type's numbers.
HALVES = "halves"
# A fill's place here is added to the seed of its numbers.
PLACES = (*FILLS, HALVES, *BY_ROWS)


def filled(fill, like, generator):
    """Rows are all axes but the last; labels and other whole numbers stay as they are."""
    if fill == "own" or not like.is_floating_point() or not like.numel():
        return like.detach().clone()
    if fill in IN_TURN:
        return _mixed(like, *IN_TURN[fill], generator)
    limit = torch.finfo(like.dtype).max
    values = _FILLED[fill](like, torch.randn(like.shape, generator=generator, dtype=torch.float64), generator)
    return values.clamp(-limit, limit).to(like.dtype).to(like.device)


def _mixed(like, fills, axis, generator):
    """The fills in turn along that axis, or along the last one that there is."""
    if not like.dim():
        return filled(fills[0], like, generator)
    values = torch.empty(like.shape, dtype=like.dtype, device=like.device)
    slices = values.movedim(min(axis, like.dim() - 1), 0)
    turn = [k % len(fills) for k in range(len(slices))]
    if fills in BY_ROWS.values():
        _end_with_the_first(turn, len(fills))
    for k, fill in enumerate(fills[:len(slices)]):
        places = [place for place, of in enumerate(turn) if of == k]
        slices[places] = filled(fill, slices[places], generator)
    return values


def _end_with_the_first(turn, count):
    """The last row has the fill that the first one has, which shows most, and both ends have all of them where there is room."""
    if len(turn) >= 2 * count:
        half = len(turn) // 2
        turn[len(turn) - half:] = turn[:half][::-1]
    elif len(turn) > count:
        turn[-1] = 0


def _kept_if_small(make):
    """What was drawn lately of few elements: a test with many parameters asks for the same again. Nobody writes to it."""
    keep = functools.lru_cache(maxsize=8)(make)

    def made(kinds, *words):
        small = sum(math.prod(shape) for shape, _, _ in kinds) < SMALL
        return (keep if small else make)(kinds, *words)
    return made


@_kept_if_small
def _drawn(kinds, fill, seed):
    """A tensor with that fill of each shape, type and device."""
    generator = torch.Generator().manual_seed(seed + PLACES.index(fill))
    return [filled(fill, torch.empty(shape, dtype=dtype, device=device), generator) for shape, dtype, device in kinds]


@_kept_if_small
def normals(kinds, seed):
    """Normal numbers on the CPU, of each shape and type."""
    generator = torch.Generator().manual_seed(seed)
    return [torch.randn(shape, generator=generator, dtype=torch.float64).to(dtype) for shape, dtype, _ in kinds]


def kinds_of(tensors):
    return tuple((tensor.shape, tensor.dtype, tensor.device) for tensor in tensors)


def _rows(like):
    return like.shape[:-1] + (1,) if like.dim() else ()


def _columns(like):
    return [extent if axis == min(1, like.dim() - 1) else 1 for axis, extent in enumerate(like.shape)]


def _offsets(shape, generator):
    """Between 1 and 1.5, either sign."""
    size = torch.rand(shape, generator=generator, dtype=torch.float64)
    return torch.where(size * 1024 % 1 < 0.5, -1.0, 1.0) * (1 + size / 2)


def _of_each_magnitude(like, normal, generator):
    """2^-20 to 2^21; in a type of less range what is beyond its half."""
    kind = torch.finfo(like.dtype)
    low, high = (int(torch.tensor(number, dtype=torch.float64).log2()) for number in (kind.tiny, kind.max))
    low, high = max(-20, low), min(21, high)
    return normal.sign() * torch.exp2((high - low) * torch.rand(like.shape, generator=generator, dtype=torch.float64) + low)


def _in_one_place(like, normal, generator, numbers):
    """The numbers in turn, one in each row at a place that is drawn."""
    if not like.dim():
        return numbers[:1].reshape(())
    places = torch.randint(like.shape[-1], _rows(like), generator=generator)
    turn = torch.arange(places.numel()).reshape(places.shape) % len(numbers)
    return normal.scatter(-1, places, numbers[turn])


def _ends(like, normal, generator):
    kind = torch.finfo(like.dtype)
    least = kind.tiny * kind.eps
    ends = [kind.max, kind.tiny, least, kind.max / 2, -kind.max, -kind.tiny, -least, kind.max ** 0.5]
    return _in_one_place(like, normal, generator, torch.tensor(ends, dtype=torch.float64))


def _lone(like, normal, generator):
    values = torch.ones(like.shape, dtype=torch.float64)
    if like.dim():
        values[..., 0] = 2
    return values


_FILLED = {
    "normal": lambda like, normal, generator: normal,
    "scaled:1e-3": lambda like, normal, generator: normal * 1e-3,
    "offset:1e3": lambda like, normal, generator: _offsets(_rows(like), generator) * 1e3 + normal,
    "columns:1e3": lambda like, normal, generator: _offsets(_columns(like), generator) * 1e3 + normal,
    "common:-1e4": lambda like, normal, generator: _offsets((), generator).abs() * -1e4 + normal,
    "rows:constant": lambda like, normal, generator: _offsets(_rows(like), generator).expand(like.shape),
    "columns:constant": lambda like, normal, generator: _offsets(_columns(like), generator).expand(like.shape),
    "outlier:1e4": lambda like, normal, generator: _in_one_place(like, normal, generator, _offsets((64,), generator) * 1e4),
    "ties": lambda like, normal, generator: normal.round(),
    "zeros": lambda like, normal, generator: torch.where(normal.abs() < 0.7, normal * 0.0, normal),
    "loguniform": _of_each_magnitude,
    "lone:1": _lone,
    "constant:0": lambda like, normal, generator: torch.zeros(like.shape, dtype=torch.float64),
    "subnormal": lambda like, normal, generator: normal * torch.finfo(like.dtype).tiny / 16,
    "ends": _ends,
    HALVES: lambda like, normal, generator: (normal * 10).round() / 2,
}


def data_of(line, tensors):
    """Names of the tensors that hard numbers take the place of: floating ones that have the batch as their first axis.

    That is the first axis of the first tensor with the most axes. Parameters stay what they are, and so do masks: numbers of
    which some are infinite, or which are 0s and 1s.
    """
    batch = batch_of(line, tensors)
    return [name for name in _floating(line, tensors) if line.axes[name][0] == batch and not _is_mask(tensors[name])]


def _floating(line, tensors):
    return [name for name in line.inputs if _is_drawn(tensors[name]) and line.axes[name]]


def _is_drawn(tensor):
    """Powers of two that scale blocks stay what they are, as parameters do."""
    return tensor.is_floating_point() and tensor_files.type_name(tensor) != "float8_e8m0fnu"


def batch_of(line, tensors):
    """The name of that axis; None where no tensor has floating numbers and axes."""
    widest = max(_floating(line, tensors), key=lambda name: len(line.axes[name]), default=None)
    return line.axes[widest][0] if widest else None


def _is_mask(tensor):
    if not tensor.numel():
        return False
    if not tensor_files.are_finite(tensor):
        return True
    row = tensor[(0,) * (tensor.dim() - 1)]
    if not bool(((row == 0) | (row == 1)).all()):  # most tensors have another number there
        return False
    zeros, ones = tensor == 0, tensor == 1
    return bool((zeros | ones).all() and zeros.any() and ones.any())


def usual(data, by_rows=False):
    """The fills that show most in these tensors, and those of mixed ones for which they have no row. by_rows: rows are apart."""
    widest = max(data, key=lambda tensor: tensor.dim(), default=None)
    rows = len(widest) if widest is not None and widest.dim() else 0
    # One that is expanded along its rows has the numbers of the first in all.
    if any(tensor.dim() and len(tensor) == rows and tensor.stride(0) == 0 for tensor in data):
        rows = min(rows, 1)
    first = ("own", *BY_ROWS) if by_rows else USUAL
    missing = {fill for mixed in first if mixed in IN_TURN for fill in IN_TURN[mixed][0][rows:]}
    return [*first, *(fill for fill in FILLS if fill in missing and fill not in first)]


def rows_in(fill, apart):
    """The JudgedRows of a set with that fill; None where it has whole tensors."""
    return apart if fill in BY_ROWS else None


def sets_of(fills, line, tensors, seed, apart=None):
    """Of each fill in turn its name and its set: all tensors of the line by name. apart: JudgedRows, which fills of BY_ROWS want."""
    if not fills:
        return  # what the tensors are is looked at on their device, which takes a while
    with few_threads(tensors):
        data = data_of(line, tensors)
    positive = not OF_POSITIVE.isdisjoint(line.stages)
    for fill in fills:
        rows = rows_in(fill, apart)
        with few_threads(tensors):
            own = {name: rows.ends(tensors[name].detach()) if rows else tensors[name].detach() for name in data}
            found = dict(tensors)
            drawn = own.values() if fill == "own" else _drawn(kinds_of(own.values()), fill, seed)
            for name, values in zip(data, drawn):
                values = _in_domain(values, own[name]) if positive else values
                found[name] = rows.within(tensors[name], values) if rows else values
        yield fill, found


@contextlib.contextmanager
def few_threads(tensors):
    """One of torch's threads, for tensors that are small: where others work on the machine too, the second one is waited for longer
    than it would have taken. Yields what makes a context in which there are all of them again, for somebody else's function."""
    threads = torch.get_num_threads()
    if threads == 1 or sum(tensor.numel() for tensor in tensors.values()) >= SMALL:
        yield contextlib.nullcontext
        return

    @contextlib.contextmanager
    def all_threads():
        torch.set_num_threads(threads)
        try:
            yield
        finally:
            torch.set_num_threads(1)
    torch.set_num_threads(1)
    try:
        yield all_threads
    finally:
        torch.set_num_threads(threads)


def _in_domain(values, own):
    """As the function's own numbers are all positive, or none negative, where another one is outside of a logarithm's domain."""
    if bool((own < 0).any()):
        return values
    return values.abs() if bool((own == 0).any()) else values.abs().clamp(min=torch.finfo(own.dtype).tiny)


def state(own, generator):
    """Parameters that are no identity: those of one axis are drawn, because a model's own are ones and zeros."""
    return {name: _parameter(name, tensor.detach(), generator) for name, tensor in own.items()}


def _parameter(name, like, generator):
    constant = like.numel() > 0 and bool((like == like.flatten()[0]).all())
    if not like.is_floating_point() or not (like.dim() <= 1 or constant):
        return like.clone()
    size = torch.rand(like.shape, generator=generator, dtype=torch.float64)
    sign = torch.where(torch.rand(like.shape, generator=generator) < 0.5, -1.0, 1.0)
    if name.endswith("running_var"):
        return (0.5 + 1.5 * size).to(like.dtype)
    return (sign * ((0.25 if name.endswith("running_mean") else 0.5) + size)).to(like.dtype)
