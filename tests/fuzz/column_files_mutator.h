// Changes inputs of the column file fuzzer without breaking what would hide the rest of the file.
#ifndef STRUCTTENSOR_TESTS_FUZZ_COLUMN_FILES_MUTATOR_H_
#define STRUCTTENSOR_TESTS_FUZZ_COLUMN_FILES_MUTATOR_H_

#include <cstddef>
#include <string>
#include <string_view>

#include "plain_mutation.h"

namespace structtensor::testing {

// Changes some bytes of the file. In most results, nothing moves, so that offsets and sizes stay right. Others resize the
// footer of a Parquet file and update its stored length, or truncate the file. The result has at most `max_size` bytes.
std::string MutateColumnFile(Random& random, std::string_view bytes, size_t max_size, const PlainMutation& plain);

}  // namespace structtensor::testing

#endif  // STRUCTTENSOR_TESTS_FUZZ_COLUMN_FILES_MUTATOR_H_
