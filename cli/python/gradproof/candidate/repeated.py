# SPDX-License-Identifier: Apache-2.0
"""What a call on trial is made for: twice with the same numbers, then with others, and what of it is kept as bytes.

The candidate's own process (host.py) and gradproof.check run a call so, behind one with other numbers: what is
remembered of an earlier call is of those. examination.py says what the bytes show.
"""
from gradproof import tensor_files

__tracebackhide__ = True  # pytest shows the line of the test as the last one


def rolled(tensors):
    """The same numbers in another order: memory that is used again does not keep them by chance."""
    return {name: tensor.flatten().roll(1).reshape(tensor.shape) for name, tensor in tensors.items()}


def keep(written, part, tensors):
    for name, tensor in tensors.items():
        data = tensor_files.data_of(tensor)
        written[f"{part}/{name}"] = tensor_files.Data(tensor_files.type_name(tensor), list(tensor.shape), data)


def run(step, tensors, arguments, around, behind):
    """Bytes of the first call's results as it returned, of what they are later, of a second call, of what it was given.

    step: makes the call and gives all that it has by name; `between` is given the results alone, before backward begins.
    arguments, around: what the call was given, and what lies beside it. behind: makes a call with other numbers.
    """
    written = {}
    first = step(tensors, lambda results: keep(written, "first", results))
    keep(written, "first", {name: tensor for name, tensor in first.items() if f"first/{name}" not in written})
    keep(written, "argument", arguments())
    keep(written, "around", around())
    keep(written, "again", step(tensors))
    behind()
    keep(written, "late", {name: tensor for name, tensor in first.items() if not name.startswith("after.")})
    return written
