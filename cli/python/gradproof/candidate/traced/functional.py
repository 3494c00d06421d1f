# SPDX-License-Identifier: Apache-2.0
"""Functions of torch.nn.functional that take parameters as stages of docs/graphs.md; modules.py has the modules of the same names."""
import math

import torch

from gradproof.candidate.traced import operations
from gradproof.candidate.traced.operations import Parameter, Unknown, axes_text, number

# torch's rms_norm adds the type's distance of 1 to the next number where no eps is said; 16-bit types are computed in float32.
RMS_EPS = torch.finfo(torch.float32).eps

# What nll_loss and cross_entropy take where nothing else is said; all else is None.
LOSS_DEFAULTS = {"ignore_index": -100, "reduction": "mean", "label_smoothing": 0.0}


def _members(call, axes, **places):
    """The parameters as operands, by names the places that they have; one that is None is left out."""
    found = []
    for name, place in places.items():
        value = call.option(place, name, None)
        if value is None:
            continue
        if not isinstance(value, Parameter):
            raise Unknown(f"{call.word} with a {name} that a step makes")
        found.append(f", {call.writer.tensor(value.name, axes).name}")
    return "".join(found)


def layer_norm(call):
    axes = call.x.axes[-len(_shape(call)):]
    members = _members(call, axes, weight=2, bias=3)
    return call.writer.step(f"layer_norm({call.x.name}{members}, {_names(call, axes)}, eps={number(call.option(4, 'eps', 1e-5))})",
                            call.x.axes)


def rms_norm(call):
    axes, eps = call.x.axes[-len(_shape(call)):], call.option(3, "eps", None)
    members = _members(call, axes, weight=2)
    return call.writer.step(f"rms_norm({call.x.name}{members}, {_names(call, axes)}, eps={number(RMS_EPS if eps is None else eps)})",
                            call.x.axes)


def _shape(call):
    shape = call.option(1, "normalized_shape", None)
    return [shape] if isinstance(shape, int) else shape


def _names(call, axes):
    return axes_text(call.x, range(-len(axes), 0))


def group_norm(call):
    members = _members(call, [call.x.axes[1]], weight=2, bias=3)
    return call.writer.step(f"group_norm({call.x.name}{members}, groups={call.option(1, 'num_groups', None)}, "
                            f"eps={number(call.option(4, 'eps', 1e-5))})", call.x.axes)


def batch_norm(call):
    channel, eps = [call.x.axes[1]], number(call.option(7, "eps", 1e-5))
    if not call.option(5, "training", False):
        members = _members(call, channel, running_mean=1, running_var=2, weight=3, bias=4)
        return call.writer.step(f"batch_norm_eval({call.x.name}{members}, eps={eps})", call.x.axes)
    if call.option(1, "running_mean", None) is not None:
        raise Unknown("batch_norm changes a buffer that is an argument")
    return call.writer.step(f"batch_norm({call.x.name}{_members(call, channel, weight=3, bias=4)}, eps={eps})", call.x.axes)


def linear(call):
    weight = call.option(1, "weight", None)
    if not isinstance(weight, Parameter):
        raise Unknown("linear with a weight that a step makes")
    bias = call.option(2, "bias", None)
    if bias is not None and not isinstance(bias, Parameter):
        raise Unknown("linear with a bias that a step makes")
    return operations.linear(call.writer, call.x, weight, bias)


def nll_loss(call):
    labels = call.option(1, "target", None)
    said = {key: value for key, value in call.keywords.items() if key not in ("input", "target") and value != LOSS_DEFAULTS.get(key)}
    if "weight" not in said and call.option(2, "weight", None) is not None:
        said["weight"] = call.arguments[2]
    if len(call.arguments) > 3 or set(said) - {"reduction", "ignore_index", "weight", "label_smoothing"}:
        raise Unknown(f"{call.word} with {' '.join(said) or 'more than its labels'}")
    if not isinstance(labels, Parameter) or None in call.x.axes:
        raise Unknown(f"{call.word} of other shapes than rows of classes")
    if labels.name in call.writer.given and bool((call.writer.given[labels.name] == LOSS_DEFAULTS["ignore_index"]).any()):
        said.setdefault("ignore_index", LOSS_DEFAULTS["ignore_index"])
    classes = call.x.axes[-1 if len(call.x.axes) == 1 else 1]
    over = [axis for axis in call.x.axes if axis != classes]
    named = call.writer.tensor(labels.name, over).name
    if not said and len(over) == 1:
        return call.writer.step(f"nll_loss({call.x.name}, {named})", [])
    return _loss_by_parts(call, named, classes, over, said)


