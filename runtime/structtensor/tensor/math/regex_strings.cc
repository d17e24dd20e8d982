#include "structtensor/tensor/math/regex_strings.h"

#include <re2/re2.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "structtensor/core/base/shared/new_buffer.h"
#include "structtensor/core/base/shared/status.h"
#include "structtensor/core/base/shared/strings.h"
#include "structtensor/tensor/math/internal/flat_values.h"
#include "structtensor/tensor/math/internal/write_strings.h"
#include "structtensor/tensor/values/tensor.h"

namespace structtensor {
namespace {

constexpr size_t kMaxBytes = std::numeric_limits<int32_t>::max();

re2::StringPiece ToPiece(std::string_view text) { return {text.data(), text.size()}; }

re2::RE2::Options OptionsOf(DType dtype) {
  re2::RE2::Options options(re2::RE2::Quiet);
  if (dtype == DType::kBytes) options.set_encoding(re2::RE2::Options::EncodingLatin1);
  return options;
}

absl::Status CheckPattern(std::string_view op, const re2::RE2& regex) {
  if (regex.ok()) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat(ToAbsl(op), "(): \"", regex.pattern(), "\" is not a regular expression: ", regex.error()));
}

// The text that replaces a match.
class Rewrite {
 public:
  static constexpr size_t kMaxGroups = 10;  // \0 to \9
  using Groups = std::array<re2::StringPiece, kMaxGroups + 1>;

  static absl::StatusOr<Rewrite> Parse(const re2::RE2& regex, std::string_view text) {
    std::string error;
    if (!regex.CheckRewriteString(ToPiece(text), &error)) {
      return absl::InvalidArgumentError(absl::StrCat("RegexReplace(): \"", ToAbsl(text), "\" cannot replace a match: ", error));
    }
    return Rewrite(text);
  }

  int num_groups() const { return num_groups_; }
  // How many bytes replace a match of these groups.
  size_t SizeBytes(const Groups& groups) const {
    size_t size_bytes = 0;
    for (const Part& part : parts_) size_bytes += part.literal.size() + groups[part.group].size();
    return size_bytes;
  }
  void Append(const Groups& groups, std::string& out) const {
    for (const Part& part : parts_) {
      out.append(part.literal);
      out.append(groups[part.group].data(), groups[part.group].size());
    }
  }

 private:
  // A literal and then a group.
  struct Part {
    std::string literal;
    size_t group;
  };
  static constexpr size_t kNoGroup = kMaxGroups;  // empty

  // Requires: after each backslash comes a digit or another backslash.
  explicit Rewrite(std::string_view text) : num_groups_(1 + re2::RE2::MaxSubmatch(ToPiece(text))) {
    std::string literal;
    for (size_t i = 0; i < text.size(); ++i) {
      if (text[i] != '\\' || text[++i] == '\\') {
        literal += text[i];
      } else {
        parts_.push_back({std::exchange(literal, ""), static_cast<size_t>(text[i] - '0')});
      }
    }
    parts_.push_back({std::move(literal), kNoGroup});
  }

