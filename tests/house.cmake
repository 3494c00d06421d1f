# SPDX-License-Identifier: Apache-2.0
# A new stage and a new kernel, in the files that CONTRIBUTING.md names: that the texts fit each time, and the whole, which builds a
# second tree for ten minutes, in the night and for `ctest --preset cpu -C nightly -R toy`.
add_test(NAME toy_texts COMMAND ${GRADPROOF_PYTHON} -B ${CMAKE_CURRENT_SOURCE_DIR}/toy/toy_test.py ${PROJECT_SOURCE_DIR})
gradproof_label_tests(toy toy_texts)
if(NOT GRADPROOF_SANITIZE AND NOT GRADPROOF_CUDA)
  add_test(NAME toy_stage_and_kernel CONFIGURATIONS nightly COMMAND ${GRADPROOF_PYTHON} -B
    ${CMAKE_CURRENT_SOURCE_DIR}/toy/toy_test.py ${PROJECT_SOURCE_DIR} ${PROJECT_BINARY_DIR}/toy ${GRADPROOF_TORCH_PYTHON})
  set_tests_properties(toy_stage_and_kernel PROPERTIES TIMEOUT 1800)
  gradproof_label_tests(toy toy_stage_and_kernel)
endif()

# README.md and docs/ against the programs.
add_test(NAME docs
  COMMAND ${GRADPROOF_PYTHON} -B ${CMAKE_CURRENT_SOURCE_DIR}/docs/docs_test.py ${PROJECT_BINARY_DIR}/bin)
set_tests_properties(docs PROPERTIES TIMEOUT 600 COST 600)
gradproof_label_tests(docs docs)

# The preset asan, which only the night compiles, can be configured: its list of sanitizers has a comma,
# which not every expression of CMake takes.
add_test(NAME asan_configures COMMAND ${CMAKE_COMMAND} --preset asan -S ${PROJECT_SOURCE_DIR} -B ${PROJECT_BINARY_DIR}/asan_configured)
gradproof_label_tests(lint asan_configures)

# scripts/lint finds what it is for.
add_test(NAME lint_rules COMMAND ${GRADPROOF_PYTHON} -B ${CMAKE_CURRENT_SOURCE_DIR}/lint/lint_test.py ${PROJECT_SOURCE_DIR})
gradproof_label_tests(lint lint_rules)

# scripts/coverage_lines.py judges its ledger. Counts are gcov's, and of the compiler that it belongs to.
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  add_test(NAME coverage_lines COMMAND ${GRADPROOF_PYTHON} -B ${CMAKE_CURRENT_SOURCE_DIR}/coverage/coverage_lines_test.py
    ${PROJECT_SOURCE_DIR} ${CMAKE_CXX_COMPILER})
  gradproof_label_tests(coverage coverage_lines)
endif()

# Tests have names that can be read: no bytes of a parameter, no bare number.
set(unreadable "-byte object;/[0-9]+\n")
add_test(NAME test_names COMMAND ${CMAKE_CTEST_COMMAND} -N --test-dir ${PROJECT_BINARY_DIR})
set_tests_properties(test_names PROPERTIES
  PASS_REGULAR_EXPRESSION "Total Tests: [1-9][0-9][0-9]" FAIL_REGULAR_EXPRESSION "${unreadable}")
foreach(name IN ITEMS "72-byte object <A0-4B>" "3")
  string(MAKE_C_IDENTIFIER "test_names_control_${name}" control)
  add_test(NAME ${control} COMMAND ${CMAKE_COMMAND} -E echo "Test #1: some_test.Suite/All.Test/${name}\nTotal Tests: 100")
  set_tests_properties(${control} PROPERTIES
    PASS_REGULAR_EXPRESSION "Total Tests: [1-9][0-9][0-9]" FAIL_REGULAR_EXPRESSION "${unreadable}" WILL_FAIL TRUE)
  gradproof_label_tests(lint ${control})
endforeach()
gradproof_label_tests(lint test_names)

# Every test has the label of a room or of a folder of tests/.
add_test(NAME test_labels COMMAND ${GRADPROOF_PYTHON} -B ${CMAKE_CURRENT_SOURCE_DIR}/lint/labels_test.py ${PROJECT_SOURCE_DIR}
  ${PROJECT_BINARY_DIR} ${CMAKE_CTEST_COMMAND})
gradproof_label_tests(lint test_labels)

# The compilations for several instruction sets share no code.
if(GRADPROOF_SANITIZE)
  set(compilations ${CMAKE_COMMAND} -E echo "skipped: what the sanitizers keep g++ from inlining is shared")
else()
  set(compilations ${GRADPROOF_PYTHON} ${CMAKE_CURRENT_SOURCE_DIR}/oracles/compilations_test.py
    $<TARGET_OBJECTS:gradproof_core> $<TARGET_OBJECTS:gradproof_oracles> $<TARGET_OBJECTS:gradproof_audit>
    $<TARGET_OBJECTS:gradproof_functions> $<TARGET_OBJECTS:gradproof_bench>)
endif()
add_test(NAME oracle_compilations COMMAND ${compilations} COMMAND_EXPAND_LISTS)
set_tests_properties(oracle_compilations PROPERTIES SKIP_REGULAR_EXPRESSION "^skipped: ")
gradproof_label_tests(oracles oracle_compilations)

# Headers, libraries and programs are those of scripts/pins, wherever this is built.
add_test(NAME only_what_is_pinned COMMAND ${GRADPROOF_PYTHON} -B ${CMAKE_CURRENT_SOURCE_DIR}/pinned/pinned_test.py
  ${PROJECT_SOURCE_DIR} ${PROJECT_BINARY_DIR})
set_tests_properties(only_what_is_pinned PROPERTIES TIMEOUT 600 SKIP_REGULAR_EXPRESSION "^skipped: ")
gradproof_label_tests(pinned only_what_is_pinned)
