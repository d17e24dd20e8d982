#include <arrow/c/bridge.h>
#include <arrow/io/memory.h>
#include <arrow/ipc/options.h>
#include <arrow/ipc/writer.h>
#include <arrow/record_batch.h>
#include <arrow/table.h>
#include <arrow/util/compression.h>
#include <parquet/arrow/writer.h>
#include <parquet/properties.h>

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "memory_file.h"
#include "seeds.h"
#include "structtensor/core/base/shared/status.h"
#include "structtensor/io/arrow/export.h"
#include "structtensor/io/column_files/column_file.h"
#include "structtensor/io/json/read_json.h"

namespace structtensor::testing {
namespace {

constexpr char kOptions = 0;  // the reader's first ones

// Rows with every kind of level: lists in lists, structs that are absent, and columns without values.
absl::StatusOr<StructuredTensor> Rows() {
  std::string text;
  for (int i = 0; i < 10; ++i) {
    absl::StrAppend(&text, R"({"n": )", 1000 + i * 3, R"(, "s": "r)", i % 5, R"(", "x": )", i, ".5");
    if (i % 3 == 0)
      absl::StrAppend(&text, R"(, "o": {"a": [)", i, ", null, ", i / 2, R"(], "b": )", i % 2 == 0 ? "true" : "null", "}");
    if (i % 4 != 1) absl::StrAppend(&text, R"(, "l": [[], [")", i, R"(", "y"], [null]])");
    text += "}\n";
  }
  STRUCTTENSOR_ASSIGN_OR_RETURN(JsonRows read, ReadJson(text));
  return std::move(read.rows);
}

absl::StatusOr<std::string> Written(const StructuredTensor& rows, FileFormat format, const ColumnFileOptions& options) {
  const MemoryFile file;
  STRUCTTENSOR_ASSIGN_OR_RETURN(const std::unique_ptr<ColumnFileWriter> writer,
                                OpenColumnFile(format, file.fd(), rows.spec(), options));
  STRUCTTENSOR_RETURN_IF_ERROR(writer->Write(rows));
  STRUCTTENSOR_RETURN_IF_ERROR(writer->Write(rows.SliceRows(0, 5)));
  STRUCTTENSOR_RETURN_IF_ERROR(writer->Close());
  return file.Contents();
}

absl::StatusOr<std::shared_ptr<arrow::RecordBatch>> RecordBatchOf(const StructuredTensor& rows) {
  ArrowSchema schema = {};
  STRUCTTENSOR_RETURN_IF_ERROR(ExportSchema(rows.spec(), &schema));
  ArrowArray array = {};
  const absl::Status exported = ExportBatch(rows, &array);
  if (!exported.ok()) {
    schema.release(&schema);
    return exported;
  }
  auto batch = arrow::ImportRecordBatch(&array, &schema);
  if (!batch.ok()) return absl::InternalError(batch.status().ToString());
  return *batch;
}

// A file by Arrow's own Parquet writer, whose encodings differ from ours.
arrow::Result<std::string> WrittenByArrow(const std::shared_ptr<arrow::RecordBatch>& batch,
                                          const std::shared_ptr<parquet::WriterProperties>& properties) {
  ARROW_ASSIGN_OR_RAISE(const std::shared_ptr<arrow::Table> table, arrow::Table::FromRecordBatches({batch}));
  ARROW_ASSIGN_OR_RAISE(const std::shared_ptr<arrow::io::BufferOutputStream> output, arrow::io::BufferOutputStream::Create());
  constexpr int64_t kRowsOfGroup = 6;
  ARROW_RETURN_NOT_OK(parquet::arrow::WriteTable(*table, arrow::default_memory_pool(), output, kRowsOfGroup, properties));
  ARROW_ASSIGN_OR_RAISE(const std::shared_ptr<arrow::Buffer> file, output->Finish());
  return file->ToString();
}

}  // namespace

absl::StatusOr<std::vector<Seed>> ColumnFilesSeeds() {
  STRUCTTENSOR_ASSIGN_OR_RETURN(const StructuredTensor rows, Rows());
  std::vector<Seed> seeds;
  const auto add = [&seeds](std::string name, std::string file) {
    seeds.push_back({std::move(name), kOptions + std::move(file)});
  };

  const struct {
    const char* name;
    FileFormat format;
  } formats[] = {{"parquet", FileFormat::kParquet}, {"arrow", FileFormat::kArrowFile}, {"stream", FileFormat::kArrowStream}};
  for (const auto& [name, format] : formats) {
    for (const FileCompression compression : {FileCompression::kNone, FileCompression::kZstd, FileCompression::kLz4}) {
      STRUCTTENSOR_ASSIGN_OR_RETURN(std::string file,
                                    Written(rows, format, {.compression = compression, .max_row_group_rows = 10}));
      add(absl::StrCat(name, "_", static_cast<int>(compression)), std::move(file));
    }
  }

  STRUCTTENSOR_ASSIGN_OR_RETURN(const std::shared_ptr<arrow::RecordBatch> batch, RecordBatchOf(rows));
  using Properties = parquet::WriterProperties::Builder;
  const auto plain = [](Properties* properties) { properties->disable_dictionary(); };
  const auto encoded = [](parquet::Encoding::type encoding, const char* column) {
    return [encoding, column](Properties* properties) { properties->disable_dictionary(column)->encoding(column, encoding); };
  };
  const std::pair<const char*, std::function<void(Properties*)>> variants[] = {
      {"plain", plain},
      {"dictionaries", [](Properties*) {}},
      {"second_version", [](Properties* properties) { properties->data_page_version(parquet::ParquetDataPageVersion::V2); }},
      {"checksums", [](Properties* properties) { properties->enable_page_checksum(); }},
      {"snappy", [](Properties* properties) { properties->compression(arrow::Compression::SNAPPY); }},
      {"byte_stream_split", encoded(parquet::Encoding::BYTE_STREAM_SPLIT, "x")},
      {"differences", encoded(parquet::Encoding::DELTA_BINARY_PACKED, "n")},
      {"differences_of_lengths", encoded(parquet::Encoding::DELTA_LENGTH_BYTE_ARRAY, "s")},
      {"common_prefixes", encoded(parquet::Encoding::DELTA_BYTE_ARRAY, "s")},
  };
  for (const auto& [name, set] : variants) {
    Properties properties;
    set(&properties);
    arrow::Result<std::string> file = WrittenByArrow(batch, properties.build());
    if (!file.ok()) return absl::InternalError(file.status().ToString());
    add(name, *std::move(file));
  }
  return seeds;
}

}  // namespace structtensor::testing
