# SPDX-License-Identifier: Apache-2.0
"""What is said where a gradient is None, where a backward is not there, and where an extension does not compile."""
import pytest
import torch

from function_support import PACKAGE, program  # noqa: F401
import gradproof
from trial_support import check, counts

FILE = """
import torch
from torch import nn


class Function(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, weight, bias):
        ctx.save_for_backward(x, weight, bias)
        return torch.tanh(x * weight + bias) * FACTOR

    @staticmethod
    def backward(ctx, dy):
        x, weight, bias = ctx.saved_tensors
        BEFORE
        g = dy * (1 - torch.tanh(x * weight + bias) ** 2)
        return g * weight, (g * x).sum(0), OF_BIAS


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight, self.bias = nn.Parameter(torch.randn(16)), nn.Parameter(torch.randn(16))

    def forward(self, x):
        return torch.tanh(x * self.weight + self.bias)


class ModelNew(Model):
    def forward(self, x):
        return Function.apply(x, self.weight, self.bias)


def get_inputs():
    return [torch.randn(8, 16)]
"""


def text(factor="1", before="", of_bias="g.sum(0)"):
    return FILE.replace("FACTOR", factor).replace("BEFORE", before).replace("OF_BIAS", of_bias)


def said_of(folder, *words, **changes):
    return check(folder, text(**changes), "--inputs", "given", *words, reference=None)


def test_a_right_candidate_passes(tmp_path):
    said, code = said_of(tmp_path)
    assert code == 0 and "no gradient" not in said and "its backward" not in said, said


def test_a_gradient_that_is_none_is_named(tmp_path):
    said, code = said_of(tmp_path, of_bias="None")
    assert code == 1 and "d_bias: no gradient came back for bias, and 0 was judged: 16 of 16 elements" in said, said
    assert "came back for weight" not in said and "came back for x" not in said, said


def test_a_gradient_that_is_wrong_is_not_said_to_be_none(tmp_path):
    said, code = said_of(tmp_path, of_bias="g.sum(0) * 1.01")
    assert code == 1 and "d_bias: 16 of 16 elements" in said and "came back" not in said, said


MISSING = "its backward raised NotImplementedError; --no-backward judges forward alone"


def test_forward_is_judged_where_a_backward_is_not_there(tmp_path):
    said, code = said_of(tmp_path, before="raise NotImplementedError")
    assert code == 1 and f"CRASHED  candidate execution: {MISSING}" in said, said
    assert counts(said)["passed"] == 2 and "  passed   y " in said and "d_x" not in said, said
    said, code = said_of(tmp_path, "--no-backward", before="raise NotImplementedError")
    assert code == 0 and "CRASHED" not in said, said


def test_a_forward_that_is_wrong_is_convicted_without_a_backward(tmp_path):
    said, code = said_of(tmp_path, before="raise NotImplementedError", factor="1.001")
    assert code == 1 and MISSING in said and "  FAILED   y " in said, said


def test_what_else_a_backward_raises_is_said_to_be_its_own(tmp_path):
    said, code = said_of(tmp_path, before="raise ValueError('no such mode')")
    assert code == 1 and "its backward raised ValueError: no such mode; --no-backward" in said, said


NINJA = r"""Error building extension 'mine': [1/2] c++ -MMD -MF main.o.d -DTORCH_EXTENSION_NAME=mine -c /tmp/a/mine/main.cpp -o main.o
FAILED: main.o
c++ -MMD -MF main.o.d -DTORCH_EXTENSION_NAME=mine -c /tmp/a/mine/main.cpp -o main.o
/tmp/a/mine/main.cpp: In function 'at::Tensor f(at::Tensor)':
/tmp/a/mine/main.cpp:5:33: error: expected ',' or ';' before 'return'
/tmp/a/mine/main.cpp:9:1: error: another one
ninja: build stopped: subcommand failed."""


@pytest.mark.parametrize("raised, said", [
    (NINJA, "RuntimeError: Error building extension 'mine': main.cpp:5:33: error: expected ',' or ';' before 'return'"),
    (NINJA.replace("main.cpp:5:33: error: expected", "cuda.cu(12): error: expected"),
     "RuntimeError: Error building extension 'mine': cuda.cu(12): error: expected ',' or ';' before 'return'"),
    ("CUDA_HOME environment variable is not set", "RuntimeError: CUDA_HOME environment variable is not set")])
def test_an_extension_that_does_not_compile_says_its_compilers_first_error(tmp_path, raised, said):
    """As torch raises it; what is no compiler's is said as it is."""
    found, code = check(tmp_path, f"raise RuntimeError({raised!r})", reference=None)
    assert code == 2 and f"cannot be imported: {said}" in found and "MMD" not in found, found


class NoBackward(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return torch.tanh(x)

    @staticmethod
    def backward(ctx, dy):
        raise NotImplementedError


class NoneForScale(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, s):
        ctx.save_for_backward(s)
        return x * s

    @staticmethod
    def backward(ctx, dy):
        return dy * ctx.saved_tensors[0], None


def test_check_judges_forward_where_a_backward_is_not_there():
    x = torch.randn(8, 16)
    with pytest.raises(gradproof.Convicted, match="its backward raised NotImplementedError .backward=False") as raised:
        gradproof.check(NoBackward.apply, "y = tanh(x)", x=x)
    assert raised.value.judgement.tensors("Passed") == ["y"]
    assert gradproof.check(NoBackward.apply, "y = tanh(x)", x=x, backward=False).tensors("Passed") == ["y"]
    with pytest.raises(gradproof.Convicted, match="its backward raised(.|\n)*FAILED.* y "):
        gradproof.check(NoBackward.apply, "y = sigmoid(x)", x=x)


def test_what_forward_does_not_implement_is_its_users():
    def unfinished(x):
        raise NotImplementedError("later")
    with pytest.raises(NotImplementedError, match="later"):
        gradproof.check(unfinished, "y = tanh(x)", x=torch.randn(4, 4))


def test_check_names_the_argument_to_which_no_gradient_came_back():
    given = {"x": torch.randn(8, 16), "s": torch.randn(16)}
    with pytest.raises(gradproof.Convicted, match="no gradient came back for s, and 0 was judged") as raised:
        gradproof.check(NoneForScale.apply, "y = scale(x, s)", **given)
    assert "d_s" in raised.value.judgement.tensors("Failed")
    with pytest.raises(gradproof.Convicted) as wrong:  # the control
        gradproof.check(lambda x, s: x * s * 1.01, "y = scale(x, s)", **given)
    assert "came back" not in str(wrong.value)
