# SPDX-License-Identifier: Apache-2.0
"""`gradproof check --library` on libraries that cannot be loaded, end the process that loads them, or have the stable ABI."""
import pathlib
import re
import subprocess

import torch
from library_support import SMALL, TRIPLE, run
from trial_support import counts


def test_a_library_that_dies_as_it_is_loaded(tmp_path):
    (tmp_path / "dies.c").write_text("__attribute__((constructor)) static void dies(void) { *(volatile int*)0 = 1; }\n")
    library = tmp_path / "libdies.so"
    subprocess.run(["cc", "-shared", "-fPIC", tmp_path / "dies.c", "-o", library], check=True)
    said, code = run("check", "--library", library, "--op", "a::b", "--pipeline", TRIPLE, SMALL)
    assert code == 1 and "CRASHED" in said and "ended the process that loaded it: SIGSEGV" in said, said


def test_what_cannot_be_loaded(tmp_path):
    (tmp_path / "none.c").write_text("void c10_gone(void);\nvoid* wanted = (void*)c10_gone;\n")
    subprocess.run(["cc", "-shared", "-fPIC", tmp_path / "none.c", "-o", tmp_path / "libnone.so"], check=True)
    said, code = run("check", "--library", tmp_path / "libnone.so", "--op", "a::b", "--pipeline", TRIPLE, SMALL)
    assert code == 2 and re.search(r"cannot be loaded by torch \S+: OSError: .*undefined symbol: c10_gone$", said, re.M), said
    (tmp_path / "empty.c").write_text("int nothing;\n")
    subprocess.run(["cc", "-shared", "-fPIC", tmp_path / "empty.c", "-o", tmp_path / "libempty.so"], check=True)
    said, code = run("describe", tmp_path / "libempty.so")
    assert code == 2 and "registers no operator" in said, said


def test_a_library_with_the_other_strings(tmp_path):
    """What every TORCH_CHECK calls, as g++ names it by the old std::string and by the new one of a LibTorch that is not there."""
    own = torch.compiled_with_cxx11_abi()
    for string, says in (("Ss" if own else "NSt7__cxx11E", f"; it was compiled with _GLIBCXX_USE_CXX11_ABI={int(not own)}, and torch with {int(own)}"),
                         ("NSt7__cxx11E" if own else "Ss", "")):
        name = f"_ZN3c106detail4goneERK{string}"
        (tmp_path / "other.c").write_text(f"void {name}(void);\nvoid* wanted = (void*){name};\n")
        subprocess.run(["cc", "-shared", "-fPIC", tmp_path / "other.c", "-o", tmp_path / "libother.so"], check=True)
        said, code = run("describe", tmp_path / "libother.so")
        assert code == 2 and said.endswith(f"undefined symbol: {name}{says}\n"), said


def test_a_library_of_the_stable_abi(tmp_path):
    home, library = pathlib.Path(torch.__file__).parent, tmp_path / "libstable.so"
    subprocess.run(["c++", "-std=c++20", "-shared", "-fPIC", f"-I{home}/include", pathlib.Path(__file__).parent / "library" / "stable.cpp", "-o", library,
                    f"-L{home}/lib", "-ltorch_cpu"], check=True)
    wanted = subprocess.run(["nm", "-DC", "--undefined-only", library], capture_output=True, text=True, check=True).stdout
    assert " U aoti_torch_" in wanted and not re.search(r"\b(c10|at|torch)::", wanted), wanted
    said, code = run("check", "--library", library, "--op", "stable::triple", "--pipeline", TRIPLE, SMALL, "--no-backward")
    assert code == 0 and counts(said)["passed"] == 3, said
