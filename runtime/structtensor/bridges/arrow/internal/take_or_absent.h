// Rows by index, some of which are absent: what dictionaries, unions, runs and views are made of.
#ifndef STRUCTTENSOR_BRIDGES_ARROW_INTERNAL_TAKE_OR_ABSENT_H_
#define STRUCTTENSOR_BRIDGES_ARROW_INTERNAL_TAKE_OR_ABSENT_H_

#include <cstdint>
#include <span>

#include "absl/status/statusor.h"
#include "structtensor/tensor/value.h"

namespace structtensor::arrow_internal {

// More elements than this are only made where a buffer has something for each: a run, or a view, of a few bytes may stand for
// any number of elements, and damaged ones do. As row numbers they take 400 MB.
inline constexpr int64_t kMaxExpandedElements = 50000000;

// The index of a row that is absent.
inline constexpr int64_t kAbsent = -1;

// Returns the value whose row i is row rows[i] of `value`. An absent one is an absent element or struct, an empty list, or a
// row of a uniform axis whose elements are absent in turn.
//   nullable  whether elements and structs have validity also where none is absent, so that all batches have one spec
// Requires: value.rank() >= 1 and no extension type; each row is kAbsent or 0 <= rows[i] < value.nrows().
// Errors, without a path: ResourceExhausted if lists would have more than kMaxExpandedElements elements and more than `value`
//   has; OutOfRange or ResourceExhausted if the strings of a column exceed 2 GiB.
absl::StatusOr<Value> TakeOrAbsent(const Value& value, std::span<const int64_t> rows, bool nullable);

// Returns the lists of which number i is elements [starts[i], starts[i] + lengths[i]). Where each begins behind the one before
// it, the elements are shared.
// Requires: as above; starts and lengths are equally many; each list is within the rows of `elements`. Errors: as above.
absl::StatusOr<Value> TakeLists(std::span<const int64_t> starts, std::span<const int64_t> lengths, const Value& elements);

// Bits for all of `size` elements, which are all present.
Validity AllPresentBits(int64_t size);

// Errors: ResourceExhausted if `count` is more than kMaxExpandedElements, and than `backed`, which are there.
absl::Status CheckExpanded(int64_t count, int64_t backed);

}  // namespace structtensor::arrow_internal

#endif  // STRUCTTENSOR_BRIDGES_ARROW_INTERNAL_TAKE_OR_ABSENT_H_
