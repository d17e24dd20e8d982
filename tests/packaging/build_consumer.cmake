# Installs the build, configures and builds the consumer at SOURCE in BINARY, and runs what it made.
include(${CMAKE_CURRENT_LIST_DIR}/run.cmake)

file(REMOVE_RECURSE ${BINARY})
file(COPY ${SOURCE}/CMakeLists.txt ${INGEST} ${PROTO_DIR}/recipe.proto DESTINATION ${BINARY}/project)
set(prefix ${BINARY}/prefix)
if(SOURCE MATCHES "installed$")
  # An installed package may be moved.
  run(${CMAKE_COMMAND} --install ${BUILT} --prefix ${BINARY}/first)
  file(RENAME ${BINARY}/first ${prefix})
else()
  list(JOIN FOUND_IN ":" found_in)
  set(ENV{CMAKE_PREFIX_PATH} "${found_in}")
endif()
# What is tested is that the consumer gets what it needs, so optimising it is a waste.
run(${CMAKE_COMMAND} -G Ninja -S ${BINARY}/project -B ${BINARY}/build -DCMAKE_BUILD_TYPE=Debug -DCMAKE_CXX_FLAGS_DEBUG=-O0
    -DSTRUCTTENSOR_UNITY_BUILD=ON -DCMAKE_CXX_COMPILER=${CXX}
    -DCMAKE_CXX_COMPILER_LAUNCHER=${LAUNCHER} -DCMAKE_PREFIX_PATH=${prefix} -DSTRUCTTENSOR_SOURCE=${STRUCTTENSOR}
    -DWITH_CONVERTER=${CONVERTER} -DSTRUCTTENSOR_PYTHON=${PYTHON} -DSTRUCTTENSOR_SIMDJSON_SOURCE=${SIMDJSON_SOURCE})
set(programs ingest)
set(targets ingest)
if(SOURCE MATCHES "installed$")
  list(APPEND programs ingest_stock)
  if(SHARED)
    list(APPEND programs ingest_shared)
  endif()
  set(targets all)
endif()
run(${CMAKE_COMMAND} --build ${BINARY}/build --target ${targets})

function(expect_recipes printed)
  if(NOT printed MATCHES "sugar cookies \\(25 minutes\\), 5 stars by ann\n  sugar, 1 CUP\n  egg\n")
    message(FATAL_ERROR "a consumer printed:\n${printed}")
  endif()
endfunction()
foreach(program ${programs})
  run(${BINARY}/build/${program})
  expect_recipes("${output}")
endforeach()

# A program that links libstructtensor.so needs it at run time.
if(SHARED AND SOURCE MATCHES "installed$")
  run(${READELF} --dynamic ${BINARY}/build/ingest_shared)
  if(NOT output MATCHES "NEEDED[^\n]*libstructtensor\\.so]")
    message(FATAL_ERROR "ingest_shared does not need libstructtensor.so:\n${output}")
  endif()
endif()

