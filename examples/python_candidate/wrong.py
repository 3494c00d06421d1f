# SPDX-License-Identifier: Apache-2.0
"""A wrong candidate: torch's var divides by N - 1, a LayerNorm by N."""
import torch
from torch import nn


class ModelNew(nn.Module):
    def __init__(self, cols):
        super().__init__()
        self.norm = nn.LayerNorm(cols)

    def forward(self, x):
        centred = x - x.mean(-1, keepdim=True)
        variance = x.var(-1, keepdim=True)
        y = centred * torch.rsqrt(variance + self.norm.eps) * self.norm.weight + self.norm.bias
        return torch.nn.functional.gelu(y)
