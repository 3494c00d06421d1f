# SPDX-License-Identifier: Apache-2.0
"""What gradproof.check says of a wrong function: which fault explains the tensor (docs/diagnosis.md). Each is planted here, in PyTorch."""
import pytest
import torch
import torch.nn.functional as F

from function_support import normal, program  # noqa: F401 (the fixture)

import gradproof  # isort: skip

LAYER_NORM = "y = layer_norm(x, weight, beta)"
RMS_NORM = "y = rms_norm(x, weight, eps=1e-6)"
SWIGLU = "y = swiglu(gate, up)"
LINEAR = "y = linear(x, weight)"
ROWS, COLS = 64, 96
X, OTHER = normal(ROWS, COLS), normal(ROWS, COLS, seed=4)
WEIGHT, BETA = normal(COLS, seed=5).abs() + 0.5, normal(COLS, seed=6)
NORM = {"x": X, "weight": WEIGHT, "beta": BETA}
GATES = {"gate": X, "up": OTHER}


def differentiable(forward, backward):
    """The function whose gradients are what `backward` says."""
    class Planted(torch.autograd.Function):
        @staticmethod
        def forward(ctx, *tensors):
            ctx.save_for_backward(*tensors)
            return forward(*tensors)

        @staticmethod
        def backward(ctx, *cotangents):
            return backward(*cotangents, *ctx.saved_tensors)
    return Planted.apply


def silu(slope):
    def backward(dy, x):
        return slope(dy, x, torch.sigmoid(x))
    return differentiable(F.silu, backward)


def shifted(numbers):
    return torch.cat([numbers[:, 1:], numbers[:, -1:]], 1)


def swiglu(gradients):
    def backward(dy, gate, up):
        s = torch.sigmoid(gate)
        return gradients(dy * up * s * (1 + gate * (1 - s)), dy * F.silu(gate))
    return differentiable(lambda gate, up: F.silu(gate) * up, backward)


def tf32(numbers):
    bits = numbers.contiguous().view(torch.int32)
    return ((bits + 0xFFF + ((bits >> 13) & 1)) & ~0x1FFF).view(torch.float32)


def product(forward, backward):
    """x weight^T whose factors are rounded so."""
    def rounded(a, b, how):
        return how(a).float() @ how(b).float()
    return differentiable(lambda x, weight: rounded(x, weight.t(), forward),
                          lambda dy, x, weight: (rounded(dy, weight, backward), rounded(dy.t(), x, backward)))


def to_nine_bits(numbers):
    shares, exponents = torch.frexp(numbers)
    return torch.ldexp((shares * 512).round() / 512, exponents)


def layer_norm(x, weight, beta):
    return F.layer_norm(x, (COLS,), weight, beta)


def norm(terms=lambda g, mean, xhat: g - mean - xhat, sums=lambda term: term.sum(0), parameters=lambda d_weight, d_beta: (d_weight, d_beta)):
    def backward(dy, x, weight, beta):
        var, mean = torch.var_mean(x, -1, correction=0, keepdim=True)
        rstd = (var + 1e-5).rsqrt()
        xhat, g = (x - mean) * rstd, dy * weight
        d_x = terms(g, g.mean(-1, keepdim=True), xhat * (g * xhat).mean(-1, keepdim=True)) * rstd
        return d_x, *parameters(sums(dy * xhat), sums(dy))
    return differentiable(layer_norm, backward)


def weight_gradient(of):
    def backward(dy, x, weight, beta):
        with torch.enable_grad():
            moved = x.detach().requires_grad_()
            d_x, = torch.autograd.grad(layer_norm(moved, weight.detach(), beta.detach()), moved, dy)
        return d_x, of(dy, x), dy.sum(0)
    return differentiable(layer_norm, backward)


def of_statistics(value):
    def forward(x, weight, beta):
        return value(x, x.mean(-1, keepdim=True), x.var(-1, correction=0, keepdim=True)) * weight + beta
    return forward


