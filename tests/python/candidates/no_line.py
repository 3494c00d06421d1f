# SPDX-License-Identifier: Apache-2.0
"""A reference with an operation that has no stage (sin), and a BatchNorm with its buffers."""
import torch
from torch import nn


class Model(nn.Module):
    def __init__(self, inner, cols):
        super().__init__()
        self.linear = nn.Linear(inner, cols)
        self.norm = nn.BatchNorm1d(cols)

    def forward(self, x):
        return torch.atan(self.norm(self.linear(x)))


def get_inputs():
    return [torch.rand(12, 16)]


def get_init_inputs():
    return [16, 24]
