# Installs the build, configures and builds the consumer at SOURCE in BINARY, and runs what it made.
function(run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT result EQUAL 0)
    message(FATAL_ERROR "${ARGN}\nfailed (${result}):\n${output}")
  endif()
  set(output "${output}" PARENT_SCOPE)
endfunction()

file(REMOVE_RECURSE ${BINARY})
file(COPY ${SOURCE}/CMakeLists.txt ${INGEST} ${PROTO_DIR}/recipe.proto DESTINATION ${BINARY}/project)
set(prefix ${BINARY}/prefix)
if(SOURCE MATCHES "installed$")
  run(${CMAKE_COMMAND} --install ${BUILT} --prefix ${prefix})
else()
  list(JOIN FOUND_IN ":" found_in)
  set(ENV{CMAKE_PREFIX_PATH} "${found_in}")
endif()
# What is tested is that the consumer gets what it needs, so optimising it is a waste.
run(${CMAKE_COMMAND} -G Ninja -S ${BINARY}/project -B ${BINARY}/build -DCMAKE_BUILD_TYPE=Debug -DCMAKE_CXX_FLAGS_DEBUG=-O0
    -DSTRUCTTENSOR_UNITY_BUILD=ON -DCMAKE_CXX_COMPILER=${CXX}
    -DCMAKE_CXX_COMPILER_LAUNCHER=${LAUNCHER} -DCMAKE_PREFIX_PATH=${prefix} -DSTRUCTTENSOR_SOURCE=${STRUCTTENSOR}
    -DWITH_CONVERTER=${CONVERTER})
set(programs ingest)
set(targets ingest)
if(SOURCE MATCHES "installed$")
  list(APPEND programs ingest_stock)
  set(targets all)
endif()
run(${CMAKE_COMMAND} --build ${BINARY}/build --target ${targets})

foreach(program ${programs})
  run(${BINARY}/build/${program})
  if(NOT output MATCHES "sugar cookies \\(25 minutes\\): sugar, egg\ntoast: bread\n")
    message(FATAL_ERROR "${program} printed:\n${output}")
  endif()
endforeach()

if(SOURCE MATCHES "installed$" AND CONVERTER)
  run(${BINARY}/build/recipe_to_columns --help)

  # Decoders do not need what the converter needs.
  run(${CMAKE_COMMAND} ${BINARY}/build -DCMAKE_DISABLE_FIND_PACKAGE_StructtensorArrow=ON -DWITH_CONVERTER=OFF)
  run(${CMAKE_COMMAND} --build ${BINARY}/build --target ingest)
endif()
