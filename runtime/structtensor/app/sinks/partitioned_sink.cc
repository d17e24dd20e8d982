#include "structtensor/app/sinks/partitioned_sink.h"

#include <algorithm>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/functional/function_ref.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "structtensor/core/base/shared/status.h"
#include "structtensor/core/base/shared/strings.h"
#include "structtensor/core/field_path/field_path.h"
#include "structtensor/tensor/ops/join.h"
#include "structtensor/tensor/ops/split.h"
#include "structtensor/tensor/struct_ops/without.h"
#include "structtensor/tensor/values/value.h"

namespace structtensor {
namespace {

constexpr size_t kMaxNameBytes = 255;  // of a folder's name

// Rows wait until they take this much memory, so that each file gets many rows at a time.
constexpr int64_t kWaitingBytes = int64_t{16} << 20;

absl::Status PartitionError(absl::StatusCode code, const Path& path, std::string_view problem) {
  return absl::Status(code, absl::StrCat("`partition_by` ", path.ToString(), ": ", ToAbsl(problem)));
}

// Readers turn each %XX into a character. Readers of the Hive kind do so byte by byte, so bytes that are not ASCII are not
// escaped.
std::string Escaped(std::string_view text) {
  constexpr char kHexDigits[] = "0123456789ABCDEF";
  constexpr std::string_view kNotEscaped = "-_.~";
  std::string escaped;
  for (const char c : text) {
    const auto byte = static_cast<uint8_t>(c);
    if (byte >= 0x80 || absl::ascii_isalnum(byte) || kNotEscaped.find(c) != std::string_view::npos) {
      escaped += c;
    } else {
      escaped += {'%', kHexDigits[byte >> 4], kHexDigits[byte & 15]};
    }
  }
  return escaped;
}

bool CanNameFolders(DType dtype) { return dtype == DType::kString || dtype == DType::kBool || IsInteger(dtype); }

// A column with one value or none in each row.
struct PartitionValues {
  std::vector<Validity> messages;  // of the messages around the column
  Tensor values;

  bool is_present(int64_t row) const {
    return values.is_valid(row) &&
           std::all_of(messages.begin(), messages.end(), [row](const Validity& message) { return message.is_valid(row); });
  }

  // The value as names of folders have it. Requires: is_present(row).
  std::string Text(int64_t row) const {
    if (values.dtype() == DType::kString) return Escaped(values.string_at(row));
    return VisitStoredType(values.dtype(), [&]<typename T>() -> std::string {
      if constexpr (std::is_same_v<T, uint8_t>) {
        return values.values<T>()[static_cast<size_t>(row)] != 0 ? "true" : "false";
      } else if constexpr (std::is_integral_v<T>) {
        return absl::StrCat(values.values<T>()[static_cast<size_t>(row)]);
      } else {
        return "";  // CanNameFolders() refuses such columns
      }
    });
  }

