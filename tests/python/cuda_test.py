# SPDX-License-Identifier: Apache-2.0
"""The operators on CUDA tensors, where there is a GPU and the library was built for it (preset cuda)."""
import pytest
import torch

import operators
from operators import Setting, arguments, call
from operators_test import NAMES

pytestmark = [pytest.mark.usefixtures("library"),
              pytest.mark.skipif(not torch.cuda.is_available(), reason="no CUDA device")]


def on_device(given, device="cuda"):
    return {name: value.detach().to(device).requires_grad_(value.requires_grad)
            if isinstance(value, torch.Tensor) else value for name, value in given.items()}


@pytest.mark.parametrize("training", [True, False])
@pytest.mark.parametrize("name", NAMES)
def test_the_same_function_as_on_the_cpu(name, training):
    """In float64, with torch.testing's own tolerance; the oracle's bound decides elsewhere."""
    setting = Setting(rows=67, cols=36, training=training)
    ours, theirs = on_device(arguments(name, setting)), arguments(name, setting)
    y, want = call(name, ours), operators.composed(name, theirs)
    torch.testing.assert_close(y.cpu(), want)
    dy = torch.linspace(-1, 1, want.numel(), dtype=want.dtype).reshape(want.shape)
    y.backward(dy.cuda())
    want.backward(dy)
    for argument, value in ours.items():
        if not isinstance(value, torch.Tensor):
            continue
        torch.testing.assert_close(value.cpu(), theirs[argument])
        if value.requires_grad:
            torch.testing.assert_close(value.grad.cpu(), theirs[argument].grad)
    with pytest.raises(AssertionError):
        torch.testing.assert_close(y.cpu(), want * 1.001)


@pytest.mark.parametrize("name", NAMES)
def test_work_is_enqueued_on_the_current_stream(name):
    """x becomes right only after a long wait on that stream; whoever runs elsewhere reads the old one."""
    given = on_device(arguments(name, requires_grad=False))
    right, old = given["x"], given["x"].square() + 1
    want, wrong = call(name, given | {"x": right}), call(name, given | {"x": old})
    stream = torch.cuda.Stream()
    torch.cuda.synchronize()
    given = on_device(arguments(name, requires_grad=False)) | {"x": old.clone()}
    torch.cuda.synchronize()
    with torch.cuda.stream(stream):
        torch.cuda._sleep(200_000_000)
        given["x"].copy_(right)
        y = call(name, given)
    stream.synchronize()
    assert torch.equal(call(name, on_device(arguments(name, requires_grad=False))), want), "the same bits every time"
    assert torch.equal(y, want)
    assert not torch.equal(wrong, want), "control"


@pytest.mark.parametrize("name", NAMES)
def test_tensors_of_two_devices_are_refused(name):
    given = on_device(arguments(name, requires_grad=False))
    call(name, given)  # control
    parameter = next((each for each in ("bias", "scale", "multiply", "weight") if each in given))
    with pytest.raises(RuntimeError, match="is on cpu; expected cuda:0, where x is"):
        call(name, given | {parameter: given[parameter].cpu()})


@pytest.mark.skipif(torch.cuda.device_count() < 2, reason="one CUDA device")
@pytest.mark.parametrize("name", NAMES)
def test_another_device_than_the_current_one(name):
    want = call(name, on_device(arguments(name), "cuda:0"))
    y = call(name, on_device(arguments(name), "cuda:1"))
    assert y.device == torch.device("cuda:1") and torch.cuda.current_device() == 0
    assert torch.equal(y.cpu(), want.cpu())
