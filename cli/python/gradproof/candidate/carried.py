# SPDX-License-Identifier: Apache-2.0
"""Training steps one after the other, the state carried on, then a call in eval. A fault that forgets its state is seen in no
single step.

Each step is judged from the state that the candidate itself had behind the step before, which was judged there: so each needs
no more than the bound of one step, and a fault is named at its step.
"""
import struct

from gradproof import tensor_files

# What runs.py and host.py call all of them, and the last.
STEPS, EVAL = "steps", "eval"


def step_names(count):
    return [f"step_{k}" for k in range(1, count + 1)]


def together(names):
    """What runs.py runs at once: the steps, where there are any."""
    return [STEPS] if names else []


def answers_of(folder):
    """The file of what the candidate had of the set that lies in the folder."""
    return folder.parent / "answers" / f"{folder.name}.safetensors"


def carry(root, names, becomes):
    """Gives each step's inputs the state that the one before left. becomes: of a tensor what it is behind a step, "after.mean".

    What is missing there or of another kind is a finding at the step before (examination.py), and the state stays as it was.
    """
    for before, name in zip(names, names[1:]):
        path = root / name / "inputs.safetensors"
        given = tensor_files.read_data(path)
        try:
            left = tensor_files.read_data(answers_of(root / before))
        except (OSError, ValueError, KeyError, struct.error):
            return
        for tensor, later in becomes.items():
            found = left.get(f"first/{later}")
            if found and (found.dtype, found.shape) == (given[tensor].dtype, given[tensor].shape):
                given[tensor] = found
        tensor_files.write(path, given)
