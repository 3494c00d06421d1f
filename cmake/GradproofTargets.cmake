# SPDX-License-Identifier: Apache-2.0
# The kinds of target, and tests run by Python. Sources are always listed, never globbed.
include(GoogleTest)
include(GradproofLabels)  # gradproof_label_tests

# gradproof_library(<name> <source>...): a static library under the house rules.
function(gradproof_library name)
  add_library(${name} STATIC ${ARGN})
  target_link_libraries(${name} PUBLIC gradproof_options)
  # For the device units a library may hold; CMake 3.25 refuses CUDA_STANDARD 20.
  target_compile_options(${name} PRIVATE
    $<$<COMPILE_LANGUAGE:CUDA>:-std=c++20;$<$<BOOL:${GRADPROOF_WARNINGS_AS_ERRORS}>:-Werror=all-warnings>;-Xcompiler=-Wall,-Wextra,-ffp-contract=off;-lineinfo>)
  set_target_properties(${name} PROPERTIES CUDA_STANDARD_REQUIRED OFF)
endfunction()

# gradproof_optimise_less(<target>): for what takes longer to compile at -O2 than that ever saves at run time. Nothing that
# computes many elements is such: of a template that other targets have too, the linker keeps either compilation.
function(gradproof_optimise_less target)
  target_compile_options(${target} PRIVATE $<$<AND:$<CONFIG:Release>,$<COMPILE_LANGUAGE:CXX>>:-O1>)
endfunction()

# gradproof_program(<name> <source>...): an executable in build/<preset>/bin.
function(gradproof_program name)
  add_executable(${name} ${ARGN})
  target_link_libraries(${name} PRIVATE gradproof_options)
  # A worker finds LibTorch's module beside itself, and where it was installed.
  set_target_properties(${name} PROPERTIES
    RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin BUILD_RPATH "$ORIGIN;$ORIGIN/../lib/gradproof")
endfunction()

# gradproof_test(<name> SOURCES <source>... [LIBS <library>...] [PROGRAMS <target>...] [TIMEOUT <seconds>] [WHOLE] [SLOW])
# A GoogleTest program, one ctest entry for each of its tests. PROGRAMS are built before it. WHOLE makes it a single
# entry, for programs whose start costs more than their tests. Tests without a parameter are labelled quick in a program
# that needs no PROGRAMS and no TIMEOUT. SLOW takes the label off where one of them takes more than five seconds.
# Every test sees GRADPROOF_SOURCE_DIR and GRADPROOF_BIN_DIR (where the programs are) as string literals.
function(gradproof_test name)
  cmake_parse_arguments(PARSE_ARGV 1 test "WHOLE;SLOW" "TIMEOUT" "SOURCES;LIBS;PROGRAMS")
  if(NOT test_SOURCES OR test_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "gradproof_test(${name}): SOURCES missing or unknown: ${test_UNPARSED_ARGUMENTS}")
  endif()
  set(quick TRUE)
  if(test_PROGRAMS OR test_TIMEOUT OR test_SLOW)
    set(quick FALSE)
  endif()
  if(NOT test_TIMEOUT)
    set(test_TIMEOUT 300)
    if(test_WHOLE)
      set(test_TIMEOUT 900)
    endif()
  endif()
  add_executable(${name} ${test_SOURCES})
  set_target_properties(${name} PROPERTIES BUILD_RPATH ${PROJECT_BINARY_DIR}/bin)  # LibTorch's module
  target_link_libraries(${name} PRIVATE gradproof_options ${test_LIBS} GTest::gtest GTest::gtest_main)
  gradproof_optimise_less(${name})
  target_compile_definitions(${name} PRIVATE
    GRADPROOF_SOURCE_DIR="${PROJECT_SOURCE_DIR}" GRADPROOF_BIN_DIR="${PROJECT_BINARY_DIR}/bin")
  if(test_PROGRAMS)
    add_dependencies(${name} ${test_PROGRAMS})
  endif()
  if(test_WHOLE)
    add_test(NAME ${name} COMMAND ${name})
    set_tests_properties(${name} PROPERTIES TIMEOUT ${test_TIMEOUT})
    gradproof_label_tests("${test_SOURCES}" ${name})
  else()
    # Names are those of the instantiations; a printed value may be the bytes of an object.
    gtest_discover_tests(${name} TEST_PREFIX ${name}. NO_PRETTY_VALUES DISCOVERY_MODE PRE_TEST DISCOVERY_TIMEOUT 60
      PROPERTIES TIMEOUT ${test_TIMEOUT})
    gradproof_labels_of(labels ${test_SOURCES})
    gradproof_label_discovered(${name} ${quick} ${labels})
  endif()
