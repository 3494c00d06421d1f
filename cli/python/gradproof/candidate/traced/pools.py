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
    if settings["ceil_mode"] and _fits(writer, x, count, settings):
        settings = {**settings, "ceil_mode": False}
    unsaid = {name: settings.get(name, silent) == silent for name, silent in PLACES[kind].items()}
    if not all(unsaid.get(name, True) for name in ("ceil_mode", "return_indices", "count_include_pad", "divisor_override")):
        raise Unknown("a pool with ceil_mode, with indices, or an average without its padding")
    stride = settings["stride"] if settings["stride"] not in (None, []) else settings["kernel_size"]
    more = f", dilation={_text(settings['dilation'])}" if kind == "max" and _text(settings["dilation"]) != "1" else ""
    value = writer.step(f"{kind}_pool({x.name}, {axes_text(x, range(-count, 0))}, window={_text(settings['kernel_size'])}, "
                        f"stride={_text(stride)}, padding={_text(settings['padding'])}{more})", x.axes)
    value.axes = [*x.axes[:-count], *[f"{axis}.{value.name}" for axis in x.axes[-count:]]]
    return value


def _fits(writer, x, count, settings):
    """True where the last window ends at the end, so that rounding up or down is the same."""
    for k, axis in enumerate(x.axes[-count:]):
        window, stride, padding, dilation = (_along(settings.get(name) or silent, k) for name, silent in (
            ("kernel_size", 1), ("stride", settings["kernel_size"]), ("padding", 0), ("dilation", 1)))
        room = writer.extents.get(axis, 1) + 2 * padding - dilation * (window - 1) - 1
        if room % stride:
            return False
    return True


def _along(value, k):
    return value[k] if isinstance(value, (tuple, list)) else value


def _text(value):
    values = list(value) if isinstance(value, (tuple, list)) else [value]
    return str(values[0]) if len(set(values)) == 1 else "x".join(str(number) for number in values)
