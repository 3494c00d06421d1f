# SPDX-License-Identifier: Apache-2.0
"""What a call on trial is made for: twice with the same numbers, then with others, and what of it is kept as bytes.

The candidate's own process (host.py) and gradproof.check run a call so, behind one with other numbers: what is
remembered of an earlier call is of those. examination.py says what the bytes show.
"""
from gradproof import tensor_files

__tracebackhide__ = True  # pytest shows the line of the test as the last one


def keep(written, part, tensors):
    for name, tensor in tensors.items():
        data = tensor_files.data_of(tensor)
        written[f"{part}/{name}"] = tensor_files.Data(tensor_files.type_name(tensor), list(tensor.shape), data)


def part_of(written, part):
    """What of it is kept under that part, by name."""
    return {name.partition("/")[2]: data for name, data in written.items() if name.startswith(part + "/")}


def run(step, tensors, arguments, around, behind, again=None, begun=lambda first: None):
    """Bytes of the first call's results as it returned, of what they are later, of a second call, of what it was given.

    step: makes the call and gives all that it has by name; `between` is given the results alone, before backward begins.
    arguments, around: what the call was given, and what lies beside it. behind: makes a call with other numbers. again: makes the
    second call where that is not step(tensors); it is given the first one's bytes by name. begun: is given them before that.
    """
    written = {}
    first = step(tensors, lambda results: keep(written, "first", results))
    keep(written, "first", {name: tensor for name, tensor in first.items() if f"first/{name}" not in written})
    keep(written, "argument", arguments())
    keep(written, "around", around())
    begun(part_of(written, "first"))
    keep(written, "again", again(part_of(written, "first")) if again else step(tensors))
    behind()
    keep(written, "late", {name: tensor for name, tensor in first.items() if not name.startswith("after.")})
    return written
