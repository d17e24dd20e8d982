# Finds protobuf with its compiler: protobuf's own CMake package, which brings the Abseil that releases since 22 need, or else what
# CMake's module FindProtobuf sees, for Debian's 3.21 has no such package.
#
# Sets StructtensorProtobuf_FOUND. For functions that are called from projects above or below, these are in the cache:
#   STRUCTTENSOR_PROTOBUF_VERSION      3.21.12, 27.2.0: the number that protobuf's release has, and protoc --version prints
#   STRUCTTENSOR_PROTOBUF_INCLUDE_DIR  where google/protobuf/timestamp.proto lies
#
# The component libprotoc is what the plugin is built with; those who only run it need protoc and protobuf's .proto files.
#
# Cross builds (STRUCTTENSOR_HOST_PLUGIN) take protoc, and the .proto files beside it, from the machine that builds. The libraries are
# those for the other machine; only tests need them.
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
if(TARGET protobuf::libprotobuf AND TARGET protobuf::protoc
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
    "Run tools/setup, which installs Debian's protobuf, or, for a release that knows editions, configure with \
-DCMAKE_PREFIX_PATH=\"$(tools/protobuf27)\".")
