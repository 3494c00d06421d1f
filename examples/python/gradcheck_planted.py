# SPDX-License-Identifier: Apache-2.0
"""batchnorm_bias_divide_swish in training mode, float64: right, and with a mistake planted in its backward pass."""
import dataclasses

import torch
from torch.nn import functional as F

EPS = 1e-5
ROWS, COLS = 1024, 2
NAMES = ["d_x", "d_weight", "d_beta", "d_bias"]


def inputs_of(rows, cols, seed=1):
    """x, weight, beta, bias that ask for a gradient, and dy."""
    torch.manual_seed(seed)
    options = {"dtype": torch.float64}
    x = torch.randn(rows, cols, **options)
    weight, beta = 1 + 0.3 * torch.randn(cols, **options), 0.3 * torch.randn(cols, **options)
    bias, dy = torch.randn(1, **options), 1 + torch.randn(rows, cols, **options)
    return tuple(each.requires_grad_() for each in (x, weight, beta, bias)), dy


def plain_chain(divide):
    """By PyTorch's own functions."""

    def chain(x, weight, beta, bias):
        z = (F.batch_norm(x, None, None, weight, beta, training=True, eps=EPS) + bias) / divide
        return z * torch.sigmoid(z)

    return chain


@dataclasses.dataclass
class Mistake:
    """One wrong backward formula; what is not named here is as it should be."""

    name: str
    tensor: str = "d_x"
    divide: float = 1.5
    factor: float = 1.0  # on the whole tensor
    one_entry: float = 1.0  # on one entry of it
    mean_term: float = 1.0  # on S1/N
    xhat_term: float = 1.0  # on xhat S2/N
    forgets_divide: bool = False


N = ROWS
MISTAKES = [
    Mistake("mean term missing", mean_term=0),
    Mistake("1/d missing, d = 1.5", forgets_divide=True),
    Mistake("one entry off by 1e-2", one_entry=1 + 1e-2),
    Mistake("xhat term missing, d = 1.5", xhat_term=0),
    Mistake("xhat term missing, d = 1000", xhat_term=0, divide=1000),
    Mistake("mean term missing, d = 1000", mean_term=0, divide=1000),
    Mistake("1/d missing, d = 1.0001", forgets_divide=True, divide=1.0001),
    Mistake("mean term times (N-1)/N", mean_term=(N - 1) / N),
    Mistake("xhat term times (N-1)/N", xhat_term=(N - 1) / N),
    Mistake("times N/(N-1)", "d_weight", factor=N / (N - 1)),
    Mistake("one entry off by 1e-4", one_entry=1 + 1e-4),
    Mistake("times 1 + 1e-4", factor=1 + 1e-4),
    Mistake("times 1 + 1e-6", factor=1 + 1e-6),
    Mistake("times 1 + 1e-6", "d_bias", factor=1 + 1e-6),
    Mistake("times 1 + 1e-9", factor=1 + 1e-9),
]


def gradients(mistake, x, weight, beta, bias, dy):
    """The formulas of the backward pass, with the mistake in them."""
    mean = x.mean(0)
    rstd = 1 / torch.sqrt((x - mean).square().mean(0) + EPS)
    xhat = (x - mean) * rstd
    z = (weight * xhat + beta + bias) / mistake.divide
    s = torch.sigmoid(z)
    dz = dy * s * (1 + z * (1 - s))
    g = dz if mistake.forgets_divide and mistake.tensor != "d_x" else dz / mistake.divide
    for_x = dz if mistake.forgets_divide else g
    s1, s2 = for_x.mean(0), (for_x * xhat).mean(0)
    d_x = weight * rstd * (for_x - mistake.mean_term * s1 - xhat * mistake.xhat_term * s2)
    result = [d_x, (g * xhat).sum(0), g.sum(0), g.sum().reshape(1)]
    at = NAMES.index(mistake.tensor)
    result[at] = result[at] * mistake.factor
    result[at].view(-1)[result[at].numel() // 3] *= mistake.one_entry
    return tuple(result)


def wrong_chain(mistake):
    """The right value with the mistaken gradient, as a function that autograd takes."""

    class Chain(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x, weight, beta, bias):
            ctx.save_for_backward(x, weight, beta, bias)
            return plain_chain(mistake.divide)(x, weight, beta, bias)

        @staticmethod
        def backward(ctx, dy):
            return gradients(mistake, *ctx.saved_tensors, dy)

    return Chain.apply


def relative_error(mistake, inputs, dy):
    """Of the tensor with the mistake, over its largest entry, for this dy."""
    with torch.no_grad():
        at = NAMES.index(mistake.tensor)
        right = gradients(Mistake("none", divide=mistake.divide), *inputs, dy)[at]
        wrong = gradients(mistake, *inputs, dy)[at]
        return ((wrong - right).abs().max() / right.abs().max()).item()
