// libFuzzer target: reads Parquet and Arrow files. column_files_check.h says what the bytes mean.
#include "column_files_check.h"
#include "column_files_mutator.h"
#include "libfuzzer.h"

using namespace structtensor::testing;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  DieIfNotEmpty(CheckColumnFile(AsText(data, size)));
  return 0;
}

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t max_size, unsigned int seed) {
  Random random(seed);
  return CopyTo(data, max_size, MutateColumnFile(random, AsText(data, size), max_size, MutateByLibFuzzer));
}
