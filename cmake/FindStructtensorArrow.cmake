# Finds Arrow C++ with Parquet, and makes the target `structtensor_arrow` for it.
#
# Debian 12 has no Arrow package. So these places are tried, in this order:
#   1. in an installation of structtensor, the libraries that were installed with it (STRUCTTENSOR_ARROW_BUNDLE);
#   2. an installed Arrow C++ (its CMake packages Arrow and Parquet);
#   3. the headers and libraries in the pyarrow wheel, which are there for extension modules. The wheel is in the Python of
#      STRUCTTENSOR_PYTHON (tools/setup --print-python names a Python with the wheel), else in the python3 on PATH.
#
# If this Arrow C++ has S3 and GCS, targets that link structtensor_arrow are compiled with STRUCTTENSOR_ARROW_S3 and
# STRUCTTENSOR_ARROW_GCS.
#
# Sets StructtensorArrow_FOUND, StructtensorArrow_VERSION and StructtensorArrow_ORIGIN (a phrase for messages).

set(STRUCTTENSOR_PYTHON "" CACHE FILEPATH "Python whose pyarrow package brings Arrow C++ where none is installed")
set(StructtensorArrow_ORIGIN "")
set(_structtensor_arrow_problem "")

# Programs need no headers of Arrow to link structtensor's libraries.
function(_structtensor_arrow_from_bundle)
  if(NOT STRUCTTENSOR_ARROW_BUNDLED)
    return()
  endif()
  set(libraries ${STRUCTTENSOR_ARROW_BUNDLED})
  list(TRANSFORM libraries PREPEND "${STRUCTTENSOR_ARROW_BUNDLE}/")
  foreach(library ${libraries})
    if(NOT EXISTS ${library})
      return()
    endif()
  endforeach()
  add_library(structtensor_arrow INTERFACE IMPORTED GLOBAL)
  target_link_libraries(structtensor_arrow INTERFACE ${libraries})
  set(StructtensorArrow_ORIGIN "${STRUCTTENSOR_ARROW_BUNDLE}" PARENT_SCOPE)
endfunction()

function(_structtensor_arrow_from_package)
  find_package(Arrow CONFIG QUIET)
  find_package(Parquet CONFIG QUIET)
  if(NOT Arrow_FOUND OR NOT Parquet_FOUND)
    return()
  endif()
  foreach(kind shared static)
    if(TARGET Arrow::arrow_${kind} AND TARGET Parquet::parquet_${kind})
      # The package's targets are only visible in the folder that found them. Parent folders must see them, too.
      set_target_properties(Arrow::arrow_${kind} Parquet::parquet_${kind} PROPERTIES IMPORTED_GLOBAL TRUE)
      add_library(structtensor_arrow INTERFACE IMPORTED GLOBAL)
      target_link_libraries(structtensor_arrow INTERFACE Parquet::parquet_${kind} Arrow::arrow_${kind})
      # Newer versions have S3 in a separate library.
      find_package(ArrowS3 CONFIG QUIET)
      if(TARGET Arrow::arrow_s3_${kind})
        set_target_properties(Arrow::arrow_s3_${kind} PROPERTIES IMPORTED_GLOBAL TRUE)
        target_link_libraries(structtensor_arrow INTERFACE Arrow::arrow_s3_${kind})
      endif()
      set(StructtensorArrow_VERSION ${Arrow_VERSION} PARENT_SCOPE)
      set(StructtensorArrow_ORIGIN "the installed Arrow C++ in ${Arrow_DIR}" PARENT_SCOPE)
      return()
    endif()
  endforeach()
endfunction()

