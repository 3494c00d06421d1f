# SPDX-License-Identifier: Apache-2.0
"""The sets of hard numbers of gradproof.check (docs/python.md): torch's own operators pass on all of them, and they show a wrong
number that the given ones hide.
"""
import math
import warnings

import pytest
import torch
import torch.nn.functional as F

from function_support import normal, program  # noqa: F401
import gradproof
from gradproof import resident
from gradproof.hard import hard_inputs, work

ROWS, COLS = 24, 96
LABELS = torch.arange(ROWS) * 5 % COLS
# Of an operator the line, the function, and what it is given beside x.
OPERATORS = {
    "rms_norm": ("y = rms_norm(x, weight, eps=1e-6)", lambda x, w: F.rms_norm(x, (COLS,), w, 1e-6), {"weight": normal(COLS, seed=5)}),
    "layer_norm": ("y = layer_norm(x, weight, beta, eps=1e-5)", lambda x, w, b: F.layer_norm(x, (COLS,), w, b, 1e-5),
                   {"weight": normal(COLS, seed=5), "beta": normal(COLS, seed=6)}),
    "softmax": ("y = softmax(x)", lambda x: F.softmax(x, -1), {}),
    "gelu": ("y = gelu(x)", F.gelu, {}),
    "linear": ("y = linear(x, weight, bias)", F.linear, {"weight": normal(32, COLS, seed=5), "bias": normal(32, seed=6)}),
    "cross_entropy": ("v = log_softmax(x, cols); y = nll_loss(v, labels)", F.cross_entropy, {"labels": LABELS}),
    "batch_norm": ("y = batch_norm(x, weight, beta, eps=1e-5)",
                   lambda x, w, b: F.batch_norm(x, None, None, w, b, True, 0.0, 1e-5),
                   {"weight": normal(COLS, seed=5), "beta": normal(COLS, seed=6)}),
}
TYPES = (torch.float32, torch.bfloat16, torch.float16)


def given(dtype, **others):
    """x and those, all floating ones of that type."""
    tensors = {"x": normal(ROWS, COLS), **others}
    return {name: tensor.to(dtype) if tensor.is_floating_point() else tensor for name, tensor in tensors.items()}


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("name", OPERATORS)
def test_operators_of_torch_pass_on_hard_numbers(name, dtype):
    line, function, others = OPERATORS[name]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", gradproof.MistrustedWarning)
        found = gradproof.check(function, line, inputs="all", **given(dtype, **others))
    assert {record["set"] for record in found.records} >= {"given", *hard_inputs.FILLS[1:]}


# At a variance of nine an eps of a hundred thousandth moves nothing that is seen.
WIDE = {"x": 3 * normal(16, 768), "weight": normal(768, seed=5)}
NORMS = {"rms_norm": lambda x, weight, eps: F.rms_norm(x, (768,), weight, eps),
         "layer_norm": lambda x, weight, eps: F.layer_norm(x, (768,), weight, None, eps)}


@pytest.mark.parametrize("name", NORMS)
def test_a_wrong_eps_is_seen_by_default_and_not_by_the_given_numbers(name):
    line = f"y = {name}(x, weight, eps=1e-6)"
    def wrong(x, weight):
        return NORMS[name](x, weight, 1e-5)
    assert not gradproof.check(wrong, line, inputs="given", backward=False, **WIDE).tensors("Failed")
    says = r"^y: \d+ of (.|\n)*\n  with the inputs 'mixed:rows':\n(.|\n)*FAILED.* y "
    with pytest.raises(gradproof.Convicted, match=says) as raised:
        gradproof.check(wrong, line, backward=False, **WIDE)
    found = raised.value.judgement
    assert found.record("y", "given")["verdict"] == "Passed" and found.record("y", "mixed:rows")["verdict"] == "Failed"


def test_a_softmax_that_overflows_is_seen_by_default():
    def wrong(x):
        return torch.exp(x) / torch.exp(x).sum(-1, keepdim=True)
    gradproof.check(wrong, "y = softmax(x)", x=normal(8, 32), inputs="given")
    with pytest.raises(gradproof.Convicted, match="FAILED.* y "):
        gradproof.check(wrong, "y = softmax(x)", x=normal(8, 32))


def test_the_factor_by_which_a_number_may_be_off():
    line, function, others = OPERATORS["rms_norm"]
    tensors = {"x": WIDE["x"][:, :COLS], **others}
    assert gradproof.check(function, line, inputs="given", **tensors).sees() == {"y.eps": 100.0}
    assert gradproof.check(function, line, **tensors).sees() == {"y.eps": 1.1}


