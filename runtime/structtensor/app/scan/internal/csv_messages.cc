#include "structtensor/app/scan/internal/csv_messages.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "structtensor/core/base/shared/json_string.h"
#include "structtensor/core/base/shared/similar_names.h"
#include "structtensor/core/base/shared/strings.h"
#include "structtensor/core/field_path/field_path.h"
#include "structtensor/core/plan/field_names.h"
#include "structtensor/core/wire/abi/utf8.h"

namespace structtensor::scan_internal {
namespace {

using plan::FieldPlan;
using plan::Kind;
using plan::MessagePlan;

// A name that a field may have in a header.
using NameOfField = bool (*)(const FieldPlan& field, std::string_view name);

// The field with this name, after the flattened fields around it. Empty if there is no such field.
std::vector<const FieldPlan*> FindField(const MessagePlan& message, std::string_view name, NameOfField is_named) {
  for (const FieldPlan& field : message.fields) {
    if (field.is_flattened()) {
      std::vector<const FieldPlan*> inside = FindField(*field.message, name, is_named);
      if (inside.empty()) continue;
      inside.insert(inside.begin(), &field);
      return inside;
    }
    if (is_named(field, name)) return {&field};
  }
  return {};
}

// What is one field's JSON name may be another field's own name, which comes first.
std::vector<const FieldPlan*> FindField(const MessagePlan& message, std::string_view name) {
  constexpr NameOfField kNames[] = {
      [](const FieldPlan& field, std::string_view searched) { return field.column_name() == searched; },
      [](const FieldPlan& field, std::string_view searched) { return field.name == searched; },
      [](const FieldPlan& field, std::string_view searched) {
        return field.number != 0 && plan::JsonNameOf(field) == searched;
      },
  };
  for (const NameOfField is_named : kNames) {
    std::vector<const FieldPlan*> found = FindField(message, name, is_named);
    if (!found.empty()) return found;
  }
  return {};
}

std::vector<std::string> NamesOf(const MessagePlan& message) {
  std::vector<std::string> names;
  for (const FieldPlan& field : message.fields) names.emplace_back(field.column_name());
  return names;
}

// nullopt for a message that has fields of its own.
std::optional<CellKind> KindOfField(const FieldPlan& field) {
  switch (field.kind) {
    case Kind::kBool:
      return CellKind::kBool;
    case Kind::kFloat:
    case Kind::kDouble:
      return CellKind::kNumber;
    case Kind::kEnum:
      return CellKind::kEnum;
    case Kind::kMessage:
    case Kind::kGroup:
      break;
    default:
      return CellKind::kText;
  }
  const std::string_view name = field.message->full_name;
  if (name == "google.protobuf.Timestamp") return CellKind::kTimestamp;
  if (name == "google.protobuf.Duration") return CellKind::kDuration;
  if (name == "google.protobuf.FieldMask") return CellKind::kText;
  constexpr std::string_view kWrappers[] = {
      "google.protobuf.DoubleValue", "google.protobuf.FloatValue",  "google.protobuf.Int64Value",
      "google.protobuf.UInt64Value", "google.protobuf.Int32Value",  "google.protobuf.UInt32Value",
      "google.protobuf.BoolValue",   "google.protobuf.StringValue", "google.protobuf.BytesValue"};
  if (std::ranges::find(kWrappers, name) == std::end(kWrappers)) return std::nullopt;
  return KindOfField(field.message->fields.front());
}

bool IsWhole(std::string_view text) {
  const size_t begin = text.starts_with('-') ? 1 : 0;
  return text.size() > begin && std::all_of(text.begin() + static_cast<ptrdiff_t>(begin), text.end(), absl::ascii_isdigit);
}

// "2024-05-06 07:08:09.25Z" in the form of JSON, with "T" and a zone.
std::string TimestampText(std::string_view text) {
  std::string time(text);
  constexpr size_t kDateBytes = 10;
  if (time.size() > kDateBytes && time[kDateBytes] == ' ') time[kDateBytes] = 'T';
  if (time.size() > kDateBytes && !time.ends_with('Z') && time.find_first_of("+-", kDateBytes) == std::string::npos)
    time += 'Z';
  return time;
}

std::string NumberText(std::string_view text) {
  const std::string lower = absl::AsciiStrToLower(ToAbsl(text));
  if (lower == "nan") return "NaN";
  if (lower == "inf" || lower == "infinity") return "Infinity";
  if (lower == "-inf" || lower == "-infinity") return "-Infinity";
  return std::string(text);
}

// The next cell of a row. `raw`: the cell as it is written in the row.
struct TakenCell {
  std::string_view raw;
  std::string text;
  bool quoted = false;
  bool ok = true;
  bool last = false;
};
TakenCell TakeCell(std::string_view& rest) {
  TakenCell cell;
  size_t end = 0;
  if (rest.starts_with('"')) {
    cell.quoted = true;
    for (end = 1;; ++end) {
      const size_t quote = std::min(rest.find('"', end), rest.size());
      cell.text += rest.substr(end, quote - end);
      end = quote + 1;
      if (quote == rest.size()) {
        cell.ok = false;
        end = rest.size();
        break;
      }
      if (end == rest.size() || rest[end] != '"') break;
      cell.text += '"';
    }
    cell.ok = cell.ok && (end == rest.size() || rest[end] == ',');
    end = std::min(rest.find(',', std::min(end, rest.size())), rest.size());
  } else {
    end = std::min(rest.find(','), rest.size());
    cell.text = std::string(rest.substr(0, end));
  }
  cell.raw = rest.substr(0, end);
  cell.last = end == rest.size();
  rest.remove_prefix(cell.last ? end : end + 1);
  return cell;
}

}  // namespace

// A message that has columns: its fields that are cells, and its submessages.
struct CsvMessages::Node {
  std::vector<size_t> columns;
  std::vector<std::pair<const FieldPlan*, std::unique_ptr<Node>>> messages;

