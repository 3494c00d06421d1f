# SPDX-License-Identifier: Apache-2.0
"""Parts that stand for products that take long: docs/samples.md."""
import pytest
import torch

from function_support import program  # noqa: F401

import gradproof  # isort: skip

LINE = "{y = contract(a[m,k], b[k,n], k)}"
# The least sizes of which parts are judged.
N = 900


def factors():
    torch.manual_seed(1)
    return {"a": torch.randn(N, N), "b": torch.randn(N, N)}


def check(function, **more):
    return gradproof.check(function, LINE, **factors(), inputs="given", backward=False, **more)


def test_a_right_product_passes_and_the_table_says_what_was_judged():
    found = check(torch.matmul)
    assert found.tensors("Passed") == ["y"]
    assert found.record("y")["sample"] == f"113 of {N} along m, 225 of {N} along n"
    assert found.record("y")["shape"] == [N, N] and found.record("y")["discrepancy"]["elements"] == 113 * 225
    assert 'judged of y: 113 of 900 along m, 225 of 900 along n (elements="all" judges all)' in str(found)


def test_one_wrong_element_is_found_and_named():
    def wrong(a, b):
        y = a @ b
        y[611, 377] += 1
        return y
    with pytest.raises(gradproof.Convicted, match=r"y: 1 of \d+ elements over the bound") as raised:
        check(wrong)
    assert "y[611,377]" in str(raised.value)
    assert raised.value.judgement.record("y")["discrepancy"]["worst"]["index"] == 611 * N + 377


def test_a_small_product_is_judged_whole_whatever_is_said():
    small = {"a": torch.randn(8, 8), "b": torch.randn(8, 8)}
    for elements in ("sampled", "all"):
        found = gradproof.check(torch.matmul, LINE, **small, elements=elements)
        assert "sample" not in found.record("y") and "judged of" not in str(found)
    assert found.record("y")["case"].count("elements=all") == 1


@pytest.mark.parametrize("call", [
    lambda: check(torch.matmul, elements="most"),
    lambda: gradproof.judge({"a": torch.ones(2, 2), "b": torch.ones(2, 2), "y": torch.ones(2, 2)}, LINE, elements="most"),
    lambda: gradproof.backward(lambda dy, a, b: (dy @ b.T, a.T @ dy), LINE, a=torch.ones(2, 2), b=torch.ones(2, 2), elements="most")])
def test_another_word_is_refused(call):
    with pytest.raises(ValueError, match="elements='most' is none of sampled all"):
        call()
