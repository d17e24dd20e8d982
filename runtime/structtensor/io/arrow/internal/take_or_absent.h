// Takes rows by index, where some may be absent. Used to import dictionaries, unions, runs and views.
#ifndef STRUCTTENSOR_IO_ARROW_INTERNAL_TAKE_OR_ABSENT_H_
#define STRUCTTENSOR_IO_ARROW_INTERNAL_TAKE_OR_ABSENT_H_

#include <cstdint>
#include <span>

#include "absl/status/statusor.h"
#include "structtensor/tensor/values/value.h"

namespace structtensor::arrow_internal {

// More elements than this are only made if a buffer has data for each. A run or view of a few bytes may expand to any number of
// elements, and in damaged data it does. As row numbers, this many take 400 MB.
inline constexpr int64_t kMaxExpandedElements = 50000000;

// The index of an absent row.
inline constexpr int64_t kAbsent = -1;

// Returns the value whose row i is row rows[i] of `value`. An absent row is an absent element or struct, an empty list, or a
// row of a uniform axis whose elements are absent.
//   nullable  whether elements and structs have validity even if none is absent, so that all batches have one spec
// Requires: value.rank() >= 1, value is not an extension type; each row is kAbsent or 0 <= rows[i] < value.nrows().
// Errors, without a path: ResourceExhausted if lists would have more than kMaxExpandedElements elements and more than `value`
//   has; OutOfRange or ResourceExhausted if the strings of a column exceed 2 GiB.
absl::StatusOr<Value> TakeOrAbsent(const Value& value, std::span<const int64_t> rows, bool nullable);

// Returns lists: list i has elements [starts[i], starts[i] + lengths[i]). If each list begins after the one before it, the
// elements are shared.
// Requires: as above; starts and lengths have the same size; each list is within the rows of `elements`. Errors: as above.
absl::StatusOr<Value> TakeLists(std::span<const int64_t> starts, std::span<const int64_t> lengths, const Value& elements);

// Validity bits of `size` elements that are all present.
Validity AllPresentBits(int64_t size);

// Errors: ResourceExhausted if `count` is more than kMaxExpandedElements and more than `backed`, the elements that have data.
absl::Status CheckExpanded(int64_t count, int64_t backed);

}  // namespace structtensor::arrow_internal

#endif  // STRUCTTENSOR_IO_ARROW_INTERNAL_TAKE_OR_ABSENT_H_
