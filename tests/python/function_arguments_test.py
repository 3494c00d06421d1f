# SPDX-License-Identifier: Apache-2.0
"""What gradproof.check takes (docs/python.md): tensors of any name, arrays of numpy, types as torch and numpy call them."""
import math
import pathlib

import numpy
import pytest
import torch

from function_support import normal, program  # noqa: F401
import gradproof


def add(a, b):
    return a + b


@pytest.mark.parametrize("name", ["seed", "name", "device", "contract", "backward", "function", "pipeline", "tensors", "deterministic"])
def test_a_tensor_that_is_called_as_an_option_is(name):
    line, given = f"y = add(x, {name})", {name: normal(4, 8, seed=5)}
    assert gradproof.check(add, line, x=normal(4, 8), tensors=given).tensors("Passed") == ["y", "d_x", f"d_{name}"]
    with pytest.raises(gradproof.Convicted):
        gradproof.check(lambda a, b: a + b * 1.0001, line, x=normal(4, 8), tensors=given)


@pytest.mark.parametrize("name", ["seed", "name", "device", "contract", "backward"])
def test_a_tensor_in_the_place_of_an_option_is_refused_with_what_to_write(name):
    with pytest.raises(TypeError, match=rf"'{name}' is an option of check\(\); .* tensors={{'{name}': ...}}"):
        gradproof.check(add, f"y = add(x, {name})", x=normal(4, 8), **{name: normal(4, 8)})


def test_a_tensor_called_as_a_key_of_a_case_is():
    given = {"dtype": normal(4, 8), "fill": normal(4, 8, seed=5)}
    assert gradproof.check(add, "y = add(dtype, fill)", **given).tensors("Passed") == ["y", "d_dtype", "d_fill"]


def test_a_name_that_is_given_twice_is_refused():
    with pytest.raises(TypeError, match="given twice, by keyword and in tensors={...}: x"):
        gradproof.check(add, "y = add(x, b)", x=normal(4, 8), tensors={"x": normal(4, 8), "b": normal(4, 8)})


@pytest.mark.parametrize("dtype, word", [
    (torch.bfloat16, "bf16"), (torch.float16, "f16"), (torch.float64, "f64"), (numpy.float32, "f32"), (numpy.dtype("float64"), "f64"),
    ("float16", "f16"), ("bf16", "bf16")])
def test_types_are_said_as_torch_and_numpy_and_cases_call_them(dtype, word):
    found = gradproof.check(torch.neg, "y = neg(x)", rows=4, cols=8, dtype=dtype)
    assert found.record("y")["dtype"] == word and not found.tensors("Failed")


def test_a_type_that_there_is_not_is_refused():
    with pytest.raises(gradproof.ProgramError, match="bad value 'torch.int32' for key 'dtype'"):
        gradproof.check(torch.neg, "y = neg(x)", rows=4, cols=8, dtype=torch.int32)


def test_arrays_of_numpy_reach_the_function_as_tensors():
    x = normal(6, 8).numpy()
    found = gradproof.check(torch.tanh, "y = tanh(x)", x=x[::-1])
    assert found.tensors("Passed") == ["y", "d_x"]
    with pytest.raises(gradproof.Convicted):
        gradproof.check(lambda x: torch.tanh(x) * 1.0001, "y = tanh(x)", x=x)


@pytest.mark.parametrize("value, kind", [(None, "NoneType"), ([1.0], "list"), (3.0, "float")])
@pytest.mark.parametrize("how", ["keyword", "tensors"])
def test_what_is_no_tensor_is_named(value, kind, how):
    given = {"x": value}
    with pytest.raises(TypeError, match=f"'x' is {kind}, not a tensor"):
        gradproof.check(torch.neg, "y = neg(x)", **(given if how == "keyword" else {"tensors": given}))


def test_an_axis_that_is_called_as_a_tensor_is_a_size():
    assert gradproof.check(torch.neg, "y = neg(n[n])", n=5).record("y")["shape"] == [5]


def test_a_package_near_the_root_of_the_file_system_looks_on_path(monkeypatch):
    """`pip install --target /site` puts it there: no folder above it can be a prefix."""
    monkeypatch.delenv("GRADPROOF", raising=False)
    monkeypatch.setenv("PATH", "")
    near = {"__file__": "/site/gradproof/program.py", "__name__": "gradproof.program"}
    exec(compile(pathlib.Path(gradproof.program.__file__).read_text(), "program.py", "exec"), near)
    with pytest.raises(gradproof.ProgramError, match="is not on PATH"):
        near["path"]()


@pytest.mark.parametrize("function", [lambda x, mask: x.masked_fill(mask == 0, -2), lambda mask, x: x.masked_fill(mask == 0, -2),
                                      lambda a, b: b.masked_fill(a == 0, -2)], ids=["by name", "in the line's order", "in its order"])
def test_arguments_with_the_lines_names_are_given_by_name(function):
    mask = (normal(4, 8, seed=5) > 0).float()
    assert gradproof.check(function, "y = where(mask[r,c], x[r,c], -2)", x=normal(4, 8), mask=mask).tensors("Passed") == ["y", "d_x"]


