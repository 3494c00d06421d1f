# SPDX-License-Identifier: Apache-2.0
"""Masks, comparisons, scans and functions of torch as lines (cli/python/gradproof/candidate/traced/chosen.py)."""
import pytest
import torch
import torch.nn.functional as F

from recognised_support import said
from trial_support import check, counts

R = torch.rand
INF = float("inf")

LINES = {
    "where": (lambda x: torch.where(x > 0.5, x, x * 2), (R(3, 4),),
              "v1 = greater(a[rows,cols], 0.5); v2 = multiply(a, 2); y = where(v1, a, v2); outputs y"),
    "masked by a comparison": (lambda x: x.masked_fill(x <= 0.5, -INF).softmax(-1), (R(3, 4),),
                               "v1 = greater_equal(0.5, a[rows,cols]); v2 = where(v1, -inf, a); y = softmax(v2, cols); outputs y"),
    "both masks": (lambda x, z: torch.where((x > z) & ~(x == 1), x, 0), (R(3, 4), R(3, 4)),
                   "v1 = greater(a[rows,cols], b[rows,cols]); v2 = equal(a, 1); v3 = subtract(1, v2); v4 = minimum(v1, v3); "
                   "y = where(v4, a, 0); outputs y"),
    "causal": (lambda x: x.masked_fill(torch.ones(4, 4, dtype=torch.bool).triu(1), -INF).softmax(-1), (R(2, 4, 4),),
               "v1 = causal(a[n,c,l], c, l, diagonal=0); y = softmax(v1, l); outputs y"),
    "causal by adding": (lambda x: x.exp() + torch.full((4, 4), -INF).triu(1), (R(2, 4, 4),),
                         "v1 = exp(a[n,c,l]); y = causal(v1, c, l, diagonal=0); outputs y"),
    "a window": (lambda x: x.exp().masked_fill(~torch.ones(5, 5, dtype=torch.bool).tril().triu(-1), -INF), (R(2, 5, 5),),
                 "v1 = exp(a[n,c,l]); y = causal(v1, c, l, diagonal=0, window=2); outputs y"),
    "tril": (lambda x: torch.tril(x, -1), (R(4, 4),), "y = tril(a[rows,cols], rows, cols, diagonal=-1); outputs y"),
    "tril by a product": (lambda x: x * torch.tril(torch.ones(4, 4)), (R(4, 4),), "y = tril(a[rows,cols], rows, cols, diagonal=0); outputs y"),
    "cumsum": (lambda x: torch.cumsum(x, 1), (R(4, 4),), "y = cumsum(a[rows,cols], cols); outputs y"),
    "sort": (lambda x: torch.sort(x, 1).values, (R(4, 4),), "y = sort(a[rows,cols], cols, order=ascending); outputs y"),
    "topk": (lambda x: torch.softmax(torch.topk(x, 2)[0], -1), (R(4, 8),),
             "v1 = sort(a[rows,cols], cols); v2 = slice(v1, cols, cols2, from=0, count=2); y = softmax(v2, cols2); outputs y"),
    "cumsum before": (lambda x: torch.cumsum(torch.cat([torch.zeros_like(x[:, :1]), x], 1), 1)[:, :-1], (R(4, 5),),
                      "v2 = pad(a[rows,cols], cols, cols2, before=1, after=0); v3 = cumsum(v2, cols2); "
                      "y = slice(v3, cols2, cols22, from=0, count=5); outputs y"),
    "elu": (lambda x: F.elu(x, alpha=2.0), (R(4, 5),), "y = elu(a[rows,cols], alpha=2.0); outputs y"),
    "celu": (lambda x: F.celu(x, 2.0), (R(4, 5),), "y = elu(a[rows,cols], alpha=2.0, input_scale=0.5); outputs y"),
    "hardshrink": (lambda x: F.hardshrink(x), (R(4, 5),),
                   "v1 = abs(a[rows,cols]); v2 = greater_equal(0.5, v1); y = where(v2, 0, a); outputs y"),
    "threshold": (lambda x: F.threshold(x, 0.2, 3.0), (R(4, 5),),
                  "v1 = greater_equal(0.2, a[rows,cols]); y = where(v1, 3.0, a); outputs y"),
    "a mask that is an argument": (lambda x, m: x.masked_fill(m == 0, -INF), (R(2, 5, 5), R(5, 5)),
                                   "v1 = equal(b[b0,b1], 0); v2 = rename(v1, b1, l); v3 = rename(v2, b0, c); y = where(v3, -inf, a[n,c,l]); "
                                   "outputs y"),
    "in place": (lambda x: [x := x * 2, x.relu_(), x + 1][-1], (R(4, 5),),
                 "v1 = multiply(a[rows,cols], 2); v2 = relu(v1); y = add(v2, 1); outputs y"),
    "as a method": (lambda x: (x * 2).where(x > 0.5, 1.0), (R(4, 5),),
                    "v1 = multiply(a[rows,cols], 2); v2 = greater(a, 0.5); y = where(v2, v1, 1.0); outputs y"),
    "names of numpy": (lambda x: torch.exp(x).sum(axis=1, keepdims=True), (R(4, 5),), "v1 = exp(a[rows,cols]); y = sum(v1, cols); outputs y"),
    "glu": (lambda x: F.glu(x), (R(4, 6),),
            "v1 = slice(a[rows,cols], cols, cols2, from=0, count=3); v2 = slice(a, cols, cols2, from=3, count=3); v3 = sigmoid(v2); "
            "y = multiply(v1, v3); outputs y"),
    "softshrink": (lambda x: F.softshrink(x), (R(4, 5),), "v1 = hardtanh(a[rows,cols], min=-0.5, max=0.5); y = subtract(a, v1); outputs y"),
    "a pool rounded up": (lambda x: F.max_pool2d(x, 3, 2, ceil_mode=True), (R(2, 3, 7, 8),),
                          "v1 = pad(a[n,c,h,w], w, w2, before=0, after=1, value=-inf); y = max_pool(v1, h, w2, window=3, stride=2, padding=0); "
                          "outputs y"),
    "a pool rounded up to what would begin behind": (lambda x: F.max_pool2d(x, 2, 3, 1, ceil_mode=True), (R(2, 3, 8, 8),),
                                                     "y = max_pool(a[n,c,h,w], h, w, window=2, stride=3, padding=1); outputs y"),
    "an argument alone": (lambda x, z: x.exp() + z.exp(), (R(3, 4), R(4)),
                          "v1 = exp(a[rows,cols]); v2 = exp(b[b0]); v3 = rename(v2, b0, cols); y = add(v1, v3); outputs y"),
    "attention with a mask of truth values": (
        lambda q, k, m: F.scaled_dot_product_attention(q, k, k, attn_mask=m), (R(2, 4, 4), R(2, 4, 4), R(4, 4) > 0.5),
        "v1 = contract(a[n,c,l], b[n,keys,l], l); v2 = multiply(v1, 0.5); v3 = rename(fixed(c2[c20,c21]), c21, keys); "
        "v4 = rename(v3, c20, c); v5[n,c,keys] = where(v4, v2, -inf); v6 = softmax(v5, keys); y = contract(v6, b, keys); outputs y"),
    "a matrix that is taken twice": (lambda x, w: torch.relu(x @ w) @ w, (R(3, 4), R(4, 4)),
                                     "v1 = contract(a[rows,cols], b[cols,out], cols); v2 = relu(v1); v3 = rename(b, out, out2); "
                                     "v4 = rename(v3, cols, out); y = contract(v2, v4, out); outputs y"),
    "weights that are taken twice": (lambda x, w: F.linear(torch.relu(F.linear(x, w)), w), (R(3, 4), R(4, 4)),
                                     "v1 = linear(a[rows,cols], b[out,cols]); v2 = relu(v1); v3 = rename(v2, out, cols); y = linear(v3, b); "
                                     "outputs y"),
    "keys that heads share": (
        lambda q, k, v: F.scaled_dot_product_attention(q, k, v, enable_gqa=True), (R(2, 4, 3, 4), R(2, 2, 5, 4), R(2, 1, 5, 4)),
        "v1[b0,b1,repeated,b2,b3] = repeat(b[b0,b1,b2,b3], repeated, size=2); v2 = join(v1, b1, repeated, heads); "
        "v3[c20,heads2,c22,c23] = repeat(c2[c20,c22,c23], heads2, size=4); v4 = rename(v2, b0, n); v5 = rename(v4, heads, c); "
        "v6 = rename(v5, b3, w); v7 = contract(a[n,c,h,w], v6, w); v8 = multiply(v7, 0.5); v9 = softmax(v8, b2); v10 = rename(v3, c20, n); "
        "v11 = rename(v10, heads2, c); v12 = rename(v11, c22, b2); y = contract(v9, v12, b2); outputs y"),
    "sin, cos and a power": (lambda x: x.sin() * torch.cos(x) + (x + 1) ** 1.5, (R(4, 5),),
                             "v1 = sin(a[rows,cols]); v2 = cos(a); v3 = multiply(v1, v2); v4 = add(a, 1); v5 = pow(v4, exponent=1.5); "
                             "y = add(v3, v5); outputs y"),
    "a product with truth values": (lambda x, m: x * m, (R(4, 5), R(4, 5) > 0.5),
                                    "y = multiply(a[rows,cols], fixed(b[rows,cols])); outputs y"),
    "labels that are left out": (lambda x, labels: F.cross_entropy(x, labels), (R(3, 5), torch.tensor([1, -100, 4])),
                                 "v1 = log_softmax(a[rows,cols], cols); v2 = take(v1, b[rows], cols, ignore=-100); v3 = sum(v2, rows); "
                                 "v4 = count(b, ignore=-100); v5 = divide(v3, v4); y = neg(v5); outputs y"),
    "labels that are smoothed": (lambda x, labels: F.cross_entropy(x, labels, label_smoothing=0.25), (R(3, 5), torch.tensor([1, 0, 4])),
                                 "v1 = log_softmax(a[rows,cols], cols); v2 = take(v1, b[rows], cols); v3 = sum(v1, cols); v4 = mean(v2, rows); "
                                 "v5 = sum(v3, rows); v6 = divide(v5, 3); v7 = multiply(v4, 0.75); v8 = multiply(v6, 0.05); "
                                 "v9 = add(v7, v8); y = neg(v9); outputs y"),
    "weights of classes": (lambda x, labels, w: F.cross_entropy(x, labels, w), (R(3, 5), torch.tensor([1, 0, 4]), R(5)),
                           "v1 = log_softmax(a[rows,cols], cols); v2 = take(v1, b[rows], cols); v3 = take(fixed(c2[cols]), b, cols); "
                           "v4 = multiply(v2, v3); v5 = sum(v4, rows); v6 = sum(v3, rows); v7 = divide(v5, v6); y = neg(v7); outputs y"),
    "attention": (lambda q, k, v: F.scaled_dot_product_attention(q, k, v, is_causal=True), (R(2, 4, 4), R(2, 4, 4), R(2, 4, 4)),
                  "v1 = contract(a[n,c,l], b[n,keys,l], l); v2 = multiply(v1, 0.5); v3 = causal(v2, c, keys); v4 = softmax(v3, keys); "
                  "y = contract(v4, c2[n,keys,out], keys); outputs y"),
}


