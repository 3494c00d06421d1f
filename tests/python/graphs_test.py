# SPDX-License-Identifier: Apache-2.0
"""Graphs as functions of torch (tools/torch): the text is LibTorch's, compiled code is judged, faults are convicted."""
import json
import os
import pathlib
import re
import sys

import pytest
import torch

SOURCE = pathlib.Path(os.environ["GRADPROOF_SOURCE_DIR"])
sys.path.insert(0, str(SOURCE / "tools/torch"))
from faults import faulty  # noqa: E402
from graphs import Program, read_cases, results, tensor_files  # noqa: E402
import sweep  # noqa: E402

LANGUAGE = SOURCE / "fixtures/cases/language.cases"
STAGES = SOURCE / "tests/python/stages.cases"


@pytest.fixture(scope="module")
def program():
    torch.set_num_threads(1)  # as the program's own LibTorch on so few elements: LayerNorm's sums depend on it
    return Program(os.environ["GRADPROOF_BIN_DIR"])


def digests(program, cases, folder):
    """Of each judged tensor, by the Case's name and its own."""
    path = folder / "some.cases"
    path.write_text("".join(f"{case}\n" for case in cases))
    lines = program.run("check", "--cases", path, "--json", "--no-shrink").stdout.splitlines()
    records = [json.loads(line) for line in lines]
    return {(r["kernel"], r["tensor"]): r["digest"] for r in records if "tensor" in r}


def given(program, graphs, folder, changed=lambda source: source):
    """Cases of what the printed functions compute."""
    for graph in graphs:
        inputs, outputs = folder / f"{graph.name}.in", folder / f"{graph.name}.out"
        tensors = program.inputs(graph, inputs)
        tensor_files.write(outputs, results(changed(program.source(graph)), tensors))
        yield f"{graph} inputs={inputs} outputs={outputs} contract=stored=all,functions=libtorch"


def test_every_stage_has_a_line(program, monkeypatch):
    monkeypatch.setenv("COLUMNS", "1000")  # one line each
    stages, _forms = program.text("list", "stages").split("\n\n", 1)
    rows = [row for row in stages.splitlines()[1:] if not row.startswith("  ")]
    assert {re.match(r"\w+", row)[0] for row in rows} == {graph.name for graph in read_cases(STAGES)}


@pytest.mark.parametrize("dtype", ["f32", "f64", "bf16"])
def test_printed_functions_are_libtorchs_operators_to_the_bit(program, dtype, tmp_path):
    graphs = [graph.with_dtype(dtype) for graph in read_cases(STAGES)]
    own = digests(program, graphs, tmp_path)
    assert len(own) >= 2 * len(graphs)
    assert digests(program, given(program, graphs, tmp_path), tmp_path) == own


def test_another_function_has_other_bits(program, tmp_path):
    graphs = [graph for graph in read_cases(STAGES) if graph.name == "gelu"]
    own = digests(program, graphs, tmp_path)
    tanh = digests(program, given(program, graphs, tmp_path, lambda text: text.replace('"none"', '"tanh"')), tmp_path)
    assert tanh.keys() == own.keys() and all(tanh[key] != own[key] for key in own)


@pytest.mark.parametrize("name, dtype", [("add_rms_norm", "f32"), ("geglu", "f32"), ("rotary", "bf16")])
def test_compiled_code_is_within_its_bound(program, name, dtype, tmp_path):
    graph = next(graph for graph in read_cases(LANGUAGE) if graph.name == name).with_dtype(dtype)
    inputs, outputs = tmp_path / "in", tmp_path / "out"
    tensors = program.inputs(graph, inputs)
    tensor_files.write(outputs, results(program.source(graph), tensors, compiled=True))
    records, error = sweep.judged(program, graph, inputs, outputs, sweep.contract_of("compiled", dtype))
    assert not error
    assert records and {record["verdict"] for record in records} <= {"Passed", "Mistrusted"}


def test_faults_are_convicted(program, tmp_path):
    planted = 0
    for graph in read_cases(LANGUAGE):
        inputs, outputs = tmp_path / "in", tmp_path / "out"
        tensors = program.inputs(graph, inputs)
        for fault, text in faulty(program.source(graph), "f32"):
            tensor_files.write(outputs, results(text, tensors))
            records, error = sweep.judged(program, graph, inputs, outputs, sweep.contract_of("eager", "f32"))
            assert not error, (fault, error)
            assert any(record["verdict"] == "Failed" for record in records), (fault, graph)
            planted += 1
    assert planted >= 12
