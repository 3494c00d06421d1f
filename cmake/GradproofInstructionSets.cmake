# SPDX-License-Identifier: Apache-2.0
# One source, a compilation for each instruction set. The source puts what it defines into the inline namespace that the
# macro GRADPROOF_ARITHMETIC_UNIT names, or into an anonymous one; core/instruction_set.h picks a compilation at run time.
#   baseline  any processor
#   fma       x86 with AVX2 and FMA
#   avx512    x86 with AVX-512 F, DQ and VL besides

# Programs that stay on this machine need one of them: the three are a quarter of a build.
option(GRADPROOF_NATIVE "Compile for the widest instructions of this machine alone" OFF)

# Under sanitizers the compilation for any processor alone: the others are the same source, and a wide one takes ten
# minutes there.
set(_gradproof_instruction_sets baseline)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64)$" AND NOT GRADPROOF_SANITIZE)
  list(APPEND _gradproof_instruction_sets fma avx512)
  if(GRADPROOF_NATIVE)
    # As core/instruction_set.cpp asks.
    file(STRINGS /proc/cpuinfo flags REGEX "^flags" LIMIT_COUNT 1)
    if("${flags} " MATCHES " avx512f " AND "${flags} " MATCHES " avx512dq " AND "${flags} " MATCHES " avx512vl ")
      set(_gradproof_instruction_sets avx512)
    elseif("${flags} " MATCHES " avx2 " AND "${flags} " MATCHES " fma ")
      set(_gradproof_instruction_sets fma)
    else()
      set(_gradproof_instruction_sets baseline)
    endif()
  endif()
endif()
# Optimised whatever the build and the target: what is not inlined would be shared with the other compilations by name. Under
# sanitizers there is one compilation.
set(_gradproof_baseline_options -O2)
if(GRADPROOF_SANITIZE)
  set(_gradproof_baseline_options "")
endif()
# Without SLP: GCC 12 makes one instruction of a product and the fused operation beside it, -ffp-contract=off or not, and
# the exact error of a product is lost. Our packs need no such vectors.
set(_gradproof_fma_options ${_gradproof_baseline_options} -mavx2 -mfma -fno-tree-slp-vectorize)
set(_gradproof_avx512_options ${_gradproof_fma_options} -mavx512f -mavx512dq -mavx512vl)

# gradproof_compile_per_isa(<target> <source.cpp> LISTED_BY <source.cpp>... [OPTIONS <option>...] [AVX512_OPTIONS <option>...]
#   [SCALAR])
# Compiles the source into the target once for each instruction set. The sources behind LISTED_BY alone may list the
# compilations (compilations_of in core/instruction_set.h): no other is compiled again where there are more of them.
# A SCALAR source computes one number at a time: AVX-512 would give it nothing over FMA, and it is not compiled for it.
function(gradproof_compile_per_isa target source)
  cmake_parse_arguments(PARSE_ARGV 2 compile "SCALAR" "" "LISTED_BY;OPTIONS;AVX512_OPTIONS")
  cmake_path(GET source STEM name)
  cmake_path(ABSOLUTE_PATH source NORMALIZE)
  cmake_path(RELATIVE_PATH source BASE_DIRECTORY ${PROJECT_SOURCE_DIR} OUTPUT_VARIABLE include)
  set(scalar_sets ${_gradproof_instruction_sets})
  list(TRANSFORM scalar_sets REPLACE "^avx512$" fma)
  list(REMOVE_DUPLICATES scalar_sets)
  set(compiled_sets ${_gradproof_instruction_sets})
  if(compile_SCALAR)
    set(compiled_sets ${scalar_sets})
  endif()
  foreach(set IN LISTS compiled_sets)
    set(options ${_gradproof_${set}_options} ${compile_OPTIONS})
    if(set STREQUAL avx512)
      list(APPEND options ${compile_AVX512_OPTIONS})
    endif()
    # A source has one list of options per directory, so each compilation gets a .cpp of one line that includes it.
    set(wrapper ${CMAKE_CURRENT_BINARY_DIR}/${set}/${name}.cpp)
    file(CONFIGURE OUTPUT ${wrapper} CONTENT "#include \"${include}\"\n")
    target_sources(${target} PRIVATE ${wrapper})
    set_source_files_properties(${wrapper} PROPERTIES
      COMPILE_DEFINITIONS "GRADPROOF_ARITHMETIC_UNIT=${set}" COMPILE_OPTIONS "${options}")
  endforeach()
  list(JOIN _gradproof_instruction_sets "," sets)
  list(JOIN scalar_sets "," scalar_sets)
  set_source_files_properties(${compile_LISTED_BY} PROPERTIES
    COMPILE_DEFINITIONS "GRADPROOF_INSTRUCTION_SETS=${sets};GRADPROOF_SCALAR_INSTRUCTION_SETS=${scalar_sets}")
endfunction()
