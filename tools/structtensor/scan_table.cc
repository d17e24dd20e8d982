#include "scan_table.h"

#include <algorithm>
#include <deque>
#include <filesystem>
#include <iterator>
#include <optional>
#include <system_error>
#include <utility>

#include "absl/status/status.h"
#include "structtensor/base/internal/status.h"
#include "structtensor/field_path/field_path.h"
#include "structtensor/selection/selection.h"

namespace structtensor::command {
namespace {

// The name that a path begins with, which is that of a column.
std::string FirstName(const std::string& path) {
  const absl::StatusOr<Path> parsed = Path::Parse(path);
  return parsed.ok() && !parsed->empty() ? (*parsed)[0].text() : "";
}

// A field that costs little.
const plan::FieldPlan& CheapField(const plan::MessagePlan& message) {
  for (const plan::FieldPlan& field : message.fields) {
    if (!field.is_message() && !field.is_repeated() && field.cardinality != plan::Cardinality::kOneofCase) return field;
  }
  return message.fields.front();
}

}  // namespace

class ScanTable::Pass : public DuckDbRows {
 public:
  Pass(ScanTable& table, std::unique_ptr<Scan> scan) : table_(table), scan_(std::move(scan)) {}
  ~Pass() override { table_.End(*scan_); }

  const StructuredTensor& empty() const override { return scan_->empty(); }

  absl::StatusOr<std::optional<StructuredTensor>> Next() override {
    while (pieces_.empty()) {
      STRUCTTENSOR_ASSIGN_OR_RETURN(const bool more, scan_->Next([this](const ScanBatch& batch) {
        pieces_.push_back(batch.rows);
        return absl::OkStatus();
      }));
      if (!more) return std::nullopt;
    }
    StructuredTensor piece = std::move(pieces_.front());
    pieces_.pop_front();
    return piece;
  }

 private:
  ScanTable& table_;
  const std::unique_ptr<Scan> scan_;
  std::deque<StructuredTensor> pieces_;  // of a batch that exceeds a limit as a whole, several
};

absl::StatusOr<std::shared_ptr<ScanTable>> ScanTable::Create(std::shared_ptr<const plan::MessagePlan> message,
                                                             ScanOptions options) {
  // Once, so that all passes read the same files.
  STRUCTTENSOR_ASSIGN_OR_RETURN(options.inputs, ExpandInputs(options.inputs, OutputsOf(options)));
  STRUCTTENSOR_ASSIGN_OR_RETURN(const std::unique_ptr<Scan> scan, Scan::Create(*message, options));
  std::vector<std::string> fields = options.decode.fields;
  if (!options.selection.empty()) {
    STRUCTTENSOR_ASSIGN_OR_RETURN(fields, ResolveSelection(scan->message(), options.selection, options.decode.recursion_depth));
    options.selection = {};
  }
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
  options.decode.fields = FieldsOf(columns);
  STRUCTTENSOR_ASSIGN_OR_RETURN(std::unique_ptr<Scan> scan, Scan::Create(*message_, std::move(options)));
  return std::make_unique<Pass>(*this, std::move(scan));
}

DuckDb::Access ScanTable::access() const {
  const bool all_fail = options_.decode.on_error == DecodeOptions::OnError::kFail && options_.dead_letters.empty();
  const bool all_files = std::all_of(options_.inputs.begin(), options_.inputs.end(), [](const std::string& input) {
    std::error_code error;
    // What is not there is told by the scan.
    return input != "-" && (!std::filesystem::exists(input, error) || std::filesystem::is_regular_file(input, error));
  });
  return all_fail && all_files ? DuckDb::Access::kEachTime : DuckDb::Access::kOnce;
}

std::vector<std::string> ScanTable::FieldsOf(const std::vector<std::string>& columns) const {
  if (columns.size() == empty_.num_fields() || message_of_rows_.fields.empty()) return fields_;
  // Oneofs whose case is a column: all their members decide it.
  std::vector<std::string> names = columns;
  for (const std::string& column : columns) {
    const plan::FieldPlan* const field = message_of_rows_.FindByName(column);
    // Which fields are unknown depends on those that are known.
    if (field == nullptr) return fields_;
    if (field->cardinality != plan::Cardinality::kOneofCase) continue;
    const auto index = static_cast<int32_t>(field - message_of_rows_.fields.data());
    for (const plan::FieldPlan& member : message_of_rows_.fields) {
      if (member.oneof_case == index) names.emplace_back(member.name);
    }
  }
  std::vector<std::string> paths;
  if (!fields_.empty()) {
    std::copy_if(fields_.begin(), fields_.end(), std::back_inserter(paths), [&names](const std::string& path) {
      return std::find(names.begin(), names.end(), FirstName(path)) != names.end();
    });
    if (paths.empty()) paths.push_back(fields_.front());
    return paths;
  }
  if (names.empty()) names.emplace_back(CheapField(message_of_rows_).name);
  for (const std::string& name : names) {
    const plan::FieldPlan* const field = message_of_rows_.FindByName(name);
    if (field->cardinality == plan::Cardinality::kOneofCase) continue;
    std::string path;
    AppendField(name, path);
    paths.push_back(std::move(path));
  }
  return paths;
}

void ScanTable::End(Scan& scan) {
  const absl::Status closed = scan.Close();
  const std::lock_guard<std::mutex> lock(mutex_);
  closed_.Update(closed);
  for (const TimesOutOfRange& times : scan.times_out_of_range()) {
    const auto same = std::find_if(times_out_of_range_.begin(), times_out_of_range_.end(),
                                   [&times](const TimesOutOfRange& other) { return other.field_path == times.field_path; });
    // Two passes over a field see the same times.
    if (same == times_out_of_range_.end()) {
      times_out_of_range_.push_back(times);
    } else {
      same->count = std::max(same->count, times.count);
    }
  }
}

}  // namespace structtensor::command
