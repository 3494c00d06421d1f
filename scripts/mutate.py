#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""mutate.py FILE.mutant OUTPUT: makes a wrong kernel from the right one.

A mutant file says

    kernel: batchnorm_bias_divide_swish.cu        relative to kernels/
    id: D13                                       the class of fault
    says: one sentence
    dtype: f32                                    f64, f16, bf16, mixed (f16 with f32 parameters) or all;
                                                  may be left out
    find: device/batchnorm_backward.cuh           the file the fault is in, relative to kernels/
    <text that stands exactly once in that file>
    replace:
    <text that takes its place, may be empty>

with as many find/replace blocks as the fault needs. The output is the kernel with its own device headers
written into it, so that the fault reaches no other unit. A block that does not match is an error: the
mutant must be looked at again when the kernel changes.
"""
import pathlib
import re
import sys

KERNELS = pathlib.Path(__file__).resolve().parent.parent / "kernels"
INCLUDE = re.compile(r'#include "kernels/(device/[^"]+)"')


# S, P and A of the one combination that a mutant is compiled for
TYPES = {
    "f32": "float, float, float",
    "f64": "double, double, double",
    "f16": "__half, __half, float",
    "bf16": "__nv_bfloat16, __nv_bfloat16, float",
    "mixed": "__half, float, float",
}


class MutantError(Exception):
    pass


def blocks_of(text):
    """(file, find, replace) of every block behind the header."""
    parts = re.split(r"^find:[ \t]*(\S+)[ \t]*\n", text, flags=re.M)[1:]
    if not parts:
        raise MutantError("no 'find: FILE' block")
    for file, body in zip(parts[::2], parts[1::2]):
        found = re.split(r"^replace:[ \t]*\n", body, flags=re.M)
        if len(found) != 2 or not found[0].strip():
            raise MutantError(f"the block of {file} needs a text and one 'replace:'")
        yield file, found[0], found[1]


def header_of(text):
    fields = dict(re.findall(r"^(kernel|id|says|dtype):[ \t]*(.+)$", text.split("\nfind:")[0], flags=re.M))
    for field in ("kernel", "id", "says"):
        if field not in fields:
            raise MutantError(f"no line '{field}:'")
    dtype = fields.setdefault("dtype", "f32")
    if dtype != "all" and dtype not in TYPES:
        raise MutantError(f"dtype: {dtype}; known: {' '.join(TYPES)} all")
    return fields


def mutated_files(blocks):
    """The text of every file that a block names, with its faults in."""
    files = {}
    for file, find, replace in blocks:
        source = files.get(file) or (KERNELS / file).read_text()
        count = source.count(find)
        if count != 1:
            raise MutantError(f"stands {count} times in {file}, not once:\n{find}")
        files[file] = source.replace(find, replace)
    return files


def inlined(file, files, seen):
    """The file with the device headers it includes in their place, each once."""
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


def main(mutant, output):
    text = pathlib.Path(mutant).read_text()
    fields = header_of(text)
    files = mutated_files(blocks_of(text))
    result = inlined(fields["kernel"], files, set())
    if files:
        raise MutantError(f"{fields['kernel']} does not include {', '.join(files)}")
    note = f"// Made from kernels/{fields['kernel']} by {pathlib.Path(mutant).name}: {fields['says']}\n"
    types = TYPES.get(fields["dtype"])
    if types:
        note += f"#define GRADPROOF_COMBINATIONS(X) X({types})\n"
    pathlib.Path(output).write_text(note + result + "\n")


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit("usage: mutate.py FILE.mutant OUTPUT")
    try:
        main(sys.argv[1], sys.argv[2])
    except (MutantError, OSError) as error:
        sys.exit(f"{sys.argv[1]}: {error}")
