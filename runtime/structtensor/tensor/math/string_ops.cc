#include "structtensor/tensor/math/string_ops.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "structtensor/core/base/shared/new_buffer.h"
#include "structtensor/core/base/shared/status.h"
#include "structtensor/tensor/math/broadcast.h"
#include "structtensor/tensor/math/cast.h"
#include "structtensor/tensor/math/internal/binary.h"
#include "structtensor/tensor/math/internal/broadcast_runs.h"
#include "structtensor/tensor/math/internal/flat_values.h"
#include "structtensor/tensor/math/internal/number_types.h"
#include "structtensor/tensor/math/internal/write_strings.h"

namespace structtensor {
namespace {

using math_internal::CheckStrings;
using math_internal::Sink;
using math_internal::WriteStrings;

int32_t Utf8Length(std::string_view text) {
  return static_cast<int32_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

absl::StatusOr<Tensor> Lengths(const Tensor& flat, StringUnit unit) {
  STRUCTTENSOR_ASSIGN_OR_RETURN(NewBuffer<int32_t> lengths, NewBuffer<int32_t>::Allocate(flat.size_elements()));
  const Buffer<int32_t>& offsets = flat.string_offsets();
  for (int64_t i = 0; i < flat.size_elements(); ++i) {
    const size_t k = static_cast<size_t>(i);
    lengths.data()[i] = unit == StringUnit::kByte ? offsets[k + 1] - offsets[k] : Utf8Length(flat.string_at(i));
  }
  return Tensor::FromBuffer(std::move(lengths).Finish(), flat.shape(), DType::kInt32, flat.validity());
}

// Changes all bytes in one sweep. Strings stay at their places.
template <typename F>
absl::StatusOr<Value> MapBytes(std::string_view op, const Value& x, F f) {
  return math_internal::MapFlatValues(op, x, [&](const Tensor& flat) -> absl::StatusOr<Tensor> {
    STRUCTTENSOR_RETURN_IF_ERROR(CheckStrings(op, flat));
    const Buffer<int32_t>& offsets = flat.string_offsets();
    const size_t n = static_cast<size_t>(flat.size_elements());
    const int32_t begin = offsets[0], end = offsets[n];
    STRUCTTENSOR_ASSIGN_OR_RETURN(NewBuffer<char> bytes, NewBuffer<char>::Allocate(end - begin));
    std::transform(flat.string_bytes().data() + begin, flat.string_bytes().data() + end, bytes.data(), f);
    Buffer<int32_t> shifted = offsets;
    if (begin != 0) {
      STRUCTTENSOR_ASSIGN_OR_RETURN(NewBuffer<int32_t> buffer, NewBuffer<int32_t>::Allocate(flat.size_elements() + 1));
      for (size_t i = 0; i <= n; ++i) buffer.data()[i] = offsets[i] - begin;
      shifted = std::move(buffer).Finish();
    }
    return Tensor::FromStrings(std::move(shifted), std::move(bytes).Finish(), flat.dtype(), flat.validity())
        .Reshape(flat.shape());
  });
}

template <typename T>
void WriteNumber(T value, Sink& sink) {
  char text[std::numeric_limits<double>::max_exponent10 + 16];
  std::to_chars_result result{text, {}};
  if constexpr (std::is_floating_point_v<T>) {
    // Without fabs, a NaN with a sign would become "-nan".
    result =
        std::to_chars(text, text + sizeof(text), std::isnan(value) ? std::fabs(value) : value, std::chars_format::fixed, 6);
  } else {
    result = std::to_chars(text, text + sizeof(text), value);
  }
  sink.Append({text, static_cast<size_t>(result.ptr - text)});
}

absl::StatusOr<Tensor> NumberStrings(const Tensor& flat) {
  if (IsStringLike(flat.dtype())) return flat;
  const int64_t n = flat.size_elements();
  if (flat.dtype() == DType::kBool) {
    const std::span<const uint8_t> values = flat.values<uint8_t>();
    return WriteStrings("AsString", n, DType::kString, flat.validity(), [values](int64_t i, Sink& sink) {
      sink.Append(values[static_cast<size_t>(i)] != 0 ? "true" : "false");
    });
  }
  if (!math_internal::IsNumber(flat.dtype())) return math_internal::WrongDType("AsString", flat.dtype(), "cast to int64 first");
  Tensor numbers = flat;
  if (math_internal::IsFloat16(flat.dtype())) {
    STRUCTTENSOR_ASSIGN_OR_RETURN(numbers, CastTensor(flat, DType::kFloat));
  }
  return math_internal::VisitNumberType(numbers.dtype(), [&]<typename T>() {
    const std::span<const T> values = numbers.values<T>();
    return WriteStrings("AsString", n, DType::kString, flat.validity(),
                        [values](int64_t i, Sink& sink) { WriteNumber(values[static_cast<size_t>(i)], sink); });
  });
}

// For each operand: which of its elements each element of the result comes from. Empty if the operand has the result's shape.
absl::StatusOr<std::vector<Buffer<int64_t>>> ElementsOfOperands(std::span<const Tensor> operands, const Shape& shape,
                                                                const math_internal::BroadcastRuns& runs) {
  std::vector<Buffer<int64_t>> elements(operands.size());
  for (size_t k = 0; k < operands.size(); ++k) {
    if (operands[k].shape() == shape) continue;
    STRUCTTENSOR_ASSIGN_OR_RETURN(NewBuffer<int64_t> buffer, NewBuffer<int64_t>::Allocate(runs.size_elements()));
    runs.ForEach([&](const math_internal::BroadcastRun& run) {
      for (int64_t i = 0; i < run.size; ++i) buffer.data()[run.out + i] = run.in[k] + i * run.step[k];
    });
    elements[k] = std::move(buffer).Finish();
  }
  return elements;
}

}  // namespace

absl::StatusOr<Value> StringLength(const Value& x, StringUnit unit) {
  return math_internal::MapFlatValues("StringLength", x, [unit](const Tensor& flat) -> absl::StatusOr<Tensor> {
    STRUCTTENSOR_RETURN_IF_ERROR(CheckStrings("StringLength", flat));
    return Lengths(flat, unit);
  });
}

absl::StatusOr<Value> StringUpper(const Value& x) {
  return MapBytes("StringUpper", x, [](char c) { return absl::ascii_toupper(static_cast<unsigned char>(c)); });
}

absl::StatusOr<Value> StringLower(const Value& x) {
  return MapBytes("StringLower", x, [](char c) { return absl::ascii_tolower(static_cast<unsigned char>(c)); });
}

absl::StatusOr<Value> JoinStrings(std::span<const Value> values, std::string_view separator) {
  if (values.empty()) return absl::InvalidArgumentError("JoinStrings(): there are no values; give at least one");
  std::vector<std::string> strings;
  for (size_t k = 0; k < values.size(); ++k) strings.push_back(absl::StrCat("value ", k));
  const std::vector<std::string_view> names(strings.begin(), strings.end());
  STRUCTTENSOR_ASSIGN_OR_RETURN(AlignedOperands aligned, AlignOperands("JoinStrings", values, names));
  const std::span<const Tensor> operands = aligned.flat_values;
  for (const Tensor& operand : operands) {
    STRUCTTENSOR_RETURN_IF_ERROR(CheckStrings("JoinStrings", operand));
    if (operand.dtype() != operands[0].dtype()) {
      return absl::InvalidArgumentError("JoinStrings(): some values are string and some are bytes; cast them all to bytes");
    }
  }
  const math_internal::BroadcastRuns runs(aligned.shape, operands);
  STRUCTTENSOR_ASSIGN_OR_RETURN(Validity validity, math_internal::CommonValidity(operands, runs));
  STRUCTTENSOR_ASSIGN_OR_RETURN(const std::vector<Buffer<int64_t>> elements, ElementsOfOperands(operands, aligned.shape, runs));
  const auto write = [&](int64_t i, Sink& sink) {
    for (size_t k = 0; k < operands.size(); ++k) {
      if (k > 0) sink.Append(separator);
      sink.Append(operands[k].string_at(elements[k].data() == nullptr ? i : elements[k][static_cast<size_t>(i)]));
    }
  };
  STRUCTTENSOR_ASSIGN_OR_RETURN(
      const Tensor joined, WriteStrings("JoinStrings", runs.size_elements(), operands[0].dtype(), std::move(validity), write));
  return std::move(aligned).Join(joined.Reshape(aligned.shape));
}

absl::StatusOr<Value> AsString(const Value& x) {
  return math_internal::MapFlatValues("AsString", x, [](const Tensor& flat) -> absl::StatusOr<Tensor> {
    STRUCTTENSOR_ASSIGN_OR_RETURN(const Tensor strings, NumberStrings(flat));
    return strings.Reshape(flat.shape());
  });
}

}  // namespace structtensor
