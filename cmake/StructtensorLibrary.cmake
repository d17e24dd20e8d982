# Each room has one CMake target; tensor/math has another one, `regex`. A header is included by its path below runtime/ or
# compiler/. tests/structure checks which rooms a room may include.
#
#   structtensor_library(wire FOLDER runtime/structtensor/core/wire SOURCES abi/varint.cc DEPS structtensor::base)
#
# makes the target structtensor_wire with the alias structtensor::wire.

# Components other than `runtime` need more than Abseil. Each has an export set of its own, so that the others work on machines
# without the libraries that it needs (structtensorConfig.cmake.in has these). rooms.txt names the component of each room. These
# libraries are not rooms of runtime/:
set(structtensor_component_of_regex scan)
set(structtensor_component_of_compiler_schema schema)
set(structtensor_component_of_compiler_plan schema)

# The libraries that tests spend most of their time in, and `messages`, whose use of the stack a test measures
# (STRUCTTENSOR_DECODER_FLAGS).
set(structtensor_decoder_libraries base plan wire column decode encode engine messages)

# A program that links the static libraries and libstructtensor.so has all code twice. CMake refuses such a target: what it links
# must have one `kind`.
function(structtensor_only_with_its_like target kind)
  set_property(TARGET ${target} APPEND PROPERTY COMPATIBLE_INTERFACE_STRING STRUCTTENSOR_KIND)
  set_property(TARGET ${target} PROPERTY INTERFACE_STRUCTTENSOR_KIND "${kind}")
endfunction()

# Installs the target of a library in the component that `name` is in. Sets `export` and `part`, which is `converter` for libraries that
# the Debian packages leave out.
function(structtensor_install_library target name)
  set(export structtensor-targets)
  set(part development)
  set(component "${structtensor_component_of_${name}}")
  if(component AND NOT component STREQUAL "runtime")
    set(export structtensor-${component}-targets)
    set(part converter)
    set_property(GLOBAL APPEND PROPERTY structtensor_installed_components ${component})
  endif()
  install(TARGETS ${target} EXPORT ${export} ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT ${part})
  set(export ${export} PARENT_SCOPE)
  set(part ${part} PARENT_SCOPE)
endfunction()

# NO_HEADERS: a library that only serves another one, so its headers are not installed.
function(structtensor_library name)
  cmake_parse_arguments(ARG "NO_INSTALL;NO_HEADERS" "FOLDER" "SOURCES;DEPS;PRIVATE_DEPS" ${ARGN})
  set(target structtensor_${name})
  string(REGEX MATCH "^[^/]+" root ${ARG_FOLDER})
  set(include_dir ${structtensor_SOURCE_DIR}/${root})

  if(ARG_SOURCES)
    list(TRANSFORM ARG_SOURCES PREPEND ${structtensor_SOURCE_DIR}/${ARG_FOLDER}/)
    add_library(${target} STATIC ${ARG_SOURCES})
    set(scope PUBLIC)
    # The static library and the shared library (StructtensorShared.cmake) have the same objects. Public headers mark what is
    # exported.
    set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE ON CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON)
    target_link_libraries(${target} PRIVATE $<BUILD_INTERFACE:structtensor_warnings>)
    if(name IN_LIST structtensor_decoder_libraries)
      target_compile_options(${target} PRIVATE ${STRUCTTENSOR_DECODER_FLAGS})
    endif()
    set_property(GLOBAL APPEND PROPERTY structtensor_compiled_libraries ${target})
  else()
    add_library(${target} INTERFACE)
    set(scope INTERFACE)
  endif()
  add_library(structtensor::${name} ALIAS ${target})
  set_target_properties(${target} PROPERTIES EXPORT_NAME ${name})
  target_compile_features(${target} ${scope} cxx_std_20)
  target_include_directories(${target} ${scope} $<BUILD_INTERFACE:${include_dir}> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  target_link_libraries(${target} ${scope} ${ARG_DEPS})
  if(ARG_PRIVATE_DEPS)
    target_link_libraries(${target} PRIVATE ${ARG_PRIVATE_DEPS})
  endif()
  if(name STREQUAL "base") # which all others link
    structtensor_only_with_its_like(${target} "the static libraries")
  endif()
  if(STRUCTTENSOR_INSTALL AND NOT ARG_NO_INSTALL)
    structtensor_install_library(${target} ${name})
    if(ARG_SOURCES AND NOT export MATCHES "-.+-")
      set_property(GLOBAL APPEND PROPERTY structtensor_runtime_libraries ${target})
    endif()
    string(REGEX MATCH "/(.+)$" installed_folder ${ARG_FOLDER})
    set(installed_folder ${CMAKE_MATCH_1})
    if(ARG_NO_HEADERS)
      return()
    endif()
    install(DIRECTORY ${structtensor_SOURCE_DIR}/${ARG_FOLDER}/
            DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/${installed_folder} COMPONENT ${part} FILES_MATCHING PATTERN "*.h")
  endif()
endfunction()
