#include "structtensor/bridges/arrow_files/column_file_reader.h"

#include <arrow/c/bridge.h>
#include <arrow/io/file.h>
#include <arrow/ipc/reader.h>
#include <arrow/record_batch.h>
#include <arrow/util/config.h>
#include <arrow/util/key_value_metadata.h>
#include <fcntl.h>
#include <parquet/arrow/reader.h>
#include <parquet/exception.h>
#include <parquet/properties.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <new>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "structtensor/base/internal/status.h"
#include "structtensor/bridges/arrow/import.h"
#include "structtensor/bridges/arrow_files/internal/schema_ids.h"

namespace structtensor {
namespace {

constexpr std::string_view kParquetMagic = "PAR1";
constexpr std::string_view kArrowFileMagic = "ARROW1";
// A stream begins with a message: this mark, and the length of its description, which is small.
constexpr std::string_view kStreamMark = "\xff\xff\xff\xff";
constexpr size_t kMagicBytes = 16;

bool BeginsAsArrowStream(std::string_view bytes) {
  return bytes.size() >= 8 && bytes.starts_with(kStreamMark) && bytes[7] == 0 &&
         bytes.substr(4, 3) != std::string_view("\0\0\0", 3);
}

// The first bytes of a file, as many as there are up to kMagicBytes; an error number if it cannot be read.
absl::StatusOr<std::string> FirstBytes(const std::string& path, int64_t* size_bytes) {
  // A pipe must not even be opened: whoever writes to it would take that for its reader.
  struct stat file = {};
  if (stat(path.c_str(), &file) != 0) return absl::ErrnoToStatus(errno, "cannot open the file");
  if (!S_ISREG(file.st_mode)) return absl::InvalidArgumentError("a column file is read from a file, not from a pipe or folder");
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return absl::ErrnoToStatus(errno, "cannot open the file");
  std::string bytes(kMagicBytes, '\0');
  const ssize_t got = pread(fd, bytes.data(), bytes.size(), 0);
  const int error_number = errno;
  close(fd);
  if (got < 0) return absl::ErrnoToStatus(error_number, "cannot read the file");
  bytes.resize(static_cast<size_t>(got));
  if (size_bytes != nullptr) *size_bytes = file.st_size;
  return bytes;
}

absl::Status Damaged(const arrow::Status& status) {
  if (status.IsOutOfMemory()) return absl::ResourceExhaustedError(status.message());
  if (status.IsNotImplemented()) return absl::UnimplementedError(status.message());
  return absl::DataLossError(absl::StrCat("the file is damaged: ", status.message()));
}

// Arrow's Parquet reader throws on some damage. Call: () -> arrow::Result<T>.
template <typename T, typename Call>
absl::StatusOr<T> Guarded(Call call) {
  try {
    arrow::Result<T> result = call();
    if (result.ok()) return *std::move(result);
    return Damaged(result.status());
  } catch (const std::bad_alloc&) {
    return absl::ResourceExhaustedError("there is not enough memory to read the file");
  } catch (const std::exception& error) {
    return absl::DataLossError(absl::StrCat("the file is damaged: ", error.what()));
  }
}

using BatchPtr = std::shared_ptr<arrow::RecordBatch>;

// Batches of any size, null at the end.
class BatchSource {
 public:
  virtual ~BatchSource() = default;
  virtual arrow::Result<BatchPtr> Next() = 0;
  virtual std::shared_ptr<arrow::Schema> schema() const = 0;
};

class ParquetSource : public BatchSource {
 public:
  static arrow::Result<std::unique_ptr<BatchSource>> Open(std::shared_ptr<arrow::io::RandomAccessFile> file,
                                                          int64_t batch_rows) {
    auto source = std::make_unique<ParquetSource>();
    parquet::ArrowReaderProperties properties;
    properties.set_batch_size(batch_rows);
    properties.set_pre_buffer(false);  // which would hold whole columns
    parquet::ReaderProperties reader_properties = parquet::default_reader_properties();
    reader_properties.enable_buffered_stream();  // a row group is read piece by piece
    parquet::arrow::FileReaderBuilder builder;
    ARROW_RETURN_NOT_OK(builder.Open(std::move(file), reader_properties));
    ARROW_RETURN_NOT_OK(builder.properties(properties)->Build(&source->file_));
    std::vector<int> row_groups(static_cast<size_t>(source->file_->num_row_groups()));
    for (size_t i = 0; i < row_groups.size(); ++i) row_groups[i] = static_cast<int>(i);
#if ARROW_VERSION_MAJOR >= 21
    ARROW_ASSIGN_OR_RAISE(source->batches_, source->file_->GetRecordBatchReader(row_groups));
#else
    ARROW_RETURN_NOT_OK(source->file_->GetRecordBatchReader(row_groups, &source->batches_));
#endif
    return source;
  }

