# SPDX-License-Identifier: Apache-2.0
# One kernel source, several compilations. Each is a "unit": the .cu puts its symbols into the inline namespace that
# the macro GRADPROOF_UNIT names, so that all units can be linked into one program.
#   host           g++, for the CPU executor
#   device         nvcc, only with GRADPROOF_CUDA
#   mutant_<name>  g++, a wrong kernel made from the right one

# A device refuses an access that is not aligned to its type; on the CPU the executor does, and an index past a thread's own
# array (simt/executor/checked_access.cpp).
set(GRADPROOF_CHECKED_ACCESS -fsanitize=alignment,bounds -fno-sanitize-recover=alignment,bounds)

# gradproof_kernel_unit(<library> <unit> <source.cu>...): compiles the sources into the library as that unit.
function(gradproof_kernel_unit library unit)
  foreach(source IN LISTS ARGN)
    cmake_path(ABSOLUTE_PATH source NORMALIZE)
    if(unit STREQUAL device)
      target_sources(${library} PRIVATE ${source})
      set_source_files_properties(${source} PROPERTIES
        LANGUAGE CUDA COMPILE_DEFINITIONS "GRADPROOF_UNIT=device")
    else()
      _gradproof_host_unit(${library} ${unit} ${source})
    endif()
  endforeach()
  target_link_libraries(${library} PUBLIC gradproof::cuda_headers)
  if(unit STREQUAL device)
    target_link_libraries(${library} PUBLIC gradproof::cudart)
  endif()
endfunction()

# gradproof_device_sources(<source>...): the sources of this folder that ask whether device code is there. The definition is
# theirs alone, so that every other source is compiled by the same command with and without GRADPROOF_CUDA.
function(gradproof_device_sources)
  if(GRADPROOF_CUDA)
    set_property(SOURCE ${ARGN} APPEND PROPERTY COMPILE_DEFINITIONS GRADPROOF_WITH_CUDA=1)
  endif()
endfunction()

# A source has one language per directory, so g++ gets a .cpp of one line that includes the .cu.
function(_gradproof_host_unit library unit source)
  cmake_path(GET source STEM name)
  cmake_path(RELATIVE_PATH source BASE_DIRECTORY ${PROJECT_SOURCE_DIR} OUTPUT_VARIABLE include)
  set(wrapper ${CMAKE_CURRENT_BINARY_DIR}/${unit}/${name}.cpp)
  file(CONFIGURE OUTPUT ${wrapper} CONTENT "#include \"${include}\"\n")
  target_sources(${library} PRIVATE ${wrapper})
  set_source_files_properties(${wrapper} PROPERTIES
    COMPILE_DEFINITIONS "GRADPROOF_UNIT=${unit}" COMPILE_OPTIONS "${GRADPROOF_CHECKED_ACCESS}")
endfunction()

# gradproof_kernel_list(<library> <name> <unit>:<word>...): writes <name>.h, from which the library's sources have the
# function <name>(): the definitions of these kernels, each of its unit.
function(gradproof_kernel_list library name)
  foreach(kernel IN LISTS ARGN)
    string(REGEX REPLACE ":.*" "" unit ${kernel})
    string(REGEX REPLACE ".*:" "" word ${kernel})
    string(APPEND declarations "namespace gradproof::${unit} {\nKernelDefinition ${word}();\n}\n")
    string(APPEND rows "\n      {\"${unit}\", ${unit}::${word}()},")
  endforeach()
  file(CONFIGURE OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/${name}.h CONTENT "#pragma once
#include \"kernels/definition.h\"
@declarations@namespace gradproof {
inline std::vector<KernelUnit> @name@() {
  return {@rows@
  };
}
}  // namespace gradproof
" @ONLY)
  target_include_directories(${library} PRIVATE ${CMAKE_CURRENT_BINARY_DIR})
endfunction()

# gradproof_mutant(<library> <file.mutant>): applies the mutation at build time (scripts/mutate.py FILE OUTPUT) and
# compiles the result into the library as unit mutant_<file name>. The header line `kernel: <file.cu>` names the
# victim, relative to kernels/; the property ${library}_units collects mutant_<file name>:<word>.
function(gradproof_mutant library mutant)
  cmake_path(ABSOLUTE_PATH mutant NORMALIZE)
  cmake_path(GET mutant STEM name)
  string(MAKE_C_IDENTIFIER mutant_${name} unit)
  file(STRINGS ${mutant} victim REGEX "^kernel:" LIMIT_COUNT 1)
  string(REGEX REPLACE "^kernel:[ \t]*" "" victim "${victim}")
  string(STRIP "${victim}" victim)
  cmake_path(GET victim STEM word)
  set_property(GLOBAL APPEND PROPERTY ${library}_units ${unit}:${word})
  set(victim ${PROJECT_SOURCE_DIR}/kernels/${victim})
  if(NOT EXISTS ${victim} OR IS_DIRECTORY ${victim})
    message(FATAL_ERROR "${mutant}: its line 'kernel: FILE.cu' names no file in kernels/")
  endif()
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${mutant})

  set(output ${CMAKE_CURRENT_BINARY_DIR}/${unit}.cpp)
  set(mutate ${PROJECT_SOURCE_DIR}/scripts/mutate.py)
  add_custom_command(OUTPUT ${output}
    COMMAND ${GRADPROOF_PYTHON} ${mutate} ${mutant} ${output}
    DEPENDS ${mutate} ${PROJECT_SOURCE_DIR}/scripts/mutation/kernel.py ${mutant} ${victim}
    COMMENT "Mutating into ${unit}" VERBATIM)
  target_sources(${library} PRIVATE ${output})
  set_source_files_properties(${output} PROPERTIES
    COMPILE_DEFINITIONS "GRADPROOF_UNIT=${unit}" COMPILE_OPTIONS "${GRADPROOF_CHECKED_ACCESS}")
  target_link_libraries(${library} PUBLIC gradproof::cuda_headers)
endfunction()
