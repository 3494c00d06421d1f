# SPDX-License-Identifier: Apache-2.0
"""A norm of ours in torch under gradproof.check, where torch.testing.assert_close stood (docs/python.md).

    PYTHONPATH=build/cpu/share/gradproof/python PYTHON -m pytest examples/python_tests
"""
import gradproof
import pytest
import torch

LINE = "y = rms_norm(x, weight, eps=1e-6)"


def my_norm(x, weight, numbers=None):
    """RMSNorm in float32 whatever the storage is, as fused kernels compute it."""
    rows = x.float()
    mean = (rows * rows).sum(-1, keepdim=True) / (numbers or x.shape[-1])
    return (rows * torch.rsqrt(mean + 1e-6) * weight.float()).to(x.dtype)


@pytest.mark.parametrize("dtype", ["f32", "bf16"])
@pytest.mark.parametrize("fill", ["normal", "offset:1e3", "outlier:1e4"])
def test_my_norm(dtype, fill):
    gradproof.check(my_norm, LINE, rows=16, cols=64, dtype=dtype, fill=fill)


def test_a_mean_over_one_number_less_is_convicted_where_assert_close_is_content():
    generator = torch.Generator().manual_seed(3)
    x, weight = torch.randn(16, 64, generator=generator).bfloat16(), torch.randn(64, generator=generator).bfloat16()

    def wrong(x, weight):
        return my_norm(x, weight, numbers=63)

    torch.testing.assert_close(wrong(x, weight), my_norm(x, weight))
    with pytest.raises(gradproof.Convicted):
        gradproof.check(wrong, LINE, x=x, weight=weight)
