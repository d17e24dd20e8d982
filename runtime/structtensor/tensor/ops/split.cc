#include "structtensor/tensor/ops/split.h"

#include <optional>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "structtensor/core/base/shared/status.h"
#include "structtensor/tensor/ops/gather.h"
#include "structtensor/tensor/ops/shared/axis_stack.h"

namespace structtensor {
namespace {

// No values make any number of parts, all empty. A number beyond this one is a mistake, and would fill the memory.
constexpr int64_t kMaxEmptyParts = 1 << 16;

// The size of an axis. Errors: InvalidArgument if the axis is ragged and so cannot be split.
absl::StatusOr<int64_t> SizeOfAxis(const Value& value, int axis) {
  const int64_t size = value.shape()[axis];
  if (size != kUnknownDimension) return size;
  return absl::InvalidArgumentError(
      absl::StrCat("axis ", axis, " is ragged: its rows differ in length; only dense and uniform axes can be split"));
}

absl::StatusOr<std::vector<int64_t>> ResolveSizes(std::span<const int64_t> sizes, int64_t total) {
  std::vector<int64_t> resolved(sizes.begin(), sizes.end());
  std::optional<size_t> inferred;
  int64_t sum = 0;
  for (size_t i = 0; i < sizes.size(); ++i) {
    if (sizes[i] == -1 && !inferred) {
      inferred = i;
    } else if (sizes[i] < 0) {
      return absl::InvalidArgumentError(
          absl::StrCat("sizes[", i, "] is ", sizes[i], "; sizes must not be negative, except that one may be -1"));
    } else if (__builtin_add_overflow(sum, sizes[i], &sum)) {
      return absl::InvalidArgumentError("sizes add up to more than int64 can count");
    }
  }
  if (inferred && sum <= total) {
    resolved[*inferred] = total - sum;
    sum = total;
  }
  if (sum == total) return resolved;
  return absl::InvalidArgumentError(
      absl::StrCat("sizes add up to ", sum, ", but the axis has ", total, " values; they must be equal"));
}

}  // namespace

absl::StatusOr<std::vector<Value>> Split(const Value& value, std::span<const int64_t> sizes, int64_t axis) {
  STRUCTTENSOR_ASSIGN_OR_RETURN(const int split_axis, ops_internal::ResolveAxis(axis, value.rank()));
  STRUCTTENSOR_ASSIGN_OR_RETURN(const int64_t total, SizeOfAxis(value, split_axis));
  STRUCTTENSOR_ASSIGN_OR_RETURN(const std::vector<int64_t> resolved, ResolveSizes(sizes, total));
  std::vector<Value> parts;
  parts.reserve(resolved.size());
  std::vector<int64_t> begin(static_cast<size_t>(split_axis) + 1, 0);
  std::vector<int64_t> size(static_cast<size_t>(split_axis) + 1, -1);
  for (int64_t part_size : resolved) {
    if (split_axis == 0) {
      parts.push_back(value.SliceRows(begin[0], begin[0] + part_size));
    } else {
      size.back() = part_size;
      STRUCTTENSOR_ASSIGN_OR_RETURN(const Value part, Slice(value, begin, size));
      parts.push_back(part);
    }
    begin.back() += part_size;
  }
  return parts;
}

absl::StatusOr<std::vector<Value>> SplitEvenly(const Value& value, int64_t count, int64_t axis) {
  STRUCTTENSOR_ASSIGN_OR_RETURN(const int split_axis, ops_internal::ResolveAxis(axis, value.rank()));
  STRUCTTENSOR_ASSIGN_OR_RETURN(const int64_t total, SizeOfAxis(value, split_axis));
  if (total == 0 && count > kMaxEmptyParts) {
    return absl::InvalidArgumentError(absl::StrCat("axis ", axis, " has no values; they make at most ", kMaxEmptyParts,
                                                   " empty parts, and ", count, " are asked for"));
  }
  if (count <= 0 || total % count != 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("axis ", axis, " has ", total, " values, which do not make ", count, " parts of equal size"));
  }
  const std::vector<int64_t> sizes(static_cast<size_t>(count), total / count);
  return Split(value, sizes, split_axis);
}

}  // namespace structtensor
