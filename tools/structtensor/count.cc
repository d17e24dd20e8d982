#include <cstdint>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "command.h"
#include "structtensor/app/convert/shared/flags.h"
#include "structtensor/app/convert/shared/progress.h"
#include "structtensor/app/scan/scan.h"
#include "structtensor/io/column_files/column_file_reader.h"
#include "structtensor/io/records/record_reader.h"
#include "structtensor/io/remote_files/remote_files.h"
#include "structtensor/tensor/values/structured_tensor.h"

namespace structtensor::command {
namespace {

using convert_internal::CountText;
using convert_internal::SizeText;

struct Counted {
  int64_t messages = 0;
  int64_t damaged = 0;  // messages
  std::vector<DamagedFile> damaged_files = {};
  int64_t bytes = 0;  // of the messages
  bool rows = false;  // rows of columns: each row is a message of unknown size
};

void PrintDamage(std::string text) { std::cerr << "damaged: " << convert_internal::WithFlagNames(std::move(text)) << "\n"; }

// The rows that can be read from the beginning of a damaged file.
int64_t RowsBeforeDamage(const std::string& input) {
  int64_t sum = 0;
  const absl::StatusOr<std::unique_ptr<ColumnFileReader>> file = ColumnFileReader::Open(input);
  while (file.ok()) {
    const absl::StatusOr<std::optional<StructuredTensor>> rows = (*file)->Next();
    if (!rows.ok() || !rows->has_value()) break;
    sum += (*rows)->nrows();
  }
  return sum;
}

absl::StatusOr<Counted> CountRows(const std::string& input) {
  Counted counted = {.rows = true};
  const absl::StatusOr<std::unique_ptr<ColumnFileReader>> file = ColumnFileReader::Open(input);
  const absl::StatusOr<int64_t> rows = file.ok() ? (*file)->CountRows() : file.status();
  if (rows.ok()) {
    counted.messages = *rows;
    return counted;
  }
  std::string text = absl::StrCat(DisplayPath(input), ": ", rows.status().message());
  if (!absl::IsDataLoss(rows.status())) return absl::Status(rows.status().code(), text);
  counted.messages = RowsBeforeDamage(input);
  counted.damaged_files.push_back({.file = DisplayPath(input),
                                   .location = {.record_number = counted.messages},
                                   .problem = std::string(rows.status().message()),
                                   .skipped = !file.ok(),
                                   .text = text});
  PrintDamage(std::move(text));
  return counted;
}

absl::StatusOr<Counted> CountMessages(const std::string& input, const ScanOptions& options) {
  constexpr size_t kMaxMessages = 1 << 16;
  constexpr size_t kMaxBytes = size_t{4} << 20;
  absl::StatusOr<std::unique_ptr<RecordReader>> reader =
      RecordReader::Create({input}, {.format = options.format,
                                     .confluent_headers = options.confluent_headers,
                                     .message_of_json = TextAsMessage,
                                     .message_of_textproto = TextAsMessage,
                                     .message_of_csv = [](std::string_view, std::string_view row,
                                                          std::string& message) { return TextAsMessage(row, message); },
                                     .skip_damaged = true,
                                     .on_damaged_file = OnDamagedFile::kRest});
  if (!reader.ok()) return reader.status();
  Counted counted;
  RecordBatch batch;
  while (true) {
    const absl::StatusOr<bool> more = (*reader)->NextBatch(kMaxMessages, kMaxBytes, &batch);
    if (!more.ok()) return more.status();
    if (!*more) return counted;
    counted.messages += static_cast<int64_t>(batch.messages().size());
    counted.bytes += static_cast<int64_t>(batch.payload_bytes());
    for (const BrokenRecord& error : batch.skipped()) {
      std::string text = absl::StrCat((*reader)->Where(error.location), ": ", error.problem);
      if (error.lost == BrokenRecord::Lost::kRecord) {
        ++counted.damaged;
      } else {
        counted.damaged_files.push_back(DamagedFileOf(error, **reader));
        absl::StrAppend(&text, "; the rest of the file is not counted");
      }
      PrintDamage(std::move(text));
    }
  }
}

class CountVerb : public Verb {
 public:
  explicit CountVerb(CLI::App& app) {
    CLI::App* const verb =
        AddVerb(app, "count", "structtensor count recipes.pb", "Count the messages or rows in each file; no schema needed");
    input_.Declare(*verb, &options_);
    schema_.DeclareUnused(*verb);
    verb->add_flag("--json", json_, "Print a JSON document");
  }

  std::string Resolve() override { return input_.Resolve(&options_); }

  absl::StatusOr<int> Run() override {
    const absl::StatusOr<std::vector<std::string>> inputs = ExpandInputs(options_.inputs);
    if (!inputs.ok()) return inputs.status();
    Json files = Json::array();
    Counted total;
    for (const std::string& input : *inputs) {
      const bool columns = input_.from_columns() || (!options_.format.has_value() && IsColumnFile(input));
      const absl::StatusOr<Counted> counted = columns ? CountRows(input) : CountMessages(input, options_);
      if (!counted.ok()) return counted.status();
      total.messages += counted->messages;
      total.damaged += counted->damaged;
      total.damaged_files.insert(total.damaged_files.end(), counted->damaged_files.begin(), counted->damaged_files.end());
      total.bytes += counted->bytes;
      total.rows = total.rows || counted->rows;
      files.push_back({{"file", DisplayPath(input)},
                       {"messages", counted->messages},
                       {"damaged", counted->damaged},
                       {"message_bytes", BytesJson(*counted)}});
      if (!json_) Print(*counted, DisplayPath(input));
    }
    if (json_) {
      PrintJson("count", {{"files", std::move(files)},
                          {"messages", total.messages},
                          {"damaged", total.damaged},
                          {"damaged_files", DamagedFilesJson(total.damaged_files)},
                          {"message_bytes", BytesJson(total)}});
    } else if (inputs->size() > 1) {
      Print(total, "total");
    }
    return total.damaged == 0 && total.damaged_files.empty() ? convert_internal::kExitOk : convert_internal::kExitFailure;
  }

 private:
  static Json BytesJson(const Counted& counted) { return counted.rows ? Json() : Json(counted.bytes); }

  static void Print(const Counted& counted, const std::string& name) {
    const std::string_view unit = counted.rows ? " row" : " message";
    std::cout << CountText(counted.messages) << unit << (counted.messages == 1 ? "" : "s");
    if (!counted.rows) std::cout << " of " << SizeText(counted.bytes);
    if (counted.damaged > 0) std::cout << ", " << CountText(counted.damaged) << " damaged";
    if (!counted.damaged_files.empty()) std::cout << " before the damage";
    std::cout << "  " << (name == "-" ? "<stdin>" : name) << "\n";
  }

  ScanOptions options_;
  SchemaFlags schema_;
  convert_internal::InputFlags input_;
  bool json_ = false;
};

}  // namespace

std::unique_ptr<Verb> AddCount(CLI::App& app) { return std::make_unique<CountVerb>(app); }

}  // namespace structtensor::command
