// Values of absent structs stay absent when they leave the struct.
#ifndef STRUCTTENSOR_PATH_INTERNAL_ABSENT_H_
#define STRUCTTENSOR_PATH_INTERNAL_ABSENT_H_

#include "structtensor/tensor/validity.h"
#include "structtensor/tensor/value.h"

namespace structtensor::path_internal {

// Returns `flat` with the rows absent that are absent in `structs`. This applies to tensors of any rank and structs of rank 1.
// Rows of other values stay unchanged: in absent structs they are empty. The data is shared. Requires: flat.rank() >= 1;
// `structs`, if it has bits, has one for each row of flat. Cost: O(1) without bits, else O(elements / 8) for rank 1.
Value AbsentWhere(const Validity& structs, Value flat);

// Whether the first `n` elements are all present.
bool AllPresent(const Validity& validity, int64_t n);

}  // namespace structtensor::path_internal

#endif  // STRUCTTENSOR_PATH_INTERNAL_ABSENT_H_
