#include "structtensor/io/column_files/column_file_reader.h"

#include <arrow/array/data.h>
#include <arrow/buffer.h>
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
#include <parquet/schema.h>

#include <algorithm>
#include <new>
#include <numeric>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "structtensor/core/base/shared/status.h"
#include "structtensor/io/arrow/import.h"
#include "structtensor/io/column_files/column_file.h"
#include "structtensor/io/column_files/internal/limited_pool.h"
#include "structtensor/io/column_files/internal/present_columns.h"
#include "structtensor/io/column_files/internal/remote_for_arrow.h"
#include "structtensor/io/column_files/internal/schema_ids.h"
#include "structtensor/io/column_files/shared/batched_reader.h"
#include "structtensor/io/column_files/shared/file_kind.h"
#include "structtensor/io/column_files/shared/read_size.h"
#include "structtensor/io/remote_files/remote_files.h"

namespace structtensor {
namespace {

using column_files_internal::BatchedReader;
using column_files_internal::LimitedPool;
using column_files_internal::OpenedFile;
using column_files_internal::OpenedFileOf;
using column_files_internal::PresentColumns;
using column_files_internal::ReadSize;

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
  } catch (const parquet::ParquetStatusException& error) {
    return Damaged(error.status());
  } catch (const std::exception& error) {
    return absl::DataLossError(absl::StrCat("the file is damaged: ", error.what()));
  }
}

using BatchPtr = std::shared_ptr<arrow::RecordBatch>;

// Batches, null at the end.
class BatchSource {
 public:
  virtual ~BatchSource() = default;
  // Whether batches have at most `max_rows` rows, and fewer if these are large. If not, they have the size that they were
  // written with.
  virtual bool limits_batches() const { return false; }
  virtual absl::StatusOr<BatchPtr> Next(int64_t max_rows) = 0;
  virtual std::shared_ptr<arrow::Schema> schema() const = 0;
  virtual arrow::Result<int64_t> CountRows() = 0;  // instead of Next()
};

// How much of a remote column is read at a time. Each piece is a request.
constexpr int64_t kRemotePieceBytes = int64_t{1} << 20;

arrow::Result<std::shared_ptr<arrow::io::RandomAccessFile>> RandomAccessFileOf(const std::string& path) {
  if (IsRemotePath(path)) return column_files_internal::OpenRemoteForArrow(path);
  return arrow::io::ReadableFile::Open(path);
}

// The first column that has one value in each row, or -1.
int FirstFlatColumn(const parquet::SchemaDescriptor& schema) {
  for (int i = 0; i < schema.num_columns(); ++i) {
    if (schema.Column(i)->max_repetition_level() == 0) return i;
  }
  return -1;
}

// Checks that the counts of a footer may be true: those of row groups, which also a flat column has, and their sum.
arrow::Status CheckRowCounts(const parquet::FileMetaData& footer) {
  const int flat_column = FirstFlatColumn(*footer.schema());
  int64_t rows = 0;
  for (int i = 0; i < footer.num_row_groups(); ++i) {
    const auto group = footer.RowGroup(i);
    const int64_t of_group = group->num_rows();
    if (of_group < 0 || __builtin_add_overflow(rows, of_group, &rows)) {
      return arrow::Status::Invalid("its footer says that row group ", i, " has ", of_group, " rows");
    }
    if (flat_column < 0 || flat_column >= group->num_columns()) continue;
    const int64_t values = group->ColumnChunk(flat_column)->num_values();
    if (values == of_group) continue;
    return arrow::Status::Invalid("its footer says that row group ", i, " has ", of_group, " rows, and its column ",
                                  footer.schema()->Column(flat_column)->path()->ToDotString(), " has ", values, " values");
  }
  if (rows == footer.num_rows()) return arrow::Status::OK();
  return arrow::Status::Invalid("its footer says that the file has ", footer.num_rows(), " rows, and its row groups together ",
                                rows);
}

