# Makes the target `structtensor_simdjson`: simdjson, compiled in a namespace of its own, from the source that tools/setup
# fetches, in the version that we test. Programs that link Arrow C++ contain another version of simdjson. With the same
# namespace, one of the two would call functions of the other: On-Demand has classes with tables of functions.
set(STRUCTTENSOR_SIMDJSON_SOURCE "" CACHE PATH "Folder with simdjson.h and simdjson.cpp, 3.2 or later (default: that of tools/setup)")
set(source ${STRUCTTENSOR_SIMDJSON_SOURCE})
if(NOT source)
  execute_process(COMMAND ${structtensor_SOURCE_DIR}/tools/setup --print-simdjson OUTPUT_VARIABLE source
                  OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
endif()
if(NOT EXISTS ${source}/simdjson.cpp OR NOT EXISTS ${source}/simdjson.h)
  message(FATAL_ERROR "simdjson's source is not in ${source}. Run tools/setup, which fetches it; or set STRUCTTENSOR_SIMDJSON_SOURCE "
                      "to a folder with the two files of a release, simdjson.h and simdjson.cpp.")
endif()

add_library(structtensor_simdjson STATIC ${source}/simdjson.cpp)
target_include_directories(structtensor_simdjson SYSTEM PUBLIC $<BUILD_INTERFACE:${source}>)
target_compile_definitions(structtensor_simdjson PUBLIC $<BUILD_INTERFACE:simdjson=structtensor_simdjson>)
# simdjson reads behind the end of its input, and requires that callers leave room there. Sanitizers would report this.
target_compile_options(structtensor_simdjson PRIVATE -w -O3 -fno-sanitize=all)
target_compile_features(structtensor_simdjson PRIVATE cxx_std_20)
set_target_properties(structtensor_simdjson PROPERTIES POSITION_INDEPENDENT_CODE ON CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON UNITY_BUILD OFF EXPORT_NAME simdjson)
if(STRUCTTENSOR_INSTALL)
  install(TARGETS structtensor_simdjson EXPORT structtensor-targets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT development)
endif()
