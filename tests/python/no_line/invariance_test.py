# SPDX-License-Identifier: Apache-2.0
"""gradproof.invariant, gradproof.backward, gradproof.given and functions of JAX and CuPy (docs/without-a-line.md)."""
import subprocess
import sys
import types

import numpy
import pytest
import torch

from function_support import PACKAGE, normal, program  # noqa: F401 (the fixture)

import gradproof  # isort: skip

LINE = "y = rms_norm(x, weight, eps=1e-6)"
TENSORS = {"x": normal(12, 32), "weight": normal(32, seed=4)}


def norm(x, weight):
    return torch.nn.functional.rms_norm(x, x.shape[-1:], weight, 1e-6)


def test_rows_that_depend_on_nothing_else_pass():
    assert gradproof.invariant(norm, **TENSORS).rows == 4


def by_size(x, weight):
    """Another order of additions in small batches, as a product chooses its kernel."""
    if len(x) < 5:
        return norm(x, weight)
    halves = x[:, :16].square().sum(-1, keepdim=True) + x[:, 16:].square().sum(-1, keepdim=True)
    return x * torch.rsqrt(halves / 32 + 1e-6) * weight


@pytest.mark.parametrize("function, text", [
    (by_size, r"'result' of row \d+ has other bits in a batch of 1, at place 0, than in the batch of 12: \d+ of 32 elements, the largest"),
    (lambda x, weight: norm(x, weight) + 0 * x.mean(0), "has other bits in a batch of"),
    (lambda x, weight: torch.where(torch.arange(len(x))[:, None] == 1, x, norm(x, weight)), "at place"),
    (lambda x, weight: norm(x, weight) if len(x) > 1 else 1 / 0, "in a batch of 1 the call raised ZeroDivisionError"),
])
def test_a_row_that_depends_on_its_batch_is_convicted(function, text):
    with pytest.raises(gradproof.Convicted, match=text):
        gradproof.invariant(function, **TENSORS)


def test_a_gradient_that_depends_on_its_batch_is_convicted():
    class Norm(torch.autograd.Function):
        @staticmethod
        def forward(context, x):
            return x * 2

        @staticmethod
        def backward(context, dy):
            return dy * 2 if len(dy) < 5 else dy * (2 + 2 ** -20)
    gradproof.invariant(Norm.apply, x=normal(12, 8), backward=False)
    with pytest.raises(gradproof.Convicted, match="'d_x' of row 0"):
        gradproof.invariant(Norm.apply, x=normal(12, 8))


@pytest.mark.parametrize("more, error, text", [
    ({"batch": (0, 2)}, ValueError, "sizes and rows are at least 1"),
    ({"rows": ("z",)}, ValueError, "the tensors are x weight"),
])
def test_what_cannot_be_asked_says_so(more, error, text):
    with pytest.raises(error, match=text):
        gradproof.invariant(norm, **TENSORS, **more)
    with pytest.raises(TypeError, match="result 0 of the function has no row for each of 12 rows"):
        gradproof.invariant(lambda x, weight: x.sum(), **TENSORS)


def saved(x, **_):
    return {"rstd": torch.rsqrt(x.square().mean(-1, keepdim=True) + 1e-6)}


def gradients(dy, x, weight, rstd, count=32):
    g, xhat = dy * weight, x * rstd
    return rstd * (g - xhat * (g * xhat).sum(-1, keepdim=True) / count), (dy * xhat).sum(0)


def of_norm(dy, x, weight, rstd):
    return gradients(dy, x, weight, rstd)


def test_a_backward_alone_is_judged():
    found = gradproof.backward(of_norm, LINE, saved=saved, **TENSORS)
    assert {record["tensor"] for record in found.records} == {"d_x", "d_weight"}
    assert {"given", "mixed:rows"} <= {record["set"] for record in found.records} and "skipped=0" in found.text
    fixed = gradproof.backward(of_norm, LINE, saved=saved(**TENSORS), **TENSORS)
    assert {record["set"] for record in fixed.records} == {"given"}, "of hard numbers nobody knows what forward saved"
    by_name = gradproof.backward(lambda dy, x, weight, rstd: dict(zip(("d_x", "d_weight"), gradients(dy, x, weight, rstd))), LINE,
                                 saved=saved, inputs="given", **TENSORS)
    assert len(by_name.records) == 2


