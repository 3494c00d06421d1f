# SPDX-License-Identifier: Apache-2.0
"""`gradproof check --library` on operators of CUDA tensors, where there is a GPU and nvcc."""
import os
import pathlib
import re
import shutil
import subprocess
import sys

import pytest
import torch

PROGRAM = pathlib.Path(os.environ["GRADPROOF_BIN_DIR"]).resolve() / "gradproof"
UNIT = pathlib.Path(__file__).parent / "library" / "on_device.cu"

pytestmark = [pytest.mark.skipif(not torch.cuda.is_available(), reason="no CUDA device"),
              pytest.mark.skipif(not shutil.which("nvcc"), reason="no nvcc")]


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    home, library = pathlib.Path(torch.__file__).parent, tmp_path_factory.mktemp("device") / "libon_device.so"
    command = ["nvcc", "-std=c++20", "-shared", "-Xcompiler", "-fPIC", f"-I{home}/include", f"-I{home}/include/torch/csrc/api/include",
               UNIT, "-o", library, f"-L{home}/lib", "-ltorch_cpu", "-ltorch_cuda", "-lc10", "-lc10_cuda"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return library


@pytest.mark.parametrize("op, wanted, says", [
    ("triple", 0, "failed=0"),
    ("on_the_default_stream", 1, "FAILED  on_device::on_the_default_stream y"),
    ("all_but_the_last", 1, "FAILED  on_device::all_but_the_last y"),
])
def test_an_operator_on_the_device(built, op, wanted, says):
    done = subprocess.run([PROGRAM, "check", "--library", built, "--op", f"on_device::{op}", "--pipeline", "y = multiply(x, 3)",
                           "rows=33 cols=127 fill=normal", "--no-backward", "--python-program", sys.executable],
                          capture_output=True, text=True, check=False)
    said = done.stdout + done.stderr
    print(said)
    assert done.returncode == wanted and re.search(says, said), said
