# SPDX-License-Identifier: Apache-2.0
# What find_package(gradproof CONFIG) finds (docs/bring-your-own.md), built by the target `gradproof-development`:
#   lib/libgradproof.a             all that a worker of one's own is made of, third parties' archives included
#   lib/libgradproof_simt.a        the executor and the launch API alone
#   lib/gradproof/                 the module of the second witness, with the build's LibTorch
#   include/gradproof/             the headers that a kernel includes
#   lib/cmake/gradproof/           the config file and gradproof_add_kernel_test
#   bin/                           gradproof and gradproof-worker
#   share/gradproof/               the suites, the Python package, the examples of kernels that are not ours
# Its component is `development`: the bundle goes without.

set(development ${PROJECT_BINARY_DIR}/development)

# gradproof_archive(<name> LIBRARIES <target>... [FILES <archive>...]): one archive of many, so that whoever links it needs to
# know neither our libraries nor theirs.
function(gradproof_archive name)
  cmake_parse_arguments(PARSE_ARGV 1 archive "" "" "LIBRARIES;FILES")
  set(output ${development}/lib${name}.a)
  set(script "CREATE ${output}\n")
  foreach(library IN LISTS archive_LIBRARIES)
    string(APPEND script "ADDLIB $<TARGET_FILE:${library}>\n")
  endforeach()
  foreach(file IN LISTS archive_FILES)
    string(APPEND script "ADDLIB ${file}\n")
  endforeach()
  file(GENERATE OUTPUT ${development}/${name}.mri CONTENT "${script}SAVE\nEND\n")
  add_custom_command(OUTPUT ${output}
    COMMAND ${CMAKE_COMMAND} -E rm -f ${output}
    COMMAND sh -c "${CMAKE_AR} -M <${development}/${name}.mri"
    COMMAND ${CMAKE_STRIP} --strip-debug ${output}
    COMMAND ${CMAKE_RANLIB} ${output}
    DEPENDS ${archive_LIBRARIES} ${development}/${name}.mri COMMENT "Archiving lib${name}.a" VERBATIM)
  install(FILES ${output} DESTINATION lib COMPONENT development)
  set(archives ${archives} ${output} PARENT_SCOPE)
endfunction()

# Third parties: an archive goes in, a shared library is named in the config file.
find_library(GRADPROOF_FMT_LIBRARY NAMES libfmt.a fmt REQUIRED)
find_library(GRADPROOF_PUGIXML_LIBRARY NAMES libpugixml.a pugixml REQUIRED)
find_library(GRADPROOF_CONTEXT_LIBRARY NAMES libboost_context.a boost_context REQUIRED)
set(GRADPROOF_SHARED_LIBRARIES "")
set(simt_files "")
set(files "")
foreach(library IN ITEMS FMT PUGIXML MPFR GMP MINIZIP ZLIB CONTEXT)
  if(NOT GRADPROOF_${library}_LIBRARY MATCHES "\\.a$")
    list(APPEND GRADPROOF_SHARED_LIBRARIES ${GRADPROOF_${library}_LIBRARY})
  elseif(library STREQUAL CONTEXT)
    list(APPEND simt_files ${GRADPROOF_CONTEXT_LIBRARY})
  else()
    list(APPEND files ${GRADPROOF_${library}_LIBRARY})
  endif()
endforeach()

set(archives "")
gradproof_archive(gradproof_simt LIBRARIES gradproof_simt FILES ${simt_files})
gradproof_archive(gradproof
  LIBRARIES gradproof_answers gradproof_protocol gradproof_judge gradproof_coverage gradproof_laws gradproof_reports gradproof_functions
    gradproof_audit gradproof_diagnosis gradproof_explain gradproof_oracles gradproof_autograd gradproof_tensor_files gradproof_kernels gradproof_core
  FILES ${files})
add_custom_target(gradproof-development ALL DEPENDS gradproof gradproof-worker gradproof_libtorch gradproof_executor ${archives})

# The headers of a kernel, and what these include.
foreach(header IN ITEMS cli/worker/own_worker.h kernels/own/own_kernel.h kernels/own/counting_unit.h kernels/call.h core/tensor/dtype.h core/tensor/read_numbers.h
    core/tensor/tensor.h)
  cmake_path(GET header PARENT_PATH folder)
  install(FILES ${PROJECT_SOURCE_DIR}/${header} DESTINATION include/gradproof/${folder} COMPONENT development)
endforeach()

include(CMakePackageConfigHelpers)
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/package/gradproofConfig.cmake.in ${development}/gradproofConfig.cmake
  INSTALL_DESTINATION lib/cmake/gradproof NO_SET_AND_CHECK_MACRO NO_CHECK_REQUIRED_COMPONENTS_MACRO)
write_basic_package_version_file(${development}/gradproofConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${development}/gradproofConfig.cmake ${development}/gradproofConfigVersion.cmake
  ${PROJECT_SOURCE_DIR}/cmake/package/GradproofKernelTest.cmake ${PROJECT_SOURCE_DIR}/cmake/package/compile_counting.sh
  ${PROJECT_SOURCE_DIR}/cli/python/gradproof/executor/cuda_source.py ${PROJECT_SOURCE_DIR}/cli/python/gradproof/executor/cuda_words.py
  DESTINATION lib/cmake/gradproof COMPONENT development)
install(PROGRAMS $<TARGET_FILE:gradproof> $<TARGET_FILE:gradproof-worker> DESTINATION bin COMPONENT development)
install(FILES $<TARGET_FILE:gradproof_libtorch> DESTINATION lib/gradproof COMPONENT development)
foreach(example IN ITEMS case_studies given_tensors own_kernel own_stage python_candidate python_tests torch_library unmodified_cu)
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/examples/${example} DESTINATION share/gradproof/examples COMPONENT development
    PATTERN __pycache__ EXCLUDE)
endforeach()