def changed(dy, x, weight, rstd):
    found = gradients(dy, x, weight, rstd)
    rstd.zero_()
    return found


@pytest.mark.parametrize("function, text", [
    (lambda dy, x, weight, rstd: gradients(dy, x, weight, rstd, 31), "FAILED.* d_x "),
    (lambda dy, x, weight, rstd: gradients(dy, x, weight, rstd)[:1], "returned 1 results; the line has 2 gradients: d_x d_weight"),
    (lambda dy, x, weight, rstd: {"d_w": x}, "returned d_w; the line has the gradients d_x d_weight"),
    (lambda dy, x, weight, rstd: (x[:1], weight), r"'d_x' has the shape \[1, 32\], what it is the gradient of \[12, 32\]"),
    (lambda dy, x, weight, rstd: (x + torch.rand(1), weight), "'d_x' is another in a second call"),
    (changed, "'rstd' is changed by the function"),
])
def test_a_wrong_backward_is_convicted(function, text):
    with pytest.raises(gradproof.Convicted, match=text):
        gradproof.backward(function, LINE, saved=saved, inputs="given", **TENSORS)


def test_an_argument_that_nothing_has_says_so():
    with pytest.raises(TypeError, match="nothing is called inv; there are x weight dy rstd"):
        gradproof.backward(lambda dy, x, weight, inv: x, LINE, saved=saved, **TENSORS)


TEST = """
import gradproof
import torch

@gradproof.given(rows=range(1, 9), cols=range(1, 129), dtype=["f32"], examples=15)
def test_tail(rows, cols, dtype):
    def norm(x, weight):
        y = torch.nn.functional.rms_norm(x, (cols,), weight, 1e-6)
        return torch.cat([y[:, :cols - cols % 32], x[:, cols - cols % 32:]], 1) if {wrong} else y
    gradproof.check(norm, "y = rms_norm(x, weight, eps=1e-6)", rows=rows, cols=cols, dtype=dtype, fill="offset:1e3", backward=False)
"""


def drawn(folder, wrong):
    pytest.importorskip("hypothesis", reason="hypothesis is not installed, so gradproof.given is not tried")
    (folder / "drawn_test.py").write_text(TEST.format(wrong=wrong))
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "drawn_test.py"]
    return subprocess.run(command, cwd=folder, env={**__import__("os").environ, "PYTHONPATH": f"{PACKAGE}:{':'.join(sys.path[1:])}"},
                          capture_output=True, text=True, check=False)


def test_cases_are_drawn_and_the_failing_one_is_made_simple(tmp_path):
    done = drawn(tmp_path, "cols % 32")
    assert done.returncode == 1 and "rows=1," in done.stdout and "cols=1," in done.stdout, done.stdout + done.stderr
    assert (tmp_path / ".hypothesis").exists()
    assert drawn(tmp_path, "False").returncode == 0


@pytest.mark.parametrize("keys, text", [({"rows": range(3, 3)}, "has no numbers"), ({"rows": 7}, "a range of whole numbers, a list"),
                                        ({"rows": ...}, "known of fill dtype seed alone"), ({"cols": [1]}, "has no argument cols")])
def test_what_nothing_is_drawn_from_says_so(keys, text):
    pytest.importorskip("hypothesis", reason="hypothesis is not installed, so gradproof.given is not tried")
    with pytest.raises(ValueError, match=text):
        @gradproof.given(**keys)
        def test(rows):
            pass


