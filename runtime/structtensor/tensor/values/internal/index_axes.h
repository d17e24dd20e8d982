// The part of indexing that handles axes, not fields.
#ifndef STRUCTTENSOR_TENSOR_VALUES_INTERNAL_INDEX_AXES_H_
#define STRUCTTENSOR_TENSOR_VALUES_INTERNAL_INDEX_AXES_H_

#include <span>
#include <string>
#include <string_view>

#include "absl/container/inlined_vector.h"
#include "absl/status/statusor.h"
#include "structtensor/tensor/values/index.h"
#include "structtensor/tensor/values/value.h"

namespace structtensor::values_internal {

// Pieces of one key or several keys: they are rearranged, never copied.
using KeyPieces = absl::InlinedVector<const Key*, 8>;

// Applies pieces to the axes of a value. Holds the key as the caller wrote it, for messages.
class AxisIndexer {
 public:
  explicit AxisIndexer(std::span<const Key> all_keys) : all_keys_(all_keys) {}

  // Selects from axis 0 on. Requires: pieces are integers, slices, index lists, new axes and masks, and cover at most
  // value.rank() axes. Errors: see Index.
  absl::StatusOr<Value> Select(const Value& value, std::span<const Key* const> pieces) const;

  absl::Status Invalid(std::string_view what) const;
  // "key [0, 'x']: what"
  std::string Text(std::string_view what) const;

 private:
  absl::StatusOr<Value> SelectInner(const Value& value, std::span<const Key* const> pieces) const;
  absl::StatusOr<Value> SelectRows(const Value& value, const Tensor& rows, std::span<const Key* const> rest) const;
  absl::StatusOr<Value> SelectInnerIndex(const Value& value, int64_t index, std::span<const Key* const> rest) const;
  absl::StatusOr<Value> SelectInnerSlice(const Value& value, const Key::Slice& slice, std::span<const Key* const> rest) const;
  absl::StatusOr<Value> SelectInnerRows(const Value& value, std::span<const int64_t> indices, const Shape& shape,
                                        std::span<const Key* const> rest) const;
  absl::StatusOr<Value> SelectInnerMask(const Value& value, const Value& mask, std::span<const Key* const> rest) const;
  absl::StatusOr<Value> ApplyMask(const Value& value, const Value& mask) const;
  absl::StatusOr<Value> SelectFromTensor(const Tensor& tensor, int first_axis, std::span<const Key* const> pieces) const;
  absl::Status OutOfRange(int64_t index, int64_t size) const;
  absl::Status CheckUniform(int64_t index, const RowPartition& partition) const;
  absl::Status OutOfRangeOfRow(int64_t index, int64_t row, int64_t size) const;
  absl::Status CheckMask(const Value& mask) const;

  std::span<const Key> all_keys_;
};

// Returns a value with one more axis, whose only row is `value`. Requires: value is not of an extension type without axes.
Value WithAxisOfOne(const Value& value);

}  // namespace structtensor::values_internal

#endif  // STRUCTTENSOR_TENSOR_VALUES_INTERNAL_INDEX_AXES_H_
