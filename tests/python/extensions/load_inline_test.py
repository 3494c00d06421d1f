# SPDX-License-Identifier: Apache-2.0
"""`gradproof check --python` on files with CUDA text, on the executor (docs/load-inline.md): ten as people write them, and what is refused."""
import json
import pathlib
import re
import subprocess
import sys

import pytest
import torch

from trial_support import PROGRAM, counts

sys.path.insert(0, str(PROGRAM.parent.parent / "share" / "gradproof" / "python"))
from gradproof.executor import builder, places, translation  # noqa: E402

HERE = pathlib.Path(__file__).parent
FORWARD = ("--no-backward", "--inputs", "given")
STREAM = r"FAILED  \w+ execution  launches on the default stream, not on the caller's: wrong when called under another stream"
# Each file once, because a module takes some seconds of g++: exit code, what is said, what it is called with.
FILES = {
    "softmax": (0, r"passed  softmax y ", FORWARD),
    "layer_norm": (0, r"passed  layer_norm d_norm\.weight ", ("--inputs", "given")),
    "group_norm": (0, r"passed  group_norm y ", FORWARD),
    "row_sums": (0, r"RESULT passed=5 failed=0 mistrusted=1 ", ("--no-backward",)),  # on six sets, each schedule with sums of its own
    "batch_norm": (1, r"FAILED  batch_norm y  \d+ of 1440 elements", FORWARD),
    "matmul_race": (1, r"FAILED  matmul_race y ", ("--no-backward",)),
    "swish_bias": (1, r"out-of-bounds: thread \d+ reads bias\[\d+\], \d+ bytes past the end of bias\[96\] at swish_bias\.py:14 ", FORWARD),
    "rms_norm": (1, r"barrier-divergence: .* in __syncthreads at rms_norm\.py:\d+", FORWARD),
    "gelu": (1, STREAM, FORWARD),
    "matmul": (0, r"passed  matmul y ", (*FORWARD, "--stream", "default")),
}


def check(path, *more):
    done = subprocess.run([PROGRAM, "check", "--python", path, "--python-program", sys.executable, "--verbose", *more], capture_output=True,
                          text=True, check=False)
    return done.stdout + done.stderr, done.returncode


@pytest.mark.parametrize("name", FILES)
def test_a_file_is_judged_without_a_device(name, tmp_path):
    wanted, says, more = FILES[name]
    said, code = check(HERE / f"{name}.py", *more, "--records", tmp_path)
    assert code == wanted and re.search(says, said), said
    records = [json.loads(line) for path in tmp_path.glob("*.jsonl") for line in path.read_text().splitlines()]
    assert {record["context"]["device"] for record in records if "tensor" in record} == {"executor sm_90"}


def test_the_default_stream_is_one_finding_and_all_else_is_judged():
    """The module is that of the test before."""
    said, code = check(HERE / "gelu.py", "--no-backward")
    assert code == 1 and re.search(STREAM, said) and counts(said)["failed"] == 1, said
    assert counts(said)["passed"] + counts(said)["mistrusted"] == 6, said  # a tensor of each set


@pytest.mark.skipif(torch.cuda.is_available(), reason="there is a CUDA device")
def test_without_a_device_it_is_skipped_where_one_is_wanted():
    said, code = check(HERE / "softmax.py", *FORWARD, "--device", "cuda")
    assert code == 4 and "there is no CUDA device (--device executor runs" in said, said


CATCHES = """
from swish_bias import Model, get_init_inputs, get_inputs, module
import torch
class ModelNew(Model):
    def forward(self, x):
        try:
            return module.swish_bias(x, self.bias)
        except Exception:
            return super().forward(x)
"""


def test_a_finding_that_the_candidate_catches_is_one(tmp_path, monkeypatch):
    monkeypatch.setenv("PYTHONPATH", str(HERE))
    path = tmp_path / "candidate.py"
    path.write_text(CATCHES)
    said, code = check(path, *FORWARD, "--device", "executor")
    assert code == 1 and re.search(r"FAILED  candidate execution  out-of-bounds: .* at swish_bias_ext\.cu:\d+ ", said), said


