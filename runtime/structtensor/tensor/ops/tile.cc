#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "structtensor/core/base/shared/status.h"
#include "structtensor/tensor/ops/internal/select_rows.h"
#include "structtensor/tensor/ops/join.h"

namespace structtensor {
namespace {

class Tiles {
 public:
  explicit Tiles(int64_t count) : count_(count) {}

  absl::Status operator()(RowRange row, values_internal::RowPieces& pieces) const {
    if (row.size() == 0) return absl::OkStatus();
    int64_t added = 0;
    int64_t total = 0;
    if (__builtin_mul_overflow(row.size(), count_, &added) || __builtin_add_overflow(pieces.nrows(), added, &total)) {
      return absl::ResourceExhaustedError(
          absl::StrCat("repeating ", row.size(), " values ", count_, " times makes more than int64 can count"));
    }
    if (count_ > 1) STRUCTTENSOR_RETURN_IF_ERROR(pieces.TryReserveMore(count_));
    for (int64_t i = 0; i < count_; ++i) pieces.Append(row.begin, row.end);
    return absl::OkStatus();
  }

 private:
  int64_t count_;
};

}  // namespace

absl::StatusOr<Value> Tile(const Value& value, std::span<const int64_t> multiples) {
  if (multiples.size() != static_cast<size_t>(value.rank())) {
    return absl::InvalidArgumentError(absl::StrCat("there are ", multiples.size(), " multiples, but the value has ",
                                                   value.rank(), " axes; each needs one, 1 to leave it as it is"));
  }
  // Selections refer to the elements of `tiles`.
  std::vector<Tiles> tiles(multiples.begin(), multiples.end());
  std::vector<ops_internal::AxisSelection> selections;
  for (size_t axis = 0; axis < multiples.size(); ++axis) {
    if (multiples[axis] < 0) {
      return absl::InvalidArgumentError(
          absl::StrCat("the multiple of axis ", axis, " is ", multiples[axis], "; it must not be negative"));
    }
    if (multiples[axis] != 1) selections.push_back({static_cast<int>(axis), tiles[axis]});
  }
  return ops_internal::SelectAlongAxes(value, selections, true);
}

}  // namespace structtensor
