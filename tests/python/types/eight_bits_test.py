# SPDX-License-Identifier: Apache-2.0
"""Inputs and results that are stored in 8 bits or as whole numbers: their numbers are exact, and code that takes others is convicted."""
from function_support import program  # noqa: F401
import pytest
import torch

import gradproof  # isort: skip
from gradproof import Convicted, ProgramError

EIGHT = (torch.float8_e4m3fn, torch.float8_e5m2, torch.float8_e8m0fnu)
E4M3, E5M2 = EIGHT[:2]
PRODUCT = "y = scale(contract(fixed(x[m,k]), fixed(w[k,n]), k), s)"


def drawn(dtype=None, seed=1):
    generator = torch.Generator().manual_seed(seed)
    if dtype is torch.int8:
        x, w = (torch.randint(-127, 128, shape, generator=generator, dtype=dtype) for shape in ((16, 64), (64, 24)))
    else:
        x, w = (torch.randn(shape, generator=generator).to(dtype) for shape in ((16, 64), (64, 24)))
    return {"x": x, "w": w, "s": torch.rand(24, generator=generator) + 0.5}


def scaled(x, w, s):
    return (x.float() @ w.float()) * s


@pytest.mark.parametrize("dtype", EIGHT)
def test_every_code_is_torchs_number(dtype):
    codes = torch.arange(256, dtype=torch.uint8).view(dtype)
    line = "y = multiply(fixed(x[rows,cols]), 1)"
    said = gradproof.judge({"x": codes.reshape(2, 128), "y": codes.double().reshape(2, 128)}, line)
    assert said.record("y")["verdict"] == "Passed", said
    wrong = codes.double().reshape(2, 128).clone()
    wrong[1, 5] *= 1.125
    with pytest.raises(Convicted, match=r"y\[1,5\]"):
        gradproof.judge({"x": codes.reshape(2, 128), "y": wrong}, line)


@pytest.mark.parametrize("dtype", [E4M3, E5M2, torch.int8])
@pytest.mark.parametrize("word", ["f32", "bf16"])
def test_a_scaled_product(dtype, word):
    kind = {"f32": torch.float32, "bf16": torch.bfloat16}[word]
    gradproof.check(lambda x, w, s: scaled(x, w, s).to(kind), PRODUCT, dtypes=f"y:{word}", **drawn(dtype))


@pytest.mark.parametrize("wrong", [
    lambda x, w, s: scaled(x[:, :-1], w[:-1], s),
    lambda x, w, s: scaled(x, w, s.flip(0)),
    lambda x, w, s: scaled(x, w.float().to(E5M2), s),
    lambda x, w, s: (x.float() @ w.float()).half().float() * s,
    lambda x, w, s: (x.float().clamp(-1, 1) @ w.float()) * s,
])
def test_a_wrong_product(wrong):
    with pytest.raises(Convicted):
        gradproof.check(wrong, PRODUCT, **drawn(E4M3))


def test_no_gradient_is_asked_for():
    tensors = drawn(E4M3)
    with pytest.raises(TypeError, match=r"'x' has the type float8_e4m3fn, and the line asks for its gradient; fixed\(x\)"):
        gradproof.check(scaled, "y = scale(contract(x[m,k], w[k,n], k), s)", **tensors)
    gradproof.check(scaled, "y = scale(contract(x[m,k], w[k,n], k), s)", backward=False, **tensors)


def test_whole_numbers_that_the_type_has_not():
    line = "y = multiply(fixed(x[rows,cols]), 1)"
    x = torch.full((2, 3), 2 ** 24 + 1, dtype=torch.int32)
    with pytest.raises(ProgramError, match="'x' has the whole number 16777217, and is read as f32, which has those up to 16777216"):
        gradproof.judge({"x": x, "y": x.float()}, line)
    gradproof.judge({"x": x, "y": x.double()}, line)
    with pytest.raises(ProgramError, match="'y' has the whole number 16777217"):
        gradproof.judge({"x": x.float(), "y": x}, line)


def quantized(x, s):
    return (x / s).to(E4M3)


QUANTIZED = "y = round_to(divide(x[m,k], fixed(s[m])), to=f8e4m3, overflow=special)"