def test_other_names_are_given_in_the_lines_order():
    with pytest.raises(gradproof.Convicted):
        gradproof.check(lambda x, b: x - b, "y = subtract(b[r,c], x[r,c])", x=normal(4, 8), b=normal(4, 8, seed=5), deterministic=True)
    assert gradproof.check(lambda p, q: p - q, "y = subtract(b[r,c], x[r,c])", x=normal(4, 8), b=normal(4, 8, seed=5)).tensors("Passed")


def test_a_mask_may_have_another_type():
    mask, x = (normal(4, 8, seed=5) > 0).float(), normal(4, 8).bfloat16()
    line = "y = where(mask[r,c], x[r,c], -2)"
    assert gradproof.check(lambda mask, x: torch.where(mask != 0, x, -2), line, mask=mask, x=x).tensors("Passed") == ["y", "d_x"]
    with pytest.raises(gradproof.Convicted):
        gradproof.check(lambda mask, x: torch.where(mask == 0, x, -2), line, mask=mask, x=x)


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_a_mask_of_truth_values_is_given_as_it_is(dtype):
    mask, x = normal(4, 8, seed=5) > 0, normal(4, 8).to(dtype)
    line = "y = where(mask[r,c], x[r,c], -inf)"
    assert gradproof.check(lambda mask, x: torch.where(mask, x, -math.inf), line, mask=mask, x=x).tensors("Passed") == ["y", "d_x"]
    with pytest.raises(gradproof.Convicted):
        gradproof.check(lambda mask, x: torch.where(~mask, x, -math.inf), line, mask=mask, x=x)
    arrays = {"mask": mask.numpy(), "x": normal(4, 8).numpy(), "y": torch.where(mask, normal(4, 8), -math.inf).numpy()}
    assert gradproof.judge(arrays, line).tensors("Passed") == ["y"]


@pytest.mark.parametrize("function, line", [(lambda x: (x > 0.1).float(), "y = greater(x, 0.1)"),
                                            (lambda x: x.detach().round().clamp(-8, 7), "y = round_to(x, to=i4)")])
def test_what_nothing_goes_back_through_needs_no_gradient(function, line):
    assert gradproof.check(function, line, x=normal(4, 8)).tensors("Passed") == ["y"]


def test_the_rule_of_ties_shows():
    def away(x):
        x = x.detach()
        return (x.abs() + 0.5).floor().mul(x.sign()).clamp(-128, 127)
    assert gradproof.check(away, "y = round_to(x, to=i8, ties=away)", x=20 * normal(4, 64)).tensors("Passed") == ["y"]
    with pytest.raises(gradproof.Convicted):
        gradproof.check(away, "y = round_to(x, to=i8)", x=20 * normal(4, 64))


def llama_norm(x, weight, one=0):
    """As transformers has it."""
    wide = x.float()
    return (one + weight) * (wide * torch.rsqrt(wide.pow(2).mean(-1, keepdim=True) + 1e-6)).to(x.dtype)


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.float16])
def test_a_claim_stands_in_the_place_of_a_line(dtype):
    given = {"x": normal(16, 128).to(dtype), "weight": normal(128, seed=5).to(dtype)}
    assert gradproof.check(llama_norm, gradproof.claim("llama_rms_norm"), **given).tensors("Failed") == []
    with pytest.raises(gradproof.Convicted):
        gradproof.check(lambda x, weight: llama_norm(x, weight, 1), gradproof.claim("llama_rms_norm"), **given)


def test_a_claim_brings_its_contract_unless_another_is_said():
    claim = gradproof.claim("llama_rms_norm")
    assert (claim, claim.contract) == ("n = rms_norm(x[t,d], eps=1e-06); y = multiply(n, weight[d])", "stored=all")
    assert gradproof.claim("gemma_rms_norm").contract is None
    given = {"x": normal(16, 128).bfloat16(), "weight": normal(128, seed=5).bfloat16()}
    with pytest.raises(gradproof.Convicted):
        gradproof.check(llama_norm, claim, contract="stored=n", **given)


def test_a_name_that_no_claim_has_is_refused():
    with pytest.raises(gradproof.ProgramError, match="llama_rms_norm"):
        gradproof.claim("lama_rms_norm")


def test_a_line_may_stand_in_braces():
    assert gradproof.check(torch.tanh, "{y = tanh(x)}", x=normal(4, 8)).tensors("Passed") == ["y", "d_x"]


def where(mask, x):
    return torch.where(mask, x, 0)


LAID = {"transposed": lambda m: m.T, "with gaps": lambda m: m.T.repeat(1, 2)[:, ::2], "in larger memory": lambda m: m.T.repeat(1, 2)[:, :24],
        "expanded": lambda m: m.T[:1].expand(8, 24)}


@pytest.mark.parametrize("laid", LAID.values(), ids=LAID)
def test_a_mask_of_truth_values_may_lie_anyhow(laid):
    mask = laid(normal(24, 8, seed=5) > 0)
    assert gradproof.check(where, "y = where(mask, x, 0)", mask=mask, x=normal(8, 24)).tensors("Passed") == ["y", "d_x"]


