// What is below an absent struct is absent. Structs store their fields for all rows, also for rows that are absent. There, a
// flat field can have any values. They must not be seen:
//
//   structs  {x: 7}  null  {x: null}      flat field x  7 8 null      field_value("x")  7 null null
//
// The elements of dense fields, and of lists of one length, become absent. Rows of ragged fields become empty, so that rows of
// 0 or 1 values (an optional field) become absent, too. The type of the result depends on the type of the structs alone.
#ifndef STRUCTTENSOR_TENSOR_VALUES_SHARED_ABSENT_H_
#define STRUCTTENSOR_TENSOR_VALUES_SHARED_ABSENT_H_

#include <cstdint>

#include "structtensor/tensor/values/validity.h"
#include "structtensor/tensor/values/value.h"

namespace structtensor::values_internal {

// Whether the first `n` elements are all present.
bool AllPresent(const Validity& validity, int64_t n);

// Returns which of `n` elements are present in both. Shares the bits if only one of them has any. Cost: O(n / 8).
Validity PresentInBoth(const Validity& a, const Validity& b, int64_t n);

// Returns `flat` with the rows absent that are absent in `structs`. Values of extension types stay unchanged.
// Requires: flat.rank() >= 1; `structs`, if it has bits, has one for each row of flat.
// Cost: O(1) if `structs` has no bits, or `flat` is a tensor of rank 1 without bits of its own. Otherwise O(elements / 8) for
// dense fields and structs, and O(rows) for ragged fields. Copied: ragged fields with hidden rows, and strided views.
Value AbsentWhere(const Validity& structs, Value flat);

// Returns which structs of a field are present, where `around` says the same of the structs around them: the validity of
// AbsentWhere(around, nested). Requires: no absent struct has ragged rows with values (see WithoutHiddenRows).
Validity PresentInside(const Validity& around, const StructuredTensor& nested);

// Returns `flat` without the rows that absent structs have in ragged fields, at any depth. `rows` says which structs around it
// are present. Operations rely on this, so values from outside the library pass through here. Elements stay as they are.
// Requires: flat.rank() >= 1; `rows`, if it has bits, has one for each row of flat.
// Cost: O(rows) of what is inside nullable structs; data is copied only if there are such rows.
Value WithoutHiddenRows(const Validity& rows, const Value& flat);
StructuredTensor WithoutHiddenRows(const StructuredTensor& structs);

}  // namespace structtensor::values_internal

#endif  // STRUCTTENSOR_TENSOR_VALUES_SHARED_ABSENT_H_
