# SPDX-License-Identifier: Apache-2.0
"""What PyTorch's own instruments say of every operator; each has a control that they must convict."""
import pytest
import torch
from torch.autograd.gradcheck import GradcheckError, gradcheck

import operators
from operators import Setting, arguments, call

NAMES = ["bias_divide_swish", "batchnorm_bias_divide_swish", "scale_batchnorm", "swish_bias_groupnorm", "swish_bias",
         "groupnorm", "swish_multiply_swish", "groupnorm_swish_multiply_swish"]
SETTINGS = {"plain": Setting(), "eval": Setting(training=False), "not_affine": Setting(affine=False),
            "untracked": Setting(tracked=False), "average": Setting(momentum=None)}

pytestmark = pytest.mark.usefixtures("library")


def applies(name, which):
    """Settings that the operator can tell from the plain one."""
    batch = "batchnorm" in name
    return which == "plain" or batch or (which == "not_affine" and "norm" in name)


CASES = [pytest.param(name, SETTINGS[which], id=f"{name}-{which}")
         for name in NAMES for which in SETTINGS if applies(name, which)]


def test_these_are_all_operators():
    assert operators.names() == sorted(NAMES)


@pytest.mark.parametrize("name, setting", CASES)
def test_opcheck(name, setting):
    for requires_grad in (True, False):
        given = arguments(name, setting, requires_grad)
        report = torch.library.opcheck(getattr(torch.ops.gradproof, name).default, tuple(given.values()))
        assert set(report.values()) == {"SUCCESS"} and len(report) == 4


@pytest.mark.parametrize("name", NAMES)
def test_opcheck_of_the_backward(name):
    given = arguments(name, requires_grad=False)
    result = getattr(torch.ops.gradproof, name)(*given.values())
    known = {**given, "dy": torch.ones_like(given["x"]), "batch_statistics": True}
    if not isinstance(result, torch.Tensor):
        known |= {"mean": result[1], "rstd": result[2]}
    backward = getattr(torch.ops.gradproof, f"{name}_backward").default
    gradients = len(backward._schema.returns)
    for mask in ([True] * gradients, [True] + [False] * (gradients - 1)):
        known["output_mask"] = mask
        inputs = tuple(known[argument.name] for argument in backward._schema.arguments)
        report = torch.library.opcheck(backward, inputs)
        assert set(report.values()) == {"SUCCESS"}
        assert [gradient is not None for gradient in backward(*inputs)] == mask


def wants_gradient(given):
    return {name: value for name, value in given.items() if isinstance(value, torch.Tensor) and value.requires_grad}


def of_gradients(function, name, setting):
    """A function of the tensors that have gradients, for gradcheck; buffers are new in every call."""
    given = arguments(name, setting)
    wanted = wants_gradient(given)

    def called(*values):
        fresh = arguments(name, setting, requires_grad=False)
        return function(name, fresh | dict(zip(wanted, values)))

    return called, tuple(wanted.values())


@pytest.mark.parametrize("name, setting", CASES)
def test_gradcheck(name, setting):
    """In float64, by gradcheck's own protocol and tolerance."""
    function, inputs = of_gradients(call, name, setting)
    assert gradcheck(function, inputs)


@pytest.mark.parametrize("name", NAMES)
def test_gradcheck_convicts_a_wrong_gradient(name):
    class Wrong(torch.autograd.Function):
        """The right y, and a gradient of x that is 1% too large."""

        @staticmethod
        def forward(context, *values):
            context.values = values
            return function(*values)

        @staticmethod
        def backward(context, dy):
            with torch.enable_grad():
                values = [value.detach().requires_grad_() for value in context.values]
                gradients = torch.autograd.grad(function(*values), values, dy)
            return (gradients[0] * 1.01, *gradients[1:])

    function, inputs = of_gradients(call, name, Setting())
    with pytest.raises(GradcheckError):
        gradcheck(Wrong.apply, inputs)


@pytest.mark.parametrize("name, setting", CASES)
def test_the_same_function_as_the_composed_operators(name, setting):
    """In float64; tolerances are torch.testing's own for the dtype. The oracle's bound decides elsewhere."""
    ours, theirs = arguments(name, setting), arguments(name, setting)
    y, want = call(name, ours), operators.composed(name, theirs)
    torch.testing.assert_close(y, want)
    dy = torch.linspace(-1, 1, y.numel(), dtype=y.dtype).reshape(y.shape)
    y.backward(dy)
    want.backward(dy)
    for argument, value in ours.items():
        if not isinstance(value, torch.Tensor):
            continue
        torch.testing.assert_close(value, theirs[argument])  # buffers
        if value.requires_grad:
            torch.testing.assert_close(value.grad, theirs[argument].grad)
    with pytest.raises(AssertionError):
        torch.testing.assert_close(y, want * 1.001)


@pytest.mark.parametrize("name", NAMES)
def test_a_second_derivative_is_refused(name):
    given = arguments(name)
    d_x, = torch.autograd.grad(call(name, given).sum(), given["x"], create_graph=True)
    with pytest.raises(RuntimeError, match=f"gradproof::{name}: it has no second derivative"):
        d_x.square().sum().backward()


@pytest.mark.parametrize("name", NAMES)
def test_a_changed_input_is_noticed(name):
    given = arguments(name)
    y = call(name, given)
    with torch.no_grad():
        given["x"].add_(1)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        y.sum().backward()