  arrow::Result<BatchPtr> Next() override { return batches_->Next(); }
  std::shared_ptr<arrow::Schema> schema() const override { return batches_->schema(); }

 private:
  std::unique_ptr<parquet::arrow::FileReader> file_;  // outlives its batches
  std::unique_ptr<arrow::RecordBatchReader> batches_;
};

class ArrowFileSource : public BatchSource {
 public:
  static arrow::Result<std::unique_ptr<BatchSource>> Open(const std::shared_ptr<arrow::io::RandomAccessFile>& file) {
    auto source = std::make_unique<ArrowFileSource>();
    ARROW_ASSIGN_OR_RAISE(source->reader_, arrow::ipc::RecordBatchFileReader::Open(file));
    return source;
  }

  arrow::Result<BatchPtr> Next() override {
    if (next_ == reader_->num_record_batches()) return BatchPtr();
    return reader_->ReadRecordBatch(next_++);
  }
  std::shared_ptr<arrow::Schema> schema() const override { return reader_->schema(); }

 private:
  std::shared_ptr<arrow::ipc::RecordBatchFileReader> reader_;
  int next_ = 0;
};

class ArrowStreamSource : public BatchSource {
 public:
  static arrow::Result<std::unique_ptr<BatchSource>> Open(const std::shared_ptr<arrow::io::RandomAccessFile>& file) {
    auto source = std::make_unique<ArrowStreamSource>();
    ARROW_ASSIGN_OR_RAISE(source->reader_, arrow::ipc::RecordBatchStreamReader::Open(file));
    return source;
  }

  arrow::Result<BatchPtr> Next() override { return reader_->Next(); }
  std::shared_ptr<arrow::Schema> schema() const override { return reader_->schema(); }

 private:
  std::shared_ptr<arrow::ipc::RecordBatchStreamReader> reader_;
};

class Reader : public ColumnFileReader {
 public:
  Reader(std::unique_ptr<BatchSource> source, int64_t size_bytes, int64_t batch_rows)
      : source_(std::move(source)), size_bytes_(size_bytes), batch_rows_(batch_rows) {}

  absl::StatusOr<std::optional<StructuredTensor>> Next() override {
    while (!rows_.has_value() || begin_ == rows_->nrows()) {
      STRUCTTENSOR_ASSIGN_OR_RETURN(rows_, NextRows());
      if (!rows_.has_value()) return std::nullopt;
      begin_ = 0;
    }
    const int64_t begin = begin_;
    begin_ += std::min(batch_rows_, rows_->nrows() - begin);
    return rows_->SliceRows(begin, begin_);
  }

  absl::StatusOr<StructuredTensor> Empty() const override {
    STRUCTTENSOR_ASSIGN_OR_RETURN(const BatchPtr batch,
                                  Guarded<BatchPtr>([this] { return arrow::RecordBatch::MakeEmpty(source_->schema()); }));
    return Imported(*batch);
  }