def test_numbers_by_default_and_those_of_nested_steps_are_multiplied():
    said = resident.line_of("y = leaky_relu(gelu(layer_norm(x[rows,cols])), slope=0.2)")
    assert [(step, word) for step, word, value in said.numbers if isinstance(value, float)] == [("v1", "eps"), ("y", "slope")]
    x = normal(16, 64)
    found = gradproof.check(lambda x: F.leaky_relu(F.gelu(F.layer_norm(x, (64,))), 0.2), said.text, x=x)
    assert found.sees() == {"v1.eps": 1.1, "y.slope": 1.1}


def test_a_factor_that_cannot_be_is_none_that_is_seen():
    """The least number times three is over the largest one, which the program refuses."""
    found = gradproof.check(lambda x: F.hardtanh(x, 0.5, 1.0), "y = hardtanh(x, min=0.5, max=1)", x=normal(8, 4), backward=False,
                            inputs="given")
    assert found.sees() == {"y.min": 1.1, "y.max": 1.1}


def test_all_sets_are_judged_by_one_process(monkeypatch):
    verbs, run = [], resident.run
    monkeypatch.setattr(resident, "run", lambda *words: (verbs.append(words[0]), run(*words))[1])
    found = gradproof.check(torch.tanh, "y = tanh(x)", x=normal(8, 16))
    assert verbs.count("judge") == 1 and set(verbs) <= {"judge", "python"} and len({record["set"] for record in found.records}) == 3


def test_which_inputs_is_said_by_a_word():
    x = normal(4, 8)
    assert {record["set"] for record in gradproof.check(torch.tanh, "y = tanh(x)", x=x, inputs="given").records} == {"given"}
    drawn = gradproof.check(torch.tanh, "y = tanh(x)", rows=4, cols=8, fill="normal")
    assert {record["set"] for record in drawn.records} == {"given"}, "a fill is one that the user chose"
    with pytest.raises(ValueError, match="inputs='givn' is none of given hard all; did you mean 'given'?"):
        gradproof.check(torch.tanh, "y = tanh(x)", x=x, inputs="givn")


def test_what_takes_long_is_left_out_and_named():
    line = resident.line_of("y = linear(x, weight)")
    tensors = {"x": torch.empty(64, 768, device="meta"), "weight": torch.empty(768, 768, device="meta")}
    assert work.work_of(line, {name: tensor.shape for name, tensor in tensors.items()}) >= 3 * 64 * 768 * 768
    small = {"x": normal(4, 8), "weight": normal(16, 8)}
    found = work.fills_of(line, small, "hard")
    assert ("own", *found.judged) == (*hard_inputs.usual([small["x"]], by_rows=True),) and not found.left_out
    assert work.fills_of(line, small, "given") == work.NONE
    norm = resident.line_of("y = batch_norm(x, weight, beta)")
    large = {"x": normal(128, 65536), "weight": normal(65536), "beta": normal(65536)}
    found = work.fills_of(norm, large, "hard")
    assert found.judged and found.left_out and ("own", *found.judged, *found.left_out) == hard_inputs.USUAL
    assert work.fills_of(norm, large, "all").judged == [*hard_inputs.FILLS[1:]]


def test_a_few_rows_take_no_time_beside_a_large_tensor():
    line = resident.line_of("y = linear(x, weight)")
    large = {"x": normal(4096, 1024), "weight": normal(512, 1024)}
    found = work.fills_of(line, large, "hard")
    assert ("own", *found.judged) == ("own", *hard_inputs.BY_ROWS) and not found.left_out
    assert work.fills_of(line, large, "all").judged == [*hard_inputs.BY_ROWS, *hard_inputs.FILLS[1:]]


def test_fills_that_have_no_row_in_a_mixed_tensor_are_judged_by_themselves():
    """Each of MIXED is seen somewhere, however few rows there are, and none twice."""
    for rows in (1, 2, 6, 11, 12, 64):
        usual = hard_inputs.usual([normal(rows, 5), normal(5)])
        assert set(hard_inputs.MIXED) <= {*usual, *hard_inputs.MIXED[:rows]} and len(usual) == len(set(usual))
        assert rows < 12 or tuple(usual) == hard_inputs.USUAL
    assert set(hard_inputs.usual([])) == set(hard_inputs.USUAL) | set(hard_inputs.MIXED)


@pytest.mark.parametrize("rows", [1, 3, 7, 8, 64])
def test_where_rows_are_apart_each_fill_of_both_mixed_sets_is_judged(rows):
    usual = hard_inputs.usual([normal(rows, 5), normal(5)], by_rows=True)
    within = {fill for fills in hard_inputs.BY_ROWS.values() for fill in fills[:rows]}
    assert set(hard_inputs.MIXED) <= {*usual, *within} and len(usual) == len(set(usual))
    assert rows < 8 or usual == ["own", *hard_inputs.BY_ROWS]


