# SPDX-License-Identifier: Apache-2.0
"""No code of one compilation of a source may be taken for another's by the linker, which knows it by name alone.

Usage: compilations_test.py OBJECT...   Looks at every object in a folder of an instruction set's name, where
gradproof_compile_per_isa puts them: what it defines for all (weak symbols that are code) must have the set in the name.
Few compilations to look at are a failure. Control: under another set's name what is weak would not pass.

Nor may the compiler make one instruction of a product and a sum. GCC 12 did, of a product and a fused operation beside it, in
vectors of its own: a double-double lost its second half. Every fused operation that the text asks for is of the kinds vfmadd,
vfmsub, vfnmadd and vfnmsub.
"""
import pathlib
import re
import subprocess
import sys

SETS = ("baseline", "fma", "avx512")
WITH_WEAK_CODE = {"packed_graph", "packed_moves", "single_graph"}  # others may define nothing for all


def weak_code(path: str) -> list[str]:
    symbols = subprocess.run(["nm", "-C", "--defined-only", path], check=True, capture_output=True, text=True).stdout
    return [line.split(" ", 2)[2] for line in symbols.splitlines() if line.split(" ", 2)[1] == "W"]


def strangers(names: list[str], instruction_set: str) -> list[str]:
    """What does not say which compilation it is of."""
    return [name for name in names if f"gradproof::{instruction_set}::" not in name]


MIXED = re.compile(r"\bvfm(addsub|subadd)\w*")


def mixed(text: str) -> str | None:
    """The first instruction that adds in some lanes and subtracts in others, with one rounding."""
    found = MIXED.search(text)
    return found and found.group()


def disassembly(path: str) -> str:
    command = ["objdump", "-d", "--no-show-raw-insn", path]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def main() -> int:
    if not mixed("  86:\tvfmsubadd132pd %xmm6,%xmm3,%xmm9") or mixed("  86:\tvfmadd132pd %xmm6,%xmm3,%xmm9"):
        print("the control: mixed() does not tell the instructions apart")
        return 1
    found: dict[str, set[str]] = {}
    for path in map(pathlib.Path, sys.argv[1:]):
        source, instruction_set = path.name.split(".")[0], path.parent.name
        if instruction_set not in SETS:
            continue
        found.setdefault(source, set()).add(instruction_set)
        weak = weak_code(str(path))
        if instruction := mixed(disassembly(str(path))):
            print(f"{path}: has {instruction}, which no text asks for")
            return 1
        # The baseline is what all the program is compiled for, and may share code with it.
        if instruction_set != "baseline" and (shared := strangers(weak, instruction_set)):
            print(f"{path}: shared with other compilations: {shared[0]}")
            return 1
        if source in WITH_WEAK_CODE and not strangers(weak, "another"):
            print(f"{path}: the control found nothing: is this a {source}?")
            return 1
    for source, sets in found.items():
        print(f"{source}: {len(sets)} compilations looked at")
    wanted = found.get("packed_graph", set())
    # single_graph computes one number at a time, for which AVX-512 has nothing that FMA has not.
    scalar = {"fma" if name == "avx512" else name for name in wanted}
    return 0 if WITH_WEAK_CODE <= found.keys() and all(
        sets == (scalar if source == "single_graph" else wanted) for source, sets in found.items()) else 1


if __name__ == "__main__":
    sys.exit(main())
