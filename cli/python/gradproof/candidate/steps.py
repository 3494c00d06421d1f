# SPDX-License-Identifier: Apache-2.0
"""One step of a model or a function: forward, backward by its own autograd, buffers behind it."""
import contextlib

import torch

__tracebackhide__ = True  # pytest shows the line of the test as the last one


class Loss(torch.autograd.Function):
    """A number whose gradient by the result is the cotangent, as it lies.

    torch.autograd.grad that is given cotangents imports sympy to compare their shapes, which takes longer than most checks.
    """

    @staticmethod
    def forward(ctx, result, cotangent):
        if result.shape != cotangent.shape:
            raise RuntimeError(f"Mismatch in shape: a cotangent has a shape of {cotangent.shape} and its output has a shape of {result.shape}.")
        ctx.cotangent = cotangent
        return result.new_zeros(())

    @staticmethod
    def backward(ctx, _):
        return ctx.cotangent, None


def results_of(value):
    """A tensor or several as a list. Raises TypeError for what else a call may return."""
    values = list(value) if isinstance(value, (tuple, list)) else [value]
    for k, one in enumerate(values):
        if not isinstance(one, torch.Tensor):
            raise TypeError(f"result {k} is {type(one).__name__}, not a tensor")
    return values


def parameters_of(state):
    """Those of a state that have a gradient, by name."""
    return {name: tensor for name, tensor in state.items() if tensor.requires_grad}


def reraised(error):
    raise error


def step(call, arguments, state, cotangents, between=lambda values: None, raised=reraised, within=contextlib.nullcontext):
    """Results, gradients of arguments and parameters by name (None: nothing comes back), and what the state is then.

    between: is given the results before backward begins. raised: is given what backward raises; where it returns, nothing comes
    back. within: makes a context for the call and for backward.
    """
    with within():
        values = results_of(call(*arguments.values()))
    between(values)
    leaves = {name: tensor for name, tensor in {**arguments, **parameters_of(state)}.items()
              if isinstance(tensor, torch.Tensor) and tensor.requires_grad}
    pairs = [(value, cotangent) for value, cotangent in zip(values, cotangents) if value.requires_grad]
    gradients = dict.fromkeys(leaves)
    if pairs and leaves:
        try:
            with within():
                found = torch.autograd.grad([Loss.apply(*pair) for pair in pairs], list(leaves.values()), allow_unused=True)
            gradients = dict(zip(leaves, found))
        except Exception as error:
            raised(error)
    buffers = {name: tensor for name, tensor in state.items() if not tensor.requires_grad}
    return values, gradients, buffers
