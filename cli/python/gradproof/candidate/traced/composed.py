# SPDX-License-Identifier: Apache-2.0
"""Functions of torch that several stages of docs/graphs.md say together."""
import dataclasses

from gradproof.candidate.traced import operations
from gradproof.candidate.traced.operations import Unknown, number

# SELU multiplies by these two numbers (torch/nn/functional.py, selu).
SELU_ALPHA, SELU_SCALE = 1.6732632423543772848170429916717, 1.0507009873554804934193349852946


def _then(call, stage, *operands):
    """A step of the same axes; an operand is a value or a number."""
    texts = [operand.name if hasattr(operand, "name") else number(operand) for operand in operands]
    return call.writer.step(f"{stage}({', '.join(texts)})", call.x.axes)


def _elu(call, *, alpha=1, scale=1, input_scale=1):
    said = {"alpha": alpha, "scale": scale, "input_scale": input_scale}
    options = "".join(f", {key}={number(value)}" for key, value in said.items() if value != 1)
    return call.writer.step(f"elu({call.x.name}{options})", call.x.axes)


def elu(call):
    return _elu(call, alpha=call.option(1, "alpha", 1.0))


def celu(call):
    alpha = call.option(1, "alpha", 1.0)
    return _elu(call, alpha=alpha, input_scale=1 / alpha)


def selu(call):
    return _elu(call, alpha=SELU_ALPHA, scale=SELU_SCALE)


def reciprocal(call):
    return _then(call, "divide", 1, call.x)


def threshold(call):
    """x where it is above a number, else another number."""
    limit, value = call.option(1, "threshold", None), call.option(2, "value", None)
    return _then(call, "where", _then(call, "greater_equal", limit, call.x), value, call.x)


def hardshrink(call):
    limit = call.option(1, "lambd", 0.5)
    return _then(call, "where", _then(call, "greater_equal", limit, _then(call, "abs", call.x)), 0, call.x)


def softshrink(call):
    """x without its part between -lambd and lambd."""
    limit = call.option(1, "lambd", 0.5)
    return _then(call, "subtract", call.x, call.writer.step(operations.clamped(call.x.name, -limit, limit), call.x.axes))


def sign(call):
    return _then(call, "subtract", _then(call, "greater", call.x, 0), _then(call, "greater", 0, call.x))


def relu6(call):
    return call.writer.step(operations.clamped(call.x.name, 0, 6), call.x.axes)


def hardsigmoid(call):
    shifted = _then(call, "add", call.x, 3)
    return _then(call, "divide", call.writer.step(operations.clamped(shifted.name, 0, 6), call.x.axes), 6)


def softsign(call):
    return _then(call, "divide", call.x, _then(call, "add", _then(call, "abs", call.x), 1))


def logsigmoid(call):
    return _then(call, "neg", _then(call, "softplus", _then(call, "neg", call.x)))


def tanhshrink(call):
    return _then(call, "subtract", call.x, _then(call, "tanh", call.x))


def std(call):
    variance = operations.stage_of(dataclasses.replace(call, word="var"))
    return call.writer.step(f"sqrt({variance.name})", variance.axes)


def glu(call):
    """The first half of a dimension times the sigmoid of the second."""
    parts = operations.stage_of(dataclasses.replace(call, word="chunk", arguments=[call.x, 2, call.option(1, "dim", -1)], keywords={}))
    first, second = (operations.stage_of(dataclasses.replace(call, word="getitem", arguments=[parts, k], keywords={})) for k in (0, 1))
    gate = call.writer.step(f"sigmoid({second.name})", second.axes)
    return call.writer.step(f"multiply({first.name}, {gate.name})", first.axes)


def norm(call):
    """The Euclidean norm, of torch.norm and torch.linalg.vector_norm, over some dimensions or all."""
    if call.option(1, "p", call.keywords.get("ord", 2)) not in (2, 2.0, "fro", None):
        raise Unknown(f"norm with p={call.option(1, 'p', None)}")
    of = dataclasses.replace(call, word="sum", arguments=[_then(call, "square", call.x)],
                             keywords={"dim": call.option(2, "dim", None), "keepdim": call.option(3, "keepdim", False)})
    total = operations.stage_of(of)
    return call.writer.step(f"sqrt({total.name})", total.axes)


def normalize(call):
    """x / max(|x|, eps): the limit stands under the root, where its slope is none at 0."""
    if call.option(1, "p", 2.0) != 2 or call.keywords.get("out") is not None:
        raise Unknown("normalize with another norm")
    dim, eps = call.option(2, "dim", 1), call.option(3, "eps", 1e-12)
    square = _then(call, "square", call.x)
    total = operations.stage_of(dataclasses.replace(call, word="sum", arguments=[square], keywords={"dim": dim, "keepdim": True}))
    limited = call.writer.step(f"maximum({total.name}, {number(eps * eps)})", total.axes)
    root = call.writer.step(f"sqrt({limited.name})", total.axes)
    return call.writer.step(f"divide({call.x.name}, {root.name})", call.x.axes)


def _difference(call):
    target = call.option(1, "target", None)
    return operations.stage_of(dataclasses.replace(call, word="sub", arguments=[call.x, target], keywords={}, shape=list(target.shape)
                                                   if hasattr(target, "shape") else call.shape))