def test_functions_of_jax_are_judged_by_their_own_backward():
    jax = pytest.importorskip("jax", reason="JAX is not installed, so its functions are not tried")
    x, weight = jax.numpy.asarray(normal(12, 32).numpy()), jax.numpy.asarray(normal(32, seed=4).numpy())

    def of_jax(count):
        return jax.jit(lambda x, weight: x * jax.lax.rsqrt(jax.numpy.sum(x * x, -1, keepdims=True) / count + 1e-6) * weight)
    found = gradproof.check(of_jax(32), LINE, x=x, weight=weight)
    assert set(found.tensors("Passed")) >= {"y", "d_x", "d_weight"}
    with pytest.raises(gradproof.Convicted, match="FAILED.* y "):
        gradproof.check(of_jax(31), LINE, x=x, weight=weight, inputs="given")


class Array:
    """An array of a framework without a backward, as CuPy is one: it has numbers, and says its memory by DLPack."""
    def __init__(self, numbers):
        self.numbers, self.shape, self.dtype = numbers, numbers.shape, numbers.dtype

    def __dlpack__(self, **options):
        return self.numbers.__dlpack__(**options)

    def __dlpack_device__(self):
        return self.numbers.__dlpack_device__()


@pytest.fixture
def arrays(monkeypatch):
    """Those tensors, of a module that is called cupy."""
    monkeypatch.setattr(Array, "__module__", "cupy")
    framework = types.ModuleType("cupy")
    framework.from_dlpack = lambda tensor: Array(numpy.from_dlpack(tensor))
    monkeypatch.setitem(sys.modules, "cupy", framework)
    return {key: Array(tensor.numpy()) for key, tensor in TENSORS.items()}


def norm_of_arrays(count):
    def norm(x, weight):
        x, weight = x.numbers, weight.numbers  # a tensor of torch has none
        with numpy.errstate(over="ignore"):
            return Array(x / numpy.sqrt((x * x).sum(-1, keepdims=True) / count + numpy.float32(1e-6)) * weight)
    return norm


def test_functions_of_arrays_are_judged_forward(arrays):
    found = gradproof.check(norm_of_arrays(32), LINE, backward=False, **arrays)
    assert found.tensors("Passed") == ["y"] and {"given", "mixed:rows"} <= {record["set"] for record in found.records}
    with pytest.raises(gradproof.Convicted, match="FAILED.* y "):
        gradproof.check(norm_of_arrays(31), LINE, backward=False, inputs="given", **arrays)
    with pytest.raises(gradproof.Convicted, match="gradproof.backward judges a backward that is given(.|\n)*Passed +y "):
        gradproof.check(norm_of_arrays(32), LINE, inputs="given", **arrays)
    assert gradproof.invariant(norm_of_arrays(32), backward=False, **arrays).rows == 4
    with pytest.raises(gradproof.Convicted, match="the call changed 'x'"):
        gradproof.check(lambda x, weight: x.numbers.fill(0) or x, LINE, backward=False, inputs="given", **arrays)


def test_a_backward_of_arrays_is_judged(arrays):
    def of_arrays(count):
        def backward(dy, x, weight, rstd):
            found = gradients(*(torch.from_numpy(array.numbers) for array in (dy, x, weight, rstd)), count)
            return [Array(tensor.numpy()) for tensor in found]
        return backward

    def kept(x, **_):
        return {"rstd": Array(saved(torch.from_numpy(x.numbers))["rstd"].numpy())}
    found = gradproof.backward(of_arrays(32), LINE, saved=kept, **arrays)
    assert set(found.tensors("Passed")) >= {"d_x", "d_weight"} and "mixed:rows" in {record["set"] for record in found.records}
    fixed = gradproof.backward(of_arrays(32), LINE, saved=kept(**arrays), **arrays)
    assert {record["set"] for record in fixed.records} == {"given"}
    with pytest.raises(gradproof.Convicted, match="FAILED.* d_x "):
        gradproof.backward(of_arrays(31), LINE, saved=kept, inputs="given", **arrays)


def test_arrays_that_are_there_already_are_judged(arrays):
    y = norm_of_arrays(32)(**arrays)
    assert gradproof.judge({**arrays, "y": y}, LINE).tensors("Passed") == ["y"]
    with pytest.raises(gradproof.Convicted, match="FAILED.* y "):
        gradproof.judge({**arrays, "y": norm_of_arrays(31)(**arrays)}, LINE)
