# SPDX-License-Identifier: Apache-2.0
"""What the calls of gradproof.check show beside numbers (docs/python.md): memory that nobody wrote, what an earlier call left,
cotangents and inputs that are not contiguous. Each has a right function beside the wrong one.
"""
import warnings

import pytest
import torch

from function_support import normal, program  # noqa: F401
import gradproof

LINE = "y = multiply(x, weight[cols])"


def given(rows=16, cols=64):
    return {"x": normal(rows, cols), "weight": normal(cols, seed=5)}


def product(backward, forward=lambda x, weight: x * weight):
    """x times weight, with that backward of dy, x and weight."""
    class Product(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x, weight):
            ctx.save_for_backward(x, weight)
            return forward(x, weight)

        @staticmethod
        def backward(ctx, dy):
            return backward(dy, *ctx.saved_tensors)

    return Product.apply


def right(dy, x, weight):
    return dy * weight, (dy * x).sum(0)


def half_unwritten(dy, x, weight):
    """What it leaves is whatever the memory holds: where the right numbers were just freed, they are it."""
    found = dy * weight
    del found
    d_x = torch.empty(x.shape)
    half = x.shape[0] // 2
    d_x[:half] = dy[:half] * weight
    return d_x, (dy * x).sum(0)


def test_half_of_a_gradient_that_nobody_wrote():
    gradproof.check(product(right), LINE, **given())
    with pytest.raises(gradproof.Convicted, match="d_x"):
        gradproof.check(product(half_unwritten), LINE, **given())


class PositiveAlone(torch.autograd.Function):
    """A relu whose backward leaves what is 0: memory of the system's is 0, and that of 38 MB is always the system's."""

    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return torch.relu(x)

    @staticmethod
    def backward(ctx, dy):
        x, = ctx.saved_tensors
        d_x = torch.empty(x.shape)
        d_x[x > 0] = dy[x > 0]
        return d_x


@pytest.mark.parametrize("rows", [16, 9728])
def test_zeros_that_nobody_wrote(rows):
    x = normal(rows, 1024)
    gradproof.check(torch.relu, "y = relu(x)", x=x)
    with pytest.raises(gradproof.Convicted, match="d_x"):
        gradproof.check(PositiveAlone.apply, "y = relu(x)", x=x)


def test_memory_is_not_filled_behind_the_check():
    gradproof.check(product(right), LINE, **given())
    found = [torch.empty(1000).fill_(0.0) for _ in range(3)]
    del found
    assert not all(torch.empty(1000).view(torch.uint8).eq(0x7f).all() for _ in range(3))


def test_a_result_that_is_remembered_is_another_calls():
    known = {}

    def remembers(x, weight):
        return known.setdefault(x.shape, (x * weight).detach()) + 0 * (x * weight)
    with pytest.raises(gradproof.Convicted, match="y"):
        gradproof.check(remembers, LINE, **given())


def test_a_result_in_a_static_workspace_is_seen_to_change():
    workspace = torch.empty(16, 64)

    def forward(x, weight):
        workspace.copy_(x * weight)
        return workspace.detach()
    with pytest.raises(gradproof.Convicted, match="y changed after its call had returned"):
        gradproof.check(product(right, forward), LINE, **given())


@pytest.mark.parametrize("which", [2, 3, 4])
def test_a_call_that_raises_once_is_convicted(which):
    calls = []

    def raises_once(x):
        calls.append(x)
        if len(calls) == which:
            raise ValueError("now and then")
        return torch.tanh(x)
    with pytest.raises((gradproof.Convicted, ValueError), match="now and then"):
        gradproof.check(raises_once, "y = tanh(x)", inputs="given", x=normal(4, 8))


def test_a_second_call_that_gives_other_bits():
    calls = []

    def backward(dy, x, weight):
        calls.append(1)
        rows, total = list(dy * x), torch.zeros(x.shape[1])
        for row in rows if len(calls) % 2 else reversed(rows):  # as threads come
            total = total + row
        return dy * weight, total
    with pytest.raises(gradproof.Convicted, match=r"d_weight is another in a second call .*deterministic=False permits that"):
        gradproof.check(product(backward), LINE, **given())
    gradproof.check(product(backward), LINE, deterministic=False, **given())


def by_pointer(dy, x, weight):
    """As a kernel does that is given the address alone."""
    flat = torch.empty(0).set_(dy.untyped_storage(), dy.storage_offset(), dy.shape, (dy.shape[1], 1))
    return flat * weight, (flat * x).sum(0)


def by_strides_of_rows(dy, x, weight):
    """It knows the stride of rows, and takes that of columns for 1: a transposed cotangent has another."""
    flat = dy.as_strided(dy.shape, (dy.stride(0), 1)) if dy.stride(1) == 0 or dy.stride(0) > dy.stride(1) else dy.as_strided(
        dy.shape, (dy.shape[1], 1))
    return (dy if dy.stride(1) == 0 else flat) * weight, ((dy if dy.stride(1) == 0 else flat) * x).sum(0)


@pytest.mark.parametrize("backward, how, wrong", [(by_pointer, "a(n expanded| transposed) cotangent and 1 set more", ["transposed", "expanded"]),
                                                  (by_strides_of_rows, "a transposed cotangent", ["transposed"])])
