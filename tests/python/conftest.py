# SPDX-License-Identifier: Apache-2.0
"""What every file of tests may ask for by name."""
import os
import pathlib

import pytest
import torch


@pytest.fixture(scope="session")
def library():
    """The loaded operator library's path; its operators are torch.ops.gradproof.<name>."""
    path = pathlib.Path(os.environ["GRADPROOF_OPS_LIBRARY"]).resolve()
    torch.ops.load_library(path)
    return path
