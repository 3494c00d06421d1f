# SPDX-License-Identifier: Apache-2.0
"""Modules of torch.nn as stages of docs/graphs.md."""
import math

from torch import nn

from gradproof.candidate.traced import convolutions, pools, views
from gradproof.candidate.traced.composed import COMPOSED
from gradproof.candidate.traced.operations import PLAIN, SAME, Call, Parameter, Unknown, axes_text, clamped, linear, number, refuse, to_one


def written(writer, module, path, x):
    name = type(module).__name__
    x = views.placed(writer, x)
    if name in SAME:
        return x
    if name.lower() in PLAIN:
        return writer.step(f"{PLAIN[name.lower()]}({x.name})", x.axes)
    simple = MODULES.get(name)
    if simple:
        return writer.step(simple(module, x), x.axes)
    if isinstance(module, nn.Linear):
        return _linear(writer, module, path, x)
    if isinstance(module, (nn.BatchNorm1d, nn.BatchNorm2d, nn.BatchNorm3d)):
        return _batch_norm(writer, module, path, x)
    if isinstance(module, (nn.GroupNorm, nn.LayerNorm, nn.InstanceNorm1d, nn.InstanceNorm2d, nn.InstanceNorm3d)):
        return _norm(writer, module, path, x)
    if isinstance(module, (nn.AdaptiveAvgPool1d, nn.AdaptiveAvgPool2d, nn.AdaptiveAvgPool3d)):
        return to_one(writer, x, module.output_size, int(name[-2]))
    if isinstance(module, nn.Embedding) and module.max_norm is None and module.padding_idx is None:
        return views.taken(writer, x, Parameter(f"{path}.weight", list(module.weight.shape)))
    if isinstance(module, nn.Flatten):
        sizes = views.extents(writer, x)
        first, last = module.start_dim % len(sizes), module.end_dim % len(sizes)
        shape = [*sizes[:first], math.prod(sizes[first:last + 1]), *sizes[last + 1:]]
        return views.shaped(Call(writer, "flatten", [x], {}, shape))
    if name in COMPOSED_MODULES:
        settings = {key: getattr(module, key) for key in ("alpha", "lambd", "threshold", "value") if hasattr(module, key)}
        call = Call(writer, COMPOSED_MODULES[name], [x], settings, None)
        return COMPOSED[COMPOSED_MODULES[name]](call)
    if convolutions.MODULES.fullmatch(name):
        return convolutions.of_module(writer, module, path, x)
    if pools.MODULES.fullmatch(name):
        return pools.of_module(writer, module, x)
    raise Unknown(f"{name} has no stage")


COMPOSED_MODULES = {"ELU": "elu", "SELU": "selu", "CELU": "celu", "Threshold": "threshold", "Hardshrink": "hardshrink",
                    "Softshrink": "softshrink", "Hardsigmoid": "hardsigmoid", "Softsign": "softsign",
                    "LogSigmoid": "logsigmoid", "Tanhshrink": "tanhshrink"}
MODULES = {
    "LeakyReLU": lambda m, x: f"leaky_relu({x.name}, slope={number(m.negative_slope)})",
    "GELU": lambda m, x: f"gelu({x.name}, approximate={m.approximate})",
    "Softplus": lambda m, x: f"softplus({x.name})" if (m.beta, m.threshold) == (1, 20) else refuse("Softplus' beta"),
    "Hardtanh": lambda m, x: clamped(x.name, m.min_val, m.max_val),
    "ReLU6": lambda m, x: clamped(x.name, 0, 6),
    "Softmax": lambda m, x: f"softmax({x.name}, {axes_text(x, [m.dim])})",
    "LogSoftmax": lambda m, x: f"log_softmax({x.name}, {axes_text(x, [m.dim])})",
}


def _members(writer, module, path, axes, names=("weight", "bias")):
    """The module's parameters as operands; one that it has not is left out."""
    return "".join(f", {writer.tensor(f'{path}.{name}', axes).name}" for name in names if getattr(module, name) is not None)


def _linear(writer, module, path, x):
    weight, bias = (Parameter(f"{path}.{name}", list(getattr(module, name).shape)) if getattr(module, name) is not None else None
                    for name in ("weight", "bias"))
    return linear(writer, x, weight, bias)


def _batch_norm(writer, module, path, x):
    of_batch = module.training or not module.track_running_stats  # a file may have put a part of its model in eval
    if of_batch and module.track_running_stats and module.momentum is None:
        raise Unknown("BatchNorm's cumulative average has no stage")
    channel = [x.axes[1]]
    if not of_batch:
        operands = _members(writer, module, path, channel, ("running_mean", "running_var", "weight", "bias"))
        return writer.step(f"batch_norm_eval({x.name}{operands}, eps={number(module.eps)})", x.axes)
    value = writer.step(f"batch_norm({x.name}{_members(writer, module, path, channel)}, eps={number(module.eps)})", x.axes)
    for stage in ("running_mean", "running_var") if module.track_running_stats else ():
        buffer = f"{path}.{stage}"
        output = f"after_{buffer.replace('.', '_')}"
        tensor = writer.tensor(buffer, channel).name
        writer.steps.append(f"{output} = {stage}({x.name}, {tensor}, momentum={number(module.momentum)})")
        writer.buffers[output] = buffer
    return value


def _norm(writer, module, path, x):
    if isinstance(module, nn.LayerNorm):
        count = len(module.normalized_shape)
        axes = x.axes[-count:]
        operands = _members(writer, module, path, axes)
        return writer.step(f"layer_norm({x.name}{operands}, {axes_text(x, range(-count, 0))}, eps={number(module.eps)})", x.axes)
    if x.axes[1] is None and not module.affine and not isinstance(module, nn.GroupNorm):  # of one channel
        over = [axis for axis in x.axes[2:] if axis]
        return writer.step(f"layer_norm({x.name}, {', '.join(over)}, eps={number(module.eps)})", x.axes)
    operands = _members(writer, module, path, [x.axes[1]])
    if isinstance(module, nn.GroupNorm):
        return writer.step(f"group_norm({x.name}{operands}, groups={module.num_groups}, eps={number(module.eps)})", x.axes)
    if module.track_running_stats:
        raise Unknown("InstanceNorm's running statistics have no stage")
    return writer.step(f"instance_norm({x.name}{operands}, eps={number(module.eps)})", x.axes)
