# SPDX-License-Identifier: Apache-2.0
"""Sets that the program that stays is asked about before the others are there, and sets of further calls."""
import os
import pathlib
import signal

import pytest
import torch

from function_support import normal, program  # noqa: F401 (the fixture)

import gradproof  # isort: skip
from gradproof import resident  # isort: skip
from resident_support import check, children, norm, process, tensors, wait_until, wrong  # isort: skip


def set_of(folder, rows):
    """The files of a right set: words of the command line, and what was made of x."""
    folder.mkdir()
    x = normal(rows, 768)
    gradproof.tensor_files.write(folder / "inputs.safetensors", {"x": x})
    gradproof.tensor_files.write(folder / "outputs.safetensors", {"y": torch.tanh(x)})
    return ["--inputs", folder / "inputs.safetensors", "--outputs", folder / "outputs.safetensors"], torch.tanh(x)


def time_of(pid):
    """Ticks of the processor, and whether the process waits."""
    words = pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return int(words[11]), words[0] == "S"


def verdicts(answer):
    return [record["verdict"] for record in answer.records if record["tensor"] == "y"]


@pytest.mark.parametrize("is_begun", [True, False])
def test_a_set_that_was_begun_is_not_judged_again(tmp_path, is_begun):
    check()
    worker = children(process().pid)[0]
    (first, y), (other, _) = set_of(tmp_path / "first", 4096), set_of(tmp_path / "other", 16)
    words = ["judge", "--pipeline", "y = tanh(x)"]
    if is_begun:
        before = time_of(worker)[0]
        resident.begin(*words, *first)
        assert wait_until(lambda: time_of(worker)[0] > before + 5 and time_of(worker)[1]), "it works, then waits for its reader"
    gradproof.tensor_files.write(tmp_path / "first" / "outputs.safetensors", {"y": y + 1})
    assert verdicts(resident.run(*words, *first, *other)) == ["Passed" if is_begun else "Failed", "Passed"]
    assert verdicts(resident.run(*words, *first, *other)) == ["Failed", "Passed"], "the answer is given once"


@pytest.mark.parametrize("is_right", [True, False])
def test_a_set_of_a_further_call_is_judged_where_the_first_is_right(tmp_path, is_right):
    (first, y), (second, _), (other, _) = (set_of(tmp_path / name, 16) for name in ("first", "second", "other"))
    gradproof.tensor_files.write(tmp_path / "first" / "outputs.safetensors", {"y": y if is_right else y + 1})
    words = ["judge", "--pipeline", "y = tanh(x)", *first, *second, *other]
    answer = resident.run(*words, "--further", 1)
    assert verdicts(answer) == (["Passed"] * 3 if is_right else ["Failed", "Passed"])
    left = [record["reason"] for record in answer.records if record["verdict"] == "Skipped" and "further call" in record["reason"]]
    assert left == ([] if is_right else ["of a further call, and the first set is wrong"])
    assert verdicts(resident.run(*words)) == ["Passed" if is_right else "Failed", "Passed", "Passed"]


def test_what_was_begun_and_is_not_asked_for_is_forgotten(tmp_path):
    (first, _), (other, _) = set_of(tmp_path / "first", 64), set_of(tmp_path / "other", 16)
    words = ["judge", "--pipeline", "y = tanh(x)"]
    for begun in (["judge", "--pipeline", "y = nothing(x)", *first], ["judge", "--nonsense"], ["doctor"], [*words, *first, *other], [*words, *first]):
        resident.begin(*begun)
        assert verdicts(resident.run(*words, *other)) == ["Passed"]
    resident.begin(*words, *first)
    for pid in children(process().pid):
        os.kill(pid, signal.SIGKILL)
    assert verdicts(resident.run(*words, *first, *other)) == ["Passed", "Passed"]


@pytest.fixture(name="begun")
def as_on_a_device(monkeypatch):
    """What was begun, by a check that takes its function for one on a GPU."""
    begun, begin = [], resident.begin
    monkeypatch.setattr("gradproof.calls.Calls._leaves_cores", lambda self: True)
    monkeypatch.setattr(resident, "begin", lambda *words: [begun.append(words), begin(*words)])
    return begun


def test_a_check_begins_with_the_given_set(begun):
    assert check(inputs="hard").tensors("Passed") == ["y", "d_x", "d_weight"]
    with pytest.raises(gradproof.Convicted) as convicted:
        check(wrong, inputs="hard")
    sets = [record["set"] for record in convicted.value.judgement.records]
    assert sets[0] == "given" and {"mixed:rows", "mixed:shifted"} < set(sets)
    assert set(convicted.value.judgement.tensors("Failed")) == {"y", "d_x", "d_weight"}
    gradproof.check(norm, reference=norm, **tensors())
    assert len(begun) == 3


def test_a_later_call_that_raises_takes_nothing_from_the_next_check(begun):
    calls = []

    def raises_from_the_third_on(x, weight):
        calls.append(x)
        if len(calls) >= 3:
            raise ValueError("the third")
        return norm(x, weight)

    with pytest.raises(ValueError, match="the third"):
        check(raises_from_the_third_on)
    assert len(begun) == 1
    assert check().tensors("Passed") == ["y", "d_x", "d_weight"]
