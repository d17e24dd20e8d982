// Turns values from columns to rows, for wide message types whose rows have few of the fields.
//
// If each row visited all fields that the batch has data for, it would spend time on fields that the row does not have. So the
// columns are visited once, in the order of their fields. Each value is written to a RowValue and put at the front of its row's
// list:
//
//   columns   a: 7 in row 0     b: "x" in row 1, "y" in row 0
//   lists     row 0: b "y" -> a 7      row 1: b "x"
//
// A list has the last field first, the order in which rows are written. A value that fits in a RowValue is written at once,
// with its tag, and a row copies it without looking at it.
#ifndef STRUCTTENSOR_CORE_ENCODE_INTERNAL_ROW_VALUES_H_
#define STRUCTTENSOR_CORE_ENCODE_INTERNAL_ROW_VALUES_H_

#include <cstddef>
#include <cstdint>

#include "structtensor/core/encode/abi/node.h"
#include "structtensor/core/encode/abi/varint.h"
#include "structtensor/core/plan/plan.h"

namespace structtensor::encode_internal {

// Whether the encode function of this type uses FieldsOfRow. (After its fields a plan has oneof cases and, if values of chosen
// keys are decoded, structs for these; neither has a number. Types with fewer fields have presence words or no singular
// fields.)
inline bool MayListValues(const plan::MessagePlan& plan) {
  return !plan.presence_words && !plan.message_set && plan.fields.size() > 64 && plan.fields[64].number != 0;
}

// Bytes of memory that `size` values take.
constexpr size_t RowValuesBytes(size_t size) { return (size + 1) * sizeof(RowValue) + kWritableSlackBytes; }

// Makes the lists of `node`, which has `nrows` rows. Requires: the node's columns and `present` are set; `size` is at least the
// number of values; `memory` has RowValuesBytes(size) bytes, and `last_value` has a number for each row.
void ListValues(EncodeNode* node, uint32_t nrows, uint32_t size, void* memory, uint32_t* last_value);

}  // namespace structtensor::encode_internal

#endif  // STRUCTTENSOR_CORE_ENCODE_INTERNAL_ROW_VALUES_H_
