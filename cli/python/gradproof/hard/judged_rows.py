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
        """A result may have axes of length 1 in front."""
        rows = next((extent for extent in shape if extent != 1), None)
        return not self.are_all and self.axis in self.axes[name] and rows == self.rows

    def shape_of(self, name, shape):
        """That of these rows of a tensor of that name and shape, without axes of length 1 in front."""
        return [2 * self.count, *_without_ones(shape)[1:]] if self._is_cut(name, shape) else list(shape)

    def of(self, tensors):
        """These rows of tensors by name, which may be Data: outputs and gradients of the line, what it is given, cotangents."""
        return {name: self._of(name, tensor) if self._is_cut(name, tensor.shape) else tensor for name, tensor in tensors.items()}

    def _of(self, name, tensor):
        shape = self.shape_of(name, tensor.shape)
        if not isinstance(tensor, tensor_files.Data):
            return self.ends(tensor.reshape(_without_ones(tensor.shape)))
        data = memoryview(tensor.data)
        part = len(data) // self.rows * self.count
        return tensor_files.Data(tensor.dtype, shape, b"".join((data[:part], data[len(data) - part:])))

    def ends(self, tensor):
        return tensor if self.are_all else torch.cat([tensor[:self.count], tensor[self.rows - self.count:]])

    def within(self, tensor, ends):
        """The tensor with those numbers in these rows."""
        return ends if self.are_all else self._put(tensor.detach().clone(), ends)

    def _put(self, tensor, ends):
        tensor[:self.count], tensor[self.rows - self.count:] = ends[:self.count], ends[self.count:]
        return tensor

    def alone(self, name, cotangent):
        """The cotangent of that name, 0 in other rows."""
        if not self._is_cut(name, cotangent.shape):
            return cotangent
        rows = cotangent.reshape(_without_ones(cotangent.shape))
        return self._put(torch.zeros_like(rows), self.ends(rows)).reshape(cotangent.shape)


def _without_ones(shape):
    """Without axes of length 1 in front."""
    shape = list(shape)
    while shape[:1] == [1]:
        del shape[0]
    return shape


def apart(line, tensors, whole=False):
    """JudgedRows of a line of which each row of the results is made of the same row of the data alone.

    None where the first axis of the data does not stay apart, or something has it elsewhere, or a result has it not. tensors: by name,
    the line's inputs among them. whole: all rows are judged.
    """
    batch = hard_inputs.batch_of(line, tensors)
    with_it = [name for name, axes in line.axes.items() if batch in axes]
    if batch is None or batch not in line.apart or any(line.axes[name][0] != batch for name in with_it):
        return None
    shapes = [tensors[name].shape for name in with_it if name in tensors]
    if not {*line.outputs} <= {*with_it} or len({shape[:1] for shape in shapes}) != 1:  # a tensor may lack an axis of length 1
        return None
    [rows] = {shape[0] for shape in shapes}
    of_row = max(math.prod(shape[1:]) for shape in shapes)
    turns = math.ceil(ELEMENTS / (2 * ROWS * max(of_row, 1)))
    return JudgedRows(line, batch, rows, rows if whole else turns * ROWS)
