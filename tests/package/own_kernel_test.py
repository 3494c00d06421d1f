#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""examples/own_kernel from an installed prefix, in a folder without this tree: right as it stands, and convicted of each fault
that is planted in it. What docs/bring-your-own.md shows of it is what it is and prints.

Usage: own_kernel_test.py BUILD_DIR SCRATCH_DIR
"""
import sys
import time

import pages
from scratch import Scratch, require

SHARED_SUM = """  SIMT_SHARED(float, parts, [32]);
  parts[threadIdx.x] = value;
  float sum = 0;
  for (int lane = 0; lane < 32; ++lane) sum += parts[lane];
  return sum;
"""
# fault: (what is replaced, by what, exit code, what is printed of it)
FAULTS = {
    "another eps": ("kEps = 1e-6f", "kEps = 1e-5f", 1, "FAILED  rms_bias_gelu y "),
    "a row that the sums miss": ("i < rows; ++i", "i + 1 < rows; ++i", 1, "FAILED  rms_bias_gelu d_weight "),
    "rows that nobody writes": ("{.grid = unsigned(c.extent(\"rows\"))", "{.grid = unsigned(c.extent(\"rows\") - 1)",
                                1, "got nan"),
    "a statistic that is read and was never written": ("if (threadIdx.x == 0) saved", "if (threadIdx.x == 32) saved",
                                                       1, "FAILED  rms_bias_gelu d_x "),
    "a barrier that is missing": (
        "  for (int lanes = 16; lanes > 0; lanes /= 2) value += __shfl_xor_sync(0xFFFFFFFFu, value, lanes);\n  return value;\n",
        SHARED_SUM, 1, "FAILED  rms_bias_gelu y "),
    "a write past the end": ("d_x[first + j] = (g", "d_x[first + j + 1] = (g", 1, "guard-band: d_x"),
    "a shuffle that half a warp misses": ("for (int lanes = 16; lanes > 0; lanes /= 2) value",
                                          "for (int lanes = 16; lanes > 0 && threadIdx.x < 16; lanes /= 2) value",
                                          1, "lane 0 reads lane 16, which takes no part in __shfl_xor_sync at rms_bias_gelu.cu:11"),
    "a declaration of more lanes than there are": ("statistics=lanes:32", "statistics=lanes:4096", 1,
                                                   "its source has chains of 28 additions, counted on the executor"),
    "another stream": (".block = 32, .stream = c.stream}", ".block = 32}", 1, "stream: "),
}
# Bits that depend on the order of threads, which check and audit convict.
RESTLESS = ("const float rstd = rms_reciprocal(x + first, cols);\n  if",
            "const float rstd = rms_reciprocal(x + first, cols);\n  if (blockIdx.x == 0 && threadIdx.x == 1) atomicAdd(&saved[gridDim.x - 1], 1e-7f);\n  if")


def is_on_the_page(scratch, worker, project):
    source = (project / "rms_bias_gelu.cu").read_text()
    for snippet, text in zip(pages.fenced("cmake") + pages.fenced("cpp"), [(project / "CMakeLists.txt").read_text(), source]):
        require(pages.is_part_of(snippet, text), f"the example has not what the page shows:\n{snippet}")
        require(not pages.is_part_of(snippet.replace("rms_", "rmz_"), text), f"control: {snippet}")
    before, ours = source.split("\n// The function below tells gradproof about the kernel.")
    theirs = before.count("\n")
    counted = f"has {source.count(chr(10))} lines, {theirs} of them theirs"
    require(counted in pages.BRING_YOUR_OWN.read_text(), counted)
    included = "\n".join(line for line in before.splitlines() if line.startswith("#include"))
    written = [included + ours, *((project / name).read_text() for name in ("CMakeLists.txt", "rms_bias_gelu.cases"))]
    require(pages.says_lines("`examples/own_kernel`", *written), f"the page has other lines: {[pages.lines(text) for text in written]}")
    require(not pages.says_lines("`examples/own_kernel`", *written[:2]), "control: the Cases are lines too")
    case = "rms_bias_gelu rows=33 cols=127"
    said = pages.shown(f"check --worker build/rms_bias_gelu_test '{case}'")
    printed = scratch.asks(worker, "check", case)
    require(pages.prints(said, printed), printed)
    require(not pages.prints([*said[:3], said[3].replace(" y ", " x ")], printed), "control: another line")


def judges_right(scratch, worker, cases):
    print(scratch.asks(worker, "check", "--cases", cases, said=["failed=0 mistrusted=0 skipped=0"]).splitlines()[-1])
    scratch.asks(worker, "audit", "rms_bias_gelu rows=5 cols=7", said=["certified=3", "kernel 7"])
    scratch.asks(worker, "check", "rms_bias_gelu rows=5 cols=7 law=all", said=["passed=21 failed=0 mistrusted=0"])
    laws = scratch.asks(worker, "list", "laws")
    require(laws.count("  yes  ") == 22, laws)
    scratch.asks(worker, "check", "rms_bias_gelu law=dx_sum", code=2, said=["says nothing of", "no step takes a mean off"])
    scratch.asks(worker, "explain", "rms_bias_gelu rows=5 cols=7", "d_x[1,3]", said=["the same bits", "without LibTorch"])


def main():
    scratch = Scratch(*sys.argv[1:])
    started = time.monotonic()
    project = scratch.built("own_kernel")
    print(f"built in {time.monotonic() - started:.1f} s")
    scratch.passes_ctest(project)
    worker, cases, source = (project / name for name in ("build/rms_bias_gelu_test", "rms_bias_gelu.cases", "rms_bias_gelu.cu"))
    is_on_the_page(scratch, worker, project)
    judges_right(scratch, worker, cases)
    scratch.convicts(source, FAULTS, worker, "check", "--verbose", "--cases", cases)
    with scratch.planted(source, *RESTLESS) as (code, text):
        require(code == 0, text)
        scratch.asks(worker, "check", "--cases", cases, code=1, said=["NONDETERMINISTIC"])
        scratch.asks(worker, "audit", "rms_bias_gelu rows=33 cols=127", code=1, said=["other bits: "])


main()
