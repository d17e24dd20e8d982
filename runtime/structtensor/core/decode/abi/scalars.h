// Reads singular scalars of message types with many fields through a table, not with a switch case for each field.
//
// A message sets only a few of the thousands of fields of such a type. With code for each field, nearly every value would miss
// the instruction cache. A table with four bytes a field stays in the data cache and needs code for only a few archetypes.
// Measured on a type of 2,000 optional fields with ten random ones in a message: 190 ns a message instead of 390.
#ifndef STRUCTTENSOR_CORE_DECODE_ABI_SCALARS_H_
#define STRUCTTENSOR_CORE_DECODE_ABI_SCALARS_H_

#include <cstdint>
#include <span>

#include "structtensor/core/column/abi/column.h"
#include "structtensor/core/decode/abi/context.h"

#pragma GCC visibility push(default)

namespace structtensor::decode_internal {

enum class ScalarKind : uint8_t {
  kNone,
#define STRUCTTENSOR_ENUMERATOR(prefix, name) k##name,
  STRUCTTENSOR_WRITTEN_VARINTS(STRUCTTENSOR_ENUMERATOR, ~)
#undef STRUCTTENSOR_ENUMERATOR
      kFixed32,
  kFixed64,
  kBytes,
  kUtf8,
  kFixedSize,
};

// The field whose number is the index in the table.
struct ScalarField {
  uint16_t column = 0;  // index of the column that its values are appended to
  ScalarKind kind = ScalarKind::kNone;
};

// Reads fields of the table from `p` on, up to the first field that is not in the table, or to `end`. Returns the position
// there, or null after an error. Requires: the columns of `node` are side by side after it, in the order of their indices.
const uint8_t* ReadScalars(const uint8_t* p, const uint8_t* end, std::span<const ScalarField> table, TreeNode* node,
                           uint32_t row, DecodeContext* context);

}  // namespace structtensor::decode_internal

#pragma GCC visibility pop

#endif  // STRUCTTENSOR_CORE_DECODE_ABI_SCALARS_H_
