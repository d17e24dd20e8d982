#include "structtensor/core/decode/abi/context.h"

namespace structtensor::decode_internal {

const uint8_t* Fail(DecodeContext* context, DecodeError error, const uint8_t* position) {
  context->error = error;
  context->error_position = position;
  return nullptr;
}

}  // namespace structtensor::decode_internal
