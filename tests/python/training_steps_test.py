# SPDX-License-Identifier: Apache-2.0
"""Training steps with the state carried on (cli/python/gradproof/candidate/carried.py): faults that no single step shows."""
import re

import pytest

from trial_support import check, counts
from state_faults import HEAD, STATE_FAULTS


# The weaker witness judges three of them: the right one, a state that drifts, and a wrong call in eval.
BY_THE_WITNESS = ["right", "average_of_all_steps", "a_copy_is_used_in_eval"]


@pytest.mark.parametrize("name, reference", [(name, "with_state") for name in STATE_FAULTS] + [(name, "no_line") for name in BY_THE_WITNESS])
def test_what_is_said_of_a_state(tmp_path, name, reference):
    text, says = STATE_FAULTS[name]
    said, code = check(tmp_path, HEAD.format(reference=reference) + text, reference=reference)
    # The line knows that the gradient of a bias in front of a BatchNorm is 0, and the weaker witness does not.
    right = 0 if reference == "with_state" else 4
    assert code == (right if name == "right" else 1) and re.search(says, said), said


@pytest.mark.parametrize("name", STATE_FAULTS)
def test_no_single_step_shows_it(tmp_path, name):
    said, code = check(tmp_path, HEAD.format(reference="with_state") + STATE_FAULTS[name][0], "--steps", "0", reference="with_state")
    assert code == 0 and counts(said)["failed"] == 0, said


def test_how_the_steps_are_judged(tmp_path):
    said, _ = check(tmp_path, HEAD.format(reference="with_state") + STATE_FAULTS["right"][0], "--steps", "1", "--verbose",
                    reference="with_state")
    assert "in eval: 'v1 = linear" in said and "step1" in said and "step2" not in said and "num_batches_tracked" not in said, said
    plain, _ = check(tmp_path, "from reference import Model\nclass ModelNew(Model):\n    pass\n")
    assert "RESULT" in plain and "step1" not in plain, plain
