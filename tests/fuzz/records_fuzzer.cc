// libFuzzer target: compares the readers of record files with a naive reader. records_input.h says what the bytes mean.
#include "libfuzzer.h"
#include "records_check.h"
#include "records_mutator.h"

using namespace structtensor::testing;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  DieIfNotEmpty(CheckRecords(ParseRecordsInput(AsText(data, size))));
  return 0;
}

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t max_size, unsigned int seed) {
  Random random(seed);
  return CopyTo(data, max_size, MutateRecords(random, AsText(data, size), max_size, MutateByLibFuzzer));
}
