# SPDX-License-Identifier: Apache-2.0
"""What is no dense tensor of numbers is named: as an argument, as a result, in judge()."""
import pytest
import torch

from function_support import normal, program  # noqa: F401 (the fixture)

import gradproof  # isort: skip

LINE = "y = tanh(x)"
X = normal(4, 8)
KINDS = {
    "sparse": (X.to_sparse(), r"is a sparse tensor \(torch.sparse_coo\); a dense one is taken"),
    "compressed": (X.to_sparse_csr(), r"is a sparse tensor \(torch.sparse_csr\)"),
    "quantised": (torch.quantize_per_tensor(X, 0.1, 0, torch.qint8), r"is a quantised tensor \(torch.qint8\); one of floating numbers is taken"),
    "meta": (X.to("meta"), "is a meta tensor, which has no numbers"),
    "nested": (torch.nested.nested_tensor([X, X]), "is a nested tensor; one of a single shape is taken"),
    "complex": (X.to(torch.complex64), "has the type complex64; known: float64 float32"),
}


@pytest.mark.parametrize("kind", KINDS)
def test_an_argument_is_named_with_what_it_is_and_what_is_taken(kind):
    tensor, says = KINDS[kind]
    for ask in (lambda: gradproof.check(torch.tanh, LINE, x=tensor), lambda: gradproof.judge({"x": tensor, "y": X}, LINE),
                lambda: gradproof.check(torch.tanh, LINE, tensors={"x": tensor})):
        with pytest.raises(TypeError, match=f"'x' {says}"):
            ask()


@pytest.mark.parametrize("kind", ["sparse", "meta"])
def test_so_is_a_result(kind):
    tensor, says = KINDS[kind]
    with pytest.raises(gradproof.Convicted, match=f"'y' {says}"):
        gradproof.check(lambda x: tensor, LINE, x=X)


def generator(x):
    yield torch.tanh(x)


@pytest.mark.parametrize("function, says", [
    (generator, "'y' is generator, not a tensor"),
    (lambda x: torch.tanh(x).detach().requires_grad_(), "'y' requires a gradient and has no grad_fn"),
    (lambda x: torch.tanh(x).detach(), "no gradient goes through the function"),
    (lambda x: x, r"y, which lies in the memory of the argument 'x' \(return a copy: .clone\(\)\), changed after its call"),
    (lambda x: x.view(4, 8), "y, which lies in the memory of the argument 'x'"),
    (lambda x: x[:], "y, which lies in the memory of the argument 'x'")])
def test_a_result_that_cannot_be_judged_says_why(function, says):
    with pytest.raises(gradproof.Convicted, match=says):
        gradproof.check(function, "y = relu(x)", x=X.abs() + 1, inputs="given")


def test_a_view_of_memory_of_its_own_is_judged():
    found = gradproof.check(lambda x: torch.tanh(x)[:], LINE, x=X,
                            inputs="given")
    assert found.tensors("Passed") == ["y", "d_x"]


def test_arrays_and_lists_are_told_apart():
    assert gradproof.check(torch.tanh, LINE, x=X.numpy(), inputs="given").tensors("Passed") == ["y", "d_x"]
    with pytest.raises(TypeError, match="'x' is list, not a tensor"):
        gradproof.check(torch.tanh, LINE, x=X.tolist())
    with pytest.raises(TypeError, match="'y' is list, not a tensor"):
        gradproof.judge({"x": X, "y": X.tolist()}, LINE)
