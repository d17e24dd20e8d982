#include "structtensor/io/column_files/column_file.h"

#include <arrow/c/bridge.h>
#include <arrow/csv/writer.h>
#include <arrow/io/interfaces.h>
#include <arrow/ipc/writer.h>
#include <arrow/memory_pool.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>
#include <arrow/util/byte_size.h>
#include <arrow/util/compression.h>
#include <arrow/util/key_value_metadata.h>
#include <parquet/arrow/schema.h>
#include <parquet/properties.h>
#include <parquet/schema.h>

#include <algorithm>
#include <cassert>
#include <exception>
#include <iterator>
#include <new>
#include <optional>
#include <span>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "structtensor/core/base/shared/option_enum.h"
#include "structtensor/core/base/shared/status.h"
#include "structtensor/core/base/shared/strings.h"
#include "structtensor/io/arrow/export.h"
#include "structtensor/io/column_files/internal/arrow_pool.h"
#include "structtensor/io/column_files/internal/columns_with_values.h"
#include "structtensor/io/column_files/internal/csv_columns.h"
#include "structtensor/io/column_files/internal/parquet_file.h"
#include "structtensor/io/column_files/internal/parquet_leaves.h"
#include "structtensor/io/column_files/internal/schema_ids.h"
#include "structtensor/io/column_files/shared/fd_output.h"
#include "structtensor/io/column_files/shared/written_columns.h"

namespace structtensor {
namespace {

using column_files_internal::ArrowCodec;
using column_files_internal::CsvRowsOf;
using column_files_internal::CsvSchemaOf;
using column_files_internal::FdOutput;
using column_files_internal::KeptFields;
using column_files_internal::ParquetFile;
using column_files_internal::ParquetLeaf;
using column_files_internal::ParquetLeavesOf;
using column_files_internal::SpecOfKept;
using column_files_internal::WithoutEmptyColumns;
using column_files_internal::WrittenColumns;

// FdOutput with the interface that Arrow C++ wants.
class ArrowOutput : public arrow::io::OutputStream {
 public:
  explicit ArrowOutput(int fd) : output_(fd) { set_mode(arrow::io::FileMode::WRITE); }

  FdOutput& output() { return output_; }

  using arrow::io::OutputStream::Write;
  arrow::Status Write(const void* data, int64_t size_bytes) override {
    return ToArrow(output_.Write(data, static_cast<size_t>(size_bytes)));
  }
  arrow::Status Flush() override { return ToArrow(output_.Flush()); }
  arrow::Status Close() override {
    closed_ = true;
    return Flush();
  }
  bool closed() const override { return closed_; }
  arrow::Result<int64_t> Tell() const override { return output_.position_bytes(); }

 private:
  // Only signals to Arrow that something failed. output_.status() has the error itself.
  static arrow::Status ToArrow(const absl::Status& status) {
    return status.ok() ? arrow::Status::OK() : arrow::Status::IOError(std::string(status.message()));
  }

