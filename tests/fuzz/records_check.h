// Checks that must hold for every input of the records fuzzer: the reader gives the same records as a naive reader, in batches
// within their limits.
#ifndef STRUCTTENSOR_TESTS_FUZZ_RECORDS_CHECK_H_
#define STRUCTTENSOR_TESTS_FUZZ_RECORDS_CHECK_H_

#include <string>

#include "records_input.h"

namespace structtensor::testing {

// Returns "" if all is well, else what is wrong.
std::string CheckRecords(const RecordsInput& input);

}  // namespace structtensor::testing

#endif  // STRUCTTENSOR_TESTS_FUZZ_RECORDS_CHECK_H_
