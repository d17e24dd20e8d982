#include "tree_text.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "structtensor/core/base/shared/json_string.h"
#include "structtensor/core/base/shared/strings.h"

namespace structtensor::command {
namespace {

using Json = nlohmann::ordered_json;

constexpr size_t kMaxLineBytes = 100;  // of a list on one line
constexpr size_t kMaxNames = 200;

bool IsEmpty(const Json& value) {
  return value.is_null() || (value.is_string() && value.get_ref<const std::string&>().empty()) ||
         (value.is_structured() && value.empty());
}

// `text` cut after `max_chars` characters, never inside a character.
std::string Cut(std::string_view text, size_t max_chars) {
  size_t chars = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    const bool begins = (static_cast<unsigned char>(text[i]) & 0xc0) != 0x80;
    if (begins && chars++ == max_chars) return absl::StrCat(ToAbsl(text.substr(0, i)), "… (", text.size(), " bytes)");
  }
  return std::string(text);
}

// The text without quotes, unless it could then be misread.
std::string ShownText(std::string_view text, const TreeOptions& options) {
  bool plain = !text.empty() && text.front() != ' ' && text.back() != ' ' && text.front() != '"';
  for (const char c : text) plain = plain && static_cast<unsigned char>(c) >= 0x20 && c != 0x7f;
  if (plain) return Cut(text, options.max_chars);
  std::string quoted;
  AppendJsonString(text, quoted);
  return Cut(quoted, options.max_chars);
}

std::string ScalarText(const Json& value, const TreeOptions& options) {
  return value.is_string() ? ShownText(value.get_ref<const std::string&>(), options) : value.dump();
}

std::string MoreText(size_t more) { return absl::StrCat("… ", more, " more"); }

// A list of plain values on one line; "" if it does not fit.
std::string InlineText(const Json& list, const TreeOptions& options) {
  std::string text;
  size_t count = 0;
  for (const Json& item : list) {
    if (item.is_structured()) return "";
    if (count > 0) text += ", ";
    if (count++ == options.max_items) {
      text += MoreText(list.size() - options.max_items);
      break;
    }
    text += ScalarText(item, options);
    if (text.size() > kMaxLineBytes) return "";
  }
  return absl::StrCat("[", text, "]");
}

void AppendFields(const Json& message, size_t indent, bool first_indented, const TreeOptions& options, std::string& out);

// Appends the value after a name or a dash: on the same line, or on lines of its own.
void AppendValue(const Json& value, size_t indent, const TreeOptions& options, std::string& out) {
  if (!value.is_structured()) {
    absl::StrAppend(&out, " ", ScalarText(value, options), "\n");
    return;
  }
  if (IsEmpty(value)) {
    out += value.is_array() ? " []\n" : " {}\n";
    return;
  }
  if (value.is_object()) {
    out += '\n';
    AppendFields(value, indent + 2, true, options, out);
    return;
  }
  if (const std::string line = InlineText(value, options); !line.empty()) {
    absl::StrAppend(&out, " ", line, "\n");
    return;
  }
  absl::StrAppend(&out, " ", value.size(), "\n");
  size_t count = 0;
  for (const Json& item : value) {
    out.append(indent + 2, ' ');
    if (count++ == options.max_items) {
      absl::StrAppend(&out, MoreText(value.size() - options.max_items), "\n");
      break;
    }
    out += '-';
    if (item.is_object() && !item.empty()) {
      out += ' ';
      AppendFields(item, indent + 4, false, options, out);
    } else {
      AppendValue(item, indent + 2, options, out);
    }
  }
}

void AppendFields(const Json& message, size_t indent, bool first_indented, const TreeOptions& options, std::string& out) {
  const size_t max_names = std::max(kMaxNames, options.max_items);
  bool indented = first_indented;
  size_t count = 0;
  for (const auto& [name, value] : message.items()) {
    if (IsEmpty(value) && !options.all_fields) continue;
    if (indented) out.append(indent, ' ');
    indented = true;
    if (count++ == max_names) {
      out += "… and more\n";
      return;
    }
    absl::StrAppend(&out, ShownText(name, options), ":");
    AppendValue(value, indent, options, out);
  }
  if (count == 0) out.append(first_indented ? indent : 0, ' ').append("(nothing is set)\n");
}

}  // namespace

absl::StatusOr<std::string> TreeText(const std::string& row, const TreeOptions& options) {
  const Json document = Json::parse(row, /*callback=*/nullptr, /*allow_exceptions=*/false);
  if (!document.is_object()) return absl::InternalError("a row is not the JSON that it should be");
  std::string text;
  AppendFields(document, 0, true, options, text);
  return text;
}

}  // namespace structtensor::command
