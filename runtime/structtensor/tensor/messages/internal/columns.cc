#include "structtensor/tensor/messages/internal/columns.h"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <limits>
#include <optional>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "structtensor/core/base/shared/status.h"
#include "structtensor/core/base/shared/strings.h"
#include "structtensor/core/field_path/field_path.h"
#include "structtensor/core/wire/abi/utf8.h"
#include "structtensor/tensor/messages/internal/message_check.h"
#include "structtensor/tensor/type_spec/dtype.h"

namespace structtensor::messages_internal {
namespace {

constexpr size_t kMaxTextBytes = 0x7fffffff;

bool IsUtf8(std::string_view text) {
  return wire_internal::IsUtf8Slow(reinterpret_cast<const uint8_t*>(text.data()), text.size());
}

// Converts the number to To. False if that loses anything. NaN stays NaN.
template <typename To, typename From>
bool Convert(From value, To* to) {
  if constexpr (std::is_floating_point_v<To>) {
    *to = static_cast<To>(value);
    if constexpr (std::is_floating_point_v<From>) {
      return static_cast<From>(*to) == value || value != value;
    } else {
      // With more digits than the mantissa has, the conversion back may be out of range.
      constexpr To kEnd = static_cast<To>(uint64_t{1} << (std::numeric_limits<From>::digits - 1)) * 2;
      return *to < kEnd && static_cast<From>(*to) == value;
    }
  } else if constexpr (std::is_floating_point_v<From>) {
    constexpr From kLowest = static_cast<From>(std::numeric_limits<To>::min());
    constexpr From kEnd = static_cast<From>(uint64_t{1} << (std::numeric_limits<To>::digits - 1)) * 2;
    if (!(value >= kLowest && value < kEnd)) return false;
    *to = static_cast<To>(value);
    return static_cast<From>(*to) == value;
  } else {
    *to = static_cast<To>(value);
    return std::in_range<To>(value);
  }
}

std::string NumberText(auto value) {
  if constexpr (std::is_same_v<decltype(value), uint8_t>) return absl::StrCat(static_cast<int>(value));
  return absl::StrCat(value);
}

}  // namespace

std::string Quoted(std::string_view text) {
  constexpr size_t kShown = 40;
  const absl::string_view begin = ToAbsl(text.substr(0, kShown));
  const std::string shown = IsUtf8(text) ? absl::Utf8SafeCEscape(begin) : absl::CEscape(begin);
  return absl::StrCat("\"", shown, "\"", text.size() > kShown ? "…" : "");
}

std::string Place::Path() const {
  std::vector<std::string_view> names;
  for (const Place* place = this; place->above != nullptr; place = place->above) names.push_back(place->name);
  std::string path;
  for (auto name = names.rbegin(); name != names.rend(); ++name) AppendField(*name, path);
  return path;
}

absl::Status Place::Error(int64_t row, std::string_view problem) const {
  for (const Place* place = this; place != nullptr; place = place->above) {
    if (place->partition != nullptr) row = place->partition->value_rowids()[static_cast<size_t>(row)];
    row += place->first_row;
  }
  const std::string path = Path();
  return absl::OutOfRangeError(absl::StrCat("row ", row, ": ", path, path.empty() ? "" : ": ", ToAbsl(problem)));
}

absl::Status Place::Error(std::string_view problem) const {
  const std::string path = Path();
  return absl::InvalidArgumentError(absl::StrCat(path, path.empty() ? "" : ": ", ToAbsl(problem)));
}

template <typename To>
absl::StatusOr<const void*> ColumnMaker::NumberValues(const plan::FieldPlan& field, const Tensor& tensor, const Rows& rows,
                                                      bool zero_hidden, const Place& place) {
  const bool as_it_is = rows.source == nullptr || (rows.in_place && !(zero_hidden && rows.any_hidden));
  if (as_it_is && tensor.dtype() == DTypeOf<To>::value) return static_cast<const void*>(tensor.values<To>().data());
  To* const to = builder_.Allocate<To>(rows.size);
  return VisitStoredType(tensor.dtype(), [&]<typename Stored>() -> absl::StatusOr<const void*> {
    using From = std::conditional_t<std::is_arithmetic_v<Stored>, Stored, float>;
    const std::span<const Stored> from = tensor.values<Stored>();
    for (uint32_t i = 0; i < rows.size; ++i) {
      const uint32_t row = rows[i];
      if (row == kHidden) {
        to[i] = 0;
        continue;
      }
      const From value = static_cast<From>(from[row]);
      bool fits = Convert(value, &to[i]);
      if constexpr (std::is_same_v<To, uint8_t>) fits = fits && to[i] <= 1;
      if (!fits) {
        return place.Error(row, absl::StrCat("a field of type ", ToAbsl(plan::KindName(field.kind)), " cannot hold ",
                                             NumberText(value), field.element == plan::Element::kBool ? "" : " without loss"));
      }
    }
    return static_cast<const void*>(to);
  });
}

absl::StatusOr<const void*> ColumnMaker::EnumValues(const plan::FieldPlan& field, const Tensor& tensor, const Rows& rows,
                                                    const Place& place) {
  const plan::EnumPlan& type = *field.enumeration;
  EnumNumbers& numbers = enums_[&type];
  if (numbers.empty()) {
    for (size_t i = 0; i < type.numbers.size(); ++i) numbers.emplace(type.names[i], type.numbers[i]);
    for (const plan::EnumAlias& alias : type.aliases) numbers.emplace(alias.name, alias.number);
  }
  int32_t* const to = builder_.Allocate<int32_t>(rows.size);
  for (uint32_t i = 0; i < rows.size; ++i) {
    to[i] = 0;
    if (rows[i] == kHidden) continue;
    const std::string_view name = tensor.string_at(rows[i]);
    if (const auto number = numbers.find(name); number != numbers.end()) {
      to[i] = number->second;
      continue;
    }
    // A number without a name is given by its digits. No name begins with a digit.
    const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), to[i]);
    if (name.empty() || error != std::errc() || end != name.data() + name.size()) {
      return place.Error(rows[i], absl::StrCat("the enum ", ToAbsl(type.full_name), " has no value named ", Quoted(name)));
    }
  }
  return static_cast<const void*>(to);
}

