# SPDX-License-Identifier: Apache-2.0
"""On how many sets of inputs something is judged: as many as take some ten seconds on two cores."""
import itertools
import math
import typing

from gradproof import tensor_files
from gradproof.hard import hard_inputs, judged_rows

# Multiply-adds of a step, of all sets together, up to which sets are judged by a line.
JUDGED_WORK = 2 ** 28
# An element of a tensor counts as so many multiply-adds: one of a product is judged in 30 ns, an element of a norm in 100 ns.
ELEMENT = 3
# Work that is so much of what is done anyway is never left out.
LITTLE = 1 / 8


def count_of(work):
    """How many sets of that work are judged: one always."""
    return max(1, JUDGED_WORK // max(work, 1))


class Fills(typing.NamedTuple):
    """The fills that a function is judged on beside its own numbers, those that would take long, JudgedRows where rows are apart, and
    what gives those of which no rows stand for all."""
    judged: list
    left_out: list
    apart: judged_rows.JudgedRows = None
    whole: typing.Callable = None

    def behind(self, results):
        """These, or whole ones where the given numbers' results, by name as Data, are not all finite: in between the rows at both ends
        numbers stay and a cotangent is 0, and 0 times an infinity would be in each sum over rows."""
        are_cut = self.apart is not None and not self.apart.are_all
        return self.whole() if are_cut and not all(map(tensor_files.is_finite, results.values())) else self

    def rows(self, fill):
        """JudgedRows of a set with that fill; None where whole tensors are judged."""
        return hard_inputs.rows_in(fill, self.apart)


NONE = Fills([], [])


def fills_of(line, tensors, inputs, by_line=True, whole=False):
    """Fills of a function of these tensors.

    by_line=False: by the weaker witness, which is asked of each fill by itself. whole: no rows stand for all.
    """
    names = hard_inputs.data_of(line, tensors) if inputs != "given" else []
    if not names:
        return NONE
    if not by_line:
        return _within([fill for fill in hard_inputs.FILLS[1:] if fill not in hard_inputs.BY_LINE_ALONE], line, tensors, inputs)
    apart = judged_rows.apart(line, tensors, whole)
    fills = hard_inputs.usual([tensors[name] for name in names], by_rows=bool(apart))
    if inputs == "all":
        fills = list(dict.fromkeys([*fills, *hard_inputs.FILLS]))
    more = [hard_inputs.HALVES] if "round_to" in line.stages else []
    found = _within(fills[1:], line, tensors, inputs, apart)
    return found._replace(judged=[*found.judged, *more], whole=lambda: fills_of(line, tensors, inputs, whole=True))


def _within(fills, line, tensors, inputs, apart=None):
    """As many of the fills as the given numbers leave room for; one of a few rows adds little to them."""
    shapes = {key: tensors[key].shape for key in line.inputs}
    whole = work_of(line, shapes)
    left, judged = JUDGED_WORK - whole, []
    for fill in fills:
        rows = hard_inputs.rows_in(fill, apart)
        work = work_of(line, {key: rows.shape_of(key, shape) for key, shape in shapes.items()}) if rows else whole
        if inputs != "all" and work > max(left, whole * LITTLE):
            break
        left -= work
        judged.append(fill)
    return Fills(judged, [*fills[len(judged):]], apart)


def work_of(line, shapes):
    """Multiply-adds of a step forward and backward, by the shapes of the line's inputs.

    A pair of tensors, each of which has an axis that the other has not, is multiplied where they have one in common.
    """
    shapes = {key: dict(zip(line.axes[key], shape)) for key, shape in shapes.items()}
    products = sum(math.prod({**a, **b}.values()) for a, b in itertools.combinations(shapes.values(), 2)
                   if set(a) & set(b) and set(a) - set(b) and set(b) - set(a))
    return 3 * products + ELEMENT * 4 * sum(math.prod(shape.values()) for shape in shapes.values())