  FdOutput output_;
  bool closed_ = false;
};

absl::StatusCode CodeOf(const arrow::Status& status) {
  if (status.IsInvalid() || status.IsTypeError()) return absl::StatusCode::kInvalidArgument;
  if (status.IsOutOfMemory()) return absl::StatusCode::kResourceExhausted;
  if (status.IsCapacityError()) return absl::StatusCode::kOutOfRange;
  if (status.IsNotImplemented()) return absl::StatusCode::kUnimplemented;
  return absl::StatusCode::kInternal;
}

absl::Status FromArrow(const arrow::Status& status, std::string_view doing) {
  if (status.ok()) return absl::OkStatus();
  return absl::Status(CodeOf(status), absl::StrCat(ToAbsl(doing), ": ", status.message()));
}

absl::StatusOr<std::shared_ptr<arrow::Schema>> SchemaOf(const StructuredTensorSpec& spec,
                                                        std::span<const ArrowLayout> layouts = {}) {
  ArrowSchema c_schema;
  STRUCTTENSOR_RETURN_IF_ERROR(ExportSchema(spec, &c_schema, layouts));
  auto schema = arrow::ImportSchema(&c_schema);
  STRUCTTENSOR_RETURN_IF_ERROR(FromArrow(schema.status(), "Arrow does not take the schema"));
  return *std::move(schema);
}

// Turns what ParquetFile throws into a status. Call: () -> arrow::Status.
template <typename Call>
arrow::Status WithoutExceptions(Call call) {
  try {
    return call();
  } catch (const std::bad_alloc&) {
    return arrow::Status::OutOfMemory("there is not enough memory");
  } catch (const std::exception& error) {
    return arrow::Status::UnknownError(error.what());
  }
}

// The part of a writer that knows the file format.
class FormatWriter {
 public:
  virtual ~FormatWriter() = default;
  // Whether Write() takes batches without the columns that have no value.
  virtual bool adds_empty_columns() const { return false; }
  virtual arrow::Status Write(const arrow::RecordBatch& batch) = 0;
  // Flush() hands what is in memory to the output, and buffered_bytes() says how much that is. Only Parquet keeps anything.
  virtual arrow::Status Flush() { return arrow::Status::OK(); }
  virtual int64_t buffered_bytes() const { return 0; }
  virtual int64_t retained_bytes() const { return 0; }
  virtual arrow::Status Close() = 0;
};

class IpcWriter : public FormatWriter {
 public:
  explicit IpcWriter(std::shared_ptr<arrow::ipc::RecordBatchWriter> writer) : writer_(std::move(writer)) {}

  arrow::Status Write(const arrow::RecordBatch& batch) override { return writer_->WriteRecordBatch(batch); }
  arrow::Status Close() override { return writer_->Close(); }

 private:
  const std::shared_ptr<arrow::ipc::RecordBatchWriter> writer_;
};

// Gathers small batches in row groups. A row group for each batch would cost readers a seek and a set of pages for a few rows.
class ParquetWriter : public FormatWriter {
 public:
  static arrow::Result<std::unique_ptr<FormatWriter>> Open(std::shared_ptr<arrow::io::OutputStream> output,
                                                           const arrow::Schema& schema,
                                                           std::shared_ptr<arrow::Schema> batch_schema, ArrowCodec codec,
                                                           const ColumnFileOptions& options) {
    ARROW_ASSIGN_OR_RAISE(std::unique_ptr<ParquetFile> file,
                          ParquetFile::Open(std::move(output), schema, codec, options.threads));
    return std::unique_ptr<FormatWriter>(new ParquetWriter(std::move(file), std::move(batch_schema), options));
  }

  bool adds_empty_columns() const override { return true; }
  arrow::Status Write(const arrow::RecordBatch& batch) override {
    for (int64_t begin = 0; begin < batch.num_rows();) {
      if (!begun_ || IsFull()) {
        ARROW_RETURN_NOT_OK(file_->BeginRowGroup());
        begun_ = true;
        group_rows_ = group_bytes_ = 0;
      }
      const int64_t count = std::min(batch.num_rows() - begin, options_.max_row_group_rows - group_rows_);
      ARROW_ASSIGN_OR_RAISE(const std::vector<ParquetLeaf> leaves, ParquetLeavesOf(*batch.Slice(begin, count), *batch_schema_));
      ARROW_RETURN_NOT_OK(file_->Write(leaves, count));
      begin += count;
      group_rows_ += count;
      for (const ParquetLeaf& leaf : leaves) {
        ARROW_ASSIGN_OR_RAISE(const int64_t leaf_bytes, BytesOf(leaf));
        group_bytes_ += leaf_bytes;
      }
    }
    return arrow::Status::OK();
  }

  arrow::Status Flush() override {
    begun_ = false;
    return file_->EndRowGroup();
  }
  int64_t buffered_bytes() const override { return file_->memory_bytes(); }
  int64_t retained_bytes() const override { return file_->metadata_bytes(); }

  arrow::Status Close() override { return file_->Close(); }

