// libFuzzer target: batches of messages against libprotobuf. decode_input.h says what the bytes mean.
#include "decode_check.h"
#include "decode_mutator.h"
#include "libfuzzer.h"

namespace structtensor::testing {
namespace {

// Made once, and never destroyed.
OracleSchema& Schema() {
  static auto* const kSchema = new OracleSchema(STRUCTTENSOR_EVERYTHING_DESCRIPTOR_SET);
  return *kSchema;
}

DecodeMutator& Mutator() {
  static auto* const kMutator = new DecodeMutator(Schema(), MutateByLibFuzzer);
  return *kMutator;
}

}  // namespace
}  // namespace structtensor::testing

using namespace structtensor::testing;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static auto* const kChecker = new DecodeChecker(Schema());
  // Under sanitizers every message is copied to the heap, so that one distance is as good as any.
  const size_t distances[] = {0};
  DieIfNotEmpty(kChecker->Check(ParseDecodeInput(AsText(data, size)), distances));
  return 0;
}

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t max_size, unsigned int seed) {
  Random random(seed);
  return CopyTo(data, max_size, Mutator().Mutate(random, AsText(data, size), max_size));
}

extern "C" size_t LLVMFuzzerCustomCrossOver(const uint8_t* one, size_t one_size, const uint8_t* other, size_t other_size,
                                            uint8_t* out, size_t max_size, unsigned int seed) {
  Random random(seed);
  return CopyTo(out, max_size, Mutator().CrossOver(random, AsText(one, one_size), AsText(other, other_size), max_size));
}
