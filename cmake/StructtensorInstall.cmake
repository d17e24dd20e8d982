# Installation: headers, libraries, the plugin, and the package that find_package(structtensor CONFIG) finds.
include(CMakePackageConfigHelpers)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/structtensor)
if(STRUCTTENSOR_BUILD_COMPILER)
  install(TARGETS structtensor_core structtensor_structtensor structtensor_well_known EXPORT structtensor-targets
          ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
  install(DIRECTORY ${structtensor_BINARY_DIR}/proto_schemas/well_known/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
          FILES_MATCHING PATTERN "*.h")
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