# what stands in the text: what is said of it, without a compiler
REFUSED = {
    "#include <mma.h>": "'#include <mma.h>' is not supported: its code is for nvcc alone",
    "#include <cub/cub.cuh>": "'#include <cub/cub.cuh>' is not supported: its code is for nvcc alone",
    "#include <cooperative_groups.h>": "'#include <cooperative_groups.h>' is not supported: its code is for nvcc alone",
    "using namespace nvcuda::wmma;": "'wmma' is not supported by the executor: tensor cores are not there",
    'asm volatile("bar.sync 0;");': "'asm' is not supported by the executor: PTX has no meaning on a CPU",
    "texture<float> t;": "'texture' is not supported by the executor: read through a pointer",
    "__cluster_dims__(2)": "'__cluster_dims__' is not supported by the executor: clusters are not there yet",
    "k<<<1>>>(x);": "a launch has two to four parts between <<< and >>>, not 1",
}
FILE = 'import torch\nSOURCE = """\nint first;\n{}\n"""\nload_inline("a", "", SOURCE)\n'


def translated(text):
    source = FILE.format(text)
    request = {"name": "a", "texts": [("a.cpp", ""), ("a.cu", f"\nint first;\n{text}\n")], "functions": None, "flags": []}
    return translation.unit(request, "/folder/candidate.py", source)


@pytest.mark.parametrize("text", REFUSED)
def test_what_is_not_supported_is_named_with_its_line(text):
    with pytest.raises(translation.Refused, match=re.escape(f"candidate.py:4: {REFUSED[text]}")):
        translated(text)


@pytest.mark.parametrize("request_", [5, {}, {"name": "../a", "texts": [], "functions": None, "flags": [], "folders": []},
                                      {"name": "a", "texts": 5, "functions": None, "flags": [], "folders": []}])
def test_what_a_candidate_forges_builds_nothing(request_, monkeypatch):
    monkeypatch.setenv("GRADPROOF", str(PROGRAM))
    assert "refused" in builder.Builder(HERE / "gelu.py").answer(request_)


def test_lines_are_those_of_the_file():
    made = translated("__global__ void k(float* x) { *x = 1; }\nvoid f(float* x) { k<<<1, 2>>>(x); }")
    assert '#line 2 "/folder/candidate.py"' in made or '#line 3 "/folder/candidate.py"\nint first;' in made, made
    assert "simt::extension::launch(k, {.grid = dim3(1), .block = dim3(2)}, x);" in made, made


def test_a_text_that_is_in_no_string_of_the_file_has_a_name_of_its_own():
    assert places.lines_of("a\nb", "a.cu", "f.py", "x = 1") == [("a.cu", 1), ("a.cu", 2)]


def test_a_string_with_other_lines_than_the_files_gives_no_place():
    """Control: a line that is wrong would be worse than none."""
    assert places.lines_of("a\nb\n", "a.cu", "f.py", 'x = "a\\nb\\n"')[0] == ("a.cu", 1)


def test_words_of_cuda_become_the_cpus():
    made = translated('#define CHECK(x) TORCH_CHECK(x.is_cuda(), "cuda wanted")\nvoid f() { torch::Device d(torch::kCUDA); }\n'
                      "bool g(at::Tensor x) { return x.type().is_cuda() && x.device().type() == c10::DeviceType::CUDA; }")
    assert "return x.is_cpu() && x.device().type() == c10::DeviceType::CPU;" in made, made
    assert 'TORCH_CHECK(x.is_cpu(), "cuda wanted")' in made and "torch::Device d(torch::kCPU);" in made, made


def test_a_text_that_does_not_compile_is_said_by_its_first_error(tmp_path):
    path = tmp_path / "candidate.py"
    path.write_text('import torch\nfrom torch.utils.cpp_extension import load_inline\nload_inline("a", "", """\nint f() {\n'
                    '  return missing;\n}\n""", functions=[])\nclass Model(torch.nn.Module):\n    def forward(self, x):\n        return x\n'
                    "ModelNew = Model\ndef get_inputs():\n    return [torch.ones(2)]\n")
    said, code = check(path)
    assert code == 2 and "candidate.py:5:10: error: " in said and "missing" in said and len(said.splitlines()) < 4, said
