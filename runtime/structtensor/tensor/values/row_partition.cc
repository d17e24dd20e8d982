#include "structtensor/tensor/values/row_partition.h"

#include <algorithm>
#include <cassert>
#include <limits>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "structtensor/core/base/shared/status.h"
#include "structtensor/core/base/shared/strings.h"
#include "structtensor/tensor/values/internal/lazy.h"

namespace structtensor {

// The partition was made from exactly one of stored_splits, stored_splits32, stored_rowids and uniform_row_length.
struct RowPartition::Rep {
  Rep() = default;
  // Does not copy the derived forms.
  Rep(const Rep& other)
      : nrows(other.nrows),
        nvals(other.nvals),
        optional(other.optional),
        dtype(other.dtype),
        uniform_row_length(other.uniform_row_length),
        stored_splits(other.stored_splits),
        stored_splits32(other.stored_splits32),
        stored_rowids(other.stored_rowids),
        first_rowid(other.first_rowid) {}

  int64_t nrows = 0;
  int64_t nvals = 0;
  bool optional = false;
  DType dtype = DType::kInt64;
  std::optional<int64_t> uniform_row_length;
  // [nrows + 1]. In a slice, values are counted from stored_splits[0], which need not be 0.
  std::optional<Buffer<int64_t>> stored_splits;
  // [nrows + 1], starts at 0.
  std::optional<Buffer<int32_t>> stored_splits32;
  // [nvals]. In a slice, rows are counted from first_rowid.
  std::optional<Buffer<uint32_t>> stored_rowids;
  int64_t first_rowid = 0;

  values_internal::Lazy<Buffer<int64_t>> row_splits;
  values_internal::Lazy<Buffer<int64_t>> row_lengths;
  values_internal::Lazy<Buffer<int64_t>> value_rowids;
  values_internal::Lazy<Buffer<int32_t>> row_splits32;