endfunction()

# gradproof_python_test(<name> FILE <file.py> [TIMEOUT <seconds>])
# One ctest entry (labelled python too) that runs pytest on the file, in the interpreter that scripts/setup --python made.
# Every test sees GRADPROOF_OPS_LIBRARY, the operator library, GRADPROOF_SOURCE_DIR and GRADPROOF_BIN_DIR in its
# environment. Without that interpreter, or under sanitizers, the entry is skipped and says why. What may take longer is started
# earlier (COST): where no run was before, as in CI, ctest knows no test's time, and a long one that comes last runs alone.
function(gradproof_python_test name)
  cmake_parse_arguments(PARSE_ARGV 1 test "" "FILE;TIMEOUT" "")
  if(NOT test_FILE OR test_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "gradproof_python_test(${name}): FILE missing or unknown: ${test_UNPARSED_ARGUMENTS}")
  endif()
  if(NOT test_TIMEOUT)
    set(test_TIMEOUT 300)
  endif()
  cmake_path(ABSOLUTE_PATH test_FILE NORMALIZE)
  if(GRADPROOF_SANITIZE)
    set(command ${CMAKE_COMMAND} -E echo "skipped: Python cannot load a library under sanitizers")
  elseif(NOT GRADPROOF_TORCH_PYTHON)
    set(command ${CMAKE_COMMAND} -E echo "skipped: no Python that imports torch; run scripts/setup --python")
  elseif(NOT EXISTS ${GRADPROOF_TORCH_PYTHON})
    message(FATAL_ERROR "${GRADPROOF_TORCH_PYTHON}, named in ${GRADPROOF_DEPS}, is gone: run scripts/setup --python again")
  else()
    # All scratch goes into the build tree, and the sources stay clean.
    set(command ${GRADPROOF_TORCH_PYTHON} -B -m pytest -q -rs --color=no -p no:cacheprovider
      --basetemp=${CMAKE_CURRENT_BINARY_DIR}/${name}.scratch ${test_FILE})
  endif()
  add_test(NAME ${name} COMMAND ${command})
  # torch.compile's caches do not know that our library was built anew.
  set(environment
    GRADPROOF_OPS_LIBRARY=$<TARGET_FILE:gradproof_ops>
    GRADPROOF_SOURCE_DIR=${PROJECT_SOURCE_DIR} GRADPROOF_BIN_DIR=${PROJECT_BINARY_DIR}/bin
    TORCHINDUCTOR_CACHE_DIR=${CMAKE_CURRENT_BINARY_DIR}/${name}.inductor TORCHINDUCTOR_FORCE_DISABLE_CACHES=1)
  set_tests_properties(${name} PROPERTIES
    TIMEOUT ${test_TIMEOUT} COST ${test_TIMEOUT} ENVIRONMENT "${environment}"
    # A file whose tests were all skipped has passed nothing.
    SKIP_REGULAR_EXPRESSION "^skipped: ;(^|\n)[0-9]+ skipped in ")
  gradproof_label_tests("${test_FILE};${PROJECT_SOURCE_DIR}/tests/python" ${name})
endfunction()
