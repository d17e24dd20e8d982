// What is inside an absent struct is absent, also after it left the struct.
#ifndef STRUCTTENSOR_PATH_INTERNAL_ABSENT_H_
#define STRUCTTENSOR_PATH_INTERNAL_ABSENT_H_

#include "structtensor/tensor/validity.h"
#include "structtensor/tensor/value.h"

namespace structtensor::path_internal {

// `flat` with the rows absent that are absent in `structs`. Tensors of any rank and structs of rank 1 can tell; rows of other
// values stay as they are, which in absent structs is empty. The data is shared. Requires: flat.rank() >= 1; `structs`, if it
// has bits, has one for each row of it. Cost: O(1) without bits, else O(elements / 8) for rank 1.
Value AbsentWhere(const Validity& structs, Value flat);

// Whether all of the first `n` are present.
bool AllPresent(const Validity& validity, int64_t n);

}  // namespace structtensor::path_internal

#endif  // STRUCTTENSOR_PATH_INTERNAL_ABSENT_H_