PLANTED = [
    ("cotangent twice", silu(lambda dy, x, s: dy * dy * s * (1 + x * (1 - s))), "y = silu(x)", {"x": X}, "d_x", "dy is multiplied in twice"),
    ("ones for dy", silu(lambda dy, x, s: s * (1 + x * (1 - s))), "y = silu(x)", {"x": X}, "d_x", "ones are taken for dy"),
    ("a term of a slope", silu(lambda dy, x, s: dy * s), "y = silu(x)", {"x": X}, "d_x",
     "silu: the derivative lacks its term x s (1 - s), s = sigmoid(x)"),
    ("no slope", silu(lambda dy, x, s: dy.clone()), "y = silu(x)", {"x": X}, "d_x", "silu: the derivative is left out"),
    ("gradients exchanged", swiglu(lambda d_gate, d_up: (d_up, d_gate)), SWIGLU, GATES, "d_up", "it is the gradient of gate"),
    ("a gradient left out", swiglu(lambda d_gate, d_up: (torch.zeros_like(d_gate), d_up)), SWIGLU, GATES, "d_gate", "missing altogether: 0"),
    ("mean(g)", norm(terms=lambda g, mean, xhat: g - xhat), LAYER_NORM, NORM, "d_x",
     "layer_norm: the adjoint lacks the term of the mean, mean(g)"),
    ("mean(g xhat)", norm(terms=lambda g, mean, xhat: g - mean), LAYER_NORM, NORM, "d_x",
     "layer_norm: the adjoint lacks the term of the deviation, xhat mean(g xhat)"),
    ("both terms", norm(terms=lambda g, mean, xhat: g), LAYER_NORM, NORM, "d_x",
     "layer_norm: the adjoint takes mean and deviation for constants"),
    ("last row", norm(sums=lambda term: term[:-1].sum(0)), LAYER_NORM, NORM, "d_weight", "summed over all rows but the last"),
    ("first block", norm(sums=lambda term: term[:32].sum(0)), LAYER_NORM, NORM, "d_beta", "summed over the first 32 of 64 rows alone"),
    ("every third row", norm(sums=lambda term: term[::3].sum(0)), LAYER_NORM, NORM, "d_weight", "summed over rows 0, 3, ... alone"),
    ("all rows but one", norm(sums=lambda term: term.sum(0) - term[17]), LAYER_NORM, NORM, "d_beta", "summed over all rows but number 17 of rows"),
    ("lanes", norm(sums=lambda term: term[torch.arange(ROWS) % 16 < 8].sum(0)), LAYER_NORM, NORM, "d_beta",
     "summed over rows 0 to 7 of each 16 alone"),
    ("x for xhat", weight_gradient(lambda dy, x: (dy * x).sum(0)), LAYER_NORM, NORM, "d_weight",
     "sums dy times x, not dy times xhat"),
    ("a factor", lambda x: 1.5 * F.silu(x), "y = silu(x)", {"x": X}, "y", "off by one factor, 1.5, that is no number of the Case"),
    ("one factor in 16 bits", lambda x: F.layer_norm(x, (64,)) * 0.905, "y = layer_norm(x[cols])", {"x": normal(64).bfloat16()}, "y",
     "off by one factor, 0.90499"),  # and not "it is divided by the variance"
    ("a column's neighbour", silu(lambda dy, x, s: shifted(dy * s * (1 + x * (1 - s)))), "y = silu(x)", {"x": X}, "d_x",
     "every wrong entry holds the right number of the place behind it along cols"),
    ("half of a mean term", norm(terms=lambda g, mean, xhat: g - 0.5 * mean - xhat), LAYER_NORM, NORM, "d_x",
     "the error is one number all along cols: a mean term"),
    ("cut off", differentiable(lambda x: (torch.tanh(x).view(torch.int32) & -65536).view(torch.float32), lambda dy, x: dy / torch.cosh(x) ** 2),
     "y = tanh(x)", {"x": X}, "y",
     "cut off to bf16 on the way, not rounded"),
    ("groups", lambda x: F.group_norm(x, 8), "y = group_norm(x, groups=4)", {"x": X}, "y", "groups of group_norm is 8, not 4"),
    ("x for y", differentiable(torch.tanh, lambda dy, x: dy * (1 - x.square())), "y = tanh(x)", {"x": X}, "d_x",
     "tanh: the derivative takes x for y: 1 - x^2"),
    ("outputs exchanged", lambda x: (torch.tanh(x), F.silu(x)), "y = silu(x[rows,cols]); z = tanh(x); outputs y z", {"x": X}, "y", "it is the output z"),
    ("averaged", norm(sums=lambda term: term.mean(0)), LAYER_NORM, NORM, "d_beta", "it is divided by 64, the numbers along rows"),
    ("parameters' gradients", norm(parameters=lambda d_weight, d_beta: (d_beta, d_weight)), LAYER_NORM, NORM, "d_beta",
     "it is the gradient of weight"),
    ("parameters", lambda x, weight, beta: layer_norm(x, beta, weight), LAYER_NORM, NORM, "y", "weight and beta are exchanged"),
    ("N - 1", of_statistics(lambda x, mean, var: (x - mean) * (var * COLS / (COLS - 1) + 1e-5).rsqrt()), LAYER_NORM, NORM, "y",
     "layer_norm: the variance is over N - 1 numbers, not over N"),
    ("eps outside", of_statistics(lambda x, mean, var: (x - mean) / (var.sqrt() + 1e-5)), LAYER_NORM, {**NORM, "x": X * 1e-3}, "y",
     "layer_norm: eps is added to the deviation, outside of the root"),
    ("another eps", lambda x, weight, beta: F.layer_norm(x, (COLS,), weight, beta, 1e-3), LAYER_NORM, NORM, "y",
     "eps of layer_norm is 0.001, not 1e-05"),
    ("no mean", of_statistics(lambda x, mean, var: x * (x.square().mean(-1, keepdim=True) + 1e-5).rsqrt()), LAYER_NORM,
     {**NORM, "x": X + 0.3}, "y", "layer_norm: the mean is not taken off"),
    ("one weight", lambda x, weight, beta: layer_norm(x, weight[:1].expand(COLS), beta), LAYER_NORM, NORM, "y",
     "the first number of weight is taken for all of it"),
    ("1 + weight", lambda x, weight: F.rms_norm(x, (COLS,), weight + 1, 1e-6), RMS_NORM, {"x": X, "weight": WEIGHT}, "y",
     "1 + weight is taken for weight"),
    ("rounded", lambda x, weight, beta: layer_norm(x, weight, beta).bfloat16().float(), LAYER_NORM, NORM, "y",
     "rounded to bf16 on the way"),
    ("x in 16 bits", lambda x, weight, beta: layer_norm(x.bfloat16().float(), weight, beta), LAYER_NORM, NORM, "y",
     "x is rounded to bf16 before it is used"),
    ("weight in 16 bits", lambda x, weight: F.rms_norm(x, (COLS,), weight.half().float(), 1e-6), RMS_NORM, {"x": X, "weight": WEIGHT}, "y",
     "weight is rounded to f16 or TF32 before it is used"),
    ("value in 16 bits", lambda x, r: F.silu(x).bfloat16().float() * r, "y = multiply(silu(x), r)", {"x": X, "r": OTHER}, "y",
     "the value behind silu is rounded to bf16"),
    ("product in 16 bits", product(torch.Tensor.half, lambda t: t), LINEAR, {"x": X, "weight": normal(48, COLS, seed=7)}, "y",
     "x and weight are rounded to f16 or TF32 before they are multiplied"),
    ("product in TF32", product(tf32, lambda t: t), LINEAR, {"x": X * 1e-6, "weight": normal(48, COLS, seed=7)}, "y",
     "x and weight are rounded to f16 or TF32 before they are multiplied, with the exponents of float32 (TF32)"),
    ("backward in 16 bits", product(lambda t: t, torch.Tensor.bfloat16), LINEAR, {"x": X, "weight": normal(48, COLS, seed=7)}, "d_weight",
     "x, weight and dy are rounded to bf16 before they are multiplied"),
    ("x in 8 bits", lambda x, weight, beta: layer_norm(x.to(torch.float8_e4m3fn).float(), weight, beta), LAYER_NORM, NORM, "y",
     "x is rounded to f8e4m3 before it is used"),
    ("product of another type of 8 bits", lambda x, w: x.float() @ w.float().to(torch.float8_e5m2).float(),
     "y = contract(fixed(x[m,k]), fixed(w[k,n]), k)", {"x": X.to(torch.float8_e4m3fn), "w": normal(COLS, 48, seed=7).to(torch.float8_e4m3fn)}, "y",
     "w is rounded to f8e5m2 before it is used"),
    ("float64 by way of float32", lambda x, r: F.silu(x) * r.float().double(), "y = multiply(silu(x), r)",
     {"x": X.double(), "r": OTHER.double() / 3}, "y", "r is rounded to f32 before it is used"),
    ("order", lambda x, b: F.gelu(x) + b, "y = gelu(add(x, b[cols]))", {"x": X, "b": BETA}, "y", "gelu stands in front of add, not behind it"),
    ("tanh", lambda x: F.gelu(x, approximate="tanh"), "y = gelu(x)", {"x": X}, "y", "approximate of gelu is tanh, not none"),
    ("axis", lambda x: F.softmax(x, 0), "y = softmax(x, cols)", {"x": X}, "y", "softmax goes over rows, not over cols"),
    ("scale", lambda x: F.softmax(x, -1), "h = multiply(x, 0.125); y = softmax(h, cols)", {"x": X}, "y",
     "the number of multiply is 1, not 0.125"),
    ("residual", lambda x, r, weight: F.rms_norm(x, (COLS,), weight, 1e-6), "h = add(x, r); y = rms_norm(h, weight, eps=1e-6)",
     {"x": X, "r": OTHER, "weight": WEIGHT}, "y", "r is left out, as if it were 0"),
]


