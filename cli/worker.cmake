# SPDX-License-Identifier: Apache-2.0
# The straight line from Case to Records, and the worker that runs it.
set(toolkit "${CMAKE_CXX_COMPILER_ID} ${CMAKE_CXX_COMPILER_VERSION}")
if(GRADPROOF_CUDA)
  string(APPEND toolkit ", nvcc ${CMAKE_CUDA_COMPILER_VERSION}")
endif()
gradproof_library(gradproof_line line.cpp)
target_link_libraries(gradproof_line
  PUBLIC gradproof_core
  PRIVATE gradproof_kernels gradproof_oracles gradproof_autograd gradproof_laws fmt::fmt-header-only)
target_compile_definitions(gradproof_line PUBLIC
  GRADPROOF_VERSION="${PROJECT_VERSION}" GRADPROOF_TOOLKIT="${toolkit}")

gradproof_program(gradproof-worker worker_main.cpp worker_requests.cpp)
target_link_libraries(gradproof-worker PRIVATE
  gradproof_line gradproof_protocol gradproof_reports gradproof_kernels gradproof_oracles fmt::fmt-header-only)
target_compile_definitions(gradproof-worker PRIVATE GRADPROOF_TORCH_VERSION="${GRADPROOF_TORCH_VERSION}")
