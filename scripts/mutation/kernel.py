# SPDX-License-Identifier: Apache-2.0
"""A kernel's source as one text, and the types that it is compiled for."""
import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
KERNELS = ROOT / "kernels"
INCLUDE = re.compile(r'#include "kernels/(device/[^"]+)"')

# S, P and A of the one combination that a mutant is compiled for
TYPES = {
    "f32": "float, float, float",
    "f64": "double, double, double",
    "f16": "__half, __half, float",
    "bf16": "__nv_bfloat16, __nv_bfloat16, float",
    "mixed": "__half, float, float",
    "mixed_bf16": "__nv_bfloat16, float, float",
}


def one_combination(dtype):
    return f"#define GRADPROOF_TYPES {TYPES[dtype]}\n"


def inlined(file, files, seen):
    """The file with the device headers it includes in their place, each once. What stands in `files` is taken from there,
    and out of it."""
    seen.add(file)
    lines = (files.pop(file, None) or (KERNELS / file).read_text()).splitlines()
    result = [f'#line 1 "kernels/{file}"']
    for number, line in enumerate(lines, 1):
        included = INCLUDE.fullmatch(line)
        if line == "#pragma once" or (included and included[1] in seen):
            result.append("")
        elif included:
            result += [inlined(included[1], files, seen), f'#line {number + 1} "kernels/{file}"']
        else:
            result.append(line)
    return "\n".join(result)


def sources_of(file, seen=None):
    """The file and the device headers that it includes, each once."""
    seen = [] if seen is None else seen
    if file not in seen:
        seen.append(file)
        for included in INCLUDE.findall((KERNELS / file).read_text()):
            sources_of(included, seen)
    return seen


def kernels():
    """The words of all kernels."""
    return sorted(path.stem for path in KERNELS.glob("*.cu"))
