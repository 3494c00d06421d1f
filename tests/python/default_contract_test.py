# SPDX-License-Identifier: Apache-2.0
"""Code that declares nothing (docs/contracts.md): torch's own functions pass in all types, and the line says under what."""
import json
import os
import pathlib
import subprocess
import sys

import pytest
import torch
import torch.nn.functional as F

SOURCE = pathlib.Path(os.environ["GRADPROOF_SOURCE_DIR"])
sys.path.insert(0, str(SOURCE / "cli/python"))
import gradproof  # noqa: E402


@pytest.fixture(autouse=True)
def program(monkeypatch):
    monkeypatch.setenv("GRADPROOF", str(pathlib.Path(os.environ["GRADPROOF_BIN_DIR"]).resolve() / "gradproof"))


def silu_of_norm(x, r, weight, bias):
    return F.silu(F.layer_norm(x + r, x.shape[-1:], weight, bias))


OF_TORCH = {
    "gelu": (F.gelu, "y = gelu(x)"),
    "silu": (F.silu, "y = silu(x)"),
    "relu": (F.relu, "y = relu(x)"),
    "tanh": (torch.tanh, "y = tanh(x)"),
    "sigmoid": (torch.sigmoid, "y = sigmoid(x)"),
    "softplus": (F.softplus, "y = softplus(x)"),
    "softmax": (lambda x: F.softmax(x, -1), "y = softmax(x)"),
    "log_softmax": (lambda x: F.log_softmax(x, -1), "y = log_softmax(x)"),
    "logsumexp": (lambda x: torch.logsumexp(x, -1), "y = logsumexp(x, cols)"),
    "layer_norm": (lambda x, weight, bias: F.layer_norm(x, x.shape[-1:], weight, bias), "y = layer_norm(x, weight, bias)"),
    "rms_norm": (lambda x, weight: F.rms_norm(x, x.shape[-1:], weight, 1e-6), "y = rms_norm(x, weight, eps=1e-6)"),
    "silu of layer_norm": (silu_of_norm, "y = silu(layer_norm(add(x, r), weight, bias))"),
}
SUM = "it declares nothing, and rounds between its steps: "


@pytest.mark.parametrize("dtype", ["f32", "f64", "bf16", "f16"])
@pytest.mark.parametrize("name", OF_TORCH)
@pytest.mark.filterwarnings("ignore::gradproof.MistrustedWarning")
def test_the_first_call_on_a_function_of_torch_is_not_convicted(name, dtype):
    function, line = OF_TORCH[name]
    for rows, cols in [(64, 96), (7, 1000)]:
        found = gradproof.check(function, line, rows=rows, cols=cols, dtype=dtype)
        assert found.tensors("Passed") + found.tensors("Mistrusted") and not found.tensors("Failed")


def test_a_pass_that_proves_little_says_what_makes_its_bound_wide():
    function, line = OF_TORCH["layer_norm"]
    wide = "it declares nothing, so each value and each step of a sum may be rounded to bf16"
    with pytest.warns(gradproof.MistrustedWarning, match=wide):
        found = gradproof.check(function, line, rows=64, cols=96, dtype="bf16")
    assert {"d_weight", "d_bias"} <= set(found.tensors("Mistrusted"))
    with pytest.warns(gradproof.MistrustedWarning) as said:  # the control: here it is declared
        gradproof.check(function, line, rows=64, cols=96, dtype="bf16", contract="stored=all functions=libtorch")
    assert not any(wide in str(warning.message) for warning in said)


def test_a_pass_as_an_operator_at_a_time_says_so():
    function, line = OF_TORCH["silu of layer_norm"]
    found = gradproof.check(function, line, rows=64, cols=96, dtype="bf16")
    assert SUM in found.record("y")["why"] and "stored=all" in found.record("y")["why"]
    found = gradproof.check(F.gelu, "y = gelu(x)", rows=64, cols=96)
    why = found.record("y")["why"]
    assert "its functions are not the usual ones: " in why and "bounds off on rung 'fused'" in why


