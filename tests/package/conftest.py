# SPDX-License-Identifier: Apache-2.0
"""What the tests of examples in Python share."""
import os
import pathlib

import pytest
from scratch import Scratch


@pytest.fixture(scope="session")
def installed(tmp_path_factory):
    """A prefix in a folder of its own; its commands see nothing of the checkout."""
    return Scratch(pathlib.Path(os.environ["GRADPROOF_BIN_DIR"]).parent, tmp_path_factory.mktemp("installed"))