@pytest.mark.parametrize("function, tensors, line", LINES.values(), ids=LINES)
def test_a_choice_is_a_line(function, tensors, line):
    assert said(function, tensors).get("line") == line, said(function, tensors)


@pytest.mark.parametrize("function, tensors, why", [
    (lambda a: a.masked_fill(torch.eye(4).bool(), 0.0), (R(4, 4),), "no band of two axes"),
    (lambda a: a * torch.arange(4.0), (R(4, 4),), "with a constant tensor"),
    (lambda a: a.masked_fill(torch.arange(4)[None, :] >= 2, 0.0), (R(4, 4),), "no band of two axes"),
    (lambda a: torch.cumprod(a, 1), (R(4, 4),), "cumprod has no stage"),
    (lambda a: a.topk(2)[1] + 1, (R(4, 4),), "the places of sorted numbers"),
    (lambda a: a.topk(2, sorted=False).values, (R(4, 4),), "topk in no order"),
])
def test_what_is_no_choice_of_a_line(function, tensors, why):
    assert why in said(function, tensors).get("why", ""), said(function, tensors)


BLOCK = """import math
import torch
class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.project = torch.nn.Linear(16, 48)
        self.register_buffer("bias", torch.tril(torch.ones(6, 6)).view(1, 1, 6, 6))
    def forward(self, x):
        b, t, c = x.size()
        q, k, v = self.project(x).split(16, dim=2)
        q, k, v = (one.view(b, t, 2, 8).transpose(1, 2) for one in (q, k, v))
        s = (q @ k.transpose(-2, -1)) * (1.0 / math.sqrt(8))
        s = s.masked_fill(self.bias[:, :, :t, :t] == DIAGONAL, float("-inf"))
        return (s.softmax(-1) @ v).transpose(1, 2).contiguous().view(b, t, c)
def get_inputs(): return [torch.randn(2, 6, 16)]
def get_init_inputs(): return []
"""


@pytest.mark.parametrize("mask, wanted", [("self.bias[:, :, :t, :t]", 0), ("torch.ones(t, t).tril(1)", 1)])
def test_a_mask_that_a_model_keeps_is_judged(tmp_path, mask, wanted):
    own = BLOCK.replace("self.bias[:, :, :t, :t] == DIAGONAL", f"{mask} == 0").replace("Model(", "ModelNew(")
    both = BLOCK.replace("DIAGONAL", "0") + own.split("def get_inputs")[0]
    text, code = check(tmp_path, both, reference=None)
    assert "causal(" in text and code == wanted, text
    assert (counts(text)["failed"] == 0) == (wanted == 0), text
