# SPDX-License-Identifier: Apache-2.0
"""gradproof.check(function, reference=...): a reference of torch in place of a line (docs/without-a-line.md)."""
import sys
import warnings

import pytest
import torch
import torch.nn.functional as F

from function_support import normal, program  # noqa: F401 (the fixture)

import gradproof  # isort: skip

GIVEN = {"inputs": "given"}


def written_out(x, weight, eps=1e-6):
    wide = x.float()
    return weight * (wide * torch.rsqrt(wide.pow(2).mean(-1, keepdim=True) + eps)).to(x.dtype)


def mean_outside(x, weight, bias):
    centred = x - x.mean(-1, keepdim=True)
    return centred / torch.sqrt(x.var(-1, keepdim=True, unbiased=False) + 1e-5) * weight + bias


def no_line(x, weight):
    return torch.atan(x) * weight


# A reference, the line that it is, and tensors.
TRACED = {
    "rms_norm": (written_out, "v1 = square(x[rows,cols]); v2 = mean(v1, cols); v3 = add(v2, 1e-06); v4 = rsqrt(v3); "
                 "v5 = multiply(x, v4); y = multiply(v5, weight[cols]); outputs y", {"x": normal(6, 32), "weight": normal(32, seed=4)}),
    "layer_norm": (lambda x, weight, bias: F.layer_norm(x, (32,), weight, bias, 1e-3),
                   "y = layer_norm(x[rows,cols], weight[cols], bias[cols], cols, eps=0.001); outputs y",
                   {"x": normal(6, 32), "weight": normal(32, seed=4), "bias": normal(32, seed=5)}),
    "group_norm": (lambda x, weight: F.group_norm(x, 2, weight), "y = group_norm(x[n,c,h,w], weight[c], groups=2, eps=1e-05); outputs y",
                   {"x": normal(2, 4, 3, 3), "weight": normal(4, seed=4)}),
    "batch_norm": (lambda x, weight: F.batch_norm(x, None, None, weight, training=True),
                   "y = batch_norm(x[rows,cols], weight[cols], eps=1e-05); outputs y", {"x": normal(6, 4), "weight": normal(4, seed=4)}),
    "linear": (lambda x, w, b: torch.tanh(F.linear(x, w, b)), "v1 = linear(x[rows,cols], w[out,cols], b[out]); y = tanh(v1); outputs y",
               {"x": normal(5, 8), "w": normal(3, 8, seed=4), "b": normal(3, seed=5)}),
    "cross_entropy": (lambda x, target: F.cross_entropy(x, target),
                      "v1 = log_softmax(x[rows,cols], cols); y = nll_loss(v1, target[rows]); outputs y",
                      {"x": normal(6, 9), "target": torch.arange(6) % 9}),
    "second first": (lambda up, gate: up * F.silu(gate), "v1 = silu(gate[rows,cols]); y = multiply(up[rows,cols], v1); outputs y",
                     {"up": normal(4, 6), "gate": normal(4, 6, seed=5)}),
}


@pytest.mark.parametrize("name", TRACED)
def test_a_reference_is_traced_to_its_line_and_judged_by_it(name, capsys):
    reference, line, tensors = TRACED[name]
    found = gradproof.check(reference, reference=reference, **tensors, **GIVEN)
    assert f"is the line {line!r}" in capsys.readouterr().err
    assert {record["verdict"] for record in found.records} <= {"Passed", "Mistrusted"} and found.record("d_" + next(iter(tensors)))
    assert "weaker witness" not in found.text
    gradproof.check(reference, reference=reference, **tensors, **GIVEN)
    assert "is the line" not in capsys.readouterr().err, "once"

    def wrong(*arguments):
        return reference(*arguments) * (1 + 2 ** -12)
    with pytest.raises(gradproof.Convicted, match="FAILED.* y "):
        gradproof.check(wrong, reference=reference, **tensors, **GIVEN)


def test_a_line_that_the_reference_is_not_is_not_judged_by():
    """torch.fx does not see that a part has no gradient."""
    def reference(x):
        with torch.no_grad():
            factor = torch.tanh(x)
        return factor * x
    found = gradproof.check(reference, reference=reference, x=normal(4, 8), **GIVEN)
    assert found.text.startswith("the reference has no line: in float64 it does not compute the line that it is traced to, v1 = tanh(")
    with pytest.raises(gradproof.Convicted, match="weaker witness"):
        gradproof.check(lambda x: torch.tanh(x) * x, reference=reference, x=normal(4, 8), **GIVEN)


