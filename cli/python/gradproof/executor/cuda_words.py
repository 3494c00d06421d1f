# SPDX-License-Identifier: Apache-2.0
"""Words of CUDA that cuda_source.py replaces or refuses."""
import dataclasses
import re

# simt/simt.h has what is there for g++.
REPLACED_INCLUDES = re.compile(r"[<\"](cuda_runtime|cuda|device_launch_parameters|device_functions|sm_\w+_intrinsics)\.h[>\"]")
UNSUPPORTED_INCLUDES = re.compile(r"[<\"](cooperative_groups|cub/|thrust/|cuda/|cute/|cutlass/|mma\.h|curand|cublas|cudnn|texture)")
# Name spaces, which may be names of other things as well.
SPACES = {"wmma": "tensor cores are not there", "cub": "its code is for nvcc alone", "thrust": "its code is for nvcc alone"}
# word: what there is in its place
UNSUPPORTED = {
    **SPACES, "__managed__": "pass a pointer",
    "__asm__": "PTX has no meaning on a CPU", "__asm": "PTX has no meaning on a CPU",
    "asm": "PTX has no meaning on a CPU", "texture": "read through a pointer", "surface": "write through a pointer",
    "__cluster_dims__": "clusters are not there yet", "__match_any_sync": "it is not there yet",
    "__match_all_sync": "it is not there yet", "cooperative_groups": "use the __*_sync functions",
    "cudaMallocAsync": "the caller owns the memory", "cudaFreeAsync": "the caller owns the memory",
    "cudaMallocManaged": "the caller owns the memory",
    "cudaLaunchKernel": "write kernel<<<...>>>(...)", "cudaLaunchKernelEx": "clusters are not there yet",
    "cudaStreamCreate": "take the caller's stream",
}
# Words that are refused in a .cu. The host part of an extension may have its own memory (include/runtime.h).
UNSUPPORTED_IN_CU = {
    "__constant__": "pass it as an argument", "cudaMemcpyToSymbol": "pass it as an argument",
    "cudaMalloc": "the caller owns the memory", "cudaFree": "the caller owns the memory",
    "cudaMemcpy": "the caller owns the memory", "cudaMemcpyAsync": "write a kernel", "cudaMemset": "write a kernel",
    "cudaMemsetAsync": "write a kernel",
}
# Functions of nvcc that are less exact on the device than the C library's in their place.
FAST = {"__expf": "expf", "__exp10f": "exp10f", "__logf": "logf", "__log2f": "log2f", "__log10f": "log10f", "__powf": "powf",
        "__sinf": "sinf", "__cosf": "cosf", "__tanf": "tanf"}
# Calls whose effect the executor has at every launch: each is a success.
SUCCEEDS = {"cudaGetLastError", "cudaPeekAtLastError", "cudaDeviceSynchronize", "cudaStreamSynchronize", "cudaFuncSetAttribute"}


@dataclasses.dataclass(frozen=True)
class Dialect:
    """What a launch becomes, and one of a template whose arguments are deduced; what is refused; words with another in their
    place."""
    launch: str
    launch_deduced: str
    unsupported: dict
    words: dict


CU = Dialect("simt::launch", "", {**UNSUPPORTED, **UNSUPPORTED_IN_CU}, FAST)
