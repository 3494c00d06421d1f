# SPDX-License-Identifier: Apache-2.0
"""Convolutions of torch, functions and modules, as the stages `conv` and `conv_transpose` of docs/graphs.md."""
import dataclasses
import re

from gradproof.candidate.traced.operations import Parameter, Unknown

WORDS = re.compile(r"conv(_transpose)?([123])d")
MODULES = re.compile(r"Conv(Transpose)?([123])d")


@dataclasses.dataclass
class Setting:
    """The numbers of a convolution; each of the first four is one, or one for each axis of windows."""
    stride: object = 1
    padding: object = 0
    dilation: object = 1
    output_padding: object = 0
    groups: int = 1
    widens: bool = False


def called(call):
    """F.conv2d(input, weight, bias, stride, padding, dilation, groups) and its kin."""
    widens = WORDS.fullmatch(call.word)[1] is not None
    places = ("stride", "padding", "output_padding", "groups", "dilation") if widens else ("stride", "padding", "dilation", "groups")
    setting = Setting(widens=widens)
    for place, name in enumerate(places, 3):
        setattr(setting, name, call.option(place, name, getattr(setting, name)))
    return convolution(call.writer, call.x, call.option(1, "weight", None), call.option(2, "bias", None), setting)


def of_module(writer, module, path, x):
    if module.padding_mode != "zeros":
        raise Unknown(f"a convolution with padding_mode={module.padding_mode}")
    bias = None if module.bias is None else Parameter(f"{path}.bias", list(module.bias.shape))
    setting = Setting(module.stride, module.padding, module.dilation, module.output_padding, module.groups, module.transposed)
    return convolution(writer, x, Parameter(f"{path}.weight", list(module.weight.shape)), bias, setting)


def convolution(writer, x, weight, bias, setting):
    """Dimensions of length 1 have an axis of one number within, and none behind where one is left."""
    from gradproof.candidate.traced import views  # which has the words of this module's users
    alone = [k for k, axis in enumerate(x.axes) if axis is None]
    for k in alone:
        x = views.widened(writer, x, k, 1, "one")
    value = _convolution(writer, x, weight, bias, setting)
    for k in alone:
        if k == 0 or (k > 1 and _left_of_one(setting, k - 2, weight.shape[k]) == 1):
            axes = [None if place == k else axis for place, axis in enumerate(value.axes)]
            value = writer.step(f"select({value.name}, {value.axes[k]}, at=0)", axes)
    return value


def _left_of_one(setting, k, taps):
    """What a window leaves of a dimension of one number."""
    if setting.widens or isinstance(setting.padding, str):
        return 1 if setting.padding == "same" else None
    stride, padding, dilation = (numbers[k] if isinstance(numbers, (tuple, list)) else numbers
                                 for numbers in (setting.stride, setting.padding, setting.dilation))
    return (1 + 2 * padding - dilation * (taps - 1) - 1) // stride + 1


def _convolution(writer, x, weight, bias, setting):
    if not isinstance(weight, Parameter) or not (bias is None or isinstance(bias, Parameter)):
        raise Unknown("a convolution with a weight that a step makes")
    if len(x.axes) != len(weight.shape):
        raise Unknown("a convolution of one sample")
    channel, own = x.axes[1], "out"
    rows, columns = (channel, writer.axis(own, weight.shape[1])) if setting.widens else (writer.axis(own, weight.shape[0]), channel)
    if setting.groups > 1 and not setting.widens:
        columns = writer.axis("in", weight.shape[1])
    windows = [writer.axis(f"k{axis.partition('.')[0]}", extent) for axis, extent in zip(x.axes[2:], weight.shape[2:])]
    made = columns if setting.widens else rows
    operands = f"{x.name}, {writer.tensor(weight.name, [rows, columns, *windows]).name}"
    if bias is not None:
        if setting.widens and setting.groups > 1:
            raise Unknown("a transposed convolution of groups with a bias")
        operands += f", {writer.tensor(bias.name, [made]).name}"
    value = writer.step(f"{'conv_transpose' if setting.widens else 'conv'}({operands}{_options(setting, weight.shape[2:])})", x.axes)
    channels = f"{made}.{value.name}" if setting.widens and setting.groups > 1 else made
    value.axes = [x.axes[0], channels, *[f"{axis}.{value.name}" for axis in x.axes[2:]]]
    return value


def _options(setting, taps):
    if isinstance(setting.padding, str):
        setting = dataclasses.replace(setting, padding=_named_padding(setting, taps))
    texts = []
    for name in ("stride", "padding", "dilation", "output_padding", "groups"):
        numbers = getattr(setting, name)
        numbers = list(numbers) if isinstance(numbers, (tuple, list)) else [numbers]
        if any(isinstance(one, bool) or not isinstance(one, int) for one in numbers):
            raise Unknown(f"a convolution with {name}={getattr(setting, name)}")
        text = str(numbers[0]) if len(set(numbers)) == 1 else "x".join(str(one) for one in numbers)
        if text != str(getattr(Setting, name)):
            texts.append(f", {name}={text}")
    return "".join(texts)


def _named_padding(setting, taps):
    if setting.padding == "valid":
        return 0
    dilation = setting.dilation if isinstance(setting.dilation, (tuple, list)) else [setting.dilation] * len(taps)
    rooms = [step * (extent - 1) for step, extent in zip(dilation, taps)]
    if setting.padding != "same" or any(room % 2 for room in rooms):
        raise Unknown(f"a convolution with padding={setting.padding} that is not the same on both sides")
    return [room // 2 for room in rooms]
