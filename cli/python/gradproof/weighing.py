# SPDX-License-Identifier: Apache-2.0
"""What a comparison by tolerances would pass besides: |got - want| <= atol + rtol |want| for each element (docs/tolerances.md)."""
import dataclasses
import math

import numpy

__tracebackhide__ = True  # pytest shows the line of the test as the last one

# Results that a comparison should not pass, in the order in which they are named.
IMPOSTORS = ("zeros", "sign", "constant", "row", "half")
# A comparison of more elements is not weighed: that would take longer than a test.
MOST_ELEMENTS = 1 << 24


@dataclasses.dataclass(frozen=True)
class FloatType:
    """digits: bits of the significand, with the first one. least: exponent of the least normal number."""
    digits: int
    least: int


TYPES = {"bfloat16": FloatType(8, -126), "float16": FloatType(11, -14), "float32": FloatType(24, -126), "float64": FloatType(53, -1022)}


@dataclasses.dataclass(frozen=True)
class Weight:
    """impostors: those that would pass. factor: the least factor above 1 that would fail. ulps: the least tolerance of an element
    in units of its last place. Where all that is wanted is 0 they are NaN and infinite."""
    impostors: tuple
    factor: float
    ulps: float

    def is_flaky(self):
        """Whether another right rounding may fail; of an exact comparison that is what was asked for."""
        return 0 < self.ulps < 1


class NotWeighed(Exception):
    """Its text is the reason."""


def weigh(want, rtol, atol, type_name):
    """want: an array of float64. type_name: of the tensors that were compared. Raises NotWeighed."""
    if type_name not in TYPES:
        raise NotWeighed(f"{type_name} is no floating type")
    if want.size > MOST_ELEMENTS:
        raise NotWeighed("too large")
    finite = numpy.isfinite(want)
    if not finite.any():
        raise NotWeighed("no finite number")
    size = numpy.where(finite, numpy.abs(want), 0.0)
    allowed = numpy.where(finite, atol + rtol * size, 0.0)
    passing = tuple(name for name in IMPOSTORS if _passes(name, want, size, allowed, finite, type_name))
    nonzero = size > 0
    if not nonzero.any():
        return Weight(passing, math.nan, math.inf)
    size, allowed = size[nonzero], allowed[nonzero]
    return Weight(passing, 1 + float(numpy.min(allowed / size)), float(numpy.min(allowed / _ulp(size, TYPES[type_name]))))


def _passes(name, want, size, allowed, finite, type_name):
    if not size.any():  # zeros are right
        return False
    if name == "zeros":
        return bool((size <= allowed).all())
    if name == "sign":
        return bool((2 * size <= allowed).all())
    if name == "constant":
        numbers = want[finite]
        low, high = numbers - allowed[finite], numbers + allowed[finite]
        return bool(numbers.min() < numbers.max() and low.max() <= high.min())
    if name == "row":
        return _a_row_passes(size, allowed)
    return _half_passes(want, allowed, finite, type_name)


def _a_row_passes(size, allowed):
    """Whether a row of the first axis, which is not 0, may be left at 0."""
    if size.ndim < 2 or len(size) < 2:
        return False
    rest = tuple(range(1, size.ndim))
    return bool(((size <= allowed).all(axis=rest) & size.any(axis=rest)).any())


def _half_passes(want, allowed, finite, type_name):
    """Whether all numbers may be rounded to float16."""
    if TYPES[type_name].digits <= 11:
        return False
    with numpy.errstate(over="ignore"):
        rounded = want[finite].astype(numpy.float16).astype(numpy.float64)
    off = numpy.abs(rounded - want[finite])
    return bool(off.any() and (off <= allowed[finite]).all())


def _ulp(size, kind):
    _, exponents = numpy.frexp(size)
    return numpy.ldexp(1.0, numpy.maximum(exponents - 1, kind.least) - (kind.digits - 1))