// About how many bytes the values of a column chunk take in memory. Repeated dictionary values take far less in the file.
double MemoryBytesOf(const parquet::ColumnChunkMetaData& chunk, const parquet::ColumnDescriptor& column) {
  const double values = static_cast<double>(std::max<int64_t>(chunk.num_values(), 0));
  double width = 0;
  switch (column.physical_type()) {
    case parquet::Type::BOOLEAN:
      width = 1;
      break;
    case parquet::Type::INT32:
    case parquet::Type::FLOAT:
    case parquet::Type::BYTE_ARRAY:  // an offset; the bytes are those of the chunk
      width = 4;
      break;
    case parquet::Type::FIXED_LEN_BYTE_ARRAY:
      width = std::max(column.type_length(), 0);
      break;
    default:
      width = 8;
  }
  const double level_bytes = (column.max_definition_level() > 0 ? 2 : 0) + (column.max_repetition_level() > 0 ? 2 : 0);
  return std::max(values * width, static_cast<double>(chunk.total_uncompressed_size())) + values * level_bytes;
}

// About how many bytes a reader keeps of a column besides its values: the page that it reads, compressed and not, the values of
// its dictionary, and a buffer. Larger pages count as values.
double PageBytesOf(const parquet::ColumnChunkMetaData& chunk) {
  constexpr int64_t kLargePageBytes = int64_t{2} << 20;
  constexpr double kBufferBytes = 1 << 16;
  return 2.0 * static_cast<double>(std::clamp<int64_t>(chunk.total_uncompressed_size(), 0, kLargePageBytes)) + kBufferBytes;
}

int64_t OwnBytes(const arrow::ArrayData& data) {
  int64_t size_bytes = 0;
  for (const auto& buffer : data.buffers) size_bytes += buffer == nullptr ? 0 : buffer->size();
  for (const auto& child : data.child_data) size_bytes += OwnBytes(*child);
  return size_bytes;
}
// The bytes of a batch, without dictionaries, which batches share.
int64_t OwnBytes(const arrow::RecordBatch& batch) {
  int64_t size_bytes = 0;
  for (const auto& column : batch.column_data()) size_bytes += OwnBytes(*column);
  return size_bytes;
}

// Reads one row group after the other: if a column has more or fewer values in one of them, values do not become values of
// other rows.
class ParquetSource : public BatchSource {
 public:
  static arrow::Result<std::unique_ptr<BatchSource>> Open(std::shared_ptr<arrow::io::RandomAccessFile> file,
                                                          const ColumnFileReaderOptions& options, bool remote) {
    auto source = std::make_unique<ParquetSource>(options);
    parquet::ArrowReaderProperties properties;
    properties.set_pre_buffer(false);  // pre-buffering would hold whole columns
    parquet::ReaderProperties reader_properties(source->pool_.get());
    reader_properties.enable_buffered_stream();  // a row group is read piece by piece
    if (remote) reader_properties.set_buffer_size(kRemotePieceBytes);
    parquet::arrow::FileReaderBuilder builder;
    ARROW_RETURN_NOT_OK(builder.Open(std::move(file), reader_properties));
    ARROW_RETURN_NOT_OK(builder.memory_pool(source->pool_.get())->properties(properties)->Build(&source->file_));
    ARROW_RETURN_NOT_OK(CheckRowCounts(source->footer()));
    source->all_columns_.resize(static_cast<size_t>(source->footer().num_columns()));
    std::iota(source->all_columns_.begin(), source->all_columns_.end(), 0);
    ARROW_ASSIGN_OR_RAISE(const Batches none, source->BatchesOf({}, source->all_columns_));
    source->schema_ = none->schema();
    return source;
  }

  explicit ParquetSource(const ColumnFileReaderOptions& options)
      : skip_absent_fields_(options.skip_absent_fields),
        max_memory_bytes_(std::min(options.max_memory_bytes, INT64_MAX / 4)),
        several_rows_bytes_(std::min(max_memory_bytes_, ReadSize::kMostBytesAtATime)),
        read_size_(max_memory_bytes_) {}

