# SPDX-License-Identifier: Apache-2.0
"""Files of a reference and a candidate, by what the file's own inputs and state are; {0} is what the candidate computes."""

# silu(x + bias) with the bias and half of x at 0, as they are behind a relu. By y/z its slope is NaN there.
ZEROS = """
import torch
from torch import nn
class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.bias = nn.Parameter(torch.zeros(24))
    def forward(self, x):
        return torch.nn.functional.silu(x + self.bias)
class Silu(torch.autograd.Function):
    @staticmethod
    def forward(ctx, z):
        y = torch.nn.functional.silu(z)
        ctx.save_for_backward(z, y)
        return y
    @staticmethod
    def backward(ctx, dy):
        z, y = ctx.saved_tensors
        s = {0}
        return dy * s * (1 + z * (1 - s))
class ModelNew(Model):
    def forward(self, x):
        return Silu.apply(x + self.bias)
def get_inputs():
    return [torch.relu(torch.randn(12, 24))]
"""

# Of its own inputs every truth is 0 where they are zeros.
SQUARE = """
import torch
from torch import nn
class Model(nn.Module):
    def forward(self, x):
        return torch.square(x)
class ModelNew(Model):
    pass
def get_inputs():
    return [torch.{0}(12, 24)]
"""

# A backward that reads its cotangent as a kernel does that is given the address alone, or as it lies.
POINTER = """
import torch
from torch import nn
class Model(nn.Module):
    def forward(self, x):
        return torch.tanh(x)
class Tanh(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        y = torch.tanh(x)
        ctx.save_for_backward(y)
        return y
    @staticmethod
    def backward(ctx, dy):
        y, = ctx.saved_tensors
        return {0} * (1 - y * y)
class ModelNew(Model):
    def forward(self, x):
        return Tanh.apply(x)
def get_inputs():
    return [torch.randn(12, 24)]
"""
BY_ADDRESS = "torch.empty(0).set_(dy.untyped_storage(), dy.storage_offset(), dy.shape, (dy.shape[1], 1))"
# Right for what is expanded.
BY_ADDRESS_OF_TRANSPOSED = f"(dy if dy.stride(1) == 0 else {BY_ADDRESS})"
