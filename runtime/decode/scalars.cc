#include "structtensor/decode/scalars.h"

#include "structtensor/decode/fields.h"

namespace structtensor::decode {
namespace {

constexpr wire::WireType WireTypeOf(ScalarKind kind) {
  switch (kind) {
    case ScalarKind::kFixed32:
      return wire::kI32;
    case ScalarKind::kFixed64:
      return wire::kI64;
    case ScalarKind::kBytes:
    case ScalarKind::kUtf8:
      return wire::kLen;
    default:
      return wire::kVarint;
  }
}

}  // namespace

const uint8_t* ReadScalars(const uint8_t* p, const uint8_t* end, std::span<const ScalarField> table, Node* node, uint32_t row,
                           DecodeContext* context) {
  Column* const columns = reinterpret_cast<Column*>(node + 1);
  constexpr Appended kAt;
  while (p < end) {
    uint32_t tag = p[0];
    const uint8_t* value = p + 1;
    if (tag >= 0x80) {
      if (p[1] >= 0x80) return p;
      tag = (tag & 0x7f) | static_cast<uint32_t>(p[1]) << 7;
      value = p + 2;
    }
    const uint32_t number = tag >> 3;
    if (number >= table.size()) return p;
    const ScalarField field = table[number];
    const auto is = [&](ScalarKind kind) { return (tag & 7) == WireTypeOf(kind); };
    Column& column = columns[field.column];
    const uint32_t index = field.column;
    const uint8_t* next = nullptr;
    switch (field.kind) {
      case ScalarKind::kNone:
        return p;
#define STRUCTTENSOR_SCALAR(kind, call)  \
  case ScalarKind::kind:                 \
    if (!is(ScalarKind::kind)) return p; \
    next = call;                         \
    break
        STRUCTTENSOR_SCALAR(kInt32, SingularVarint<Int32>(value, column, node, index, row, kAt, context));
        STRUCTTENSOR_SCALAR(kUint32, SingularVarint<Uint32>(value, column, node, index, row, kAt, context));
        STRUCTTENSOR_SCALAR(kSint32, SingularVarint<Sint32>(value, column, node, index, row, kAt, context));
        STRUCTTENSOR_SCALAR(kInt64, SingularVarint<Int64>(value, column, node, index, row, kAt, context));
        STRUCTTENSOR_SCALAR(kUint64, SingularVarint<Uint64>(value, column, node, index, row, kAt, context));
        STRUCTTENSOR_SCALAR(kSint64, SingularVarint<Sint64>(value, column, node, index, row, kAt, context));
        STRUCTTENSOR_SCALAR(kBool, SingularVarint<Bool>(value, column, node, index, row, kAt, context));
        STRUCTTENSOR_SCALAR(kFixed32, SingularFixed<uint32_t>(value, column, node, index, row, kAt, context));
        STRUCTTENSOR_SCALAR(kFixed64, SingularFixed<uint64_t>(value, column, node, index, row, kAt, context));
        STRUCTTENSOR_SCALAR(kBytes, SingularString<false>(value, end, column, node, index, row, kAt, context));
        STRUCTTENSOR_SCALAR(kUtf8, SingularString<true>(value, end, column, node, index, row, kAt, context));
#undef STRUCTTENSOR_SCALAR
    }
    if (next == nullptr) [[unlikely]]
      return nullptr;
    p = next;
  }
  return p;
}

}  // namespace structtensor::decode
