# SPDX-License-Identifier: Apache-2.0
"""A wrong kernel passes: a sum of squares in bfloat16, by its correlation (github.com/Xilinx/mlir-air/pull/1679).

An RMSNorm whose sum of squares is kept in bfloat16 scales each row by a wrong number. The correlation with the reference
hardly sees that, and had to be 0.99.
"""
import torch
from verdicts import judged, says, show

generator = torch.Generator().manual_seed(0)
x, weight = torch.randn(64, 512, generator=generator).bfloat16(), torch.randn(512, generator=generator).bfloat16()


def rms_norm(x, weight, kept=torch.float32):
    """The sum of squares is one after the other, in the type `kept`."""
    total = torch.zeros(len(x), dtype=kept)
    for column in x.unbind(-1):
        total = total + column.to(kept) ** 2
    rstd = torch.rsqrt(total.float() / x.shape[-1] + 1e-6)
    return (x.float() * rstd[:, None] * weight.float()).bfloat16()


def kept_in_bfloat16(x, weight):
    return rms_norm(x, weight, torch.bfloat16)


reference = torch.nn.functional.rms_norm(x.float(), (512,), weight.float(), 1e-6).flatten()
for name, kernel in (("right: the sum in float32", rms_norm), ("wrong: the sum in bfloat16", kept_in_bfloat16)):
    correlation = torch.corrcoef(torch.stack((kernel(x, weight).float().flatten(), reference)))[0, 1]
    show(name, f"correlation {correlation:.5f}, at least 0.99: {says(correlation >= 0.99)}",
         judged(kernel, "y = rms_norm(x, weight, eps=1e-6)", x=x, weight=weight, backward=False))
