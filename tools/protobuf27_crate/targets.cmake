# How the targets of protobuf's own build are compiled for tools/protobuf27: what is only run once or not at all costs no time.
# protobuf's build reads this file behind its project() (CMAKE_PROJECT_protobuf_INCLUDE).

function(structtensor_protobuf27_targets)
  # Nearly all of the time goes into headers.
  foreach(target libprotobuf libprotoc)
    target_precompile_headers(${target} PRIVATE
      <algorithm> <functional> <memory> <string> <utility> <vector>
      <absl/container/flat_hash_map.h> <absl/container/flat_hash_set.h> <absl/log/absl_check.h> <absl/log/absl_log.h>
      <absl/strings/str_cat.h> <absl/strings/string_view.h> <absl/strings/substitute.h> <absl/synchronization/mutex.h>
      <google/protobuf/descriptor.h> <google/protobuf/descriptor.pb.h>)
  endforeach()
  target_precompile_headers(libprotoc PRIVATE <google/protobuf/compiler/code_generator.h> <google/protobuf/io/printer.h>)

  # tools/bench measures libprotobuf, which stays as optimised as protobuf's users have it. The compiler and the runner are not measured.
  foreach(target libprotoc protoc libconformance_common conformance_test_runner)
    if(TARGET ${target})
      target_compile_options(${target} PRIVATE -O0)
    endif()
  endforeach()

  # Nobody links the lite library; the installation only wants that there is one.
  set_property(TARGET libprotobuf-lite PROPERTY SOURCES src/google/protobuf/any_lite.cc)
  # protobuf's own testee.
  if(TARGET conformance_cpp)
    set_property(TARGET conformance_cpp PROPERTY EXCLUDE_FROM_ALL ON)
  endif()
endfunction()

cmake_language(DEFER CALL structtensor_protobuf27_targets)
