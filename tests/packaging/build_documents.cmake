# Installs the build into BINARY, and there builds and runs the C++ of the documents (documents).
include(${CMAKE_CURRENT_LIST_DIR}/run.cmake)

file(REMOVE_RECURSE ${BINARY})
run(${CMAKE_COMMAND} --install ${BUILT} --prefix ${BINARY}/prefix)
file(GLOB sources ${STRUCTTENSOR}/tests/packaging/documents/*)
file(COPY ${sources} ${PROTO_DIR}/recipe.proto DESTINATION ${BINARY}/project)
run(${CMAKE_COMMAND} -G Ninja -S ${BINARY}/project -B ${BINARY}/build -DCMAKE_BUILD_TYPE=Debug -DCMAKE_CXX_FLAGS_DEBUG=-O0
    -DCMAKE_CXX_COMPILER=${CXX} -DCMAKE_CXX_COMPILER_LAUNCHER=${LAUNCHER} "-DCMAKE_PREFIX_PATH=${BINARY}/prefix;${FOUND_IN}"
    -DSTRUCTTENSOR_PYTHON=${PYTHON} -DREADME=${STRUCTTENSOR}/README.md)
run(${CMAKE_COMMAND} --build ${BINARY}/build)
set(programs snippets)
if(CONVERTER)
  list(APPEND programs file_snippets)
endif()
foreach(program ${programs})
  run(${BINARY}/build/${program})
endforeach()
