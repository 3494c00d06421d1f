# SPDX-License-Identifier: Apache-2.0
"""Files that numpy wrote, judged by the program (docs/given-tensors.md): savez, savez_compressed, and what is refused."""
import os
import pathlib
import subprocess

import numpy
import pytest

PROGRAM = pathlib.Path(os.environ["GRADPROOF_BIN_DIR"]).resolve() / "gradproof"


def judged(folder, line="y = softmax(x)"):
    return subprocess.run([PROGRAM, "judge", "--pipeline", line, "--inputs", "in.npz", "--outputs", "out.npz"],
                          cwd=folder, capture_output=True, text=True, check=False)


@pytest.mark.parametrize("save", [numpy.savez, numpy.savez_compressed], ids=["stored", "compressed"])
@pytest.mark.parametrize("dtype", ["float32", "float64", "float16"])
def test_every_type_is_read_to_the_bit(tmp_path, save, dtype):
    """y = -x is exact: one bit more is over the bound."""
    x = numpy.random.default_rng(3).normal(size=(3, 5)).astype(dtype)
    save(tmp_path / "in.npz", x=x)
    save(tmp_path / "out.npz", y=-x)
    assert judged(tmp_path, "y = neg(x)").returncode == 0
    y = -x
    y[2, 4] = numpy.nextafter(y[2, 4], y.dtype.type(0))
    save(tmp_path / "out.npz", y=y)
    done = judged(tmp_path, "y = neg(x)")
    assert done.returncode == 1 and "[2,4]" in done.stdout, done.stdout + done.stderr


@pytest.mark.parametrize("x, said", [
    (numpy.asfortranarray(numpy.ones((2, 3), "f4")), "'in.npz' is no npz file: tensor 'x': its elements are in the order of Fortran"),
    (numpy.ones((2, 3), ">f4"), "tensor 'x': it is big-endian, has the dtype '>f4'; known: <f8 <f4 <f2"),
    (numpy.ones((2, 3), "c8"), "tensor 'x': it has the dtype '<c8'"),
    (numpy.array([[None, 1.0]], dtype=object), "tensor 'x': it has the dtype '|O'"),
    (numpy.zeros((2, 3), [("a", "f4")]), "tensor 'x': it has the dtype '[...]'"),
], ids=["order of Fortran", "big-endian", "complex", "objects", "structured"])
def test_what_is_not_read_is_one_line(tmp_path, x, said):
    numpy.savez(tmp_path / "in.npz", x=x)
    numpy.savez(tmp_path / "out.npz", y=numpy.ones((2, 3), "f4"))
    done = judged(tmp_path)
    assert done.returncode == 2 and done.stdout == "" and len(done.stderr.splitlines()) == 1, done.stderr
    assert said in done.stderr
