# SPDX-License-Identifier: Apache-2.0
"""A candidate whose gradient vanishes by mathematics is complete, training steps too, and one that gives another is convicted."""
import re

from trial_support import check, counts

MODEL = """
import torch
from torch import nn


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.gemm, self.scale, self.bn = nn.Linear(24, 32), nn.Parameter(torch.randn(32)), nn.BatchNorm1d(32)

    def forward(self, x):
        return self.bn(self.gemm(x) * self.scale)


def get_inputs():
    return [torch.rand(16, 24)]


class Leak(torch.autograd.Function):
    @staticmethod
    def forward(ctx, v, bias):
        return v + 0 * bias

    @staticmethod
    def backward(ctx, dy):
        return dy, torch.full_like(dy[0], 1e-3)


class ModelNew(Model):
"""
ITSELF = "    pass\n"
LEAKING = "    def forward(self, x):\n        return self.bn(Leak.apply(self.gemm(x), self.gemm.bias) * self.scale)\n"


def test_a_bias_before_a_batch_norm_leaves_no_gap(tmp_path):
    said, code = check(tmp_path, MODEL + ITSELF, "--verbose", reference=None)
    assert code == 0 and "incomplete:" not in said and "vanishing by mathematics" in said, said
    assert "candidate.step3" in said and counts(said)["failed"] == 0, said


def test_a_gradient_that_ought_to_vanish_and_does_not_is_convicted(tmp_path):
    said, code = check(tmp_path, MODEL + LEAKING, reference=None)
    assert code == 1 and "FAILED  candidate d_gemm.bias" in said and "FAILED  candidate.step1 d_gemm.bias" in said, said
    assert not re.search(r"FAILED +(candidate )?d_x ", said), said
