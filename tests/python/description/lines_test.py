# SPDX-License-Identifier: Apache-2.0
"""A line as JSON (`gradproof python --describe`), and that Python reads no line itself (cli/python/gradproof/lines.py)."""
import ast
import json
import pathlib
import subprocess

import pytest

from function_support import PACKAGE, program  # noqa: F401 (the fixture)

import gradproof  # isort: skip
from gradproof import lines, resident
from gradproof.hard import hard_inputs  # isort: skip

BATCH = "y = batch_norm(x[n,c], w, b, eps=1e-3); m = running_mean(x, mean, momentum=0.25); outputs y m"


def run(program, *words):
    return subprocess.run([program, *words], capture_output=True, text=True, check=False)


def described(program, case):
    done = run(program, "python", "--describe", case)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_the_document_has_all_of_a_line(program):
    found = described(program, "{" + BATCH + "} n=5 c=3 dtype=f64 fill=lone:1")
    assert found["keys"] == {"n": "5", "c": "3", "dtype": "f64", "fill": "lone:1"}
    assert sorted((axis["name"], axis["length"]) for axis in found["axes"]) == [("c", 3), ("n", 5)]
    assert [(tensor["name"], tensor["part"], tensor["axes"]) for tensor in found["tensors"]] == [
        ("x", "input", ["n", "c"]), ("w", "parameter", ["c"]), ("b", "parameter", ["c"]), ("mean", "running_mean", ["c"])]
    assert found["outputs"] == [{"name": "y", "cotangent": "dy", "becomes": None, "goes_back": True, "axes": ["n", "c"]},
                                {"name": "m", "cotangent": "dm", "becomes": "mean", "goes_back": False, "axes": ["c"]}]
    assert found["gradients"] == [{"name": f"d_{name}", "of": name} for name in "xwb"]
    assert found["numbers"] == [{"step": "y", "word": "eps", "value": 1e-3}, {"step": "m", "word": "momentum", "value": 0.25}]
    assert [(one["value"], one["stage"], one["operands"]) for one in found["operations"]] == [
        ("y", "batch_norm", ["x", "w", "b"]), ("m", "running_mean", ["x", "mean"])]
    assert described(program, found["line"].join("{}"))["line"] == found["line"]


def test_numbers_words_and_axes_that_a_window_makes(program):
    found = described(program, "{v = max_pool(x[n,h], h, window=2, stride=2); y = gelu(multiply(v, 0.1), approximate=tanh)} n=3 h=8")
    values = {(one["step"], one["word"]): one["value"] for one in found["numbers"]}
    assert values["v", "window"] == 2 and values["y", "approximate"] == "tanh"
    assert {0.1} & set(values.values()) == set() and any(abs(value - 0.1) < 1e-8 for value in values.values() if isinstance(value, float))
    assert {axis["name"]: axis["length"] for axis in found["axes"]}["h.v"] == 4


@pytest.mark.parametrize("line", [
    "x[n,c] -> running_mean(mean) -> m",
    "m = running_mean( x[n,c] , mean )",
    "h = multiply(x[n,c], 2); m = running_mean(h, mean)",
])
def test_a_buffer_however_its_step_is_written(line):
    assert resident.line_of(line).buffers == {"m": "mean"}, line


def test_a_fixed_tensor_has_no_gradient(program):
    found = described(program, "{y = multiply(softmax(x), fixed(keep, kind=coin))} rows=3 cols=4")
    assert [(tensor["name"], tensor["part"]) for tensor in found["tensors"]] == [("x", "input"), ("keep", "fixed")]
    assert found["gradients"] == [{"name": "d_x", "of": "x"}]
    assert resident.line_of("y = multiply(x, fixed(keep))").gradients == {"x": "d_x", "keep": None}


def test_an_axis_has_an_extent_where_something_is_computed(program):
    """A description needs none; what is printed or judged does."""
    assert run(program, "python", "--describe", "{y = tanh(x)} rows=2").returncode == 0
    for words in (["python", "{y = tanh(x)} rows=2"], ["check", "{y = tanh(x)} rows=2"], ["audit", "{y = tanh(x)} rows=2"],
                  ["check", "--pipeline", "y = tanh(x)", "rows=2"]):
        done = run(program, *words)
        assert done.returncode == 2 and "axis 'cols' has no extent in '{y = tanh(x)} rows=2'; say cols=NUMBER" in done.stderr, done
    assert run(program, "check", "{y = tanh(x)} rows=2", "--with", "cols=3").returncode == 0  # the control


def test_a_mean_is_no_buffer():
    assert resident.line_of("m = mean(x[n,c], n); running = add(m, mean)").buffers == {}


def test_where_numbers_must_be_positive_is_known_by_the_operations():
    import torch
    x = torch.rand(8, 8) + 0.5
    for line, positive in [("y = log(x)", True), ("x -> log -> y", True), ("half(t) := log(t); y = half(x)", True), ("logx = exp(x)", False)]:
        [(_, found)] = hard_inputs.sets_of(["normal"], resident.line_of(line), {"x": x}, 1)
        assert bool((found["x"] > 0).all()) == positive, line


@pytest.mark.parametrize("words, says", [
    (["--pipeline", "y = rms_nrm(x, weight)"], "unknown stage 'rms_nrm'"),
    (["{y = tanh(x)} rows"], "'rows' in '{y = tanh(x)} rows' is no key=value"),
    (["{y = tanh(x)} raws=4"], "raws"),
    (["swish rows=4"], "python is for a computation as text"),
])
def test_what_is_none_is_one_sentence_and_exit_code_2(program, words, says):
    done = run(program, "python", "--describe", *words)
    assert done.returncode == 2 and says in done.stderr and len(done.stderr.splitlines()) == 1 and not done.stdout, done.stderr


def test_python_has_one_place_that_asks_for_lines():
    """No module but lines.py asks for a document, and none searches a text for words of the language."""
    asking = [path.name for path in pathlib.Path(gradproof.__file__).parent.rglob("*.py") if '"--describe"' in path.read_text()]
    assert asking == ["lines.py"]
    assert uses_of_patterns("import re\nfound = re.search(r'running_mean', line.text)\n") == ["line.text"]  # the control
    for path in pathlib.Path(gradproof.__file__).parent.rglob("*.py"):
        assert not [text for text in uses_of_patterns(path.read_text()) if "pipeline" in text or "line.text" in text], path


def uses_of_patterns(source):
    """What the functions of `re`, and methods that cut texts, are given."""
    names = ("search", "match", "fullmatch", "findall", "finditer", "sub", "split", "partition")
    calls = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)
             and node.func.attr in names]
    return [ast.unparse(argument) for call in calls for argument in [*call.args[1:], *([] if call.args else [call.func.value])]]


def test_a_line_is_described_once():
    asked = []

    def counted(*words):
        asked.append(words)
        return resident.run(*words)

    line = lines.described(counted, "y = tanh(x)", "rows=2")
    assert [words[:2] for words in asked] == [("python", "--describe")] and line.keys == {"rows": "2"}
    assert line.case({"rows": 3, "fill": "normal"}) == "{y = tanh(x)} rows=3 fill=normal"
