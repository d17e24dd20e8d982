#include "structtensor/bridges/arrow_files/column_file_reader.h"

#include <arrow/c/bridge.h>
#include <arrow/io/file.h>
#include <arrow/ipc/reader.h>
#include <arrow/record_batch.h>
#include <arrow/util/config.h>
#include <arrow/util/key_value_metadata.h>
#include <parquet/arrow/reader.h>
#include <parquet/exception.h>
#include <parquet/file_reader.h>
#include <parquet/metadata.h>
#include <parquet/properties.h>

#include <algorithm>
#include <new>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "structtensor/base/internal/status.h"
#include "structtensor/bridges/arrow/import.h"
#include "structtensor/bridges/arrow_files/column_file.h"
#include "structtensor/bridges/arrow_files/internal/file_kind.h"
#include "structtensor/bridges/arrow_files/internal/remote_for_arrow.h"
#include "structtensor/bridges/arrow_files/internal/schema_ids.h"
#include "structtensor/storage/remote_files.h"

namespace structtensor {
namespace {

using arrow_files_internal::OpenedFile;
using arrow_files_internal::OpenedFileOf;

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
  virtual arrow::Result<int64_t> CountRows() = 0;  // instead of Next()
};

// How much of a remote column is read at a time. Each piece is a request.
constexpr int64_t kRemotePieceBytes = int64_t{1} << 20;

arrow::Result<std::shared_ptr<arrow::io::RandomAccessFile>> RandomAccessFileOf(const std::string& path) {
  if (IsRemotePath(path)) return arrow_files_internal::OpenRemoteForArrow(path);
  return arrow::io::ReadableFile::Open(path);
}

class ParquetSource : public BatchSource {
 public:
  static arrow::Result<std::unique_ptr<BatchSource>> Open(std::shared_ptr<arrow::io::RandomAccessFile> file, int64_t batch_rows,
                                                          bool remote) {
    auto source = std::make_unique<ParquetSource>();
    parquet::ArrowReaderProperties properties;
    properties.set_batch_size(batch_rows);
    properties.set_pre_buffer(false);  // pre-buffering would hold whole columns
    parquet::ReaderProperties reader_properties = parquet::default_reader_properties();
    reader_properties.enable_buffered_stream();  // a row group is read piece by piece
    if (remote) reader_properties.set_buffer_size(kRemotePieceBytes);
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
  arrow::Result<int64_t> CountRows() override { return file_->parquet_reader()->metadata()->num_rows(); }

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
  arrow::Result<int64_t> CountRows() override { return reader_->CountRows(); }

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
  arrow::Result<int64_t> CountRows() override {
    int64_t rows = 0;
    while (true) {
      ARROW_ASSIGN_OR_RAISE(const BatchPtr batch, Next());
      if (batch == nullptr) return rows;
      rows += batch->num_rows();
    }
  }

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

  absl::StatusOr<int64_t> CountRows() override {
    return Guarded<int64_t>([this] { return source_->CountRows(); });
  }

  int64_t size_bytes() const override { return size_bytes_; }

 private:
  // The rows of the next Arrow batch.
  absl::StatusOr<std::optional<StructuredTensor>> NextRows() {
    STRUCTTENSOR_ASSIGN_OR_RETURN(const BatchPtr batch, Guarded<BatchPtr>([this]() -> arrow::Result<BatchPtr> {
                                    ARROW_ASSIGN_OR_RAISE(BatchPtr batch, source_->Next());
                                    // A damaged file may have buffers that are too short. Validate() looks only at the last
                                    // offset; ImportBatch checks that offsets ascend to it. Whether strings are UTF-8 is
                                    // checked only by those who need to know.
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
  int64_t begin_ = 0;  // of the rows in rows_ that are not handed over yet
};

}  // namespace

absl::StatusOr<std::unique_ptr<ColumnFileReader>> ColumnFileReader::Open(const std::string& path, int64_t batch_rows) {
  STRUCTTENSOR_ASSIGN_OR_RETURN(const OpenedFile opened, OpenedFileOf(path, batch_rows));
  using SourcePtr = std::unique_ptr<BatchSource>;
  STRUCTTENSOR_ASSIGN_OR_RETURN(SourcePtr source, Guarded<SourcePtr>([&]() -> arrow::Result<SourcePtr> {
                                  ARROW_ASSIGN_OR_RAISE(auto file, RandomAccessFileOf(path));
                                  switch (opened.format) {
                                    case FileFormat::kParquet:
                                      return ParquetSource::Open(std::move(file), batch_rows, IsRemotePath(path));
                                    case FileFormat::kArrowFile:
                                      return ArrowFileSource::Open(file);
                                    case FileFormat::kArrowStream:
                                    case FileFormat::kCsv:
                                      break;
                                  }
                                  return ArrowStreamSource::Open(file);
                                }));
  return std::unique_ptr<ColumnFileReader>(new Reader(std::move(source), opened.size_bytes, batch_rows));
}

}  // namespace structtensor