absl::Status ColumnMaker::CheckType(const plan::FieldPlan& field, const Tensor& tensor, const Place& place) {
  const bool text = IsStringLike(tensor.dtype());
  const bool wants_text =
      field.element == plan::Element::kString || field.element == plan::Element::kBytes || field.is_message();
  const bool is_name = text && field.enumeration != nullptr;
  if (is_name || (text == wants_text && !IsTime(tensor.dtype()))) return absl::OkStatus();
  return place.Error(absl::StrCat("a field of type ", ToAbsl(plan::KindName(field.kind)), " cannot be made of ",
                                  ToAbsl(DTypeName(tensor.dtype()))));
}

absl::StatusOr<const void*> ColumnMaker::Values(const plan::FieldPlan& field, const Tensor& tensor, const Rows& rows,
                                                bool zero_hidden, const Place& place) {
  STRUCTTENSOR_RETURN_IF_ERROR(CheckType(field, tensor, place));
  if (IsStringLike(tensor.dtype())) return EnumValues(field, tensor, rows, place);
  return plan::VisitElement(field.element,
                            [&]<typename T>() { return NumberValues<T>(field, tensor, rows, zero_hidden, place); });
}

// One pass over all bytes, and one over the beginnings of strings. Each string is checked by itself only if these passes find a
// problem.
absl::Status ColumnMaker::CheckUtf8(const Tensor& tensor, const Rows& rows, const Place& place) const {
  const std::span<const int32_t> offsets = tensor.string_offsets().span();
  const char* const bytes = tensor.string_bytes().data();
  const std::string_view all(bytes + offsets.front(), static_cast<size_t>(offsets.back() - offsets.front()));
  const auto is_middle = [&](int32_t offset) {
    return offset < offsets.back() && (static_cast<uint8_t>(bytes[offset]) & 0xc0) == 0x80;
  };
  if (all.empty() || (IsUtf8(all) && std::none_of(offsets.begin(), offsets.end(), is_middle))) return absl::OkStatus();
  for (uint32_t i = 0; i < rows.size; ++i) {
    if (rows[i] == kHidden) continue;
    const std::string_view text = tensor.string_at(rows[i]);
    if (!IsUtf8(text)) return place.Error(rows[i], absl::StrCat("a string must be UTF-8; found ", Quoted(text)));
  }
  return absl::OkStatus();
}

