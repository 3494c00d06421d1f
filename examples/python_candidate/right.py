# SPDX-License-Identifier: Apache-2.0
"""A candidate: the norm written out, in two passes."""
import torch
from torch import nn


class ModelNew(nn.Module):
    def __init__(self, cols):
        super().__init__()
        self.norm = nn.LayerNorm(cols)  # names of parameters as in the reference: they are copied by name

    def forward(self, x):
        centred = x - x.mean(-1, keepdim=True)
        variance = (centred * centred).mean(-1, keepdim=True)
        y = centred * torch.rsqrt(variance + self.norm.eps) * self.norm.weight + self.norm.bias
        return torch.nn.functional.gelu(y)