def judged(function, line, tensors, **options):
    with pytest.raises(gradproof.Convicted) as caught:
        gradproof.check(function, line, inputs="given", **tensors, **options)
    return caught.value


def diagnosis_of(convicted, tensor):
    return next(r.get("diagnosis") for r in convicted.judgement.records if r["tensor"] == tensor and r["verdict"] not in ("Passed", "Mistrusted"))


@pytest.mark.parametrize("function, line, tensors, tensor, words", [pytest.param(*row[1:], id=row[0]) for row in PLANTED])
def test_a_planted_fault_is_named(function, line, tensors, tensor, words):
    convicted = judged(function, line, tensors)
    said = diagnosis_of(convicted, tensor)
    assert said and said.startswith(words), said
    assert words.split(",")[0] in " ".join(str(convicted).split()), "the message says it too"


def attention(scale):
    return lambda q, k: torch.einsum("hmd,hnd->hmn", q, k) * scale


def two_outputs(backward):
    return differentiable(lambda x, z: (F.silu(x), torch.tanh(z)), backward)


def of_two(d_a, d_b):
    def backward(da, db, x, z):
        s = torch.sigmoid(x)
        return d_a(da) * s * (1 + x * (1 - s)), d_b(da, db) * (1 - torch.tanh(z).square())
    return two_outputs(backward)