def test_what_is_declared_is_demanded():
    function, line = OF_TORCH["silu of layer_norm"]
    with pytest.raises(gradproof.Convicted) as raised:
        gradproof.check(function, line, rows=64, cols=96, dtype="bf16", contract="stored=outputs")
    assert "stored=all" not in raised.value.judgement.record("y")["why"]
    with pytest.raises(gradproof.Convicted):
        gradproof.check(F.gelu, "y = gelu(x)", rows=64, cols=96, contract="functions=usual")


def test_fused_code_is_judged_as_fused_code():
    def fused(x, r, weight, bias):
        return silu_of_norm(*(tensor.float() for tensor in (x, r, weight, bias))).to(x.dtype)
    found = gradproof.check(fused, OF_TORCH["silu of layer_norm"][1], rows=64, cols=96, dtype="bf16")
    assert SUM not in found.record("y")["why"]


@pytest.mark.parametrize("dtype", ["f32", "bf16"])
def test_wrong_code_is_convicted_under_the_wider_contract_too(dtype):
    def biased(x, r, weight, bias):
        h = (x + r).float()
        n = (h - h.mean(-1, keepdim=True)) / torch.sqrt(h.var(-1, keepdim=True, unbiased=True) * 1.02 + 1e-5)
        return F.silu((n * weight + bias).to(x.dtype))
    with pytest.raises(gradproof.Convicted) as raised:
        gradproof.check(biased, OF_TORCH["silu of layer_norm"][1], rows=64, cols=96, dtype=dtype)
    assert "y" in raised.value.judgement.tensors("Failed")


def test_a_conviction_near_its_bound_names_what_would_permit_it():
    with pytest.raises(gradproof.Convicted) as raised:
        gradproof.check(lambda x: F.log_softmax(x, -1), "y = log_softmax(x)", rows=64, cols=96, dtype="bf16",
                        contract="stored=outputs")
    near = [record for record in raised.value.judgement.records if record["discrepancy"]["max_ratio"] <= 2]
    assert near and all("it would pass" in record["why"] for record in near if record["verdict"] == "Failed")


def as_torch_on_a_gpu(x, weight, bias, groups=2):
    """Its GroupNorm keeps mean and rstd in the type of x (group_norm_kernel.cu), and the rest in float32."""
    rows, channels, length = x.shape
    grouped = x.float().reshape(rows, groups, -1)
    mean = grouped.mean(-1, keepdim=True).to(x.dtype).float()
    rstd = torch.rsqrt(grouped.var(-1, unbiased=False, keepdim=True) + 1e-5).to(x.dtype).float()
    xhat = ((grouped - mean) * rstd).reshape(rows, channels, length)
    return (xhat * weight.float()[:, None] + bias.float()[:, None]).to(x.dtype)


@pytest.mark.parametrize("dtype", ["f16", "bf16"])
def test_rounded_statistics_are_named_however_far_off_they_are(dtype):
    line, word = "y = group_norm(x[n,c,l], weight, bias, groups=2)", "stored=all+statistics"
    sizes = dict(n=8, c=4, l=64, dtype=dtype, fill="offset:30", backward=False)
    with pytest.raises(gradproof.Convicted) as raised:
        gradproof.check(as_torch_on_a_gpu, line, **sizes)
    record = raised.value.judgement.record("y")
    assert record["discrepancy"]["max_ratio"] > 2 and f"it would pass under {word}" in record["why"]
    assert record["rung"] == "statistics too" and "before they are used (0." in record["why"]
    found = gradproof.check(as_torch_on_a_gpu, line, contract=f"{word} functions=any", **sizes)
    assert not found.tensors("Failed")
    # A control: what is wrong passes under neither, and no word is said.
    with pytest.raises(gradproof.Convicted) as raised:
        gradproof.check(lambda x, weight, bias: as_torch_on_a_gpu(x, weight, bias) * 2, line, **sizes)
    assert word not in raised.value.judgement.record("y")["why"] and "rung" not in raised.value.judgement.record("y")


BF16_AND_F16 = pytest.mark.parametrize("dtype", ["bf16", "f16"])
NORM = dict(rows=64, cols=96, inputs="given")


