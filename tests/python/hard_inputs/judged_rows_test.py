# SPDX-License-Identifier: Apache-2.0
"""Where rows are apart, some rows stand for all: which lines these are, what is judged, and that nothing is lost by it."""
import pytest
import torch
import torch.nn.functional as F

from function_support import normal, program  # noqa: F401
import gradproof
from gradproof import resident, tensor_files
from gradproof.hard import hard_inputs, judged_rows

ROWS, COLS = 80, 512
WEIGHT, BETA = 1 + normal(COLS, seed=5) / 4, normal(COLS, seed=6)
NORM = "y = layer_norm(x, weight, beta, eps=1e-5)"


@pytest.mark.parametrize("line, shapes", [
    (NORM, {"x": (ROWS, COLS), "weight": (COLS,), "beta": (COLS,)}),
    ("y = softmax(x)", {"x": (ROWS, COLS)}),
    ("y = linear(x, weight)", {"x": (ROWS, COLS), "weight": (8, COLS)}),
    ("y = group_norm(x, weight, beta, groups=2)", {"x": (ROWS, 4, 8, 8), "weight": (4,), "beta": (4,)}),
    ("y = sum(x, cols)", {"x": (ROWS, COLS)}),
    ("y = add(x, z)", {"x": (ROWS, COLS), "z": (ROWS, COLS)})])
def test_rows_are_apart(line, shapes):
    found = judged_rows.apart(resident.line_of(line), {name: torch.empty(shape) for name, shape in shapes.items()})
    assert found.rows == ROWS and not found.are_all
    assert [fill for fill in hard_inputs.PLACES if hard_inputs.rows_in(fill, found)] == [*hard_inputs.BY_ROWS]


@pytest.mark.parametrize("line, shapes", [
    ("y = batch_norm(x, weight, beta)", {"x": (ROWS, COLS), "weight": (COLS,), "beta": (COLS,)}),
    ("y = softmax(x, rows)", {"x": (ROWS, COLS)}),
    ("y = sum(x, rows)", {"x": (ROWS, COLS)}),
    ("v = log_softmax(x, cols); y = nll_loss(v, labels)", {"x": (ROWS, COLS), "labels": (ROWS,)}),
    ("y = sum(x, rows, cols)", {"x": (ROWS, COLS)}),
    ("y = flip(x, rows)", {"x": (ROWS, COLS)}),
    ("y = divide(x[rows,cols], count(labels[rows]))", {"x": (ROWS, COLS), "labels": (ROWS,)}),
    ("l = nll_loss(log_softmax(x[rows,cols]), labels); y = add(x, l)", {"x": (ROWS, COLS), "labels": (ROWS,)}),
    ("y = multiply(x, sum(x[rows,cols], rows, cols))", {"x": (ROWS, COLS)}),
    ("y = cumsum(x, rows)", {"x": (ROWS, COLS)})])
def test_rows_that_a_step_works_over_are_not(line, shapes):
    tensors = {name: torch.empty(shape, dtype=torch.int64 if name == "labels" else torch.float32) for name, shape in shapes.items()}
    assert judged_rows.apart(resident.line_of(line), tensors) is None


def test_these_rows_of_a_tensor_and_of_its_bytes_are_the_same():
    x = normal(ROWS, 6)
    rows = judged_rows.apart(resident.line_of("y = tanh(x)"), {"x": normal(ROWS * 100, 6)})
    rows.rows, rows.count = ROWS, 8
    [cut] = rows.of({"x": x}).values()
    assert torch.equal(cut, torch.cat([x[:8], x[-8:]])) and rows.shape_of("d_x", x.shape) == [16, 6]
    [data] = rows.of({"y": tensor_files.Data("float32", [*x.shape], tensor_files.data_of(x))}).values()
    assert data.shape == [16, 6] and data.data == tensor_files.data_of(cut)
    alone = rows.alone("dy", x)
    assert torch.equal(rows.ends(alone), cut) and not alone[8:-8].any()


def test_both_ends_are_judged_and_the_middle_keeps_its_numbers():
    seen = []

    def norm(x, weight, beta):
        seen.append(x.detach().clone())
        return F.layer_norm(x, (COLS,), weight, beta, 1e-5)
    x = normal(ROWS, COLS)
    found = gradproof.check(norm, NORM, x=x, weight=WEIGHT, beta=BETA)
    shapes = {record["set"]: record["shape"] for record in found.records if record["tensor"] == "d_x"}
    assert shapes == {"given": [ROWS, COLS], "mixed:rows": [16, COLS], "mixed:shifted": [16, COLS]}
    for called in seen[-2:]:
        assert torch.equal(called[8:-8], x[8:-8]) and not torch.equal(called[:8], x[:8]) and not torch.equal(called[-8:], x[-8:])


class Backward(torch.autograd.Function):
    """A LayerNorm whose gradient of the weight, and nothing else, has another eps."""

    @staticmethod
    def forward(ctx, x, weight, beta, eps):
        apart = x - x.mean(-1, keepdim=True)
        variance = apart.square().mean(-1, keepdim=True)
        ctx.save_for_backward(apart, variance, weight)
        ctx.eps = eps
        return apart * torch.rsqrt(variance + 1e-5) * weight + beta

    @staticmethod
    def backward(ctx, dy):
        apart, variance, weight = ctx.saved_tensors
        rstd = torch.rsqrt(variance + 1e-5)
        xhat, g = apart * rstd, dy * weight
        dx = rstd * (g - g.mean(-1, keepdim=True) - xhat * (g * xhat).mean(-1, keepdim=True))
        return dx, (dy * apart * torch.rsqrt(variance + ctx.eps)).sum(0), dy.sum(0), None


