# SPDX-License-Identifier: Apache-2.0
# Labels of tests, by rule: `ctest -L oracles`, `ctest -L quick`. CONTRIBUTING.md says what they mean, and the test
# test_labels that every test has them.

# Rooms in the order in which they are asked for a folder of the name: tests/graph is of oracles/graph, not core/graph.
set(GRADPROOF_ROOMS_OF_FOLDERS oracles core properties kernels judge fixtures reports simt cli tools)

# gradproof_labels_of(<result> <source>...): the folder of each source and its room. A source of tests/ is of the folder
# there, which has the name of a room or of a folder in one (tests/arithmetic tests oracles/arithmetic); any other is of
# the room that it lies in. What lies in tests/support/ is of no folder.
function(gradproof_labels_of result)
  set(labels "")
  foreach(source IN LISTS ARGN)
    cmake_path(ABSOLUTE_PATH source NORMALIZE)
    cmake_path(RELATIVE_PATH source BASE_DIRECTORY ${PROJECT_SOURCE_DIR})
    string(REGEX REPLACE "^tests/" "" path "${source}")
    string(REGEX REPLACE "/.*" "" folder "${path}")
    if(folder STREQUAL "support")
      continue()
    endif()
    list(APPEND labels ${folder})
    if(NOT IS_DIRECTORY ${PROJECT_SOURCE_DIR}/${folder})
      foreach(room IN LISTS GRADPROOF_ROOMS_OF_FOLDERS)
        if(IS_DIRECTORY ${PROJECT_SOURCE_DIR}/${room}/${folder})
          list(APPEND labels ${room})
          break()
        endif()
      endforeach()
    endif()
  endforeach()
  list(REMOVE_DUPLICATES labels)
  set(${result} "${labels}" PARENT_SCOPE)
endfunction()

# gradproof_label_tests(<sources> <test>...): labels tests that add_test made; <sources> is one argument, a list.
function(gradproof_label_tests sources)
  gradproof_labels_of(labels ${sources})
  foreach(test IN LISTS ARGN)
    set_property(TEST ${test} APPEND PROPERTY LABELS ${labels})
  endforeach()
endfunction()

# gradproof_label_discovered(<target> <quick> <label>...): labels the tests that ctest will find in a program, because no
# list of labels passes through gtest_discover_tests. Where <quick> holds, those without a parameter are quick: a name
# with a / is one of many trials of the same, over kernels, types or instruction sets.
function(gradproof_label_discovered target quick)
  set(file ${CMAKE_CURRENT_BINARY_DIR}/${target}_labels.cmake)
  set(quick_labels "${ARGN}")
  if(quick)
    list(APPEND quick_labels quick)
  endif()
  # ctest reads it without the policies of a project: words alone stand in its conditions.
  file(WRITE ${file}.new "foreach(test IN LISTS ${target}_TESTS)
  if(test MATCHES \"/\")
    set_tests_properties(\"\${test}\" PROPERTIES LABELS \"${ARGN}\")
  else()
    set_tests_properties(\"\${test}\" PROPERTIES LABELS \"${quick_labels}\")
  endif()
endforeach()
if(NOT ${target}_TESTS)
  set_tests_properties(${target}_NOT_BUILT PROPERTIES LABELS \"${ARGN}\")
endif()
")
  file(COPY_FILE ${file}.new ${file} ONLY_IF_DIFFERENT)
  set_property(DIRECTORY APPEND PROPERTY TEST_INCLUDE_FILES ${file})
endfunction()
