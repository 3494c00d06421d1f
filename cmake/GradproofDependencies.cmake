# SPDX-License-Identifier: Apache-2.0
# Third parties, one target each; docs/dependencies.md says what each is for. Where a static archive exists it is
# taken, so that a built program can be carried to another machine.

# scripts/setup writes where LibTorch and the CUDA Toolkit are.
set(GRADPROOF_DEPS ${PROJECT_SOURCE_DIR}/build/deps.cmake CACHE FILEPATH "Written by scripts/setup")
if(NOT EXISTS ${GRADPROOF_DEPS})
  message(FATAL_ERROR "${GRADPROOF_DEPS} is missing: run scripts/setup first")
endif()
include(${GRADPROOF_DEPS})
foreach(directory IN ITEMS ${GRADPROOF_CUDA_ROOT} ${GRADPROOF_TORCH_DIR})
  if(NOT EXISTS ${directory}/include)
    message(FATAL_ERROR "${directory}, named in ${GRADPROOF_DEPS}, is gone: run scripts/setup again")
  endif()
endforeach()

find_program(GRADPROOF_PYTHON python3 REQUIRED)
find_package(Threads REQUIRED)
find_package(fmt REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(CLI11 REQUIRED)
find_package(pugixml REQUIRED)
if(NOT CMAKE_CROSSCOMPILING)  # no test of another machine's is built here
  find_package(GTest REQUIRED)
  find_package(rapidcheck REQUIRED)
endif()
set(Boost_USE_STATIC_LIBS ON)
find_package(Boost 1.81 REQUIRED COMPONENTS context)

# gradproof::mpfr: the archives, or the shared libraries where there are none
find_library(GRADPROOF_MPFR_LIBRARY NAMES libmpfr.a mpfr REQUIRED)
find_library(GRADPROOF_GMP_LIBRARY NAMES libgmp.a gmp REQUIRED)
add_library(gradproof::mpfr INTERFACE IMPORTED)
target_link_libraries(gradproof::mpfr INTERFACE ${GRADPROOF_MPFR_LIBRARY} ${GRADPROOF_GMP_LIBRARY})

# gradproof::minizip: the reader of zip archives of zlib's own contributions, likewise
find_library(GRADPROOF_MINIZIP_LIBRARY NAMES libminizip.a minizip REQUIRED)
find_library(GRADPROOF_ZLIB_LIBRARY NAMES libz.a z REQUIRED)
add_library(gradproof::minizip INTERFACE IMPORTED)
target_link_libraries(gradproof::minizip INTERFACE ${GRADPROOF_MINIZIP_LIBRARY} ${GRADPROOF_ZLIB_LIBRARY})

# The two libraries and no more: the wheel's own TorchConfig.cmake asks for the whole CUDA stack.
add_library(gradproof::torch INTERFACE IMPORTED)
target_include_directories(gradproof::torch INTERFACE
  ${GRADPROOF_TORCH_DIR}/include ${GRADPROOF_TORCH_DIR}/include/torch/csrc/api/include)
# Its folder of headers has a {fmt} of its own, without the library; what is included beside it finds that one first.
target_compile_definitions(gradproof::torch INTERFACE FMT_HEADER_ONLY=1)
target_link_libraries(gradproof::torch INTERFACE
  ${GRADPROOF_TORCH_DIR}/lib/libtorch_cpu.so ${GRADPROOF_TORCH_DIR}/lib/libc10.so Threads::Threads)
# libtorch_cpu.so finds its own libraries by its RPATH; only the linker wants to be told.
target_link_options(gradproof::torch INTERFACE
  -Wl,-rpath-link,${GRADPROOF_TORCH_DIR}/lib:${GRADPROOF_TORCH_DIR}/../nvidia/cu13/lib)

# Headers alone: the CPU executor links nothing of CUDA.
add_library(gradproof::cuda_headers INTERFACE IMPORTED)
target_include_directories(gradproof::cuda_headers INTERFACE ${GRADPROOF_CUDA_ROOT}/include)
if(EXISTS ${GRADPROOF_CUDA_ROOT}/include/cccl)
  target_include_directories(gradproof::cuda_headers INTERFACE ${GRADPROOF_CUDA_ROOT}/include/cccl)
endif()

if(GRADPROOF_CUDA)
  if(NOT CMAKE_CUDA_COMPILER)
    set(CMAKE_CUDA_COMPILER ${GRADPROOF_CUDA_ROOT}/bin/nvcc)
  endif()
  # The language adds no runtime of its own: gradproof::cudart decides it for each target.
  set(CMAKE_CUDA_RUNTIME_LIBRARY None)
  enable_language(CUDA)
  set(cudart_places NO_DEFAULT_PATH PATHS ${GRADPROOF_CUDA_ROOT}/lib ${GRADPROOF_CUDA_ROOT}/lib64)
  find_library(GRADPROOF_CUDART cudart_static REQUIRED ${cudart_places})
  find_library(GRADPROOF_CUDART_SHARED NAMES libcudart.so.13 cudart REQUIRED ${cudart_places})
  # gradproof::cudart: for C++ that calls the CUDA runtime. A program takes the static one, so that no machine needs
  # CUDA to start it. A library that comes by dlopen takes the shared one: the static one's 4 KB of thread-local
  # storage, aligned to 4 KB, do not fit into what the loader keeps free for such a library.
  add_library(gradproof::cudart INTERFACE IMPORTED)
  target_link_libraries(gradproof::cudart INTERFACE
    gradproof::cuda_headers
    $<IF:$<STREQUAL:$<TARGET_PROPERTY:TYPE>,SHARED_LIBRARY>,${GRADPROOF_CUDART_SHARED},${GRADPROOF_CUDART}>
    Threads::Threads ${CMAKE_DL_LIBS} rt)
endif()
