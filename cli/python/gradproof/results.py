# SPDX-License-Identifier: Apache-2.0
"""What a function returned, as the outputs of a line. Raises Convicted for another number, shape or type of them."""
from gradproof import tensor_files
from gradproof.errors import Convicted

# The stage whose value may be stored in a type of its own.
ROUNDING = "round_to"

__tracebackhide__ = True  # pytest shows the line of the test as the last one


def outputs_of(line, results, tensors, types=None):
    """By name. types: of outputs by name where one is meant to have another type than the line's first tensor."""
    values = list(results) if isinstance(results, (tuple, list)) else [results]
    if len(values) != len(line.outputs):
        raise Convicted(f"the function returned {len(values)} results; the line has {len(line.outputs)}: "
                        f"{' '.join(line.outputs)}")
    floating = [key for key in line.inputs if tensor_files.is_floating(tensors[key])]
    # A mask may have another type than what it chooses from.
    first = next((key for key in floating if line.gradients[key]), floating[0] if floating else None)
    for k, (key, value) in enumerate(zip(line.outputs, values)):
        wanted = (types or {}).get(key) or (tensors[first].dtype if first else getattr(value, "dtype", None))
        if not tensor_files.is_tensor(value):
            raise Convicted(f"'{key}' is {type(value).__name__}, not a tensor")
        if ROUNDING in line.stages and not tensor_files.fault_of(value):
            values[k] = value = _read_wider(value, wanted)
        if (fault := tensor_files.fault_of(value)) and value.dtype == wanted:
            raise Convicted(f"'{key}' {fault}")
        if value.dtype != wanted:
            raise Convicted(f"'{key}' has the type {value.dtype}, where {wanted} is wanted (dtypes=\"{key}:f32\" says another)")
        like = tensors.get(line.cotangents[key])
        if like is not None and value.shape != like.shape:
            raise Convicted(f"'{key}' has the shape {list(value.shape)}, its cotangent {list(like.shape)}")
        wanted_shape = _shape(line, key, tensors)
        if wanted_shape is not None and not _alike(value.shape, wanted_shape):
            raise Convicted(f"'{key}' has the shape {list(value.shape)}; by the line it is {wanted_shape}")
    return dict(zip(line.outputs, values))


def _read_wider(value, wanted):
    """The numbers of a narrow type in the wanted one, where that has all of them."""
    if wanted is None or tensor_files.is_floating(value):
        return value
    wide = value.to(wanted)
    is_exact = tensor_files.is_of_8_bits(value) or bool((wide.to(value.dtype) == value).all())
    return wide if is_exact else value


def _shape(line, output, tensors):
    """What the line says of the output's shape; None where an axis of it is no input's."""
    sizes = {axis: size for key in line.inputs if len(line.axes[key]) == tensors[key].dim()
             for axis, size in zip(line.axes[key], tensors[key].shape)}
    axes = line.axes[output]
    return [sizes[axis] for axis in axes] if all(axis in sizes for axis in axes) else None


def _alike(shape, wanted):
    """Axes of length 1 may be left out, or be there (docs/given-tensors.md)."""
    return [size for size in shape if size != 1] == [size for size in wanted if size != 1]
