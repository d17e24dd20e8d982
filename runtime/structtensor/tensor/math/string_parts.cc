#include "structtensor/tensor/math/string_parts.h"

#include <algorithm>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "structtensor/core/base/shared/new_buffer.h"
#include "structtensor/core/base/shared/status.h"
#include "structtensor/core/base/shared/strings.h"
#include "structtensor/tensor/math/internal/flat_values.h"
#include "structtensor/tensor/math/internal/reduction_plan.h"
#include "structtensor/tensor/math/internal/write_strings.h"
#include "structtensor/tensor/values/ragged_tensor.h"
#include "structtensor/tensor/values/row_partition.h"

namespace structtensor {
namespace {

bool IsSpace(char c) { return absl::ascii_isspace(static_cast<unsigned char>(c)); }

std::string_view Stripped(std::string_view text) {
  while (!text.empty() && IsSpace(text.front())) text.remove_prefix(1);
  while (!text.empty() && IsSpace(text.back())) text.remove_suffix(1);
  return text;
}

// Returns the strings of x, each cut to part(string).
template <typename Part>
absl::StatusOr<Tensor> WriteParts(std::string_view op, const Tensor& flat, Part part) {
  STRUCTTENSOR_ASSIGN_OR_RETURN(
      const Tensor parts,
      math_internal::WriteStrings(op, flat.size_elements(), flat.dtype(), flat.validity(),
                                  [&](int64_t i, math_internal::Sink& sink) { sink.Append(part(flat.string_at(i))); }));
  return parts.Reshape(flat.shape());
}

template <typename Test>
absl::StatusOr<Value> TestStrings(std::string_view op, const Value& x, Test test) {
  return math_internal::MapFlatValues(op, x, [&](const Tensor& flat) -> absl::StatusOr<Tensor> {
    STRUCTTENSOR_RETURN_IF_ERROR(math_internal::CheckStrings(op, flat));
    STRUCTTENSOR_ASSIGN_OR_RETURN(NewBuffer<uint8_t> out, NewBuffer<uint8_t>::Allocate(flat.size_elements()));
    for (int64_t i = 0; i < flat.size_elements(); ++i) out.data()[i] = static_cast<uint8_t>(test(flat.string_at(i)));
    return Tensor::FromBuffer(std::move(out).Finish(), flat.shape(), DType::kBool, flat.validity());
  });
}

bool ContinuesCharacter(char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; }

// Strings counted in bytes or characters. A character begins at every byte that does not continue one.
struct Units {
  StringUnit unit;