 private:
  ParquetWriter(std::unique_ptr<ParquetFile> file, std::shared_ptr<arrow::Schema> batch_schema,
                const ColumnFileOptions& options)
      : file_(std::move(file)), batch_schema_(std::move(batch_schema)), options_(options) {}

  // Returns the bytes that a leaf adds to its row group. A leaf without values counts little, so that types with thousands of
  // rarely set fields get large row groups. It still counts: a page with values also has the levels of batches without any, and
  // readers may allocate memory for absent values.
  static arrow::Result<int64_t> BytesOf(const ParquetLeaf& leaf) {
    constexpr int64_t kBytesOfCall = 16;
    constexpr int64_t kLevelsOfByte = 4;
    if (!leaf.has_values) return kBytesOfCall + leaf.number_of_levels / kLevelsOfByte;
    // An array may be a slice of a larger one, so only the bytes that it refers to are counted.
    return arrow::util::ReferencedBufferSize(*leaf.values);
  }

  // Levels count too: empty lists have levels but no values.
  bool IsFull() const {
    return group_rows_ >= options_.max_row_group_rows || group_bytes_ + file_->level_bytes() >= options_.max_row_group_bytes;
  }

  const std::unique_ptr<ParquetFile> file_;
  const std::shared_ptr<arrow::Schema> batch_schema_;  // with all columns
  const ColumnFileOptions options_;
  bool begun_ = false;  // a row group is open
  int64_t group_rows_ = 0;
  int64_t group_bytes_ = 0;  // of the leaves in the group
};

class CsvWriter : public FormatWriter {
 public:
  static arrow::Result<std::unique_ptr<FormatWriter>> Open(std::shared_ptr<arrow::io::OutputStream> output,
                                                           const arrow::Schema& schema) {
    ARROW_ASSIGN_OR_RAISE(std::shared_ptr<arrow::Schema> columns, CsvSchemaOf(schema));
    ARROW_ASSIGN_OR_RAISE(auto writer, arrow::csv::MakeCSVWriter(std::move(output), columns));
    return std::unique_ptr<FormatWriter>(new CsvWriter(std::move(writer), std::move(columns)));
  }

  arrow::Status Write(const arrow::RecordBatch& batch) override {
    ARROW_ASSIGN_OR_RAISE(const std::shared_ptr<arrow::RecordBatch> rows, CsvRowsOf(batch, columns_));
    return writer_->WriteRecordBatch(*rows);
  }
  arrow::Status Close() override { return writer_->Close(); }

 private:
  CsvWriter(std::shared_ptr<arrow::ipc::RecordBatchWriter> writer, std::shared_ptr<arrow::Schema> columns)
      : writer_(std::move(writer)), columns_(std::move(columns)) {}

  const std::shared_ptr<arrow::ipc::RecordBatchWriter> writer_;
  const std::shared_ptr<arrow::Schema> columns_;
};

class Writer : public ColumnFileWriter {
 public:
  Writer(std::shared_ptr<ArrowOutput> output, std::unique_ptr<FormatWriter> format, WrittenColumns columns,
         std::shared_ptr<arrow::Schema> schema, std::vector<ArrowLayout> layouts)
      : output_(std::move(output)),
        format_(std::move(format)),
        columns_(std::move(columns)),
        schema_(std::move(schema)),
        layouts_(std::move(layouts)) {}
  // What Arrow still writes after this does not reach the file.
  ~Writer() override { output_->output().Abandon(); }

  absl::Status Write(const StructuredTensor& batch) override {
    assert(!closed_);
    STRUCTTENSOR_RETURN_IF_ERROR(output_->output().status());
    const StructuredTensor rows = columns_.Of(batch);
    if (format_->adds_empty_columns()) {
      KeptFields kept;
      const std::optional<StructuredTensor> kept_rows = WithoutEmptyColumns(rows, columns_.spec(), kept);
      // A new schema costs about half as much as a batch with its columns. So it pays if most columns are empty, or if the next
      // batches have the same columns.
      const bool as_before = kept == previous_kept_;
      previous_kept_ = kept;
      const auto number_kept = std::count(kept.begin(), kept.end(), true);
      const bool most_are_empty = 2 * number_kept < std::ssize(kept);
      if (kept_rows.has_value() && (most_are_empty || (as_before && number_kept < std::ssize(kept)))) {
        STRUCTTENSOR_RETURN_IF_ERROR(Fail(Keep(std::move(kept))));
        return Write(*kept_rows, *kept_spec_, kept_schema_);
      }
    }
    return Write(rows, columns_.spec(), schema_);
  }

