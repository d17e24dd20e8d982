#include "structtensor/app/convert/internal/partition_values.h"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <system_error>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "structtensor/app/sinks/partitioned_sink.h"
#include "structtensor/core/base/shared/printable_path.h"
#include "structtensor/core/base/shared/status.h"
#include "structtensor/core/base/shared/strings.h"
#include "structtensor/core/field_path/field_path.h"
#include "structtensor/core/wire/shared/append.h"
#include "structtensor/core/wire/shared/number_kinds.h"

namespace structtensor::convert_internal {
namespace {

// The fields on the way from a message to a field that is not a struct.
using FieldChain = std::vector<const plan::FieldPlan*>;

// Appends the fields that lead to the column with this name. Returns false if there is none. Skipped fields, and fields that
// are flattened below them, count only if `skipped` is true.
bool AppendColumn(const plan::MessagePlan& message, std::string_view name, bool skipped, FieldChain& chain) {
  for (const plan::FieldPlan& field : message.fields) {
    if (field.skipped && !skipped) continue;
    chain.push_back(&field);
    if (!field.is_flattened()) {
      if (field.column_name() == name) return true;
    } else if (name.starts_with(field.annotations->prefix) &&
               AppendColumn(*field.message, name.substr(field.annotations->prefix.size()), skipped, chain)) {
      return true;
    }
    chain.pop_back();
  }
  return false;
}

absl::StatusOr<FieldChain> FieldsAt(const plan::MessagePlan& message, const Path& path) {
  FieldChain chain;
  const plan::MessagePlan* structs = &message;
  for (const Path::Step& step : path.steps()) {
    // Searches like MessagePlan::FindByColumnName().
    if (structs == nullptr || (!AppendColumn(*structs, step.text(), /*skipped=*/false, chain) &&
                               !AppendColumn(*structs, step.text(), /*skipped=*/true, chain))) {
      return absl::InvalidArgumentError(absl::StrCat("its folder names contain the column ", path.ToString(),
                                                     ", which the message type ", ToAbsl(message.full_name),
                                                     " does not have (--ignore-extra-fields passes over it)"));
    }
    structs = chain.back()->message;
  }
  // The column of a wrapper holds its value.
  if (!chain.empty() && structs != nullptr && structs->well_known == plan::WellKnown::kWrapper) {
    chain.push_back(&structs->fields.front());
  }
  return chain;
}

void AppendTag(const plan::FieldPlan& field, plan::WireType wire_type, std::string& out) {
  wire_internal::AppendTag(static_cast<uint32_t>(field.number), wire_type, out);
}

void AppendText(const plan::FieldPlan& field, std::string_view text, std::string& out) {
  wire_internal::AppendBytes(static_cast<uint32_t>(field.number), text, out);
}

// Reads the value of a number that is not an enum. False if the text is not one.
template <typename T>
bool ParseNumber(std::string_view text, T* value) {
  return absl::SimpleAtoi(ToAbsl(text), value);
}
bool ParseNumber(std::string_view text, uint8_t* value) {  // a bool
  *value = text == "true" ? 1 : 0;
  return text == "true" || text == "false";
}
// No folder is named after a fraction.
bool ParseNumber(std::string_view, float*) { return false; }
bool ParseNumber(std::string_view, double*) { return false; }

// Appends the field with the value that `text` gives. Returns false if the field cannot have this value.
bool AppendValue(const plan::FieldPlan& field, std::string_view text, std::string& out) {
  if (field.is_message()) return false;
  if (field.kind == plan::Kind::kString || field.kind == plan::Kind::kBytes) {
    AppendText(field, text, out);
    return true;
  }
  return wire_internal::VisitNumberKind(field.kind, [&](auto number_kind) {
    using NumberKind = decltype(number_kind);
    typename NumberKind::Type value{};
    const std::optional<int32_t> enum_number = field.enumeration != nullptr ? field.enumeration->NumberOf(text) : std::nullopt;
    if (enum_number.has_value()) {
      value = static_cast<typename NumberKind::Type>(*enum_number);
    } else if (!ParseNumber(text, &value)) {
      return false;
    }
    AppendTag(field, plan::WireTypeOf(field.kind), out);
    wire_internal::AppendNumber<NumberKind>(value, out);
    return true;
  });
}

// Returns `message` as the field `field` of another message.
std::string AsField(const plan::FieldPlan& field, std::string_view message) {
  std::string out;
  if (field.kind != plan::Kind::kGroup) {
    AppendText(field, message, out);
    return out;
  }
  AppendTag(field, plan::kSgroup, out);
  out += message;
  AppendTag(field, plan::kEgroup, out);
  return out;
}

// Replaces each %XX by its byte. Returns nothing if a % is not followed by two hex digits.
std::optional<std::string> Unescaped(std::string_view text) {
  std::string bytes;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      bytes += text[i];
      continue;
    }
    uint32_t byte = 0;
    if (i + 2 >= text.size() || !absl::SimpleHexAtoi(ToAbsl(text.substr(i + 1, 2)), &byte)) return std::nullopt;
    bytes += static_cast<char>(byte);
    i += 2;
  }
  return bytes;
}

// Returns the names of the `count` innermost folders that the file is in, outermost first. Fewer if the path has fewer.
std::vector<std::string> FoldersOf(const std::string& path, size_t count) {
  std::error_code error;
  std::filesystem::path folder = std::filesystem::absolute(path, error).lexically_normal().parent_path();
  std::vector<std::string> names;
  for (; names.size() < count && folder.has_filename(); folder = folder.parent_path()) {
    names.push_back(folder.filename().string());
  }
  std::reverse(names.begin(), names.end());
  return names;
}

}  // namespace

absl::StatusOr<std::string> PartitionValuesOf(const std::string& path, std::string_view partition_by,
                                              const plan::MessagePlan& message, bool ignore_extra) {
  const std::vector<std::string> columns = absl::StrSplit(ToAbsl(partition_by), '\n');
  const std::vector<std::string> folders = FoldersOf(path, columns.size());
  if (folders.size() < columns.size()) return "";
  std::string values;
  for (size_t i = 0; i < columns.size(); ++i) {
    const size_t equals = folders[i].find('=');
    if (equals == std::string::npos || Unescaped(folders[i].substr(0, equals)) != columns[i]) return "";
    const std::string text = folders[i].substr(equals + 1);
    if (text == kAbsentPartition) continue;
    STRUCTTENSOR_ASSIGN_OR_RETURN(const Path column, Path::Parse(columns[i]));
    absl::StatusOr<FieldChain> fields = FieldsAt(message, column);
    if (!fields.ok()) {
      if (ignore_extra) continue;
      return fields.status();
    }
    // A oneof case needs no value: its member sets it.
    if (fields->back()->number == 0) continue;
    const std::optional<std::string> value = Unescaped(text);
    std::string bytes;
    if (!value.has_value() || !AppendValue(*fields->back(), *value, bytes)) {
      return absl::DataLossError(absl::StrCat("it is in the folder ", base_internal::PrintablePath(folders[i]), ", but ",
                                              columns[i], " is a field of type ", ToAbsl(plan::KindName(fields->back()->kind)),
                                              "; restore the name that structtensor gave the folder"));
    }
    for (size_t k = fields->size() - 1; k-- > 0;) bytes = AsField(*(*fields)[k], bytes);
    values += bytes;
  }
  return values;
}

}  // namespace structtensor::convert_internal
