# Makes the target `structtensor_shared`, which is libstructtensor.so, from the objects of the static libraries. It has
# everything that structtensor::structtensor links, and all other libraries that need no third-party library besides Abseil.
#
# It has no version number before release 1.0: a program runs with the library that it was linked with.

get_property(runtime_libraries GLOBAL PROPERTY structtensor_runtime_libraries)
set(objects)
set(third_parties)
if(structtensor_simdjson_package)
  set(third_parties simdjson::simdjson)
else()
  set(objects $<TARGET_OBJECTS:structtensor_simdjson>)
endif()
foreach(library ${runtime_libraries})
  list(APPEND objects $<TARGET_OBJECTS:${library}>)
  get_target_property(linked ${library} LINK_LIBRARIES)
  list(FILTER linked INCLUDE REGEX "^(absl|Threads|simdjson)::")
  list(APPEND third_parties ${linked})
endforeach()
list(REMOVE_DUPLICATES third_parties)
set(private_libraries ${third_parties})
list(FILTER private_libraries EXCLUDE REGEX "^absl::")
list(FILTER third_parties INCLUDE REGEX "^absl::")

add_library(structtensor_shared SHARED ${objects})
add_library(structtensor::shared ALIAS structtensor_shared)
set_target_properties(structtensor_shared PROPERTIES OUTPUT_NAME structtensor EXPORT_NAME shared LINKER_LANGUAGE CXX)
structtensor_only_with_its_like(structtensor_shared "libstructtensor.so")
target_compile_features(structtensor_shared INTERFACE cxx_std_20)
target_include_directories(structtensor_shared INTERFACE $<BUILD_INTERFACE:${structtensor_SOURCE_DIR}/runtime>
  $<BUILD_INTERFACE:${structtensor_BINARY_DIR}/proto_schemas/well_known> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
target_link_libraries(structtensor_shared PUBLIC ${third_parties} PRIVATE ${private_libraries})
# A name that no library has is an error of the link, and not of the start of a program.
target_link_options(structtensor_shared PRIVATE -Wl,-z,defs)
if(STRUCTTENSOR_INSTALL)
  install(TARGETS structtensor_shared EXPORT structtensor-shared-targets
          LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT runtime)
endif()
