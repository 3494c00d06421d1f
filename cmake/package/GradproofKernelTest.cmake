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
#   LIBTORCH   asks LibTorch as a second witness: the worker finds the module in the prefix, and the module the build's LibTorch
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
  set(module ${GRADPROOF_LIBTORCH_FOLDER}/libgradproof_libtorch.so)
  if(test_LIBTORCH AND NOT EXISTS ${module})
    message(FATAL_ERROR "gradproof_add_kernel_test(${test_NAME}): LIBTORCH wants ${module}, which is not there")
  endif()
  add_executable(${test_NAME})
  target_link_libraries(${test_NAME} PRIVATE gradproof::gradproof)
  if(test_LIBTORCH)
    set_property(TARGET ${test_NAME} APPEND PROPERTY BUILD_RPATH ${GRADPROOF_LIBTORCH_FOLDER})
  endif()
  # The bounds assume the operations as written.
  target_compile_options(${test_NAME} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:-ffp-contract=off>)
  _gradproof_sources(${test_NAME} "${test_SOURCES}" included)
  if(NOT test_KERNELS)
    set(test_KERNELS ${test_SOURCES})
    list(FILTER test_KERNELS INCLUDE REGEX "\\.cu$")
    list(TRANSFORM test_KERNELS REPLACE "^(.*/)?([^/]*)\\.cu$" "\\2")
  endif()
  if(NOT test_KERNELS)
    message(FATAL_ERROR "gradproof_add_kernel_test(${test_NAME}): KERNELS is wanted where no source is a .cu")
  endif()
  _gradproof_counting_unit(${test_NAME} "${test_KERNELS}" "${test_SOURCES}" "${included}")
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

# A source has one language per directory, so g++ gets a .cpp of one line that includes the .cu. `result` has the files that
# g++ reads.
function(_gradproof_sources target sources result)
  # A device refuses an access that is not aligned to its type; on the CPU the executor does, and an index past a thread's
  # own array.
  set(checked -fsanitize=alignment,bounds -fno-sanitize-recover=alignment,bounds)
  set(read "")
  foreach(source IN LISTS sources)
    cmake_path(ABSOLUTE_PATH source NORMALIZE)
    if(NOT source MATCHES "\\.cu$")
      list(APPEND read ${source})
      target_sources(${target} PRIVATE ${source})
      set_source_files_properties(${source} PROPERTIES COMPILE_DEFINITIONS GRADPROOF_UNIT=host)
      continue()
    endif()
    cmake_path(GET source STEM name)
    set(wrapper ${CMAKE_CURRENT_BINARY_DIR}/${target}.sources/${name}.cpp)
    _gradproof_for_executor(${source} ${CMAKE_CURRENT_BINARY_DIR}/${target}.sources/host/${name}.cu included)
    file(CONFIGURE OUTPUT ${wrapper} CONTENT "#include \"${included}\"\n")
    list(APPEND read ${included})
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
  # Two targets read what is rewritten, and one of them alone may write it.
  add_custom_target(${target}_sources DEPENDS ${read})
  add_dependencies(${target} ${target}_sources)
  set(${result} ${read} PARENT_SCOPE)
endfunction()

# All sources once more, in one unit in which float counts its additions (kernels/own/counting_unit.h): the namespace keeps
# their functions apart from those of the program. The launcher lets the unit do without sources that do not compile so; a
# function with C linkage would be in the program twice.
function(_gradproof_counting_unit target kernels sources read)
  set(unit "")
  set(functions "")
  set(folders "")
  set(lack "")
  foreach(source IN LISTS sources)
    cmake_path(ABSOLUTE_PATH source NORMALIZE)
    cmake_path(GET source FILENAME file)
    file(STRINGS ${source} linkage REGEX "extern +\"C\"" LIMIT_COUNT 1)
    if(linkage)
      set(lack "#define GRADPROOF_NOT_COUNTED \"${file} has functions with C linkage\"\n")
    endif()
    cmake_path(GET source PARENT_PATH folder)
    list(APPEND folders ${folder})
  endforeach()
  foreach(file IN LISTS read)
    string(APPEND unit "#include \"${file}\"\n")
  endforeach()
  foreach(kernel IN LISTS kernels)
    string(APPEND functions "gradproof::CountingKernel gradproof_counting_${kernel}() {
#ifdef GRADPROOF_NOT_COUNTED
  return {{}, GRADPROOF_NOT_COUNTED};
#else
  return {gradproof_counting::GRADPROOF_UNIT::${kernel}(), {}};
#endif
}\n")
  endforeach()
  set(wrapper ${CMAKE_CURRENT_BINARY_DIR}/${target}.sources/counting.cpp)
  file(CONFIGURE OUTPUT ${wrapper} CONTENT "#include \"kernels/own/counting_unit.h\"
@lack@#ifndef GRADPROOF_NOT_COUNTED
namespace gradproof_counting {
@unit@}
#endif
@functions@" @ONLY)
  add_library(${target}_counting OBJECT ${wrapper})
  add_dependencies(${target}_counting ${target}_sources)
  target_link_libraries(${target}_counting PRIVATE gradproof::gradproof)
  target_compile_definitions(${target}_counting PRIVATE GRADPROOF_UNIT=counting)
  target_compile_options(${target}_counting PRIVATE -ffp-contract=off -w)
  target_include_directories(${target}_counting PRIVATE ${folders})
  set_source_files_properties(${wrapper} PROPERTIES OBJECT_DEPENDS "${read}")
  set_target_properties(${target}_counting PROPERTIES CXX_COMPILER_LAUNCHER "/bin/sh;${GRADPROOF_COUNTING_COMPILER}" UNITY_BUILD OFF)
  target_sources(${target} PRIVATE $<TARGET_OBJECTS:${target}_counting>)
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
      COMMAND ${GRADPROOF_PYTHON} -B ${GRADPROOF_CUDA_SOURCE} ${source} ${output}
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
    set(host "host::${kernel}()")
    set(device_function "{}")
    # It is in the .cu of its name, or in a source that nvcc does not see.
    set(source ${sources})
    list(FILTER source INCLUDE REGEX "(^|/)${kernel}\\.cu$")
    if(source)
      cmake_path(ABSOLUTE_PATH source)
      _gradproof_has_device_unit(${source} device)
      if(device)
        string(APPEND declarations "namespace device {\ngradproof::OwnKernel ${kernel}();\n}\n")
        set(device_function "device::${kernel}()")
      endif()
    endif()
    string(APPEND declarations "gradproof::CountingKernel gradproof_counting_${kernel}();\n")
    string(APPEND rows "{.host = ${host}, .device = ${device_function}, .counting = gradproof_counting_${kernel}()}, ")
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
