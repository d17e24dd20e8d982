# Finds protobuf with its compiler. First it tries protobuf's own CMake package, which also finds the Abseil that releases since
# 22 need. Debian's 3.21 has no such package, so it then tries CMake's module FindProtobuf.
#
# Sets StructtensorProtobuf_FOUND. These variables are in the cache, for functions that parent projects and subprojects call:
#   STRUCTTENSOR_PROTOBUF_VERSION      3.21.12, 27.2.0: the number of protobuf's release, which protoc --version prints
#   STRUCTTENSOR_PROTOBUF_INCLUDE_DIR  the folder with google/protobuf/timestamp.proto
#
# Building the plugin needs the component libprotoc. Running it needs only protoc and protobuf's .proto files. The component `library` is
# libprotobuf without protoc.
#
# Cross builds (STRUCTTENSOR_HOST_PLUGIN) use protoc, and the .proto files beside it, from the machine that builds. The
# libraries are those for the other machine; only tests need them.
set(_structtensor_protobuf_include_dir "")
if(STRUCTTENSOR_HOST_PLUGIN)
  find_program(Protobuf_PROTOC_EXECUTABLE protoc NO_CMAKE_FIND_ROOT_PATH)
  if(Protobuf_PROTOC_EXECUTABLE)
    find_package(Protobuf MODULE QUIET)
    if(NOT TARGET protobuf::protoc)
      add_executable(protobuf::protoc IMPORTED GLOBAL)
      set_target_properties(protobuf::protoc PROPERTIES IMPORTED_LOCATION "${Protobuf_PROTOC_EXECUTABLE}")
    endif()
    execute_process(COMMAND "${Protobuf_PROTOC_EXECUTABLE}" --version OUTPUT_VARIABLE _structtensor_version)
    string(REGEX MATCH "[0-9]+([.][0-9]+)+" Protobuf_VERSION "${_structtensor_version}")
    get_filename_component(_structtensor_prefix "${Protobuf_PROTOC_EXECUTABLE}" DIRECTORY)
    unset(_structtensor_protobuf_include_dir)
    find_path(_structtensor_protobuf_include_dir google/protobuf/timestamp.proto HINTS "${_structtensor_prefix}/../include"
              NO_CMAKE_FIND_ROOT_PATH NO_CACHE)
  endif()
else()
  find_package(Protobuf CONFIG QUIET)
  if(NOT Protobuf_FOUND)
    find_package(Protobuf MODULE QUIET)
  endif()
endif()
if(TARGET protobuf::libprotobuf AND (TARGET protobuf::protoc OR "library" IN_LIST StructtensorProtobuf_FIND_COMPONENTS)
   AND (TARGET protobuf::libprotoc OR NOT "libprotoc" IN_LIST StructtensorProtobuf_FIND_COMPONENTS))
  get_target_property(_structtensor_protobuf_include_dir protobuf::libprotobuf INTERFACE_INCLUDE_DIRECTORIES)
endif()
set(STRUCTTENSOR_PROTOBUF_INCLUDE_DIR "${_structtensor_protobuf_include_dir}" CACHE INTERNAL "")
set(STRUCTTENSOR_PROTOBUF_VERSION "${Protobuf_VERSION}" CACHE INTERNAL "")

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(
  StructtensorProtobuf
  REQUIRED_VARS STRUCTTENSOR_PROTOBUF_INCLUDE_DIR
  VERSION_VAR STRUCTTENSOR_PROTOBUF_VERSION
  REASON_FAILURE_MESSAGE
    "Install protobuf with its compiler (Debian: libprotobuf-dev libprotoc-dev protobuf-compiler). For editions, configure \
with -DCMAKE_PREFIX_PATH=\"$(tools/protobuf)\", which builds a current release.")
