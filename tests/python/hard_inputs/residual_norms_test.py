# SPDX-License-Identifier: Apache-2.0
"""A norm beside a residual: autograd adds what comes back by the norm's ways one after the other (docs/bounds.md, A sum of cotangents)."""
import pytest
import torch
import torch.nn.functional as F

from function_support import normal, program  # noqa: F401
import gradproof

LAYER = "y = add(x, layer_norm(x, w, b))"


def by_operators(x, w, b):
    mean = x.mean(-1, keepdim=True)
    return x + ((x - mean) * torch.rsqrt((x - mean).square().mean(-1, keepdim=True) + 1e-5) * w + b)


def by_variance(x, w, b):
    return x + ((x - x.mean(-1, keepdim=True)) / torch.sqrt(x.var(-1, correction=0, keepdim=True) + 1e-5) * w + b)


@pytest.mark.parametrize("function", [by_operators, by_variance])
def test_a_layer_norm_by_operators_beside_a_residual(function):
    gradproof.check(function, LAYER, x=normal(16, 64), w=normal(64, seed=5), b=normal(64, seed=6))


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.float16])
def test_a_root_mean_square_beside_a_residual(dtype):
    given = {"x": normal(16, 64).to(dtype), "w": normal(64, seed=5).to(dtype)}

    def function(x, w):
        return x + F.rms_norm(x, (64,), w, 1e-6)
    gradproof.check(function, "y = add(x, rms_norm(x, w, eps=1e-6))", **given)
    gradproof.check(function, reference=function, **given)


class Off(torch.autograd.Function):
    """The identity, whose gradient is off by a part."""

    @staticmethod
    def forward(ctx, x):
        return x.clone()

    @staticmethod
    def backward(ctx, dy):
        return dy * (1 + 2 ** -20)


def test_a_residual_that_is_off_by_some_units_is_convicted():
    with pytest.raises(gradproof.Convicted, match="d_x"):
        gradproof.check(lambda x, w: Off.apply(x) + F.rms_norm(x, (64,), w, 1e-6), "y = add(x, rms_norm(x, w, eps=1e-6))",
                        x=normal(16, 64), w=normal(64, seed=5))


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
@pytest.mark.parametrize("wide", [False, True])
def test_a_norm_that_takes_its_input_twice_in_16_bits(dtype, wide):
    """T5's, whose x stands in 16 bits where the root divides it; and Llama's with two casts."""
    def function(x, weight):
        root = torch.rsqrt(x.float().pow(2).mean(-1, keepdim=True) + 1e-6)
        return weight * ((x.float() if wide else x) * root).to(x.dtype)
    line = gradproof.claim("llama_rms_norm") if wide else "y = rms_norm(x, weight, eps=1e-6)"
    given = {"x": normal(16, 64).to(dtype), "weight": normal(64, seed=5).to(dtype)}
    gradproof.check(function, line, **given)
    with pytest.raises(gradproof.Convicted):
        gradproof.check(lambda x, weight: function(x, weight) + (function(x, weight.detach()) * 0.01).detach(), line, **given)