def test_a_mask_of_truth_values_beside_float64():
    given = {"mask": normal(8, 24, seed=5) > 0, "x": normal(8, 24).double()}
    assert gradproof.check(where, "y = where(mask, x, 0)", **given).tensors("Passed") == ["y", "d_x"]
    assert gradproof.check(lambda mask, x: x * mask, "y = multiply(x, fixed(mask))", **given).tensors("Passed") == ["y", "d_x"]


def test_truth_values_have_no_gradient():
    with pytest.raises(TypeError, match=r"'mask' has the type bool, and the line asks for its gradient; fixed\(mask\)"):
        gradproof.check(lambda mask, x: x * mask, "y = multiply(x, mask)", mask=normal(8, 24) > 0, x=normal(8, 24))


def test_a_mask_alone_becomes_numbers():
    assert gradproof.check(lambda mask: mask.float(), "y = where(mask, 1, 0)", mask=normal(8, 24) > 0).tensors("Passed") == ["y"]


def by_default(weight, x, eps=1e-6):
    return torch.nn.functional.rms_norm(x, (64,), weight, eps)


def by_keyword(x, *, weight, eps=1e-6, **options):
    return by_default(weight, x, eps)


@pytest.mark.parametrize("function", [by_default, by_keyword, lambda *tensors: by_default(*reversed(tensors))],
                         ids=["with a default", "by keyword", "of all"])
def test_arguments_by_default_are_the_functions_own(function):
    given = {"x": normal(16, 64), "weight": normal(64, seed=5)}
    assert gradproof.check(function, "y = rms_norm(x, weight, eps=1e-6)", **given).tensors("Passed") == ["y", "d_x", "d_weight"]


@pytest.mark.parametrize("mode", [torch.no_grad, torch.inference_mode])
def test_a_check_within_a_mode_without_gradients(mode):
    with mode():
        given = {"x": normal(16, 64), "weight": normal(64, seed=5)}
        assert gradproof.check(by_keyword, "y = rms_norm(x, weight, eps=1e-6)", **given).tensors("Passed") == ["y", "d_x", "d_weight"]
        assert gradproof.check(torch.tanh, reference=lambda x: torch.tanh(x), x=normal(4, 8)).tensors("Passed") == ["y", "d_x"]


def wide_loss(x, labels):
    """As transformers has it: a loss of logits in 16 bits is of float32."""
    return torch.nn.functional.cross_entropy(x.float(), labels)


def test_a_result_of_another_type_is_said():
    given = {"x": normal(9, 32).bfloat16(), "labels": torch.arange(9)}
    claim = gradproof.claim("cross_entropy")
    assert gradproof.check(wide_loss, claim, dtypes="y:f32", **given).tensors("Failed") == []
    assert gradproof.check(wide_loss, reference=wide_loss, **given).tensors("Failed") == []
    with pytest.raises(gradproof.Convicted, match=r'has the type torch.float32, where torch.bfloat16 is wanted \(dtypes="y:f32"'):
        gradproof.check(wide_loss, claim, **given)
    with pytest.raises(gradproof.Convicted, match="has the type torch.bfloat16, where torch.float32 is wanted"):
        gradproof.check(lambda x, labels: wide_loss(x, labels).bfloat16(), claim, dtypes="y:f32", **given)
    with pytest.raises(ValueError, match="'y:f31' is no NAME:TYPE"):
        gradproof.check(wide_loss, claim, dtypes="y:f31", **given)


@pytest.mark.parametrize("line", ["y = var(x[rows,cols], cols, correction=2)", "y = running_var(x[rows,cols], m[cols], correction=3)"])
def test_another_correction_than_one(line):
    def function(x, m=None):
        return x.var(-1, correction=2) if m is None else 0.9 * m + 0.1 * x.var(0, correction=3)
    given = {"x": normal(6, 8), **({"m": normal(8, seed=5)} if "m[" in line else {})}
    options = {"backward": False} if "m" in given else {}
    assert gradproof.check(function, line, **given, **options).tensors("Failed") == []
    with pytest.raises(gradproof.Convicted, match="y"):
        gradproof.check(lambda x, m=None: 1.01 * function(x, m), line, **given, **options)


def test_an_input_that_is_changed_in_place():
    with pytest.raises(gradproof.Convicted, match=r"changes an input in place, which autograd refuses .*function\(x.clone\(\)\)"):
        gradproof.check(lambda x: x.mul_(2), "y = multiply(x, 2)", x=normal(4, 8))


def test_a_whole_power_is_refused_with_what_to_write():
    """Of a negative number it has a value, and `pow` of a line has none."""
    with pytest.raises(gradproof.ProgramError, match=r"exponent=2 of pow: a whole power is a product.* y = square\(x\)"):
        gradproof.check(lambda x: x ** 2, "y = pow(x, exponent=2)", x=normal(4, 8))
    assert gradproof.check(lambda x: x ** 2.5, "y = pow(x, exponent=2.5)", x=normal(4, 8).abs()).tensors("Passed") == ["y", "d_x"]