class Saved(torch.autograd.Function):
    """A fused kernel, but for h, which its backward reads as `saved` made it."""
    saved = staticmethod(lambda h, dtype: h.to(dtype))

    @staticmethod
    def forward(ctx, x, r, weight, bias):
        with torch.enable_grad():
            wide = [tensor.detach().float().requires_grad_() for tensor in (x, r, weight, bias)]
            h = F.layer_norm(wide[0] + wide[1], x.shape[-1:], wide[2], wide[3])
        ctx.wide, ctx.h, ctx.dtype = wide, h, x.dtype
        return F.silu(h.detach()).to(x.dtype)

    @staticmethod
    def backward(ctx, dy):
        h = Saved.saved(ctx.h.detach(), ctx.dtype).float()
        s = torch.sigmoid(h)
        return tuple(grad.to(ctx.dtype) for grad in torch.autograd.grad(ctx.h, ctx.wide, dy.float() * s * (1 + h * (1 - s))))


def rungs_of(judgement):
    return {record["tensor"]: record.get("rung") for record in judgement.records}


@BF16_AND_F16
@pytest.mark.filterwarnings("ignore::gradproof.MistrustedWarning")
def test_what_the_adjoint_reads_rounded_is_on_the_second_rung(dtype, monkeypatch):
    line = OF_TORCH["silu of layer_norm"][1]
    found = gradproof.check(Saved.apply, line, dtype=dtype, **NORM)
    rungs = rungs_of(found)
    assert rungs["y"] == "fused" and rungs["d_x"] == rungs["d_r"] == "fused, as saved", rungs
    assert "its adjoint reads rounded values: " in found.record("d_x")["why"] and "bounds off on rung 'fused'" in found.record("d_x")["why"]
    found = gradproof.check(Saved.apply, line, dtype=dtype, contract="stored=saved", **NORM)
    assert set(rungs_of(found).values()) == {None}, "what is declared is no ladder"
    with pytest.raises(gradproof.Convicted) as raised:
        gradproof.check(Saved.apply, line, dtype=dtype, contract="stored=outputs", **NORM)
    assert "it would pass under stored=saved (0." in raised.value.judgement.record("d_x")["why"]
    # Controls: nothing that is saved is on the first rung, and with an h that is wrong there is none.
    monkeypatch.setattr(Saved, "saved", staticmethod(lambda h, dtype: h))
    assert set(rungs_of(gradproof.check(Saved.apply, line, dtype=dtype, **NORM)).values()) == {"fused"}
    monkeypatch.setattr(Saved, "saved", staticmethod(lambda h, dtype: 1.1 * h))
    with pytest.raises(gradproof.Convicted) as raised:
        gradproof.check(Saved.apply, line, dtype=dtype, **NORM)
    assert "d_x" in raised.value.judgement.tensors("Failed") and "rung" not in raised.value.judgement.record("d_x")


@BF16_AND_F16
def test_operators_of_torch_are_on_the_third_rung(dtype):
    function, line = OF_TORCH["silu of layer_norm"]
    found = gradproof.check(function, line, dtype=dtype, backward=False, **NORM)
    assert rungs_of(found)["y"] == "operator at a time" and "bounds off on rung 'fused'" in found.record("y")["why"]
    with pytest.raises(gradproof.Convicted) as raised:
        gradproof.check(function, line, dtype=dtype, backward=False, contract="stored=outputs", **NORM)
    assert "it would pass under stored=" in raised.value.judgement.record("y")["why"]
    with pytest.raises(gradproof.Convicted) as raised:  # a control, which is on no rung
        gradproof.check(lambda *all: 1.1 * function(*all), line, dtype=dtype, backward=False, **NORM)
    assert "rung" not in raised.value.judgement.record("y")


def test_without_16_bits_two_rungs_are_left():
    function, line = OF_TORCH["silu of layer_norm"]
    assert rungs_of(gradproof.check(function, line, dtype="f32", backward=False, **NORM))["y"] == "fused"
    found = gradproof.check(F.gelu, "y = gelu(x)", dtype="f32", **NORM)
    assert rungs_of(found)["y"] == "operator at a time"


