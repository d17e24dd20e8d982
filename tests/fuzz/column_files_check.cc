#include "column_files_check.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "memory_file.h"
#include "structtensor/io/arrow/export.h"
#include "structtensor/io/arrow/import.h"
#include "structtensor/io/column_files/column_file_reader.h"

namespace structtensor::testing {
namespace {

// A page of a few bytes may repeat one value millions of times, which takes seconds under a sanitizer.
constexpr int64_t kMaxRows = 20'000;

ColumnFileReaderOptions OptionsOf(uint8_t byte) {
  constexpr int64_t kBatchRows[] = {4096, 1, 7, INT64_MAX};
  constexpr int64_t kMemoryBytes[] = {int64_t{16} << 20, int64_t{1} << 16, 1, int64_t{64} << 20};
  return {.batch_rows = kBatchRows[byte & 3],
          .max_memory_bytes = kMemoryBytes[byte >> 2 & 3],
          .skip_absent_fields = (byte >> 4 & 1) != 0};
}

std::string CheckError(const absl::Status& status) {
  switch (status.code()) {
    case absl::StatusCode::kInvalidArgument:
    case absl::StatusCode::kDataLoss:
    case absl::StatusCode::kResourceExhausted:
    case absl::StatusCode::kUnimplemented:
    case absl::StatusCode::kOutOfRange:
      return status.message().empty() ? "an error without a message" : "";
    default:
      return "an error that the reader does not document: " + status.ToString();
  }
}

std::string CheckRows(const StructuredTensor& rows) {
  ArrowSchema schema = {};
  if (const absl::Status status = ExportSchema(rows.spec(), &schema); !status.ok()) {
    return "a schema that cannot be exported: " + status.ToString();
  }
  ArrowArray array = {};
  const absl::Status exported = ExportBatch(rows, &array);
  if (!exported.ok()) {
    schema.release(&schema);
    return "rows that cannot be exported: " + exported.ToString();
  }
  const absl::StatusOr<StructuredTensor> again = ImportBatch(schema, &array);
  schema.release(&schema);
  if (!again.ok()) return "what was exported is refused: " + again.status().ToString();
  const bool has_nan = !(Value(rows) == Value(rows));
  if (!has_nan && !(Value(*again) == Value(rows))) return "not the same rows again: " + TypeSpec(rows.spec()).DebugString();
  return "";
}

struct Outcome {
  std::string problem = {};
  bool whole = false;
};

Outcome Read(std::string_view input) {
  if (input.empty()) return {};
  const MemoryFile file(input.substr(1));
  const ColumnFileReaderOptions options = OptionsOf(static_cast<uint8_t>(input[0]));
  const absl::StatusOr<std::unique_ptr<ColumnFileReader>> counting = ColumnFileReader::Open(file.path(), options);
  if (!counting.ok()) return {CheckError(counting.status())};
  const absl::StatusOr<int64_t> count = (*counting)->CountRows();
  if (!count.ok()) {
    if (std::string problem = CheckError(count.status()); !problem.empty()) return {std::move(problem)};
  }
  const absl::StatusOr<std::unique_ptr<ColumnFileReader>> reader = ColumnFileReader::Open(file.path(), options);
  if (!reader.ok()) return {"a file that was opened before: " + reader.status().ToString()};
  if (const absl::StatusOr<StructuredTensor> empty = (*reader)->Empty(); !empty.ok()) {
    if (std::string problem = CheckError(empty.status()); !problem.empty()) return {std::move(problem)};
  }
  int64_t rows_read = 0;
  while (rows_read < kMaxRows) {
    const absl::StatusOr<std::optional<StructuredTensor>> rows = (*reader)->Next();
    if (!rows.ok()) return {CheckError(rows.status())};
    if (!rows->has_value()) {
      if (!count.ok()) return {"all rows are read, and CountRows() fails: " + count.status().ToString()};
      if (*count != rows_read) return {absl::StrCat("read ", rows_read, " rows, and CountRows() returned ", *count)};
      return {.whole = true};
    }
    const int64_t nrows = (*rows)->nrows();
    if (nrows < 1 || nrows > options.batch_rows) return {absl::StrCat(nrows, " rows at a time")};
    rows_read += nrows;
    if (nrows > kMaxRows) break;
    if (std::string problem = CheckRows(**rows); !problem.empty()) return {std::move(problem)};
  }
  return {};
}

}  // namespace

std::string CheckColumnFile(std::string_view input) { return Read(input).problem; }

bool ReadsWhole(std::string_view input) { return Read(input).whole; }

}  // namespace structtensor::testing
