// The order of the archetypes in each family, for decoding (decode_table.h) and for encoding (encode_table.h).
#ifndef STRUCTTENSOR_CORE_ENGINE_INTERNAL_VALUE_INDEX_H_
#define STRUCTTENSOR_CORE_ENGINE_INTERNAL_VALUE_INDEX_H_

#include "structtensor/core/plan/kinds.h"

namespace structtensor::engine_internal {

enum ValueIndex : int {
  kInt32Index,  // and enums
  kInt64Index,
  kUint32Index,
  kUint64Index,
  kSint32Index,
  kSint64Index,
  kBoolIndex,
  kFixed32Index,  // all types of four bytes
  kFixed64Index,  // all types of eight bytes
  kTextIndex,     // length-delimited types, and groups
};

constexpr ValueIndex ValueIndexOf(plan::Kind kind) {
  switch (plan::WireTypeOf(kind)) {
    case plan::kI32:
      return kFixed32Index;
    case plan::kI64:
      return kFixed64Index;
    case plan::kLen:
    case plan::kSgroup:
    case plan::kEgroup:
      return kTextIndex;
    case plan::kVarint:
      break;
  }
  switch (kind) {
    case plan::Kind::kInt64:
      return kInt64Index;
    case plan::Kind::kUint32:
      return kUint32Index;
    case plan::Kind::kUint64:
      return kUint64Index;
    case plan::Kind::kSint32:
      return kSint32Index;
    case plan::Kind::kSint64:
      return kSint64Index;
    case plan::Kind::kBool:
      return kBoolIndex;
    default:
      return kInt32Index;
  }
}

// The archetype for values of `kind` in the family that starts with `first`.
template <typename Op>
constexpr Op InFamily(Op first, plan::Kind kind) {
  return static_cast<Op>(static_cast<int>(first) + ValueIndexOf(kind));
}

}  // namespace structtensor::engine_internal

#endif  // STRUCTTENSOR_CORE_ENGINE_INTERNAL_VALUE_INDEX_H_
