# SPDX-License-Identifier: Apache-2.0
"""'cuda' in a file of Python that runs on the executor: tensors are the CPU's, and torch says of them what it says on a GPU."""
import types

import torch
from torch.overrides import TorchFunctionMode


def on_cpu(value):
    """The same argument with the CPU in place of CUDA."""
    if isinstance(value, torch.device) and value.type == "cuda":
        return torch.device("cpu")
    if isinstance(value, str) and (value == "cuda" or value.startswith("cuda:")):
        return "cpu"
    return value


class OnCpu(TorchFunctionMode):
    """Functions of torch that are given a device."""

    def __torch_function__(self, function, types_, arguments=(), named=None):
        named = {name: on_cpu(value) if name == "device" else value for name, value in (named or {}).items()}
        name = getattr(function, "__name__", "")
        if name == "cuda" and arguments and isinstance(arguments[0], torch.Tensor):
            return arguments[0]
        if name == "to" and len(arguments) > 1:
            arguments = (arguments[0], *map(on_cpu, arguments[1:]))
        return function(*arguments, **named)


def present(caller_stream=0):
    """From here on, in this process. caller_stream: what extensions are given as the current one."""
    OnCpu().__enter__()
    torch.Tensor.is_cuda = property(lambda tensor: True)
    module_to = torch.nn.Module.to
    torch.nn.Module.to = lambda module, *words, **named: module_to(
        module, *map(on_cpu, words), **{name: on_cpu(value) for name, value in named.items()})
    torch.nn.Module.cuda = lambda module, device=None: module
    stream = types.SimpleNamespace(cuda_stream=caller_stream, synchronize=lambda: None, wait_stream=lambda other: None)
    answers = {"is_available": True, "device_count": 1, "current_device": 0, "synchronize": None, "set_device": None,
               "empty_cache": None, "current_stream": stream, "get_device_capability": (9, 0), "get_device_name": "executor",
               "init": None}
    for name, answer in answers.items():
        setattr(torch.cuda, name, lambda *_, answer=answer, **__: answer)
