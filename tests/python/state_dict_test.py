# SPDX-License-Identifier: Apache-2.0
"""A state saved by C++ loads in Python and the reverse, strictly and bit for bit. The C++ side is the program
gradproof-state-dict; its models have 5 features to 6, three groups, and numbers 1, 2, 3 ... for weights."""
import os
import pathlib
import subprocess

import pytest
import torch
from torch import nn

PROGRAM = pathlib.Path(os.environ["GRADPROOF_BIN_DIR"]) / "gradproof-state-dict"


class P97(nn.Module):
    def __init__(self):
        super().__init__()
        self.matmul, self.bn, self.bias = nn.Linear(5, 6), nn.BatchNorm1d(6), nn.Parameter(torch.zeros(1))


class P39(nn.Module):
    def __init__(self):
        super().__init__()
        self.gemm, self.bn, self.scale = nn.Linear(5, 6), nn.BatchNorm1d(6), nn.Parameter(torch.zeros(6))


class P37(nn.Module):
    def __init__(self):
        super().__init__()
        self.matmul, self.group_norm, self.bias = nn.Linear(5, 6), nn.GroupNorm(3, 6), nn.Parameter(torch.zeros(6))


class P88(nn.Module):
    def __init__(self):
        super().__init__()
        self.gemm, self.group_norm = nn.Linear(5, 6), nn.GroupNorm(3, 6)
        self.multiply_weight = nn.Parameter(torch.zeros(6))


MODELS = {"p97": P97, "p39": P39, "p37": P37, "p88": P88}


def run(verb, pair, file):
    return subprocess.run([PROGRAM, verb, pair, file], capture_output=True, text=True, timeout=60)


@pytest.mark.parametrize("pair", MODELS)
def test_from_cpp_to_python_and_back(pair, tmp_path):
    written = run("write", pair, tmp_path / "cpp.pt")
    assert written.returncode == 0, written.stderr
    model = MODELS[pair]()
    model.load_state_dict(dict(torch.load(tmp_path / "cpp.pt")), strict=True)
    everything = torch.cat([value.flatten().double() for value in model.state_dict().values()]).sort().values
    assert torch.equal(everything, torch.arange(1, everything.numel() + 1, dtype=torch.float64))

    torch.save(dict(model.state_dict()), tmp_path / "python.pt")
    checked = run("check", pair, tmp_path / "python.pt")
    assert checked.returncode == 0, checked.stderr


@pytest.mark.parametrize("pair", MODELS)
def test_another_value_is_seen(pair, tmp_path):
    run("write", pair, tmp_path / "state.pt")
    state = dict(torch.load(tmp_path / "state.pt"))
    for name in state:
        changed = {**state, name: state[name] + 1}
        torch.save(changed, tmp_path / "changed.pt")
        checked = run("check", pair, tmp_path / "changed.pt")
        assert (checked.returncode, checked.stderr) == (1, f"{name}\n")


@pytest.mark.parametrize("pair", MODELS)
def test_a_missing_tensor_is_named(pair, tmp_path):
    run("write", pair, tmp_path / "state.pt")
    state = dict(torch.load(tmp_path / "state.pt"))
    for name in state:
        torch.save({other: value for other, value in state.items() if other != name}, tmp_path / "less.pt")
        checked = run("check", pair, tmp_path / "less.pt")
        assert checked.returncode == 2 and name in checked.stderr
