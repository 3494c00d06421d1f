# SPDX-License-Identifier: Apache-2.0
"""A right kernel fails: a sum of half a million terms that cancel (github.com/linkedin/Liger-Kernel/pull/1309).

PolyNorm, y = w3 norm(x^3) + w2 norm(x^2) + w1 norm(x) + b: the gradients of its four numbers are sums over all elements.
The test allows atol=1e-4, rtol=1e-6 in float32, between a kernel and a reference that add in other orders.
"""
import numpy
import torch
from verdicts import judged, show

RUNS, ROWS, COLS = 20, 512, 1024
LINE = ("q = square(x); c = multiply(q, x); y = add(add(add(multiply(rms_norm(c), w3[]), multiply(rms_norm(q), w2[])), "
        "multiply(rms_norm(x), w1[])), b[])")


def tree(terms):
    """A binary tree over all elements."""
    terms = terms.flatten()
    while len(terms) > 1:
        terms = terms[0::2] + terms[1::2]
    return terms[0]


def all_but_the_last_row(terms):
    return tree(torch.cat((terms[:-1], torch.zeros_like(terms[:1]))))


def row_by_row(terms):
    total = numpy.float32(0)
    for row in terms.sum(-1).numpy():
        total = total + row
    return torch.tensor(total)


def norm(x):
    return x * torch.rsqrt((x * x).mean(-1, keepdim=True) + 1e-6)


class Sum(torch.autograd.Function):
    """y = sum of w_k n_k + b; the gradient of each number is `add` of its terms."""

    @staticmethod
    def forward(ctx, add, weights, b, *norms):
        ctx.add = add
        ctx.save_for_backward(weights, *norms)
        return sum(w * n for w, n in zip(weights, norms)) + b

    @staticmethod
    def backward(ctx, dy):
        weights, *norms = ctx.saved_tensors
        return None, torch.stack([ctx.add(dy * n) for n in norms]), ctx.add(dy), *(w * dy for w in weights)


def poly_norm(add):
    return lambda x, w3, w2, w1, b: Sum.apply(add, torch.stack((w3, w2, w1)), b, norm(x * x * x), norm(x * x), norm(x))


generator = torch.Generator().manual_seed(0)
x, *cotangents = (torch.randn(ROWS, COLS, generator=generator) for _ in range(RUNS + 1))
numbers = dict(zip(("w3", "w2", "w1", "b"), torch.tensor([1 / 3, 1 / 3, 1 / 3, 0.5])))
terms = [norm(x ** 3), norm(x * x), norm(x), torch.ones_like(x)]
sums = [[(tree(dy * n), row_by_row(dy * n), all_but_the_last_row(dy * n)) for n in terms] for dy in cotangents]
for name, add, which in (("right: row by row", row_by_row, 1), ("right: a tree", tree, 0),
                         ("wrong: a tree without the last row", all_but_the_last_row, 2)):
    other = 0 if which == 1 else 1
    failed = sum(not all(torch.allclose(s[which], s[other], atol=1e-4, rtol=1e-6) for s in run) for run in sums)
    contract = None if which == 1 else "parameters=pairwise"
    show(name, f"assert_close(atol=1e-4, rtol=1e-6) with the other order: fails in {failed} of {RUNS} runs",
         judged(poly_norm(add), LINE, x=x, dy=cotangents[0], contract=contract, **numbers))
