#include "parse_line.h"

#include <charconv>
#include <cstdint>
#include <string>
#include <system_error>

namespace structtensor::vectors {
namespace {

// The bytes of the JSON string that begins at text[begin], quotes included, or all bytes that are left.
std::string_view TakeString(std::string_view text, size_t begin) {
  size_t end = begin + 1;
  while (end < text.size() && text[end] != '"') end += text[end] == '\\' ? 2 : 1;
  return text.substr(begin, end + 1 - begin);
}

std::string_view TakeNumber(std::string_view text, size_t begin) {
  return text.substr(begin, text.find_first_not_of("+-.0123456789eE", begin) - begin);
}

template <typename T>
bool Fits(std::string_view digits) {
  T value;
  return std::from_chars(digits.data(), digits.data() + digits.size(), value).ec == std::errc();
}

bool IsLongInteger(std::string_view number) {
  return number.find_first_of(".eE") == std::string_view::npos && !Fits<int64_t>(number) && !Fits<uint64_t>(number);
}

}  // namespace

Json ParseLine(std::string_view text) {
  std::string json;
  json.reserve(text.size());
  for (size_t i = 0; i < text.size();) {
    std::string_view token = text.substr(i, 1);
    if (text[i] == '"') {
      token = TakeString(text, i);
    } else if (text[i] == '-' || (text[i] >= '0' && text[i] <= '9')) {
      token = TakeNumber(text, i);
    }
    i += token.size();
    const bool is_number = token.size() > 1 && token.front() != '"';
    if (is_number && IsLongInteger(token)) {
      json.append("{\"$int\":\"").append(token).append("\"}");
    } else {
      json.append(token);
    }
  }
  return Json::parse(json, nullptr, /*allow_exceptions=*/false);
}

}  // namespace structtensor::vectors
