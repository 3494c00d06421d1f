# SPDX-License-Identifier: Apache-2.0
"""gradproof.check in a test's own process, with the program of this build."""
import os
import pathlib
import sys

import pytest
import torch

PACKAGE = pathlib.Path(os.environ["GRADPROOF_SOURCE_DIR"]) / "cli/python"
sys.path.insert(0, str(PACKAGE))


@pytest.fixture(autouse=True)
def program(monkeypatch):
    path = pathlib.Path(os.environ["GRADPROOF_BIN_DIR"]).resolve() / "gradproof"
    monkeypatch.setenv("GRADPROOF", str(path))
    return path


def normal(*shape, seed=3):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed))
