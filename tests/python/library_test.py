# SPDX-License-Identifier: Apache-2.0
"""`gradproof check --library` (cli/python/gradproof/candidate): right operators pass, each planted one is convicted."""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

import pytest
import torch
from library_support import SMALL, TRIPLE, run
from trial_support import PROGRAM, counts

SOURCE = pathlib.Path(os.environ["GRADPROOF_SOURCE_DIR"]).resolve()
PLANTED = pathlib.Path(__file__).parent / "library" / "planted.cpp"
FUSED = "h = add(x, residual); y = rms_norm(h, weight, eps=1e-6); outputs y h"
STATE = ("y = batch_norm(x, eps=1e-5); new_mean = running_mean(x, mean, momentum=0.1); "
         "new_var = running_var(x, var, momentum=0.1)")
MEAN = "new_mean = running_mean(x, mean, momentum=0.3)"


@pytest.fixture(scope="session")
def built(tmp_path_factory):
    """The example's project with the planted operators in its one unit."""
    folder = tmp_path_factory.mktemp("library") / "project"
    shutil.copytree(SOURCE / "examples/torch_library", folder)
    shutil.copy(PLANTED, folder)
    text = (folder / "CMakeLists.txt").read_text()
    (folder / "CMakeLists.txt").write_text(text.replace("rms_norm_residual.cpp", "planted.cpp"))
    launcher = ["-DCMAKE_CXX_COMPILER_LAUNCHER=ccache"] if shutil.which("ccache") else []
    for command in (["cmake", "-G", "Ninja", "-B", "build", "-DCMAKE_BUILD_TYPE=Release", f"-DPYTHON={sys.executable}", *launcher],
                    ["cmake", "--build", "build"]):
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
    return folder / "build" / "libmine.so"


@pytest.fixture
def check(built, tmp_path):
    def checked(op, line, *more, case=SMALL):
        return run("check", "--library", built, "--op", op, "--pipeline", line, case, *more, folder=tmp_path)
    return checked


def test_its_backward_by_a_mapping(built, check, tmp_path):
    mapping = tmp_path / "mapping.json"
    said, code = run("describe", built, "--op", "mine::fused", "--backward", "mine::fused_backward", "--pipeline", FUSED, "--output", mapping)
    assert code == 0 and not said, said
    said, code = check("mine::fused", FUSED, "--mapping", mapping)
    assert code == 2 and "'return 0' of mine::fused_backward is not clear: d_x or d_residual or d_weight or null" in said, said
    plan = json.loads(mapping.read_text())
    plan["backward"]["returns"] = ["d_x d_residual", "d_weight"]
    mapping.write_text(json.dumps(plan))
    said, code = check("mine::fused", FUSED, "--mapping", mapping)
    assert code == 0 and counts(said)["passed"] == 30, said
    plan["backward"]["returns"] = ["d_x", "d_weight"]
    mapping.write_text(json.dumps(plan))
    said, code = check("mine::fused", FUSED, "--mapping", mapping)
    assert code == 1 and "FAILED  mine::fused d_residual" in said, said


RIGHT = [("planted::into", TRIPLE, ["--no-backward"]), ("planted::centred", MEAN, ["--no-backward"]),
         ("planted::normalised", STATE, []), ("planted::no_autograd", TRIPLE, ["--no-backward"]),
         ("planted::no_autograd", TRIPLE, ["--backward", "planted::tripled_gradient"]),
         ("planted::no_autograd", TRIPLE, ["--backward", "planted::tripled_gradient_into"]),
         ("planted::by_keyword", TRIPLE, ["--no-backward"]), ("planted::refuses_strides", TRIPLE, ["--no-backward"])]


@pytest.mark.parametrize("op, line, more", RIGHT)
def test_a_right_operator_passes(check, op, line, more):
    said, code = check(op, line, *more)
    assert code == 0 and counts(said)["failed"] == 0, said
    assert ("strided tensors: refused, raised RuntimeError: x must be contiguous" in said) == ("refuses" in op), said


def test_strides_of_an_axis_of_length_1_say_nothing(check):
    said, code = check("planted::transposed_on_meta", TRIPLE, "--no-backward", case="rows=1 cols=8 fill=normal")
    assert code == 0 and counts(said)["failed"] == 0, said