def _reduced(call, value, place=None):
    """By `reduction`, which torch's losses take by key; `place` is where it stands among the arguments."""
    reduction = call.option(place, "reduction", "mean") if place else call.keywords.get("reduction", "mean")
    more = sorted(key for key, value in call.keywords.items()
                  if value is not None and key not in ("target", "input", "reduction", "beta", "delta"))
    if more or reduction not in ("mean", "sum", "none"):
        raise Unknown(f"{call.word} with {' '.join(more) or f'reduction={reduction}'}")
    if reduction == "none":
        return value
    return operations.stage_of(dataclasses.replace(call, word=reduction, arguments=[value], keywords={}, shape=[]))


def mse_loss(call):
    difference = _difference(call)
    return _reduced(call, call.writer.step(f"square({difference.name})", difference.axes))


def l1_loss(call):
    difference = _difference(call)
    return _reduced(call, call.writer.step(f"abs({difference.name})", difference.axes))


def _beside(call, tensor, value):
    """A tensor that the steps took, as an operand beside a value."""
    return call.writer.tensor(tensor.name, value.axes) if isinstance(tensor, operations.Parameter) else tensor


def kl_div(call):
    """target (log target - x), 0 where the target is; batchmean is the sum over the first dimension's extent."""
    target, is_log = call.option(1, "target", None), call.keywords.get("log_target", False)
    if is_log or not hasattr(target, "shape") and not hasattr(target, "axes"):
        raise Unknown("kl_div with log_target")
    logarithm = operations.stage_of(dataclasses.replace(call, word="log", arguments=[target], keywords={}))
    apart = _then(call, "subtract", logarithm, call.x)
    terms = operations.stage_of(dataclasses.replace(call, word="mul", arguments=[apart, target], keywords={},
                                                    shape=[call.writer.extents.get(axis, 1) for axis in apart.axes]))
    terms = _then(dataclasses.replace(call, arguments=[terms]), "where", _then(call, "equal", _beside(call, target, terms), 0), 0, terms)
    inner = dataclasses.replace(call, keywords={"reduction": call.keywords.get("reduction", "mean")})
    if inner.keywords["reduction"] != "batchmean":
        return _reduced(inner, terms)
    total = operations.stage_of(dataclasses.replace(call, word="sum", arguments=[terms], keywords={}, shape=[]))
    return call.writer.step(f"divide({total.name}, {call.writer.extents.get(terms.axes[0], 1)})", [])


def smooth_l1_loss(call):
    """d^2 / (2 beta) where |d| < beta, else |d| - beta / 2: with m = min(|d|, beta) m^2 / (2 beta) + (|d| - m)."""
    return _huber(call, call.keywords.get("beta", 1.0), 1 / (2 * call.keywords.get("beta", 1.0)), 1)


def huber_loss(call):
    return _huber(call, call.keywords.get("delta", 1.0), 0.5, call.keywords.get("delta", 1.0))


def _huber(call, limit, of_square, slope):
    difference = _difference(call)
    inner = dataclasses.replace(call, arguments=[difference])
    size = _then(inner, "abs", difference)
    near = _then(inner, "minimum", size, limit)
    far = _then(inner, "subtract", size, near)
    square = _then(inner, "multiply", _then(inner, "square", near), of_square)
    return _reduced(call, _then(inner, "add", square, far if slope == 1 else _then(inner, "multiply", far, slope)))


def triplet_margin_loss(call):
    """max(|anchor - positive| - |anchor - negative| + margin, 0), each norm of what eps was added to."""
    margin, eps = call.keywords.get("margin", 1.0), call.keywords.get("eps", 1e-6)
    if call.keywords.get("p", 2.0) != 2 or call.keywords.get("swap") or len(call.arguments) > 3:
        raise Unknown("triplet_margin_loss with another norm, or swapped")

    def distance(other):
        apart = operations.stage_of(dataclasses.replace(call, word="sub", arguments=[call.x, other], keywords={}, shape=list(other.shape)
                                                        if hasattr(other, "shape") else call.shape))
        return norm(dataclasses.replace(call, arguments=[_then(call, "add", apart, eps)], keywords={"dim": -1}))

    near, far = distance(call.option(1, "positive", None)), distance(call.option(2, "negative", None))
    inner = dataclasses.replace(call, arguments=[near])
    beyond = _then(inner, "add", _then(inner, "subtract", near, far), margin)
    reduced = dataclasses.replace(inner, keywords={"reduction": call.keywords.get("reduction", "mean")})
    return _reduced(reduced, _then(inner, "relu", beyond))


COMPOSED = {"reciprocal": reciprocal, "threshold": threshold, "_threshold": threshold, "std": std, "glu": glu, "hardshrink": hardshrink, "softshrink": softshrink, "sign": sign, "elu": elu, "celu": celu, "selu": selu, "relu6": relu6, "hardsigmoid": hardsigmoid, "softsign": softsign,
            "logsigmoid": logsigmoid, "log_sigmoid": logsigmoid, "tanhshrink": tanhshrink, "norm": norm, "vector_norm": norm, "linalg_vector_norm": norm,
            "mse_loss": mse_loss, "l1_loss": l1_loss, "smooth_l1_loss": smooth_l1_loss, "huber_loss": huber_loss, "kl_div": kl_div, "normalize": normalize, "triplet_margin_loss": triplet_margin_loss}