function(_structtensor_arrow_from_wheel)
  set(python "${STRUCTTENSOR_PYTHON}")
  if(NOT python)
    find_program(STRUCTTENSOR_SYSTEM_PYTHON NAMES python3)
    mark_as_advanced(STRUCTTENSOR_SYSTEM_PYTHON)
    set(python "${STRUCTTENSOR_SYSTEM_PYTHON}")
  endif()
  if(NOT python)
    set(_structtensor_arrow_problem "there is no python3 on PATH" PARENT_SCOPE)
    return()
  endif()
  execute_process(
    COMMAND "${python}" -c
            "import pyarrow; print(pyarrow.cpp_version, pyarrow.get_include(), *pyarrow.get_library_dirs(), sep='\\n')"
    RESULT_VARIABLE result OUTPUT_VARIABLE lines ERROR_QUIET OUTPUT_STRIP_TRAILING_WHITESPACE)
  if(NOT result EQUAL 0)
    set(_structtensor_arrow_problem "${python} does not run or has no package pyarrow" PARENT_SCOPE)
    return()
  endif()
  string(REPLACE "\n" ";" lines "${lines}")
  list(POP_FRONT lines version include_dir)

  # The wheel names its libraries libarrow.so.<ABI version>. It has no plain libarrow.so, which -larrow would look for.
  foreach(name arrow parquet arrow_s3)
    set(${name}_library "")
    foreach(library_dir IN LISTS lines)
      file(GLOB candidates LIST_DIRECTORIES false "${library_dir}/lib${name}.so*")
      list(FILTER candidates INCLUDE REGEX "/lib${name}\\.so(\\.[0-9]+)?$")
      if(candidates)
        list(GET candidates -1 ${name}_library)
        break()
      endif()
    endforeach()
  endforeach()
  if(NOT EXISTS "${include_dir}/arrow/api.h" OR NOT arrow_library OR NOT parquet_library)
    set(_structtensor_arrow_problem "the pyarrow of ${python} carries no C++ headers or no Parquet library" PARENT_SCOPE)
    return()
  endif()

  get_filename_component(runtime_dir "${arrow_library}" DIRECTORY)
  add_library(structtensor_arrow INTERFACE IMPORTED GLOBAL)
  target_include_directories(structtensor_arrow SYSTEM INTERFACE "${include_dir}")
  target_link_libraries(structtensor_arrow INTERFACE "${parquet_library}" "${arrow_library}")
  # Newer versions have S3 in a separate library.
  if(arrow_s3_library)
    target_link_libraries(structtensor_arrow INTERFACE "${arrow_s3_library}")
  endif()
  set_target_properties(structtensor_arrow PROPERTIES STRUCTTENSOR_RUNTIME_DIR "${runtime_dir}")
  set(names "")
  foreach(library ${parquet_library} ${arrow_library} ${arrow_s3_library})
    cmake_path(GET library FILENAME name)
    list(APPEND names ${name})
  endforeach()
  set(StructtensorArrow_NAMES ${names} PARENT_SCOPE) # of the libraries that an installation bundles
  if(NOT STRUCTTENSOR_BUNDLE_ARROW)
    # The linker writes the path into the binary. If CMake wrote it, CMake would remove it at installation.
    target_link_options(structtensor_arrow INTERFACE "LINKER:-rpath,${runtime_dir}")
  endif()
  set(StructtensorArrow_VERSION "${version}" PARENT_SCOPE)
  set(StructtensorArrow_ORIGIN "the pyarrow package in ${runtime_dir}" PARENT_SCOPE)
endfunction()

# Checks whether Arrow has a file system. A header may exist without the library, so this links.
function(_structtensor_arrow_has name header code)
  set(CMAKE_REQUIRED_LIBRARIES structtensor_arrow)
  set(CMAKE_REQUIRED_FLAGS "${CMAKE_CXX20_STANDARD_COMPILE_OPTION}")
  set(CMAKE_REQUIRED_QUIET ON)
  check_cxx_source_compiles("#include <arrow/filesystem/${header}>\nint main() { ${code}; }" STRUCTTENSOR_ARROW_HAS_${name})
  if(STRUCTTENSOR_ARROW_HAS_${name})
    target_compile_definitions(structtensor_arrow INTERFACE STRUCTTENSOR_ARROW_${name})
  endif()
endfunction()

if(TARGET structtensor_arrow)
  set(StructtensorArrow_ORIGIN "found before")
else()
  _structtensor_arrow_from_bundle()
  if(NOT TARGET structtensor_arrow)
    _structtensor_arrow_from_package()
  endif()
  if(NOT TARGET structtensor_arrow)
    _structtensor_arrow_from_wheel()
  endif()
  if(TARGET structtensor_arrow AND NOT STRUCTTENSOR_ARROW_BUNDLE)
    include(CheckCXXSourceCompiles)
    _structtensor_arrow_has(S3 s3fs.h "return arrow::fs::IsS3Initialized()")
    _structtensor_arrow_has(GCS gcsfs.h "return arrow::fs::GcsOptions::Anonymous().credentials.anonymous()")
  endif()
endif()

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(
  StructtensorArrow
  REQUIRED_VARS StructtensorArrow_ORIGIN
  VERSION_VAR StructtensorArrow_VERSION
  REASON_FAILURE_MESSAGE
    "No Arrow C++ was found: no CMake packages Arrow and Parquet are installed, and ${_structtensor_arrow_problem}. Run \
tools/setup and configure with -DSTRUCTTENSOR_PYTHON=\"$(tools/setup --print-python)\", or install Arrow C++, or leave the \
converter out with -DSTRUCTTENSOR_BUILD_CONVERTER=OFF.")
