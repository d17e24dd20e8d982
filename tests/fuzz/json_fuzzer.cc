// libFuzzer target: reads text as protobuf's JSON and as JSON without a schema. json_check.h explains the input.
#include "json_check.h"
#include "libfuzzer.h"

using namespace structtensor::testing;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  // Made once, and never destroyed.
  static auto* const kSchema = new OracleSchema(STRUCTTENSOR_EVERYTHING_DESCRIPTOR_SET);
  static auto* const kChecker = new JsonChecker(*kSchema);
  DieIfNotEmpty(kChecker->Check(AsText(data, size)));
  return 0;
}
