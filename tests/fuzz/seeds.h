// Inputs to start from: for the decode fuzzer the messages of tests/cases, for the others files of every format.
#ifndef STRUCTTENSOR_TESTS_FUZZ_SEEDS_H_
#define STRUCTTENSOR_TESTS_FUZZ_SEEDS_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"

namespace structtensor::testing {

struct Seed {
  std::string name;  // fit for a file
  std::string bytes;
};

// Errors: those of ReadCases.
absl::StatusOr<std::vector<Seed>> DecodeSeeds();

// The JSON of the messages of DecodeSeeds() that can be written as JSON. Errors: those of ReadCases.
absl::StatusOr<std::vector<Seed>> JsonSeeds();

std::vector<Seed> RecordsSeeds();

// Bytes that describe one array of each type, and random bytes: the Arrow fuzzer makes an array from any bytes.
std::vector<Seed> ArrowSeeds();

// Parquet and Arrow files of our writer, and Parquet files of Arrow's with other encodings. Errors: those of the writers.
absl::StatusOr<std::vector<Seed>> ColumnFilesSeeds();

}  // namespace structtensor::testing

#endif  // STRUCTTENSOR_TESTS_FUZZ_SEEDS_H_
