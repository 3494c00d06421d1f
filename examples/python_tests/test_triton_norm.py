# SPDX-License-Identifier: Apache-2.0
"""A kernel in Triton under gradproof.check, forward and backward: on the device, or where there is none by Triton's interpreter.

    PYTHONPATH=build/cpu/share/gradproof/python PYTHON -m pytest -rs examples/python_tests/test_triton_norm.py
"""
import os

import gradproof
import pytest
import torch

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"
if DEVICE == "cpu":
    os.environ["TRITON_INTERPRET"] = "1"  # read when triton is imported
triton = pytest.importorskip("triton", reason="no triton beside this torch")
tl = pytest.importorskip("triton.language")

LINE = "y = rms_norm(x, weight, eps=1e-6)"


@triton.jit
def forward_of_a_row(x, weight, y, rstd, cols, BLOCK: tl.constexpr):
    row, lanes = tl.program_id(0), tl.arange(0, BLOCK)
    inside = lanes < cols
    xs = tl.load(x + row * cols + lanes, mask=inside, other=0).to(tl.float32)
    r = 1 / tl.sqrt(tl.sum(xs * xs, 0) / cols + 1e-6)
    ws = tl.load(weight + lanes, mask=inside, other=0).to(tl.float32)
    tl.store(y + row * cols + lanes, (xs * r * ws).to(y.dtype.element_ty), mask=inside)
    tl.store(rstd + row, r)


@triton.jit
def backward_of_a_row(dy, x, weight, rstd, d_x, d_weight, cols, BLOCK: tl.constexpr, WITH_MEAN: tl.constexpr):
    row, lanes = tl.program_id(0), tl.arange(0, BLOCK)
    inside = lanes < cols
    r = tl.load(rstd + row)
    xhat = tl.load(x + row * cols + lanes, mask=inside, other=0).to(tl.float32) * r
    dys = tl.load(dy + row * cols + lanes, mask=inside, other=0).to(tl.float32)
    g = dys * tl.load(weight + lanes, mask=inside, other=0).to(tl.float32)
    mean = tl.sum(g * xhat, 0) / cols if WITH_MEAN else 0.0
    tl.store(d_x + row * cols + lanes, (r * (g - xhat * mean)).to(d_x.dtype.element_ty), mask=inside)
    tl.store(d_weight + row * cols + lanes, dys * xhat, mask=inside)


class RmsNorm(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, weight, with_mean=True):
        rows, cols = x.shape
        y, rstd = torch.empty_like(x), torch.empty(rows, device=x.device)
        forward_of_a_row[(rows,)](x, weight, y, rstd, cols, BLOCK=triton.next_power_of_2(cols))
        ctx.save_for_backward(x, weight, rstd)
        ctx.with_mean = with_mean
        return y

    @staticmethod
    def backward(ctx, dy):
        x, weight, rstd = ctx.saved_tensors
        rows, cols = x.shape
        d_x, parts = torch.empty_like(x), torch.empty(rows, cols, device=x.device)
        backward_of_a_row[(rows,)](dy.contiguous(), x, weight, rstd, d_x, parts, cols, BLOCK=triton.next_power_of_2(cols),
                                   WITH_MEAN=ctx.with_mean)
        return d_x, parts.sum(0).to(weight.dtype), None


ON_THE_DEVICE = pytest.mark.skipif(DEVICE == "cpu", reason="Triton's interpreter cuts bfloat16 off where the device rounds")


@pytest.mark.parametrize("dtype", ["f32", "f16", pytest.param("bf16", marks=ON_THE_DEVICE)])
@pytest.mark.parametrize("fill", ["normal", "offset:1e3", "outlier:1e4"])
def test_rms_norm(dtype, fill):
    gradproof.check(RmsNorm.apply, LINE, rows=16, cols=96, dtype=dtype, fill=fill, device=DEVICE)


def test_a_gradient_without_the_mean_is_convicted():
    with pytest.raises(gradproof.Convicted) as raised:
        gradproof.check(lambda x, weight: RmsNorm.apply(x, weight, False), LINE, rows=16, cols=96, device=DEVICE)
    assert raised.value.judgement.tensors("Failed") == ["d_x"]
