# SPDX-License-Identifier: Apache-2.0
# How all our own code is compiled. Third-party headers come in as SYSTEM and are not judged.

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
# No NDEBUG: an instrument keeps its assertions.
set(CMAKE_CXX_FLAGS_RELEASE "-O2 -g1")
set(CMAKE_CUDA_FLAGS_RELEASE "-O3")

# Programs find LibTorch without LD_LIBRARY_PATH, and LD_LIBRARY_PATH still wins over it (RUNPATH).
add_link_options(-Wl,--enable-new-dtags)

set(warnings -Wall -Wextra -Wconversion -Wshadow)
if(GRADPROOF_WARNINGS_AS_ERRORS)
  list(APPEND warnings -Werror)
endif()
# GCC 13 reports writes outside of arrays in {fmt} 9 once it is inlined into our code, where SYSTEM does not quiet it; there
# are none (fmtlib issues 3354 and 3533, GCC bug 56456 collects the like). GCC 12 keeps both warnings for our code.
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_GREATER_EQUAL 13)
  list(APPEND warnings -Wno-array-bounds -Wno-stringop-overflow)
endif()
# A condition of the error arithmetic is a bool of one number or a mask of a pack of them, and `&` is right for both.
if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  list(APPEND warnings -Wno-bitwise-instead-of-logical)
endif()

add_library(gradproof_options INTERFACE)
target_include_directories(gradproof_options INTERFACE ${PROJECT_SOURCE_DIR})
# The error bounds assume the operations as written: contraction to fma happens only where a contract says so.
target_compile_options(gradproof_options INTERFACE
  "$<$<COMPILE_LANGUAGE:CXX>:${warnings};-ffp-contract=off>"
  $<$<COMPILE_LANGUAGE:CXX>:-ffile-prefix-map=${PROJECT_SOURCE_DIR}/=>)

# A generator expression's BOOL takes no comma, which a list of sanitizers has.
set(GRADPROOF_IS_SANITIZED FALSE)
if(GRADPROOF_SANITIZE)
  set(GRADPROOF_IS_SANITIZED TRUE)
  set(sanitize -fsanitize=${GRADPROOF_SANITIZE})
  target_compile_options(gradproof_options INTERFACE
    # -O1 compiles what the sanitizers add in two thirds of the time of -O2.
    # GCC's manual: the sanitizers make -Wmaybe-uninitialized warn falsely; GCC 13's -Wstringop-overread does so too, of
    # arrays that are assigned to a vector.
    $<$<COMPILE_LANGUAGE:CXX>:-O1;${sanitize};-fno-sanitize-recover=all;-fno-omit-frame-pointer>
    $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-Wno-maybe-uninitialized;-Wno-stringop-overread>)
  target_link_options(gradproof_options INTERFACE ${sanitize})
endif()

find_program(GRADPROOF_CCACHE ccache)
if(GRADPROOF_CCACHE)
  # Paths relative to the checkout, so that two clones share their objects.
  set(launcher ${CMAKE_COMMAND} -E env
    CCACHE_BASEDIR=${PROJECT_SOURCE_DIR} CCACHE_NOHASHDIR=1 ${GRADPROOF_CCACHE})
  foreach(language IN ITEMS CXX CUDA)
    if(NOT DEFINED CMAKE_${language}_COMPILER_LAUNCHER)
      set(CMAKE_${language}_COMPILER_LAUNCHER ${launcher})
    endif()
  endforeach()
endif()