def test_a_cotangent_that_is_taken_for_contiguous(backward, how, wrong):
    tensors = given()
    leaves = [tensor.clone().requires_grad_() for tensor in tensors.values()]
    for tried in (backward, right):  # a contiguous cotangent shows nothing
        torch.testing.assert_close(torch.autograd.grad(product(tried)(*leaves), leaves, normal(16, 64, seed=9)),
                                   torch.autograd.grad(product(right)(*leaves), leaves, normal(16, 64, seed=9)))
    with pytest.raises(gradproof.Convicted, match=f"(?s)d_x.*with {how}:\n.*FAILED.* d_x ") as convicted:
        gradproof.check(product(backward), LINE, **tensors)
    records = convicted.value.judgement.records
    assert list(dict.fromkeys(record["set"] for record in records if record["verdict"] == "Failed")) == wrong


def test_a_cotangent_that_is_refused_is_convicted():
    with pytest.raises(gradproof.Convicted, match="with a transposed cotangent the call raised RuntimeError: view size"):
        gradproof.check(product(lambda dy, x, weight: right(dy.reshape(-1).view(dy.shape) if dy.stride(1) == 0 else dy.view(-1).view(dy.shape),
                                                            x, weight)), LINE, **given())


@pytest.mark.parametrize("shape", [(1, 64), (64, 1), (1, 1)])
def test_every_shape_has_such_cotangents(shape):
    tensors = {"x": normal(*shape), "weight": normal(shape[1], seed=5)}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", gradproof.MistrustedWarning)
        gradproof.check(product(right), LINE, **tensors)
        if max(shape) > 1:
            with pytest.raises(gradproof.Convicted):
                gradproof.check(product(by_pointer), LINE, **tensors)


def test_gradients_of_another_order_of_sums_are_judged_and_pass():
    """Its sum runs along memory, whichever order that is."""
    def backward(dy, x, weight):
        rows = sorted(range(dy.shape[0]), key=lambda row: row if dy.stride(0) > dy.stride(1) else -row)
        total = torch.zeros(dy.shape[1])
        for row in rows:
            total = total + dy[row] * x[row]
        return dy * weight, total
    gradproof.check(product(backward), LINE, **given())


LYING = {"transposed": lambda x: x.t().contiguous().t(), "gaps": lambda x: torch.stack([x, x + 1], -1)[..., 0],
         "repeated rows": lambda x: x[:1].expand(x.shape), "repeated columns": lambda x: x[:, :1].expand(x.shape),
         "offset": lambda x: torch.cat([x.flatten()[:3], x.flatten()])[3:].view(x.shape)}


@pytest.mark.parametrize("lying", LYING)
def test_inputs_reach_the_function_as_they_lie(lying):
    x, strides, offsets = LYING[lying](normal(16, 64)), set(), set()

    def looked_at(x, weight):
        strides.add(x.stride())
        offsets.add(x.data_ptr() % 64)
        return x * weight
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", gradproof.MistrustedWarning)
        gradproof.check(looked_at, LINE, x=x, weight=normal(64, seed=5))
    assert strides == {x.stride()} and offsets == {x.data_ptr() % 64}


@pytest.mark.parametrize("lying", ["transposed", "gaps", "repeated rows", "repeated columns"])
def test_an_input_that_is_taken_for_contiguous(lying):
    def forward(x, weight):
        count = min(x.numel(), x.untyped_storage().nbytes() // 4 - x.storage_offset())
        flat = torch.zeros(x.numel())
        flat[:count] = torch.empty(0).set_(x.untyped_storage(), x.storage_offset(), (count,), (1,))
        return flat.view(x.shape) * weight
    tensors = given()
    gradproof.check(product(right, forward), LINE, **tensors)
    with pytest.raises(gradproof.Convicted, match="FAILED.* y "):
        gradproof.check(product(right, forward), LINE, **{**tensors, "x": LYING[lying](tensors["x"])})


def test_a_cotangent_of_the_users_own_keeps_its_strides():
    strides = set()

    def backward(dy, x, weight):
        strides.add(dy.stride())
        return right(dy, x, weight)
    gradproof.check(product(backward), LINE, dy=normal(16, 1).expand(16, 64), **given())
    assert (1, 0) in strides


def test_what_is_written_beside_an_argument():
    def beside(x, weight):
        with torch.no_grad():
            x.as_strided((1,), (1,), x.storage_offset() + x.numel()).fill_(1.0)
        return x * weight
    with pytest.raises(gradproof.Convicted, match="the call wrote beside 'x'"):
        gradproof.check(beside, LINE, **given())


def in_one_order(dy, x, weight):
    return right(dy.contiguous(), x, weight)


@pytest.mark.parametrize("backward, count", [(in_one_order, 4), (by_pointer, 7)])
def test_calls_are_made_one_by_one_where_a_bit_is_another(backward, count):
    calls = []

    def looked_at(x, weight):
        calls.append(1)
        return product(backward)(x, weight)
    try:
        gradproof.check(looked_at, LINE, **given(), inputs="given")
    except gradproof.Convicted:
        assert count == 7
    assert len(calls) == count