def test_a_result_of_8_bits():
    given = {"x": torch.randn(16, 64), "s": torch.rand(16, 1) + 0.5}
    gradproof.check(quantized, QUANTIZED, backward=False, **given)
    for wrong in (lambda x, s: (x / s).to(E5M2), lambda x, s: (x * s).to(E4M3), lambda x, s: (x / s).clamp(-440, 440).to(E4M3)):
        with pytest.raises(Convicted):
            gradproof.check(wrong, QUANTIZED, backward=False, **given)


@pytest.mark.parametrize("dtype", [torch.int8, torch.int32])
def test_a_result_of_whole_numbers(dtype):
    line = "y = round_to(divide(x[m,k], fixed(s[m])), to=i8)"
    given = {"x": torch.randn(16, 64) * 50, "s": torch.rand(16, 1) + 0.5}
    gradproof.check(lambda x, s: (x / s).round().clamp(-128, 127).to(dtype), line, backward=False, **given)
    for wrong in (lambda x, s: (x / s).clamp(-128, 127).to(dtype), lambda x, s: (x / s).round().clamp(-127, 126).to(dtype)):
        with pytest.raises(Convicted):
            gradproof.check(wrong, line, backward=False, **given)
    with pytest.raises(Convicted, match=f"has the type {dtype}".replace(".", r"\.")):
        gradproof.check(lambda x, s: (x * 0).to(dtype), "y = multiply(divide(x[m,k], fixed(s[m])), 0.5)", backward=False, **given)


def test_a_reference_is_traced(capsys):
    gradproof.check(scaled, reference=scaled, **drawn(E4M3))
    assert "fixed(x[rows,cols])" in capsys.readouterr().err
    with pytest.raises(Convicted):
        gradproof.check(lambda x, w, s: scaled(x, w, s) * (1 + 2 ** -13), reference=scaled, **drawn(E4M3))


def test_a_reference_that_rounds_is_no_identity():
    """A cast to 8 bits says what is computed, as a cast to 16 does not."""
    def rounds(x):
        return x.to(E4M3).float() * 2

    x = torch.randn(16, 64)
    gradproof.check(rounds, reference=rounds, backward=False, x=x)
    with pytest.raises(Convicted):
        gradproof.check(lambda x: x * 2, reference=rounds, backward=False, x=x)


def as_tensor_cores_add(x, w, promoted):
    """The product as Hopper's tensor cores add it: docs/contracts.md. promoted: groups of 32 whose sums are added in float32."""
    x, w = x.double(), w.double()
    total, whole = x.new_zeros(len(x), w.shape[1]), x.new_zeros(len(x), w.shape[1])

    def unit(size):
        return torch.exp2(size.clamp(min=1e-300).log2().floor() - 13)

    for group, first in enumerate(range(0, x.shape[1], 32)):
        products = x[:, first:first + 32, None] * w[None, first:first + 32, :]
        cut = unit(torch.maximum(total.abs(), products.abs().amax(1)))
        total = (total / cut).trunc() * cut + ((products / cut[:, None, :]).trunc() * cut[:, None, :]).sum(1)
        total = (total / unit(total.abs())).trunc() * unit(total.abs())
        if (group + 1) % promoted == 0:
            whole, total = whole + total, torch.zeros_like(total)
    return (whole + total).float()


@pytest.mark.parametrize("k", [64, 512])
def test_sums_of_tensor_cores_are_declared(k):
    generator = torch.Generator().manual_seed(k)
    x, w = (torch.randn(shape, generator=generator).to(E4M3) for shape in ((32, k), (k, 32)))
    line = "y = contract(x[m,k], w[k,n], k)"
    given = {"x": x, "w": w, "y": as_tensor_cores_add(x, w, 4)}
    with pytest.raises(Convicted, match=r"it would pass\s+under[^(]*accumulate=promoted_fp22"):
        gradproof.judge(given, line)
    for contract in ("accumulate=promoted_fp22", "accumulate=fp22"):
        assert gradproof.judge(given, line, contract=contract).record("y")["verdict"] == "Passed"
    with pytest.raises(Convicted):
        gradproof.judge({**given, "y": as_tensor_cores_add(x[:, :-16], w[:-16], 4)}, line, contract="accumulate=promoted_fp22")


def test_other_products_are_not_told_of_tensor_cores():
    x, w = torch.randn(32, 512), torch.randn(512, 32)
    with pytest.raises(Convicted) as error:
        gradproof.judge({"x": x, "w": w, "y": (x.bfloat16() @ w.bfloat16()).float()}, "y = contract(x[m,k], w[k,n], k)")
    assert "accumulate" not in str(error.value)
