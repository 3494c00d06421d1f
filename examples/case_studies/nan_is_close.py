# SPDX-License-Identifier: Apache-2.0
"""Wrong kernels pass: no NaN is farther than a tolerance, and one element is none (github.com/linkedin/Liger-Kernel/issues/259).

The comparison counted where `abs(a - b) > tolerance`, which is false of a NaN, and failed where it counted more than one.
A KL divergence with NaNs had passed; here a softmax that overflows stands for it, and one that misses an element.
"""
import torch
from verdicts import judged, says, show

x = torch.randn(16, 64, generator=torch.Generator().manual_seed(0)) + 100


def softmax(x):
    t = torch.exp(x - x.amax(-1, keepdim=True))
    return t / t.sum(-1, keepdim=True)


def overflows(x):
    return torch.exp(x) / torch.exp(x).sum(-1, keepdim=True)


def misses_one(x):
    y = softmax(x)
    return torch.where(torch.arange(y.numel()).reshape(y.shape) == int(y.argmax()), 0.0, y)


def more_than_one_is_far(a, b, rtol=1e-5, atol=1e-8):
    return int(((a - b).abs() > atol + rtol * b.abs()).sum()) > 1


for name, kernel in (("right", softmax), ("wrong: exp(x) overflows", overflows), ("wrong: the largest element is 0", misses_one)):
    passes = not more_than_one_is_far(kernel(x), torch.softmax(x, -1))
    show(name, f"more than one with abs(a - b) > tolerance: {says(passes)}",
         judged(kernel, "y = softmax(x)", x=x, backward=False))
