# SPDX-License-Identifier: Apache-2.0
"""gradproof.laws: laws of a function of torch, without an answer of an oracle (docs/laws.md#laws-of-a-function)."""
import pytest
import torch
import torch.nn.functional as F

from function_support import program  # noqa: F401 (the fixture)

import gradproof  # isort: skip

pytestmark = pytest.mark.usefixtures("program")

SIZES = {"rows": 6, "cols": 16}
LAYER_NORM = "y = layer_norm(x[rows,cols], weight, beta)"
SOFTMAX = "y = softmax(x[rows,cols])"
LINEAR = "y = gelu(linear(x[rows,cols], weight, bias))"
SWIGLU = "y = swiglu(gate[rows,cols], up)"


def layer_norm(x, weight, beta):
    return F.layer_norm(x, x.shape[-1:], weight, beta)


def softmax(x):
    return torch.softmax(x, -1)


def linear(x, weight, bias):
    return F.gelu(F.linear(x, weight, bias))


def swiglu(gate, up):
    return F.silu(gate) * up


@pytest.mark.parametrize("dtype", ["f32", "bf16", "f64"])
@pytest.mark.parametrize("function, line", [(layer_norm, LAYER_NORM), (softmax, SOFTMAX), (linear, LINEAR), (swiglu, SWIGLU)])
def test_a_right_function_keeps_them(function, line, dtype):
    extents = {**SIZES, "out": 5} if line == LINEAR else SIZES
    found = gradproof.laws(function, line, dtype=dtype, **extents)
    verdicts = {record["tensor"]: record["verdict"] for record in found.records}
    assert set(verdicts.values()) <= {"Passed", "Mistrusted"}, str(found)
    assert list(verdicts.values()).count("Passed") >= 10, str(found)


def test_sizes_and_types_are_those_of_tensors():
    found = gradproof.laws(layer_norm, LAYER_NORM, x=torch.zeros(3, 8), weight=torch.zeros(8), beta=torch.zeros(8))
    assert "rows=3" in found.records[0]["case"] and "dtype" not in found.records[0]["case"]
    half = torch.zeros(3, 8, dtype=torch.bfloat16)
    found = gradproof.laws(softmax, SOFTMAX, x=half)
    assert "dtype=bf16" in found.records[0]["case"]


def differentiable(forward, backward):
    class Planted(torch.autograd.Function):
        @staticmethod
        def forward(ctx, *tensors):
            ctx.save_for_backward(*tensors)
            return forward(*tensors)

        @staticmethod
        def backward(ctx, dy):
            return backward(dy, *ctx.saved_tensors)
    return Planted.apply


def softmax_with(gradient):
    return differentiable(softmax, lambda dy, x: gradient(dy, torch.softmax(x, -1)))


def remembered_by_shape():
    known = {}

    def function(x):
        return known.setdefault(tuple(x.shape), torch.softmax(x.detach(), -1)) + 0 * x
    return function


def of_the_last_forward():
    last = []

    def forward(x):
        last[:] = [torch.softmax(x, -1)]
        return last[0].clone()
    return differentiable(forward, lambda dy, x: last[0] * (dy - (dy * last[0]).sum(-1, keepdim=True)))


def layer_norm_with(parameters):
    def backward(dy, x, weight, beta):
        with torch.enable_grad():
            leaves = [tensor.detach().requires_grad_() for tensor in (x, weight, beta)]
            right = torch.autograd.grad(layer_norm(*leaves), leaves, dy)
        return parameters(dy, *right)
    return differentiable(layer_norm, backward)


