# Makes the target `structtensor_shared`, libstructtensor.so: all that structtensor::structtensor links, and what else needs no
# third-party library besides Abseil. It is made of the objects of the static libraries.
#
# The number of its ABI, which is its SOVERSION. Programs that were linked with a library of one number run with each later one of the
# same number: tools/abi compares each commit with the one that set the number. What the number covers is declared in public headers,
# and in those that generated code includes.
set(STRUCTTENSOR_ABI_VERSION 1)

get_property(runtime_libraries GLOBAL PROPERTY structtensor_runtime_libraries)
set(objects $<TARGET_OBJECTS:structtensor_simdjson>)
set(third_parties)
foreach(library ${runtime_libraries})
  list(APPEND objects $<TARGET_OBJECTS:${library}>)
  get_target_property(linked ${library} LINK_LIBRARIES)
  list(FILTER linked INCLUDE REGEX "^(absl|Threads)::|^${CMAKE_DL_LIBS}$")
  list(APPEND third_parties ${linked})
endforeach()
list(REMOVE_DUPLICATES third_parties)
set(private_libraries ${third_parties})
list(FILTER private_libraries EXCLUDE REGEX "^absl::")
list(FILTER third_parties INCLUDE REGEX "^absl::")

add_library(structtensor_shared SHARED ${objects})
add_library(structtensor::shared ALIAS structtensor_shared)
set_target_properties(structtensor_shared PROPERTIES OUTPUT_NAME structtensor EXPORT_NAME shared LINKER_LANGUAGE CXX
  SOVERSION ${STRUCTTENSOR_ABI_VERSION} VERSION ${STRUCTTENSOR_ABI_VERSION}.${structtensor_VERSION})
target_compile_features(structtensor_shared INTERFACE cxx_std_20)
target_include_directories(structtensor_shared INTERFACE $<BUILD_INTERFACE:${structtensor_SOURCE_DIR}/runtime>
  $<BUILD_INTERFACE:${structtensor_BINARY_DIR}/proto_schemas/well_known> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
target_link_libraries(structtensor_shared PUBLIC ${third_parties} PRIVATE ${private_libraries})
# A name that no library has is an error here, and not at the start of a program.
target_link_options(structtensor_shared PRIVATE -Wl,-z,defs)
if(STRUCTTENSOR_INSTALL)
  install(TARGETS structtensor_shared EXPORT structtensor-shared-targets
          LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT runtime NAMELINK_COMPONENT development)
endif()
