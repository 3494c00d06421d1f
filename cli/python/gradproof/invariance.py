# SPDX-License-Identifier: Apache-2.0
"""Whether a row's bits depend on what it is computed beside: docs/python.md#invariance."""
import dataclasses

from gradproof import frameworks, tensor_files
from gradproof.errors import Convicted

__tracebackhide__ = True  # pytest shows the line of the test as the last one


@dataclasses.dataclass(frozen=True)
class Invariance:
    """What was asked: sizes of batches, and so many rows in each of which every element's bits were compared."""
    batches: tuple
    rows: int


def invariant(function, *, batch=(1, 2, 7, 32), rows=None, backward=True, seed=1, **tensors):
    """Calls function(**tensors) on batches of other sizes, and compares each row's bits with those that it has in the whole batch.

    The function gets the tensors by their names' order here. rows: names of those that have the batch as their first axis; by
    default the ones with the most axes, and whatever else has one axis less and as many rows. Rows stand first, last and in between;
    those around them are other numbers, of which some are NaN (padding). Every result and, with `backward`, every gradient of
    such a tensor is compared; gradients of parameters, which are sums over rows, are not.

    Raises Convicted with the first row that differs, ValueError for a batch without rows, TypeError for a function whose
    results have no rows.
    """
    import torch
    given = {name: tensor_files.torch_of(tensor) for name, tensor in tensors.items()}
    names = _with_rows(given, rows)
    count = given[names[0]].shape[0]
    sizes = tuple(size for size in batch)
    if not count or not sizes or min(sizes) < 1:
        raise ValueError(f"batch={batch!r} of tensors with {count} rows: sizes and rows are at least 1")
    generator = torch.Generator().manual_seed(seed)
    trial = _Trial(frameworks.of_torch(function, tensors.values()), given, names, backward, generator)
    whole = trial.step({name: given[name] for name in names})
    chosen = sorted({0, count // 3, count // 2, count - 1})
    for size in sizes:
        for place in sorted({0, size // 2, size - 1}):
            for row in chosen:
                trial.require_same(row, whole, place, trial.of_batch(row, place, size), size)
    return Invariance(sizes, len(chosen))


def _with_rows(given, rows):
    if rows is not None:
        unknown = [name for name in rows if name not in given]
        if unknown or not rows:
            raise ValueError(f"rows={tuple(rows)!r}; the tensors are {' '.join(given)}")
        return list(rows)
    if not given:
        raise ValueError("invariant() wants tensors by name: x=x, weight=weight")
    most = max(tensor.dim() for tensor in given.values())
    if most == 0:
        raise ValueError("no tensor has an axis")
    count = next(tensor.shape[0] for tensor in given.values() if tensor.dim() == most)
    return [name for name, tensor in given.items() if tensor.dim() == most and tensor.shape[0] == count or
            most > 1 and tensor.dim() == most - 1 and not tensor.is_floating_point() and tensor.shape[0] == count]


class _Trial:
    def __init__(self, function, given, names, backward, generator):
        self.function, self.given, self.names, self.generator = function, given, names, generator
        self.backward = backward
        self.cotangents = None  # a row for each row of the whole batch, drawn once

    def step(self, numbers, rows=None):
        """Results and gradients by name, of that batch."""
        import torch
        arguments = {**self.given, **numbers}
        leaves = {name: value.detach().clone() for name, value in arguments.items()}
        for name in self.names:
            leaves[name].requires_grad_(bool(self.backward and tensor_files.is_floating(leaves[name])))
        results = self.function(*leaves.values())
        results = list(results) if isinstance(results, (tuple, list)) else [results]
        size = leaves[self.names[0]].shape[0]
        for k, result in enumerate(results):
            if not tensor_files.is_tensor(result) or result.dim() == 0 or result.shape[0] != size:
                raise TypeError(f"result {k} of the function has no row for each of {size} rows: "
                                f"{list(result.shape) if tensor_files.is_tensor(result) else type(result).__name__}")
        found = {f"result{k}" if len(results) > 1 else "result": result.detach() for k, result in enumerate(results)}
        asked = [leaf for leaf in leaves.values() if leaf.requires_grad]
        through = [result for result in results if result.requires_grad]
        if asked and through:
            sent = self._sent(results, rows)
            gradients = torch.autograd.grad(through, asked, [one for one, result in zip(sent, results) if result.requires_grad],
                                            allow_unused=True)
            named = [name for name, leaf in leaves.items() if leaf.requires_grad]
            found.update({f"d_{name}": gradient for name, gradient in zip(named, gradients) if gradient is not None})
        return found

    def _sent(self, results, rows):
        import torch
        if self.cotangents is None:
            self.cotangents = [torch.randn(result.shape, generator=self.generator, dtype=torch.float64).to(result) for result in results]
        return [whole if rows is None else whole[rows] for whole in self.cotangents]

    def of_batch(self, row, place, size):
        """Raises Convicted where the function cannot have such a batch."""
        numbers, rows = self._batch(row, place, size)
        try:
            return self.step(numbers, rows)
        except TypeError:
            raise
        except Exception as error:
            raise Convicted(f"in a batch of {size} the call raised {type(error).__name__}: {error}") from error

    def _batch(self, row, place, size):
        """The row at that place of a batch of that size, among rows of other numbers and, in every other batch, of NaN."""
        import torch
        count = self.given[self.names[0]].shape[0]
        rows = torch.randint(count, (size,), generator=self.generator)
        rows[place] = row
        padded = bool((row + place) % 2)
        taken = {}
        for name in self.names:
            values = self.given[name][rows]
            if padded and values.is_floating_point():
                others = torch.arange(size) != place
                # All bits set are a NaN in each type of 8 bits, which torch fills with no number.
                bits, none = (values.view(torch.uint8), 255) if tensor_files.is_of_8_bits(values) else (values, torch.nan)
                bits[others.to(values.device)] = none
            taken[name] = values
        return taken, rows

    def require_same(self, row, whole, place, found, size):
        for name, tensor in found.items():
            here, there = tensor[place], whole[name][row]
            if tensor_files.data_of(here) == tensor_files.data_of(there):
                continue
            raise Convicted(f"'{name}' of row {row} has other bits in a batch of {size}, at place {place}, than in the batch of "
                            f"{whole[name].shape[0]}: {_difference(here, there)}")


def _difference(here, there):
    import torch
    if not here.is_floating_point():
        return f"{int((here != there).sum())} of {here.numel()} elements"
    a, b = here.double(), there.double()
    other = (a != b) & ~(torch.isnan(a) & torch.isnan(b))
    apart = (a - b).abs()[other]
    largest = f", the largest difference {float(apart.max()):.3g}" if apart.numel() else ", signs of zeros or NaNs"
    return f"{int(other.sum())} of {here.numel()} elements{largest}"