  void FillRowSplits(std::span<int64_t> splits) const;
  Buffer<int64_t> MakeRowSplits() const;
  Buffer<int64_t> MakeRowLengths(const RowPartition& partition) const;
  Buffer<int64_t> MakeValueRowids(const RowPartition& partition) const;
};

void RowPartition::Rep::FillRowSplits(std::span<int64_t> splits) const {
  if (stored_splits) {
    for (size_t i = 0; i < splits.size(); ++i) splits[i] = (*stored_splits)[i] - (*stored_splits)[0];
  } else if (stored_splits32) {
    std::copy(stored_splits32->span().begin(), stored_splits32->span().end(), splits.begin());
  } else if (stored_rowids) {
    // Every value ends the rows before its own.
    size_t row = 0;
    splits[0] = 0;
    for (size_t j = 0; j < stored_rowids->size_elements(); ++j) {
      // Not beyond the last row, even if the ids were not validated.
      const size_t value_row = static_cast<size_t>(std::min((*stored_rowids)[j] - first_rowid, nrows));
      while (row < value_row) splits[++row] = static_cast<int64_t>(j);
    }
    while (row < static_cast<size_t>(nrows)) splits[++row] = nvals;
  } else {
    for (size_t i = 0; i < splits.size(); ++i) splits[i] = static_cast<int64_t>(i) * *uniform_row_length;
  }
}

Buffer<int64_t> RowPartition::Rep::MakeRowSplits() const {
  if (stored_splits && (*stored_splits)[0] == 0) return *stored_splits;
  std::vector<int64_t> splits(static_cast<size_t>(nrows) + 1);
  FillRowSplits(splits);
  return Buffer<int64_t>::FromVector(std::move(splits));
}

Buffer<int64_t> RowPartition::Rep::MakeRowLengths(const RowPartition& partition) const {
  std::vector<int64_t> lengths(static_cast<size_t>(nrows));
  for (size_t i = 0; i < lengths.size(); ++i) lengths[i] = partition.row_length(static_cast<int64_t>(i));
  return Buffer<int64_t>::FromVector(std::move(lengths));
}

Buffer<int64_t> RowPartition::Rep::MakeValueRowids(const RowPartition& partition) const {
  std::vector<int64_t> rowids;
  rowids.reserve(static_cast<size_t>(nvals));
  if (stored_rowids) {
    for (uint32_t rowid : stored_rowids->span()) rowids.push_back(rowid - first_rowid);
  } else {
    for (int64_t i = 0; i < nrows; ++i) {
      // Row splits that were not validated may decrease.
      rowids.insert(rowids.end(), static_cast<size_t>(std::max<int64_t>(partition.row_length(i), 0)), i);
    }
  }
  return Buffer<int64_t>::FromVector(std::move(rowids));
}

namespace {

absl::Status NegativeSize(std::string_view name, int64_t size) {
  return absl::InvalidArgumentError(absl::StrCat(ToAbsl(name), " is ", size, "; it must not be negative"));
}

absl::Status CheckRowSplitsEnds(const Buffer<int64_t>& row_splits) {
  const int64_t nvals = row_splits[row_splits.size_elements() - 1];
  if (row_splits[0] == 0 && nvals >= 0) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("row_splits goes from ", row_splits[0], " to ", nvals, "; it must start at 0 and must not decrease"));
}

absl::Status NoRowSplits() {
  return absl::InvalidArgumentError("row_splits is empty; it has one element more than there are rows, [0] for no rows");
}

template <typename T>
absl::Status CheckRowSplits(const Buffer<T>& row_splits, RowPartition::Optional optional) {
  if (row_splits.empty()) return NoRowSplits();
  if (row_splits[0] != 0) {
    return absl::InvalidArgumentError(absl::StrCat("row_splits starts at ", row_splits[0], "; it must start at 0"));
  }
  for (size_t i = 1; i < row_splits.size_elements(); ++i) {
    const int64_t length = int64_t{row_splits[i]} - int64_t{row_splits[i - 1]};
    if (row_splits[i] < row_splits[i - 1]) {
      return absl::InvalidArgumentError(absl::StrCat("row_splits decreases from ", row_splits[i - 1], " to ", row_splits[i],
                                                     " at index ", i, "; row i is values [row_splits[i], row_splits[i + 1])"));
    }
    if (optional == RowPartition::Optional::kYes && length > 1) {
      return absl::InvalidArgumentError(
          absl::StrCat("row ", i - 1, " of an optional row partition has ", length, " values; at most 1 is allowed"));
    }
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<RowPartition> RowPartition::FromRowSplits(Buffer<int64_t> row_splits, Optional optional, Validate validate) {
  if (row_splits.empty()) return NoRowSplits();
  if (validate != Validate::kFull) STRUCTTENSOR_RETURN_IF_ERROR(CheckRowSplitsEnds(row_splits));
  if (validate == Validate::kFull) STRUCTTENSOR_RETURN_IF_ERROR(CheckRowSplits(row_splits, optional));
  return FromRowSplitsUnchecked(std::move(row_splits), optional);
}

absl::StatusOr<RowPartition> RowPartition::FromRowSplits32(Buffer<int32_t> row_splits, Optional optional) {
  STRUCTTENSOR_RETURN_IF_ERROR(CheckRowSplits(row_splits, optional));
  auto rep = std::make_shared<Rep>();
  rep->nrows = static_cast<int64_t>(row_splits.size_elements()) - 1;
  rep->nvals = row_splits[row_splits.size_elements() - 1];
  rep->optional = optional == Optional::kYes;
  rep->dtype = DType::kInt32;
  rep->stored_splits32 = std::move(row_splits);
  return RowPartition(std::move(rep));
}

RowPartition RowPartition::FromRowSplitsUnchecked(Buffer<int64_t> row_splits, Optional optional) {
  assert(!row_splits.empty());
  auto rep = std::make_shared<Rep>();
  rep->nrows = static_cast<int64_t>(row_splits.size_elements()) - 1;
  rep->nvals = row_splits[row_splits.size_elements() - 1] - row_splits[0];
  rep->optional = optional == Optional::kYes;
  rep->stored_splits = std::move(row_splits);
  return RowPartition(std::move(rep));
}

absl::StatusOr<RowPartition> RowPartition::FromValueRowids(Buffer<uint32_t> value_rowids, int64_t nrows, Optional optional) {
  if (nrows < 0) return absl::InvalidArgumentError(absl::StrCat("nrows is ", nrows, "; it must not be negative"));
  for (size_t j = 0; j < value_rowids.size_elements(); ++j) {
    if (value_rowids[j] >= nrows) {
      return absl::InvalidArgumentError(
          absl::StrCat("value_rowids[", j, "] is ", value_rowids[j], "; with nrows ", nrows, " it must be below that"));
    }
    if (j > 0 && value_rowids[j] < value_rowids[j - 1]) {
      return absl::InvalidArgumentError(absl::StrCat("value_rowids decreases from ", value_rowids[j - 1], " to ",
                                                     value_rowids[j], " at index ", j,
                                                     "; values must be in the order of their rows"));
    }
    if (optional == Optional::kYes && j > 0 && value_rowids[j] == value_rowids[j - 1]) {
      return absl::InvalidArgumentError(
          absl::StrCat("row ", value_rowids[j], " of an optional row partition has more than one value; at most 1 is allowed"));
    }
  }
  return FromValueRowidsUnchecked(std::move(value_rowids), nrows, optional);
}

RowPartition RowPartition::FromValueRowidsUnchecked(Buffer<uint32_t> value_rowids, int64_t nrows, Optional optional) {
  auto rep = std::make_shared<Rep>();
  rep->nrows = nrows;
  rep->nvals = static_cast<int64_t>(value_rowids.size_elements());
  rep->optional = optional == Optional::kYes;
  rep->stored_rowids = std::move(value_rowids);
  return RowPartition(std::move(rep));
}

absl::StatusOr<RowPartition> RowPartition::FromValueRowids(Buffer<int64_t> value_rowids, std::optional<int64_t> nrows,
                                                           Validate validate) {
  if (nrows && *nrows < 0) return NegativeSize("nrows", *nrows);
  std::vector<uint32_t> rowids;
  rowids.reserve(value_rowids.size_elements());
  for (size_t j = 0; j < value_rowids.size_elements(); ++j) {
    const int64_t rowid = value_rowids[j];
    if (rowid < 0) {
      return absl::InvalidArgumentError(absl::StrCat("value_rowids[", j, "] is ", rowid, "; it must not be negative"));
    }
    if (rowid > std::numeric_limits<uint32_t>::max()) {
      return absl::ResourceExhaustedError(
          absl::StrCat("value_rowids[", j, "] is ", rowid, "; partitions by value_rowids have at most 2^32 rows with values"));
    }
    rowids.push_back(static_cast<uint32_t>(rowid));
  }
  const int64_t needed_nrows = rowids.empty() ? 0 : int64_t{rowids.back()} + 1;
  Buffer<uint32_t> narrow = Buffer<uint32_t>::FromVector(std::move(rowids));
  if (validate == Validate::kFull) return FromValueRowids(std::move(narrow), nrows.value_or(needed_nrows));
  if (validate == Validate::kCheap && nrows && *nrows < needed_nrows) {
    return absl::InvalidArgumentError(
        absl::StrCat("the last of value_rowids is ", needed_nrows - 1, "; with nrows ", *nrows, " it must be below that"));
  }
  return FromValueRowidsUnchecked(std::move(narrow), nrows.value_or(needed_nrows));
}

absl::StatusOr<RowPartition> RowPartition::FromUniformRowLength(int64_t length, std::optional<int64_t> nrows,
                                                                std::optional<int64_t> nvals) {
  if (!nrows && !nvals) {
    return absl::InvalidArgumentError("neither nrows nor nvals is given; with uniform_row_length one of them is needed");
  }
  if (nvals && *nvals < 0) return NegativeSize("nvals", *nvals);
  if (!nrows) nrows = length > 0 ? *nvals / length : 0;
  STRUCTTENSOR_ASSIGN_OR_RETURN(RowPartition partition, FromUniformRowLength(length, *nrows));
  if (nvals && partition.nvals() != *nvals) {
    return absl::InvalidArgumentError(absl::StrCat("uniform_row_length ", length, " times nrows ", *nrows, " is ",
                                                   partition.nvals(), ", but nvals is ", *nvals, "; both must be equal"));
  }
  return partition;
}

absl::StatusOr<RowPartition> RowPartition::FromUniformRowLength(int64_t length, int64_t nrows, Optional optional) {
  if (length < 0 || nrows < 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("uniform_row_length is ", length, " and nrows is ", nrows, "; neither may be negative"));
  }
  int64_t nvals = 0;
  if (__builtin_mul_overflow(length, nrows, &nvals)) {
    return absl::InvalidArgumentError(absl::StrCat(nrows, " rows of ", length, " values are more values than int64 can count"));
  }
  if (optional == Optional::kYes && length > 1) {
    return absl::InvalidArgumentError(
        absl::StrCat("uniform_row_length of an optional row partition is ", length, "; at most 1 is allowed"));
  }
  auto rep = std::make_shared<Rep>();
  rep->nrows = nrows;
  rep->nvals = nvals;
  rep->optional = optional == Optional::kYes;
  rep->uniform_row_length = length;
  return RowPartition(std::move(rep));
}

absl::StatusOr<RowPartition> RowPartition::FromRowLengths(Buffer<int64_t> row_lengths, Optional optional, Validate validate) {
  std::vector<int64_t> splits = {0};
  splits.reserve(row_lengths.size_elements() + 1);
  for (size_t i = 0; i < row_lengths.size_elements(); ++i) {
    if (row_lengths[i] < 0 && validate == Validate::kFull) {
      return absl::InvalidArgumentError(absl::StrCat("row_lengths[", i, "] is ", row_lengths[i], "; it must not be negative"));
    }
    int64_t limit = 0;
    if (__builtin_add_overflow(splits.back(), row_lengths[i], &limit)) {
      return absl::InvalidArgumentError(absl::StrCat("row_lengths add up to more than int64 can count at index ", i));
    }
    splits.push_back(limit);
  }
  return FromRowSplits(Buffer<int64_t>::FromVector(std::move(splits)), optional, validate);
}

absl::StatusOr<RowPartition> RowPartition::FromRowStarts(const Buffer<int64_t>& row_starts, int64_t nvals, Validate validate) {
  if (nvals < 0) return NegativeSize("nvals", nvals);
  if (row_starts.empty() && nvals > 0) {
    return absl::InvalidArgumentError(absl::StrCat("there are no row_starts, but ", nvals, " values, which belong to no row"));
  }
  std::vector<int64_t> splits(row_starts.span().begin(), row_starts.span().end());
  splits.push_back(nvals);
  return FromRowSplits(Buffer<int64_t>::FromVector(std::move(splits)), Optional::kNo, validate);
}

absl::StatusOr<RowPartition> RowPartition::FromRowLimits(const Buffer<int64_t>& row_limits, Validate validate) {
  std::vector<int64_t> splits = {0};
  splits.reserve(row_limits.size_elements() + 1);
  splits.insert(splits.end(), row_limits.span().begin(), row_limits.span().end());
  return FromRowSplits(Buffer<int64_t>::FromVector(std::move(splits)), Optional::kNo, validate);
}

absl::StatusOr<RowPartition> RowPartition::Merge(const RowPartition& a, const RowPartition& b, Validate validate) {
  if (a.dtype() != b.dtype() || a.nrows() != b.nrows() || a.nvals() != b.nvals()) {
    return absl::InvalidArgumentError(absl::StrCat(
        "partitions differ: one has ", a.nrows(), " rows of ", a.nvals(), " values and dtype ", ToAbsl(DTypeName(a.dtype())),
        ", the other ", b.nrows(), " rows of ", b.nvals(), " values and dtype ", ToAbsl(DTypeName(b.dtype()))));
  }
  const bool same_uniform = a.is_uniform() && a.uniform_row_length() == b.uniform_row_length();
  const bool same_splits =
      a.rep_->stored_splits && b.rep_->stored_splits && a.rep_->stored_splits->data() == b.rep_->stored_splits->data();
  const bool shared = a.rep_ == b.rep_ || same_uniform || same_splits;
  if (validate == Validate::kFull && !shared) {
    for (int64_t i = 0; i < a.nrows(); ++i) {
      if (a.row(i) == b.row(i)) continue;
      return absl::InvalidArgumentError(absl::StrCat("partitions differ in row ", i, ": one has ", a.row_length(i),
                                                     " values there, the other ", b.row_length(i)));
    }
  }
  const auto optional = a.is_optional() || b.is_optional() ? Optional::kYes : Optional::kNo;
  return (b.is_uniform() && !a.is_uniform() ? b : a).WithOptional(optional);
}

int64_t RowPartition::nrows() const { return rep_->nrows; }
int64_t RowPartition::nvals() const { return rep_->nvals; }
bool RowPartition::is_optional() const { return rep_->optional; }
DType RowPartition::dtype() const { return rep_->dtype; }
std::optional<int64_t> RowPartition::uniform_row_length() const { return rep_->uniform_row_length; }

RowRange RowPartition::row(int64_t i) const {
  assert(0 <= i && i < nrows());
  const Rep& rep = *rep_;
  if (rep.uniform_row_length) return {i * *rep.uniform_row_length, (i + 1) * *rep.uniform_row_length};
  const Buffer<int64_t>& splits = rep.stored_splits ? *rep.stored_splits : row_splits();
  const size_t index = static_cast<size_t>(i);
  return {splits[index] - splits[0], splits[index + 1] - splits[0]};
}

const Buffer<int64_t>& RowPartition::row_splits() const {
  return rep_->row_splits.Get([this] { return rep_->MakeRowSplits(); });
}

void RowPartition::CopyRowSplits(std::span<int64_t> out) const {
  assert(static_cast<int64_t>(out.size()) == nrows() + 1);
  rep_->FillRowSplits(out);
}

std::span<const int64_t> RowPartition::unshifted_row_splits() const {
  return rep_->stored_splits ? rep_->stored_splits->span() : row_splits().span();
}

const Buffer<int64_t>& RowPartition::row_lengths() const {
  return rep_->row_lengths.Get([this] { return rep_->MakeRowLengths(*this); });
}

const Buffer<int64_t>& RowPartition::value_rowids() const {
  return rep_->value_rowids.Get([this] { return rep_->MakeValueRowids(*this); });
}

const Buffer<int32_t>& RowPartition::row_splits32() const {
  return rep_->row_splits32.Get([this] {
    if (rep_->stored_splits32) return *rep_->stored_splits32;
    const std::span<const int64_t> splits = row_splits().span();
    return Buffer<int32_t>::FromVector(std::vector<int32_t>(splits.begin(), splits.end()));
  });
}

Buffer<int64_t> RowPartition::row_starts() const { return row_splits().Slice(0, static_cast<size_t>(nrows())); }
Buffer<int64_t> RowPartition::row_limits() const { return row_splits().Slice(1, static_cast<size_t>(nrows())); }

Buffer<int64_t> RowPartition::offsets_in_rows() const {
  std::vector<int64_t> offsets;
  offsets.reserve(static_cast<size_t>(nvals()));
  for (int64_t i = 0; i < nrows(); ++i) {
    for (int64_t offset = 0; offset < row_length(i); ++offset) offsets.push_back(offset);
  }
  return Buffer<int64_t>::FromVector(std::move(offsets));
}

absl::StatusOr<RowPartition> RowPartition::Cast(DType dtype) const {
  if (dtype != DType::kInt64 && dtype != DType::kInt32) {
    return absl::InvalidArgumentError(
        absl::StrCat("the dtype of row splits cannot be ", ToAbsl(DTypeName(dtype)), "; it is int32 or int64"));
  }
  if (dtype == DType::kInt32 && nvals() > std::numeric_limits<int32_t>::max()) {
    return absl::InvalidArgumentError(
        absl::StrCat("a row partition of ", nvals(), " values does not fit in int32; keep int64"));
  }
  return WithDtype(dtype);
}

RowPartition RowPartition::WithDtype(DType dtype) const {
  assert(dtype == DType::kInt64 || (dtype == DType::kInt32 && nvals() <= std::numeric_limits<int32_t>::max()));
  if (dtype == rep_->dtype) return *this;
  auto rep = std::make_shared<Rep>(*rep_);
  rep->dtype = dtype;
  return RowPartition(std::move(rep));
}

RowPartition RowPartition::WithOptional(Optional optional) const {
  if ((optional == Optional::kYes) == rep_->optional) return *this;
  auto rep = std::make_shared<Rep>(*rep_);
  rep->optional = optional == Optional::kYes;
  return RowPartition(std::move(rep));
}

RowPartition RowPartition::SliceRows(int64_t begin, int64_t end, RowRange* values) const {
  assert(0 <= begin && begin <= end && end <= nrows());
  auto rep = std::make_shared<Rep>();
  rep->nrows = end - begin;
  rep->optional = rep_->optional;
  rep->dtype = rep_->dtype;
  RowRange range{0, 0};
  if (rep_->uniform_row_length) {
    rep->uniform_row_length = rep_->uniform_row_length;
    range = {begin * *rep_->uniform_row_length, end * *rep_->uniform_row_length};
  } else if (rep_->stored_splits || rep_->stored_splits32 || rep_->row_splits.get_if_ready() != nullptr) {
    const Buffer<int64_t>& splits = rep_->stored_splits ? *rep_->stored_splits : row_splits();
    rep->stored_splits = splits.Slice(static_cast<size_t>(begin), static_cast<size_t>(end - begin) + 1);
    range = {splits[static_cast<size_t>(begin)] - splits[0], splits[static_cast<size_t>(end)] - splits[0]};
  } else {
    const std::span<const uint32_t> rowids = rep_->stored_rowids->span();
    const auto first = std::lower_bound(rowids.begin(), rowids.end(), rep_->first_rowid + begin);
    const auto last = std::lower_bound(first, rowids.end(), rep_->first_rowid + end);
    range = {first - rowids.begin(), last - rowids.begin()};
    rep->stored_rowids = rep_->stored_rowids->Slice(static_cast<size_t>(range.begin), static_cast<size_t>(range.size()));
    rep->first_rowid = rep_->first_rowid + begin;
  }
  rep->nvals = range.size();
  if (values != nullptr) *values = range;
  return RowPartition(std::move(rep));
}

RowPartitionSpec RowPartition::spec() const {
  return {.nrows = nrows(),
          .nvals = nvals(),
          .uniform_row_length = uniform_row_length().value_or(kUnknownDimension),
          .optional = is_optional(),
          .dtype = dtype()};
}

std::string RowPartition::DebugString() const {
  constexpr size_t kMaxShown = 12;
  std::string text = absl::StrCat("RowPartition(nrows=", nrows(), ", nvals=", nvals());
  if (uniform_row_length()) {
    absl::StrAppend(&text, ", uniform_row_length=", *uniform_row_length());
  } else {
    text += ", row_splits=[";
    const std::span<const int64_t> splits = row_splits().span();
    for (size_t i = 0; i < splits.size() && i < kMaxShown; ++i) absl::StrAppend(&text, i > 0 ? ", " : "", splits[i]);
    if (splits.size() > kMaxShown) text += ", …";
    text += "]";
  }
  if (is_optional()) text += ", optional";
  return text + ")";
}

bool operator==(const RowPartition& a, const RowPartition& b) {
  if (a.nrows() != b.nrows() || a.nvals() != b.nvals() || a.is_optional() != b.is_optional()) return false;
  for (int64_t i = 0; i < a.nrows(); ++i) {
    if (a.row(i) != b.row(i)) return false;
  }
  return true;
}

}  // namespace structtensor
