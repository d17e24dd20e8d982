// The fallback of mutators that know the structure of their inputs: libFuzzer's own mutation, or a replacement in tests.
#ifndef STRUCTTENSOR_TESTS_FUZZ_PLAIN_MUTATION_H_
#define STRUCTTENSOR_TESTS_FUZZ_PLAIN_MUTATION_H_

#include <cstddef>
#include <functional>
#include <string>

#include "random_message.h"

namespace structtensor::testing {

// Changes some bytes without regard to their meaning. The result has at most `max_size` bytes.
using PlainMutation = std::function<std::string(Random& random, std::string bytes, size_t max_size)>;

}  // namespace structtensor::testing

#endif  // STRUCTTENSOR_TESTS_FUZZ_PLAIN_MUTATION_H_