# operator: (line, what is said of it); each is right but for one thing.
WRONG = {
    "no_autograd": (TRIPLE, [], "test_autograd_registration: planted::no_autograd: .* does not have an autograd kernel"),
    "without_autograd": (TRIPLE, [], "no autograd is registered for planted::without_autograd, so no gradient goes through it"),
    "writes_its_input": (TRIPLE, ["--no-backward"], "test_schema: Argument x is not defined as mutable but was mutated; the call changed 'x', and its schema does not say so"),
    "writes_beside": (TRIPLE, ["--no-backward"], "the call wrote beside 'x'"),
    "returns_its_input": ("y = multiply(x, 1)", ["--no-backward"], "test_schema: Argument x is not defined to alias output but was aliasing"),
    "takes_strides_for_granted": (TRIPLE, ["--no-backward"], r"FAILED  planted::takes_strides_for_granted.strided y"),
    "takes_offset_for_granted": (TRIPLE, ["--no-backward"], r"FAILED  planted::takes_offset_for_granted.offset y"),
    "divides_by_the_rows": (TRIPLE, ["--no-backward"], "with an empty batch: ended before its results were there: SIGFPE"),
    "one_row_of_none": (TRIPLE, ["--no-backward"], r"with an empty batch: y has the shape \[1, 8\]; the line's \[0, 8\]"),
    "other_bits_each_time": (TRIPLE, ["--no-backward"], "y is another in a second call with the same numbers"),
    "gives_its_workspace_away": (TRIPLE, ["--no-backward"], "y changed after its call had returned"),
    "transposed_on_meta": (TRIPLE, ["--no-backward"], r"its meta kernel gives result 0 the strides \[1, 6\], the operator \[8, 1\]"),
    "longer_on_meta": (TRIPLE, ["--no-backward"], r"test_faketensor: .*Shapes torch.Size\(\[6, 8\]\) and torch.Size\(\[7, 8\]\)"),
    "halves_on_meta": (TRIPLE, ["--no-backward"], "test_faketensor: .*Dtypes torch.float32 and torch.float16"),
    "into_all_but_the_last": (TRIPLE, ["--no-backward"], "FAILED  planted::into_all_but_the_last y: .*(\n.*)*got nan"),
    "centred_wrongly": (MEAN, ["--no-backward"], "FAILED  planted::centred_wrongly new_mean"),
    "normalised_wrongly": (STATE, [], "FAILED  planted::normalised_wrongly new_var"),
    "centred_once": (MEAN, ["--no-backward"], "FAILED  planted::centred_once.step2 new_mean"),
    "centred_undeclared": (MEAN, ["--no-backward"], "the call changed 'mean', and its schema does not say so"),
}


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_operator_is_convicted(check, name):
    line, more, says = WRONG[name]
    said, code = check(f"planted::{name}", line, *more)
    assert code == 1 and re.search(says, said), said


def test_no_single_step_shows_a_forgotten_state(check):
    said, code = check("planted::centred_once", MEAN, "--no-backward", "--steps", "0")
    assert code == 0 and counts(said)["failed"] == 0, said


def test_a_wrong_backward_is_convicted(check, tmp_path):
    said, code = check("planted::no_autograd", TRIPLE, "--backward", "planted::doubled_gradient")
    assert code == 1 and "FAILED  planted::no_autograd d_x" in said, said
    into = {"op": "planted::tripled_gradient_into", "arguments": {"grad": "y", "dx": "-> d_x"}}
    (tmp_path / "mapping.json").write_text(json.dumps({"backward": into}))
    said, code = check("planted::no_autograd", TRIPLE, "--mapping", tmp_path / "mapping.json")
    assert code == 1 and "FAILED  planted::no_autograd d_x" in said, said


def test_a_backward_that_takes_its_cotangent_for_contiguous_is_convicted(check, tmp_path):
    mapping = tmp_path / "mapping.json"
    for op, argument, outcome in (("takes_strides_for_granted", "x", 1), ("tripled_gradient", "grad", 0)):
        mapping.write_text(json.dumps({"backward": {"op": f"planted::{op}", "arguments": {argument: "dy"}, "returns": ["d_x"]}}))
        said, code = check("planted::no_autograd", TRIPLE, "--mapping", mapping)
        assert code == outcome, said
        for where in ("expanded", "transposed"):
            assert (f"FAILED  planted::no_autograd.{where} d_x" in said) == bool(outcome), said


def test_a_backward_that_writes_its_cotangent_is_convicted(check):
    said, code = check("planted::no_autograd", TRIPLE, "--backward", "planted::gradient_over_its_cotangent")
    assert code == 1 and re.search("planted::gradient_over_its_cotangent: opcheck's test_schema: Argument grad is not defined", said), said


def test_a_list_of_tensors(check, tmp_path):
    line, mapping = "y = add(add(x, q), z)", tmp_path / "mapping.json"
    mapping.write_text(json.dumps({"arguments": {"all": ["x", "q", "z"]}}))
    said, code = check("planted::total", line, "--mapping", mapping, "--no-backward")
    assert code == 0 and counts(said)["passed"] == 3, said
    said, code = check("planted::total", "y = subtract(add(x, q), z)", "--mapping", mapping, "--no-backward")
    assert code == 1, said


def test_a_crash_costs_its_set(check):
    said, code = check("planted::dies_of_large_numbers", TRIPLE, "--no-backward", case="rows=6 cols=8")
    assert code == 1 and counts(said)["failed"] == 2 and "SIGSEGV" in said, said  # loguniform and ends
    assert counts(said)["passed"] + counts(said)["mistrusted"] == 16, said


@pytest.mark.skipif(torch.cuda.is_available(), reason="there is a CUDA device")
def test_an_operator_of_a_device_that_is_not_there(check):
    said, code = check("planted::on_the_device_alone", TRIPLE, "--no-backward")
    assert code == 4 and "planted::on_the_device_alone is judged on a CUDA device, and there is none" in said, said


