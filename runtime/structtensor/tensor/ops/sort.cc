// The elements are in rows of `kept` columns, and the rows are in groups. A line is one column of one group. Each line is
// sorted by itself.
//
//   ragged [[[3, 7], [1, 8]], [[5, 6]]], its last dimension dense, along axis 1: groups of 2 and 1 rows, kept 2, lines 3 1, 7
//   8, 5, 6
#include <algorithm>
#include <limits>
#include <span>
#include <utility>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "structtensor/core/base/shared/new_buffer.h"
#include "structtensor/core/base/shared/status.h"
#include "structtensor/tensor/ops/internal/sort_entries.h"
#include "structtensor/tensor/ops/order.h"
#include "structtensor/tensor/ops/shared/axis_stack.h"
#include "structtensor/tensor/ops/shared/row_reader.h"
#include "structtensor/tensor/values/shared/take_rows.h"

namespace structtensor {
namespace {

using ops_internal::SortEntry;

struct Lines {
  Tensor elements;
  RowPartition groups;
  int64_t kept;  // columns
};

absl::Status CannotBeSorted(const Value& value) {
  if (value.structured() != nullptr) {
    return absl::InvalidArgumentError(absl::StrCat(
        "structs have no order of their own; SortByField sorts them by a field, and ", value.structured()->DescribeFields()));
  }
  return absl::InvalidArgumentError(absl::StrCat("a value of ", value.spec().DebugString(), " cannot be sorted"));
}

absl::StatusOr<Lines> MakeLines(const Value& value, int64_t axis) {
  if (value.tensor() == nullptr && value.ragged() == nullptr) return CannotBeSorted(value);
  STRUCTTENSOR_ASSIGN_OR_RETURN(const int resolved, ops_internal::ResolveAxis(axis, value.rank()));
  const RaggedTensor* ragged = value.ragged();
  const int ragged_rank = ragged == nullptr ? 0 : ragged->ragged_rank();
  if (resolved < ragged_rank) {
    return absl::InvalidArgumentError(absl::StrCat("axis ", axis,
                                                   " has ragged axes after it, whose rows cannot be compared; only ",
                                                   "axes from ", ragged_rank, " on can be sorted"));
  }
  Tensor elements = ragged == nullptr ? *value.tensor() : ragged->flat_values();
  const Shape shape = elements.shape();
  const int dense_axis = resolved - ragged_rank;
  const auto product = [&](int begin, int end) {
    int64_t size = 1;
    for (int i = begin; i < end; ++i) size *= shape[i];
    return size;
  };
  // If one of the sizes is 0, the product of the others may exceed int64.
  const bool empty = elements.size_elements() == 0;
  const int64_t kept = empty ? 1 : product(dense_axis + 1, shape.rank());
  if (ragged != nullptr && dense_axis == 0) return Lines{std::move(elements), ragged->row_partitions().back(), kept};
  const int64_t num_groups = empty ? 0 : product(0, dense_axis);
  STRUCTTENSOR_ASSIGN_OR_RETURN(RowPartition groups,
                                RowPartition::FromUniformRowLength(empty ? 0 : shape[dense_axis], num_groups));
  return Lines{std::move(elements), std::move(groups), kept};
}

int64_t LongestGroup(const RowPartition& groups) {
  if (groups.uniform_row_length()) return groups.nrows() == 0 ? 0 : *groups.uniform_row_length();
  const ops_internal::RowReader rows(groups);
  int64_t longest = 0;
  for (int64_t i = 0; i < groups.nrows(); ++i) longest = std::max(longest, rows.row(i).size());
  return longest;
}

// Sorts all lines and calls place(element, source, position) for each element of the result: which element comes there, and its
// position in the line.
absl::Status SortLines(const Lines& lines, SortOrder order, absl::FunctionRef<void(int64_t, int64_t, int64_t)> place) {
  const Tensor& elements = lines.elements;
  if (elements.size_elements() == 0) return absl::OkStatus();
  STRUCTTENSOR_ASSIGN_OR_RETURN(NewBuffer<SortEntry> buffer, NewBuffer<SortEntry>::Allocate(LongestGroup(lines.groups)));
  const int64_t kept = lines.kept;
  ops_internal::SortEntriesByValue(elements, order, [&](absl::FunctionRef<void(std::span<SortEntry>)> sort) {
    const ops_internal::RowReader rows(lines.groups);
    for (int64_t group = 0; group < lines.groups.nrows(); ++group) {
      const RowRange range = rows.row(group);
      const std::span<SortEntry> line(buffer.data(), static_cast<size_t>(range.size()));
      for (int64_t column = 0; column < kept; ++column) {
        const auto element_of = [&](int64_t position) { return (range.begin + position) * kept + column; };
        for (int64_t i = 0; i < range.size(); ++i) {
          const int64_t element = element_of(i);
          line[static_cast<size_t>(i)] = {i, elements.is_valid(element) ? element : -1};
        }
        sort(line);
        for (int64_t i = 0; i < range.size(); ++i) {
          const int64_t position = line[static_cast<size_t>(i)].row;
          place(element_of(i), element_of(position), position);
        }
      }
    }
  });
  return absl::OkStatus();
}

Value WithElements(const Value& value, Tensor elements) {
  if (value.ragged() == nullptr) return elements;
  return RaggedTensor::FromRowPartitionsUnchecked(value.ragged()->row_partitions(), std::move(elements));
}

}  // namespace

absl::StatusOr<Value> Sort(const Value& value, int64_t axis, SortOrder order) {
  STRUCTTENSOR_ASSIGN_OR_RETURN(const Lines lines, MakeLines(value, axis));
  const int64_t size = lines.elements.size_elements();
  STRUCTTENSOR_ASSIGN_OR_RETURN(NewBuffer<int64_t> sources, NewBuffer<int64_t>::Allocate(size));
  STRUCTTENSOR_RETURN_IF_ERROR(
      SortLines(lines, order, [&](int64_t element, int64_t source, int64_t) { sources.data()[element] = source; }));
  STRUCTTENSOR_ASSIGN_OR_RETURN(
      const Value sorted,
      values_internal::TakeRowsChecked(lines.elements.Reshape(Shape({size})), {sources.data(), sources.size_elements()}));
  return WithElements(value, sorted.tensor()->Reshape(lines.elements.shape()));
}

absl::StatusOr<Value> Argsort(const Value& value, int64_t axis, SortOrder order) {
  STRUCTTENSOR_ASSIGN_OR_RETURN(const Lines lines, MakeLines(value, axis));
  if (LongestGroup(lines.groups) > std::numeric_limits<int32_t>::max()) {
    return absl::ResourceExhaustedError("a row has more elements than positions of int32 can count; use Sort");
  }
  STRUCTTENSOR_ASSIGN_OR_RETURN(NewBuffer<int32_t> positions, NewBuffer<int32_t>::Allocate(lines.elements.size_elements()));
  STRUCTTENSOR_RETURN_IF_ERROR(SortLines(lines, order, [&](int64_t element, int64_t, int64_t position) {
    positions.data()[element] = static_cast<int32_t>(position);
  }));
  return WithElements(value, Tensor::FromBuffer(std::move(positions).Finish(), lines.elements.shape()));
}

}  // namespace structtensor
