# Makes the target `structtensor_simdjson`: simdjson, which validates UTF-8 and finds the structure of JSON.
#
#   1. STRUCTTENSOR_SIMDJSON_SOURCE is a folder with simdjson.h and simdjson.cpp: they are compiled in a namespace of their own.
#      Programs that link Arrow C++ contain another version of simdjson. With the same namespace, one of the two would call
#      functions of the other. The tools of this repository do this.
#   2. Otherwise, the system's simdjson (its CMake package) is linked, if it is new enough.
set(STRUCTTENSOR_SIMDJSON_SOURCE "" CACHE PATH "Folder with simdjson.h and simdjson.cpp, 3.2 or later (default: the system's simdjson)")
set(structtensor_simdjson_package FALSE)
if(STRUCTTENSOR_SIMDJSON_SOURCE)
  if(NOT EXISTS ${STRUCTTENSOR_SIMDJSON_SOURCE}/simdjson.cpp OR NOT EXISTS ${STRUCTTENSOR_SIMDJSON_SOURCE}/simdjson.h)
    message(FATAL_ERROR "STRUCTTENSOR_SIMDJSON_SOURCE: ${STRUCTTENSOR_SIMDJSON_SOURCE} does not have simdjson.h and simdjson.cpp, the two "
                        "files of a release of simdjson")
  endif()
  add_library(structtensor_simdjson STATIC ${STRUCTTENSOR_SIMDJSON_SOURCE}/simdjson.cpp)
  target_include_directories(structtensor_simdjson SYSTEM PUBLIC $<BUILD_INTERFACE:${STRUCTTENSOR_SIMDJSON_SOURCE}>)
  target_compile_definitions(structtensor_simdjson PUBLIC $<BUILD_INTERFACE:simdjson=structtensor_simdjson>)
  # simdjson reads past the end of its input, and requires that callers leave room there. Sanitizers would report this.
  target_compile_options(structtensor_simdjson PRIVATE -w -O3 -fno-sanitize=all)
  target_compile_features(structtensor_simdjson PRIVATE cxx_std_20)
  set_target_properties(structtensor_simdjson PROPERTIES POSITION_INDEPENDENT_CODE ON CXX_VISIBILITY_PRESET hidden
                                                         VISIBILITY_INLINES_HIDDEN ON UNITY_BUILD OFF)
else()
  find_package(simdjson CONFIG QUIET)
  if(NOT simdjson_FOUND OR simdjson_VERSION VERSION_LESS 3.2)
    set(found "none was found")
    if(simdjson_FOUND)
      set(found "${simdjson_DIR} has ${simdjson_VERSION}")
    endif()
    message(FATAL_ERROR "structtensor needs simdjson 3.2 or later, and ${found}. Install a newer one, or set STRUCTTENSOR_SIMDJSON_SOURCE "
                        "to a folder with simdjson.h and simdjson.cpp, the two files of each release of simdjson (in a clone of "
                        "structtensor, `tools/setup --print-simdjson` fetches them and prints the folder)")
  endif()
  set(structtensor_simdjson_package TRUE)
  add_library(structtensor_simdjson INTERFACE)
  target_link_libraries(structtensor_simdjson INTERFACE simdjson::simdjson)
endif()
set_target_properties(structtensor_simdjson PROPERTIES EXPORT_NAME simdjson)
if(STRUCTTENSOR_INSTALL)
  install(TARGETS structtensor_simdjson EXPORT structtensor-targets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT development)
endif()
