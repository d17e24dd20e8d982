#include "structtensor/app/scan/internal/broken_records.h"

#include <algorithm>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <utility>

#include "absl/strings/str_cat.h"
#include "structtensor/core/base/shared/option_names.h"
#include "structtensor/core/base/shared/printable_path.h"
#include "structtensor/core/base/shared/status.h"

namespace structtensor::scan_internal {
namespace {

namespace fs = std::filesystem;
using OnError = DecodeOptions::OnError;

// Whether writing to `a` would damage `b`: both are the same file, maybe with different names. Pipes and devices are not
// damaged.
bool IsSameFile(const std::string& a, const std::string& b) {
  std::error_code error;
  if (fs::exists(a, error) && !fs::is_regular_file(a, error)) return false;
  return fs::weakly_canonical(a, error) == fs::weakly_canonical(b, error) || fs::equivalent(a, b, error);
}

// Schema ids begin with 1; a message of zeros is damaged.
bool HasConfluentHeader(std::string_view message) {
  ConfluentHeader header;
  return ReadConfluentHeader(message, &header).empty() && header.schema_id != 0;
}

// A broken record of a reader, with its text.
BrokenRecord WithText(BrokenRecord record, const RecordReader& reader) {
  record.text = absl::StrCat(reader.Where(record.location), ": ", record.problem);
  return record;
}

}  // namespace

absl::Status CheckOutputs(const ScanOptions& options) {
  if (!options.dead_letters.empty()) {
    std::vector<std::string> taken = options.inputs;
    taken.insert(taken.end(), options.reserved.begin(), options.reserved.end());
    taken.insert(taken.end(), options.also_read.begin(), options.also_read.end());
    for (const std::string& path : {options.dead_letters, options.dead_letters + ".jsonl"}) {
      for (const std::string& other : taken) {
        if (other.empty() || other == "-" || !IsSameFile(path, other)) continue;
        return absl::InvalidArgumentError(absl::StrCat("`dead_letters`: ", base_internal::PrintablePath(path),
                                                       " is read or written already; name another file"));
      }
    }
  }
  for (const std::string& path : options.reserved) {
    for (const std::string& other : options.also_read) {
      if (path == "-" || !IsSameFile(path, other)) continue;
      return absl::InvalidArgumentError(absl::StrCat("cannot write ", base_internal::PrintablePath(path),
                                                     ": it is one of the input files of the schema; name another file"));
    }
  }
  return absl::OkStatus();
}

absl::Status BrokenRecords::Open() {
  if (options_.dead_letters.empty()) return absl::OkStatus();
  STRUCTTENSOR_ASSIGN_OR_RETURN(dead_letters_, DeadLetterWriter::Open(options_.dead_letters, options_.overwrite));
  return absl::OkStatus();
}

absl::Status BrokenRecords::Add(const std::vector<BrokenRecord>& records) {
  if (records.empty()) return absl::OkStatus();
  const bool fail = options_.row_options.decode.on_error == OnError::kFail;
  STRUCTTENSOR_RETURN_IF_ERROR(KeepDeadLetters(fail ? std::span(records).first(1) : std::span(records)));
  if (fail) {
    if (options_.on_fatal_record) options_.on_fatal_record(records[0]);
    return absl::DataLossError(absl::StrCat(records[0].text, " (", records[0].advice, ")"));
  }
  if (count_ == 0) first_ = records[0].text;
  for (BrokenRecord record : records) {
    ++count_;
    record.advice.clear();  // the scan goes on
    if (options_.on_broken_record) options_.on_broken_record(record);
  }
  const int64_t max_errors = options_.row_options.decode.max_errors;
  if (max_errors < 0 || count_ <= max_errors) return absl::OkStatus();
  return absl::DataLossError(absl::StrCat(count_, count_ == 1 ? " record" : " records", " cannot be converted, more than ",
                                          base_internal::OptionText("max_errors", max_errors), "; the first: ", first_));
}

absl::Status BrokenRecords::AddDamagedFiles(const RecordBatch& batch, const RecordReader& reader) {
  for (const BrokenRecord& damage : batch.skipped()) {
    if (damage.lost == BrokenRecord::Lost::kRecord) continue;
    const BrokenRecord place = WithText(damage, reader);
    if (!place.bytes.empty()) STRUCTTENSOR_RETURN_IF_ERROR(KeepDeadLetters(std::span(&place, 1)));
    if (options_.on_damaged_file == OnDamagedFile::kFail) {
      if (options_.on_fatal_record) options_.on_fatal_record(place);
      return absl::DataLossError(absl::StrCat(place.text, " (", place.advice, ")"));
    }
    damaged_files_.push_back(DamagedFileOf(damage, reader));
    if (options_.damaged_file_found) options_.damaged_file_found(damaged_files_.back());
  }
  return absl::OkStatus();
}

absl::Status BrokenRecords::KeepDeadLetters(std::span<const BrokenRecord> records) {
  if (dead_letters_ == nullptr) return absl::OkStatus();
  for (const BrokenRecord& record : records) {
    const std::string input = base_internal::PrintablePath(options_.inputs[record.location.input]);
    STRUCTTENSOR_RETURN_IF_ERROR(dead_letters_->Add(record, input == "-" ? "<stdin>" : std::string_view(input)));
  }
  return dead_letters_->Flush();
}

absl::Status BrokenRecords::Close(bool complete) {
  if (dead_letters_ == nullptr) return absl::OkStatus();
  if (complete || dead_letters_->count() > 0) return dead_letters_->Close();
  dead_letters_.reset();
  return absl::OkStatus();
}

std::vector<BrokenRecord> BrokenRecordsOf(const RecordBatch& batch, const std::vector<MessageError>& errors,
                                          const RecordReader& reader) {
  std::vector<BrokenRecord> records;
  for (const BrokenRecord& damage : batch.skipped()) {
    if (damage.lost == BrokenRecord::Lost::kRecord) records.push_back(WithText(damage, reader));
  }
  for (const MessageError& error : errors) {
    const size_t i = static_cast<size_t>(error.message_index);
    BrokenRecord& record = records.emplace_back();
    record.location = batch.locations()[i];
    const std::string_view message = batch.messages()[i];
    const std::string_view header = batch.confluent_header(i);
    record.header_bytes = header.size();
    record.bytes = header.empty() ? message : std::string_view(header.data(), header.size() + message.size());
    record.bytes_offset = record.location.byte_offset;
    if (record.location.line == 0) record.bytes_offset -= static_cast<int64_t>(header.size());  // a text is at its own place
    record.byte_offset = static_cast<int64_t>(header.size() + error.byte_offset);
    record.field_path = error.field_path;
    record.code = error.code;
    record.problem = error.problem;
    record.text = absl::StrCat(reader.Where(record.location, error.byte_offset), error.field_path.empty() ? "" : ", ",
                               error.field_path, ": ", error.problem);
    record.advice = header.empty() && HasConfluentHeader(message)
                        ? "it begins with a Confluent header: pass `confluent_headers`"
                        : "`on_error=kSkip` leaves such messages out";
  }
  std::stable_sort(records.begin(), records.end(),
                   [](const BrokenRecord& a, const BrokenRecord& b) { return a.location < b.location; });
  return records;
}

}  // namespace structtensor::scan_internal