def _loss_by_parts(call, labels, classes, over, said):
    """The negative logarithms at the labels, and what the reduction makes of them."""
    ignored = f", ignore={said['ignore_index']}" if "ignore_index" in said else ""
    taken = call.writer.step(f"take({call.x.name}, {labels}, {classes}{ignored})", over)
    reduction = said.get("reduction", "mean")
    if "label_smoothing" in said:
        return _smoothed(call, taken, classes, over, said, ignored)
    if "weight" in said:
        return _weighted(call, labels, taken, classes, over, ignored, said["weight"], reduction)
    if reduction == "none" or not over:
        return call.writer.step(f"neg({taken.name})", over)
    stage = "mean" if reduction == "mean" and not ignored else "sum"
    total = call.writer.step(f"{stage}({taken.name}, {', '.join(over)})", [])
    if reduction == "mean" and ignored:
        count = call.writer.step(f"count({labels}{ignored})", [])
        total = call.writer.step(f"divide({total.name}, {count.name})", [])
    return call.writer.step(f"neg({total.name})", [])


def _smoothed(call, taken, classes, over, said, ignored):
    """Each part is reduced by itself, that of all classes as a sum and a quotient, and then they are added, as torch does it (LossNLL.cpp,
    cross_entropy_loss_label_smoothing)."""
    if ignored or "weight" in said:
        raise Unknown("label_smoothing with weights, or with labels that are left out")
    share, count, reduction = said["label_smoothing"], call.writer.extents[classes], said.get("reduction", "mean")
    parts = [taken, call.writer.step(f"sum({call.x.name}, {classes})", over)]
    if reduction != "none" and over:
        parts = [call.writer.step(f"{stage}({one.name}, {', '.join(over)})", []) for one, stage in zip(parts, (reduction, "sum"))]
    if reduction == "mean" and over:
        rows = math.prod(call.writer.extents[axis] for axis in over)
        parts[1] = call.writer.step(f"divide({parts[1].name}, {rows})", [])
    own, other = (call.writer.step(f"multiply({one.name}, {number(part)})", one.axes) for one, part in zip(parts, (1 - share, share / count)))
    return call.writer.step(f"neg({call.writer.step(f'add({own.name}, {other.name})', own.axes).name})", own.axes)


def _weighted(call, labels, taken, classes, over, ignored, weight, reduction):
    """Each logarithm times the weight of its class; the mean is over the sum of these weights. torch has no gradient of them."""
    if not isinstance(weight, Parameter):
        raise Unknown(f"{call.word} with a weight that a step makes")
    table = call.writer.tensor(weight.name, [classes]).name
    call.writer.fixed.add(weight.name)
    weights = call.writer.step(f"take({table}, {labels}, {classes}{ignored})", over)
    total = call.writer.step(f"multiply({taken.name}, {weights.name})", over)
    if reduction != "none" and over:
        total, sum_ = (call.writer.step(f"sum({one.name}, {', '.join(over)})", []) for one in (total, weights))
        if reduction == "mean":
            total = call.writer.step(f"divide({total.name}, {sum_.name})", [])
    return call.writer.step(f"neg({total.name})", total.axes)


def cross_entropy(call):
    classes = axes_text(call.x, [-1 if len(call.x.axes) == 1 else 1])
    logarithms = call.writer.step(f"log_softmax({call.x.name}, {classes})", call.x.axes)
    return nll_loss(_with_x(call, logarithms))


def _with_x(call, x):
    keywords = {key: value for key, value in call.keywords.items() if key != "input"}
    return type(call)(call.writer, call.word, [x, *call.arguments[1:]], keywords, call.shape)


def power(call):
    exponent = call.option(1, "exponent", None)
    if exponent == 3:  # torch multiplies x x x
        squared = call.writer.step(f"square({call.x.name})", call.x.axes)
        return call.writer.step(f"multiply({squared.name}, {call.x.name})", call.x.axes)
    if exponent in (-0.5, 0.5):
        return call.writer.step(f"{'rsqrt' if exponent < 0 else 'sqrt'}({call.x.name})", call.x.axes)
    if exponent == -1:
        return call.writer.step(f"divide(1, {call.x.name})", call.x.axes)
    if exponent == 2:
        return call.writer.step(f"square({call.x.name})", call.x.axes)
    if not isinstance(exponent, (int, float)) or float(exponent).is_integer():
        raise Unknown(f"a power of {exponent} has no stage")
    return call.writer.step(f"pow({call.x.name}, exponent={number(exponent)})", call.x.axes)


FUNCTIONS = {"layer_norm": layer_norm, "rms_norm": rms_norm, "group_norm": group_norm, "batch_norm": batch_norm, "linear": linear,
             "nll_loss": nll_loss, "cross_entropy": cross_entropy, "pow": power}
