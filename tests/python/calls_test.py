# SPDX-License-Identifier: Apache-2.0
"""What an operator gave stays as it was, whatever is called later; two autograd graphs in any order; any gradients.

Each check has an operator that it must convict."""
import itertools

import pytest
import torch

from operators import arguments, call
from operators_test import NAMES, wants_gradient

pytestmark = pytest.mark.usefixtures("library")


def other(given):
    """The same arguments with other numbers."""
    def changed(value):
        if not isinstance(value, torch.Tensor):
            return value
        with torch.no_grad():
            numbers = value * 0.75 + 0.125 if value.is_floating_point() else value + 1
        return numbers.requires_grad_(value.requires_grad)

    return {name: changed(value) for name, value in given.items()}


def results(forward, name, given):
    """y and all gradients."""
    y = forward(name, given)
    gradients = torch.autograd.grad(y, tuple(wants_gradient(given).values()), cotangent(y))
    return [y.detach(), *gradients]


def cotangent(y):
    return torch.linspace(-1, 2, y.numel(), dtype=y.dtype).reshape(y.shape)


def changed_by_another_call(forward, name):
    """How many results of a call have other bits after a second one."""
    given = arguments(name)
    kept = results(forward, name, given)
    before = [tensor.clone() for tensor in kept]
    results(forward, name, other(given))
    return sum(not torch.equal(*pair) for pair in zip(kept, before))


def mixed_up(forward, name):
    """How many gradients of two interleaved graphs differ from those of a graph that was alone."""
    first = arguments(name)
    both = [first, other(first)]
    alone = [results(call, name, dict(given) | buffers_of(given)) for given in both]
    fresh = [dict(given) | buffers_of(given) for given in both]
    y = [forward(name, given) for given in fresh]
    wrong = 0
    for of, given, expected in zip(y, fresh, alone):
        gradients = torch.autograd.grad(of, tuple(wants_gradient(given).values()), cotangent(of))
        wrong += sum(not torch.equal(*pair) for pair in zip(gradients, expected[1:]))
    return wrong


def buffers_of(given):
    """Copies of what a call changes in place."""
    return {name: value.clone() for name, value in given.items()
            if isinstance(value, torch.Tensor) and not value.requires_grad}


@pytest.mark.parametrize("name", NAMES)
def test_a_later_call_changes_no_result(name):
    assert changed_by_another_call(call, name) == 0


@pytest.mark.parametrize("name", NAMES)
def test_a_result_in_a_static_workspace_is_seen_to_change(name):
    workspace = {}

    class HandedOut(torch.autograd.Function):
        """The right y and gradients, in memory that all calls share."""

        @staticmethod
        def forward(context, given, *values):
            context.values = values
            context.given = given
            with torch.no_grad():
                return shared("y", call(name, given))

        @staticmethod
        def backward(context, dy):
            with torch.enable_grad():
                values = [value.detach().requires_grad_() for value in context.values]
                fresh = context.given | dict(zip(wants_gradient(context.given), values))
                gradients = torch.autograd.grad(call(name, fresh), values, dy)
            return (None, *[shared(i, gradient) for i, gradient in enumerate(gradients)])

    def shared(key, tensor):
        memory = workspace.setdefault(key, torch.empty_like(tensor))
        memory.data.copy_(tensor)
        return memory.detach()

    def forward(_, given):
        return HandedOut.apply(given, *wants_gradient(given).values())

    assert changed_by_another_call(forward, name) >= 2


@pytest.mark.parametrize("name", NAMES)
def test_two_graphs_may_be_interleaved(name):
    assert mixed_up(call, name) == 0


@pytest.mark.parametrize("name", [name for name in NAMES if "norm" in name])
def test_a_statistic_saved_in_a_static_is_another_graphs(name):
    saved = {}

    class SavesInAStatic(torch.autograd.Function):
        """backward takes mean and rstd of the last forward, whichever graph's it was."""

        @staticmethod
        def forward(context, given, *values):
            context.given = given
            with torch.no_grad():
                y, saved["mean"], saved["rstd"] = getattr(torch.ops.gradproof, name)(*given.values())
            return y

        @staticmethod
        def backward(context, dy):
            backward = getattr(torch.ops.gradproof, f"{name}_backward").default
            known = {**context.given, **saved, "dy": dy, "batch_statistics": True,
                     "output_mask": [True] * len(backward._schema.returns)}
            found = dict(zip((result.name for result in backward._schema.returns),
                             backward(*(known[argument.name] for argument in backward._schema.arguments))))
            return (None, *[found[f"d_{wanted}"] for wanted in wants_gradient(context.given)])

    def forward(_, given):
        return SavesInAStatic.apply(given, *wants_gradient(given).values())

    assert mixed_up(forward, name) > 0


@pytest.mark.parametrize("name", NAMES)
def test_any_gradients_have_the_bits_that_they_have_among_all(name):
    given = arguments(name)
    wanted = wants_gradient(given)
    every = dict(zip(wanted, results(call, name, dict(given) | buffers_of(given))[1:]))
    for count in range(1, len(wanted)):
        for names in itertools.combinations(wanted, count):
            fresh = dict(given) | buffers_of(given)
            y = call(name, fresh)
            some = torch.autograd.grad(y, [given[of] for of in names], cotangent(y))
            for of, gradient in zip(names, some):
                assert torch.equal(gradient, every[of]), (of, names)
