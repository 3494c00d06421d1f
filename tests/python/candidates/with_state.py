# SPDX-License-Identifier: Apache-2.0
"""A reference with a BatchNorm, whose buffers go from step to step: each operation has a stage."""
import torch
from torch import nn


class Model(nn.Module):
    def __init__(self, inner, cols):
        super().__init__()
        self.linear = nn.Linear(inner, cols)
        self.norm = nn.BatchNorm1d(cols)

    def forward(self, x):
        return torch.tanh(self.norm(self.linear(x)))


def get_inputs():
    return [torch.rand(12, 16)]


def get_init_inputs():
    return [16, 24]