@pytest.mark.parametrize("function, line, tensors, tensor, words", [
    (attention(1 / 64), "s = sum(multiply(q[h,m,d], k[h,n,d]), d); y = multiply(s, 0.125)", {"q": normal(8, 16, 64), "k": normal(8, 20, 64)}, "y",
     "the number of the second multiply is 0.015625, not 0.125"),  # 1/8 is that of the heads too, which nothing sums over
    (of_two(lambda da: da, lambda da, db: db * db), "a = silu(x); b = tanh(z)", {"x": X, "z": OTHER}, "d_z", "db is multiplied in twice"),
    (of_two(lambda da: da, lambda da, db: 0 * db), "a = silu(x); b = tanh(z)", {"x": X, "z": OTHER}, "d_z", "missing altogether: 0"),
    (of_two(lambda da: da, lambda da, db: da), "a = silu(x); b = tanh(z)", {"x": X, "z": OTHER}, "d_z", "da and db are exchanged"),
    (lambda x, r: x + r.t(), "y = add(x, r)", {"x": normal(64, 64), "r": normal(64, 64, seed=4)}, "y", "r is read transposed"),
    (lambda x, r: F.silu(r), "h = add(x, r); y = silu(h)", {"x": X, "r": OTHER}, "y", "x is left out, as if it were 0"),
])
def test_a_fault_that_another_one_resembles_is_named(function, line, tensors, tensor, words):
    said = diagnosis_of(judged(function, line, tensors), tensor)
    assert said and said.startswith(words), said