  int num_groups_;
  std::vector<Part> parts_;
};

// How many bytes the character at the beginning of a text has.
size_t CharacterBytes(std::string_view text, DType dtype) {
  size_t size_bytes = 1;
  if (dtype == DType::kBytes) return size_bytes;
  while (size_bytes < text.size() && (static_cast<unsigned char>(text[size_bytes]) & 0xC0) == 0x80) ++size_bytes;
  return size_bytes;
}

// Appends the text with its matches replaced. False if more than kMaxBytes would come out.
bool AppendReplaced(const re2::RE2& regex, const Rewrite& rewrite, std::string_view text, DType dtype, bool all,
                    std::string& out) {
  size_t at = 0;
  // An empty match right after another match does not count, as in RE2::GlobalReplace.
  size_t last_end = std::string_view::npos;
  Rewrite::Groups groups;
  while (at <= text.size() &&
         regex.Match(ToPiece(text), at, text.size(), re2::RE2::UNANCHORED, groups.data(), rewrite.num_groups())) {
    const size_t begin = static_cast<size_t>(groups[0].data() - text.data());
    out.append(text.substr(at, begin - at));
    at = begin;
    if (groups[0].empty() && begin == last_end) {
      if (at == text.size()) break;
      const size_t size_bytes = CharacterBytes(text.substr(at), dtype);
      out.append(text.substr(at, size_bytes));
      at += size_bytes;
      continue;
    }
    if (out.size() + rewrite.SizeBytes(groups) > kMaxBytes) return false;
    rewrite.Append(groups, out);
    at = last_end = begin + groups[0].size();
    if (!all) break;
  }
  if (at < text.size()) out.append(text.substr(at));
  return out.size() <= kMaxBytes;
}

absl::StatusOr<Tensor> Replace(const Tensor& flat, std::string_view pattern, std::string_view text, bool all) {
  STRUCTTENSOR_RETURN_IF_ERROR(math_internal::CheckStrings("RegexReplace", flat));
  const re2::RE2 regex(ToPiece(pattern), OptionsOf(flat.dtype()));
  STRUCTTENSOR_RETURN_IF_ERROR(CheckPattern("RegexReplace", regex));
  STRUCTTENSOR_ASSIGN_OR_RETURN(const Rewrite rewrite, Rewrite::Parse(regex, text));
  STRUCTTENSOR_ASSIGN_OR_RETURN(NewBuffer<int32_t> offsets, NewBuffer<int32_t>::Allocate(flat.size_elements() + 1));
  std::string bytes;
  offsets.data()[0] = 0;
  for (int64_t i = 0; i < flat.size_elements(); ++i) {
    if (flat.is_valid(i) && !AppendReplaced(regex, rewrite, flat.string_at(i), flat.dtype(), all, bytes)) {
      return absl::ResourceExhaustedError(
          "RegexReplace(): the strings of the result exceed the 2 GiB that a tensor can have; work on fewer rows");
    }
    offsets.data()[i + 1] = static_cast<int32_t>(bytes.size());
  }
  STRUCTTENSOR_ASSIGN_OR_RETURN(NewBuffer<char> stored, NewBuffer<char>::Allocate(static_cast<int64_t>(bytes.size())));
  bytes.copy(stored.data(), bytes.size());
  return Tensor::FromStrings(std::move(offsets).Finish(), std::move(stored).Finish(), flat.dtype(), flat.validity())
      .Reshape(flat.shape());
}

}  // namespace

absl::StatusOr<Value> RegexFullMatch(const Value& x, std::string_view pattern) {
  return math_internal::MapFlatValues("RegexFullMatch", x, [pattern](const Tensor& flat) -> absl::StatusOr<Tensor> {
    STRUCTTENSOR_RETURN_IF_ERROR(math_internal::CheckStrings("RegexFullMatch", flat));
    const re2::RE2 regex(ToPiece(pattern), OptionsOf(flat.dtype()));
    STRUCTTENSOR_RETURN_IF_ERROR(CheckPattern("RegexFullMatch", regex));
    STRUCTTENSOR_ASSIGN_OR_RETURN(NewBuffer<uint8_t> out, NewBuffer<uint8_t>::Allocate(flat.size_elements()));
    for (int64_t i = 0; i < flat.size_elements(); ++i) {
      out.data()[i] = static_cast<uint8_t>(re2::RE2::FullMatch(ToPiece(flat.string_at(i)), regex));
    }
    return Tensor::FromBuffer(std::move(out).Finish(), flat.shape(), DType::kBool, flat.validity());
  });
}

absl::StatusOr<Value> RegexReplace(const Value& x, std::string_view pattern, std::string_view rewrite, bool replace_global) {
  return math_internal::MapFlatValues("RegexReplace", x,
                                      [&](const Tensor& flat) { return Replace(flat, pattern, rewrite, replace_global); });
}

}  // namespace structtensor
