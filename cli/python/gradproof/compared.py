# SPDX-License-Identifier: Apache-2.0
"""The comparisons of a test suite by the lines where they stand, and what each would pass besides (docs/tolerances.md)."""
import dataclasses
import math
import os
import pathlib
import sys

from gradproof import weighing

__tracebackhide__ = True  # pytest shows the line of the test as the last one


@dataclasses.dataclass
class Place:
    """The comparisons of one line of a file that passed. factor and ulps are the worst of all: the largest, the smallest."""
    place: str
    calls: int = 0
    tests: list = dataclasses.field(default_factory=list)
    passes: dict = dataclasses.field(default_factory=lambda: dict.fromkeys(weighing.IMPOSTORS, 0))
    factor: float = math.nan
    ulps: float = math.inf
    flaky: int = 0
    not_weighed: dict = dataclasses.field(default_factory=dict)

    def add(self, weight):
        for name in weight.impostors:
            self.passes[name] += 1
        self.factor = max(weight.factor, self.factor) if self.factor == self.factor else weight.factor
        self.ulps = min(self.ulps, weight.ulps)
        self.flaky += weight.is_flaky()

    def note(self, reason):
        self.not_weighed[reason] = self.not_weighed.get(reason, 0) + 1

    def merge(self, other):
        self.calls += other.calls
        self.tests += [test for test in other.tests if test not in self.tests]
        for into, more in ((self.passes, other.passes), (self.not_weighed, other.not_weighed)):
            for name, count in more.items():
                into[name] = into.get(name, 0) + count
        self.factor = max(other.factor, self.factor) if self.factor == self.factor else other.factor
        self.ulps = min(self.ulps, other.ulps)
        self.flaky += other.flaky

    def weakness(self):
        """By which places are sorted: zeros pass, most impostors, the largest factor."""
        return (self.passes["zeros"] > 0, sum(count > 0 for name, count in self.passes.items() if name != "half"),
                self.factor if self.factor == self.factor else 0.0)


class Ledger:
    """The places of a run; with pytest-xdist those of all its workers."""

    def __init__(self):
        self.places = {}
        self.test = None

    def at(self, place):
        return self.places.setdefault(place, Place(place))

    def take(self, place, got, want, tolerances):
        """A comparison that passed. Nothing that goes wrong here may reach the test."""
        if self.test is None:
            return
        found = self.at(place)
        found.calls += 1
        if self.test not in found.tests:
            found.tests.append(self.test)
        try:
            for one in _pairs(got, want):
                self._weigh(found, one, tolerances)
        except Exception as error:  # a subclass of a tensor may do anything
            found.note(type(error).__name__)

    def _weigh(self, found, pair, tolerances):
        try:
            _, want = pair
            name = type_name(want)
            found.add(weighing.weigh(_as_float64(want), *tolerances(pair), name))
        except weighing.NotWeighed as reason:
            found.note(str(reason))

    def merge(self, places):
        for place in places:
            self.at(place["place"]).merge(Place(**place))


def _pairs(got, want):
    """Tensors or arrays of nested sequences and mappings, in pairs."""
    if isinstance(want, dict):
        return [pair for key in want for pair in _pairs(got[key], want[key])]
    if isinstance(want, (list, tuple)) and want and not all(isinstance(one, (bool, int, float)) for one in want):
        return [pair for one, other in zip(got, want) for pair in _pairs(one, other)]
    return [(got, want)]


def type_name(value):
    return str(value.dtype).removeprefix("torch.") if hasattr(value, "dtype") else "float64"


def _as_float64(value):
    import numpy
    if hasattr(value, "detach"):
        if value.is_complex():
            raise weighing.NotWeighed("complex")
        import torch
        value = value.detach().to(torch.float64).cpu().numpy()
    array = numpy.asarray(value)
    if numpy.iscomplexobj(array):
        raise weighing.NotWeighed("complex")
    return array.astype(numpy.float64)


def place_of(frame):
    """The line of the test, or of its helper: gradcheck compares too, somewhere in torch."""
    inside = tuple(str(pathlib.Path(sys.modules[name].__file__).parent) + os.sep for name in ("torch", "numpy") if name in sys.modules)
    while frame.f_back and frame.f_code.co_filename.startswith(inside):
        frame = frame.f_back
    return f"{frame.f_code.co_filename}:{frame.f_lineno}"
