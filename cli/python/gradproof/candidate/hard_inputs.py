# SPDX-License-Identifier: Apache-2.0
"""Numbers that are hard for kernels, in the shapes of the file's own inputs. Names and meaning: docs/inputs.md."""
import torch

# Which axes a norm of the candidate works over is not known: an offset of each row is one within a row (LayerNorm), an offset of
# each column (of the second axis, where channels lie) one within a channel (BatchNorm), and a common one is one within any.
FILLS = ("own", "normal", "offset:1e3", "columns:1e3", "common:1e4", "loguniform", "lone:1", "constant:0", "subnormal")


def filled(fill, like, generator):
    """Rows are all axes but the last; labels and other whole numbers stay as they are."""
    if fill == "own" or not like.is_floating_point():
        return like.detach().clone()
    shape = like.shape
    normal = torch.randn(shape, generator=generator, dtype=torch.float64)
    if fill == "normal":
        values = normal
    elif fill == "offset:1e3":
        values = _offsets(shape[:-1] + (1,) if shape else (), generator) * 1e3 + normal
    elif fill == "columns:1e3":
        column = [extent if axis == min(1, len(shape) - 1) else 1 for axis, extent in enumerate(shape)]
        values = _offsets(column, generator) * 1e3 + normal
    elif fill == "common:1e4":
        values = _offsets((), generator).abs() * 1e4 + normal
    elif fill == "loguniform":
        values = normal.sign() * torch.exp2(41 * torch.rand(shape, generator=generator, dtype=torch.float64) - 20)
    elif fill == "lone:1":
        values = torch.ones(shape, dtype=torch.float64)
        if shape:
            values[..., 0] = 2
    elif fill == "constant:0":
        values = torch.zeros(shape, dtype=torch.float64)
    else:
        values = normal * 2.0 ** -130
    return values.to(like.dtype)


def _offsets(shape, generator):
    """Between 1 and 1.5, either sign."""
    size = torch.rand(shape, generator=generator, dtype=torch.float64)
    return torch.where(size * 1024 % 1 < 0.5, -1.0, 1.0) * (1 + size / 2)


def state(own, generator):
    """Parameters that are no identity: those of one axis are drawn, because a model's own are ones and zeros."""
    return {name: _parameter(name, tensor.detach(), generator) for name, tensor in own.items()}


def _parameter(name, like, generator):
    constant = like.numel() > 0 and bool((like == like.flatten()[0]).all())
    if not like.is_floating_point() or not (like.dim() <= 1 or constant):
        return like.clone()
    size = torch.rand(like.shape, generator=generator, dtype=torch.float64)
    sign = torch.where(torch.rand(like.shape, generator=generator) < 0.5, -1.0, 1.0)
    if name.endswith("running_var"):
        return (0.5 + 1.5 * size).to(like.dtype)
    return (sign * ((0.25 if name.endswith("running_mean") else 0.5) + size)).to(like.dtype)
