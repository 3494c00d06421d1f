#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""examples/own_kernel from an installed prefix, in a folder without this tree: right as it stands, and convicted of each fault
that is planted in it.

Usage: own_kernel_test.py SOURCE_DIR BUILD_DIR SCRATCH_DIR
"""
import pathlib
import sys
import time

from scratch import Scratch, run

SHARED_SUM = """  SIMT_SHARED(float, parts, [32]);
  parts[threadIdx.x] = value;
  float sum = 0;
  for (int lane = 0; lane < 32; ++lane) sum += parts[lane];
  return sum;
"""
# fault: (what is replaced, by what, what is printed of it)
FAULTS = {
    "another eps": ("kEps = 1e-6f", "kEps = 1e-5f", "FAILED  rms_bias_gelu y "),
    "a row that the sums miss": ("i < rows; ++i", "i + 1 < rows; ++i", "FAILED  rms_bias_gelu d_weight "),
    "rows that nobody writes": ("{.grid = unsigned(c.extent(\"rows\"))", "{.grid = unsigned(c.extent(\"rows\") - 1)",
                                "got nan"),
    "a statistic that is read and was never written": ("if (threadIdx.x == 0) saved", "if (threadIdx.x == 32) saved",
                                                       "FAILED  rms_bias_gelu d_x "),
    "a barrier that is missing": (
        "  for (int lanes = 16; lanes > 0; lanes /= 2) value += __shfl_xor_sync(0xFFFFFFFFu, value, lanes);\n  return value;\n",
        SHARED_SUM, "FAILED  rms_bias_gelu y "),
    "a write past the end": ("d_x[first + j] = (g", "d_x[first + j + 1] = (g", "guard-band: d_x"),
    "a shuffle that half a warp misses": ("for (int lanes = 16; lanes > 0; lanes /= 2) value",
                                          "for (int lanes = 16; lanes > 0 && threadIdx.x < 16; lanes /= 2) value",
                                          "lane 0 reads lane 16, which takes no part in __shfl_xor_sync at rms_bias_gelu.cu:11"),
    "another stream": (".block = 32, .stream = c.stream}", ".block = 32}", "stream: "),
    "bits that depend on the order of threads": (
        "const float rstd = rms_reciprocal(x + first, cols);\n  if",
        "const float rstd = rms_reciprocal(x + first, cols);\n  if (blockIdx.x == 0 && threadIdx.x == 1) atomicAdd(&saved[gridDim.x - 1], 1e-7f);\n  if",
        "NONDETERMINISTIC"),
}


def require(holds, text):
    if not holds:
        sys.exit(text)


def built(scratch, project):
    started = time.monotonic()
    code, text = scratch.configure(project)
    require(code == 0, text)
    code, text = scratch.build(project)
    require(code == 0, text)
    print(f"built in {time.monotonic() - started:.1f} s")


def judges_right(scratch, project):
    code, text = scratch.ctest(project)
    require(code == 0 and "100% tests passed" in text and "out of 1" in text, text)
    worker = project / "build" / "rms_bias_gelu_test"
    code, text = run(scratch.program, "check", "--worker", worker, "--cases", project / "rms_bias_gelu.cases")
    require(code == 0 and "failed=0 mistrusted=0 skipped=0" in text, text)
    print(text.splitlines()[-1])
    code, text = run(scratch.program, "audit", "--worker", worker, "rms_bias_gelu rows=5 cols=7")
    require(code == 0 and "certified=3" in text and "kernel 7" in text, text)
    code, text = run(scratch.program, "check", "--worker", worker, "rms_bias_gelu rows=5 cols=7 law=all")
    require(code == 0 and "passed=4 failed=0 mistrusted=0" in text, text)
    code, text = run(scratch.program, "list", "laws", "--worker", worker)
    require(code == 0 and text.count("  yes  ") == 4, text)
    code, text = run(scratch.program, "check", "--worker", worker, "rms_bias_gelu law=dx_sum")
    require(code == 2 and "bad value 'dx_sum' for key 'law'" in text, text)
    code, text = run(scratch.program, "explain", "--worker", worker, "rms_bias_gelu rows=5 cols=7", "d_x[1,3]")
    require(code == 0 and "the same bits" in text and "without LibTorch" in text, text)


def convicts(scratch, project, name):
    old, new, said = FAULTS[name]
    source = project / "rms_bias_gelu.cu"
    right = source.read_text()
    require(old in right, f"{name}: '{old}' is not in {source}")
    source.write_text(right.replace(old, new, 1))
    code, text = scratch.build(project)
    require(code == 0, text)
    code, text = scratch.ctest(project)
    require(code != 0 and said in text, f"{name}: '{said}' was not said:\n{text}")
    if said == "NONDETERMINISTIC":
        code, text = run(scratch.program, "audit", "--worker", project / "build" / "rms_bias_gelu_test", "rms_bias_gelu rows=33 cols=127")
        require(code == 1 and "other bits: " in text, text)
        return source.write_text(right)
    print(f"{name}: {next(line.strip() for line in text.splitlines() if said in line)[:140]}")
    source.write_text(right)


def main():
    source, build, folder = map(pathlib.Path, sys.argv[1:])
    scratch = Scratch(build, folder)
    project = scratch.project(source / "examples" / "own_kernel")
    built(scratch, project)
    judges_right(scratch, project)
    for name in FAULTS:
        convicts(scratch, project, name)


main()
