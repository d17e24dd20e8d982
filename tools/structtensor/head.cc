#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <iostream>
#include <utility>

#include "absl/strings/str_cat.h"
#include "command.h"
#include "structtensor/app/convert/shared/broken_record_list.h"
#include "structtensor/app/convert/shared/changed_fields.h"
#include "structtensor/app/convert/shared/column_ids.h"
#include "structtensor/app/convert/shared/flags.h"
#include "structtensor/app/convert/shared/head_rows.h"
#include "structtensor/app/convert/shared/inexact_times.h"
#include "structtensor/app/convert/shared/options.h"
#include "structtensor/app/scan/scan.h"
#include "structtensor/tensor/values/text.h"
#include "tree_text.h"

namespace structtensor::command {
namespace {

class HeadVerb : public Verb {
 public:
  explicit HeadVerb(CLI::App& app) {
    CLI::App* const verb = AddVerb(app, "head", "structtensor head -p recipe.proto recipes.pb -n 2",
                                   "Print the first messages as trees or as a table");
    input_.Declare(*verb, &options_);
    convert_internal::DeclareOption(*verb, "rows", &options_);
    verb->add_option("-n,--number", rows_, "Number of messages to print")
        ->type_name("N")
        ->transform(convert_internal::WholeNumber(0, convert_internal::kMaxRowsAtATime))
        ->capture_default_str();
    verb->add_flag("--table", table_, "Print a table with a line for each message and a column for each field");
    verb->add_flag("--all-fields", tree_.all_fields, "In trees, also print fields that are not set, or empty");
    verb->add_option("--max-items", tree_.max_items, "In trees, maximum number of elements of a list")
        ->type_name("N")
        ->transform(convert_internal::WholeNumber(1, convert_internal::kMaxRowsAtATime))
        ->capture_default_str();
    verb->add_flag("--json", json_, "Print the rows as a JSON document");
    schema_.Declare(*verb);
    columns_.Declare(*verb, &options_);
    records_.Declare(*verb, &options_);
  }

  std::string Resolve() override {
    for (std::string problem : {input_.Resolve(&options_), records_.Resolve(options_), columns_.Resolve(&options_)}) {
      if (!problem.empty()) return problem;
    }
    if (json_ && table_) return "--json and --table are two ways to show rows; pass one";
    return "";
  }

  absl::StatusOr<int> Run() override {
    const absl::StatusOr<MessageType> type = schema_.LoadMessage(json_, options_);
    if (!type.ok()) return type.status();
    ReadFilesOf(*type, &options_);

    convert_internal::BrokenRecordList broken(options_.row_options.decode.on_error);
    options_.on_broken_record = [&broken](const BrokenRecord& record) { broken.Add(record); };
    options_.damaged_file_found = [&broken](const DamagedFile& file) { broken.Add(file); };
    // Decode no more rows than are shown. With a condition, most messages may have no row, so batches keep their size.
    if (options_.row_options.where.empty()) {
      options_.batch_size = std::min(options_.batch_size, std::max<size_t>(1, static_cast<size_t>(rows_)));
    }
    absl::StatusOr<std::unique_ptr<Scan>> scan = Scan::Create(*type->plan, options_);
    if (!scan.ok()) return scan.status();
    head_ = std::make_unique<convert_internal::HeadRows>(rows_);
    while (shown_ < rows_) {
      const absl::StatusOr<bool> more =
          (*scan)->Next([&](const ScanBatch& batch) { return Show(batch.rows, (*scan)->message()); });
      if (!more.ok()) return convert_internal::WithReason(more.status(), **scan);
      if (!*more) break;
    }
    const absl::Status closed = (*scan)->Close();
    if (!closed.ok()) return closed;
    broken.Finish(convert_internal::ReasonOf(**scan));
    convert_internal::ReportChangedFields((*scan)->changed_fields());
    convert_internal::ReportDroppedValues((*scan)->dropped_values());
    convert_internal::ReportInexactTimes((*scan)->inexact_times());
    if (table_) {
      const absl::StatusOr<std::string> table =
          head_->Table((*scan)->empty(), convert_internal::TerminalWidth(stdout),
                       [&](const StructuredTensor& rows) { return ForPeople(rows, (*scan)->message()); });
      if (!table.ok()) return table.status();
      std::cout << *table;
    }
    // Like PrintJson, but without parsing the rows: a row may have a map of a million entries.
    if (json_) {
      std::cout << "{\n  \"version\": " << kJsonVersion
                << ",\n  \"verb\": \"head\",\n  \"message\": " << Json(std::string((*scan)->message().full_name))
                << ",\n  \"rows\": [" << json_rows_ << (shown_ > 0 ? "\n  ]" : "]")
                << ",\n  \"dropped_values\": " << DroppedValuesJson((*scan)->dropped_values())
                << ",\n  \"inexact_times\": " << InexactTimesJson((*scan)->inexact_times())
                << ",\n  \"damaged_files\": " << DamagedFilesJson((*scan)->damaged_files()) << "\n}\n";
    }
    if (!json_ && shown_ == 0 && rows_ > 0) std::cerr << "no messages\n";
    return convert_internal::kExitOk;
  }

 private:
  StructuredTensor ForPeople(const StructuredTensor& rows, const plan::MessagePlan& message) const {
    return convert_internal::WithEnumNames(rows, message, {options_.filename_column, options_.offset_column});
  }

  absl::Status Show(const StructuredTensor& rows, const plan::MessagePlan& message) {
    const int64_t count = std::min(rows.nrows(), rows_ - shown_);
    if (table_) {
      head_->Add(rows);
      shown_ += count;
      return absl::OkStatus();
    }
    const StructuredTensor shown = json_ ? rows : ForPeople(rows.SliceRows(0, count), message);
    for (int64_t row = 0; row < count; ++row, ++shown_) {
      std::string text;
      AppendJson(shown, row, text, {.unwrap_optional = true});
      if (json_) {
        absl::StrAppend(&json_rows_, shown_ > 0 ? ",\n    " : "\n    ", text);
        continue;
      }
      const absl::StatusOr<std::string> tree = TreeText(text, tree_);
      if (!tree.ok()) return tree.status();
      std::cout << "── " << shown_ << " ──\n" << *tree;
    }
    return absl::OkStatus();
  }

  ScanOptions options_ = scan_internal::DefaultsIn(scan_internal::Face::kCommand);
  int64_t rows_ = 5;
  int64_t shown_ = 0;
  bool table_ = false;
  bool json_ = false;
  TreeOptions tree_;
  std::string json_rows_;
  std::unique_ptr<convert_internal::HeadRows> head_;
  convert_internal::InputFlags input_;
  convert_internal::RecordFlags records_;
  convert_internal::ColumnFlags columns_;
  SchemaFlags schema_;
};

}  // namespace

std::unique_ptr<Verb> AddHead(CLI::App& app) { return std::make_unique<HeadVerb>(app); }

}  // namespace structtensor::command