  int64_t Count(std::string_view text) const {
    if (unit == StringUnit::kByte) return static_cast<int64_t>(text.size());
    return std::count_if(text.begin(), text.end(), [](char c) { return !ContinuesCharacter(c); });
  }
  // Returns where unit n begins, or the end of the text if it has no more than n units. Requires: n >= 0.
  size_t ByteOffset(std::string_view text, int64_t n) const {
    if (unit == StringUnit::kByte) return static_cast<size_t>(std::min(n, static_cast<int64_t>(text.size())));
    size_t offset = 0;
    for (; offset < text.size(); ++offset) {
      if (!ContinuesCharacter(text[offset]) && n-- == 0) break;
    }
    return offset;
  }
};

absl::StatusOr<Tensor> Substrings(const Tensor& flat, int64_t begin, int64_t size, Units units) {
  STRUCTTENSOR_RETURN_IF_ERROR(math_internal::CheckStrings("StringSubstr", flat));
  for (int64_t i = 0; i < flat.size_elements(); ++i) {
    const int64_t count = units.Count(flat.string_at(i));
    if (flat.is_valid(i) && (begin > count || begin < -count)) {
      return absl::InvalidArgumentError(absl::StrCat("StringSubstr(): element ", i, ", counted through all rows, has ", count,
                                                     units.unit == StringUnit::kByte ? " bytes" : " characters",
                                                     "; a substring cannot begin at ", begin));
    }
  }
  return WriteParts("StringSubstr", flat, [begin, size, units](std::string_view text) {
    // Only absent strings can be shorter here.
    const int64_t from_end = begin < 0 ? std::max<int64_t>(0, units.Count(text) + begin) : begin;
    text.remove_prefix(units.ByteOffset(text, from_end));
    return text.substr(0, units.ByteOffset(text, size));
  });
}

// --- Pieces

// Calls take(piece) for each piece of the text.
template <typename Take>
void ForEachPiece(std::string_view text, std::string_view separator, int64_t max_splits, Take take) {
  const auto skip_spaces = [&] {
    while (!text.empty() && IsSpace(text.front())) text.remove_prefix(1);
  };
  if (separator.empty()) {
    skip_spaces();
    for (; !text.empty() && max_splits > 0; --max_splits) {
      const size_t end = static_cast<size_t>(std::find_if(text.begin(), text.end(), IsSpace) - text.begin());
      take(text.substr(0, end));
      text.remove_prefix(end);
      skip_spaces();
    }
    if (!text.empty()) take(text);
    return;
  }
  for (; max_splits > 0; --max_splits) {
    const size_t end = text.find(separator);
    if (end == std::string_view::npos) break;
    take(text.substr(0, end));
    text.remove_prefix(end + separator.size());
  }
  take(text);
}

// Adds partitions for the axes of a dense array after axis 0.
absl::Status AppendDenseAxes(const Shape& shape, std::vector<RowPartition>& partitions) {
  int64_t nrows = shape.rank() == 0 ? 1 : shape[0];
  for (int axis = 1; axis < shape.rank(); ++axis) {
    STRUCTTENSOR_ASSIGN_OR_RETURN(RowPartition partition, RowPartition::FromUniformRowLength(shape[axis], nrows));
    partitions.push_back(std::move(partition));
    nrows *= shape[axis];
  }
  return absl::OkStatus();
}

struct Pieces {
  Buffer<int64_t> row_splits;  // of the strings
  Tensor strings;
};

absl::StatusOr<Pieces> FindPieces(const Tensor& flat, const SplitStringsOptions& options) {
  const int64_t max_splits = options.max_splits.value_or(std::numeric_limits<int64_t>::max());
  const auto for_each_piece = [&](int64_t i, auto take) {
    if (flat.is_valid(i)) ForEachPiece(flat.string_at(i), options.separator, max_splits, take);
  };
  const int64_t n = flat.size_elements();
  STRUCTTENSOR_ASSIGN_OR_RETURN(NewBuffer<int64_t> splits, NewBuffer<int64_t>::Allocate(n + 1));
  int64_t count = 0;
  splits.data()[0] = 0;
  for (int64_t i = 0; i < n; ++i) {
    for_each_piece(i, [&count](std::string_view) { ++count; });
    splits.data()[i + 1] = count;
  }
  STRUCTTENSOR_ASSIGN_OR_RETURN(NewBuffer<std::string_view> pieces, NewBuffer<std::string_view>::Allocate(count));
  std::string_view* next = pieces.data();
  for (int64_t i = 0; i < n; ++i) {
    for_each_piece(i, [&next](std::string_view piece) { *next++ = piece; });
  }
  STRUCTTENSOR_ASSIGN_OR_RETURN(Tensor strings, math_internal::WriteStrings("SplitStrings", count, flat.dtype(), Validity(),
                                                                            [&](int64_t i, math_internal::Sink& sink) {
                                                                              sink.Append(pieces.data()[i]);
                                                                            }));
  return Pieces{std::move(splits).Finish(), std::move(strings)};
}

// The elements of each result, one result after the other. Result i has the elements order[starts[i], starts[i + 1]).
struct ResultElements {
  Buffer<int64_t> starts;
  Buffer<int64_t> order;
};

absl::StatusOr<ResultElements> ElementsOfResults(const math_internal::ReductionPlan& plan) {
  int64_t element = 0;
  const auto take_row = [&](int64_t segment, auto take) {
    for (int64_t kept = 0; kept < plan.kept(); ++kept) {
      for (int64_t i = 0; i < plan.reduced(); ++i, ++element) {
        if (plan.elements().is_valid(element)) take(segment * plan.kept() + kept, element);
      }
    }
  };
  const auto for_each_present = [&](auto take) {
    element = 0;
    if (!plan.is_contiguous()) {
      for (const int64_t segment : plan.segment_of_rows()) take_row(segment, take);
      return;
    }
    for (int64_t segment = 0; segment < plan.num_segments(); ++segment) {
      for (int64_t row = 0; row < plan.segments().row_length(segment); ++row) take_row(segment, take);
    }
  };
  STRUCTTENSOR_ASSIGN_OR_RETURN(NewBuffer<int64_t> starts, NewBuffer<int64_t>::Allocate(plan.num_results() + 1));
  std::fill_n(starts.data(), plan.num_results() + 1, 0);
  for_each_present([&](int64_t result, int64_t) { ++starts.data()[result + 1]; });
  for (int64_t i = 0; i < plan.num_results(); ++i) starts.data()[i + 1] += starts.data()[i];
  STRUCTTENSOR_ASSIGN_OR_RETURN(NewBuffer<int64_t> order, NewBuffer<int64_t>::Allocate(starts.data()[plan.num_results()]));
  STRUCTTENSOR_ASSIGN_OR_RETURN(NewBuffer<int64_t> next, NewBuffer<int64_t>::Allocate(plan.num_results()));
  std::copy_n(starts.data(), plan.num_results(), next.data());
  for_each_present([&](int64_t result, int64_t place) { order.data()[next.data()[result]++] = place; });
  return ResultElements{std::move(starts).Finish(), std::move(order).Finish()};
}

}  // namespace

absl::StatusOr<Value> StringStrip(const Value& x) {
  return math_internal::MapFlatValues("StringStrip", x, [](const Tensor& flat) -> absl::StatusOr<Tensor> {
    STRUCTTENSOR_RETURN_IF_ERROR(math_internal::CheckStrings("StringStrip", flat));
    return WriteParts("StringStrip", flat, Stripped);
  });
}

absl::StatusOr<Value> StringSubstr(const Value& x, int64_t begin, int64_t size, StringUnit unit) {
  if (size < 0) return absl::InvalidArgumentError(absl::StrCat("StringSubstr(): size = ", size, "; expected 0 or more"));
  return math_internal::MapFlatValues("StringSubstr", x,
                                      [&](const Tensor& flat) { return Substrings(flat, begin, size, {unit}); });
}

absl::StatusOr<Value> StringStartsWith(const Value& x, std::string_view prefix) {
  return TestStrings("StringStartsWith", x, [prefix](std::string_view text) { return text.starts_with(prefix); });
}

absl::StatusOr<Value> StringEndsWith(const Value& x, std::string_view suffix) {
  return TestStrings("StringEndsWith", x, [suffix](std::string_view text) { return text.ends_with(suffix); });
}

absl::StatusOr<Value> SplitStrings(const Value& x, const SplitStringsOptions& options) {
  if (options.max_splits.has_value() && *options.max_splits < 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("SplitStrings(): max_splits = ", *options.max_splits, "; expected 0 or more, or nothing for no limit"));
  }
  STRUCTTENSOR_ASSIGN_OR_RETURN(const Tensor flat, math_internal::FlatValues("SplitStrings", x));
  STRUCTTENSOR_RETURN_IF_ERROR(math_internal::CheckStrings("SplitStrings", flat));
  STRUCTTENSOR_ASSIGN_OR_RETURN(Pieces pieces, FindPieces(flat, options));
  if (x.rank() == 0) return Value(std::move(pieces.strings));
  std::vector<RowPartition> partitions;
  if (x.ragged() != nullptr) partitions = x.ragged()->row_partitions();
  STRUCTTENSOR_RETURN_IF_ERROR(AppendDenseAxes(flat.shape(), partitions));
  const DType dtype = partitions.empty() ? DType::kInt64 : partitions.front().dtype();
  RowPartition of_pieces = RowPartition::FromRowSplitsUnchecked(std::move(pieces.row_splits));
  for (RowPartition& partition : partitions) {
    STRUCTTENSOR_ASSIGN_OR_RETURN(partition, partition.Cast(dtype));
  }
  STRUCTTENSOR_ASSIGN_OR_RETURN(of_pieces, of_pieces.Cast(dtype));
  partitions.push_back(std::move(of_pieces));
  return Value(RaggedTensor::FromRowPartitionsUnchecked(std::move(partitions), std::move(pieces.strings)));
}

absl::StatusOr<Value> ReduceJoin(const Value& x, std::string_view separator, const ReduceOptions& options) {
  STRUCTTENSOR_ASSIGN_OR_RETURN(const math_internal::ReductionPlan plan,
                                math_internal::ReductionPlan::Make("ReduceJoin", x, options.axes));
  const Tensor& strings = plan.elements();
  STRUCTTENSOR_RETURN_IF_ERROR(math_internal::CheckStrings("ReduceJoin", strings));
  STRUCTTENSOR_ASSIGN_OR_RETURN(const ResultElements elements, ElementsOfResults(plan));
  const auto write = [&](int64_t result, math_internal::Sink& sink) {
    const size_t i = static_cast<size_t>(result);
    for (int64_t k = elements.starts[i]; k < elements.starts[i + 1]; ++k) {
      if (k > elements.starts[i]) sink.Append(separator);
      sink.Append(strings.string_at(elements.order[static_cast<size_t>(k)]));
    }
  };
  STRUCTTENSOR_ASSIGN_OR_RETURN(
      const Tensor joined, math_internal::WriteStrings("ReduceJoin", plan.num_results(), strings.dtype(), Validity(), write));
  return plan.Finish(joined, options.keep_dims);
}

}  // namespace structtensor
