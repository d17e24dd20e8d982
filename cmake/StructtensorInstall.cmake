# Installation: headers, libraries, the plugin, and the package for find_package(structtensor CONFIG).
include(CMakePackageConfigHelpers)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/structtensor)

# Each component is a Debian package: runtime (libstructtensor.so), development (headers, static libraries, files for build
# systems), compiler (the plugin), command. The component converter, which has all libraries that need more than Abseil, is not
# packaged.
install(EXPORT structtensor-targets NAMESPACE structtensor:: DESTINATION ${package_dir} COMPONENT development)
if(TARGET structtensor_shared)
  install(EXPORT structtensor-shared-targets NAMESPACE structtensor:: DESTINATION ${package_dir} COMPONENT development)
endif()
if(TARGET protoc-gen-structtensor)
  install(EXPORT structtensor-compiler-targets NAMESPACE structtensor:: DESTINATION ${package_dir} COMPONENT compiler)
endif()
get_property(installed_components GLOBAL PROPERTY structtensor_installed_components)
list(REMOVE_DUPLICATES installed_components)
foreach(component ${installed_components})
  install(EXPORT structtensor-${component}-targets NAMESPACE structtensor:: DESTINATION ${package_dir} COMPONENT converter)
endforeach()
install(FILES ${structtensor_SOURCE_DIR}/runtime/structtensor/structtensor.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/structtensor
        COMPONENT development)
if(STRUCTTENSOR_BUILD_COMPILER)
  install(DIRECTORY ${structtensor_BINARY_DIR}/proto_schemas/well_known/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT development
          FILES_MATCHING PATTERN "*.h")
  # For builds without CMake. structtensor.pc is for the shared library, if there is one. structtensor-static.pc is for the
  # static libraries. Neither has the libraries of converters.
  # Folders are relative to the file, so that the package may be moved, unless they were given as absolute ones.
  if(IS_ABSOLUTE "${CMAKE_INSTALL_LIBDIR}")
    set(structtensor_pc_prefix "${CMAKE_INSTALL_PREFIX}")
  else()
    file(RELATIVE_PATH structtensor_pc_prefix /prefix/${CMAKE_INSTALL_LIBDIR}/pkgconfig /prefix)
    string(PREPEND structtensor_pc_prefix "\${pcfiledir}/")
  endif()
  foreach(folder IN ITEMS LIBDIR INCLUDEDIR BINDIR)
    string(TOLOWER structtensor_pc_${folder} variable)
    cmake_path(ABSOLUTE_PATH CMAKE_INSTALL_${folder} BASE_DIRECTORY "\${prefix}" OUTPUT_VARIABLE ${variable})
  endforeach()
  get_property(structtensor_pc_libs GLOBAL PROPERTY structtensor_runtime_libraries)
  if(structtensor_simdjson_package)
    list(APPEND structtensor_pc_libs simdjson)
  else()
    list(APPEND structtensor_pc_libs structtensor_simdjson)
  endif()
  list(TRANSFORM structtensor_pc_libs PREPEND -l)
  list(JOIN structtensor_pc_libs " " structtensor_pc_libs)
  set(structtensor_pc_libs "-Wl,--start-group ${structtensor_pc_libs} -Wl,--end-group -pthread")
  configure_file(${structtensor_SOURCE_DIR}/cmake/structtensor.pc.in ${structtensor_BINARY_DIR}/structtensor-static.pc @ONLY)
  if(TARGET structtensor_shared)
    set(structtensor_pc_libs -lstructtensor)
  endif()
  configure_file(${structtensor_SOURCE_DIR}/cmake/structtensor.pc.in ${structtensor_BINARY_DIR}/structtensor.pc @ONLY)
  install(FILES ${structtensor_BINARY_DIR}/structtensor.pc ${structtensor_BINARY_DIR}/structtensor-static.pc
          DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT development)
endif()

configure_package_config_file(${structtensor_SOURCE_DIR}/cmake/structtensorConfig.cmake.in
  ${structtensor_BINARY_DIR}/structtensorConfig.cmake INSTALL_DESTINATION ${package_dir} PATH_VARS CMAKE_INSTALL_INCLUDEDIR CMAKE_INSTALL_LIBDIR)
write_basic_package_version_file(${structtensor_BINARY_DIR}/structtensorConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${structtensor_BINARY_DIR}/structtensorConfig.cmake ${structtensor_BINARY_DIR}/structtensorConfigVersion.cmake
              ${structtensor_SOURCE_DIR}/cmake/StructtensorDepfile.cmake
              ${structtensor_SOURCE_DIR}/cmake/StructtensorGenerate.cmake
              ${structtensor_SOURCE_DIR}/cmake/FindStructtensorArrow.cmake
              ${structtensor_SOURCE_DIR}/cmake/FindStructtensorCodecs.cmake
              ${structtensor_SOURCE_DIR}/cmake/FindStructtensorProtobuf.cmake
              ${structtensor_SOURCE_DIR}/cmake/FindStructtensorRe2.cmake
        DESTINATION ${package_dir} COMPONENT development)
if(STRUCTTENSOR_DEB_LIBRARIES)
  include(StructtensorDeb)
endif()
