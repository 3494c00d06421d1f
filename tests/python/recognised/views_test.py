# SPDX-License-Identifier: Apache-2.0
"""Views, parts and joints of torch as lines (cli/python/gradproof/candidate/traced/views.py), and that each line is what torch computes."""
import pytest
import torch
import torch.nn.functional as F

from recognised_support import said
from trial_support import check, counts

R = torch.rand

LINES = {
    "view": (lambda x: x.view(4, 2, 3).softmax(-1), (R(4, 6),),
             "v1 = split(a[rows,cols], cols, cols2, cols3, parts=2); y = softmax(v1, cols3); outputs y"),
    "flatten": (lambda x: torch.flatten(x, 1).relu(), (R(2, 3, 4, 5),), "v1 = join(a[n,c,h,w], c, h, w, c2); y = relu(v1); outputs y"),
    "join and split": (lambda x: x.reshape(2, 4, 3).relu(), (R(2, 3, 4),),
                       "v1 = join(a[n,c,l], c, l, c2); v2 = split(v1, c2, c22, c23, parts=4); y = relu(v2); outputs y"),
    "chunk": (lambda x: F.silu(x.chunk(2, -1)[0]) * x.chunk(2, -1)[1], (R(3, 8),),
              "v1 = slice(a[rows,cols], cols, cols2, from=0, count=4); v2 = silu(v1); v3 = slice(a, cols, cols3, from=4, count=4); "
              "v4 = rename(v3, cols3, cols2); y = multiply(v2, v4); outputs y"),
    "cat": (lambda a, b: torch.cat([a, b], -1).exp(), (R(3, 8), R(3, 4)),
            "v1 = concat(a[rows,cols], b[rows,cols2], cols, cols2, cols3); y = exp(v1); outputs y"),
    "token shift": (lambda x: x - F.pad(x, (0, 0, 1, 0))[:, :-1], (R(2, 5, 3),),
                    "v1 = pad(a[n,c,l], c, c2, before=1, after=0, mode=zeros); v2 = slice(v1, c2, c22, from=0, count=5); "
                    "v3 = rename(v2, c22, c); y = subtract(a, v3); outputs y"),
    "last token": (lambda x: x[:, -1].relu(), (R(2, 5, 3),), "v1 = select(a[n,c,l], c, at=4); y = relu(v1); outputs y"),
    "every second": (lambda x: x[..., 1::2].exp(), (R(2, 6),),
                     "v1 = slice(a[rows,cols], cols, cols2, from=1, count=3, step=2); y = exp(v1); outputs y"),
    "flip": (lambda x: x.flip(1), (R(2, 6),), "y = flip(a[rows,cols], cols); outputs y"),
    "roll": (lambda x: torch.roll(x, 1, 0), (R(2, 6),), "y = roll(a[rows,cols], rows, shift=1); outputs y"),
    "transposed": (lambda x: torch.relu(x.T), (R(2, 6),), "v1[cols,rows] = permute(a[rows,cols]); y = relu(v1); outputs y"),
    "with itself": (lambda x: x @ x.T, (R(4, 5),), "v1 = rename(a[rows,cols], rows, out); y = contract(a, v1, cols); outputs y"),
    "cut across": (lambda x: x.view(4, 15).relu(), (R(6, 10),),
                   "v1 = join(a[rows,cols], rows, cols, rows2); v2 = split(v1, rows2, rows22, rows23, parts=4); y = relu(v2); outputs y"),
    "a sum of losses": (lambda x, t: F.cross_entropy(x, t, reduction="sum", ignore_index=2), (R(3, 4), torch.tensor([0, 2, 1])),
                        "v1 = log_softmax(a[rows,cols], cols); v2 = take(v1, b[rows], cols, ignore=2); v3 = sum(v2, rows); "
                        "y = neg(v3); outputs y"),
    "a mean of losses": (lambda x, t: F.cross_entropy(x, t, ignore_index=2), (R(3, 4), torch.tensor([0, 2, 1])),
                         "v1 = log_softmax(a[rows,cols], cols); v2 = take(v1, b[rows], cols, ignore=2); v3 = sum(v2, rows); "
                         "v4 = count(b, ignore=2); v5 = divide(v3, v4); y = neg(v5); outputs y"),
    "losses of images": (lambda x, t: F.cross_entropy(x, t), (R(2, 3, 4), torch.ones(2, 4, dtype=torch.int64)),
                         "v1 = log_softmax(a[n,c,l], c); v2 = take(v1, b[n,l], c); v3 = mean(v2, n, l); y = neg(v3); outputs y"),
    "expand": (lambda x, z: x.sum(0, keepdim=True).expand(4, -1, -1) + z, (R(2, 5, 3), R(4, 5, 3)),
               "v1 = sum(a[n,c,l], n); v2 = repeat(v1, repeated, size=4); y = add(v2, b[repeated,c,l]); outputs y"),
    "stack": (lambda x, z: torch.stack([x, z], 1), (R(2, 3), R(2, 3)),
              "v1[rows,one,cols] = repeat(a[rows,cols], one, size=1); v2[rows,one2,cols] = repeat(b[rows,cols], one2, size=1); "
              "y = concat(v1, v2, one, one2, one3); outputs y"),
    "embedding": (lambda i, w: F.embedding(i, w), (torch.tensor([1, 2, 1]), R(5, 4)), "y = take(b[v,d], a[cols], v); outputs y"),
}


