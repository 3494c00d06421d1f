# SPDX-License-Identifier: Apache-2.0
"""A wrong kernel passes: zeros in place of a softmax (github.com/ScalingIntelligence/KernelBench/issues/165).

Results of a row of many elements are smaller than the tolerance, atol=1e-2, whatever they are.
"""
import torch
from verdicts import judged, says, show

x = torch.rand(64, 4096, generator=torch.Generator().manual_seed(0))


def softmax(x):
    t = torch.exp(x - x.amax(-1, keepdim=True))
    return t / t.sum(-1, keepdim=True)


def zeros(x):
    return x * 0


for name, kernel in (("right", softmax), ("wrong: zeros", zeros)):
    passes = torch.allclose(kernel(x), torch.softmax(x, -1), atol=1e-2, rtol=1e-2)
    show(name, f"allclose(atol=1e-2, rtol=1e-2): {says(passes)}", judged(kernel, "y = softmax(x)", x=x))
