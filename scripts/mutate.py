#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""mutate.py FILE.mutant OUTPUT: makes a wrong kernel from the right one.
mutate.py --check [FILE.mutant...]: names those, of all, that no longer fit their kernel; exit code 1 where there are any.
mutate.py --auto VERB: wrong kernels of its own making, one token or a few each (mutation/command.py; docs/mutants.md).

A mutant file says

    kernel: batchnorm_bias_divide_swish.cu        relative to kernels/
    id: D13                                       the class of fault
    says: one sentence
    case: a Case of the push suite                that convicts it; --check asks for it, a kernel that is not
                                                  wrong (tests/drift) has none
    dtype: f32                                    f64, f16, bf16, mixed or mixed_bf16 (f16 or bf16 with f32
                                                  parameters) or all; may be left out
    find: device/columns/batchnorm.cuh         the file the fault is in, relative to kernels/
    <text that stands exactly once in that file>
    replace:
    <text that takes its place, may be empty>

with as many find/replace blocks as the fault needs. The output is the kernel with its own device headers
written into it, so that the fault reaches no other unit.

A mutant is stale where a block's text does not stand exactly once in its file, or the kernel no longer includes
that file: the kernel has changed, and the mutant must be looked at again. That does not break the build, so that an
edited kernel can be judged: the output is then a kernel that refuses to run and says why. --check is a test.
"""
import json
import pathlib
import re
import sys

from mutation.kernel import KERNELS, TYPES, inlined, one_combination

class MutantError(Exception):
    """The file is no mutant."""


class StaleError(MutantError):
    """The mutant no longer fits its kernel."""


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
    fields = dict(re.findall(r"^(kernel|id|says|case|dtype):[ \t]*(.+)$", text.split("\nfind:")[0], flags=re.M))
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
            raise StaleError(f"stands {count} times in {file}, not once: {find.strip().splitlines()[0].strip()}")
        files[file] = source.replace(find, replace)
    return files


def mutated(fields, text):
    """The kernel with its fault. Throws StaleError."""
    files = mutated_files(blocks_of(text))
    result = inlined(fields["kernel"], files, set())
    if files:
        raise StaleError(f"{fields['kernel']} does not include {', '.join(files)}")
    return result


# The source of a stale mutant, which must not pass for the right kernel.
STALE = """\
#include "core/error.h"
#include "kernels/arguments.h"
namespace gradproof {
inline namespace GRADPROOF_UNIT {
KernelDefinition WORD() {
  const auto refuse = [](auto, const Call&) { throw UsageError(TEXT); };
  return {.word = "WORD", .entry = unit_entry(refuse, refuse)};
}
}  // namespace GRADPROOF_UNIT
}  // namespace gradproof"""


def stale(mutant, fields, error):
    """A kernel of the same name that refuses to run."""
    text = f"mutant={mutant.stem} is stale: {error}"
    print(f"{mutant}: stale: {error}", file=sys.stderr)
    return STALE.replace("WORD", pathlib.Path(fields["kernel"]).stem).replace("TEXT", json.dumps(text))


def check(paths):
    """How many of the mutants are stale, or no mutants at all."""
    count = 0
    for path in map(pathlib.Path, paths):
        text = path.read_text()
        try:
            fields = header_of(text)
            if "case" not in fields:
                raise MutantError("no line 'case:'")
            mutated(fields, text)
        except MutantError as error:
            print(f"{path}: {error}")
            count += 1
    print(f"{len(paths)} mutants, {count} stale")
    return count if paths else 1


def main(mutant, output):
    mutant = pathlib.Path(mutant)
    text = mutant.read_text()
    fields = header_of(text)
    try:
        result = mutated(fields, text)
    except StaleError as error:
        result = stale(mutant, fields, error)
    note = f"// Made from kernels/{fields['kernel']} by {mutant.name}: {fields['says']}\n"
    if fields["dtype"] in TYPES:
        note += one_combination(fields["dtype"])
    pathlib.Path(output).write_text(note + result + "\n")


if __name__ == "__main__":
    if sys.argv[1:2] == ["--auto"]:
        from mutation import command  # what a build does without

        sys.exit(command.main(sys.argv[2:]))
    if sys.argv[1:2] == ["--check"]:
        sys.exit(1 if check(sys.argv[2:] or sorted((KERNELS / "mutants").glob("*/*.mutant"))) else 0)
    if len(sys.argv) != 3:
        sys.exit("usage: mutate.py FILE.mutant OUTPUT | --check [FILE.mutant...] | --auto VERB")
    try:
        main(sys.argv[1], sys.argv[2])
    except (MutantError, OSError) as error:
        sys.exit(f"{sys.argv[1]}: {error}")
