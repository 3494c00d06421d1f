# SPDX-License-Identifier: Apache-2.0
"""Where a candidate's tensors lie: in memory of their own, or within larger memory that nobody else may touch."""
import contextlib

import torch

# Sets whose tensors lie within larger memory: so many elements are from one of theirs to the next.
STEPS = {"layout_offset": 1, "layout_strided": 2}
# Elements before and behind; odd, so that no more than an element's alignment is given.
GUARD = 33
# Bytes of a NaN in each floating type.
POISON = 0xFF


class Placement:
    def __init__(self, device="cpu"):
        self.device = device
        self.begin("")

    def begin(self, name):
        """The set whose tensors are placed from here on."""
        self.step = STEPS.get(name)
        self.within = {}  # by name: all of the memory, and which of its elements are the tensor's

    def placed(self, name, tensor):
        """A copy; autograd goes through it."""
        if self.step is None:
            return tensor.clone()
        memory = poisoned([2 * GUARD + self.step * tensor.numel()], tensor.dtype, self.device)
        inside = torch.zeros(memory.shape, dtype=torch.bool, device=self.device)
        self._own(inside, tensor.shape).fill_(True)
        self.within[name] = memory, inside
        return self._own(memory, tensor.shape).copy_(tensor)

    def _own(self, memory, shape):
        count = self.step * torch.Size(shape).numel()
        return memory[GUARD:GUARD + count].view(*shape, self.step)[..., 0]

    def around(self):
        """Of each tensor that was placed within larger memory what lies around it."""
        return {name: memory.detach()[~inside] for name, (memory, inside) in self.within.items()}


def own_stream(device):
    """On a GPU a stream that is not the default one, as the caller's may be any."""
    return torch.cuda.stream(torch.cuda.Stream()) if device == "cuda" else contextlib.nullcontext()


def delay(device):
    """Holds the stream up for some 40 ms: what is on another stream reads its inputs before they are there.

    They are on the device already: a copy from the host would wait.
    """
    if device == "cuda":
        torch.cuda._sleep(2 ** 26)


def poison_freed(kinds, device):
    """A GPU's freed memory of these shapes and types, which its allocator hands out again; MALLOC_PERTURB_ is for the CPU's."""
    if device == "cuda":
        del [poisoned(shape, dtype, device) for shape, dtype in kinds][:]


def poisoned(shape, dtype, device="cpu"):
    memory = torch.empty(shape, dtype=dtype, device=device)
    memory.flatten().view(torch.uint8).fill_(POISON)
    return memory