def test_describe_lists_operators(built):
    said, code = run("describe", built)
    assert code == 0 and "mine::fused(Tensor x, Tensor residual, Tensor weight, float eps) -> (Tensor y, Tensor h)   CPU Meta Autograd" in said
    for arguments, says in (([built, "--pipeline", TRIPLE], "has several operators, and --op says which: mine::fused "),
                            (["none.so"], "LIBRARY: there is no file 'none.so'")):
        said, code = run("describe", *arguments)
        assert code == 2 and says in said and len(said.splitlines()) == 1, said


@pytest.mark.parametrize("op, line, more, says", [
    ("mine::fusd", FUSED, [], "has no operator 'mine::fusd'; it has: .*did you mean 'mine::fused'?"),
    ("planted::total", "y = add(x, z)", [], "'all' of planted::total is not clear: a list of x z; 'gradproof describe'"),
    ("mine::fused", FUSED, ["--device", "cuda"], "--device: mine::fused has no kernel for 'cuda'; it has: CPU"),
    ("planted::blend", "y = add(multiply(p, 2), q)", [], "'a' of planted::blend is not clear: p or q; 'gradproof describe'"),
    ("mine::fused", "y = rms_norm(add(x, residual), weight, eps=1e-6)", ["--backward", "mine::gone"], "has no operator 'mine::gone'"),
    ("planted::no_autograd", "y = add(multiply(x, 3), z)", [], "the line's tensor 'z' is no argument of planted::no_autograd"),
    ("planted::no_autograd", "y = multiply(x, 3); z = tanh(x)", [], "returns 1 results, and none of its arguments becomes 'z'"),
    ("planted::centred", "y = multiply(x, m)", [], "'momentum' of planted::centred is not clear: the line has none .float."),
    ("mine::fused", "y = rms_nrm(x)", [], "unknown stage 'rms_nrm'"),
    ("mine::fused", FUSED, ["--mapping", "none.json"], "--mapping: there is no file 'none.json'"),
])
def test_what_cannot_be_asked_is_one_line(check, op, line, more, says):
    said, code = check(op, line, *more)
    assert code == 2 and re.search(says, said) and len(said.splitlines()) == 1, said


@pytest.mark.parametrize("mapping, says", [
    ("{", "is no JSON"), ("[]", "a mapping is an object with op arguments returns backward"),
    ('{"argument": {}}', "not 'argument'"), ('{"arguments": {"x": "z"}}', "the tensor 'z'; there are: x residual weight"),
    ('{"arguments": {"y": "x"}}', "the mapping names the argument 'y'; mine::fused has: x residual weight eps"),
    ('{"arguments": {"x": "x -> z"}}', "the mapping names the output 'z'; the line has: y h"),
    ('{"backward": {"op": "mine::fused_backward", "returns": ["d_q", null]}}', "the gradient 'd_q'; the line has: d_x d_residual d_weight"),
    ('{"backward": {"op": "mine::fused_backward", "returns": [1]}}', "'returns' of a mapping are names or null, not 1"),
    ('{"arguments": {"x": [1]}}', "the mapping gives 'x' of mine::fused [1]; a tensor is a name"),
    ('{"arguments": {"x": null}}', "the mapping gives 'x' of mine::fused null; a tensor is a name"),
    ('{"arguments": {"eps": [1e-6]}}', "the mapping gives 'eps' of mine::fused [1e-06]; it is float, or the name of a number of the line"),
    ('{"arguments": {"eps": null}}', "the mapping gives 'eps' of mine::fused null; it is float"),
    ('{"arguments": {"eps": "epsilon"}}', "'eps' of mine::fused is the number 'epsilon'; the line has: eps y.eps"),
])
def test_a_mapping_that_is_none(check, tmp_path, mapping, says):
    (tmp_path / "mapping.json").write_text(mapping)
    said, code = check("mine::fused", FUSED, "--mapping", tmp_path / "mapping.json")
    assert code == 2 and says in said and len(said.splitlines()) == 1, said


@pytest.mark.parametrize("arguments, says", [
    ("--library none.so --op a::b --pipeline y=tanh(x)", "--library: there is no file 'none.so'"),
    ("--library {0} --op a::b", "--library needs --pipeline"),
    ("--library {0} --pipeline y=tanh(x)", "--library needs --op, or --mapping"),
    ("--library {0} --op a::b --pipeline y=tanh(x) row=3", "unknown key 'row'"),
    ("swish_bias --op a::b", "--op requires --library"),
    ("swish_bias --no-backward", "--no-backward requires --python or --library"),
])
def test_arguments_that_cannot_be_are_one_line(built, arguments, says):
    words = arguments.format(built).split()
    done = subprocess.run([PROGRAM, "check", *words, *(["--python-program", sys.executable] if "--library" in words else [])],
                          capture_output=True, text=True, check=False)
    assert done.returncode == 2 and says in done.stderr and len(done.stderr.splitlines()) == 1, done.stderr
