# Installation: headers, libraries, the plugin, and the package that find_package(structtensor CONFIG) finds.
include(CMakePackageConfigHelpers)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/structtensor)
if(STRUCTTENSOR_BUILD_COMPILER)
  install(TARGETS structtensor_core structtensor_structtensor structtensor_well_known EXPORT structtensor-targets
          ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
  install(DIRECTORY ${structtensor_BINARY_DIR}/proto_schemas/well_known/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
          FILES_MATCHING PATTERN "*.h")
endif()
# For builds without CMake. Libraries of converters are not in it.
if(STRUCTTENSOR_BUILD_COMPILER)
  file(RELATIVE_PATH structtensor_pc_to_prefix /prefix/${CMAKE_INSTALL_LIBDIR}/pkgconfig /prefix)
  get_property(structtensor_pc_libs GLOBAL PROPERTY structtensor_runtime_libraries)
  list(APPEND structtensor_pc_libs structtensor_well_known structtensor_simdjson)
  list(TRANSFORM structtensor_pc_libs PREPEND -l)
  list(JOIN structtensor_pc_libs " " structtensor_pc_libs)
  set(CMAKE_DL_LIBS_FLAG)
  if(CMAKE_DL_LIBS)
    set(CMAKE_DL_LIBS_FLAG -l${CMAKE_DL_LIBS})
  endif()
  configure_file(${structtensor_SOURCE_DIR}/cmake/structtensor.pc.in ${structtensor_BINARY_DIR}/structtensor.pc @ONLY)
  install(FILES ${structtensor_BINARY_DIR}/structtensor.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endif()
install(EXPORT structtensor-targets NAMESPACE structtensor:: DESTINATION ${package_dir})
if(STRUCTTENSOR_BUILD_CONVERTER)
  install(EXPORT structtensor-converter-targets NAMESPACE structtensor:: DESTINATION ${package_dir})
endif()

configure_package_config_file(${structtensor_SOURCE_DIR}/cmake/structtensorConfig.cmake.in
  ${structtensor_BINARY_DIR}/structtensorConfig.cmake INSTALL_DESTINATION ${package_dir} PATH_VARS CMAKE_INSTALL_INCLUDEDIR)
write_basic_package_version_file(${structtensor_BINARY_DIR}/structtensorConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${structtensor_BINARY_DIR}/structtensorConfig.cmake ${structtensor_BINARY_DIR}/structtensorConfigVersion.cmake
              ${structtensor_SOURCE_DIR}/cmake/StructtensorGenerate.cmake
              ${structtensor_SOURCE_DIR}/cmake/FindStructtensorArrow.cmake
              ${structtensor_SOURCE_DIR}/cmake/FindStructtensorCodecs.cmake
              ${structtensor_SOURCE_DIR}/cmake/FindStructtensorProtobuf.cmake
              ${structtensor_SOURCE_DIR}/cmake/FindStructtensorRe2.cmake
        DESTINATION ${package_dir})
