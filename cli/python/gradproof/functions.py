# SPDX-License-Identifier: Apache-2.0
"""A function of torch on trial: called forward and backward by its own autograd, then judged by its tensors."""
import pathlib
import tempfile

from gradproof import judgement, program, tensor_files
from gradproof.errors import Convicted


def check(function, pipeline, *, contract=None, name=None, backward=True, device=None, seed=1, **given):
    """Calls function(*tensors), sends a cotangent back through it, and judges each output and each gradient.

    given: either every tensor of the line by name (x=x, weight=weight; a cotangent dy=... of the output y is drawn where
    it is not given), or keys of a Case (rows=64, cols=768, dtype="bf16", fill="offset:1e3"): then gradproof draws tensors
    that are hard for such a kernel. The function gets them in the order of their first use, whatever their names there, on
    `device` where that is said. It returns a tensor, or as many as the line has outputs.
    backward=False judges the outputs alone.

    Raises Convicted for a result over its bound, of another shape or type, without a gradient, and for an input that the
    function changed; Inconclusive, ProgramError and MistrustedWarning as judge() does.
    """
    line = program.Line(pipeline)
    tensors = _tensors(line, given, seed)
    arguments = [_argument(tensors[key], line.gradients[key] if backward else None, device) for key in line.inputs]
    before = [argument.detach().clone() for argument in arguments]
    outputs = _outputs(line, function(*arguments), tensors)
    for key, argument, copy in zip(line.inputs, arguments, before):
        if not _same_bits(argument.detach(), copy):
            raise Convicted(f"the function changed its argument '{key}'")
    got = {key: value.detach() for key, value in outputs.items()}
    if backward:
        tensors = {**_cotangents(line, outputs, seed), **tensors}
        got.update(_gradients(line, outputs, arguments, tensors))
    known = {key: tensor for key, tensor in tensors.items() if line.is_given(key)}
    return judgement.judge_files(line, known, got, contract=contract, name=name)


def _tensors(line, given, seed):
    """Those given by name, or what the program draws for the keys of a Case."""
    names = [key for key, value in given.items() if tensor_files.is_tensor(value)]
    if not names and line.inputs:
        return _drawn(line, {"seed": seed, **given})
    keys = [key for key in given if key not in names]
    if keys:
        raise TypeError(f"tensors and keys of a Case cannot be mixed: {' '.join(names)} and {' '.join(keys)}")
    missing = [key for key in line.inputs if key not in given]
    unknown = [key for key in names if not line.is_given(key)]
    if missing or unknown:
        raise TypeError(f"the line has the tensors {' '.join(line.inputs)}"
                        + (f"; missing: {' '.join(missing)}" if missing else "")
                        + (f"; unknown: {' '.join(unknown)}" if unknown else ""))
    return given


def _drawn(line, keys):
    case = "{" + line.text + "} " + " ".join(f"{key}={value}" for key, value in keys.items())
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "inputs.safetensors"
        program.run("inputs", case, "--output", path)
        return tensor_files.read(path)


def _argument(tensor, gradient, device):
    """A leaf of its own: what the function does to it touches nobody else's tensor."""
    copy = tensor.detach().to(device or tensor.device).clone()
    return copy.requires_grad_(gradient is not None)


def _outputs(line, results, tensors):
    values = list(results) if isinstance(results, (tuple, list)) else [results]
    if len(values) != len(line.outputs):
        raise Convicted(f"the function returned {len(values)} results; the line has {len(line.outputs)}: "
                        f"{' '.join(line.outputs)}")
    wanted = next(tensors[key].dtype for key in line.inputs if tensor_files.is_floating(tensors[key]))
    for key, value in zip(line.outputs, values):
        if not tensor_files.is_tensor(value):
            raise Convicted(f"'{key}' is {type(value).__name__}, not a tensor")
        if value.dtype != wanted:
            raise Convicted(f"'{key}' has the type {value.dtype}, its inputs {wanted}")
        like = tensors.get(line.cotangents[key])
        if like is not None and value.shape != like.shape:
            raise Convicted(f"'{key}' has the shape {list(value.shape)}, its cotangent {list(like.shape)}")
        wanted_shape = _shape(line, key, tensors)
        if wanted_shape is not None and not _alike(value.shape, wanted_shape):
            raise Convicted(f"'{key}' has the shape {list(value.shape)}; by the line it is {wanted_shape}")
    return dict(zip(line.outputs, values))


def _shape(line, output, tensors):
    """What the line says of the output's shape; None where an axis of it is no input's."""
    sizes = {axis: size for key in line.inputs if len(line.axes[key]) == tensors[key].dim()
             for axis, size in zip(line.axes[key], tensors[key].shape)}
    axes = line.axes[output]
    return [sizes[axis] for axis in axes] if all(axis in sizes for axis in axes) else None


def _alike(shape, wanted):
    """Axes of length 1 may be left out, or be there (docs/given-tensors.md)."""
    return [size for size in shape if size != 1] == [size for size in wanted if size != 1]


def _cotangents(line, outputs, seed):
    """Normal numbers: a cotangent of ones hides every term that sums to zero (docs/inputs.md)."""
    import torch
    generator = torch.Generator().manual_seed(seed)
    return {line.cotangents[key]: torch.randn(value.shape, generator=generator, dtype=torch.float64).to(value.dtype)
            for key, value in outputs.items()}


def _gradients(line, outputs, arguments, tensors):
    import torch
    wanted = [(line.gradients[key], argument) for key, argument in zip(line.inputs, arguments) if argument.requires_grad]
    with_gradient = [key for key, value in outputs.items() if value.requires_grad]
    if not wanted:
        return {}
    if not with_gradient:
        raise Convicted(f"no gradient goes through the function: {' '.join(outputs)} has no grad_fn "
                        "(backward=False judges forward alone)")
    found = torch.autograd.grad(
        [outputs[key] for key in with_gradient], [argument for _, argument in wanted],
        [tensors[line.cotangents[key]].to(outputs[key].device) for key in with_gradient], allow_unused=True)
    return {name: torch.zeros_like(argument.detach()) if gradient is None else gradient
            for (name, argument), gradient in zip(wanted, found)}


def _same_bits(a, b):
    return a.shape == b.shape and tensor_files.data_of(a) == tensor_files.data_of(b)
