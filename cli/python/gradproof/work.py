# SPDX-License-Identifier: Apache-2.0
"""On how many sets of inputs something is judged: as many as take some ten seconds on two cores."""
import itertools
import math

from gradproof import hard_inputs

# Multiply-adds of a step, of all sets together, up to which sets are judged by a line.
JUDGED_WORK = 2 ** 28
# An element of a tensor counts as so many multiply-adds: one of a product is judged in 30 ns, an element of a norm in 100 ns.
ELEMENT = 3


def count_of(work):
    """How many sets of that work are judged: one always."""
    return max(1, JUDGED_WORK // max(work, 1))


def fills_of(line, tensors, inputs, by_line=True):
    """The fills that a function of these tensors is judged on beside them, and those that would take long.

    by_line=False: by the weaker witness, which is asked of each fill by itself.
    """
    data = [tensors[name] for name in hard_inputs.data_of(line, tensors)] if inputs != "given" else []
    if not data:
        return [], []
    fills = hard_inputs.usual(data) if by_line and inputs == "hard" else hard_inputs.FILLS
    fills = [fill for fill in fills[1:] if by_line or fill not in hard_inputs.BY_LINE_ALONE]
    count = len(fills) if inputs == "all" else count_of(work_of(line, tensors)) - 1
    more = [hard_inputs.HALVES] if by_line and "round_to" in line.stages else []
    return [*fills[:count], *more], fills[count:]


def work_of(line, tensors):
    """Multiply-adds of a step forward and backward, by the shapes of what the line is given.

    A pair of tensors, each of which has an axis that the other has not, is multiplied where they have one in common.
    """
    shapes = {key: dict(zip(line.axes[key], tensors[key].shape)) for key in line.inputs}
    products = sum(math.prod({**a, **b}.values()) for a, b in itertools.combinations(shapes.values(), 2)
                   if set(a) & set(b) and set(a) - set(b) and set(b) - set(a))
    return 3 * products + ELEMENT * 4 * sum(math.prod(shape.values()) for shape in shapes.values())
