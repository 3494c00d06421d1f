# SPDX-License-Identifier: Apache-2.0
"""The examples of Python and of a TORCH_LIBRARY from an installed prefix, in a folder without this tree."""
import os
import pathlib
import re
import shutil
import sys

import pages
import pytest

FUSED = "h = {}(x, residual); y = rms_norm(h, weight, eps=1e-6); outputs y h"


@pytest.fixture(scope="session")
def candidates(installed):
    return installed.example("python_candidate")


def check_candidate(installed, candidates, name):
    return installed.run(installed.program, "check", "--python", f"{name}.py", "--reference", "layer_norm.py", "--python-program",
                         sys.executable, folder=candidates)


def test_no_variable_names_the_checkout(installed):
    """The scratch folder may lie in the build tree, so only what stands before it counts."""
    checkout = pathlib.Path(os.environ["GRADPROOF_SOURCE_DIR"]).resolve()
    for name, value in installed.environment.items():
        assert str(checkout) not in value.replace(str(installed.folder), ""), name


@pytest.mark.parametrize("name, wanted, says", [("right", 0, "failed=0"), ("wrong", 1, "FAILED  wrong y")])
def test_the_candidate_is_judged_and_allclose_is_content_with_both(installed, candidates, name, wanted, says):
    code, text = installed.run(sys.executable, "-B", "trials.py", name, folder=candidates)
    assert code == 0 and text.count("allclose says True") == 5, text
    code, text = check_candidate(installed, candidates, name)
    assert code == wanted and says in text, text


@pytest.fixture(scope="session")
def tests(installed):
    return installed.example("python_tests")


def run_tests(installed, tests, name):
    return installed.run(sys.executable, "-B", "-m", "pytest", "-q", "--rootdir=.", "-p", "no:cacheprovider", name, folder=tests)


@pytest.mark.parametrize("name", ["test_my_norm.py", "test_triton_norm.py"])
def test_the_tests_that_call_check_pass(installed, tests, name):
    code, text = run_tests(installed, tests, name)
    assert code == 0 and "7 passed" in text, text


@pytest.fixture(scope="session")
def given(installed):
    return installed.example("given_tensors")


@pytest.mark.parametrize("fault, code, last", [([], 0, "RESULT passed=2 failed=0"), (["--wrong"], 1, "RESULT passed=0 failed=2")],
                         ids=["right", "wrong"])
def test_the_softmax_of_numpy_is_judged(installed, given, fault, code, last):
    made, text = installed.run(sys.executable, "-B", "softmax_numpy.py", "in.npz", "out.npz", *fault, folder=given)
    assert made == 0, text
    got, text = installed.run(installed.program, "judge", "--pipeline", "y = softmax(x)", "--inputs", "in.npz", "--outputs", "out.npz",
                              folder=given)
    assert got == code and text.splitlines()[-1].startswith(last), text


def test_the_operator_of_a_library_is_judged(installed):
    project = installed.example("torch_library")
    launcher = ["-DCMAKE_CXX_COMPILER_LAUNCHER=ccache"] if shutil.which("ccache") else []
    for code, text in (installed.configure(project, f"-DPYTHON={sys.executable}", *launcher), installed.build(project)):
        assert code == 0, text

    def check(step):
        return installed.run(installed.program, "check", "--library", project / "build" / "libmine.so", "--op", "mine::fused", "--pipeline",
                             FUSED.format(step), "rows=64 cols=768", "--python-program", sys.executable)
    kept = set(installed.folder.glob("gradproof-*"))
    code, text = check("add")
    assert pages.prints(pages.shown("gradproof check --library build/libmine.so --op mine::fused"), text, digits=False), text
    assert code == 0 and re.search(r"passed=(3[1-9]|[4-9]\d) failed=0", text), text
    assert "opcheck's test_schema test_autograd_registration test_faketensor test_aot_dispatch_dynamic" in " ".join(text.split()), text
    assert set(installed.folder.glob("gradproof-*")) == kept, "files stay only where a replay line names them"
    code, text = check("subtract")
    assert code == 1 and re.search(r"\n  FAILED +h ", text), text


@pytest.mark.parametrize("gone, says", [("share/gradproof/python/gradproof", "No module named 'gradproof'"),
                                        ("bin/gradproof-worker", "gradproof-worker")])
def test_nothing_is_judged_without_a_part_of_the_prefix(installed, candidates, tests, gone, says):
    """So it was the prefix's part that the other tests ran, and none of the checkout."""
    part = installed.prefix / gone
    part.rename(part.with_name("elsewhere"))
    try:
        said = [check_candidate(installed, candidates, "right"), run_tests(installed, tests, "test_my_norm.py")]
    finally:
        part.with_name("elsewhere").rename(part)
    for code, text in said:
        assert code != 0 and says in text and "passed=" not in text, text
