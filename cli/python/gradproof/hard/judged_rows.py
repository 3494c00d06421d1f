# SPDX-License-Identifier: Apache-2.0
"""The rows of hard numbers: where each row of the results is made of a row of the data alone, some rows stand for all (docs/python.md)."""
import math

import torch

from gradproof import tensor_files
from gradproof.hard import hard_inputs

# So many rows are judged at the beginning and at the end, where a last block may not be full: each fill has one or more.
ROWS = 8
# Rows that are short are so many more that both ends together have about so many elements.
ELEMENTS = 1 << 13


class JudgedRows:
    """The rows at both ends of tensors: there they get hard numbers, and in between they keep what they have. These rows are judged.

    A cotangent is 0 in between, so that a gradient which sums over all rows is a sum over these. Where both ends are all rows, nothing
    is between them.
    """

    def __init__(self, line, axis, rows, count):
        """rows: of the tensors, along that axis, which is the first of each that has it. count: of the judged ones at either end."""
        self.axis, self.rows, self.count = axis, rows, count
        self.are_all = 2 * count >= rows
        self.axes = dict(line.axes)
        self.axes.update({gradient: line.axes[name] for name, gradient in line.gradients.items() if gradient})
        self.axes.update({cotangent: line.axes[name] for name, cotangent in line.cotangents.items()})

    def __str__(self):
        if self.are_all:
            return ""
        return f" in rows 0 to {self.count - 1} and {self.rows - self.count} to {self.rows - 1}, here 0 to {2 * self.count - 1}"

    def _is_cut(self, name, shape):
        return not self.are_all and self.axis in self.axes[name] and list(shape[:1]) == [self.rows]

    def shape_of(self, name, shape):
        """That of these rows of a tensor of that name and shape."""
        return [2 * self.count, *shape[1:]] if self._is_cut(name, shape) else list(shape)

    def of(self, tensors):
        """These rows of tensors by name, which may be Data: outputs and gradients of the line, what it is given, cotangents."""
        return {name: self._of(tensor) if self._is_cut(name, tensor.shape) else tensor for name, tensor in tensors.items()}

    def _of(self, tensor):
        if not isinstance(tensor, tensor_files.Data):
            return self.ends(tensor)
        data = memoryview(tensor.data)
        part = len(data) // self.rows * self.count
        return tensor_files.Data(tensor.dtype, [2 * self.count, *tensor.shape[1:]], b"".join((data[:part], data[len(data) - part:])))

    def ends(self, tensor):
        return tensor if self.are_all else torch.cat([tensor[:self.count], tensor[self.rows - self.count:]])

    def within(self, tensor, ends):
        """The tensor with those numbers in these rows. The last one has those of the first of its end: what begins a turn of fills shows
        most."""
        if self.are_all:
            return ends
        return self._put(tensor.detach().clone(), ends[:self.count], ends[self.count:].roll(-1, 0))

    def _put(self, tensor, first, last):
        tensor[:self.count], tensor[self.rows - self.count:] = first, last
        return tensor

    def alone(self, name, cotangent):
        """The cotangent of that name, 0 in other rows."""
        if not self._is_cut(name, cotangent.shape):
            return cotangent
        return self._put(torch.zeros_like(cotangent), cotangent[:self.count], cotangent[self.rows - self.count:])


class RowsApart:
    """Rows of tensors of a line, of which each row of the results is made of the same row of the data alone."""

    def __init__(self, line, axis, rows, of_row):
        """of_row: elements of a row of the widest tensor."""
        turns = math.ceil(ELEMENTS / (2 * ROWS * max(of_row, 1)))
        self.ends = JudgedRows(line, axis, rows, turns * ROWS)

    def judged(self, fill):
        """JudgedRows of a set with that fill; None where whole tensors are judged."""
        return self.ends if fill in hard_inputs.BY_ROWS else None


def apart(line, tensors):
    """RowsApart; None where a step works over the first axis of the data, or something has that elsewhere, or a result has it not.

    tensors: by name, the line's inputs among them.
    """
    batch = hard_inputs.batch_of(line, tensors)
    with_it = [name for name, axes in line.axes.items() if batch in axes]
    if batch is None or batch in line.worked_over or any(line.axes[name][0] != batch for name in with_it):
        return None
    shapes = [tensors[name].shape for name in with_it if name in tensors]
    if not {*line.outputs} <= {*with_it} or len({shape[:1] for shape in shapes}) != 1:  # a tensor may lack an axis of length 1
        return None
    return RowsApart(line, batch, shapes[0][0], max(math.prod(shape[1:]) for shape in shapes))
