#include "structtensor/app/convert/shared/scan_table.h"

#include <algorithm>
#include <deque>
#include <filesystem>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>

#include "absl/status/status.h"
#include "structtensor/app/convert/shared/broken_record_list.h"
#include "structtensor/app/filters/selection.h"
#include "structtensor/core/base/shared/status.h"
#include "structtensor/core/field_path/field_path.h"

namespace structtensor::convert_internal {
namespace {

// A column of rows: the field that it is made of, and the path of the message that has the field ("" for the message of the
// rows).
struct ColumnField {
  const plan::MessagePlan* message;
  const plan::FieldPlan* field;
  std::string path_above;

  std::string PathOf(const plan::FieldPlan& of_message) const {
    std::string path = path_above;
    AppendField(of_message.name, path);
    return path;
  }
};

// The field of a column; nothing if the column is not a field. Skipped fields, and fields that are flattened below them, count
// only with `skipped`.
std::optional<ColumnField> FindColumn(const plan::MessagePlan& message, std::string_view column, bool skipped,
                                      const std::string& path_above = "") {
  for (const plan::FieldPlan& field : message.fields) {
    if (field.skipped && !skipped) continue;
    if (!field.is_flattened()) {
      if (field.column_name() == column) return ColumnField{&message, &field, path_above};
      continue;
    }
    const std::string_view prefix = field.annotations->prefix;
    if (!column.starts_with(prefix)) continue;
    const ColumnField here{&message, &field, path_above};
    std::optional<ColumnField> found = FindColumn(*field.message, column.substr(prefix.size()), skipped, here.PathOf(field));
    if (found.has_value()) return found;
  }
  return std::nullopt;
}

// `path` in the form that all paths of its field have.
std::string Canonical(const std::string& path) {
  const absl::StatusOr<Path> parsed = Path::Parse(path);
  return parsed.ok() ? parsed->ToString() : path;
}

// Whether `path` is `other` or is below it. Requires: both are canonical.
bool IsBelow(std::string_view path, std::string_view other) {
  if (!path.starts_with(other)) return false;
  return path.size() == other.size() || path[other.size()] == '.' || path[other.size()] == '[';
}

// A field that is cheap to decode.
const plan::FieldPlan& CheapField(const plan::MessagePlan& message) {
  const plan::FieldPlan* any = &message.fields.front();
  for (const plan::FieldPlan& field : message.fields) {
    if (field.skipped || field.cardinality == plan::Cardinality::kOneofCase) continue;
    if (!field.is_message() && !field.is_repeated()) return field;
    any = &field;
  }
  return *any;
}

}  // namespace

class ScanTable::Pass : public DuckDbRows {
 public:
  Pass(ScanTable& table, std::unique_ptr<Scan> scan) : table_(table), scan_(std::move(scan)) {}
  ~Pass() override { table_.End(*scan_); }

  const StructuredTensor& empty() const override { return scan_->empty(); }

  absl::StatusOr<std::optional<StructuredTensor>> Next() override {
    while (pieces_.empty()) {
      const absl::StatusOr<bool> more = scan_->Next([this](const ScanBatch& batch) {
        pieces_.push_back(batch.rows);
        return absl::OkStatus();
      });
      if (!more.ok()) return WithReason(more.status(), *scan_);
      if (!*more) return std::nullopt;
    }
    StructuredTensor piece = std::move(pieces_.front());
    pieces_.pop_front();
    return piece;
  }

