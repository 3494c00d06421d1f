# SPDX-License-Identifier: Apache-2.0
"""Candidates for reference.py on a GPU, by name: the text behind HEAD, the exit code, and what is said."""

HEAD = """
import torch
from torch import nn
import triton
import triton.language as tl
from reference import Model

@triton.jit
def tanh_kernel(x, y, count, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    value = tl.load(x + at, mask=at < count)
    e = tl.exp(-2 * tl.abs(value))
    half = (1 - e) / (1 + e)
    tl.store(y + at, tl.where(value < 0, -half, half), mask=at < count)

class Tanh(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        y = torch.empty_like(x)
        tanh_kernel[(triton.cdiv(x.numel(), 256),)](x, y, x.numel(), BLOCK=256)
        ctx.save_for_backward(y)
        return y
    @staticmethod
    def backward(ctx, dy):
        y, = ctx.saved_tensors
        return dy * (1 - y * y)

class Copied(torch.autograd.Function):
    @staticmethod
    def forward(ctx, right, copy):
        y = torch.empty_like(right)
        copy(right, y)
        return y
    @staticmethod
    def backward(ctx, dy):
        return dy, None
"""

CANDIDATES = {
    "eager": ("""
class ModelNew(Model):
    pass
""", 0, "failed=0"),
    "by_triton": ("""
class ModelNew(Model):
    def forward(self, x):
        return Tanh.apply(self.norm(self.linear(x)))
""", 0, "failed=0"),
    "compiled": ("""
class ModelNew(Model):
    def forward(self, x):
        return compiled(self, x)
@torch.compile
def compiled(model, x):
    return Model.forward(model, x)
""", 0, "failed=0"),
    "left_on_another_stream": ("""
def later(right, y):
    stream = torch.cuda.Stream()
    stream.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(stream):
        torch.cuda._sleep(2 ** 24)
        y.copy_(right)
    right.record_stream(stream), y.record_stream(stream)
class ModelNew(Model):
    def forward(self, x):
        return Copied.apply(super().forward(x), later)
""", 1, r"FAILED  \w+ y"),
    "begun_on_the_default_stream": ("""
class ModelNew(Model):
    def forward(self, x):
        with torch.cuda.stream(torch.cuda.default_stream()):
            return super().forward(x)
""", 1, r"execution: launches on the default stream, not on the caller's(.|\n)*failed=1 "),
    "all_but_the_last_row": ("""
class ModelNew(Model):
    def forward(self, x):
        return Copied.apply(super().forward(x), lambda right, y: y[:-1].copy_(right[:-1]))
""", 1, r"FAILED  \w+ y"),
    "on_the_cpu": ("""
class ModelNew(Model):
    def forward(self, x):
        return super().forward(x).cpu()
""", 1, "result 0 is on the device cpu, not cuda"),
    "product_in_tensor_float_32": ("""
torch.backends.cuda.matmul.allow_tf32 = True
class ModelNew(Model):
    pass
""", 1, r"FAILED  \w+ y"),
}
