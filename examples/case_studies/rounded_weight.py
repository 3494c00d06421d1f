# SPDX-License-Identifier: Apache-2.0
"""A wrong kernel passes: Gemma's 1 + weight, added in bfloat16 (github.com/linkedin/Liger-Kernel/pull/1462).

The sum rounds to bfloat16 before it is used in float32. The tests of RMSNorm allow atol=2e-1, rtol=2e-2 in bfloat16, and
passed before that was mended and after. The kernel is fused, so its contract says stored=outputs: of code that declares
nothing an operator at a time is right too, and that rounds the sum.
"""
import torch
from verdicts import judged, says, show

LINE = "y = multiply(rms_norm(x, eps=1e-6), add(weight[cols], 1))"
generator = torch.Generator().manual_seed(0)
x = torch.randn(128, 4096, generator=generator).bfloat16()
weight = (torch.randn(4096, generator=generator) / 10).bfloat16()


def gemma(x, factor):
    x = x.float()
    return (x * torch.rsqrt((x * x).mean(-1, keepdim=True) + 1e-6) * factor.float()).bfloat16()


def added_in_float32(x, weight):
    return gemma(x, weight.float() + 1)


def added_in_bfloat16(x, weight):
    return gemma(x, weight + 1)


for name, kernel in (("right: 1 + weight in float32", added_in_float32), ("wrong: 1 + weight in bfloat16", added_in_bfloat16)):
    passes = torch.allclose(kernel(x, weight), added_in_float32(x, weight), atol=2e-1, rtol=2e-2)
    show(name, f"assert_close(atol=2e-1, rtol=2e-2): {says(passes)}",
         judged(kernel, LINE, contract="stored=outputs", x=x, weight=weight))
