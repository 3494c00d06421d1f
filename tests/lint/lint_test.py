#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""scripts/lint finds what it says it finds: a small tree that keeps the house rules, then the same with one breach each.

Usage: lint_test.py SOURCE_DIR
"""
import pathlib
import shutil
import subprocess
import sys
import tempfile

LICENCE = "// SPDX-License-Identifier: Apache-2.0\n"
CLEAN = {
    "core/CMakeLists.txt": "gradproof_library(gradproof_core tensor.cpp)\n",
    "core/tensor.h": LICENCE + "#pragma once\nnamespace gradproof {\n\nclass Tensor {\n};\n\n}  // namespace gradproof\n",
    "core/tensor.cpp": LICENCE + '#include "core/tensor.h"\n' + "void run() {\n" + "  step();\n" * 38 + "}\n",
    "scripts/long_functions": "# FILE: lines: why\n",
    "oracles/truth.h": LICENCE + '#pragma once\n#include "core/tensor.h"\n'
                       "// Whatever it begins with: whole words count, and a comment's second line may begin with\n// What it likes.\n",
}


def type_named(name: str, definition: str) -> str:
    return LICENCE + f"#pragma once\nnamespace gradproof {{\n\n{definition}\n\n}}  // namespace {name}\n"


# what is broken: (the files of the breach, what lint says of it)
BREACHES = {
    "an oracle that sees a kernel": (
        {"oracles/shared.h": LICENCE + '#include "kernels/kernel.h"\n'}, "oracles/shared.h:2: oracles does not see kernels"),
    "LibTorch in a room that has none": (
        {"core/shared.h": LICENCE + "#include <torch/nn.h>\n"}, "core/shared.h:2: core does not see LibTorch"),
    "a folder in no room": (
        {"extras/shared.h": LICENCE}, "extras/shared.h:1: lies in no room"),
    "{fmt} in a kernel": (
        {"kernels/shared.cuh": LICENCE + "#include <fmt/format.h>\n"}, "kernels/shared.cuh:2: kernel sources do not include {fmt}"),
    "a picture that is too large": (
        {"docs/images/large.png": "\0" * 100001}, "docs/images/large.png:1: a picture of more than 100,000 bytes"),
    "what is no text": (
        {"docs/data/some.bin": "a\0b"}, "docs/data/some.bin:1: no text; only docs/images/ has pictures"),
    "a file without its licence": (
        {"core/bare.h": "#pragma once\n"}, "core/bare.h:1: the first line is not the SPDX line"),
    "a file that is too long": (
        {"core/long.h": LICENCE + "\n" * 250}, "core/long.h:251: longer than 250 lines"),
    "a function that is too long": (
        {"core/long.h": LICENCE + "inline void run() {\n" + "  step();\n" * 39 + "}\n"}, "core/long.h:2: a function of 41 lines; at most 40"),
    "a method that is too long": (
        {"core/long.h": LICENCE + "class Long {\n  void run(int a,\n           int b) {\n" + "    step();\n" * 38 + "  }\n};\n"},
        "core/long.h:3: a function of 41 lines; at most 40"),
    "a long function that is gone": (
        {"scripts/long_functions": "core/tensor.h: 50: a table\n"}, "scripts/long_functions:1: core/tensor.h has no function that is so long"),
    "a function longer than its file may have": (
        {"core/long.h": LICENCE + "inline void run() {\n" + "  step();\n" * 60 + "}\n",
         "scripts/long_functions": "core/long.h: 50: a table\n"}, "core/long.h:2: a function of 62 lines; at most 40"),
    "a comment without a subject": (
        {"core/shared.h": LICENCE + "#pragma once\n/// What it holds.\nstruct Shared {};\n"},
        "core/shared.h:3: a comment is a sentence with a subject; it does not begin with What"),
    "a comment of two words in a function": (
        {"kernels/shared.cuh": LICENCE + "inline int two() {\n  // The same, twice.\n  return 2;\n}\n"},
        "kernels/shared.cuh:3: a comment is a sentence with a subject; it does not begin with The same"),
    "a source that is not built": (
        {"core/forgotten.cpp": LICENCE}, "core/forgotten.cpp:1: not named in core/CMakeLists.txt"),
    "a folder that is too full": (
        {f"core/many/part_{k}.h": LICENCE for k in range(31)}, "core/many:1: 31 files; a folder holds at most 30"),
    "a class of one name twice": (
        {"oracles/tensor.h": type_named("gradproof", "class Tensor {\n};")},
        "oracles/tensor.h:5: gradproof::Tensor is defined in core/tensor.h too"),
    "an enum of a class's name": (
        {"oracles/tensor.h": type_named("gradproof", "enum class Tensor : char { a };")},
        "oracles/tensor.h:5: gradproof::Tensor is defined in core/tensor.h too"),
    "an alias of a class's name": (
        {"oracles/tensor.h": type_named("gradproof", "using Tensor = int;")},
        "oracles/tensor.h:5: gradproof::Tensor is defined in core/tensor.h too"),
}


def lint_of(source: pathlib.Path, files: dict[str, str]) -> subprocess.CompletedProcess:
    with tempfile.TemporaryDirectory() as folder:
        tree = pathlib.Path(folder)
        shutil.copytree(source / "scripts", tree / "scripts", ignore=shutil.ignore_patterns("__pycache__"))
        for name, text in {**CLEAN, **files}.items():
            (tree / name).parent.mkdir(parents=True, exist_ok=True)
            (tree / name).write_text(text)
        (tree / "kernels").mkdir(exist_ok=True)
        for command in (["git", "init", "-q"], ["git", "add", "-A"]):
            subprocess.run(command, cwd=tree, check=True)
        return subprocess.run([tree / "scripts/lint"], cwd=tree, capture_output=True, text=True)


def main() -> int:
    source = pathlib.Path(sys.argv[1]).resolve()
    failures = []
    clean = lint_of(source, {})
    if clean.returncode != 0:
        failures.append(f"the clean tree: {clean.stderr}")
    for what, (files, said) in BREACHES.items():
        done = lint_of(source, files)
        if done.returncode != 1 or said not in done.stderr:
            failures.append(f"{what}: exit {done.returncode}, wanted '{said}', got\n{done.stderr}")
    print("\n".join(failures) if failures else f"{len(BREACHES)} breaches found, none in the clean tree")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