  // Appends the row's value to a key. Keys are equal only if all their values are: each value marks its own end.
  void AppendKey(int64_t row, std::string& key) const {
    const bool present = is_present(row);
    key += static_cast<char>(present);
    if (!present) return;
    if (values.dtype() == DType::kString) {
      const std::string_view text = values.string_at(row);
      const size_t size_bytes = text.size();
      key.append(reinterpret_cast<const char*>(&size_bytes), sizeof(size_bytes));
      key += text;
      return;
    }
    VisitStoredType(values.dtype(), [&]<typename T>() {
      key.append(reinterpret_cast<const char*>(values.values<T>().data() + row), sizeof(T));
    });
  }
};

absl::StatusOr<PartitionValues> ValuesAt(const Path& path, const StructuredTensor& rows) {
  std::vector<Validity> messages;
  const StructuredTensor* structs = &rows;
  for (size_t i = 0; i + 1 < path.size(); ++i) {
    const Value* const field = structs->FindFlatField(path[i].text());
    if (field == nullptr) break;
    structs = field->structured();
    if (structs == nullptr || structs->rank() != 1) {
      return PartitionError(
          absl::StatusCode::kInvalidArgument, path,
          absl::StrCat(path.Prefix(i + 1).ToString(), structs == nullptr ? " has no fields" : " is repeated"));
    }
    messages.push_back(structs->validity());
  }
  const Value* const field = messages.size() + 1 == path.size() ? structs->FindFlatField(path.back().text()) : nullptr;
  if (field == nullptr) {
    return PartitionError(absl::StatusCode::kNotFound, path,
                          absl::StrCat("there is no such column; ", structs->DescribeFields()));
  }
  if (field->ragged() != nullptr || (field->structured() != nullptr && field->rank() != 1)) {
    return PartitionError(absl::StatusCode::kInvalidArgument, path, "it is repeated; a row must have one value or none");
  }
  if (field->tensor() == nullptr || field->rank() != 1 || !CanNameFolders(field->tensor()->dtype())) {
    return PartitionError(
        absl::StatusCode::kInvalidArgument, path,
        absl::StrCat("it is ", field->spec().DebugString(), "; partitions are made of strings, integers, booleans and enums"));
  }
  return PartitionValues{std::move(messages), *field->tensor()};
}

// Errors: InvalidArgument or NotFound if a text is not the path of such a column of `empty`.
absl::StatusOr<std::vector<Path>> PartitionPaths(const std::vector<std::string>& strings, const StructuredTensor& empty) {
  std::vector<Path> paths;
  for (const std::string& text : strings) {
    absl::StatusOr<Path> path = Path::Parse(text);
    if (!path.ok()) return absl::Status(path.status().code(), absl::StrCat("`partition_by`: ", path.status().message()));
    const auto is_field = [](const Path::Step& step) { return step.kind() == Path::Step::Kind::kField; };
    if (path->empty() || !std::all_of(path->steps().begin(), path->steps().end(), is_field)) {
      return absl::InvalidArgumentError(absl::StrCat("`partition_by` '", text, "': expected the path of a column, as in a.b"));
    }
    if (std::find(paths.begin(), paths.end(), *path) != paths.end()) {
      return PartitionError(absl::StatusCode::kInvalidArgument, *path, "it is given twice");
    }
    STRUCTTENSOR_RETURN_IF_ERROR(ValuesAt(*path, empty).status());
    paths.push_back(*std::move(path));
  }
  return paths;
}

// The schema of the files.
absl::StatusOr<StructuredTensorSpec> FileSchema(const std::vector<Path>& paths, const StructuredTensor& empty) {
  STRUCTTENSOR_ASSIGN_OR_RETURN(const StructuredTensor rest, Without(empty, paths));
  return *TypeSpec(rest.spec()).WithUnknownSizes().structured();
}

absl::Status Validate(const PartitionedSinkOptions& options) {
  if (options.partition_by.empty()) {
    return absl::InvalidArgumentError("PartitionedSinkOptions::partition_by is empty; name a column");
  }
  if (options.max_partitions < 1) {
    return absl::InvalidArgumentError("PartitionedSinkOptions::max_partitions = 0; expected 1 or more");
  }
  for (const auto& [name, size_bytes] : {std::pair("max_buffered_bytes", options.max_buffered_bytes),
                                         std::pair("max_retained_bytes", options.max_retained_bytes)}) {
    if (size_bytes < 0) {
      return absl::InvalidArgumentError(
          absl::StrCat("PartitionedSinkOptions::", name, " = ", size_bytes, "; expected 0 or more"));
    }
  }
  return absl::OkStatus();
}

// About how much memory a value's elements take.
int64_t MemoryBytes(const Value& value) {
  constexpr int64_t kSplitBytes = sizeof(int64_t);
  int64_t sum = 0;
  if (const Tensor* tensor = value.tensor()) {
    sum += tensor->size_elements() * static_cast<int64_t>(DTypeSizeBytes(tensor->dtype()));
    if (IsStringLike(tensor->dtype()) && tensor->size_elements() > 0) {
      const std::span<const int32_t> offsets = tensor->string_offsets().span();
      sum += offsets.back() - offsets.front() + static_cast<int64_t>(offsets.size_bytes());
    }
  } else if (const RaggedTensor* ragged = value.ragged()) {
    for (const RowPartition& partition : ragged->row_partitions()) sum += partition.nrows() * kSplitBytes;
    sum += MemoryBytes(ragged->flat_values());
  } else if (const StructuredTensor* structs = value.structured()) {
    for (const RowPartition& partition : structs->row_partitions()) sum += partition.nrows() * kSplitBytes;
    for (size_t i = 0; i < structs->num_fields(); ++i) sum += MemoryBytes(structs->flat_field(i));
  }
  return sum;
}

}  // namespace

class PartitionedSink::Impl {
 public:
  Impl(PartitionedSinkOptions options, OutputFolder* folder, std::vector<Path> paths, StructuredTensorSpec schema)
      : options_(std::move(options)), folder_(*folder), paths_(std::move(paths)), schema_(std::move(schema)) {}

