#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "structtensor/core/base/shared/new_buffer.h"
#include "structtensor/core/base/shared/status.h"
#include "structtensor/core/base/shared/strings.h"
#include "structtensor/tensor/ops/internal/sort_entries.h"
#include "structtensor/tensor/ops/order.h"
#include "structtensor/tensor/ops/shared/row_reader.h"
#include "structtensor/tensor/values/shared/take_rows.h"

namespace structtensor {
namespace {

using ops_internal::SortEntry;

// The key of struct i is element key_of(i) of a vector, or the struct has no key.
class Keys {
 public:
  // Errors: InvalidArgument if the field is anything else.
  static absl::StatusOr<Keys> Make(const Value& field, std::string_view path) {
    if (field.tensor() != nullptr && field.rank() == 1) return Keys(std::nullopt, *field.tensor());
    const RaggedTensor* ragged = field.ragged();
    if (ragged != nullptr && field.rank() == 2 && ragged->row_partition(0).is_optional()) {
      return Keys(ragged->row_partition(0), ragged->flat_values());
    }
    return absl::InvalidArgumentError(absl::StrCat("field ", ToAbsl(path), " is ", field.spec().DebugString(),
                                                   "; structs are sorted by a field that has one value in each of them"));
  }

  const Tensor& values() const { return values_; }

  // -1 if the struct has no key.
  int64_t key_of(int64_t i) const {
    if (states_) {
      const RowRange row = states_->row(i);
      i = row.size() == 0 ? -1 : row.begin;
    }
    return i >= 0 && values_.is_valid(i) ? i : -1;
  }

 private:
  Keys(std::optional<RowPartition> states, Tensor values) : states_(std::move(states)), values_(std::move(values)) {}

  std::optional<RowPartition> states_;  // of an optional field
  Tensor values_;
};

}  // namespace

absl::StatusOr<StructuredTensor> SortByField(const StructuredTensor& structs, std::string_view path, SortOrder order) {
  if (structs.rank() == 0)
    return absl::InvalidArgumentError("the value is a single struct; only rows of structs can be sorted");
  const StructuredTensor flat = structs.WithRowPartitions({});
  STRUCTTENSOR_ASSIGN_OR_RETURN(const Value field, flat.field_value(path));
  STRUCTTENSOR_ASSIGN_OR_RETURN(const Keys keys, Keys::Make(field, path));
  const int64_t nrows = structs.flat_nrows();
  std::vector<SortEntry> entries(static_cast<size_t>(nrows));
  for (int64_t i = 0; i < nrows; ++i) entries[static_cast<size_t>(i)] = {i, keys.key_of(i)};
  ops_internal::SortEntriesByValue(keys.values(), order, [&](absl::FunctionRef<void(std::span<SortEntry>)> sort) {
    if (structs.rank() == 1) return sort(entries);
    const RowPartition& rows = structs.row_partitions().back();
    const ops_internal::RowReader reader(rows);
    for (int64_t i = 0; i < rows.nrows(); ++i) {
      const RowRange row = reader.row(i);
      sort(std::span(entries).subspan(static_cast<size_t>(row.begin), static_cast<size_t>(row.size())));
    }
  });
  STRUCTTENSOR_ASSIGN_OR_RETURN(NewBuffer<int64_t> rows, NewBuffer<int64_t>::Allocate(nrows));
  for (size_t i = 0; i < entries.size(); ++i) rows.data()[i] = entries[i].row;
  STRUCTTENSOR_ASSIGN_OR_RETURN(const Value sorted,
                                values_internal::TakeRowsChecked(flat, {rows.data(), rows.size_elements()}));
  return sorted.structured()->WithRowPartitions(structs.row_partitions());
}

}  // namespace structtensor
