# SPDX-License-Identifier: Apache-2.0
"""Functions and arrays of other frameworks, for those who call functions of torch: docs/python.md#other-frameworks."""
from gradproof import tensor_files

__tracebackhide__ = True  # pytest shows the line of the test as the last one


def of_torch(function, given):
    """The function as one of torch, where what it is given are arrays of JAX; otherwise itself."""
    frameworks = {type(value).__module__.partition(".")[0] for value in given if tensor_files.is_tensor(value)}
    return _of_jax(function) if frameworks & {"jax", "jaxlib"} else function


def _of_jax(function):
    """Its backward is jax.vjp."""
    import jax
    import torch

    def to_jax(tensor):
        return jax.dlpack.from_dlpack(tensor.detach().contiguous())

    def to_torch(array):
        return torch.from_dlpack(array).clone()

    class Call(torch.autograd.Function):
        @staticmethod
        def forward(context, *tensors):
            arrays = [to_jax(tensor) for tensor in tensors]
            moved = [k for k, needed in enumerate(context.needs_input_grad) if needed]

            def of_moved(*values):
                found = dict(zip(moved, values))
                return function(*(found.get(k, array) for k, array in enumerate(arrays)))
            if moved:
                results, context.back = jax.vjp(of_moved, *(arrays[k] for k in moved))
            else:
                results = function(*arrays)
            context.moved, context.several = moved, isinstance(results, (tuple, list))
            results = tuple(results) if context.several else (results,)
            made = tuple(to_torch(result) for result in results)
            return made if context.several else made[0]

        @staticmethod
        def backward(context, *cotangents):
            sent = tuple(to_jax(cotangent) for cotangent in cotangents)
            gradients = [None] * len(context.needs_input_grad)
            for k, gradient in zip(context.moved, context.back(sent if context.several else sent[0])):
                gradients[k] = to_torch(gradient)
            return tuple(gradients)

    def called(*tensors):
        return Call.apply(*tensors)
    return called
