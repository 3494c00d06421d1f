# SPDX-License-Identifier: Apache-2.0

# gradproof_add_kernel_test(NAME <name> SOURCES <source>... [KERNELS <function>...] [CASES <file>...] [LABELS <label>...]
#                           [ARGUMENTS <argument>...] [LIBTORCH])
# Makes the program <name>, a worker with these kernels that answers all verbs (`gradproof check --worker <name> ...`), and
# the ctest entry <name>, which judges the Cases of the file, or without CASES the default Case of each kernel. Of several
# files each has an entry <name>.<file>.
#   SOURCES    a .cu is compiled by g++ for the executor, rewritten by cuda_source.py if it was written for nvcc alone. nvcc
#              compiles it for the device too where the project has the language CUDA, gradproof was built for it, and the .cu
#              has its functions in namespace GRADPROOF_UNIT or in one without a name, for both are in one program. Other
#              sources are compiled as they are.
#   KERNELS    functions `gradproof::OwnKernel NAME()` in namespace GRADPROOF_UNIT; default: the names of the .cu files
#   ARGUMENTS  of `gradproof check`
#   LIBTORCH   asks LibTorch as a second witness
function(gradproof_add_kernel_test)
  cmake_parse_arguments(PARSE_ARGV 0 test "LIBTORCH" "NAME" "SOURCES;KERNELS;CASES;LABELS;ARGUMENTS")
  if(NOT test_NAME OR NOT test_SOURCES OR test_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "gradproof_add_kernel_test: NAME or SOURCES missing, or unknown: ${test_UNPARSED_ARGUMENTS}")
  endif()
  foreach(file IN LISTS test_SOURCES test_CASES)
    cmake_path(ABSOLUTE_PATH file)
    if(NOT EXISTS ${file})
      message(FATAL_ERROR "gradproof_add_kernel_test(${test_NAME}): there is no file ${file}")
    endif()
    if(file MATCHES "\\.cu$")  # What stands in it decides whether it is rewritten, and who compiles it.
      set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file})
    endif()
  endforeach()
  if(test_LIBTORCH AND NOT TARGET gradproof::libtorch)
    message(FATAL_ERROR "gradproof_add_kernel_test(${test_NAME}): LIBTORCH wants -DGRADPROOF_TORCH_DIR=DIR, a folder with "
      "lib/libtorch_cpu.so; '${GRADPROOF_TORCH_DIR}' is none")
  endif()
  add_executable(${test_NAME})
  target_link_libraries(${test_NAME} PRIVATE $<IF:$<BOOL:${test_LIBTORCH}>,gradproof::libtorch,gradproof::gradproof>)
  # The bounds assume the operations as written.
  target_compile_options(${test_NAME} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:-ffp-contract=off>)
  _gradproof_sources(${test_NAME} "${test_SOURCES}")
  if(NOT test_KERNELS)
    set(test_KERNELS ${test_SOURCES})
    list(FILTER test_KERNELS INCLUDE REGEX "\\.cu$")
    list(TRANSFORM test_KERNELS REPLACE "^(.*/)?([^/]*)\\.cu$" "\\2")
  endif()
  if(NOT test_KERNELS)
    message(FATAL_ERROR "gradproof_add_kernel_test(${test_NAME}): KERNELS is wanted where no source is a .cu")
  endif()
  _gradproof_main(${test_NAME} "${test_KERNELS}" "${test_SOURCES}")

  if(NOT test_CASES)
    _gradproof_entry(${test_NAME} ${test_NAME} ${test_KERNELS} ${test_ARGUMENTS})
  endif()
  list(LENGTH test_CASES files)
  foreach(file IN LISTS test_CASES)
    cmake_path(ABSOLUTE_PATH file NORMALIZE)
    cmake_path(GET file STEM stem)
    set(entry ${test_NAME})
    if(files GREATER 1)
      string(APPEND entry .${stem})
    endif()
    _gradproof_entry(${entry} ${test_NAME} --cases ${file} ${test_ARGUMENTS})
  endforeach()
endfunction()

# The entry of ctest, and the labels of gradproof_add_kernel_test.
function(_gradproof_entry entry worker)
  add_test(NAME ${entry} COMMAND ${GRADPROOF_PROGRAM} check --worker $<TARGET_FILE:${worker}> ${ARGN})
  set_tests_properties(${entry} PROPERTIES LABELS "${test_LABELS}")
endfunction()