def test_a_mixed_tensor_has_each_fill_along_its_axis():
    like = torch.ones(24, 36, 2)
    for fill, axis in (("mixed", 0), ("mixed:columns", 1)):
        values = hard_inputs.filled(fill, like, torch.Generator().manual_seed(1)).movedim(axis, 0)
        zeros = [k for k in range(len(values)) if not values[k].any()]
        assert zeros == list(range(hard_inputs.MIXED.index("constant:0"), len(values), len(hard_inputs.MIXED)))
        assert values[hard_inputs.MIXED.index("subnormal")].abs().max() < torch.finfo(torch.float32).tiny
        assert (values[hard_inputs.MIXED.index("common:-1e4")].abs() > 5e3).all()


@pytest.mark.parametrize("dtype", [*TYPES, torch.float64])
@pytest.mark.parametrize("shape", [(6, 5, 4), (8, 16), (7,), ()])
@pytest.mark.parametrize("fill", hard_inputs.PLACES[1:])
def test_every_fill_has_finite_numbers_of_every_shape_and_type(fill, shape, dtype):
    found = hard_inputs.filled(fill, torch.ones(shape, dtype=dtype), torch.Generator().manual_seed(1))
    assert found.shape == shape and found.dtype == dtype and bool(torch.isfinite(found).all())


def test_parameters_labels_and_masks_stay_valid():
    line = resident.line_of("h = add(multiply(x, keep[rows,cols]), mask[rows,cols]); v = log_softmax(h, cols); y = nll_loss(v, labels)")
    hidden = torch.where(normal(6, 8, seed=7) > 1, -math.inf, 0.0)
    tensors = {"x": normal(6, 8), "keep": (normal(6, 8, seed=8) > 0).float(), "mask": hidden, "labels": torch.arange(6)}
    assert hard_inputs.data_of(line, tensors) == ["x"]
    norm = resident.line_of("y = layer_norm(x, weight, beta)")
    assert hard_inputs.data_of(norm, {"x": normal(6, 8), "weight": normal(8), "beta": normal(8)}) == ["x"]
    product = resident.line_of("y = linear(x, weight)")
    assert hard_inputs.data_of(product, {"x": normal(6, 8), "weight": normal(3, 8)}) == ["x"]


def test_numbers_stay_in_the_domain_of_a_logarithm():
    x = normal(8, 16).abs() + 0.1
    for fill, numbers in hard_inputs.sets_of(hard_inputs.FILLS, resident.line_of("y = log(x)"), {"x": x}, 1):
        assert (numbers["x"] > 0).all(), fill
        assert fill != "own" or numbers["x"].equal(x)
    [(_, numbers)] = hard_inputs.sets_of(["normal"], resident.line_of("y = exp(x)"), {"x": x}, 1)
    assert (numbers["x"] < 0).any()
    def clamped(x):
        return torch.log(x.clamp(min=1e-45))
    gradproof.check(clamped, "y = log(x)", x=x, backward=False)


class ByDlpack(torch.autograd.Function):
    """Its backward hands the cotangent to another library by DLPack, which refuses a tensor that autograd knows."""

    @staticmethod
    def forward(ctx, x, detached):
        ctx.detached = detached
        return 2 * x

    @staticmethod
    def backward(ctx, dy):
        return 2 * torch.from_dlpack(dy.detach() if ctx.detached else dy), None


def test_a_cotangent_that_is_no_leaf():
    line = "y = add(x, x)"
    gradproof.check(lambda x: ByDlpack.apply(x, True), line, x=normal(4, 8))
    with pytest.raises(gradproof.Convicted, match="with a cotangent that is no leaf the call raised BufferError"):
        gradproof.check(lambda x: ByDlpack.apply(x, False), line, x=normal(4, 8))


def test_a_function_that_raises_on_hard_numbers_is_convicted():
    def refuses(x):
        if float(x.detach().abs().max()) > 100:
            raise ValueError("too large")
        return torch.tanh(x)
    gradproof.check(refuses, "y = tanh(x)", x=normal(4, 8), inputs="given")
    with pytest.raises(gradproof.Convicted, match="with the inputs '[a-z0-9:-]+' the call raised ValueError: too large"):
        gradproof.check(refuses, "y = tanh(x)", x=normal(4, 8))


def test_the_first_set_alone_says_with_what_the_program_is_consistent():
    line, function, others = OPERATORS["layer_norm"]
    found = gradproof.check(function, line, **given(torch.float32, **others))
    assert "consistent with chains" in found.record("d_weight", "given")["why"]
    assert not any("consistent with chains" in record["why"] for record in found.records if record["set"] != "given")