  bool limits_batches() const override { return true; }
  absl::StatusOr<BatchPtr> Next(int64_t max_rows) override {
    while (group_ < footer().num_row_groups()) {
      if (!begun_) STRUCTTENSOR_RETURN_IF_ERROR(BeginGroup());
      // A group that was begun again: rows that have been returned before are read again, and dropped.
      const int64_t rows =
          read_size_.Rows(rows_read_ < rows_returned_ ? std::min(max_rows, rows_returned_ - rows_read_) : max_rows);
      absl::StatusOr<BatchPtr> batch = Read(rows);
      if (absl::IsResourceExhausted(batch.status())) {
        if (rows == 1) {
          return column_files_internal::RowTooLarge(rows_before_group_ + rows_read_, max_memory_bytes_,
                                                    ", or a page with values of it,");
        }
        // Arrow's reader cannot go on after that, so the group is begun again. Either rows are larger than the mean of the
        // group, because values of its dictionaries repeat, or pages are larger than expected. So far fewer rows are read at a
        // time, and if that was not enough, with twice the memory. This happens a few times at most.
        if (read_size_.TooLarge(rows)) several_rows_bytes_ = std::min(max_memory_bytes_, 2 * several_rows_bytes_);
        batches_.reset();
        rows_read_ = 0;
        continue;
      }
      if (!batch.ok()) return batch.status();
      if (*batch == nullptr) {
        STRUCTTENSOR_RETURN_IF_ERROR(EndGroup());
        continue;
      }
      rows_read_ += (*batch)->num_rows();
      read_size_.Took((*batch)->num_rows(), OwnBytes(**batch));
      if (rows_read_ <= rows_returned_) continue;
      rows_returned_ = rows_read_;
      return batch;
    }
    return BatchPtr();
  }
  std::shared_ptr<arrow::Schema> schema() const override { return schema_; }
  arrow::Result<int64_t> CountRows() override { return footer().num_rows(); }

 private:
  using Batches = std::unique_ptr<arrow::RecordBatchReader>;

  const parquet::FileMetaData& footer() const { return *file_->parquet_reader()->metadata(); }

  arrow::Result<Batches> BatchesOf(const std::vector<int>& row_groups, const std::vector<int>& columns) {
#if ARROW_VERSION_MAJOR >= 21
    return file_->GetRecordBatchReader(row_groups, columns);
#else
    Batches batches;
    ARROW_RETURN_NOT_OK(file_->GetRecordBatchReader(row_groups, columns, &batches));
    return std::move(batches);
#endif
  }

  absl::Status BeginGroup() {
    return Guarded<bool>([this]() -> arrow::Result<bool> {
             const std::unique_ptr<parquet::RowGroupMetaData> group = footer().RowGroup(group_);
             if (group->num_columns() != footer().num_columns()) {
               return arrow::Status::Invalid("row group ", group_, " has ", group->num_columns(), " columns, and the schema ",
                                             footer().num_columns());
             }
             columns_ =
                 skip_absent_fields_ && !all_columns_.empty() ? PresentColumns(*group, *footer().schema()) : all_columns_;
             double size_bytes = 0;
             double page_bytes = 0;
             for (const int i : columns_) {
               const std::unique_ptr<parquet::ColumnChunkMetaData> chunk = group->ColumnChunk(i);
               size_bytes += MemoryBytesOf(*chunk, *footer().schema()->Column(i));
               page_bytes += PageBytesOf(*chunk);
             }
             read_size_.BeginGroup(group->num_rows(), size_bytes);
             page_bytes_ = static_cast<int64_t>(page_bytes);
             rows_of_group_ = group->num_rows();
             begun_ = true;
             return true;
           })
        .status();
  }

  // Reads the next rows of the row group. Errors: ResourceExhausted if they take too much memory.
  absl::StatusOr<BatchPtr> Read(int64_t rows) {
    return Guarded<BatchPtr>([&]() -> arrow::Result<BatchPtr> {
      file_->set_batch_size(rows);
      pool_->AllowMore(page_bytes_ + (rows > 1 ? several_rows_bytes_ : max_memory_bytes_));
      if (batches_ == nullptr) {
        ARROW_ASSIGN_OR_RAISE(batches_, BatchesOf({group_}, columns_));
      }
      return batches_->Next();
    });
  }

  absl::Status EndGroup() {
    if (rows_read_ != rows_of_group_) {
      return absl::DataLossError(absl::StrCat("the file is damaged: row group ", group_, " has ", rows_read_,
                                              " rows, and the footer says ", rows_of_group_));
    }
    batches_.reset();
    rows_before_group_ += rows_of_group_;
    rows_read_ = 0;
    rows_returned_ = 0;
    begun_ = false;
    ++group_;
    return absl::OkStatus();
  }

