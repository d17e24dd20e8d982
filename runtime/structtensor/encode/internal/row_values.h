// Rows of a wide message type that have few of its fields: their values turned from columns to rows.
//
// Going through all fields that the batch has anything of, in each row, would cost time by the fields that a row does not have.
// So the columns are visited once, in the order of their fields, and each value is written to a RowValue and put in front of
// its row's list:
//
//   columns   a: 7 in row 0     b: "x" in row 1, "y" in row 0
//   lists     row 0: b "y" -> a 7      row 1: b "x"
//
// A list has the last field first, as rows are written. What fits in a RowValue is written there and then, with its tag, and a
// row copies it without looking at what it is.
#ifndef STRUCTTENSOR_ENCODE_INTERNAL_ROW_VALUES_H_
#define STRUCTTENSOR_ENCODE_INTERNAL_ROW_VALUES_H_

#include <cstddef>
#include <cstdint>

#include "structtensor/encode/internal/node.h"
#include "structtensor/encode/internal/varint.h"
#include "structtensor/plan/plan.h"

namespace structtensor::encode_internal {

// Whether the encode function of that type goes by FieldsOfRow. (Behind its fields a plan has oneof cases and, if values of
// chosen keys are decoded, structs for these, which have no numbers. Types of fewer fields have presence words or no singular
// ones.)
inline bool MayListValues(const plan::MessagePlan& plan) {
  return !plan.presence_words && !plan.message_set && plan.fields.size() > 64 && plan.fields[64].number != 0;
}

// Bytes of memory that `size` values take.
constexpr size_t RowValuesBytes(size_t size) { return (size + 1) * sizeof(RowValue) + kWritableSlackBytes; }

// Makes the lists of `node`, whose columns and `present` are there, with `nrows` rows. `size` is the number of values, or more;
// `memory` has RowValuesBytes(size), `last_value` a number for each row.
void ListValues(EncodeNode* node, uint32_t nrows, uint32_t size, void* memory, uint32_t* last_value);

}  // namespace structtensor::encode_internal

#endif  // STRUCTTENSOR_ENCODE_INTERNAL_ROW_VALUES_H_
