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
    target_compile_definitions(${library} PUBLIC GRADPROOF_WITH_CUDA=1)
    target_link_libraries(${library} PUBLIC gradproof::cudart)
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

# The S, P and A of a mutant's line `dtype:`; scripts/mutation/kernel.py has the same words.
function(_gradproof_mutant_types mutant result)
  set(f32 "float, float, float")
  set(f64 "double, double, double")
  set(f16 "__half, __half, float")
  set(bf16 "__nv_bfloat16, __nv_bfloat16, float")
  set(mixed "__half, float, float")
  set(mixed_bf16 "__nv_bfloat16, float, float")
  file(STRINGS ${mutant} dtype REGEX "^dtype:" LIMIT_COUNT 1)
  string(REGEX REPLACE "^dtype:[ \t]*" "" dtype "${dtype}")
  string(STRIP "${dtype}" dtype)
  if(NOT dtype)
    set(dtype f32)
  endif()
  if(NOT DEFINED ${dtype})
    message(FATAL_ERROR "${mutant}: dtype '${dtype}' is not one of f32 f64 f16 bf16 mixed mixed_bf16")
  endif()
  set(${result} "${${dtype}}" PARENT_SCOPE)
endfunction()

# gradproof_mutant(<library> <file.mutant>): applies the mutation at build time (scripts/mutate.py FILE OUTPUT) and
# compiles the result into the library as unit mutant_<file name>. The header line `kernel: <file.cu>` names the
# victim, relative to kernels/; it and the line `dtype:` (f32 without it) make the mutant's row in the list that
# ${library}_rows collects: X(name, word, S, P, A).
function(gradproof_mutant library mutant)
  cmake_path(ABSOLUTE_PATH mutant NORMALIZE)
  cmake_path(GET mutant STEM name)
  string(MAKE_C_IDENTIFIER mutant_${name} unit)
  file(STRINGS ${mutant} victim REGEX "^kernel:" LIMIT_COUNT 1)
  string(REGEX REPLACE "^kernel:[ \t]*" "" victim "${victim}")
  string(STRIP "${victim}" victim)
  cmake_path(GET victim STEM word)
  _gradproof_mutant_types(${mutant} types)
  set_property(GLOBAL APPEND_STRING PROPERTY ${library}_rows " \\\n  X(${name}, ${word}, ${types})")
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