def noisy(function, size):
    return lambda *tensors: function(*tensors) + size * torch.sin(1e3 * tensors[0])


@pytest.mark.parametrize("function, line, tensors, tensor", [
    (noisy(F.silu, 1e-3), "y = silu(x)", {"x": X}, "y"),
    (noisy(layer_norm, 1e-4), LAYER_NORM, NORM, "y"),
    (silu(lambda dy, x, s: dy * s * (1.01 + x * (1 - s))), "y = silu(x)", {"x": X}, "d_x"),
    (lambda x: (1.5 + 0.1 * torch.sin(x)) * F.silu(x), "y = silu(x)", {"x": X}, "y"),
    # One row of 16 bits that is off by a factor is one piece of evidence, and many formulas come near to it.
    (lambda x: F.layer_norm(x, (24,)) * 0.9616, "y = layer_norm(x[cols])", {"x": normal(24).bfloat16()}, "y"),
    (lambda x: F.rms_norm(x, (200,), None, 1e-6) * 1.01799, "y = rms_norm(x[cols], eps=1e-6)", {"x": normal(200).bfloat16()}, "y"),
    (lambda x: (F.silu(x) * (1 + 0.004 * torch.sin(37 * x))).bfloat16().float(), "y = silu(x)", {"x": X}, "y"),
    (lambda x: torch.cat([F.silu(x[:-1]), x[-1:] * 0 * float("inf")]), "y = silu(x)", {"x": normal(16, 64).bfloat16()}, "y"),  # NaN of ones
    (norm(sums=lambda term: term[torch.arange(ROWS) ** 2 % 11 < 4].sum(0)), LAYER_NORM, NORM, "d_weight"),
    (lambda x: torch.full_like(x, torch.nan) + 0 * x, "y = sqrt(multiply(x, 2))", {"x": X.abs() + 0.1}, "y"),  # a root of -2 x is NaN too
    (lambda x, r: F.silu(x) * to_nine_bits(r), "y = multiply(silu(x), r)", {"x": X, "r": OTHER}, "y"),
    (lambda x: (x + 1).clamp(max=8.0), "y = add(x, 1)", {"x": X.abs() * 3}, "y"),  # 8 is a number of bfloat16
])
def test_what_no_hypothesis_says_has_no_words(function, line, tensors, tensor):
    assert diagnosis_of(judged(function, line, tensors), tensor) is None


def test_of_gradients_that_follow_from_a_wrong_output_nothing_is_said():
    convicted = judged(lambda x: 2 * F.silu(x), "y = silu(x)", {"x": X})
    assert diagnosis_of(convicted, "y").startswith("it is doubled")
    assert diagnosis_of(convicted, "d_x") is None


def test_one_number_is_too_little_evidence():
    """A result that is off in one element by two bounds could be anything."""
    def nearly(x):
        y = F.silu(x)
        return y + F.pad(torch.full((1, 1), 2e-6), (0, COLS - 1, 0, ROWS - 1))
    assert diagnosis_of(judged(nearly, "y = silu(x)", {"x": X}), "y") is None


@pytest.mark.parametrize("dtype", [torch.float64, torch.bfloat16])
def test_other_types_have_words_too(dtype):
    tensors = {key: value.to(dtype) for key, value in NORM.items()}
    convicted = judged(lambda x, weight, beta: layer_norm(x, beta, weight), LAYER_NORM, tensors)
    assert diagnosis_of(convicted, "y").startswith("weight and beta are exchanged")