  const bool skip_absent_fields_;
  const int64_t max_memory_bytes_;                         // of one row, besides pages
  int64_t several_rows_bytes_;                             // of rows that are read together; it may grow
  const LimitedPool::Owner pool_ = LimitedPool::Create();  // outlives the readers
  ReadSize read_size_;
  std::unique_ptr<parquet::arrow::FileReader> file_;  // outlives its batches
  std::shared_ptr<arrow::Schema> schema_;
  std::vector<int> all_columns_;  // their indices
  // The row group that is read.
  std::vector<int> columns_;
  int group_ = 0;
  bool begun_ = false;
  Batches batches_;            // null before its first row
  int64_t rows_of_group_ = 0;  // as the footer says
  int64_t page_bytes_ = 0;     // that are kept beside the rows
  int64_t rows_read_ = 0;      // by batches_
  int64_t rows_returned_ = 0;
  int64_t rows_before_group_ = 0;
};

// A pool for the batches of an Arrow file. It refuses what only a damaged file asks for: the smallest block of zstd that is not
// empty has 4 bytes and holds at most 128 KiB, and a dictionary that grows is copied once.
arrow::Result<LimitedPool::Owner> IpcPool(arrow::io::RandomAccessFile& file) {
  ARROW_ASSIGN_OR_RAISE(const int64_t size_bytes, file.GetSize());
  constexpr int64_t kBytesOfByte = int64_t{1} << 16;
  LimitedPool::Owner pool = LimitedPool::Create();
  pool->AllowInAll((int64_t{1} << 20) + std::min(size_bytes, INT64_MAX / kBytesOfByte / 2) * kBytesOfByte);
  return pool;
}

arrow::ipc::IpcReadOptions IpcOptions(arrow::MemoryPool* pool) {
  arrow::ipc::IpcReadOptions options = arrow::ipc::IpcReadOptions::Defaults();
  options.memory_pool = pool;
  return options;
}

class ArrowFileSource : public BatchSource {
 public:
  static arrow::Result<std::unique_ptr<BatchSource>> Open(const std::shared_ptr<arrow::io::RandomAccessFile>& file) {
    auto source = std::make_unique<ArrowFileSource>();
    ARROW_ASSIGN_OR_RAISE(source->pool_, IpcPool(*file));
    ARROW_ASSIGN_OR_RAISE(source->reader_, arrow::ipc::RecordBatchFileReader::Open(file, IpcOptions(source->pool_.get())));
    return source;
  }

  absl::StatusOr<BatchPtr> Next(int64_t /*max_rows*/) override {
    if (next_ == reader_->num_record_batches()) return BatchPtr();
    return Guarded<BatchPtr>([this] { return reader_->ReadRecordBatch(next_++); });
  }
  std::shared_ptr<arrow::Schema> schema() const override { return reader_->schema(); }
  arrow::Result<int64_t> CountRows() override { return reader_->CountRows(); }

 private:
  LimitedPool::Owner pool_;  // outlives the reader
  std::shared_ptr<arrow::ipc::RecordBatchFileReader> reader_;
  int next_ = 0;
};

class ArrowStreamSource : public BatchSource {
 public:
  static arrow::Result<std::unique_ptr<BatchSource>> Open(const std::shared_ptr<arrow::io::RandomAccessFile>& file) {
    auto source = std::make_unique<ArrowStreamSource>();
    ARROW_ASSIGN_OR_RAISE(source->pool_, IpcPool(*file));
    ARROW_ASSIGN_OR_RAISE(source->reader_, arrow::ipc::RecordBatchStreamReader::Open(file, IpcOptions(source->pool_.get())));
    return source;
  }

  absl::StatusOr<BatchPtr> Next(int64_t /*max_rows*/) override {
    return Guarded<BatchPtr>([this] { return reader_->Next(); });
  }
  std::shared_ptr<arrow::Schema> schema() const override { return reader_->schema(); }
  arrow::Result<int64_t> CountRows() override {
    int64_t rows = 0;
    while (true) {
      ARROW_ASSIGN_OR_RAISE(const BatchPtr batch, reader_->Next());
      if (batch == nullptr) return rows;
      rows += batch->num_rows();
    }
  }

 private:
  LimitedPool::Owner pool_;  // outlives the reader
  std::shared_ptr<arrow::ipc::RecordBatchStreamReader> reader_;
};

