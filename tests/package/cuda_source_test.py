#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""cli/python/gradproof/executor/cuda_source.py: what it makes of launches and shared memory, what it leaves alone, and what it refuses.

Usage: cuda_source_test.py SOURCE_DIR
"""
import pathlib
import subprocess
import sys
import tempfile

# what stands in the .cu: what stands in its place
REWRITTEN = {
    "__shared__ float a;": "using simt_type_of_a = float; SIMT_SHARED(simt_type_of_a, a);",
    "static __shared__ float a[32][33];": "using simt_type_of_a = float; SIMT_SHARED(simt_type_of_a, a, [32][33]);",
    "__shared__ unsigned int a[4], b;":
        "using simt_type_of_a = unsigned int; SIMT_SHARED(simt_type_of_a, a, [4]); SIMT_SHARED(simt_type_of_a, b);",
    "__shared__ std::pair<int, float> a[N * 2];":
        "using simt_type_of_a = std::pair<int, float>; SIMT_SHARED(simt_type_of_a, a, [N * 2]);",
    "extern __shared__ __align__(16) char a[];": "using simt_type_of_a = char; SIMT_DYN_SHARED(simt_type_of_a, a);",
    "__shared__ __align__(16) float a[4];": "using simt_type_of_a = float; SIMT_SHARED_ALIGNED(16, simt_type_of_a, a, [4]);",
    "__shared__ alignas(32) float a[4];": "using simt_type_of_a = float; SIMT_SHARED_ALIGNED(32, simt_type_of_a, a, [4]);",
    "k<<<g, b>>>(x, y);": "simt::launch(k, {.grid = dim3(g), .block = dim3(b)}, x, y);",
    "k<<<1, 2>>>();": "simt::launch(k, {.grid = dim3(1), .block = dim3(2)});",
    "ns::k<float, 4><<<dim3(1, 2), f(3, 4), n * 4, s>>>(x[1], {2});":
        "simt::launch(ns::k<float, 4>, {.grid = dim3(dim3(1, 2)), .block = dim3(f(3, 4)), .smem = static_cast<std::size_t>(n * 4), "
        ".stream = s}, x[1], {2});",
    "k<A<B>><<<1, 2>>>(x);": "simt::launch(k<A<B>>, {.grid = dim3(1), .block = dim3(2)}, x);",
    "check(cudaGetLastError());": "check(cudaSuccess);",
    "y = __expf(x);": "y = expf(x);",
    "#include <cuda_runtime.h>": "",
}
ALIKE = ["float cub = thrust(wmma);", "// k<<<1, 2>>>(x); __shared__ float a;", 'const char* text = "k<<<1, 2>>>(x)";', "a = b << 2 > c >> 3;",
         "/* asm(\"\") */ int x;", "#include <cuda_fp16.h>", "#define N 4 // cudaMalloc"]
# what stands in the .cu: what is said of it
REFUSED = {
    "asm volatile(\"\");": "'asm' is not supported by the executor: PTX has no meaning on a CPU",
    "__constant__ float c[4];": "'__constant__' is not supported by the executor: pass it as an argument",
    "cudaMalloc(&p, 4);": "the caller owns the memory",
    "#include <cooperative_groups.h>": "its code is for nvcc alone",
    "#include <cub/cub.cuh>": "its code is for nvcc alone",
    "__match_any_sync(m, v);": "'__match_any_sync' is not supported",
    "k<<<1>>>(x);": "two to four parts between <<< and >>>, not 1",
    "k<<<1, 2>>>;": "'(' is wanted behind '>>>'",
    "k<<<1, 2>>>(x;": "'(' is not closed",
    "k<<<1, 2": "'<<<' is not closed",
    "f()<<<1, 2>>>(x);": "a launch wants the name of a kernel in front",
    "template <class T>\n__global__ void k(T* x) {}\nvoid f() { k<<<1, 2>>>(x); }": "'k' is a template whose arguments would be deduced",
    "__shared__ float (*a)[4];": "is not understood",
    "texture<float> t;": "'texture' is not supported",
    "cub::WarpReduce<float> r;": "'cub' is not supported by the executor: its code is for nvcc alone",
    "using namespace nvcuda::wmma;": "'wmma' is not supported by the executor: tensor cores are not there",
}


def rewritten(script, text):
    with tempfile.TemporaryDirectory() as folder:
        source, output = pathlib.Path(folder) / "a.cu", pathlib.Path(folder) / "b.cu"
        source.write_text(text)
        done = subprocess.run([sys.executable, "-B", script, source, output], text=True, capture_output=True, check=False)
        if done.returncode != 0:
            return None, done.stderr.replace(folder + "/", "")
        head, line, rest = output.read_text().split("\n", 2)
        assert head == '#include "simt/simt.h"' and line == f'#line 1 "{source}"', (head, line)
        return rest, ""


def main():
    script = pathlib.Path(sys.argv[1]) / "cli" / "python" / "gradproof" / "executor" / "cuda_source.py"
    failures = []

    def expect(holds, text):
        if not holds:
            failures.append(text)

    for before, after in (REWRITTEN | {text: text for text in ALIKE}).items():
        got, said = rewritten(script, f"int a;\n{before}\nint b;\n")
        expect(got == f"int a;\n{after}\nint b;\n", f"{before}\n  became {got!r} {said}\n  not {after!r}")
    got, said = rewritten(script, "k<<<1,\n  2>>>(x,\n  y);\n__shared__\nfloat a;\nend")
    expect(got is not None and got.splitlines().index("end") == 5, f"lines were not kept: {got!r} {said}")
    for before, refusal in REFUSED.items():
        got, said = rewritten(script, f"int a;\n{before}\n")
        line = 2 + before.count("\n")
        expect(got is None and said.startswith(f"a.cu:{line}: ") and refusal in said, f"{before}: {got!r} {said!r}")
    print(f"{len(REWRITTEN)} rewritten, {len(ALIKE)} left alone, {len(REFUSED)} refused")
    sys.exit("\n".join(failures) if failures else 0)


main()
