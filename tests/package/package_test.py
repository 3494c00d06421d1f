#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What find_package(gradproof) and gradproof_add_kernel_test say of what cannot be, and a worker with LibTorch.

Usage: package_test.py BUILD_DIR SCRATCH_DIR
"""
import sys

import pages
from scratch import Scratch, require

PROJECT = """cmake_minimum_required(VERSION 3.25)
project(wrong LANGUAGES CXX)
find_package(gradproof CONFIG REQUIRED)
enable_testing()
gradproof_add_kernel_test({})
"""
KERNEL = """#include "kernels/own/own_kernel.h"
namespace host {{
gradproof::OwnKernel mine() {{
  return {{.word = "{word}", .pipeline = "{pipeline}", .contract = "{contract}", .forward = {forward}{rest}}};
}}
}}
"""
RIGHT = {"word": "mine", "pipeline": "y = divide(x[n], 3)", "contract": "", "rest": "",
         "forward": "[](const gradproof::Call& c) {\n  for (int i = 0; i < c.extent(\"n\"); ++i)\n"
                    "    c.view(\"y\").as<float>()[i] = c.view(\"x\").as<float>()[i] / 3;\n}"}
# arguments of the function: what is said of them
ARGUMENTS = {
    "SOURCES mine.cpp": "NAME or SOURCES missing",
    "NAME mine": "NAME or SOURCES missing",
    "NAME mine CASE mine.cases SOURCES mine.cpp": "unknown: CASE",
    "NAME mine SOURCES mine.cu": "there is no file",
    "NAME mine SOURCES mine.cpp": "KERNELS is wanted where no source is a .cu",
}
# what is wrong with the kernel: what its worker says
KERNELS = {
    "word": ({"word": "two words"}, "'two words' is no word"),
    "brace": ({"word": "{x"}, "'{x' is no word: with '{' a graph begins"),
    "taken": ({"word": "witnessed"}, "'witnessed' is the word of Cases whose truths are given"),
    "pipeline": ({"pipeline": "y = devide(x[n], 3)"}, "the kernel 'mine': pipeline: unknown stage 'devide'"),
    "contract": ({"contract": "sums=lains:3"}, "the kernel 'mine': contract: "),
    "forward": ({"forward": "{}"}, "the kernel 'mine' has no forward"),
    "axis": ({"pipeline": "y = divide(x[seed], 3)"}, "axis 'seed' has the name of a key"),
    "saved": ({"rest": ", .saved = {{\"r\", {\"m\"}}}"}, "the pipeline has no axis 'm' of 'r'"),
    "twice": ({"rest": ", .saved = {{\"x\", {\"n\"}}}"}, "two tensors are called 'x'"),
    "dtypes": ({"rest": ", .dtypes = {}"}, "'mine' has no dtype"),
}
NEGATES = ("[](const gradproof::Call& c) {{ for (int i = 0; i < c.extent(\"n\"); ++i) c.view(\"{}\").as<unsigned short>()[i] = "
           "c.view(\"{}\").as<unsigned short>()[i] ^ 0x8000; }}")
LABELLED = ("[](const gradproof::Call& c) { float sum = 0; const int n = c.extent(\"n\"), k = c.extent(\"k\"); "
            "for (int i = 0; i < n; ++i) sum -= c.view(\"x\").as<float>()[i * k + c.view(\"t\").as<long>()[i]]; "
            "*c.view(\"y\").as<float>() = sum / n; }")
# what kind of kernel: (how it differs, Case, exit code, what is said)
KINDS = {
    "of two types, with a backward": (
        {"pipeline": "y = neg(x[n])", "forward": NEGATES.format("y", "x"),
         "rest": f", .backward = {NEGATES.format('d_x', 'dy')}, .dtypes = {{gradproof::DType::bf16, gradproof::DType::f16}}"},
        "mine n=9 dtype=f16", 0, "passed=2 failed=0"),
    "of a type that it has not": ({}, "mine n=9 dtype=f64", 2, "bad value 'f64' for key 'dtype'; known: f32"),
    "with labels": ({"pipeline": "y = nll_loss(x[n,k], t)", "forward": LABELLED}, "mine n=5 k=7", 0, "passed=1 failed=0"),
    "that throws": ({"forward": "[](const gradproof::Call&) { throw 1; }"}, "mine n=9", 1, "exception: without a text"),
    "that dies": ({"forward": "[](const gradproof::Call&) { __builtin_trap(); }"}, "mine n=9", 1, "CRASHED"),
    "that writes to its input": (
        {"forward": "[](const gradproof::Call& c) { *c.view(\"x\").as<float>() = 3; }"}, "mine n=9", 1, "x is only read, but its bytes changed"),
    "that asks for what is not there": (
        {"forward": "[](const gradproof::Call& c) { c.view(\"z\"); }"}, "mine n=9", 2, "the kernel 'mine': the call has no tensor 'z'; it has: workspace x y"),
    "without a GPU": ({}, "mine n=9 device=cuda", 4, "built without CUDA"),
}


def project_with(scratch, name, arguments, kernel):
    project = scratch.folder / name
    project.mkdir()
    (project / "CMakeLists.txt").write_text(PROJECT.format(arguments))
    (project / "mine.cpp").write_text(KERNEL.format(**kernel))
    return project


def refuses_arguments(scratch):
    for k, (arguments, said) in enumerate(ARGUMENTS.items()):
        project = project_with(scratch, f"arguments{k}", arguments, RIGHT)
        code, text = scratch.configure(project)
        require(code != 0 and said in " ".join(text.split()), f"{arguments}: {text}")


def refuses_without_cuda(scratch):
    project = project_with(scratch, "no_cuda", "NAME mine SOURCES mine.cpp KERNELS mine", RIGHT)
    code, text = scratch.configure(project, "-DGRADPROOF_CUDA_INCLUDE=GRADPROOF_CUDA_INCLUDE-NOTFOUND",
                                   "-DCMAKE_FIND_ROOT_PATH=/nowhere", "-DCMAKE_FIND_ROOT_PATH_MODE_INCLUDE=ONLY")
    require(code != 0 and "CUDA's headers were not found" in text, text)


def refuses_kernels(scratch):
    require(pages.says_lines("a function, CMake", KERNEL.format(**RIGHT), PROJECT), "the page has other lines of the smallest project")
    project = project_with(scratch, "kernels", "NAME mine SOURCES mine.cpp KERNELS mine", RIGHT)
    code, text = scratch.configure(project)
    require(code == 0, text)
    for name, (change, said) in ({"none": ({}, "failed=0 mistrusted=0 skipped=0")} | KERNELS).items():
        (project / "mine.cpp").write_text(KERNEL.format(**(RIGHT | change)))
        code, text = scratch.build(project)
        require(code == 0, f"{name}: {text}")
        text = scratch.asks(project / "build" / "mine", "check", "mine n=9", code=0 if name == "none" else 2, said=[said])
        require(name == "none" or len(text.splitlines()) == 1, f"{name}: {text}")
    print(f"{len(KERNELS)} kernels that are none are refused")


def judges_kinds(scratch):
    project = scratch.folder / "kernels"
    for name, (change, case, expected, said) in KINDS.items():
        (project / "mine.cpp").write_text(KERNEL.format(**(RIGHT | change)))
        code, text = scratch.build(project)
        require(code == 0, f"{name}: {text}")
        scratch.asks(project / "build" / "mine", "check", case, "--no-shrink", code=expected, said=[said])
    print(f"{len(KINDS)} kinds of kernels")


def asks_libtorch(scratch):
    """With the word the worker finds the module; without the module the word is refused, and the others do without."""
    project = project_with(scratch, "libtorch", "NAME mine SOURCES mine.cpp KERNELS mine LIBTORCH", RIGHT)
    code, text = scratch.configure(project)
    require(code == 0, text)
    code, text = scratch.build(project)
    require(code == 0, text)
    for case in ("mine n=9", "{y = tanh(x)} rows=4 cols=8"):
        (project / "one.cases").write_text(case + "\n")
        scratch.asks(project / "build" / "mine", "check", "--cases", project / "one.cases", "--json", said=["LibTorch float64"])
    module = scratch.prefix / "lib/gradproof/libgradproof_libtorch.so"
    module.rename(scratch.folder / "away.so")
    code, text = scratch.configure(project)
    require(code != 0 and f"LIBTORCH wants {module}, which is not there" in " ".join(text.split()), text)
    scratch.asks(project / "build" / "mine", "check", "mine n=9", "--verbose", said=["passed=1 failed=0"])


def main():
    scratch = Scratch(*sys.argv[1:])
    refuses_arguments(scratch)
    refuses_without_cuda(scratch)
    refuses_kernels(scratch)
    judges_kinds(scratch)
    asks_libtorch(scratch)


main()
