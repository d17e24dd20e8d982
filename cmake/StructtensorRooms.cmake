# Reads rooms.txt. Sets structtensor_rooms and structtensor_test_folders, in its order, and structtensor_component_of_<library> to
# the component of each room.

set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${CMAKE_CURRENT_LIST_DIR}/rooms.txt)
set(structtensor_rooms "")
set(structtensor_test_folders "")
file(STRINGS ${CMAKE_CURRENT_LIST_DIR}/rooms.txt lines REGEX "^[^#]")
foreach(line ${lines})
  string(REGEX REPLACE " +" ";" builds "${line}")
  list(POP_FRONT builds folder component)
  if(NOT component STREQUAL "tests")
    list(APPEND structtensor_rooms ${folder})
    get_filename_component(library ${folder} NAME)
    set(structtensor_component_of_${library} ${component})
  endif()
  # core/plan has no tests of its own.
  if(NOT folder STREQUAL "core/plan" AND (NOT STRUCTTENSOR_TESTS_OF OR STRUCTTENSOR_TESTS_OF IN_LIST builds))
    list(APPEND structtensor_test_folders ${folder})
  endif()
endforeach()
if(NOT structtensor_test_folders)
  message(FATAL_ERROR "STRUCTTENSOR_TESTS_OF is '${STRUCTTENSOR_TESTS_OF}', a word that no line of cmake/rooms.txt has")
endif()

# Adds the room if its component can be built.
function(structtensor_add_room room)
  get_filename_component(library ${room} NAME)
  set(component ${structtensor_component_of_${library}})
  set(reads_files ${STRUCTTENSOR_BUILD_CONVERTER})
  if(STRUCTTENSOR_BUILD_PYTHON)
    set(reads_files ON)
  endif()
  if(component STREQUAL "schema")
    return() # comes after the compiler, which it links
  elseif(component STREQUAL "remote_files" OR component STREQUAL "records")
    # Reading files needs zlib, zstd and LZ4. Only the converter and the Python package require them.
    if(NOT reads_files AND NOT (StructtensorCodecs_FOUND AND ZLIB_FOUND))
      return()
    endif()
  elseif(NOT component STREQUAL "runtime" AND NOT reads_files)
    return()
  endif()
  add_subdirectory(structtensor/${room})
endfunction()
