# SPDX-License-Identifier: Apache-2.0
"""Pools of torch, functions and modules, as the stages `max_pool` and `avg_pool` of docs/graphs.md."""
import re

from gradproof.candidate.traced.operations import Unknown, axes_text

WORDS = re.compile(r"(max|avg)_pool([123])d")
MODULES = re.compile(r"(Max|Avg)Pool([123])d")
# The settings in the order of their places behind the window, with what they are where nothing is said.
PLACES = {"max": {"stride": None, "padding": 0, "dilation": 1, "ceil_mode": False, "return_indices": False},
          "avg": {"stride": None, "padding": 0, "ceil_mode": False, "count_include_pad": True, "divisor_override": None}}


def called(call):
    """F.max_pool2d(x, kernel_size, stride, padding, dilation, ceil_mode, return_indices) and its kin."""
    kind, count = WORDS.fullmatch(call.word).groups()
    settings = {name: call.option(2 + place, name, silent) for place, (name, silent) in enumerate(PLACES[kind].items())}
    return pooled(call.writer, call.x, kind, int(count), {"kernel_size": call.option(1, "kernel_size", None), **settings})


def of_module(writer, module, x):
    kind, count = MODULES.fullmatch(type(module).__name__).groups()
    settings = {name: getattr(module, name, silent) for name, silent in PLACES[kind.lower()].items()}
    return pooled(writer, x, kind.lower(), int(count), {"kernel_size": module.kernel_size, **settings})


def pooled(writer, x, kind, count, settings):
    if settings["ceil_mode"]:
        more = [_room(writer, axis, _settings_along(settings, k)) for k, axis in enumerate(x.axes[-count:])]
        if kind == "max" or not any(more):
            x, settings = _with_room(writer, x, more), {**settings, "ceil_mode": False}
    unsaid = {name: settings.get(name, silent) == silent for name, silent in PLACES[kind].items()}
    if not all(unsaid.get(name, True) for name in ("ceil_mode", "return_indices", "count_include_pad", "divisor_override")):
        raise Unknown("a pool with ceil_mode, with indices, or an average without its padding")
    stride = settings["stride"] if settings["stride"] not in (None, []) else settings["kernel_size"]
    more = f", dilation={_text(settings['dilation'])}" if kind == "max" and _text(settings["dilation"]) != "1" else ""
    value = writer.step(f"{kind}_pool({x.name}, {axes_text(x, range(-count, 0))}, window={_text(settings['kernel_size'])}, "
                        f"stride={_text(stride)}, padding={_text(settings['padding'])}{more})", x.axes)
    value.axes = [*x.axes[:-count], *[f"{axis}.{value.name}" for axis in x.axes[-count:]]]
    return value


def _settings_along(settings, k):
    silent = (("kernel_size", 1), ("stride", settings["kernel_size"]), ("padding", 0), ("dilation", 1))
    return {name: _along(settings.get(name) or value, k) for name, value in silent}


def _room(writer, axis, settings):
    """How many numbers more the last window takes where sizes are rounded up: one that would begin in the padding behind is left out."""
    window, stride, padding, dilation = (settings[name] for name in ("kernel_size", "stride", "padding", "dilation"))
    extent, reach = writer.extents.get(axis, 1), dilation * (window - 1) + 1
    count = -(-(extent + 2 * padding - reach) // stride) + 1
    count -= (count - 1) * stride >= extent + padding
    return max(0, (count - 1) * stride + reach - extent - 2 * padding)


def _with_room(writer, x, more):
    """The value with so many numbers behind each of its last axes that no maximum takes."""
    for dim, count in zip(range(-len(more), 0), more):
        if not count:
            continue
        if x.axes[dim] is None:
            raise Unknown("a pool with ceil_mode over a dimension of length 1")
        axis = writer.axis(x.axes[dim], writer.extents[x.axes[dim]] + count)
        axes = list(x.axes)
        axes[dim] = axis
        x = writer.step(f"pad({x.name}, {x.axes[dim]}, {axis}, before=0, after={count}, value=-inf)", axes)
    return x


def _along(value, k):
    return value[k] if isinstance(value, (tuple, list)) else value


def _text(value):
    values = list(value) if isinstance(value, (tuple, list)) else [value]
    return str(values[0]) if len(set(values)) == 1 else "x".join(str(number) for number in values)