# An installed file that names a folder of the build would not work on another machine.
if(SOURCE MATCHES "installed$")
  file(GLOB_RECURSE installed ${prefix}/*)
  cmake_path(GET PYTHON PARENT_PATH environment) # where Arrow's libraries come from
  cmake_path(GET environment PARENT_PATH environment)
  foreach(file ${installed})
    foreach(folder ${STRUCTTENSOR} ${BINARY} ${environment})
      file(STRINGS ${file} found REGEX "${folder}/" LIMIT_COUNT 1)
      if(found)
        message(FATAL_ERROR "${file} names a folder of the build: ${found}")
      endif()
    endforeach()
  endforeach()
endif()

if(SOURCE MATCHES "installed$" AND CONVERTER)
  run(${BINARY}/build/recipe_to_columns --help)

  # Decoders do not need what the converter needs.
  run(${CMAKE_COMMAND} ${BINARY}/build -DCMAKE_DISABLE_FIND_PACKAGE_StructtensorArrow=ON -DWITH_CONVERTER=OFF)
  run(${CMAKE_COMMAND} --build ${BINARY}/build --target ingest)
endif()

# A component that is not there is named, with the reason.
if(SOURCE MATCHES "installed$")
  file(WRITE ${BINARY}/component/CMakeLists.txt "cmake_minimum_required(VERSION 3.25)\nproject(component CXX)\n"
       "find_package(structtensor CONFIG REQUIRED COMPONENTS runtime engines)\n")
  execute_process(COMMAND ${CMAKE_COMMAND} -G Ninja -S ${BINARY}/component -B ${BINARY}/component/build -DCMAKE_CXX_COMPILER=${CXX}
                          -DCMAKE_PREFIX_PATH=${prefix}
                  RESULT_VARIABLE result OUTPUT_QUIET ERROR_VARIABLE error)
  string(REGEX REPLACE "[ \n]+" " " error "${error}")
  if(result EQUAL 0 OR NOT error MATCHES "component engines: there is no such component; there are runtime, shared, compiler, schema, records, scan, files, converter")
    message(FATAL_ERROR "an unknown component gave: ${error}")
  endif()
endif()

# A program cannot link the static libraries and libstructtensor.so.
if(SHARED AND SOURCE MATCHES "installed$")
  file(WRITE ${BINARY}/both/CMakeLists.txt "cmake_minimum_required(VERSION 3.25)\nproject(both CXX)\n"
       "find_package(structtensor CONFIG REQUIRED COMPONENTS runtime shared)\nfile(WRITE both.cc \"int main() {}\")\n"
       "add_executable(both both.cc)\ntarget_link_libraries(both structtensor::structtensor structtensor::shared)\n")
  execute_process(COMMAND ${CMAKE_COMMAND} -G Ninja -S ${BINARY}/both -B ${BINARY}/both/build -DCMAKE_CXX_COMPILER=${CXX}
                          -DCMAKE_PREFIX_PATH=${prefix}
                  RESULT_VARIABLE result OUTPUT_QUIET ERROR_VARIABLE error)
  if(result EQUAL 0 OR NOT error MATCHES "STRUCTTENSOR_KIND")
    message(FATAL_ERROR "linking both kinds of libraries gave: ${error}")
  endif()
endif()

# Sources that were generated elsewhere need the runtime alone, by CMake and by pkg-config.
if(SOURCE MATCHES "installed$")
  set(without_protobuf ${BINARY}/without_protobuf)
  file(COPY ${INGEST} DESTINATION ${without_protobuf})
  run(${PROTOC} --plugin=protoc-gen-structtensor=${prefix}/bin/protoc-gen-structtensor --structtensor_out=${without_protobuf}
      -I${PROTO_DIR} recipe.proto)
  configure_file(${CMAKE_CURRENT_LIST_DIR}/runtime_only.txt ${without_protobuf}/CMakeLists.txt COPYONLY)
  run(${CMAKE_COMMAND} -G Ninja -S ${without_protobuf} -B ${without_protobuf}/build -DCMAKE_CXX_COMPILER=${CXX}
      -DCMAKE_CXX_COMPILER_LAUNCHER=${LAUNCHER} -DCMAKE_PREFIX_PATH=${prefix})
  run(${CMAKE_COMMAND} --build ${without_protobuf}/build)
  run(${without_protobuf}/build/ingest)
  expect_recipes("${output}")

  find_program(pkg_config pkg-config)
  if(pkg_config)
    file(GLOB_RECURSE pc ${prefix}/structtensor.pc)
    cmake_path(GET pc PARENT_PATH pc_dir)
    # Abseil must be the one that the package was built with.
    list(TRANSFORM FOUND_IN APPEND /lib/pkgconfig OUTPUT_VARIABLE pc_dirs)
    list(JOIN pc_dirs ":" pc_dirs)
    set(ENV{PKG_CONFIG_PATH} ${pc_dir}:${pc_dirs}:$ENV{PKG_CONFIG_PATH})
    foreach(source ingest.cc recipe.structtensor.cc)
      run(${pkg_config} --cflags structtensor)
      separate_arguments(flags UNIX_COMMAND "${output}")
      run(${LAUNCHER} ${CXX} -std=c++20 -O0 -I${without_protobuf} ${flags} -c -o ${without_protobuf}/${source}.o ${without_protobuf}/${source})
    endforeach()
    foreach(package structtensor structtensor-static)
      run(${pkg_config} --libs ${package})
      string(STRIP "${output}" flags)
      separate_arguments(flags UNIX_COMMAND "${flags}")
      # -l of a folder that has both kinds of Abseil takes the shared one.
      run(${CXX} -o ${without_protobuf}/by_${package} ${without_protobuf}/ingest.cc.o ${without_protobuf}/recipe.structtensor.cc.o ${flags}
          -Wl,-rpath,${pc_dir}/..)
      run(${without_protobuf}/by_${package})
      expect_recipes("${output}")
    endforeach()
  else()
    message("pkg-config is not there, so structtensor.pc was not tested")
  endif()
endif()