PLANTED = {
    "the batch is one row": (lambda x: torch.softmax(x, 0), SOFTMAX),
    "sums of all rows": (lambda x: x.exp() / x.exp().sum(), SOFTMAX),
    "without the maximum's shift": (lambda x: x.exp() / (x.exp().sum(-1, keepdim=True) + 1), SOFTMAX),
    "a term of the adjoint is missing": (softmax_with(lambda dy, y: y * dy), SOFTMAX),
    "the cotangent twice": (softmax_with(lambda dy, y: y * (dy * dy - (dy * dy * y).sum(-1, keepdim=True))), SOFTMAX),
    "its size alone": (softmax_with(lambda dy, y: y * (dy.abs() - (dy.abs() * y).sum(-1, keepdim=True))), SOFTMAX),
    "ones for the cotangent": (softmax_with(lambda dy, y: y * (1 - y.sum(-1, keepdim=True))), SOFTMAX),
    "remembered by its shape": (remembered_by_shape(), SOFTMAX),
    "of the last forward": (of_the_last_forward(), SOFTMAX),
    "the last row left out": (layer_norm_with(lambda dy, dx, dw, db: (dx, dw, dy[:-1].sum(0))), LAYER_NORM),
    "averaged over rows": (layer_norm_with(lambda dy, dx, dw, db: (dx, dw / len(dx), db / len(dx))), LAYER_NORM),
    "rows of even batches alone": (lambda x, w, b: layer_norm(x, w, b) * (1 if len(x) % 2 == 0 else 2), LAYER_NORM),
    "a mean of the batch": (lambda x, w, b: layer_norm(x - x.mean(), w, b) + x.mean(), LAYER_NORM),
    "its gate and up exchanged behind": (differentiable(swiglu, lambda dy, g, u: (dy * F.silu(g), dy * u)), SWIGLU),
}


@pytest.mark.parametrize("fault", PLANTED)
def test_a_planted_fault_is_convicted(fault):
    function, line = PLANTED[fault]
    with pytest.raises(gradproof.Convicted) as found:
        gradproof.laws(function, line, **SIZES)
    wrong = found.value.judgement.tensors("Failed")
    print(f"{fault}: {' '.join(wrong)}")
    assert wrong
    assert "replay" in str(found.value)


def test_noise_is_convicted_unless_it_is_permitted():
    def noisy(x):
        return torch.softmax(x, -1) * (1 + 1e-7 * torch.rand_like(x))
    with pytest.raises(gradproof.Convicted) as found:
        gradproof.laws(noisy, SOFTMAX, **SIZES)
    assert "repeatability" in found.value.judgement.tensors("Failed")
    found = gradproof.laws(noisy, SOFTMAX, deterministic=False, **SIZES)
    assert "repeatability" not in {record["tensor"] for record in found.records}


def test_forward_alone():
    found = gradproof.laws(lambda x: softmax(x).detach(), SOFTMAX, backward=False, **SIZES)
    assert "adjoint_identity" not in found.tensors("Passed")
    assert found.tensors("Passed")
    with pytest.raises(gradproof.Convicted, match="no gradient goes through the function"):
        gradproof.laws(lambda x: softmax(x).detach(), SOFTMAX, **SIZES)


def test_one_law_by_its_name():
    found = gradproof.laws(softmax, SOFTMAX, law="rows_alone", **SIZES)
    assert {record["tensor"] for record in found.records} == {"y of one row", "d_x of one row"}
    with pytest.raises(gradproof.Convicted):
        gradproof.laws(lambda x: torch.softmax(x, -1) * (1 + 2 ** -23 * (len(x) == 1)), SOFTMAX, law="rows_invariant", **SIZES)


def test_a_call_that_raises_ends_its_law_alone():
    def refuses_one_row(x):
        if len(x) == 1:
            raise ValueError("one row is too few")
        return softmax(x)
    found = gradproof.laws(refuses_one_row, SOFTMAX, **SIZES)
    assert "rows_alone" not in {record["tensor"] for record in found.records}
    assert "cotangent_zero" in found.tensors("Passed")
    found = gradproof.laws(refuses_one_row, SOFTMAX, law="rows_alone", **SIZES)
    assert "ValueError: one row is too few" in found.records[0]["reason"]


def test_bad_input_is_one_clear_error():
    with pytest.raises(gradproof.ProgramError, match="no_law"):
        gradproof.laws(softmax, SOFTMAX, law="no_law", **SIZES)
    with pytest.raises(gradproof.ProgramError, match="memory and schedules"):
        gradproof.laws(softmax, SOFTMAX, law="schedules_alike", **SIZES)
    with pytest.raises(gradproof.ProgramError, match="no bias stands right behind a norm"):
        gradproof.laws(softmax, SOFTMAX, law="summands_alike", **SIZES)
    with pytest.raises(gradproof.Convicted, match="the function returned 2 results"):
        gradproof.laws(lambda x: (x, x), SOFTMAX, **SIZES)
    with pytest.raises(gradproof.ProgramError, match="nowhere"):
        gradproof.laws(softmax, SOFTMAX, nowhere=3)
