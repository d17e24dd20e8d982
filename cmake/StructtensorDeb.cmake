# The Debian packages that tools/deb makes with CPack. Each part of the installation is one package.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME structtensor)
set(CPACK_PACKAGE_VENDOR structtensor)
set(CPACK_PACKAGE_CONTACT "structtensor maintainers <maintainers@structtensor.invalid>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "${PROJECT_DESCRIPTION}")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_RESOURCE_FILE_LICENSE ${structtensor_SOURCE_DIR}/LICENSE)
# The libraries are built with the system's Abseil, which programs link, and the plugin and the command with a current protobuf. So the
# packages come from two build trees. STRUCTTENSOR_DEB_LIBRARIES is the one with the libraries.
set(CPACK_COMPONENTS_ALL runtime development compiler command)
# CPack reads the components of a project from CPACK_COMPONENTS_<its third element>.
set(CPACK_COMPONENTS_LIBRARIES runtime development)
set(CPACK_COMPONENTS_TOOLS compiler command)
set(CPACK_INSTALL_CMAKE_PROJECTS ${STRUCTTENSOR_DEB_LIBRARIES} structtensor LIBRARIES / ${structtensor_BINARY_DIR} structtensor TOOLS /)

set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_ENABLE_COMPONENT_DEPENDS ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
# libstructtensor.so has no version number before release 1.0, so there is nothing for shlibs files to declare.
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS OFF)
set(CPACK_DEBIAN_PACKAGE_SECTION libs)

set(CPACK_DEBIAN_RUNTIME_PACKAGE_NAME libstructtensor)
set(CPACK_COMPONENT_RUNTIME_DESCRIPTION "Protocol buffers into tensors: the library\n What programs with generated decoders run with.")
set(CPACK_DEBIAN_RUNTIME_PACKAGE_CONTROL_EXTRA ${structtensor_SOURCE_DIR}/cmake/deb/triggers)

set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_NAME libstructtensor-dev)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS "libabsl-dev")
set(CPACK_COMPONENT_DEVELOPMENT_DESCRIPTION
    "Protocol buffers into tensors: files to build with\n Headers, static libraries, and what CMake and pkg-config read.")
set(CPACK_COMPONENT_DEVELOPMENT_DEPENDS runtime)

set(CPACK_DEBIAN_COMPILER_PACKAGE_NAME structtensor-compiler)
set(CPACK_DEBIAN_COMPILER_PACKAGE_SECTION devel)
# protobuf's own .proto files are in libprotobuf-dev.
set(CPACK_DEBIAN_COMPILER_PACKAGE_DEPENDS "protobuf-compiler, libprotobuf-dev")
set(CPACK_COMPONENT_COMPILER_DESCRIPTION
    "Protocol buffers into tensors: the plugin of protoc\n Generates decoders and encoders in C++, to be built with libstructtensor-dev.")
set(CPACK_COMPONENT_COMPILER_DEPENDS development)

set(CPACK_DEBIAN_COMMAND_PACKAGE_NAME structtensor)
set(CPACK_DEBIAN_COMMAND_PACKAGE_SECTION utils)
set(CPACK_COMPONENT_COMMAND_DESCRIPTION
    "Protocol buffers into tensors: the command\n Converts protobuf data of any schema into Arrow, Parquet and JSON lines, and queries it.")
if(TARGET structtensor_arrow)
  get_target_property(arrow_dir structtensor_arrow STRUCTTENSOR_RUNTIME_DIR)
  if(arrow_dir)
    set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${arrow_dir})
  endif()
endif()
include(CPack)