# A source has one language per directory, so g++ gets a .cpp of one line that includes the .cu.
function(_gradproof_sources target sources)
  # A device refuses an access that is not aligned to its type; on the CPU the executor does, and an index past a thread's
  # own array.
  set(checked -fsanitize=alignment,bounds -fno-sanitize-recover=alignment,bounds)
  foreach(source IN LISTS sources)
    cmake_path(ABSOLUTE_PATH source NORMALIZE)
    if(NOT source MATCHES "\\.cu$")
      target_sources(${target} PRIVATE ${source})
      set_source_files_properties(${source} PROPERTIES COMPILE_DEFINITIONS GRADPROOF_UNIT=host)
      continue()
    endif()
    cmake_path(GET source STEM name)
    set(wrapper ${CMAKE_CURRENT_BINARY_DIR}/${target}.sources/${name}.cpp)
    _gradproof_for_executor(${source} ${CMAKE_CURRENT_BINARY_DIR}/${target}.sources/host/${name}.cu included)
    file(CONFIGURE OUTPUT ${wrapper} CONTENT "#include \"${included}\"\n")
    target_sources(${target} PRIVATE ${wrapper})
    cmake_path(GET source PARENT_PATH folder)
    set_source_files_properties(${wrapper} PROPERTIES
      COMPILE_DEFINITIONS GRADPROOF_UNIT=host COMPILE_OPTIONS "${checked}" INCLUDE_DIRECTORIES ${folder} OBJECT_DEPENDS ${included})
    _gradproof_has_device_unit(${source} device)
    if(device)
      target_sources(${target} PRIVATE ${source})
      set_source_files_properties(${source} PROPERTIES LANGUAGE CUDA COMPILE_DEFINITIONS GRADPROOF_UNIT=device)
      # CMake 3.25 refuses CUDA_STANDARD 20.
      target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:CUDA>:-std=c++20>)
      set_target_properties(${target} PROPERTIES CUDA_STANDARD_REQUIRED OFF CUDA_RUNTIME_LIBRARY None)
    endif()
  endforeach()
endfunction()

# Whether nvcc compiles the source too. Of one that does not name its unit both compilations would have the same functions.
function(_gradproof_has_device_unit source result)
  set(${result} OFF PARENT_SCOPE)
  if(CMAKE_CUDA_COMPILER AND GRADPROOF_WITH_CUDA)
    file(STRINGS ${source} unit REGEX "GRADPROOF_UNIT" LIMIT_COUNT 1)
    if(unit)
      set(${result} ON PARENT_SCOPE)
    endif()
  endif()
endfunction()

# A .cu that was written for nvcc alone is rewritten (cuda_source.py); others are taken as they are.
function(_gradproof_for_executor source output result)
  set(${result} ${source} PARENT_SCOPE)
  file(STRINGS ${source} plain REGEX "<<<|__shared__|cuda_runtime" LIMIT_COUNT 1)
  if(plain)
    find_program(GRADPROOF_PYTHON python3 REQUIRED)
    add_custom_command(OUTPUT ${output}
      COMMAND ${GRADPROOF_PYTHON} ${GRADPROOF_CUDA_SOURCE} ${source} ${output}
      DEPENDS ${source} ${GRADPROOF_CUDA_SOURCE} COMMENT "Rewriting ${source} for the executor" VERBATIM)
    set(${result} ${output} PARENT_SCOPE)
  endif()
endfunction()

# The main function of a worker with these kernels.
function(_gradproof_main target kernels sources)
  set(declarations "")
  set(rows "")
  foreach(kernel IN LISTS kernels)
    string(APPEND declarations "namespace host {\ngradproof::OwnKernel ${kernel}();\n}\n")
    set(row "host::${kernel}()")
    # It is in the .cu of its name, or in a source that nvcc does not see.
    set(source ${sources})
    list(FILTER source INCLUDE REGEX "(^|/)${kernel}\\.cu$")
    if(source)
      cmake_path(ABSOLUTE_PATH source)
      _gradproof_has_device_unit(${source} device)
      if(device)
        string(APPEND declarations "namespace device {\ngradproof::OwnKernel ${kernel}();\n}\n")
        string(APPEND row ", device::${kernel}()")
      endif()
    endif()
    string(APPEND rows "{${row}}, ")
  endforeach()
  set(main ${CMAKE_CURRENT_BINARY_DIR}/${target}.sources/main.cpp)
  file(CONFIGURE OUTPUT ${main} CONTENT "#include \"cli/worker/own_worker.h\"
@declarations@
int main(int count, char** arguments) {
  return gradproof::serve_own({@rows@}, count, arguments);
}
" @ONLY)
  target_sources(${target} PRIVATE ${main})
endfunction()
