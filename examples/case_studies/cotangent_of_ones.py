# SPDX-License-Identifier: Apache-2.0
"""A wrong kernel passes: BatchNorm's backward takes 1/std for a variance (github.com/flagos-ai/FlagGems/issues/5222).

The reference of its test made the same mistake. Mended, the test scales x by 3, and still sends back ones under a weight of
ones (pull request 5223): then the exact gradients of x and of weight are 0. It allows 1e-4 times the number of terms.
"""
import torch
from verdicts import judged, says, show

ROWS, COLS = 1024, 32
LINE = "y = batch_norm(x, weight, beta, eps=1e-5)"


class BatchNorm(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, weight, beta, twice):
        mean = x.mean(0)
        rstd = torch.rsqrt(((x - mean) ** 2).mean(0) + 1e-5)
        ctx.save_for_backward(x, weight, mean, torch.rsqrt(rstd + 1e-5) if twice else rstd)
        return (x - mean) * rstd * weight + beta

    @staticmethod
    def backward(ctx, dy):
        x, weight, mean, rstd = ctx.saved_tensors
        xhat, g = (x - mean) * rstd, dy * weight
        return rstd * (g - g.mean(0) - xhat * (g * xhat).mean(0)), (dy * xhat).sum(0), dy.sum(0), None


def right(x, weight, beta):
    return BatchNorm.apply(x, weight, beta, False)


def wrong(x, weight, beta):
    return BatchNorm.apply(x, weight, beta, True)


def reference(x, weight, beta):
    return torch.nn.functional.batch_norm(x, None, None, weight, beta, True, 0.0, 1e-5)


def gradients(function, dtype, dy, *tensors):
    leaves = [t.to(dtype).requires_grad_() for t in tensors]
    return torch.autograd.grad(function(*leaves), leaves, dy.to(dtype))


generator = torch.Generator().manual_seed(0)
x, normal = (torch.randn(ROWS, COLS, generator=generator) for _ in range(2))
tensors = {"x": 3 * x, "weight": torch.ones(COLS), "beta": torch.ones(COLS)}
for name, kernel in (("right", right), ("wrong: 1/sqrt of 1/std", wrong)):
    for sent, dy in (("ones", torch.ones_like(x)), ("normal numbers", normal)):
        found = zip(gradients(kernel, torch.float32, dy, *tensors.values()),
                    gradients(reference, torch.float64, dy, *tensors.values()))
        passes = all(torch.allclose(g, r.float(), atol=1e-4 * ROWS, rtol=1.3e-6) for g, r in found)
        show(f"{name}; sent back: {sent}", f"assert_close(atol=1e-4 * {ROWS}, rtol=1.3e-6): {says(passes)}",
             judged(kernel, LINE, dy=dy, **tensors))