NARROWER = "it would fail under functions=rounded division=divided ("


def by_reciprocal(x, z):
    return x * (1 / z)


def test_a_pass_names_the_word_that_would_convict_it():
    found = gradproof.check(by_reciprocal, "y = divide(x, z)", rows=64, cols=96, backward=False)
    assert "y" in found.tensors("Passed") and NARROWER in found.record("y")["why"]
    with pytest.raises(gradproof.Convicted):
        gradproof.check(by_reciprocal, "y = divide(x, z)", rows=64, cols=96, backward=False, contract="functions=rounded division=divided")


def test_a_pass_that_no_word_would_convict_names_none():
    found = gradproof.check(torch.divide, "y = divide(x, z)", rows=64, cols=96, backward=False)
    assert "y" in found.tensors("Passed") and "it would fail" not in found.record("y")["why"]
    found = gradproof.check(F.relu, "y = relu(x)", rows=64, cols=96)
    assert not any("it would fail" in record["why"] or "declares" in record["why"] for record in found.records)


def test_of_many_elements_no_narrower_contract_is_looked_for():
    found = gradproof.check(by_reciprocal, "y = divide(x, z)", rows=512, cols=256, backward=False)
    assert "y" in found.tensors("Passed") and "it would fail" not in found.record("y")["why"]


def test_a_pass_as_an_operator_at_a_time_names_what_it_needs():
    function, line = OF_TORCH["silu of layer_norm"]
    why = gradproof.check(function, line, rows=64, cols=96, dtype="bf16").record("y")["why"]
    assert "rounds between its steps" in why and "functions are not" not in why and "subnormal numbers" not in why


CANDIDATE = """
import torch

class Model(torch.nn.Module):
    def forward(self, x, z):
        return x / z

class ModelNew(torch.nn.Module):
    def forward(self, x, z):
        return x * (1 / z)

def get_inputs():
    return [torch.randn(64, 96), 1 + torch.rand(64, 96)]

def get_init_inputs():
    return []
"""


def test_the_program_prints_it_of_a_candidate(tmp_path):
    (tmp_path / "candidate.py").write_text(CANDIDATE)
    done = subprocess.run([os.environ["GRADPROOF"], "check", "--python", f"{tmp_path}/candidate.py", "--python-program", sys.executable, "--no-backward",
                           "--sandbox", "none", "--verbose"], capture_output=True, text=True, check=False)
    own = [line for line in done.stdout.splitlines() if line.startswith("passed")]
    assert own and any(NARROWER in line for line in own), done.stdout + done.stderr


OPERATORS = """
import torch

class Model(torch.nn.Module):
    def forward(self, x, z):
        return torch.tanh(x + z) * z

class ModelNew(torch.nn.Module):
    def forward(self, x, z):
        return torch.tanh(x + z) * z

def get_inputs():
    return [torch.randn(64, 96, dtype=torch.bfloat16), torch.randn(64, 96, dtype=torch.bfloat16)]

def get_init_inputs():
    return []
"""


def test_a_candidate_is_on_the_rung_of_the_same_function(tmp_path):
    """One ladder in both doors: what a candidate's file computes, and the same as a function."""
    (tmp_path / "candidate.py").write_text(OPERATORS)
    subprocess.run([os.environ["GRADPROOF"], "check", "--python", f"{tmp_path}/candidate.py", "--python-program", sys.executable, "--no-backward",
                    "--sandbox", "none", "--records", f"{tmp_path}/run"], capture_output=True, text=True, check=True)
    records = [json.loads(line) for file in (tmp_path / "run").glob("*.jsonl") for line in file.read_text().splitlines()]
    rungs = {record["rung"] for record in records if record.get("tensor") == "y" and record["verdict"] == "Passed"}
    found = gradproof.check(lambda x, z: torch.tanh(x + z) * z, "y = multiply(tanh(add(x, z)), z)", dtype="bf16", backward=False, **NORM)
    assert rungs_of(found)["y"] == "operator at a time" and "operator at a time" in rungs, rungs