  absl::Status Write(const StructuredTensor& batch) {
    if (batch.nrows() == 0) return absl::OkStatus();
    waiting_.emplace_back(batch);
    waiting_bytes_ += MemoryBytes(batch);
    return waiting_bytes_ < kWaitingBytes ? absl::OkStatus() : WriteWaiting();
  }

  absl::Status Flush() {
    STRUCTTENSOR_RETURN_IF_ERROR(WriteWaiting());
    for (auto& [key, partition] : partitions_) STRUCTTENSOR_RETURN_IF_ERROR(FlushFile(*partition));
    return absl::OkStatus();
  }

  int64_t buffered_bytes() const { return waiting_bytes_ + SumOf(&Sink::buffered_bytes); }
  int64_t retained_bytes() const { return SumOf(&Sink::retained_bytes); }

  absl::Status Finish() {
    STRUCTTENSOR_RETURN_IF_ERROR(WriteWaiting());
    for (auto& [key, partition] : partitions_) STRUCTTENSOR_RETURN_IF_ERROR(FinishFile(*partition));
    partitions_.clear();
    return absl::OkStatus();
  }

 private:
  struct Partition {
    std::string folder;  // "day=2024-05-01/"
    int64_t number_of_files = 0;
    // The last file, until it is finished.
    std::string file;  // "day=2024-05-01/part-0.parquet"
    int fd = -1;       // of folder_
    std::unique_ptr<Sink> sink;
    int64_t number = -1;  // in the rows that are being sorted
  };
  struct SortedRows {
    Value rows;  // row k has the rows of partitions[k]
    std::vector<Partition*> partitions;
  };

  // The sum of such a number of bytes over all files that are open.
  int64_t SumOf(int64_t (Sink::*size_bytes)() const) const {
    int64_t sum = 0;
    for (const auto& [key, partition] : partitions_) {
      if (partition->sink != nullptr) sum += (*partition->sink.*size_bytes)();
    }
    return sum;
  }

  absl::Status OpenFile(Partition& partition) {
    partition.file =
        absl::StrCat(partition.folder, "part-", partition.number_of_files, ToAbsl(SinkEndingOf(options_.files.format)));
    ++partition.number_of_files;
    STRUCTTENSOR_ASSIGN_OR_RETURN(partition.fd, folder_.MakeFile(partition.file));
    absl::StatusOr<std::unique_ptr<Sink>> sink = Sink::Create(options_.files, partition.fd, schema_);
    if (!sink.ok()) return InFile(partition, sink.status());
    partition.sink = *std::move(sink);
    return absl::OkStatus();
  }

  static absl::Status FlushFile(Partition& partition) {
    return partition.sink == nullptr ? absl::OkStatus() : InFile(partition, partition.sink->Flush());
  }

  // Frees the memory of the file.
  absl::Status FinishFile(Partition& partition) {
    const std::unique_ptr<Sink> sink = std::move(partition.sink);
    if (sink == nullptr) return absl::OkStatus();
    STRUCTTENSOR_RETURN_IF_ERROR(InFile(partition, sink->Finish()));
    return folder_.CloseFile(partition.fd);
  }

  static absl::Status InFile(const Partition& partition, const absl::Status& status) {
    return status.ok() ? status : absl::Status(status.code(), absl::StrCat(partition.file, ": ", status.message()));
  }