  Node& Below(const FieldPlan* field) {
    for (const auto& [known, node] : messages) {
      if (known == field) return *node;
    }
    return *messages.emplace_back(field, std::make_unique<Node>()).second;
  }
};

struct CsvMessages::Column {
  const FieldPlan* field = nullptr;  // null: passed over
  CellKind kind = CellKind::kText;
  std::string path;  // with the names of the .proto file, for errors
};

struct CsvMessages::Cell {
  size_t byte;  // in the row
  std::string text;
  bool is_set;
};

CsvMessages::CsvMessages(const MessagePlan& message, const MessageJsonOptions& options)
    : message_(message), ignore_extra_fields_(options.ignore_extra_fields), json_(message, options) {}
CsvMessages::~CsvMessages() = default;

std::string CsvMessages::AddColumn(const std::string& name) {
  Column& column = columns_.emplace_back();
  if (name.empty()) {
    return ignore_extra_fields_ ? ""
                                : absl::StrCat("column ", columns_.size(),
                                               " of the header has no name (`ignore_extra_fields=true` passes over it)");
  }
  const absl::StatusOr<Path> path = Path::Parse(name);
  std::vector<const FieldPlan*> fields;
  const MessagePlan* message = &message_;
  bool is_field = path.ok();
  std::string_view missing = name;
  if (path.ok()) {
    for (const Path::Step& step : path->steps()) {
      const std::vector<const FieldPlan*> found = message == nullptr || step.kind() != Path::Step::Kind::kField
                                                      ? std::vector<const FieldPlan*>()
                                                      : FindField(*message, step.text());
      if (found.empty()) {
        missing = step.text();
        is_field = false;
        break;
      }
      fields.insert(fields.end(), found.begin(), found.end());
      message = found.back()->message;
    }
  }
  if (fields.empty() || !is_field) {
    if (ignore_extra_fields_) return "";
    if (!path.ok() || message == nullptr)
      return absl::StrCat("the header's ", name, " is not a field of ", ToAbsl(message_.full_name));
    return absl::StrCat("the header's ", name, " is not a field of ", ToAbsl(message_.full_name),
                        base_internal::DidYouMean(base_internal::SimilarNames(missing, NamesOf(*message))),
                        " (`ignore_extra_fields=true` passes over it)");
  }
  Node* node = root_.get();
  for (size_t i = 0; i < fields.size(); ++i) {
    const FieldPlan& field = *fields[i];
    absl::StrAppend(&column.path, i == 0 ? "" : ".", ToAbsl(field.name));
    if (field.is_repeated())
      return absl::StrCat("the header's ", name, " is repeated, and CSV has one cell for a field; write it as JSON");
    if (i + 1 < fields.size()) node = &node->Below(&field);
  }
  const FieldPlan& field = *fields.back();
  if (field.number == 0) return "";  // the fields themselves show which member of a oneof is set
  const std::optional<CellKind> kind = KindOfField(field);
  if (!kind.has_value())
    return absl::StrCat("the header's ", name, " is a message; its fields are columns of their own, as ", name, ".x");
  for (const size_t other : node->columns) {
    if (columns_[other].field == &field) return absl::StrCat("the header has ", name, " twice");
  }
  column.field = &field;
  column.kind = *kind;
  node->columns.push_back(columns_.size() - 1);
  return "";
}

std::string CsvMessages::ReadHeader(std::string_view header) {
  columns_.clear();
  root_ = std::make_unique<Node>();
  std::string_view rest = header;
  for (bool last = false; !last;) {
    const TakenCell cell = TakeCell(rest);
    last = cell.last;
    if (!cell.ok) return "the header has a name that goes on after its quotes";
    std::string problem = AddColumn(cell.text);
    if (!problem.empty()) return problem;
  }
  return "";
}

void CsvMessages::AppendCell(const Column& column, const Cell& cell) {
  switch (column.kind) {
    case CellKind::kBool:
      if (absl::EqualsIgnoreCase(ToAbsl(cell.text), "true") || absl::EqualsIgnoreCase(ToAbsl(cell.text), "false")) {
        text_ += absl::AsciiStrToLower(ToAbsl(cell.text));
        return;
      }
      break;
    case CellKind::kEnum:
      if (IsWhole(cell.text)) {
        text_ += cell.text;
        return;
      }
      break;
    case CellKind::kNumber:
      return AppendJsonString(NumberText(cell.text), text_);
    case CellKind::kTimestamp:
      return AppendJsonString(TimestampText(cell.text), text_);
    case CellKind::kDuration:
      return AppendJsonString(cell.text, text_);
    case CellKind::kText:
      break;
  }
  AppendJsonString(cell.text, text_);
}

bool CsvMessages::AppendObject(const Node& node) {
  bool any = false;
  const auto begin_field = [&](const FieldPlan& field) {
    text_ += any ? ',' : '{';
    AppendJsonString(field.name, text_);
    text_ += ':';
  };
  for (const size_t i : node.columns) {
    if (!cells_[i].is_set) continue;
    begin_field(*columns_[i].field);
    AppendCell(columns_[i], cells_[i]);
    any = true;
  }
  for (const auto& [field, below] : node.messages) {
    const size_t before = text_.size();
    begin_field(*field);
    if (AppendObject(*below)) {
      any = true;
    } else {
      text_.resize(before);
    }
  }
  if (any) text_ += '}';
  return any;
}

std::optional<TextProblem> CsvMessages::Append(std::string_view header, std::string_view row, std::string& message) {
  if (!has_header_ || header != header_) {
    has_header_ = false;
    std::string problem = ReadHeader(header);
    if (!problem.empty()) return TextProblem{0, std::move(problem), /*in_header=*/true};
    header_ = header;
    has_header_ = true;
  }
  cells_.clear();
  std::string_view rest = row;
  for (bool last = false; !last;) {
    const size_t byte = row.size() - rest.size();
    TakenCell cell = TakeCell(rest);
    last = cell.last;
    if (!cell.ok) return TextProblem{byte, "a cell goes on after its quotes"};
    const bool is_set = cell.quoted || !cell.text.empty();
    cells_.push_back({byte, std::move(cell.text), is_set});
  }
  if (cells_.size() != columns_.size()) {
    return TextProblem{
        0, absl::StrCat("the row has ", cells_.size(),
                        cells_.size() == 1 ? " cell, but the header " : " cells, but the header ", columns_.size())};
  }
  for (const Cell& cell : cells_) {
    if (!wire_internal::IsUtf8Slow(reinterpret_cast<const uint8_t*>(cell.text.data()), cell.text.size())) {
      return TextProblem{cell.byte, "the text is not UTF-8"};
    }
  }
  text_.clear();
  if (!AppendObject(*root_)) text_ = "{}";
  TextProblem problem;
  if (json_.AppendMessage(text_, message, &problem.byte, &problem.problem)) return std::nullopt;
  problem.byte = 0;
  for (size_t i = 0; i < columns_.size(); ++i) {
    if (columns_[i].field != nullptr && problem.problem.starts_with(columns_[i].path + ":")) problem.byte = cells_[i].byte;
  }
  return problem;
}

}  // namespace structtensor::scan_internal
