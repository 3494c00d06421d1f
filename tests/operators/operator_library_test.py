# SPDX-License-Identifier: Apache-2.0
"""The operator library can be loaded by a program that runs, as torch.ops.load_library does it.

Usage: operator_library_test.py LIBRARY RUNTIME   where RUNTIME is `shared` (a build for CUDA) or `none`.

Asked of readelf: its thread-local storage, which a library that comes by dlopen gets from the little that the loader
keeps free, is under 1 KiB; and libcudart is NEEDED where the library runs on the device, and nowhere else. Then it is
loaded. The control is what readelf said of a library with the static CUDA runtime in it, which no program could load.
"""
import ctypes
import re
import subprocess
import sys

MOST_STORAGE = 1024  # bytes

WITH_THE_STATIC_RUNTIME = (
    "  TLS            0x30c3000 0x00000000030c3000 0x00000000030c3000 0x000000 0x002000 R   0x1000\n",
    " 0x0000000000000001 (NEEDED)             Shared library: [libtorch_cpu.so]\n")


def faults(segments: str, dynamic: str, runtime: str) -> list[str]:
    """What is wrong with a library, given what `readelf -lW` and `readelf -dW` say of it."""
    found = []
    for line in segments.splitlines():
        words = line.split()
        if words[:1] == ["TLS"] and int(words[5], 16) >= MOST_STORAGE:
            found.append(f"{int(words[5], 16)} bytes of thread-local storage; less than {MOST_STORAGE} can be loaded")
    needed = re.findall(r"\(NEEDED\).*\[(.*)\]", dynamic)
    runtimes = [name for name in needed if name.startswith("libcudart.so")]
    if len(runtimes) != (runtime == "shared"):
        found.append(f"the CUDA runtime is '{runtime}' here, but NEEDED are {needed}")
    return found


def readelf(option: str, library: str) -> str:
    return subprocess.run(["readelf", option, library], check=True, capture_output=True, text=True).stdout


def main() -> int:
    library, runtime = sys.argv[1:]
    found = faults(readelf("-lW", library), readelf("-dW", library), runtime)
    for fault in found:
        print(f"{library}: {fault}")
    if len(faults(*WITH_THE_STATIC_RUNTIME, "shared")) != 2:
        print("the control passed: a library with the static runtime would not be seen")
        return 1
    ctypes.CDLL(library)
    print(f"{library}: loaded, CUDA runtime {runtime}")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
