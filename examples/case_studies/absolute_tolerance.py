# SPDX-License-Identifier: Apache-2.0
"""A right kernel fails: an absolute tolerance of bfloat16 results (github.com/sgl-project/sglang/pull/35795).

A LayerNorm, then a rotary embedding, computed in float32 and rounded once. Its test allows atol=0.06 beside a float32
reference; half a unit in the last place of bfloat16 is 0.0625 from 16 on.
"""
import torch
from verdicts import judged, show

RUNS, ROWS, COLS = 200, 37, 128
LINE = "n = layer_norm(x, weight, beta, eps=1e-6); y = rotary(n, cos[rows,cols], sin[rows,cols])"


def exact(x, weight, beta, cos, sin, eps=1e-6):
    x, weight, beta, cos, sin = (t.float() for t in (x, weight, beta, cos, sin))
    d = x - x.mean(-1, keepdim=True)
    n = d * torch.rsqrt((d * d).mean(-1, keepdim=True) + eps) * weight + beta
    first, second = n.chunk(2, -1)
    return n * cos + torch.cat((-second, first), -1) * sin


def fused(*tensors, eps=1e-6):
    return exact(*tensors, eps=eps).bfloat16()


def eps_of_a_thousandth(*tensors):
    return fused(*tensors, eps=1e-3)


generator = torch.Generator().manual_seed(0)
wide, narrow = (RUNS * ROWS, COLS), (COLS,)
x, weight, beta, cos, sin = (torch.randn(shape, generator=generator).bfloat16() for shape in (wide, narrow, narrow, wide, wide))
for name, kernel in (("right", fused), ("wrong: eps of 1e-3 in place of 1e-6", eps_of_a_thousandth)):
    far = (kernel(x, weight, beta, cos, sin).float() - exact(x, weight, beta, cos, sin)).abs() > 0.06
    failed = int(far.reshape(RUNS, -1).any(1).sum())
    show(name, f"assert_close(atol=0.06, rtol=0): fails in {failed} of {RUNS} runs",
         judged(kernel, LINE, x=x, weight=weight, beta=beta, cos=cos, sin=sin, backward=False))
