# SPDX-License-Identifier: Apache-2.0
"""Arguments of every operator, in the order of its schema, and the same thing composed of PyTorch's own operators."""
import dataclasses

import torch
import torch.nn.functional as F


@dataclasses.dataclass(frozen=True)
class Setting:
    """What a test chooses. No number is an identity."""

    rows: int = 5
    cols: int = 6
    groups: int = 3
    dtype: torch.dtype = torch.float64
    parameters: torch.dtype = torch.float64
    affine: bool = True
    training: bool = True
    tracked: bool = True
    momentum: float | None = 0.3
    eps: float = 1e-2
    divide: float = -1.75


def names():
    """Words of all operators, from the library itself."""
    found = {schema.name for schema in torch._C._jit_get_all_schemas() if schema.name.startswith("gradproof::")}
    return sorted(name.removeprefix("gradproof::") for name in found if not name.endswith("_backward"))


def schema(name):
    return getattr(torch.ops.gradproof, name).default._schema


def arguments(name, setting=Setting(), requires_grad=True):
    """By name, in the schema's order; x and parameters require gradients if so asked."""
    generator = torch.Generator().manual_seed(7)

    def draw(*shape, dtype=setting.parameters):
        return torch.randn(shape, dtype=torch.float64, generator=generator).to(dtype)

    def value(argument):
        if argument == "x":
            return draw(setting.rows, setting.cols, dtype=setting.dtype).requires_grad_(requires_grad)
        if argument in ("weight", "beta"):
            return draw(setting.cols).requires_grad_(requires_grad) if setting.affine else None
        if argument in ("bias", "scale", "multiply"):
            return draw(setting.cols).requires_grad_(requires_grad)
        if argument == "running_mean":
            return draw(setting.cols) if setting.tracked else None
        if argument == "running_var":
            return draw(setting.cols).abs() + 0.5 if setting.tracked else None
        if argument == "num_batches_tracked":
            return torch.tensor(7) if setting.tracked else None
        return setting.groups if argument == "num_groups" else getattr(setting, argument)

    return {argument.name: value(argument.name) for argument in schema(name).arguments}


def call(name, given):
    """The operator's y."""
    result = getattr(torch.ops.gradproof, name)(*given.values())
    return result if isinstance(result, torch.Tensor) else result[0]


def batch_norm(given, x):
    """nn.BatchNorm1d: it counts, and without momentum it averages."""
    momentum = given["momentum"]
    if given["training"] and given["num_batches_tracked"] is not None:
        given["num_batches_tracked"].add_(1)
        momentum = 1 / given["num_batches_tracked"].item() if momentum is None else momentum
    training = given["training"] or given["running_mean"] is None
    return F.batch_norm(x, given["running_mean"], given["running_var"], given["weight"], given["beta"], training,
                        momentum or 0.0, given["eps"])


def group_norm(given, x):
    return F.group_norm(x, given["num_groups"], given["weight"], given["beta"], given["eps"])


STAGES = {
    "bias": lambda given, x: x + given["bias"],
    "scale": lambda given, x: x * given["scale"],
    "multiply": lambda given, x: x * given["multiply"],
    "divide": lambda given, x: x / given["divide"],
    "swish": lambda given, x: x * torch.sigmoid(x),
    "batchnorm": batch_norm,
    "groupnorm": group_norm,
}


def composed(name, given):
    """The same y of PyTorch's operators, stage by stage as the name says."""
    value = given["x"]
    for stage in name.split("_"):
        value = STAGES[stage](given, value)
    return value