def last_row_apart(x, weight, beta):
    return torch.cat([F.layer_norm(x[:-1], (COLS,), weight, beta, 1e-5), F.layer_norm(x[-1:], (COLS,), weight, beta, 1e-6)])


def with_eps(eps):
    return lambda x, weight, beta: Backward.apply(x, weight, beta, eps)


@pytest.mark.parametrize("wrong, tensor", [(last_row_apart, "y"), (with_eps(1e-6), "d_weight")])
def test_what_one_row_shows_or_a_sum_over_rows_is_seen(wrong, tensor):
    given = {"x": 3 * normal(ROWS, COLS), "weight": WEIGHT, "beta": BETA}
    assert not gradproof.check(wrong, NORM, inputs="given", **given).tensors("Failed")
    says = r"with the inputs 'mixed:rows' in rows 0 to 7 and 72 to 79, here 0 to 15"
    with pytest.raises(gradproof.Convicted, match=says) as raised:
        gradproof.check(wrong, NORM, **given)
    assert raised.value.judgement.record(tensor)["set"] == "mixed:rows"


def test_the_right_one_passes():
    gradproof.check(with_eps(1e-5), NORM, x=normal(ROWS, COLS), weight=WEIGHT, beta=BETA)


def without_maximum(x):
    e = torch.exp(x)
    return e / e.sum(-1, keepdim=True)


@pytest.mark.parametrize("rows", [6, 9, 15, 16, 17, ROWS])
@pytest.mark.parametrize("last", [False, True])
def test_a_softmax_of_one_row_that_overflows_is_seen(rows, last):
    def wrong(x):
        right, other = torch.softmax(x, -1), without_maximum(x)
        return torch.cat([right[:-1], other[-1:]] if last else [other[:1], right[1:]])
    with pytest.raises(gradproof.Convicted):
        gradproof.check(wrong, "y = softmax(x)", x=normal(rows, COLS))


def infinite_square(x):
    x[ROWS // 2] = 1e25
    return x, lambda x, w: x * x * w, "y = multiply(square(x), w[cols])"


def quotient_by_zero(x):
    x[ROWS // 2] = 0
    return x, lambda x, w: x / x.norm(dim=-1, keepdim=True) * w, "s = sum(square(x), cols); y = multiply(divide(x, sqrt(s)), w[cols])"


@pytest.mark.parametrize("case", [infinite_square, quotient_by_zero])
@pytest.mark.filterwarnings("ignore::gradproof.MistrustedWarning")
def test_where_given_numbers_have_infinite_results_all_rows_are_judged(case):
    """A cotangent of 0 times what is infinite in between would be in the gradient of w."""
    x, function, line = case(normal(ROWS, COLS))
    found = gradproof.check(function, line, x=x, w=WEIGHT)
    assert found.record("y", "mixed:rows")["shape"] == [ROWS, COLS]
    dy = normal(ROWS, COLS, seed=3)
    def of_square(x, w, dy):
        return {"d_x": 2 * x * w * dy, "d_w": (x * x * dy).sum(0)}
    if case is infinite_square:
        alone = gradproof.backward(of_square, line, x=x, w=WEIGHT, dy=dy)
        assert alone.record("d_w", "mixed:rows")["verdict"] != "Failed"


def test_a_result_may_have_axes_of_length_1_in_front():
    found = gradproof.check(lambda x: torch.tanh(x)[None, None], "y = tanh(x)", x=normal(ROWS, COLS))
    assert found.record("y", "mixed:rows")["shape"] == [16, COLS]
    assert {record["set"] for record in found.records} == {"given", *hard_inputs.BY_ROWS}


def test_an_input_that_is_expanded_along_its_rows_has_each_fill():
    def wrong(x):
        return torch.where(x == 0, torch.nan, x) * 2
    x = normal(1, COLS).expand(ROWS, COLS)
    gradproof.check(lambda x: x * 2, "y = multiply(x, 2)", x=x)
    with pytest.raises(gradproof.Convicted):
        gradproof.check(wrong, "y = multiply(x, 2)", x=x)


def test_a_maximum_of_all_rows_is_seen():
    def wrong(x):
        e = torch.exp(x - x.max())
        return e / e.sum(-1, keepdim=True)
    x = normal(ROWS, COLS)
    assert not gradproof.check(wrong, "y = softmax(x)", x=x, inputs="given").tensors("Failed")
    with pytest.raises(gradproof.Convicted):
        gradproof.check(wrong, "y = softmax(x)", x=x)


def test_what_is_drawn_again_is_the_same_and_nobody_has_written_to_it():
    def writes(x):
        return x.mul_(2).tanh_() if not x.requires_grad else torch.tanh(x)
    x = normal(ROWS, COLS)
    line = resident.line_of("y = tanh(x)")
    apart = judged_rows.apart(line, {"x": x})
    before = [numbers["x"].clone() for _, numbers in hard_inputs.sets_of([*hard_inputs.BY_ROWS], line, {"x": x}, 1, apart)]
    with pytest.raises(gradproof.Convicted, match="x"):
        gradproof.check(writes, "y = tanh(x)", x=x, backward=False)
    after = [numbers["x"] for _, numbers in hard_inputs.sets_of([*hard_inputs.BY_ROWS], line, {"x": x}, 1, apart)]
    assert all(torch.equal(a, b) for a, b in zip(before, after))
