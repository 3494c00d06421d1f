# SPDX-License-Identifier: Apache-2.0
"""Where a candidate's tensors lie: in memory of their own, or within larger memory that nobody else may touch."""
import contextlib
import ctypes
import os

import torch

__tracebackhide__ = True  # pytest shows the line of the test as the last one

# Sets whose tensors lie within larger memory: so many elements are from one of theirs to the next.
STEPS = {"layout_offset": 1, "layout_strided": 2}
# Elements before and behind; odd, so that no more than an element's alignment is given.
GUARD = 33
# Bytes of a NaN in each floating type.
POISON = 0xFF
# The number of mallopt(3) for the byte that malloc fills memory with, M_PERTURB of <malloc.h>.
M_PERTURB = -6
# The value of MALLOC_PERTURB_: memory is filled with 0x7f when it is allocated and with 0x80 when it is freed.
PERTURB = 128
# Allocators of torch hand out memory of so many bytes or more, beginning at a multiple of that.
ALIGNMENT = {"cpu": 64, "cuda": 512}


class Placement:
    def __init__(self, device="cpu"):
        self.device = device
        self.begin("")

    def begin(self, name):
        """The set whose tensors are placed from here on."""
        self.step = STEPS.get(name)
        self.lying = COTANGENTS.get(name)
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

    def cotangent(self, name, tensor):
        """As the set's cotangents lie."""
        return self.lying(tensor) if self.lying else self.placed(name, tensor)

    def _own(self, memory, shape):
        count = self.step * torch.Size(shape).numel()
        return memory[GUARD:GUARD + count].view(*shape, self.step)[..., 0]

    def around(self):
        """Of each tensor that was placed within larger memory what lies around it."""
        return {name: memory.detach()[~inside] for name, (memory, inside) in self.within.items()}