def test_what_has_no_line_is_judged_by_the_weaker_witness():
    tensors = {"x": normal(16, 64), "weight": normal(64, seed=4)}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", gradproof.MistrustedWarning)
        found = gradproof.check(no_line, reference=no_line, **tensors)
    assert found.text.startswith("the reference has no line: atan has no stage\n")
    sets = {record["set"] for record in found.records}
    assert "offset:1e3" in sets and not sets & {"mixed", "ties", "zeros", "ends"}
    with pytest.raises(gradproof.Convicted, match="weaker witness") as raised:
        gradproof.check(lambda x, weight: torch.atan(x.bfloat16().float()) * weight, reference=no_line, **tensors, **GIVEN)
    assert all(record["case"].startswith("witnessed ") for record in raised.value.judgement.records)


def test_rounding_the_right_number_is_permitted():
    """Subnormal numbers have the same error in all runs of the reference, half an ulp."""
    def reference(x):
        return torch.atan(x) * 0 + torch.nn.functional.silu(x)  # which has no line
    x = normal(32, 64) * 1e-39
    found = gradproof.check(torch.nn.functional.silu, reference=reference, x=x, backward=False, **GIVEN)
    assert found.text.startswith("the reference has no line")
    with pytest.raises(gradproof.Convicted, match="weaker witness"):
        gradproof.check(lambda x: torch.nn.functional.silu(x) + 2e-45, reference=reference, x=x, backward=False, **GIVEN)
    gradproof.check(lambda x: torch.nn.functional.silu(x) * 0, reference=reference, x=x, backward=False, **GIVEN)  # a back-end may flush


def test_a_reference_that_computes_in_float32_is_right_in_float64_too():
    """Without that its truth would be float32's."""
    def reference(x):
        return torch.atan(x.float()).to(x.dtype)
    with pytest.raises(gradproof.Convicted, match="weaker witness"):
        gradproof.check(lambda x: torch.atan(x.half().float()), reference=reference, x=normal(4, 64), **GIVEN)
    gradproof.check(torch.atan, reference=reference, x=normal(4, 64), **GIVEN)


def test_other_arguments_are_given_to_both():
    def norm(x, weight, eps):
        return F.rms_norm(x, (32,), weight, eps)
    tensors = {"x": normal(6, 32), "weight": normal(32, seed=4)}
    gradproof.check(norm, reference=written_out, **tensors, eps=1e-2, **GIVEN)
    with pytest.raises(gradproof.Convicted):
        gradproof.check(lambda x, weight, eps: norm(x, weight, 1e-3), reference=written_out, **tensors, eps=1e-2, **GIVEN)


@pytest.mark.parametrize("given, error, text", [
    ({"x": normal(4, 8)}, TypeError, "the arguments x weight; missing: weight"),
    ({"x": normal(4, 8), "weight": normal(8), "scale": normal(8)}, TypeError, "results the cotangents dy; unknown: scale"),
    ({"x": normal(4, 8).double(), "weight": normal(8).double()}, gradproof.ProgramError, "in float64 a reference needs a line"),
    ({"x": normal(4, 8), "weight": normal(8), "contract": "stored=all"}, gradproof.ProgramError, "'stored=all' needs a line"),
])
def test_what_cannot_be_says_so(given, error, text):
    with pytest.raises(error, match=text):
        gradproof.check(no_line, reference=no_line, **given)


def test_one_of_line_and_reference_is_wanted():
    for more in ({}, {"pipeline": "y = tanh(x)", "reference": no_line}):
        with pytest.raises(TypeError, match="a line of mathematics, or reference=..., and not both"):
            gradproof.check(no_line, x=normal(4, 8), **more)
    with pytest.raises(TypeError, match="lambda x: torch.tanh"):
        gradproof.check(torch.tanh, reference=torch.tanh, x=normal(4, 8))


def test_another_shape_than_the_references_is_convicted():
    with pytest.raises(gradproof.Convicted, match=r"'y' is torch.float32 \[1, 8\], that of the reference torch.float32 \[4, 8\]"):
        gradproof.check(lambda x: torch.tanh(x)[:1], reference=lambda x: torch.tanh(x), x=normal(4, 8))
