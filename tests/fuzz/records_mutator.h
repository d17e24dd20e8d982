// Makes new inputs of the records fuzzer from old ones: other records in the same or another framing, compressed or not, and
// broken ones.
#ifndef STRUCTTENSOR_TESTS_FUZZ_RECORDS_MUTATOR_H_
#define STRUCTTENSOR_TESTS_FUZZ_RECORDS_MUTATOR_H_

#include <cstddef>
#include <string>
#include <string_view>

#include "plain_mutation.h"
#include "random_message.h"

namespace structtensor::testing {

// An input like `bytes`, at most `max_size` bytes long.
std::string MutateRecords(Random& random, std::string_view bytes, size_t max_size, const PlainMutation& plain);

}  // namespace structtensor::testing

#endif  // STRUCTTENSOR_TESTS_FUZZ_RECORDS_MUTATOR_H_
