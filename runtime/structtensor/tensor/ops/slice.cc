#include <algorithm>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "structtensor/core/base/shared/status.h"
#include "structtensor/tensor/ops/gather.h"
#include "structtensor/tensor/ops/internal/select_rows.h"
#include "structtensor/tensor/ops/shared/axis_stack.h"

namespace structtensor {
namespace {

struct Part {
  int axis;
  int64_t begin;
  int64_t size;  // -1: to the end

  bool is_whole() const { return begin == 0 && size == -1; }
  // The part of the slice that exists in a row of `length` values.
  RowRange Clip(int64_t length) const {
    const int64_t first = std::min(begin, length);
    return {first, size == -1 ? length : first + std::min(size, length - first)};
  }
  // The function of an AxisSelection.
  absl::Status operator()(RowRange row, values_internal::RowPieces& pieces) const {
    const RowRange range = Clip(row.size());
    pieces.Append(row.begin + range.begin, row.begin + range.end);
    return absl::OkStatus();
  }
};

absl::Status CheckPart(const Part& part, int64_t length) {
  if (part.begin <= length && (part.size == -1 || part.size <= length - part.begin)) return absl::OkStatus();
  return absl::OutOfRangeError(absl::StrCat("axis ", part.axis, ": ",
                                            part.size == -1 ? "all values" : absl::StrCat(part.size, " values"), " from ",
                                            part.begin, " on reach beyond its ", length, " values"));
}

}  // namespace

absl::StatusOr<Value> Slice(const Value& value, std::span<const int64_t> begin, std::span<const int64_t> size) {
  if (begin.size() != size.size() || begin.size() > static_cast<size_t>(value.rank())) {
    return absl::InvalidArgumentError(absl::StrCat("begin has ", begin.size(), " numbers and size ", size.size(),
                                                   "; they need one for each of at most ", value.rank(), " axes"));
  }
  std::vector<Part> parts;
  parts.reserve(begin.size());
  const Shape shape = value.shape();
  for (size_t i = 0; i < begin.size(); ++i) {
    const Part part{static_cast<int>(i), begin[i], size[i]};
    if (part.begin < 0 || part.size < -1) {
      return absl::OutOfRangeError(absl::StrCat("axis ", i, ": begin is ", part.begin, " and size ", part.size,
                                                "; begin must not be negative, and size not below -1, which means all"));
    }
    if (shape[part.axis] != kUnknownDimension) STRUCTTENSOR_RETURN_IF_ERROR(CheckPart(part, shape[part.axis]));
    if (!part.is_whole()) parts.push_back(part);
  }
  if (const Tensor* tensor = value.tensor()) {
    Tensor sliced = *tensor;
    for (const Part& part : parts) {
      const RowRange range = part.Clip(shape[part.axis]);
      sliced = sliced.SliceAxis(part.axis, range.begin, range.size(), 1);
    }
    return sliced;
  }
  if (parts.size() == 1 && parts.front().axis == 0) {
    const RowRange rows = parts.front().Clip(value.nrows());
    return value.SliceRows(rows.begin, rows.end);
  }
  std::vector<ops_internal::AxisSelection> selections;
  selections.reserve(parts.size());
  for (const Part& part : parts) selections.push_back({part.axis, part});
  return ops_internal::SelectAlongAxes(value, selections);
}

}  // namespace structtensor
