# SPDX-License-Identifier: Apache-2.0
"""gradproof.check and gradproof.judge (cli/python, docs/python.md): right functions pass, each kind of wrong one does not."""
import os
import re
import subprocess
import sys

import numpy
import pytest
import torch

from function_support import PACKAGE, program  # noqa: F401
import gradproof
from gradproof import failures

LINE = "y = rms_norm(x, weight, eps=1e-6)"


def rms_norm(x, weight, eps=1e-6):
    return x * torch.rsqrt((x * x).mean(-1, keepdim=True) + eps) * weight


def tensors(dtype=torch.float32):
    generator = torch.Generator().manual_seed(3)
    draw = lambda *shape: torch.randn(*shape, generator=generator).to(dtype)  # noqa: E731
    return {"x": draw(16, 64), "weight": draw(64)}


def test_a_right_function_passes_on_tensors_of_its_user():
    found = gradproof.check(rms_norm, LINE, **tensors())
    assert found.tensors("Passed") == ["y", "d_x", "d_weight"]
    assert found.record("d_x")["discrepancy"]["max_ratio"] < 1


@pytest.mark.parametrize("keys", [{}, {"dtype": "f64"}, {"fill": "offset:1e3"}, {"fill": "lone:1", "seed": 9}])
def test_a_right_function_passes_on_drawn_tensors(keys):
    found = gradproof.check(rms_norm, LINE, rows=8, cols=32, **keys)
    assert len(found.tensors("Passed") + found.tensors("Mistrusted")) == 3


def test_arguments_come_in_the_order_of_their_first_use():
    """Whether or not the line says their axes."""
    given = tensors()
    gradproof.check(lambda x, weight, shift: rms_norm(x, weight) - shift, "y = subtract(rms_norm(x, weight), shift[rows,cols])",
                    shift=given["x"] + 1, **given)


SERF = "serf(t, a=1) := multiply(t, erf(multiply(softplus(t), a))); y = serf(x, a=0.5)"


def test_a_stage_that_the_line_defines():
    x = tensors()["x"]
    right = lambda x: x * torch.erf(torch.nn.functional.softplus(x) * 0.5)  # noqa: E731
    assert gradproof.check(right, SERF, x=x).tensors("Passed") == ["y", "d_x"]
    with pytest.raises(gradproof.Convicted, match="FAILED.* y "):
        gradproof.check(lambda x: x * torch.tanh(torch.nn.functional.softplus(x) * 0.5), SERF, x=x)


def test_no_gradient_is_asked_of_a_fixed_tensor():
    x = tensors()["x"]
    keep = (torch.arange(x.numel()).reshape(x.shape) % 3 > 0).float() * 1.5

    def dropped(x, keep, factor=1.0):
        assert x.requires_grad and not keep.requires_grad
        return torch.softmax(x, -1) * keep * factor

    line = "y = multiply(softmax(x), fixed(keep))"
    found = gradproof.check(dropped, line, x=x, keep=keep)
    assert found.tensors("Passed") == ["y", "d_x"] and not found.tensors("Mistrusted")
    with pytest.raises(gradproof.Convicted, match="FAILED.* y "):
        gradproof.check(lambda x, keep: dropped(x, keep, 1.001), line, x=x, keep=keep)


def fused(x, weight):
    return torch.nn.functional.rms_norm(x, (x.shape[-1],), weight, 1e-6)


def test_what_assert_close_lets_pass_is_convicted():
    def mean_over_one_less(x, weight):
        rows = x.float()
        return (rows * torch.rsqrt((rows * rows).sum(-1, keepdim=True) / 63 + 1e-6) * weight.float()).bfloat16()
    given = tensors(torch.bfloat16)
    torch.testing.assert_close(mean_over_one_less(**given), fused(**given))
    with pytest.raises(gradproof.Convicted, match="FAILED.* y ") as raised:
        gradproof.check(mean_over_one_less, LINE, **given)
    found = raised.value.judgement
    assert "y" in found.tensors("Failed")
    done = subprocess.run([os.environ["GRADPROOF"], "replay", found.record("y")["case"]], capture_output=True, text=True,
                          check=False)
    assert done.returncode == 1 and "FAILED" in done.stdout


class MeanIsConstant(torch.autograd.Function):
    """RMSNorm whose adjoint takes the statistic for a constant."""

    @staticmethod
    def forward(ctx, x, weight):
        r = torch.rsqrt((x * x).mean(-1, keepdim=True) + 1e-6)
        ctx.save_for_backward(x, weight, r)
        return x * r * weight

    @staticmethod
    def backward(ctx, dy):
        x, weight, r = ctx.saved_tensors
        return dy * weight * r, (dy * x * r).sum(0)


def test_a_wrong_gradient_is_convicted_alone():
    with pytest.raises(gradproof.Convicted) as raised:
        gradproof.check(MeanIsConstant.apply, LINE, **tensors())
    assert raised.value.judgement.tensors("Failed") == ["d_x"]
    assert raised.value.judgement.tensors("Passed") == ["y", "d_weight"]


