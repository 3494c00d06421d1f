# SPDX-License-Identifier: Apache-2.0
"""A wrong kernel passes: groups whose size is no power of two (github.com/flagos-ai/FlagGems/issues/4984).

A block of lanes is the next power of two, and the mask stops at the last channel, not at the group's: a group of 3 reads and
writes the first channel of the next. The sizes of the test were powers of two, and one group of 3: behind the last group
there is no channel.
"""
import torch
from verdicts import judged, says, show


def group_norm(groups, ends_at_group):
    def kernel(x, weight, beta):
        channels = x.shape[1]
        size = channels // groups
        block = 1 << (size - 1).bit_length()
        count = size * x.shape[2]
        y = torch.empty_like(x)
        for first in range(0, channels, size):
            lanes = slice(first, min(first + block, first + size if ends_at_group else channels))
            d = x[:, lanes] - x[:, lanes].sum((1, 2), keepdim=True) / count
            rstd = torch.rsqrt((d * d).sum((1, 2), keepdim=True) / count + 1e-5)
            y[:, lanes] = d * rstd * weight[lanes, None] + beta[lanes, None]
        return y
    return kernel


generator = torch.Generator().manual_seed(0)
for name, ends_at_group in (("right", True), ("wrong: the mask ends at the last channel", False)):
    for channels, groups in ((32, 8), (3, 1), (48, 16)):
        x = torch.randn(2, channels, 64, generator=generator)
        weight, beta = (torch.randn(channels, generator=generator) for _ in range(2))
        kernel = group_norm(groups, ends_at_group)
        reference = torch.nn.functional.group_norm(x.double(), groups, weight.double(), beta.double(), 1e-5).float()
        passes = torch.allclose(kernel(x, weight, beta), reference, atol=1e-4, rtol=1.3e-6)
        line = f"y = group_norm(x[n,c,s], weight, beta, groups={groups}, eps=1e-5)"
        show(f"{name}; {channels} channels in groups of {channels // groups}", f"assert_close(atol=1e-4, rtol=1.3e-6): {says(passes)}",
             judged(kernel, line, x=x, weight=weight, beta=beta, backward=False))
