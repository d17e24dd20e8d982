#include "structtensor/app/convert/internal/whole_number.h"

#include <charconv>
#include <cstdint>
#include <system_error>

#include "absl/strings/str_cat.h"

namespace structtensor::convert_internal {

std::string NumberRange::Text() const {
  if (most == UINT64_MAX) return absl::StrCat(least, " or more (below 2^64)");
  if (most == INT64_MAX) return absl::StrCat(least, " or more (below 2^63)");
  return absl::StrCat("from ", least, " to ", most);
}

std::string ReadWholeNumber(const NumberRange& range, std::string& text) {
  uint64_t number = 0;
  const char* const end = text.data() + text.size();
  const auto [stopped, error] = std::from_chars(text.data(), end, number);
  if (error == std::errc() && stopped == end && number >= range.least && number <= range.most) {
    text = absl::StrCat(number);
    return "";
  }
  return absl::StrCat("'", text, "' is not allowed: it takes a whole number ", range.most >= INT64_MAX ? "of " : "",
                      range.Text());
}

}  // namespace structtensor::convert_internal
