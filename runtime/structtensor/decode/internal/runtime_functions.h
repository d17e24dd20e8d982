// How a decoder library (decode/decoder_library.h) and the runtime that opens it meet.
//
// The library contains only decode functions. When it is opened, it gets a table with the addresses of the functions that they
// call out of line. So there is one runtime in the process, with one choice of kernels. The program or module that has the
// runtime need not export symbols, which could clash with the symbols of another module. Building the library needs neither the
// runtime's sources nor Abseil. A call through the table costs as much as a call between shared libraries.
//
// Generated decoders include this header, so it needs only the standard library.
#ifndef STRUCTTENSOR_DECODE_INTERNAL_RUNTIME_FUNCTIONS_H_
#define STRUCTTENSOR_DECODE_INTERNAL_RUNTIME_FUNCTIONS_H_

#include <cstddef>
#include <cstdint>

#include "structtensor/column/internal/column.h"
#include "structtensor/decode/internal/context.h"
#include "structtensor/decode/internal/fields.h"
#include "structtensor/decode/internal/scalars.h"
#include "structtensor/plan/plan.h"
#include "structtensor/wire/internal/packed.h"
#include "structtensor/wire/internal/utf8.h"
#include "structtensor/wire/internal/varint.h"

#pragma GCC visibility push(default)

namespace structtensor::decode_internal {

// The functions that decode functions call out of line, under their names in fields.h, scalars.h and wire/internal/.
struct RuntimeFunctions {
  decltype(&decode_internal::EnterRow) EnterRow;
  decltype(&decode_internal::GrowRows) GrowRows;
  decltype(&decode_internal::GrowSingular) GrowSingular;
  decltype(&decode_internal::GrowRepeated) GrowRepeated;
  decltype(&decode_internal::StartRow) StartRow;
  decltype(&decode_internal::IfNoError) IfNoError;
  decltype(&decode_internal::NotStarted) NotStarted;
  decltype(&decode_internal::ClearMembers) ClearMembers;
  decltype(&decode_internal::ClearOneof) ClearOneof;
  decltype(&decode_internal::StartMessage) StartMessage;
  decltype(&decode_internal::StartElement) StartElement;
  decltype(&decode_internal::KeepKnownEnums) KeepKnownEnums;
  decltype(&decode_internal::KeepUnknownEnum) KeepUnknownEnum;
  decltype(&decode_internal::KeepMapEntry) KeepMapEntry;
  decltype(&decode_internal::ReadOtherField) ReadOtherField;
  decltype(&decode_internal::LongTag) LongTag;
  decltype(&decode_internal::MessageSetItem) MessageSetItem;
  decltype(&decode_internal::ReadScalars) ReadScalars;
  decltype(&decode_internal::FailAtEnd) FailAtEnd;
  decltype(&decode_internal::Fail) Fail;
  decltype(&wire_internal::ReadLongLength) ReadLongLength;
  decltype(&wire_internal::IsUtf8Slow) IsUtf8Slow;
  bool (*HasEnumNumber)(const plan::EnumPlan& enumeration, int32_t number);
  // The kernels of the level in use.
  wire_internal::kernels::ReadLongVarintFunction ReadLongVarint;
  const wire_internal::PackedFunctions* packed;
};

// The functions of this program.
const RuntimeFunctions& ThisRuntime();

// The sizes of the structs that both sides access. Compilers for one platform agree on them. A library for another platform, or
// one that was compiled with flags that change the sizes, is refused.
struct RuntimeLayout {
  uint32_t tree_node_bytes = sizeof(TreeNode);
  uint32_t column_bytes = sizeof(ColumnBuffer);
  uint32_t context_bytes = sizeof(DecodeContext);
  uint32_t message_plan_bytes = sizeof(plan::MessagePlan);
  uint32_t field_plan_bytes = sizeof(plan::FieldPlan);
  uint32_t runtime_functions_bytes = sizeof(RuntimeFunctions);

  bool operator==(const RuntimeLayout&) const = default;
};

// The decode function of a message type, and the values that show whether a plan is the one it was made for.
struct LibraryDecoder {
  const char* full_name;
  uint32_t fields;           // plan::MessagePlan::fields.size()
  uint32_t node_size_bytes;  // plan::MessagePlan::node_size_bytes
  plan::DecodeFunction decode;
};

// The result of the library's only function. `contract_version` always comes first and says what the rest means. The argument
// `contract_version` of the function does so for the other argument.
struct LibraryContents {
  int contract_version;
  RuntimeLayout layout;
  const LibraryDecoder* decoders;
  size_t size;
};

// Takes the functions that the decode functions call, before the first decode function is called. They are ignored if the
// caller's contract version is not the library's. The result lives as long as the library.
using LibraryFunction = const LibraryContents* (*)(int contract_version, const RuntimeFunctions* runtime);
inline constexpr char kLibraryFunctionName[] = "structtensor_decoder_library";

}  // namespace structtensor::decode_internal

#pragma GCC visibility pop

#endif  // STRUCTTENSOR_DECODE_INTERNAL_RUNTIME_FUNCTIONS_H_
