# SPDX-License-Identifier: Apache-2.0
# The bundle: what judges kernels on a machine without compiler and LibTorch, as .tar.gz and .deb (docs/install.md).
#   bin/            gradproof, gradproof-worker and gradproof-lab, stripped
#   lib/gradproof/  LibTorch's module, and the shared libraries that these load and that no Debian has to have
#   lib/, include/  the executor for extensions that Python builds with g++ (docs/load-inline.md)
#   share/          the suites, man page, completions, licences
# `gradproof-bundle` builds what goes in and nothing else; CMake's own target `package` builds the tests too.
# What links LibTorch, and LibTorch, are a component of their own, `libtorch`: the wheel (scripts/wheel) is the rest.

if(GRADPROOF_NATIVE)
  foreach(component IN ITEMS Unspecified libtorch)
    install(CODE "message(FATAL_ERROR \"the programs are compiled for this machine alone: configure with -D GRADPROOF_NATIVE=OFF\")"
      COMPONENT ${component})
  endforeach()
endif()
set_target_properties(gradproof gradproof-worker gradproof-lab PROPERTIES INSTALL_RPATH "$ORIGIN/../lib/gradproof")
set_target_properties(gradproof_libtorch PROPERTIES INSTALL_RPATH "$ORIGIN")
# What each Debian has from its own packages (CPACK_DEBIAN_PACKAGE_DEPENDS below).
set(system_libraries "^ld-linux" "^lib(c|m|dl|rt|util|pthread|gcc_s|stdc\\+\\+)\\.so")
set(with_libraries RUNTIME_DEPENDENCIES PRE_EXCLUDE_REGEXES ${system_libraries})
if(CMAKE_CROSSCOMPILING)  # CMake cannot find them then; of those that no Debian has to have only {fmt} has no archive
  set(with_libraries)
  get_target_property(type fmt::fmt TYPE)
  if(type STREQUAL "SHARED_LIBRARY")
    install(IMPORTED_RUNTIME_ARTIFACTS fmt::fmt LIBRARY DESTINATION lib/gradproof)
  endif()
endif()
install(TARGETS gradproof gradproof-worker
  ${with_libraries}
  RUNTIME DESTINATION bin LIBRARY DESTINATION lib/gradproof)
install(TARGETS gradproof-lab gradproof_libtorch
  ${with_libraries}
  RUNTIME DESTINATION bin COMPONENT libtorch LIBRARY DESTINATION lib/gradproof COMPONENT libtorch)

# CMake strips what it has built; a fifth of libtorch_cpu.so is names for a linker and a debugger.
install(CODE "if(CMAKE_INSTALL_DO_STRIP)
  set(library \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/lib/gradproof/libtorch_cpu.so\")
  execute_process(COMMAND ${CMAKE_STRIP} --strip-unneeded \${library} COMMAND_ERROR_IS_FATAL ANY)
endif()" COMPONENT libtorch)

foreach(component IN ITEMS Unspecified development)  # the bundle's and the wheel's; GradproofDevelopment.cmake
  # The executor for extensions that Python builds (docs/load-inline.md), and what they include.
  install(PROGRAMS $<TARGET_FILE:gradproof_executor> DESTINATION lib COMPONENT ${component})
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/simt DESTINATION include/gradproof COMPONENT ${component} FILES_MATCHING PATTERN "*.h")
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/fixtures/cases DESTINATION share/gradproof COMPONENT ${component})
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/cli/python/gradproof DESTINATION share/gradproof/python COMPONENT ${component}
    PATTERN __pycache__ EXCLUDE)
endforeach()

# What the program writes of itself: file, where it goes, the words of the verb.
set(pages)
function(gradproof_page file destination)
  set(page ${PROJECT_BINARY_DIR}/pages/${file})
  add_custom_command(OUTPUT ${page} COMMAND gradproof ${ARGN} >${page} DEPENDS gradproof COMMENT "Writing ${file}")
  install(FILES ${page} DESTINATION share/${destination})
  set(pages ${pages} ${page} PARENT_SCOPE)
endfunction()
file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/pages)
gradproof_page(gradproof.1 man/man1 man)
gradproof_page(gradproof bash-completion/completions completion bash)
gradproof_page(_gradproof zsh/vendor-completions completion zsh)
add_custom_target(gradproof_pages ALL DEPENDS ${pages})

# The licences of all that is in the bundle: LibTorch and the CUDA libraries beside their wheels, of Debian's packages those
# that are linked. Without LibTorch's there is no bundle.
set(documents share/doc/gradproof)
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${documents} RENAME copyright)
file(GLOB wheels ${GRADPROOF_TORCH_DIR}/../torch-*.dist-info ${GRADPROOF_TORCH_DIR}/../nvidia_cuda_*.dist-info)
foreach(wheel IN LISTS wheels)
  cmake_path(GET wheel STEM LAST_ONLY name)
  install(DIRECTORY ${wheel}/licenses/ DESTINATION ${documents}/${name} COMPONENT libtorch)
