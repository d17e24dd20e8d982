#include "structtensor/app/scan/internal/record_columns.h"

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "structtensor/core/base/shared/new_buffer.h"
#include "structtensor/core/base/shared/status.h"
#include "structtensor/tensor/values/value.h"

namespace structtensor::scan_internal {
namespace {

// A run of neighbouring locations in one input.
struct InputRun {
  std::string name;
  int64_t nrows;
};

std::vector<InputRun> RunsOf(std::span<const RecordLocation> locations, const RecordReader& reader) {
  std::vector<InputRun> runs;
  for (size_t i = 0; i < locations.size(); ++i) {
    if (i > 0 && locations[i].input == locations[i - 1].input) {
      ++runs.back().nrows;
      continue;
    }
    runs.push_back({reader.InputName(locations[i].input), 1});
  }
  return runs;
}

absl::StatusOr<Tensor> FileNames(std::span<const RecordLocation> locations, const RecordReader& reader) {
  const std::vector<InputRun> runs = RunsOf(locations, reader);
  int64_t size_bytes = 0;
  for (const InputRun& run : runs) size_bytes += run.nrows * static_cast<int64_t>(run.name.size());
  if (size_bytes > std::numeric_limits<int32_t>::max()) {
    return absl::ResourceExhaustedError(absl::StrCat("the names of the inputs take ", size_bytes,
                                                     " bytes in one batch, more than a column can have; pass a smaller "
                                                     "`batch_size`"));
  }
  STRUCTTENSOR_ASSIGN_OR_RETURN(NewBuffer<int32_t> offsets,
                                NewBuffer<int32_t>::Allocate(static_cast<int64_t>(locations.size()) + 1));
  STRUCTTENSOR_ASSIGN_OR_RETURN(NewBuffer<char> bytes, NewBuffer<char>::Allocate(size_bytes));
  char* end = bytes.data();
  int32_t* next_offset = offsets.data();
  *next_offset++ = 0;
  for (const InputRun& run : runs) {
    for (int64_t i = 0; i < run.nrows; ++i) {
      end = std::copy(run.name.begin(), run.name.end(), end);
      *next_offset++ = static_cast<int32_t>(end - bytes.data());
    }
  }
  return Tensor::FromStrings(std::move(offsets).Finish(), std::move(bytes).Finish());
}

Tensor Offsets(std::span<const RecordLocation> locations) {
  std::vector<int64_t> offsets;
  offsets.reserve(locations.size());
  for (const RecordLocation& location : locations) offsets.push_back(location.byte_offset);
  return Tensor::FromVector(std::move(offsets));
}

absl::Status CheckName(std::string_view option, const std::string& name, const StructuredTensor& rows) {
  if (name.empty() || rows.FindFlatField(name) == nullptr) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("`", std::string(option), "`: there is a column ", name,
                                                 " already; pass another name, as in `", std::string(option), "=NAME`"));
}

}  // namespace

bool HasRecordColumns(const ScanOptions& options) { return !options.filename_column.empty() || !options.offset_column.empty(); }

absl::Status CheckRecordColumns(const ScanOptions& options, const StructuredTensor& rows) {
  STRUCTTENSOR_RETURN_IF_ERROR(CheckName("filename_column", options.filename_column, rows));
  STRUCTTENSOR_RETURN_IF_ERROR(CheckName("offset_column", options.offset_column, rows));
  if (HasRecordColumns(options) && options.filename_column == options.offset_column) {
    return absl::InvalidArgumentError(absl::StrCat("`filename_column` and `offset_column` are both called ",
                                                   options.offset_column, "; pass another name for one of them"));
  }
  return absl::OkStatus();
}

absl::StatusOr<StructuredTensor> WithRecordColumns(const ScanOptions& options, const StructuredTensor& rows,
                                                   std::span<const RecordLocation> locations, const RecordReader& reader) {
  assert(static_cast<int64_t>(locations.size()) == rows.nrows());
  std::vector<Field> fields;
  if (!options.filename_column.empty()) {
    STRUCTTENSOR_ASSIGN_OR_RETURN(Tensor names, FileNames(locations, reader));
    fields.push_back({options.filename_column, std::move(names)});
  }
  if (!options.offset_column.empty()) fields.push_back({options.offset_column, Offsets(locations)});
  for (size_t i = 0; i < rows.num_fields(); ++i) fields.push_back({rows.field_names()[i], rows.flat_field(i)});
  return rows.WithFlatFields(std::move(fields));
}

}  // namespace structtensor::scan_internal
