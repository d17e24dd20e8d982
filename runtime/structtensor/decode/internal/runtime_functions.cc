#include "structtensor/decode/internal/runtime_functions.h"

#include <atomic>

namespace structtensor::decode_internal {

const RuntimeFunctions& ThisRuntime() {
  // Made on the first call, because the kernels are chosen while static objects are initialised.
  static const RuntimeFunctions functions = {
      .EnterRow = &EnterRow,
      .GrowRows = &GrowRows,
      .GrowSingular = &GrowSingular,
      .GrowRepeated = &GrowRepeated,
      .StartRow = &StartRow,
      .IfNoError = &IfNoError,
      .NotStarted = &NotStarted,
      .ClearMembers = &ClearMembers,
      .ClearOneof = &ClearOneof,
      .StartMessage = &StartMessage,
      .StartElement = &StartElement,
      .KeepKnownEnums = &KeepKnownEnums,
      .KeepUnknownEnum = &KeepUnknownEnum,
      .KeepMapEntry = &KeepMapEntry,
      .ReadOtherField = &ReadOtherField,
      .LongTag = &LongTag,
      .MessageSetItem = &MessageSetItem,
      .ReadScalars = &ReadScalars,
      .FailAtEnd = &FailAtEnd,
      .Fail = &Fail,
      .ReadLongLength = &wire_internal::ReadLongLength,
      .IsUtf8Slow = &wire_internal::IsUtf8Slow,
      .HasEnumNumber = [](const plan::EnumPlan& enumeration, int32_t number) { return enumeration.Has(number); },
      .ReadLongVarint = wire_internal::kernels::g_read_long_varint.load(std::memory_order_relaxed),
      .packed = wire_internal::kernels::g_packed_functions.load(std::memory_order_relaxed),
  };
  return functions;
}

}  // namespace structtensor::decode_internal
