# SPDX-License-Identifier: Apache-2.0
"""Functions and arrays of other frameworks, for those who call functions of torch: docs/without-a-line.md#other-frameworks."""
import functools

from gradproof import tensor_files

__tracebackhide__ = True  # pytest shows the line of the test as the last one


def of_torch(function, given):
    """The function as one of torch with a backward, where what it is given are arrays of JAX or CuPy; otherwise itself."""
    framework = _framework_of(given)
    return {"jax": _of_jax, "cupy": _of_cupy}[framework](function) if framework else function


def forward_of_torch(function, given):
    """The same without a backward; it may have its arguments by name, and return a dict."""
    framework = _framework_of(given)
    return _forward(function, *{"jax": _jax, "cupy": _cupy}[framework]()) if framework else function


def _framework_of(given):
    """jax, cupy, or nothing."""
    frameworks = {type(value).__module__.partition(".")[0] for value in given if tensor_files.is_tensor(value)}
    return "jax" if frameworks & {"jax", "jaxlib"} else "cupy" if "cupy" in frameworks else ""


def _jax():
    """Array of a tensor, and tensor of an array. An array of JAX never changes, so that a tensor of its memory is a copy."""
    import jax
    return lambda tensor: jax.dlpack.from_dlpack(tensor.detach().contiguous()), tensor_files.torch_of


def _cupy():
    """The same. Both have one memory, and the strides that the tensor has."""
    import cupy
    import torch
    return lambda tensor: cupy.from_dlpack(tensor.detach()), torch.from_dlpack


def _forward(function, to_array, to_tensor):
    def tensor_of(result):
        return to_tensor(result) if hasattr(result, "__dlpack__") else result  # what is no array is told to those who called

    def array_of(value):
        return to_array(value) if tensor_files.is_tensor(value) else value

    @functools.wraps(function)
    def called(*tensors, **named):
        results = function(*map(array_of, tensors), **{key: array_of(value) for key, value in named.items()})
        if isinstance(results, dict):
            return {key: tensor_of(result) for key, result in results.items()}
        return tuple(map(tensor_of, results)) if isinstance(results, (tuple, list)) else tensor_of(results)
    return called


def _of_cupy(function):
    """CuPy has no backward: who asks for one learns of it after forward was called."""
    import torch
    forward = _forward(function, *_cupy())

    class Call(torch.autograd.Function):
        @staticmethod
        def forward(context, *tensors):
            return forward(*tensors)

        @staticmethod
        def backward(context, *cotangents):
            raise NotImplementedError("CuPy has no gradients; gradproof.backward judges a backward that is given")

    def called(*tensors):
        return Call.apply(*tensors)
    return called


def _of_jax(function):
    """Its backward is jax.vjp."""
    import jax
    import torch
    to_jax, to_torch = _jax()

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
