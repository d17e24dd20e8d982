// What a mutator that knows the structure of its inputs falls back to: libFuzzer's own mutation, or what a test has instead.
#ifndef STRUCTTENSOR_TESTS_FUZZ_PLAIN_MUTATION_H_
#define STRUCTTENSOR_TESTS_FUZZ_PLAIN_MUTATION_H_

#include <cstddef>
#include <functional>
#include <string>

#include "random_message.h"

namespace structtensor::testing {

// Changes some bytes and knows nothing of their meaning; the result has at most `max_size` bytes.
using PlainMutation = std::function<std::string(Random& random, std::string bytes, size_t max_size)>;

}  // namespace structtensor::testing

#endif  // STRUCTTENSOR_TESTS_FUZZ_PLAIN_MUTATION_H_