  absl::Status WriteWaiting() {
    if (waiting_.empty()) return absl::OkStatus();
    STRUCTTENSOR_ASSIGN_OR_RETURN(const SortedRows sorted, SortWaiting());
    for (size_t k = 0; k < sorted.partitions.size(); ++k) {
      const Value rows = sorted.rows.Row(static_cast<int64_t>(k));
      Partition& partition = *sorted.partitions[k];
      if (partition.sink == nullptr) STRUCTTENSOR_RETURN_IF_ERROR(OpenFile(partition));
      STRUCTTENSOR_RETURN_IF_ERROR(InFile(partition, partition.sink->Write(*rows.structured())));
    }
    // Each of many files may buffer rows, and remember where its row groups are.
    STRUCTTENSOR_RETURN_IF_ERROR(Limit(&Sink::buffered_bytes, options_.max_buffered_bytes, FlushFile));
    return Limit(&Sink::retained_bytes, options_.max_retained_bytes,
                 [this](Partition& partition) { return FinishFile(partition); });
  }

  absl::StatusOr<SortedRows> SortWaiting() {
    const std::vector<Value> batches = std::exchange(waiting_, {});
    waiting_bytes_ = 0;
    STRUCTTENSOR_ASSIGN_OR_RETURN(const Value joined, Concat(batches, 0));
    const StructuredTensor& rows = *joined.structured();
    std::vector<Partition*> partitions;
    STRUCTTENSOR_ASSIGN_OR_RETURN(std::vector<int64_t> numbers, PartitionsOfRows(rows, partitions));
    STRUCTTENSOR_ASSIGN_OR_RETURN(const StructuredTensor rest, Without(rows, paths_));
    STRUCTTENSOR_ASSIGN_OR_RETURN(Value sorted, StackDynamicPartitions(rest, Tensor::FromVector(std::move(numbers)),
                                                                       static_cast<int64_t>(partitions.size())));
    return SortedRows{std::move(sorted), std::move(partitions)};
  }

  // Returns the index in `partitions` of each row's partition. Adds partitions that are missing there.
  absl::StatusOr<std::vector<int64_t>> PartitionsOfRows(const StructuredTensor& rows, std::vector<Partition*>& partitions) {
    std::vector<PartitionValues> columns;
    for (const Path& path : paths_) {
      STRUCTTENSOR_ASSIGN_OR_RETURN(PartitionValues values, ValuesAt(path, rows));
      columns.push_back(std::move(values));
    }
    std::vector<int64_t> numbers;
    numbers.reserve(static_cast<size_t>(rows.nrows()));
    std::string key;
    std::string key_before;
    Partition* partition = nullptr;
    for (int64_t row = 0; row < rows.nrows(); ++row) {
      key.clear();
      for (const PartitionValues& column : columns) column.AppendKey(row, key);
      if (partition == nullptr || key != key_before) {
        STRUCTTENSOR_ASSIGN_OR_RETURN(partition, PartitionOf(key, columns, row));
        std::swap(key, key_before);
        if (partition->number < 0) {
          partition->number = static_cast<int64_t>(partitions.size());
          partitions.push_back(partition);
        }
      }
      numbers.push_back(partition->number);
    }
    for (Partition* const each : partitions) each->number = -1;
    return numbers;
  }

  // The partition of a row.
  absl::StatusOr<Partition*> PartitionOf(const std::string& key, const std::vector<PartitionValues>& columns, int64_t row) {
    if (const auto known = partitions_.find(key); known != partitions_.end()) return known->second.get();
    if (partitions_.size() == options_.max_partitions) {
      return absl::ResourceExhaustedError(
          absl::StrCat("`partition_by`: there are more than ", options_.max_partitions,
                       " different values, and each needs a file; choose a column with fewer, or rows with `where`"));
    }
    auto partition = std::make_unique<Partition>();
    for (size_t i = 0; i < columns.size(); ++i) {
      STRUCTTENSOR_ASSIGN_OR_RETURN(const std::string folder, FolderName(paths_[i], columns[i], row));
      absl::StrAppend(&partition->folder, folder, "/");
    }
    return partitions_.emplace(key, std::move(partition)).first->second.get();
  }