 private:
  ScanTable& table_;
  const std::unique_ptr<Scan> scan_;
  std::deque<StructuredTensor> pieces_;  // several if the whole batch exceeds a limit
};

absl::StatusOr<std::shared_ptr<ScanTable>> ScanTable::Create(std::shared_ptr<const plan::MessagePlan> message,
                                                             ScanOptions options) {
  // Expanded once, so that all passes read the same files.
  STRUCTTENSOR_ASSIGN_OR_RETURN(options.inputs, ExpandInputs(options.inputs, OutputsOf(options)));
  STRUCTTENSOR_ASSIGN_OR_RETURN(const std::unique_ptr<Scan> scan, Scan::Create(*message, options));
  std::vector<std::string> fields = options.row_options.decode.fields;
  if (!options.row_options.selection.empty()) {
    STRUCTTENSOR_ASSIGN_OR_RETURN(
        fields, ResolveSelection(scan->message(), options.row_options.selection, options.row_options.decode.recursion_depth));
    options.row_options.selection = {};
  }
  for (std::string& field : fields) field = Canonical(field);
  return std::shared_ptr<ScanTable>(new ScanTable(std::move(message), std::move(options), std::move(fields), *scan));
}

ScanTable::ScanTable(std::shared_ptr<const plan::MessagePlan> message, ScanOptions options, std::vector<std::string> fields,
                     const Scan& scan)
    : message_(std::move(message)),
      message_of_rows_(scan.message()),
      options_(std::move(options)),
      fields_(std::move(fields)),
      empty_(scan.empty()) {}

absl::StatusOr<std::unique_ptr<DuckDbRows>> ScanTable::Begin(const std::vector<std::string>& columns) {
  ScanOptions options = options_;
  options.row_options.decode.fields = FieldsOf(columns);
  options.make_columns = true;  // DuckDB asks only for columns that it reads
  STRUCTTENSOR_ASSIGN_OR_RETURN(std::unique_ptr<Scan> scan, Scan::Create(*message_, std::move(options)));
  return std::make_unique<Pass>(*this, std::move(scan));
}

DuckDb::Access ScanTable::access() const {
  // Each broken record and damaged file is reported once.
  const bool all_fail = options_.row_options.decode.on_error == DecodeOptions::OnError::kFail &&
                        options_.on_damaged_file == OnDamagedFile::kFail && options_.dead_letters.empty();
  const bool all_files = std::all_of(options_.inputs.begin(), options_.inputs.end(), [](const std::string& input) {
    std::error_code error;
    // The scan reports files that do not exist.
    return input != "-" && (!std::filesystem::exists(input, error) || std::filesystem::is_regular_file(input, error));
  });
  return all_fail && all_files ? DuckDb::Access::kEachTime : DuckDb::Access::kOnce;
}

std::vector<std::string> ScanTable::FieldsOf(const std::vector<std::string>& columns) const {
  if (columns.size() == empty_.num_fields() || message_of_rows_.fields.empty()) return fields_;
  std::vector<std::string> paths;
  for (const std::string& column : columns) {
    // Like MessagePlan::FindByColumnName().
    std::optional<ColumnField> found = FindColumn(message_of_rows_, column, /*skipped=*/false);
    if (!found.has_value()) found = FindColumn(message_of_rows_, column, /*skipped=*/true);
    // Not a field: unknown fields, which depend on which fields are decoded.
    if (!found.has_value()) return fields_;
    if (found->field->cardinality != plan::Cardinality::kOneofCase) {
      paths.push_back(found->PathOf(*found->field));
      continue;
    }
    // The case of a oneof depends on all its members.
    const auto index = static_cast<int32_t>(found->field - found->message->fields.data());
    for (const plan::FieldPlan& member : found->message->fields) {
      if (member.oneof_case != index) continue;
      std::string path = found->PathOf(member);
      const bool selected =
          std::any_of(fields_.begin(), fields_.end(), [&path](const auto& field) { return IsBelow(field, path); });
      if (!member.skipped || selected) paths.push_back(std::move(path));
    }
  }
  if (fields_.empty()) {
    if (paths.empty()) AppendField(CheapField(message_of_rows_).name, paths.emplace_back());
    return paths;
  }
  // The selected paths that these columns need: the path of a column, or the selected paths below it.
  std::vector<std::string> selected;
  for (const std::string& field : fields_) {
    for (const std::string& path : paths) {
      if (!IsBelow(path, field) && !IsBelow(field, path)) continue;
      selected.push_back(IsBelow(path, field) ? path : field);
    }
  }
  if (selected.empty()) selected.push_back(fields_.front());
  return selected;
}

void ScanTable::End(Scan& scan) {
  const absl::Status closed = scan.Close();
  const std::lock_guard<std::mutex> lock(mutex_);
  closed_.Update(closed);
  if (reason_.empty()) reason_ = ReasonOf(scan);
  // Where a damaged file is not an error, there is one pass: see access().
  damaged_files_.insert(damaged_files_.end(), scan.damaged_files().begin(), scan.damaged_files().end());
  for (const InexactTimes& times : scan.inexact_times()) {
    const auto same = std::find_if(inexact_times_.begin(), inexact_times_.end(),
                                   [&times](const InexactTimes& other) { return other.field_path == times.field_path; });
    // Two passes over the same field see the same times.
    if (same == inexact_times_.end()) {
      inexact_times_.push_back(times);
    } else {
      same->out_of_range = std::max(same->out_of_range, times.out_of_range);
      same->truncated = std::max(same->truncated, times.truncated);
    }
  }
  for (const DroppedValues& values : scan.dropped_values()) {
    const auto same = std::find_if(dropped_values_.begin(), dropped_values_.end(),
                                   [&values](const DroppedValues& other) { return other.message_type == values.message_type; });
    if (same == dropped_values_.end()) {
      dropped_values_.push_back(values);
    } else {
      same->unknown_fields = std::max(same->unknown_fields, values.unknown_fields);
      same->unknown_enum_numbers = std::max(same->unknown_enum_numbers, values.unknown_enum_numbers);
    }
  }
}

}  // namespace structtensor::convert_internal