absl::Status ColumnMaker::CheckMessages(const plan::FieldPlan& field, const Tensor& tensor, const Rows& rows,
                                        const Place& place) const {
  for (uint32_t i = 0; i < rows.size; ++i) {
    if (rows[i] == kHidden) continue;
    const std::optional<MessageProblem> problem = FindProblem(*field.message, tensor.string_at(rows[i]));
    if (!problem.has_value()) continue;
    return place.Error(
        rows[i], absl::StrCat("these bytes are not a valid ", ToAbsl(field.message->full_name), ": byte ", problem->byte_offset,
                              problem->path.empty() ? "" : ", ", problem->path, ": ", problem->text));
  }
  return absl::OkStatus();
}

// An empty value of a field without presence is absent, so it may have another size.
absl::Status ColumnMaker::CheckFixedSize(const plan::FieldPlan& field, const Tensor& tensor, const Rows& rows,
                                         const Place& place) const {
  const size_t expected_bytes = plan::FixedSizeBytesOf(field);
  const bool may_be_empty = field.presence == plan::Presence::kImplicit && !field.is_repeated();
  for (uint32_t i = 0; i < rows.size; ++i) {
    if (rows[i] == kHidden) continue;
    const size_t found_bytes = tensor.string_at(rows[i]).size();
    if (found_bytes == expected_bytes || (found_bytes == 0 && may_be_empty)) continue;
    return place.Error(rows[i],
                       absl::StrCat("its annotation says fixed_size: ", expected_bytes, "; found ", found_bytes, " bytes"));
  }
  return absl::OkStatus();
}

absl::StatusOr<TextColumn> ColumnMaker::Text(const plan::FieldPlan& field, const Tensor& tensor, const Rows& rows,
                                             bool empty_hidden, const Place& place) {
  STRUCTTENSOR_RETURN_IF_ERROR(CheckType(field, tensor, place));
  if (field.validate_utf8) {
    STRUCTTENSOR_RETURN_IF_ERROR(CheckUtf8(tensor, rows, place));
  }
  if (field.is_message()) {
    STRUCTTENSOR_RETURN_IF_ERROR(CheckMessages(field, tensor, rows, place));
  }
  if (plan::FixedSizeBytesOf(field) != 0) {
    STRUCTTENSOR_RETURN_IF_ERROR(CheckFixedSize(field, tensor, rows, place));
  }
  const std::span<const int32_t> from = tensor.string_offsets().span();
  const char* const bytes = tensor.string_bytes().data();
  if (rows.source == nullptr || (rows.in_place && !(empty_hidden && rows.any_hidden))) {
    return TextColumn{from.data(), bytes, static_cast<size_t>(from[rows.size] - from[0])};
  }

  // If there are no gaps between the strings that are taken, their bytes need not be copied.
  int32_t* const offsets = builder_.Allocate<int32_t>(size_t{rows.size} + 1);
  int32_t first = -1;
  int32_t end = 0;
  bool gaps = false;
  size_t text_bytes = 0;
  for (uint32_t i = 0; i < rows.size; ++i) {
    if (rows[i] == kHidden) continue;
    if (first < 0) first = end = from[rows[i]];
    gaps = gaps || from[rows[i]] != end;
    end = from[rows[i] + 1];
    text_bytes += static_cast<size_t>(end - from[rows[i]]);
  }
  char* copy = nullptr;
  if (gaps) {
    if (text_bytes > kMaxTextBytes) {
      return absl::ResourceExhaustedError(
          absl::StrCat(place.Path(), ": ", text_bytes, " bytes of strings exceed the 2 GiB of a column; encode fewer rows"));
    }
    copy = builder_.Allocate<char>(text_bytes);
  }
  int32_t at = gaps ? 0 : std::max(first, 0);
  for (uint32_t i = 0; i < rows.size; ++i) {
    offsets[i] = at;
    if (rows[i] == kHidden) continue;
    const int32_t size_bytes = from[rows[i] + 1] - from[rows[i]];
    if (gaps && size_bytes != 0) std::memcpy(copy + at, bytes + from[rows[i]], static_cast<size_t>(size_bytes));
    at += size_bytes;
  }
  offsets[rows.size] = at;
  return TextColumn{offsets, gaps ? copy : bytes, text_bytes};
}

}  // namespace structtensor::messages_internal