  static absl::StatusOr<std::string> FolderName(const Path& path, const PartitionValues& column, int64_t row) {
    const bool present = column.is_present(row);
    const std::string value = present ? column.Text(row) : std::string(kAbsentPartition);
    if (present && value == kAbsentPartition) {
      return PartitionError(absl::StatusCode::kOutOfRange, path,
                            absl::StrCat("a row has the text ", value, ", which marks absent values in names of folders"));
    }
    std::string name = absl::StrCat(Escaped(path.ToString()), "=", value);
    if (name.size() > kMaxNameBytes) {
      return PartitionError(absl::StatusCode::kOutOfRange, path,
                            absl::StrCat("a row has a value whose folder name would have ", name.size(), " bytes; at most ",
                                         kMaxNameBytes, " are possible"));
    }
    return name;
  }

  // If the files take more than `limit` bytes together, calls `free` for those that take most, until half of it is free.
  absl::Status Limit(int64_t (Sink::*size_bytes)() const, int64_t limit, absl::FunctionRef<absl::Status(Partition&)> free) {
    int64_t sum = SumOf(size_bytes);
    if (sum <= limit) return absl::OkStatus();
    std::vector<std::pair<int64_t, Partition*>> by_size;
    for (const auto& [key, partition] : partitions_) {
      if (partition->sink != nullptr) by_size.emplace_back((*partition->sink.*size_bytes)(), partition.get());
    }
    std::sort(by_size.begin(), by_size.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
    for (const auto& [bytes, partition] : by_size) {
      if (sum <= limit / 2) break;
      STRUCTTENSOR_RETURN_IF_ERROR(free(*partition));
      sum -= bytes;
    }
    return absl::OkStatus();
  }

  const PartitionedSinkOptions options_;
  OutputFolder& folder_;
  const std::vector<Path> paths_;
  const StructuredTensorSpec schema_;  // of the files
  std::vector<Value> waiting_;
  int64_t waiting_bytes_ = 0;
  absl::flat_hash_map<std::string, std::unique_ptr<Partition>> partitions_;  // by the keys of PartitionValues::AppendKey
};

PartitionedSink::PartitionedSink(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
PartitionedSink::~PartitionedSink() = default;

absl::Status PartitionedSink::Check(const PartitionedSinkOptions& options, const StructuredTensor& empty) {
  STRUCTTENSOR_RETURN_IF_ERROR(Validate(options));
  STRUCTTENSOR_ASSIGN_OR_RETURN(const std::vector<Path> paths, PartitionPaths(options.partition_by, empty));
  STRUCTTENSOR_ASSIGN_OR_RETURN(const StructuredTensorSpec schema, FileSchema(paths, empty));
  return Sink::Check(options.files, schema);
}

absl::StatusOr<std::unique_ptr<PartitionedSink>> PartitionedSink::Create(const PartitionedSinkOptions& options,
                                                                         OutputFolder* folder, const StructuredTensor& empty) {
  STRUCTTENSOR_RETURN_IF_ERROR(Check(options, empty));
  STRUCTTENSOR_ASSIGN_OR_RETURN(std::vector<Path> paths, PartitionPaths(options.partition_by, empty));
  STRUCTTENSOR_ASSIGN_OR_RETURN(StructuredTensorSpec schema, FileSchema(paths, empty));
  PartitionedSinkOptions with_metadata = options;
  std::vector<std::string> columns;
  for (const Path& path : paths) columns.push_back(path.ToString());
  with_metadata.files.metadata.emplace_back(kPartitionByMetadataKey, absl::StrJoin(columns, "\n"));
  auto impl = std::make_unique<Impl>(std::move(with_metadata), folder, std::move(paths), std::move(schema));
  return std::unique_ptr<PartitionedSink>(new PartitionedSink(std::move(impl)));
}

absl::Status PartitionedSink::Write(const StructuredTensor& batch) { return impl_->Write(batch); }
absl::Status PartitionedSink::Flush() { return impl_->Flush(); }
int64_t PartitionedSink::buffered_bytes() const { return impl_->buffered_bytes(); }
int64_t PartitionedSink::retained_bytes() const { return impl_->retained_bytes(); }
absl::Status PartitionedSink::Finish() { return impl_->Finish(); }

}  // namespace structtensor
