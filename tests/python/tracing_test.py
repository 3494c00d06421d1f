# SPDX-License-Identifier: Apache-2.0
"""torch.compile and autocast: the compiled program calls the same kernels, so its bits are those of the eager one."""
import pytest
import torch
import torch.nn.functional as F
from torch._dynamo.testing import CompileCounterWithBackend

from operators import Setting, arguments, call
from operators_test import NAMES

pytestmark = pytest.mark.usefixtures("library")


def trained(function, name, setting):
    """y, gradients and buffers after one step."""
    given = arguments(name, setting)
    y = function(name, given)
    y.backward(torch.linspace(-1, 1, y.numel(), dtype=y.dtype).reshape(y.shape))
    tensors = {argument: value for argument, value in given.items() if isinstance(value, torch.Tensor)}
    return [y.detach()] + [value.grad if value.requires_grad else value for value in tensors.values()]


@pytest.mark.parametrize("name", NAMES)
def test_compile_takes_the_operator_whole(name):
    torch.compiler.reset()
    compiled = torch.compile(call, fullgraph=True)
    for training in (True, False):
        setting = Setting(training=training)
        got, want = trained(compiled, name, setting), trained(call, name, setting)
        assert all(torch.equal(a, b) for a, b in zip(got, want, strict=True))
    other = trained(call, name, Setting(eps=0.5, divide=3.0, rows=6))
    assert not torch.equal(got[0], other[0][:5]), "control"


@pytest.mark.parametrize("name", NAMES)
def test_compile_with_dynamic_sizes_compiles_once(name):
    torch.compiler.reset()
    counter = CompileCounterWithBackend("aot_eager")
    compiled = torch.compile(call, fullgraph=True, dynamic=True, backend=counter)
    counts = []
    for rows in (5, 6, 9):
        setting = Setting(rows=rows)
        got, want = trained(compiled, name, setting), trained(call, name, setting)
        assert all(torch.equal(a, b) for a, b in zip(got, want, strict=True))
        counts.append(counter.frame_count)
    # An operator with a number may be traced twice at first: Dynamo tries the number as a tensor.
    assert counts[0] > 0 and counts[2] == counts[0]


@pytest.mark.parametrize("name", NAMES)
def test_autocast_leaves_the_dtype_of_x(name):
    given = arguments(name, Setting(dtype=torch.float32, parameters=torch.float32))
    want = call(name, arguments(name, Setting(dtype=torch.float32, parameters=torch.float32)))
    with torch.autocast("cpu", dtype=torch.bfloat16):
        assert torch.equal(call(name, given), want)
        assert F.linear(given["x"], torch.eye(6)).dtype == torch.bfloat16, "control: autocast is on"
        # What an autocast Linear gives: half x, float32 parameters.
        mixed = arguments(name, Setting(dtype=torch.bfloat16, parameters=torch.float32))
        y = call(name, mixed)
    assert y.dtype == torch.bfloat16
    y.sum().backward()
    assert mixed["x"].grad.dtype == torch.bfloat16
    parameters = [value for argument, value in mixed.items()
                  if argument != "x" and isinstance(value, torch.Tensor) and value.requires_grad]
    assert all(parameter.grad.dtype == torch.float32 for parameter in parameters)