  absl::Status Flush() override {
    assert(!closed_);
    STRUCTTENSOR_RETURN_IF_ERROR(output_->output().status());
    STRUCTTENSOR_RETURN_IF_ERROR(Do("cannot write the rows", [&] { return format_->Flush(); }));
    return output_->output().Flush();
  }

  int64_t buffered_bytes() const override {
    return format_->buffered_bytes() + output_->output().position_bytes() - output_->output().bytes_written();
  }

  int64_t retained_bytes() const override { return format_->retained_bytes(); }

  absl::Status Close() override {
    assert(!closed_);
    closed_ = true;
    STRUCTTENSOR_RETURN_IF_ERROR(output_->output().status());
    STRUCTTENSOR_RETURN_IF_ERROR(Do("cannot write the end of the file", [&] { return format_->Close(); }));
    return output_->output().Flush();
  }

  int64_t bytes_written() const override { return output_->output().bytes_written(); }

 private:
  // Sets the spec and the schema of the kept columns, which are often those of the previous batch.
  absl::Status Keep(KeptFields kept) {
    if (kept_spec_.has_value() && kept == kept_) return absl::OkStatus();
    kept_ = std::move(kept);
    kept_spec_ = SpecOfKept(columns_.spec(), kept_);
    STRUCTTENSOR_ASSIGN_OR_RETURN(kept_schema_, SchemaOf(*kept_spec_, layouts_));
    return absl::OkStatus();
  }

  absl::Status Write(const StructuredTensor& rows, const StructuredTensorSpec& spec, std::shared_ptr<arrow::Schema> schema) {
    ArrowArray array;
    STRUCTTENSOR_RETURN_IF_ERROR(Fail(ExportBatch(rows, spec, &array, layouts_)));
    auto record_batch = arrow::ImportRecordBatch(&array, std::move(schema));
    STRUCTTENSOR_RETURN_IF_ERROR(Fail(FromArrow(record_batch.status(), "cannot pass the batch to Arrow")));
    return Do("cannot write the batch", [&] { return format_->Write(**record_batch); });
  }

  template <typename Call>
  absl::Status Do(std::string_view doing, Call call) {
    const absl::Status status = FromArrow(WithoutExceptions(call), doing);
    if (!status.ok() && !output_->output().status().ok()) return output_->output().status();
    return Fail(status);
  }

  // Abandons the file after an error: with only a part of a batch, it would look complete.
  absl::Status Fail(absl::Status status) {
    if (!status.ok()) output_->output().Abandon();
    return status;
  }

