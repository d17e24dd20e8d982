#include "tree_text.h"

#include <simdjson.h>

#include <algorithm>
#include <string_view>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "structtensor/base/internal/json_string.h"
#include "structtensor/base/internal/strings.h"

namespace structtensor::command {
namespace {

using simdjson::dom::array;
using simdjson::dom::element;
using simdjson::dom::element_type;
using simdjson::dom::object;

constexpr size_t kMaxLineBytes = 100;  // of a list on one line
constexpr size_t kMaxNames = 200;

bool IsList(element value) { return value.type() == element_type::ARRAY; }
bool IsObject(element value) { return value.type() == element_type::OBJECT; }
bool IsText(element value) { return value.type() == element_type::STRING; }

std::string_view TextOf(element value) { return value.get_string().value_unsafe(); }
array ListOf(element value) { return value.get_array().value_unsafe(); }
object ObjectOf(element value) { return value.get_object().value_unsafe(); }

bool IsEmpty(element value) {
  return value.is_null() || (IsText(value) && TextOf(value).empty()) || (IsList(value) && ListOf(value).size() == 0) ||
         (IsObject(value) && ObjectOf(value).size() == 0);
}

// `text` cut behind so many characters, not within one.
std::string Cut(std::string_view text, size_t max_chars) {
  size_t chars = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    const bool begins = (static_cast<unsigned char>(text[i]) & 0xc0) != 0x80;
    if (begins && chars++ == max_chars) return absl::StrCat(ToAbsl(text.substr(0, i)), "… (", text.size(), " bytes)");
  }
  return std::string(text);
}

// Texts without quotes, unless they could be taken for something else.
std::string ShownText(std::string_view text, const TreeOptions& options) {
  bool plain = !text.empty() && text.front() != ' ' && text.back() != ' ' && text.front() != '"';
  for (const char c : text) plain = plain && static_cast<unsigned char>(c) >= 0x20 && c != 0x7f;
  if (plain) return Cut(text, options.max_chars);
  std::string quoted;
  AppendJsonString(text, quoted);
  return Cut(quoted, options.max_chars);
}

std::string ScalarText(element value, const TreeOptions& options) {
  return IsText(value) ? ShownText(TextOf(value), options) : simdjson::minify(value);
}

std::string MoreText(size_t more) { return absl::StrCat("… ", more, " more"); }

// A list of plain values on one line, "" if it does not fit there.
std::string InlineText(array list, const TreeOptions& options) {
  std::string text;
  size_t count = 0;
  for (const element item : list) {
    if (IsList(item) || IsObject(item)) return "";
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

void AppendFields(object message, size_t indent, bool first_indented, const TreeOptions& options, std::string& out);

// Appends what is behind a name or a dash: on its line, or on lines of its own.
void AppendValue(element value, size_t indent, const TreeOptions& options, std::string& out) {
  if (!IsList(value) && !IsObject(value)) {
    absl::StrAppend(&out, " ", ScalarText(value, options), "\n");
    return;
  }
  if (IsEmpty(value)) {
    out += IsList(value) ? " []\n" : " {}\n";
    return;
  }
  if (IsObject(value)) {
    out += '\n';
    AppendFields(ObjectOf(value), indent + 2, true, options, out);
    return;
  }
  const array list = ListOf(value);
  if (const std::string line = InlineText(list, options); !line.empty()) {
    absl::StrAppend(&out, " ", line, "\n");
    return;
  }
  absl::StrAppend(&out, " ", list.size(), "\n");
  size_t count = 0;
  for (const element item : list) {
    out.append(indent + 2, ' ');
    if (count++ == options.max_items) {
      absl::StrAppend(&out, MoreText(list.size() - options.max_items), "\n");
      break;
    }
    out += '-';
    if (IsObject(item) && !IsEmpty(item)) {
      out += ' ';
      AppendFields(ObjectOf(item), indent + 4, false, options, out);
    } else {
      AppendValue(item, indent + 2, options, out);
    }
  }
}

void AppendFields(object message, size_t indent, bool first_indented, const TreeOptions& options, std::string& out) {
  const size_t max_names = std::max(kMaxNames, options.max_items);
  bool indented = first_indented;
  size_t count = 0;
  for (const auto field : message) {
    if (IsEmpty(field.value) && !options.all_fields) continue;
    if (indented) out.append(indent, ' ');
    indented = true;
    if (count++ == max_names) {
      out += "… and more\n";
      return;
    }
    absl::StrAppend(&out, ShownText(field.key, options), ":");
    AppendValue(field.value, indent, options, out);
  }
  if (count == 0) out.append(first_indented ? indent : 0, ' ').append("(nothing is set)\n");
}

}  // namespace

absl::StatusOr<std::string> TreeText(const std::string& row, const TreeOptions& options) {
  // Made once, as its memory serves all rows; the command shows them on one thread.
  static auto* const parser = new simdjson::dom::parser;
  element document;
  if (parser->parse(row).get(document) != simdjson::SUCCESS || !IsObject(document)) {
    return absl::InternalError("a row is not the JSON that it should be");
  }
  std::string text;
  AppendFields(ObjectOf(document), 0, true, options, text);
  return text;
}

}  // namespace structtensor::command