class Reader : public BatchedReader {
 public:
  Reader(std::unique_ptr<BatchSource> source, int64_t size_bytes, const ColumnFileReaderOptions& options)
      : BatchedReader(options), source_(std::move(source)), size_bytes_(size_bytes) {}

  absl::StatusOr<StructuredTensor> Empty() const override {
    STRUCTTENSOR_ASSIGN_OR_RETURN(const BatchPtr batch,
                                  Guarded<BatchPtr>([this] { return arrow::RecordBatch::MakeEmpty(source_->schema()); }));
    return Imported(*batch, INT64_MAX);
  }

  std::optional<std::string> Metadata(const std::string& key) const override {
    const std::shared_ptr<const arrow::KeyValueMetadata> metadata = source_->schema()->metadata();
    const int index = metadata == nullptr ? -1 : metadata->FindKey(key);
    if (index < 0) return std::nullopt;
    return metadata->value(index);
  }

  std::vector<ColumnId> ids() const override { return column_files_internal::IdsOf(*source_->schema()); }

  absl::StatusOr<int64_t> CountRows() override {
    return Guarded<int64_t>([this] { return source_->CountRows(); });
  }

  int64_t size_bytes() const override { return size_bytes_; }

 protected:
  absl::StatusOr<std::optional<int64_t>> ReadBatch(int64_t max_rows) override {
    batch_.reset();
    STRUCTTENSOR_ASSIGN_OR_RETURN(batch_, source_->Next(max_rows));
    if (batch_ == nullptr) return std::nullopt;
    // A damaged file may have buffers that are too short. Validate() looks only at the last offset; ImportBatch checks that
    // offsets ascend to it. Whether strings are UTF-8 is checked only by those who need to know.
    if (const arrow::Status valid = batch_->Validate(); !valid.ok()) return Damaged(valid);
    if (!source_->limits_batches() && batch_->num_rows() > 0) {
      const double row_bytes = static_cast<double>(OwnBytes(*batch_)) / static_cast<double>(batch_->num_rows());
      set_most_rows_at_a_time(ReadSize::RowsOf(row_bytes));
    }
    return batch_->num_rows();
  }
  absl::StatusOr<StructuredTensor> Import(int64_t begin, int64_t end, int64_t max_dictionary_bytes) override {
    absl::StatusOr<StructuredTensor> rows = Imported(*batch_->Slice(begin, end - begin), max_dictionary_bytes);
    if (rows.ok() && end == batch_->num_rows()) batch_.reset();
    return rows;
  }

 private:
  static absl::StatusOr<StructuredTensor> Imported(const arrow::RecordBatch& batch, int64_t max_dictionary_bytes) {
    ArrowArray array = {};
    ArrowSchema schema = {};
    if (const arrow::Status status = arrow::ExportRecordBatch(batch, &array, &schema); !status.ok()) return Damaged(status);
    absl::StatusOr<StructuredTensor> imported = ImportBatch(schema, &array, max_dictionary_bytes);
    schema.release(&schema);
    return imported;
  }

  const std::unique_ptr<BatchSource> source_;
  const int64_t size_bytes_;
  BatchPtr batch_;  // null if all its rows are imported
};

}  // namespace

absl::StatusOr<std::unique_ptr<ColumnFileReader>> ColumnFileReader::Open(const std::string& path,
                                                                         const ColumnFileReaderOptions& options) {
  STRUCTTENSOR_ASSIGN_OR_RETURN(const OpenedFile opened, OpenedFileOf(path, options));
  using SourcePtr = std::unique_ptr<BatchSource>;
  STRUCTTENSOR_ASSIGN_OR_RETURN(SourcePtr source, Guarded<SourcePtr>([&]() -> arrow::Result<SourcePtr> {
                                  ARROW_ASSIGN_OR_RAISE(auto file, RandomAccessFileOf(path));
                                  switch (opened.format) {
                                    case FileFormat::kParquet:
                                      return ParquetSource::Open(std::move(file), options, IsRemotePath(path));
                                    case FileFormat::kArrowFile:
                                      return ArrowFileSource::Open(file);
                                    case FileFormat::kArrowStream:
                                    case FileFormat::kCsv:
                                      break;
                                  }
                                  return ArrowStreamSource::Open(file);
                                }));
  return std::unique_ptr<ColumnFileReader>(new Reader(std::move(source), opened.size_bytes, options));
}

}  // namespace structtensor