  const std::shared_ptr<ArrowOutput> output_;
  const std::unique_ptr<FormatWriter> format_;
  const WrittenColumns columns_;
  const std::shared_ptr<arrow::Schema> schema_;  // of batches
  std::vector<ArrowLayout> layouts_;             // of batches; get new names of dictionaries
  KeptFields previous_kept_;                     // of the previous batch
  // What was kept of the last batch whose empty columns were left out, with its spec and schema.
  KeptFields kept_;
  std::optional<StructuredTensorSpec> kept_spec_;
  std::shared_ptr<arrow::Schema> kept_schema_;
  bool closed_ = false;
};

arrow::Compression::type ArrowsCompression(FileFormat format, FileCompression compression) {
  switch (compression) {
    case FileCompression::kDefault:
    case FileCompression::kNone:
      break;
    case FileCompression::kSnappy:
      return arrow::Compression::SNAPPY;
    case FileCompression::kZstd:
      return arrow::Compression::ZSTD;
    case FileCompression::kGzip:
      return arrow::Compression::GZIP;
    case FileCompression::kLz4:
      return format == FileFormat::kParquet ? arrow::Compression::LZ4 : arrow::Compression::LZ4_FRAME;
  }
  return arrow::Compression::UNCOMPRESSED;
}

// Errors: InvalidArgument if the format has no such compression, or that no such level; Unimplemented if this Arrow has no such
// codec.
absl::StatusOr<ArrowCodec> ChooseCodec(FileFormat format, const ColumnFileOptions& options) {
  STRUCTTENSOR_RETURN_IF_ERROR(CheckCompressionValue("compression", options.compression));
  STRUCTTENSOR_RETURN_IF_ERROR(CheckCompression(format, options.compression, options.compression_level));
  const bool is_default = options.compression == FileCompression::kDefault;
  ArrowCodec codec = {ArrowsCompression(format, is_default ? DefaultCompressionOf(format) : options.compression)};
  if (options.compression_level.has_value()) codec.level = *options.compression_level;
  if (arrow::util::Codec::IsAvailable(codec.type)) return codec;
  if (is_default && !options.compression_level.has_value()) {
    return ArrowCodec{format == FileFormat::kParquet ? arrow::Compression::SNAPPY : arrow::Compression::UNCOMPRESSED};
  }
  return absl::UnimplementedError(absl::StrCat("this Arrow C++ was built without ",
                                               arrow::util::Codec::GetCodecAsString(codec.type),
                                               " compression; choose another, or none"));
}

arrow::Result<std::unique_ptr<FormatWriter>> OpenIpc(FileFormat format, const std::shared_ptr<ArrowOutput>& output,
                                                     const std::shared_ptr<arrow::Schema>& schema, ArrowCodec codec,
                                                     int threads) {
  arrow::ipc::IpcWriteOptions options = arrow::ipc::IpcWriteOptions::Defaults();
  options.memory_pool = column_files_internal::ArrowPool();
  options.emit_dictionary_deltas = true;  // for names that a dictionary gets later: a file cannot replace a dictionary
  if (codec.type != arrow::Compression::UNCOMPRESSED) {
    ARROW_ASSIGN_OR_RAISE(options.codec, arrow::util::Codec::Create(codec.type, codec.level));
  }
  options.use_threads = threads > 1;
  auto writer = format == FileFormat::kArrowFile ? arrow::ipc::MakeFileWriter(output, schema, options)
                                                 : arrow::ipc::MakeStreamWriter(output, schema, options);
  ARROW_RETURN_NOT_OK(writer.status());
  return std::make_unique<IpcWriter>(*std::move(writer));
}

arrow::Result<std::unique_ptr<FormatWriter>> OpenFormat(FileFormat format, const std::shared_ptr<ArrowOutput>& output,
                                                        const std::shared_ptr<arrow::Schema>& schema,
                                                        const std::shared_ptr<arrow::Schema>& batch_schema, ArrowCodec codec,
                                                        const ColumnFileOptions& options) {
  switch (format) {
    case FileFormat::kParquet:
      return ParquetWriter::Open(output, *schema, batch_schema, codec, options);
    case FileFormat::kCsv:
      return CsvWriter::Open(output, *schema);
    case FileFormat::kArrowFile:
    case FileFormat::kArrowStream:
      break;
  }
  return OpenIpc(format, output, schema, codec, options.threads);
}

std::vector<ArrowLayout> WithoutDictionaries(std::vector<ArrowLayout> layouts) {
  for (ArrowLayout& layout : layouts) {
    layout.dictionary_names.clear();
    layout.fields = WithoutDictionaries(std::move(layout.fields));
  }
  return layouts;
}

arrow::Result<std::shared_ptr<arrow::Schema>> WithMetadata(const arrow::Schema& columns, const ColumnFileOptions& options) {
  ARROW_ASSIGN_OR_RAISE(const std::shared_ptr<arrow::Schema> schema, column_files_internal::WithIds(columns, options.ids));
  const auto metadata = std::make_shared<arrow::KeyValueMetadata>();
  for (const auto& [key, value] : options.metadata) metadata->Append(key, value);
  return schema->WithMetadata(options.metadata.empty() ? nullptr : metadata);
}

}  // namespace

absl::StatusOr<std::unique_ptr<ColumnFileWriter>> OpenColumnFile(FileFormat format, int fd, const StructuredTensorSpec& spec,
                                                                 const ColumnFileOptions& options) {
  STRUCTTENSOR_RETURN_IF_ERROR(base_internal::CheckEnum("FileFormat", format, FileFormat::kCsv,
                                                        "kParquet (0), kArrowFile (1), kArrowStream (2) or kCsv (3)"));
  assert(options.max_row_group_rows > 0 && options.max_row_group_bytes > 0 && options.threads > 0);
  STRUCTTENSOR_ASSIGN_OR_RETURN(WrittenColumns columns, WrittenColumns::Of(format, spec));
  // The layouts that readers get, and those in which batches are passed on. Only Arrow's own formats have dictionaries in their
  // data.
  const bool ipc = format == FileFormat::kArrowFile || format == FileFormat::kArrowStream;
  const std::vector<ArrowLayout> of_file = format == FileFormat::kCsv ? std::vector<ArrowLayout>() : options.layouts;
  const std::vector<ArrowLayout> of_batches = ipc ? of_file : WithoutDictionaries(of_file);
  STRUCTTENSOR_ASSIGN_OR_RETURN(std::shared_ptr<arrow::Schema> batch_schema, SchemaOf(columns.spec(), of_batches));
  STRUCTTENSOR_ASSIGN_OR_RETURN(const std::shared_ptr<arrow::Schema> plain_schema, SchemaOf(columns.spec(), of_file));
  STRUCTTENSOR_ASSIGN_OR_RETURN(const ArrowCodec codec, ChooseCodec(format, options));

  auto output = std::make_shared<ArrowOutput>(fd);
  std::unique_ptr<FormatWriter> writer;
  const arrow::Status opened = WithoutExceptions([&]() -> arrow::Status {
    ARROW_ASSIGN_OR_RAISE(const std::shared_ptr<arrow::Schema> schema, WithMetadata(*plain_schema, options));
    ARROW_ASSIGN_OR_RAISE(writer, OpenFormat(format, output, schema, batch_schema, codec, options));
    return arrow::Status::OK();
  });
  if (!opened.ok()) {
    const absl::Status failed_write = output->output().status();
    output->output().Abandon();
    return failed_write.ok() ? FromArrow(opened, "cannot begin the file") : failed_write;
  }
  return std::make_unique<Writer>(std::move(output), std::move(writer), std::move(columns), std::move(batch_schema),
                                  of_batches);
}

absl::StatusOr<std::string> ParquetSchemaText(const StructuredTensorSpec& spec, const std::vector<ColumnId>& ids,
                                              const std::vector<ArrowLayout>& layouts) {
  STRUCTTENSOR_ASSIGN_OR_RETURN(const WrittenColumns written, WrittenColumns::Of(FileFormat::kParquet, spec));
  STRUCTTENSOR_ASSIGN_OR_RETURN(const std::shared_ptr<arrow::Schema> plain_schema, SchemaOf(written.spec(), layouts));
  std::ostringstream text;
  const arrow::Status printed = WithoutExceptions([&]() -> arrow::Status {
    ARROW_ASSIGN_OR_RAISE(const std::shared_ptr<arrow::Schema> columns, column_files_internal::WithIds(*plain_schema, ids));
    std::shared_ptr<parquet::SchemaDescriptor> schema;
    ARROW_RETURN_NOT_OK(parquet::arrow::ToParquetSchema(columns.get(), *parquet::default_writer_properties(),
                                                        *parquet::default_arrow_writer_properties(), &schema));
    parquet::schema::PrintSchema(schema->schema_root().get(), text);
    return arrow::Status::OK();
  });
  STRUCTTENSOR_RETURN_IF_ERROR(FromArrow(printed, "Parquet does not take the schema"));
  return text.str();
}

}  // namespace structtensor
