# SPDX-License-Identifier: Apache-2.0
"""`gradproof check --python`: the file's own inputs with its own state, and cotangents that are not contiguous."""
import pytest

from trial_support import check, counts
from own_inputs import BY_ADDRESS, BY_ADDRESS_OF_TRANSPOSED, POINTER, SQUARE, ZEROS  # behind trial_support, which knows the folder


def test_a_fault_at_the_models_own_zeros_is_convicted(tmp_path):
    said, code = check(tmp_path, ZEROS.format("y / z"), reference=None)
    assert code == 1 and "/own_state/" in said and "wrong class (NaN, Inf)" in said, said
    said, code = check(tmp_path, ZEROS.format("torch.sigmoid(z)"), reference=None)
    assert code == 0 and counts(said)["failed"] == 0, said


def test_own_inputs_that_prove_nothing_are_incomplete(tmp_path):
    said, code = check(tmp_path, SQUARE.format("zeros"), reference=None)
    assert code == 4 and "incomplete: the file's own inputs have no trusted pass (y Mistrusted: zeros would pass: " in said, said
    assert counts(said)["passed"] > 0 and counts(said)["incomplete"] == 1, said
    said, code = check(tmp_path, SQUARE.format("randn"), reference=None)
    assert code == 0 and "incomplete: " not in said, said


@pytest.mark.parametrize("pipeline", [["--pipeline", "y = tanh(x)"], []])
@pytest.mark.parametrize("reads, where", [(BY_ADDRESS, "cotangent_expanded"), (BY_ADDRESS_OF_TRANSPOSED, "cotangent_transposed")])
def test_a_cotangent_that_is_taken_for_contiguous(tmp_path, reads, where, pipeline):
    said, code = check(tmp_path, POINTER.format(reads), *pipeline, reference=None)
    assert code == 1 and f"/{where}/" in said and "candidate d_x" in said and "/normal/" not in said, said
    said, code = check(tmp_path, POINTER.format("dy"), *pipeline, reference=None)
    assert code == 0, said


def test_a_cotangent_that_is_refused_is_convicted(tmp_path):
    said, code = check(tmp_path, POINTER.format("dy.view(-1).view(dy.shape)"), reference=None)
    assert code == 1 and "raised RuntimeError: view size is not compatible" in said, said


def test_forward_alone_has_no_cotangents(tmp_path):
    said, code = check(tmp_path, POINTER.format(BY_ADDRESS), "--no-backward", reference=None)
    assert code == 0 and counts(said)["passed"] + counts(said)["mistrusted"] == 6, said