endforeach()
if(NOT wheels MATCHES "/torch-")
  install(CODE "message(FATAL_ERROR \"no licence of LibTorch beside ${GRADPROOF_TORCH_DIR}: none of it is passed on\")"
    COMPONENT libtorch)
endif()
set(boost libboost-context${Boost_VERSION_MAJOR}.${Boost_VERSION_MINOR}-dev)
foreach(package IN ITEMS ${boost} libfmt-dev libpugixml-dev libmpfr-dev libgmp-dev libminizip-dev zlib1g-dev libcli11-dev nlohmann-json3-dev)
  if(EXISTS /usr/share/doc/${package}/copyright)
    install(FILES /usr/share/doc/${package}/copyright DESTINATION ${documents}/${package})
  endif()
endforeach()

set(CPACK_GENERATOR TGZ DEB)
# Who answers for a package is who builds it: the option, else Debian's own variables.
set(maintainer "")
if(DEFINED ENV{DEBEMAIL})
  set(maintainer "$ENV{DEBFULLNAME} <$ENV{DEBEMAIL}>")
endif()
set(GRADPROOF_MAINTAINER "${maintainer}" CACHE STRING "'NAME <EMAIL>' for the .deb; DEBFULLNAME and DEBEMAIL where not given")
set(CPACK_PACKAGE_CONTACT "${GRADPROOF_MAINTAINER}")
if(NOT GRADPROOF_MAINTAINER)
  set(CPACK_PACKAGE_CONTACT "nobody was named <GRADPROOF_MAINTAINER@unset.invalid>")
endif()
set(CPACK_PACKAGE_VENDOR gradproof)
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "judge of fused CUDA kernels, forward and backward, on the CPU")
set(CPACK_PACKAGE_DIRECTORY ${PROJECT_BINARY_DIR}/package)
string(TOLOWER "gradproof-${PROJECT_VERSION}-${CMAKE_SYSTEM_NAME}-${CMAKE_SYSTEM_PROCESSOR}" CPACK_PACKAGE_FILE_NAME)
set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
set(CPACK_STRIP_FILES ON)
# Not the component of those who develop (GradproofDevelopment.cmake).
set(CPACK_INSTALL_CMAKE_PROJECTS
  "${PROJECT_BINARY_DIR};gradproof;Unspecified;/" "${PROJECT_BINARY_DIR};gradproof;libtorch;/")
set(CPACK_THREADS 0)
set(CPACK_VERBATIM_VARIABLES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_COMPRESSION_TYPE zstd)
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
# The glibc that the compiler compiles for is the oldest that the bundle runs with.
file(WRITE ${PROJECT_BINARY_DIR}/glibc.cpp "#include <features.h>\nglibc __GLIBC__ __GLIBC_MINOR__\n")
separate_arguments(flags UNIX_COMMAND "${CMAKE_CXX_FLAGS}")
execute_process(COMMAND ${CMAKE_CXX_COMPILER} ${flags} -E -P ${PROJECT_BINARY_DIR}/glibc.cpp OUTPUT_VARIABLE glibc COMMAND_ERROR_IS_FATAL ANY)
if(NOT glibc MATCHES "glibc[ \n]+([0-9]+)[ \n]+([0-9]+)")
  message(FATAL_ERROR "the compiler's C library is not glibc: ${glibc}")
endif()
set(glibc ${CMAKE_MATCH_1}.${CMAKE_MATCH_2})
set(GRADPROOF_WHEEL_PLATFORM manylinux_${CMAKE_MATCH_1}_${CMAKE_MATCH_2}_${CMAKE_SYSTEM_PROCESSOR} CACHE INTERNAL "The platform of the wheel (scripts/wheel)")
set(CPACK_DEBIAN_PACKAGE_DEPENDS "libc6 (>= ${glibc}), libstdc++6 (>= ${CMAKE_CXX_COMPILER_VERSION}), libgcc-s1")
include(CPack)

add_custom_target(gradproof-bundle
  COMMAND ${CMAKE_CPACK_COMMAND} --config ${PROJECT_BINARY_DIR}/CPackConfig.cmake
  DEPENDS gradproof gradproof-worker gradproof-lab gradproof_libtorch gradproof_executor gradproof_pages gradproof_cases
  WORKING_DIRECTORY ${PROJECT_BINARY_DIR} COMMENT "Packing" VERBATIM)
