# Builds and runs programs that use one component each of an installed structtensor, without the libraries that other components need.
#
#   cmake -DPREFIX=... -DWORK=... -P try_components.cmake
#
# PREFIX is a folder that tools/install has installed into. It is moved to WORK/prefix, which is emptied first.
set(repository ${CMAKE_CURRENT_LIST_DIR}/../..)
function(run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE error)
  if(NOT result EQUAL 0)
    message(FATAL_ERROR "${ARGN}\nfailed (${result}):\n${output}\n${error}")
  endif()
  set(output "${output}" PARENT_SCOPE)
endfunction()
function(expect found expected)
  if(NOT found STREQUAL expected)
    message(FATAL_ERROR "found:\n${found}\nexpected:\n${expected}")
  endif()
endfunction()

file(REMOVE_RECURSE ${WORK})
file(MAKE_DIRECTORY ${WORK})
set(prefix ${WORK}/prefix)
file(RENAME ${PREFIX} ${prefix})
# Nothing may come from the folders of the user who installed.
set(ENV{HOME} ${WORK}/home)
unset(ENV{STRUCTTENSOR_CACHE})
unset(ENV{XDG_CACHE_HOME})

# build(<component> <libraries> <packages that are missing>)
set(all_packages Protobuf protobuf ZLIB StructtensorCodecs StructtensorRe2 re2 CLI11 Arrow simdjson)
function(build component libraries needed)
  set(missing ${all_packages})
  list(REMOVE_ITEM missing ${needed})
  run(${CMAKE_COMMAND} -G Ninja -S ${CMAKE_CURRENT_LIST_DIR}/components -B ${WORK}/${component} -DCMAKE_PREFIX_PATH=${prefix}
      -DCMAKE_CXX_FLAGS=-O0 -DCOMPONENT=${component} "-DLIBRARIES=${libraries}" "-DMISSING=${missing}")
  run(${CMAKE_COMMAND} --build ${WORK}/${component})
endfunction()

build(schema structtensor::schema "Protobuf;protobuf")
run(${WORK}/schema/program recipe.proto ${repository}/examples/recipes)
expect("${output}" "[{\"title\":\"egg\",\"minutes\":6,\"ingredients\":[],\"ratings\":{}}]\n")

build(records structtensor::records "ZLIB;StructtensorCodecs")
string(ASCII 7 10 3 length)
file(WRITE ${WORK}/recipes.pb "${length}egg\t\t") # a string of three bytes, and field 1 as a fixed64 that is never read
run(gzip --force ${WORK}/recipes.pb)
run(${WORK}/records/program ${WORK}/recipes.pb.gz)
expect("${output}" "1 messages\n")

build(files "structtensor::column_files" "ZLIB")
run(${WORK}/files/program ${WORK}/recipes.parquet)
expect("${output}" "[{\"title\":\"egg\",\"minutes\":6},{\"title\":\"toast\",\"minutes\":3}]\n")

run(${prefix}/bin/structtensor --version)
file(GLOB binaries ${prefix}/bin/* ${prefix}/lib/*.so)
foreach(binary ${binaries})
  run(readelf --dynamic ${binary})
  if(output MATCHES "R(UN)?PATH[^[]*\\[([^]]*)]" AND NOT CMAKE_MATCH_2 MATCHES "^\\$ORIGIN/[^:]*$")
    message(FATAL_ERROR "${binary} looks for libraries in ${CMAKE_MATCH_2}")
  endif()
endforeach()

# A generated decoder.
file(COPY ${repository}/examples/ingest/ingest.cc ${repository}/examples/recipes/recipe.proto DESTINATION ${WORK}/ingest)
file(WRITE ${WORK}/ingest/CMakeLists.txt [[
cmake_minimum_required(VERSION 3.25)
project(ingest_consumer CXX)
find_package(structtensor CONFIG REQUIRED COMPONENTS compiler)
add_executable(ingest ingest.cc)
structtensor_generate(TARGET ingest PROTOS recipe.proto)
]])
run(${CMAKE_COMMAND} -G Ninja -S ${WORK}/ingest -B ${WORK}/ingest/build -DCMAKE_PREFIX_PATH=${prefix} -DCMAKE_CXX_FLAGS=-O0)
run(${CMAKE_COMMAND} --build ${WORK}/ingest/build)
run(${WORK}/ingest/build/ingest)
if(NOT output MATCHES "sugar cookies")
  message(FATAL_ERROR "the decoder printed: ${output}")
endif()

# A component whose libraries are missing is named, with the reason.
foreach(case "records;zlib .Debian: zlib1g-dev. was not found" "converter;protobuf .+ was not found"
        "engines;there is no such component; there are runtime, shared, compiler, schema, records, scan, files, converter")
  list(POP_FRONT case component)
  execute_process(COMMAND ${CMAKE_COMMAND} -G Ninja -S ${CMAKE_CURRENT_LIST_DIR}/components -B ${WORK}/missing_${component}
                          -DCMAKE_PREFIX_PATH=${prefix} -DCOMPONENT=${component} "-DMISSING=${all_packages}"
                  RESULT_VARIABLE result OUTPUT_QUIET ERROR_VARIABLE error)
  string(REGEX REPLACE "[ \n]+" " " error "${error}")
  if(result EQUAL 0 OR NOT error MATCHES "component ${component}: ${case}")
    message(FATAL_ERROR "the component ${component} without its libraries gave: ${error}")
  endif()
endforeach()

# Generated code follows changes of imported files.
set(imports "${WORK}/with space")
file(WRITE "${imports}/CMakeLists.txt" [[
cmake_minimum_required(VERSION 3.25)
project(imports_consumer CXX)
find_package(structtensor CONFIG REQUIRED COMPONENTS compiler)
file(WRITE main.cc "int main() {}")
add_executable(program main.cc)
structtensor_generate(TARGET program PROTOS one.proto OUT_DIR out)
]])
file(WRITE "${imports}/all.proto" "an unrelated file")
file(WRITE "${imports}/one.proto" "syntax = \"proto3\"; import \"a/two.proto\"; message One { a.Two two = 1; }\n")
set(two "syntax = \"proto3\"; package a; message Two { int32 first = 1; %1 }\n")
string(REPLACE "%1" "" first "${two}")
string(REPLACE "%1" "One once_more = 2; } message One { int32 x = 1;" second "${two}")
file(WRITE "${imports}/a/two.proto" "${first}")
run(${CMAKE_COMMAND} -G Ninja -S "${imports}" -B "${imports}/build" -DCMAKE_PREFIX_PATH=${prefix})
# two.proto has no code of its own here, so only the generator runs.
run(${CMAKE_COMMAND} --build "${imports}/build" --target out/one.structtensor.cc)
file(TIMESTAMP "${imports}/build/out/one.structtensor.cc" before %s)
execute_process(COMMAND ${CMAKE_COMMAND} -E sleep 1.1)
file(WRITE "${imports}/a/two.proto" "${second}")
run(${CMAKE_COMMAND} --build "${imports}/build" --target out/one.structtensor.cc)
file(TIMESTAMP "${imports}/build/out/one.structtensor.cc" after %s)
if(NOT after GREATER before)
  message(FATAL_ERROR "one.structtensor.cc was not generated again after a change of an imported file")
endif()
message("the components of ${prefix} work")
