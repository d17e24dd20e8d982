// Shared by the libFuzzer targets: from libFuzzer's pointers to strings, and back.
#ifndef STRUCTTENSOR_TESTS_FUZZ_LIBFUZZER_H_
#define STRUCTTENSOR_TESTS_FUZZ_LIBFUZZER_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>

#include "random_message.h"

extern "C" size_t LLVMFuzzerMutate(uint8_t* data, size_t size, size_t max_size);

namespace structtensor::testing {

inline std::string_view AsText(const uint8_t* data, size_t size) { return {reinterpret_cast<const char*>(data), size}; }

// Copies as much of `bytes` as there is room for, and returns how much.
inline size_t CopyTo(uint8_t* out, size_t max_size, std::string_view bytes) {
  const size_t size = std::min(bytes.size(), max_size);
  if (size > 0) std::memcpy(out, bytes.data(), size);
  return size;
}

// A PlainMutation.
inline std::string MutateByLibFuzzer(Random&, std::string bytes, size_t max_size) {
  const size_t size = std::min(bytes.size(), max_size);
  bytes.resize(max_size);
  bytes.resize(LLVMFuzzerMutate(reinterpret_cast<uint8_t*>(bytes.data()), size, max_size));
  return bytes;
}

// libFuzzer keeps the input of a process that dies.
inline void DieIfNotEmpty(const std::string& problem) {
  if (problem.empty()) return;
  std::fprintf(stderr, "%s\n", problem.c_str());
  std::abort();
}

}  // namespace structtensor::testing

#endif  // STRUCTTENSOR_TESTS_FUZZ_LIBFUZZER_H_
