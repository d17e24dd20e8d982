// libFuzzer target: Arrow data through the C data interface. arrow_input.h says what the bytes mean.
#include "arrow_input.h"
#include "libfuzzer.h"

using namespace structtensor::testing;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  DieIfNotEmpty(CheckArrow(AsText(data, size)));
  return 0;
}
