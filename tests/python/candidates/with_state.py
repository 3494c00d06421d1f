# SPDX-License-Identifier: Apache-2.0
"""A reference with a BatchNorm, whose buffers go from step to step: each operation has a stage."""
import torch

import no_line
from no_line import get_init_inputs, get_inputs


class Model(no_line.Model):
    def forward(self, x):
        return torch.tanh(self.norm(self.linear(x)))
