// Numbers of enums, and cases of oneofs, converted to names.
#ifndef STRUCTTENSOR_TENSOR_MESSAGES_INTERNAL_ENUM_NAMES_H_
#define STRUCTTENSOR_TENSOR_MESSAGES_INTERNAL_ENUM_NAMES_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "structtensor/core/column/column_view.h"
#include "structtensor/core/plan/plan.h"

namespace structtensor::messages_internal {

// Which elements of a column have a name.
struct NamedElements {
  const plan::MessagePlan* message;   // which has the column's field
  const uint8_t* validity = nullptr;  // bits of the rows that have a value; null for all elements
  bool filled = false;                // the others have the name of the field's default; if false, an empty name
};

// Names in the layout of string columns.
struct EnumNames {
  std::vector<char> bytes;
  std::vector<int32_t> offsets;          // [column.size() + 1]
  std::vector<int32_t> compact_offsets;  // only elements with a value: [values + 1]. Empty if all have one
};

// Returns the bytes of memory that NamesOf() takes; more than any limit allows if the names do not fit in 32-bit offsets.
// Requires: a column of an enum, or of the case of a oneof. Cost: O(elements) look-ups.
size_t EnumNamesBytes(const ColumnView& column, const NamedElements& elements);

// Returns the names of the elements. Of an enum, a number without a name becomes its digits. Of the case of a oneof, the names
// are those of plan_internal::CaseNamesOf(), and 0 becomes "". Requires: EnumNamesBytes() of memory is available. Cost:
// O(elements) look-ups.
EnumNames NamesOf(const ColumnView& column, const NamedElements& elements);

}  // namespace structtensor::messages_internal

#endif  // STRUCTTENSOR_TENSOR_MESSAGES_INTERNAL_ENUM_NAMES_H_
