# SPDX-License-Identifier: Apache-2.0
"""What the other tests take for granted: the pinned torch, one copy of LibTorch, a working torch.compile."""
import os
import pathlib
import re

import torch

LIBTORCH = re.compile(r"/lib(?:torch|torch_cpu|torch_python|c10)\.so$")


def copies_of_libtorch(maps):
    """Libraries of LibTorch that lie in more than one folder, in the text of /proc/PID/maps."""
    folders = {}
    for path in {line.split()[-1] for line in maps.splitlines()}:
        if LIBTORCH.search(path):
            folders.setdefault(pathlib.Path(path).name, set()).add(pathlib.Path(path).parent)
    return {name: found for name, found in folders.items() if len(found) > 1}


def test_torch_is_the_release_that_is_pinned():
    pins = (pathlib.Path(os.environ["GRADPROOF_SOURCE_DIR"]) / "scripts/pins").read_text()
    pinned = re.search(r"^pypi torch torch==(\d+\.\d+)", pins, flags=re.M).group(1)
    assert torch.__version__.startswith(pinned + ".")


def test_the_library_brings_no_second_libtorch(library):
    maps = pathlib.Path("/proc/self/maps").read_text()
    assert str(library) in maps
    assert str(pathlib.Path(torch.__file__).parent / "lib/libtorch_cpu.so") in maps
    assert copies_of_libtorch(maps) == {}


def test_a_second_libtorch_would_be_seen():
    line = "7f0000000000-7f0000001000 r-xp 00000000 08:01 42 /{}/lib/libc10.so\n"
    assert set(copies_of_libtorch(line.format("one") + line.format("two"))) == {"libc10.so"}


def test_torch_compile_builds_for_the_cpu():
    """Its C++ back end wants g++ and Python.h; all values are exact here, so no tolerance is needed."""
    compiled = torch.compile(lambda x: (x * 2 + 1).sum(0), fullgraph=True)
    x = torch.arange(6.0).reshape(3, 2)
    assert torch.equal(compiled(x), torch.tensor([15.0, 21.0]))