class Laid:
    """A tensor in memory of its own with the strides that another one has; around it and in its gaps are NaN.

    An axis of stride 0 stays one, and the tensor begins at an address that is as even as the other's.
    """

    def __init__(self, like, device=None):
        device = torch.device(device) if device else like.device
        size, unit = like.element_size(), ALIGNMENT.get(device.type, 512)
        self.strides = like.stride()
        extent = 1 + sum((length - 1) * stride for length, stride in zip(like.shape, self.strides)) if like.numel() else 0
        self.start = (unit + like.data_ptr() % min(unit, ALIGNMENT.get(like.device.type, unit))) // size
        self.memory = poisoned([self.start + extent + unit // size], like.dtype, device)
        self.tensor = self._over(self.memory, like.shape)

    def _over(self, memory, shape):
        """The tensor's part of the memory; it is no view to autograd, as a user's own tensor is none."""
        return torch.empty(0, dtype=memory.dtype, device=memory.device).set_(memory.untyped_storage(), self.start, shape, self.strides)

    def _once(self, tensor):
        """Without the repetitions along axes of stride 0, which nobody may write to."""
        for axis, stride in enumerate(self.strides):
            tensor = tensor.narrow(axis, 0, 1) if stride == 0 and tensor.shape[axis] > 1 else tensor
        return tensor

    def put(self, numbers):
        own, numbers = self._once(self.tensor.detach()), self._once(numbers.detach())
        if _is_plain(own) and _is_plain(numbers) and own.dtype == numbers.dtype:
            ctypes.memmove(own.data_ptr(), numbers.data_ptr(), own.nbytes)
        else:
            own.copy_(numbers)
        return self.tensor

    def numbers_of(self, numbers):
        """What the tensor has once they are put: along an axis of stride 0 the first of them."""
        return self._once(numbers.detach()).expand(numbers.shape)

    def around(self):
        # A byte of a truth value is 0 or 1 once torch has copied it.
        memory = self.memory.view(torch.uint8) if self.memory.dtype == torch.bool else self.memory
        if self.tensor.is_contiguous():
            return torch.cat([memory[:self.start], memory[self.start + self.tensor.numel():]])
        inside = torch.zeros(self.memory.shape, dtype=torch.bool, device=self.memory.device)
        self._once(self._over(inside, self.tensor.shape)).fill_(True)
        return memory[~inside]


def transposed(tensor):
    """The same numbers with the first axis innermost in memory; with gaps where that is no other order."""
    axes = list(reversed(range(tensor.dim())))
    backwards = tensor.permute(axes).contiguous().permute(axes)
    if backwards.is_contiguous():
        backwards = torch.stack([tensor, tensor], -1)[..., 0]
    return Laid(backwards).put(tensor)


def expanded(tensor):
    """The numbers that are first along the last axis, repeated along it with stride 0, as the gradient of a sum is.

    Who takes it for contiguous reads NaN, and no memory of somebody else's.
    """
    axis = last_axis(tensor.shape)
    if axis is None:
        return tensor
    memory = poisoned([tensor.numel()], tensor.dtype, tensor.device)
    first = tensor.narrow(axis, 0, 1)
    memory[:first.numel()] = first.flatten()
    return memory[:first.numel()].view(first.shape).expand(tensor.shape)


def no_leaf(tensor):
    """The same numbers as a result that autograd knows, as they are where a second derivative is wanted. DLPack refuses such."""
    return as_given(tensor).requires_grad_().view_as(tensor)


def transposed_no_leaf(tensor):
    """Both at once: where it shows nothing, neither does."""
    return transposed(tensor).requires_grad_().view_as(tensor)


def as_given(tensor):
    """In memory of its own with the strides that it has."""
    return Laid(tensor).put(tensor)


def last_axis(shape):
    """That has more than one element; None where no axis has."""
    return next((axis for axis in reversed(range(len(shape))) if shape[axis] > 1), None)


# By the set's name how its cotangents lie.
COTANGENTS = {"cotangent_transposed": transposed, "cotangent_expanded": expanded, "cotangent_no_leaf": no_leaf}


@contextlib.contextmanager
def perturbed():
    """Within, malloc of the GNU C library fills memory in this process as MALLOC_PERTURB_ lets it in one that is started so.

    A result that nobody wrote is then no result of before. Where another malloc serves torch, nothing is filled.
    """
    try:
        mallopt = ctypes.CDLL(None).mallopt
    except AttributeError:
        yield
        return
    mallopt(M_PERTURB, PERTURB)
    try:
        yield
    finally:
        mallopt(M_PERTURB, int(os.environ.get("MALLOC_PERTURB_") or 0))


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
    if _is_plain(memory):
        ctypes.memset(memory.data_ptr(), POISON, memory.nbytes)
    else:
        memory.flatten().view(torch.uint8).fill_(POISON)
    return memory


def rolled(tensors):
    """The same numbers in another order: memory that is used again does not keep them by chance."""
    return {name: _rolled(tensor.detach()) for name, tensor in tensors.items()}


def _rolled(tensor):
    if not _is_plain(tensor) or not tensor.numel():
        flat = tensor.flatten()  # a GPU does not roll floating numbers of 8 bits, but their bytes
        rolled = flat.view(torch.uint8).roll(1).view(tensor.dtype) if tensor.element_size() == 1 else flat.roll(1)
        return rolled.reshape(tensor.shape)
    moved, one = torch.empty_like(tensor), tensor.element_size()
    rest = tensor.nbytes - one
    ctypes.memmove(moved.data_ptr() + one, tensor.data_ptr(), rest)
    ctypes.memmove(moved.data_ptr(), tensor.data_ptr() + rest, one)
    return moved


def _is_plain(tensor):
    """Whether its elements are bytes in a row in this process's memory.

    These are copied without torch, whose threads wait for one another: 10 ms a copy where something else computes on the same cores.
    """
    return type(tensor) is torch.Tensor and tensor.device.type == "cpu" and tensor.is_contiguous()
