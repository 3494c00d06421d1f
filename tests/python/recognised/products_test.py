# SPDX-License-Identifier: Apache-2.0
"""Matrix products of torch as lines (cli/python/gradproof/candidate/traced/products.py), and that each line is what torch computes."""
import pytest
import torch
import torch.nn.functional as F

from recognised_support import said
from trial_support import check, counts

R = torch.rand

LINES = {
    "matmul": (lambda a, b: a @ b, (R(4, 5), R(5, 6)), "y = contract(a[rows,cols], b[cols,out], cols); outputs y"),
    "bmm": (torch.bmm, (R(2, 4, 5), R(2, 5, 6)), "y = contract(a[n,c,l], b[n,l,out], l); outputs y"),
    "batched": (torch.matmul, (R(4, 5), R(2, 5, 6)), "y[batch,rows,out] = contract(a[rows,cols], b[batch,cols,out], cols); outputs y"),
    "one matrix": (torch.matmul, (R(2, 4, 5), R(5, 6)), "y = contract(a[n,c,l], b[l,out], l); outputs y"),
    "vector": (torch.mv, (R(4, 5), R(5)), "y = contract(a[rows,cols], b[cols], cols); outputs y"),
    "dot": (torch.dot, (R(5), R(5)), "y = contract(a[cols], b[cols], cols); outputs y"),
    "einsum": (lambda a, b: torch.einsum("bik,bkj->bji", a, b), (R(2, 4, 5), R(2, 5, 6)),
               "y[n,j,c] = contract(a[n,c,l], b[n,l,j], l); outputs y"),
    "two axes": (lambda a, b: torch.einsum("ikm, mkj -> ij", a, b), (R(2, 4, 5), R(5, 4, 6)),
                 "y = contract(a[n,c,l], b[l,c,j], c, l); outputs y"),
    "transposed": (lambda a, b: a.transpose(0, 1) @ b, (R(5, 4), R(5, 6)), "y = contract(a[rows,cols], b[rows,out], rows); outputs y"),
    "permuted": (lambda a, b: torch.bmm(a.permute(2, 0, 1), b), (R(4, 5, 2), R(2, 5, 6)),
                 "y[l,n,out] = contract(a[n,c,l], b[l,c,out], c); outputs y"),
    "linear": (lambda a, b: a @ b.T, (R(4, 5), R(6, 5)), "y = linear(a[rows,cols], b[out,cols]); outputs y"),
    "epilogue": (lambda a, b: F.gelu(a @ b), (R(4, 5), R(5, 6)),
                 "v1 = contract(a[rows,cols], b[cols,out], cols); y = gelu(v1, approximate=none); outputs y"),
    "attention": (F.scaled_dot_product_attention, (R(2, 3, 4, 16), R(2, 3, 7, 16), R(2, 3, 7, 5)),
                  "v1 = contract(a[n,c,h,w], b[n,c,keys,w], w); v2 = multiply(v1, 0.25); v3 = softmax(v2, keys); "
                  "y = contract(v3, c2[n,c,keys,out], keys); outputs y"),
}


@pytest.mark.parametrize("function, tensors, line", LINES.values(), ids=LINES)
def test_a_product_is_a_line(function, tensors, line):
    assert said(function, tensors).get("line") == line, said(function, tensors)


@pytest.mark.parametrize("function, tensors, why", [
    (lambda a, b: torch.einsum("ii,ij->j", a, b), (R(4, 4), R(4, 5)), "takes a diagonal"),
    (lambda a, b: torch.einsum("ij,jk", a, b), (R(4, 4), R(4, 5)), "without '->'"),
    (lambda a, b: torch.einsum("ij,kl->il", a, b), (R(4, 4), R(4, 5)), "sums over a dimension of one factor"),
    (lambda a, b: F.scaled_dot_product_attention(a, b, b, dropout_p=0.5), (R(1, 2, 4, 8), R(1, 2, 4, 8)),
     "scaled_dot_product_attention with dropout_p"),
])
def test_what_is_no_product_of_two_factors(function, tensors, why):
    assert why in said(function, tensors).get("why", ""), said(function, tensors)


REFERENCE = """import torch
class Model(torch.nn.Module):
    def forward(self, a, b):
        return torch.matmul(a, b).softmax(-1)
def get_inputs():
    return [torch.randn(6, 5), torch.randn(3, 5, 7)]
def get_init_inputs():
    return []
"""


@pytest.mark.parametrize("factor, wanted", [("1", 0), ("(1 + 2 ** -12)", 1)])
def test_a_candidate_is_judged_by_the_line(tmp_path, factor, wanted):
    both = REFERENCE + REFERENCE.split("def get_inputs")[0].replace("Model(", "ModelNew(").replace("(a, b).", f"(a, b * {factor}).")
    text, code = check(tmp_path, both, reference=None)
    assert "recognised: --pipeline 'v1[batch,rows,out] = contract(a[rows,cols], b[batch,cols,out], cols)" in text, text
    assert code == wanted and (counts(text)["failed"] == 0) == (wanted == 0), text