@pytest.mark.parametrize("function, tensors, line", LINES.values(), ids=LINES)
def test_a_view_is_a_line(function, tensors, line):
    assert said(function, tensors).get("line") == line, said(function, tensors)


@pytest.mark.parametrize("function, tensors, why", [
    (lambda a: F.pad(a, (1, -1)), (R(6, 10),), "pad by less than nothing"),
    (lambda a: a.repeat(2, 1), (R(6, 10),), "repeat of a dimension"),
])
def test_what_is_no_view_of_a_line(function, tensors, why):
    assert why in said(function, tensors).get("why", ""), said(function, tensors)


ATTENTION = """import torch
class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.project = torch.nn.Linear(16, 48)
        self.out = torch.nn.Linear(16, 16)
    def forward(self, x):
        B, T, C = x.shape
        q, k, v = self.project(x).split(C, -1)
        q, k, v = (part.view(B, T, 4, C // 4).transpose(1, 2) for part in (q, k, v))
        p = (q @ k.transpose(-2, -1) * (C // 4) ** -0.5).softmax(-1)
        return self.out((p @ v).transpose(1, 2).contiguous().view(B, T, C))FACTOR
def get_inputs():
    return [torch.randn(2, 5, 16)]
def get_init_inputs():
    return []
"""


# A branch on what a tensor holds is no part of a line.
UNTRACED = ATTENTION.replace("B, T, C = x.shape", "B, T, C = x.shape\n        x = x + 1 if x.sum() < -1e30 else x")


@pytest.mark.parametrize("factor, wanted", [("", 0), (" * (1 + 2 ** -5)", 1)])
def test_parts_that_the_trace_cannot_follow_are_judged_by_the_weaker_witness(tmp_path, factor, wanted):
    both = UNTRACED.replace("FACTOR", "") + UNTRACED.replace("FACTOR", factor).split("def get_inputs")[0].replace("Model(", "ModelNew(")
    text, code = check(tmp_path, both, reference=None)
    assert "torch.fx cannot trace it" in text and "contract(" not in text, text
    assert code == wanted, text


@pytest.mark.parametrize("factor, wanted", [("", 0), (" * (1 + 2 ** -10)", 1)])
def test_a_whole_attention_layer_is_judged_by_its_line(tmp_path, factor, wanted):
    reference = ATTENTION.replace("FACTOR", "")
    both = reference + ATTENTION.replace("FACTOR", factor).split("def get_inputs")[0].replace("Model(", "ModelNew(")
    text, code = check(tmp_path, both, reference=None)
    assert "recognised: --pipeline" in text and "contract(" in text, text
    assert code == wanted and (counts(text)["failed"] == 0) == (wanted == 0), text
