# SPDX-License-Identifier: Apache-2.0
"""Bad input as Python sees it. tests/operators/refusal_test.cpp has the whole table; here are the classes."""
import pytest
import torch

from operators import Setting, arguments, call

pytestmark = pytest.mark.usefixtures("library")

NAME = "batchnorm_bias_divide_swish"
X = torch.zeros(5, 6, dtype=torch.float64)
MISTAKES = [
    ({"x": X[0]}, RuntimeError, r"x has shape \[6\]; expected \(rows, cols\)"),
    ({"x": X.long()}, NotImplementedError, "x is Long; expected Float, Double, Half or BFloat16"),
    ({"x": X.to_sparse()}, NotImplementedError, "x is Sparse; expected a dense tensor"),
    ({"x": X[:1]}, ValueError, r"Expected more than 1 value per channel when training, got input size \[1, 6\]"),
    ({"bias": torch.zeros(5, dtype=torch.float64)}, RuntimeError,
     r"bias has shape \[5\]; expected \[1\], \[6\] or \[1, 6\]"),
    ({"bias": torch.zeros(6)}, RuntimeError, "bias is Float; expected Double, as x"),
    ({"bias": torch.zeros(6, dtype=torch.float64, device="meta")}, RuntimeError, "is on .*; expected"),
    ({"weight": None}, RuntimeError, "weight is absent and beta is given; expected both or neither"),
    ({"running_var": None}, RuntimeError, "expected all three or none"),
    ({"eps": 0.0}, ValueError, "eps is 0; expected a positive and finite number"),
    ({"momentum": 1.5}, ValueError, "momentum is 1.5; expected a number from 0 to 1, or None"),
    ({"x": None}, RuntimeError, "x is undefined; expected a tensor"),
]


@pytest.mark.parametrize("change, error, text", MISTAKES)
def test_refused(change, error, text):
    given = arguments(NAME)
    call(NAME, given)  # control
    with pytest.raises(error, match=text):
        call(NAME, given | change)


def test_groups_that_do_not_divide():
    assert call("groupnorm", arguments("groupnorm", Setting(groups=3))).shape == (5, 6)
    with pytest.raises(RuntimeError, match="divisible by num_groups, .* and num_groups=4"):
        call("groupnorm", arguments("groupnorm", Setting(groups=4)))


def test_forward_mode_is_refused():
    given = arguments(NAME, requires_grad=False)
    with torch.autograd.forward_ad.dual_level(), pytest.raises(RuntimeError, match="forward"):
        call(NAME, given | {"x": torch.autograd.forward_ad.make_dual(given["x"], torch.ones_like(given["x"]))})