  std::optional<std::string> Metadata(const std::string& key) const override {
    const std::shared_ptr<const arrow::KeyValueMetadata> metadata = source_->schema()->metadata();
    const int index = metadata == nullptr ? -1 : metadata->FindKey(key);
    if (index < 0) return std::nullopt;
    return metadata->value(index);
  }

  std::vector<ColumnId> ids() const override { return arrow_files_internal::IdsOf(*source_->schema()); }

  int64_t size_bytes() const override { return size_bytes_; }

 private:
  // The rows of the next Arrow batch.
  absl::StatusOr<std::optional<StructuredTensor>> NextRows() {
    STRUCTTENSOR_ASSIGN_OR_RETURN(const BatchPtr batch, Guarded<BatchPtr>([this]() -> arrow::Result<BatchPtr> {
                                    ARROW_ASSIGN_OR_RAISE(BatchPtr batch, source_->Next());
                                    // A damaged file may have buffers that are too short. That offsets ascend to the last,
                                    // which is looked at here, is seen by ImportBatch; and whether strings are UTF-8 is for
                                    // whoever asks for that.
                                    if (batch != nullptr) ARROW_RETURN_NOT_OK(batch->Validate());
                                    return batch;
                                  }));
    if (batch == nullptr) return std::nullopt;
    STRUCTTENSOR_ASSIGN_OR_RETURN(StructuredTensor rows, Imported(*batch));
    return rows;
  }

  static absl::StatusOr<StructuredTensor> Imported(const arrow::RecordBatch& batch) {
    ArrowArray array = {};
    ArrowSchema schema = {};
    if (const arrow::Status status = arrow::ExportRecordBatch(batch, &array, &schema); !status.ok()) return Damaged(status);
    absl::StatusOr<StructuredTensor> imported = ImportBatch(schema, &array);
    schema.release(&schema);
    return imported;
  }

  const std::unique_ptr<BatchSource> source_;
  const int64_t size_bytes_;
  const int64_t batch_rows_;
  std::optional<StructuredTensor> rows_;
  int64_t begin_ = 0;  // of the rows that are not handed over yet
};

}  // namespace

bool BeginsAsColumnFile(std::string_view bytes) {
  return bytes.starts_with(kParquetMagic) || bytes.starts_with(kArrowFileMagic) || BeginsAsArrowStream(bytes);
}

bool IsColumnFile(const std::string& path) {
  const absl::StatusOr<std::string> bytes = FirstBytes(path, nullptr);
  return bytes.ok() && BeginsAsColumnFile(*bytes);
}

absl::StatusOr<std::unique_ptr<ColumnFileReader>> ColumnFileReader::Open(const std::string& path, int64_t batch_rows) {
  if (batch_rows < 1) return absl::InvalidArgumentError(absl::StrCat("batch_rows = ", batch_rows, "; expected 1 or more"));
  int64_t size_bytes = 0;
  STRUCTTENSOR_ASSIGN_OR_RETURN(const std::string first, FirstBytes(path, &size_bytes));
  if (!BeginsAsColumnFile(first)) {
    return absl::InvalidArgumentError(
        "expected a Parquet or Arrow file, which begin with PAR1, ARROW1 or the bytes FF FF FF FF");
  }
  using SourcePtr = std::unique_ptr<BatchSource>;
  STRUCTTENSOR_ASSIGN_OR_RETURN(SourcePtr source, Guarded<SourcePtr>([&]() -> arrow::Result<SourcePtr> {
                                  ARROW_ASSIGN_OR_RAISE(auto file, arrow::io::ReadableFile::Open(path));
                                  if (first.starts_with(kParquetMagic)) return ParquetSource::Open(std::move(file), batch_rows);
                                  if (first.starts_with(kArrowFileMagic)) return ArrowFileSource::Open(std::move(file));
                                  return ArrowStreamSource::Open(std::move(file));
                                }));
  return std::unique_ptr<ColumnFileReader>(new Reader(std::move(source), size_bytes, batch_rows));
}

}  // namespace structtensor