def test_a_function_without_a_gradient_is_convicted_unless_forward_alone_is_asked_for():
    def cut(x, weight):
        return rms_norm(x.detach(), weight.detach())
    with pytest.raises(gradproof.Convicted, match="no gradient goes through the function"):
        gradproof.check(cut, LINE, **tensors())
    assert gradproof.check(cut, LINE, backward=False, **tensors()).tensors("Passed") == ["y"]


def test_a_parameter_that_gets_no_gradient_is_convicted():
    with pytest.raises(gradproof.Convicted) as raised:
        gradproof.check(lambda x, weight: rms_norm(x, weight.detach()), LINE, **tensors())
    assert raised.value.judgement.tensors("Failed") == ["d_weight"]


def test_an_input_that_changes_is_convicted():
    def in_place(x, weight):
        y = rms_norm(x, weight)
        with torch.no_grad():
            x[3, 4] += 1
        return y
    with pytest.raises(gradproof.Convicted, match=r"the call changed 'x' \(a function that may do so is judged on copies"):
        gradproof.check(in_place, LINE, backward=False, **tensors())


def test_a_backward_that_writes_into_its_inputs_is_judged_on_copies():
    """Liger-Kernel's SiLUMul, GELUMul and cross entropy keep their gradients where their inputs were."""
    class Doubled(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return 2 * x

        @staticmethod
        def backward(ctx, dy):
            x, = ctx.saved_tensors
            return x.detach().copy_(2 * dy)

    x = torch.randn(8, 32)
    with pytest.raises(gradproof.Convicted, match="the call changed 'x'"):
        gradproof.check(Doubled.apply, "y = multiply(x[rows,cols], 2)", x=x)
    gradproof.check(lambda x: Doubled.apply(x.clone()), "y = multiply(x[rows,cols], 2)", x=x)


@pytest.mark.parametrize("result, says", [
    (lambda y: (y, y), "returned 2 results; the line has 1: y"),
    (lambda y: y.double(), "'y' has the type torch.float64, where torch.float32 is wanted"),
    (lambda y: None, "'y' is NoneType, not a tensor"),
    (lambda y: y[:, :8], r"'y' has the shape \[8, 8\], its cotangent \[8, 32\]"),
])
def test_a_result_of_another_kind_is_convicted(result, says):
    with pytest.raises(gradproof.Convicted, match=says):
        gradproof.check(lambda x, weight: result(rms_norm(x, weight)), LINE, rows=8, cols=32)


@pytest.mark.parametrize("result, says", [
    (lambda y: y[:, :8], r"'y' has the shape \[16, 8\]; by the line it is \[16, 64\]"),
    (lambda y: y.sum(-1), r"'y' has the shape \[16\]; by the line it is \[16, 64\]"),
])
def test_a_result_of_another_shape_than_the_lines_is_convicted(result, says):
    with pytest.raises(gradproof.Convicted, match=says):
        gradproof.check(lambda x, weight: result(rms_norm(x, weight)), LINE, **tensors())


def test_axes_of_length_1_may_be_there():
    gradproof.check(lambda x: x.mean(-1, keepdim=True), "y = mean(x, cols)", x=tensors()["x"])
    gradproof.check(lambda x: torch.nn.functional.avg_pool1d(x, 2), "y = avg_pool(x[n,c,w], window=2)", n=3, c=4, w=10)


def test_bfloat16_is_judged_by_what_is_stored():
    found = gradproof.check(fused, LINE, contract="stored=all", **tensors(torch.bfloat16))
    assert not found.tensors("Failed")
    with pytest.raises(gradproof.Convicted):  # each operation of it is rounded to bfloat16
        gradproof.check(rms_norm, LINE, contract="stored=all", **tensors(torch.bfloat16))


def test_a_pass_that_proves_little_is_spoken():
    with pytest.warns(gradproof.MistrustedWarning, match="y, d_x passed, and that proves little"):
        gradproof.check(lambda x: x - x, "y = subtract(x, x)", x=tensors()["x"])


def test_labels_have_no_gradient():
    labels = torch.tensor([3, 0, 7, 7])
    scores = torch.randn(4, 8, generator=torch.Generator().manual_seed(1))
    found = gradproof.check(lambda x, labels: torch.nn.functional.cross_entropy(x, labels),
                            "v = log_softmax(x, cols); y = nll_loss(v, labels)", x=scores, labels=labels)
    assert found.tensors("Passed") == ["y", "d_x"]


def arrays():
    given = {name: tensor.double().numpy() for name, tensor in tensors().items()}
    x, weight = given["x"], given["weight"]
    r = 1 / numpy.sqrt((x * x).mean(-1, keepdims=True) + 1e-6)
    dy = numpy.cos(numpy.arange(x.size)).reshape(x.shape)
    g = dy * weight
    return {**given, "dy": dy, "y": x * r * weight, "d_x": r * (g - x * r * (g * x * r).mean(-1, keepdims=True)),
            "d_weight": (dy * x * r).sum(0)}


def test_arrays_of_numpy_are_judged():
    assert gradproof.judge(arrays(), LINE).tensors("Passed") == ["y", "d_x", "d_weight"]
    wrong = arrays()
    wrong["d_weight"][5] *= 1 + 1e-12
    with pytest.raises(gradproof.Convicted) as raised:
        gradproof.judge(wrong, LINE, name="mine")
    assert raised.value.judgement.tensors("Failed") == ["d_weight"] and "mine" in raised.value.judgement.text


def test_a_gradient_that_is_missing_among_others_is_inconclusive():
    some = arrays()
    del some["d_x"]
    with pytest.raises(gradproof.Inconclusive, match="not judged: d_x"):
        gradproof.judge(some, LINE)


def test_what_cannot_be_asked_is_refused():
    with pytest.raises(gradproof.ProgramError, match="rms_nrm.*did you mean 'rms_norm'"):
        gradproof.check(rms_norm, "y = rms_nrm(x, weight)", **tensors())
    with pytest.raises(gradproof.ProgramError, match="'gain' .*fits nothing"):
        gradproof.judge({**arrays(), "gain": numpy.ones(3)}, LINE)
    with pytest.raises(TypeError, match="missing: weight; unknown: gain"):
        gradproof.check(rms_norm, LINE, x=tensors()["x"], gain=tensors()["weight"])
    with pytest.raises(TypeError, match="cannot be mixed"):
        gradproof.check(rms_norm, LINE, rows=4, **tensors())
    with pytest.raises(TypeError, match="'x' has the type complex64"):
        gradproof.judge({"x": numpy.zeros((2, 2), numpy.complex64)}, "y = tanh(x)")


def test_a_program_that_is_not_there_is_named(monkeypatch):
    monkeypatch.setenv("GRADPROOF", "/nowhere/gradproof")
    with pytest.raises(gradproof.ProgramError, match="GRADPROOF=/nowhere/gradproof is no program"):
        gradproof.check(rms_norm, LINE, **tensors())


def test_files_stay_only_where_a_replay_line_names_them(tmp_path, monkeypatch):
    monkeypatch.setattr(failures.tempfile, "tempdir", str(tmp_path))
    gradproof.check(rms_norm, LINE, **tensors())
    assert not list(tmp_path.iterdir())
    with pytest.raises(gradproof.Convicted) as raised:
        gradproof.check(MeanIsConstant.apply, LINE, **tensors())
    wrong = {record["set"].replace(":", "_") for record in raised.value.judgement.records if record["verdict"] == "Failed"}
    assert {path.parent.name for path in tmp_path.glob("gradproof-failures-*/*/*/outputs.safetensors")} == wrong >= {"given"}


def test_what_a_conviction_prints_runs_as_it_stands(tmp_path):
    """Without the program on PATH, and from anywhere."""
    with pytest.raises(gradproof.Convicted) as convicted:
        gradproof.check(lambda x, weight: rms_norm(x, weight) * 1.001, LINE, **tensors())
    def run(command):
        return subprocess.run(command, shell=True, capture_output=True, text=True, check=False, cwd=tmp_path, env={"PATH": "/usr/bin:/bin"})

    replayed = run(str(convicted.value).partition("  replay   ")[2])
    assert replayed.returncode == 1, replayed.stdout + replayed.stderr
    said = {}
    for verb, code in (("explain", 0), ("audit", 1)):
        command = re.search(rf"^  {verb} +((?:.*\\\n)*.*)$", convicted.value.judgement.text, re.M)[1]
        done = run(command)
        assert done.returncode == code, command + done.stdout + done.stderr
        said[verb] = done.stdout
    # The audit names the entries of the gradients that it was given.
    assert re.search(r"^ +kernel: [56]\d of 64 entries, the worst \[\d+\]", said["audit"], re.M), said["audit"]


def test_python_runs_the_program_that_the_package_finds(program, tmp_path):
    def run(*words, **variables):
        return subprocess.run([sys.executable, "-m", "gradproof", *words], capture_output=True, text=True, check=False, cwd=tmp_path,
                              env={"PATH": "/usr/bin:/bin", "PYTHONPATH": str(PACKAGE), **variables})

    found = run("--version", GRADPROOF=str(program))
    assert (found.returncode, found.stdout[:10]) == (0, "gradproof "), found.stderr
    assert run("check", "no_such_kernel", GRADPROOF=str(program)).returncode == 2
    missing = run("--version", GRADPROOF="/no/such/program")
    assert (missing.returncode, missing.stderr) == (3, "gradproof: GRADPROOF=/no/such/program is no program\n")
