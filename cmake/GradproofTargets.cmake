# SPDX-License-Identifier: Apache-2.0
# The three kinds of target. Sources are always listed, never globbed.
include(GoogleTest)

# gradproof_library(<name> <source>...): a static library under the house rules.
function(gradproof_library name)
  add_library(${name} STATIC ${ARGN})
  target_link_libraries(${name} PUBLIC gradproof_options)
  # For the device units a library may hold; CMake 3.25 refuses CUDA_STANDARD 20.
  target_compile_options(${name} PRIVATE
    $<$<COMPILE_LANGUAGE:CUDA>:-std=c++20;-Werror=all-warnings;-Xcompiler=-Wall,-Wextra,-ffp-contract=off;-lineinfo>)
  set_target_properties(${name} PROPERTIES CUDA_STANDARD_REQUIRED OFF)
endfunction()

# gradproof_program(<name> <source>...): an executable in build/<preset>/bin.
function(gradproof_program name)
  add_executable(${name} ${ARGN})
  target_link_libraries(${name} PRIVATE gradproof_options)
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin)
endfunction()

# gradproof_test(<name> SOURCES <source>... [LIBS <library>...] [PROGRAMS <target>...] [TIMEOUT <seconds>] [WHOLE])
# A GoogleTest program, one ctest entry for each of its tests. PROGRAMS are built before it. WHOLE makes it a single
# entry, for programs whose start costs more than their tests.
# Every test sees GRADPROOF_SOURCE_DIR and GRADPROOF_BIN_DIR (where the programs are) as string literals.
function(gradproof_test name)
  cmake_parse_arguments(PARSE_ARGV 1 test "WHOLE" "TIMEOUT" "SOURCES;LIBS;PROGRAMS")
  if(NOT test_SOURCES OR test_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "gradproof_test(${name}): SOURCES missing or unknown: ${test_UNPARSED_ARGUMENTS}")
  endif()
  if(NOT test_TIMEOUT)
    set(test_TIMEOUT 300)
  endif()
  add_executable(${name} ${test_SOURCES})
  target_link_libraries(${name} PRIVATE gradproof_options ${test_LIBS} GTest::gtest GTest::gtest_main)
  target_compile_definitions(${name} PRIVATE
    GRADPROOF_SOURCE_DIR="${PROJECT_SOURCE_DIR}" GRADPROOF_BIN_DIR="${PROJECT_BINARY_DIR}/bin")
  if(test_PROGRAMS)
    add_dependencies(${name} ${test_PROGRAMS})
  endif()
  if(test_WHOLE)
    add_test(NAME ${name} COMMAND ${name})
    set_tests_properties(${name} PROPERTIES TIMEOUT ${test_TIMEOUT})
  else()
    gtest_discover_tests(${name} TEST_PREFIX ${name}. DISCOVERY_MODE PRE_TEST DISCOVERY_TIMEOUT 60
      PROPERTIES TIMEOUT ${test_TIMEOUT})
  endif()
endfunction()
