# structtensor_test: makes the googletest program of a folder of tests/.
#
#   structtensor_test(wire_test SOURCES packed_test.cc varint_test.cc DEPS structtensor::wire [SHARDS n])
#
# Makes the executable, and registers it with ctest: as one test, or as SHARDS tests that divide the program's tests among them.
# A failure names the tests that failed. A program in which no test ran fails. tools/test adds up how many tests ran.
function(structtensor_test name)
  cmake_parse_arguments(ARG "" "SHARDS" "SOURCES;DEPS" ${ARGN})
  if(ARG_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "structtensor_test(${name}): unknown argument ${ARG_UNPARSED_ARGUMENTS}")
  endif()
  if(NOT ARG_SHARDS)
    set(ARG_SHARDS 1)
  endif()
  add_executable(${name} ${ARG_SOURCES})
  target_link_libraries(${name} PRIVATE ${ARG_DEPS} structtensor_warnings GTest::gmock_main)
  separate_arguments(test_flags NATIVE_COMMAND "${STRUCTTENSOR_TEST_FLAGS}")
  target_compile_options(${name} PRIVATE ${test_flags})
  foreach(shard RANGE 1 ${ARG_SHARDS})
    set(test ${name})
    set(environment GTEST_BRIEF=1)
    if(ARG_SHARDS GREATER 1)
      set(test ${name}_${shard}_of_${ARG_SHARDS})
      math(EXPR index "${shard} - 1")
      list(APPEND environment GTEST_TOTAL_SHARDS=${ARG_SHARDS} GTEST_SHARD_INDEX=${index})
    endif()
    add_test(NAME ${test} COMMAND ${name})
    set_tests_properties(${test} PROPERTIES ENVIRONMENT "${environment}"
                         FAIL_REGULAR_EXPRESSION "\\] 0 tests from 0 test suites ran")
  endforeach()
endfunction()
