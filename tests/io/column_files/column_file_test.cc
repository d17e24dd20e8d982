#include "structtensor/io/column_files/column_file.h"

#include <arrow/array.h>
#include <arrow/c/bridge.h>
#include <arrow/io/memory.h>
#include <arrow/ipc/reader.h>
#include <arrow/table.h>
#include <arrow/type.h>
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <parquet/arrow/reader.h>
#include <parquet/metadata.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "recipes_testutil.h"
#include "structtensor/io/arrow/export.h"

namespace structtensor {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr FileFormat kFormats[] = {FileFormat::kParquet, FileFormat::kArrowFile, FileFormat::kArrowStream};

StructuredTensorSpec SchemaOf(const StructuredTensor& batch) { return *TypeSpec(batch.spec()).WithUnknownSizes().structured(); }

// A file without a name that lives as long as this.
class MemoryFile {
 public:
  MemoryFile() : fd_(memfd_create("column_file_test", 0)) {}
  ~MemoryFile() { close(fd_); }
  int fd() const { return fd_; }
  std::string Content() const {
    std::string content(static_cast<size_t>(lseek(fd_, 0, SEEK_END)), '\0');
    EXPECT_EQ(pread(fd_, content.data(), content.size(), 0), static_cast<ssize_t>(content.size()));
    return content;
  }

 private:
  const int fd_;
};

absl::Status WriteAll(FileFormat format, int fd, const std::vector<StructuredTensor>& batches, ColumnFileOptions options = {}) {
  auto writer = OpenColumnFile(format, fd, SchemaOf(batches.front()), options);
  if (!writer.ok()) return writer.status();
  for (const StructuredTensor& batch : batches) {
    if (absl::Status status = (*writer)->Write(batch); !status.ok()) return status;
  }
  absl::Status status = (*writer)->Close();
  EXPECT_EQ(status.ok(), (*writer)->bytes_written() > 0);
  return status;
}

std::string FileOf(FileFormat format, const std::vector<StructuredTensor>& batches, ColumnFileOptions options = {}) {
  MemoryFile file;
  const absl::Status status = WriteAll(format, file.fd(), batches, options);
  EXPECT_TRUE(status.ok()) << status;
  return file.Content();
}

std::unique_ptr<parquet::arrow::FileReader> OpenParquet(const std::string& content) {
  auto input = std::make_shared<arrow::io::BufferReader>(arrow::Buffer::FromString(content));
  return parquet::arrow::OpenFile(input, arrow::default_memory_pool()).ValueOrDie();
}

arrow::Result<std::shared_ptr<arrow::Table>> TryRead(FileFormat format, const std::string& content) {
  auto input = std::make_shared<arrow::io::BufferReader>(arrow::Buffer::FromString(content));
  if (format == FileFormat::kParquet) {
    ARROW_ASSIGN_OR_RAISE(auto reader, parquet::arrow::OpenFile(input, arrow::default_memory_pool()));
    return reader->ReadTable();
  }
  if (format == FileFormat::kArrowFile) {
    ARROW_ASSIGN_OR_RAISE(auto reader, arrow::ipc::RecordBatchFileReader::Open(input));
    return reader->ToTable();
  }
  ARROW_ASSIGN_OR_RAISE(auto reader, arrow::ipc::RecordBatchStreamReader::Open(input));
  return reader->ToTable();
}

std::shared_ptr<arrow::Table> Read(FileFormat format, const std::string& content) {
  auto table = TryRead(format, content).ValueOrDie();
  EXPECT_TRUE(table->ValidateFull().ok()) << table->ValidateFull().ToString();
  return table;
}

// The batches as Arrow sees them through the C data interface.
std::shared_ptr<arrow::Table> Expected(const std::vector<StructuredTensor>& batches) {
  std::vector<std::shared_ptr<arrow::RecordBatch>> record_batches;
  ArrowSchema c_schema;
  EXPECT_TRUE(ExportSchema(SchemaOf(batches.front()), &c_schema).ok());
  const auto schema = arrow::ImportSchema(&c_schema).ValueOrDie();
  for (const StructuredTensor& batch : batches) {
    ArrowArray array;
    EXPECT_TRUE(ExportBatch(batch, &array).ok());
    record_batches.push_back(arrow::ImportRecordBatch(&array, schema).ValueOrDie());
    EXPECT_TRUE(record_batches.back()->ValidateFull().ok()) << record_batches.back()->ValidateFull().ToString();
  }
  return arrow::Table::FromRecordBatches(schema, record_batches).ValueOrDie();
}

void ExpectSameTable(const arrow::Table& actual, const arrow::Table& expected) {
  // Parquet calls the items of lists something else; the types are equal for all that.
  EXPECT_TRUE(actual.schema()->Equals(*expected.schema())) << actual.schema()->ToString();
  EXPECT_TRUE(actual.Equals(expected)) << actual.ToString() << "\nexpected\n" << expected.ToString();
}

TEST(ColumnFileTest, EveryFormatReadsBackEqual) {
  const std::vector<StructuredTensor> batches = {Recipes(), Recipes().SliceRows(1, 3), Recipes().SliceRows(2, 2),
                                                 Recipes().SliceRows(0, 1)};
  for (FileFormat format : kFormats) {
    ExpectSameTable(*Read(format, FileOf(format, batches)), *Expected(batches));
  }
}

TEST(ColumnFileTest, DeepNestingReadsBackEqual) {
  // Maps of absent and present structs of lists, below lists, below absent structs.
  const StructuredTensor values =
      Structs({}, 3, {{"n", Ragged({Splits({0, 2, 2, 3})}, Strings({"a", "b", "c"}))}}, Bits({0b101}));
  const StructuredTensor map = Map({Splits({0, 2, 3}), Splits({0, 1, 1, 3})}, Tensor::FromVector<int64_t>({1, 2, 3}), values);
  const StructuredTensor batch =
      StructuredTensor::FromFields(2, {{"s", Structs({}, 2, {{"maps", map}}, Bits({0b01}))}}).value();
  for (FileFormat format : kFormats) {
    if (format == FileFormat::kParquet) {
      // An absent struct loses what was below it.
      const auto table = Read(format, FileOf(format, {batch}));
      EXPECT_TRUE(table->Slice(0, 1)->Equals(*Expected({batch})->Slice(0, 1))) << table->ToString();
      EXPECT_EQ(table->column(0)->null_count(), 1);
    } else {
      ExpectSameTable(*Read(format, FileOf(format, {batch})), *Expected({batch}));
    }
  }
}

TEST(ColumnFileTest, UniformAxesReadBackEqual) {
  const Tensor dense = Tensor::FromVector<float>({1, 2, 3, 4, 5, 6}).Reshape(Shape({3, 2}));
  const StructuredTensor batch = StructuredTensor::FromFields(3, {{"position", dense}}).value();
  for (FileFormat format : kFormats) ExpectSameTable(*Read(format, FileOf(format, {batch})), *Expected({batch}));
}

TEST(ColumnFileTest, FileWithoutBatchesHasTheSchema) {
  for (FileFormat format : kFormats) {
    MemoryFile file;
    auto writer = OpenColumnFile(format, file.fd(), SchemaOf(Recipes()));
    ASSERT_TRUE(writer.ok()) << writer.status();
    ASSERT_TRUE((*writer)->Close().ok());
    const auto table = Read(format, file.Content());
    EXPECT_EQ(table->num_rows(), 0);
    EXPECT_TRUE(table->schema()->Equals(*Expected({Recipes()})->schema())) << table->schema()->ToString();
  }
}

TEST(ColumnFileTest, PipeTakesEveryFormat) {
  for (FileFormat format : kFormats) {
    int ends[2];
    ASSERT_EQ(pipe(ends), 0);
    ASSERT_EQ(fcntl(ends[1], F_SETPIPE_SZ, 1 << 20) > 0, true);  // the whole file fits, so that one thread is enough
    ASSERT_TRUE(WriteAll(format, ends[1], {Recipes()}).ok());
    close(ends[1]);
    std::string content(1 << 20, '\0');
    const ssize_t size = read(ends[0], content.data(), content.size());
    close(ends[0]);
    ASSERT_GT(size, 0);
    ExpectSameTable(*Read(format, content.substr(0, static_cast<size_t>(size))), *Expected({Recipes()}));
  }
}

StructuredTensor Numbers(int64_t nrows) {
  std::vector<int64_t> numbers(static_cast<size_t>(nrows));
  for (size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<int64_t>(i * 7919 % 1000);
  return StructuredTensor::FromFields(nrows, {{"number", Tensor::FromVector(std::move(numbers))}}).value();
}

std::vector<int64_t> RowGroupRows(const std::string& content) {
  const auto metadata = OpenParquet(content)->parquet_reader()->metadata();
  std::vector<int64_t> rows;
  for (int i = 0; i < metadata->num_row_groups(); ++i) rows.push_back(metadata->RowGroup(i)->num_rows());
  return rows;
}

TEST(ParquetTest, SmallBatchesShareARowGroup) {
  const std::vector<StructuredTensor> batches(50, Numbers(10));
  EXPECT_THAT(RowGroupRows(FileOf(FileFormat::kParquet, batches)), ElementsAre(500));
}

TEST(ParquetTest, RowGroupEndsAtItsNumberOfRows) {
  const std::vector<StructuredTensor> batches = {Numbers(30), Numbers(50), Numbers(250)};
  const std::string content = FileOf(FileFormat::kParquet, batches, {.max_row_group_rows = 100});
  EXPECT_THAT(RowGroupRows(content), ElementsAre(100, 100, 100, 30));
  EXPECT_TRUE(Read(FileFormat::kParquet, content)->Equals(*Expected(batches)));
}

TEST(ParquetTest, RowGroupEndsAtItsNumberOfBytes) {
  const std::vector<StructuredTensor> batches(5, Numbers(1000));
  EXPECT_THAT(RowGroupRows(FileOf(FileFormat::kParquet, batches, {.max_row_group_bytes = 12'000})),
              ElementsAre(2000, 2000, 1000));
}

// `absent` columns without values, and one with.
StructuredTensor Sparse(int64_t nrows, int absent) {
  const std::vector<int64_t> numbers(static_cast<size_t>(nrows), 1);
  const size_t bitmap_bytes = static_cast<size_t>(nrows + 63) / 64 * 8;
  std::vector<Field> fields;
  for (int i = 0; i < absent; ++i) {
    fields.push_back({"absent" + std::to_string(i), Nullable<int64_t>(numbers, std::vector<uint8_t>(bitmap_bytes, 0))});
  }
  fields.push_back({"number", Nullable<int64_t>(numbers, std::vector<uint8_t>(bitmap_bytes, 0xff))});
  return *StructuredTensor::FromFields(nrows, fields);
}

TEST(ParquetTest, ColumnsWithoutValuesCountLittle) {
  const int64_t rows = 6400;
  const std::vector<StructuredTensor> batches(3, Sparse(rows, 100));
  // Each of the 100 columns counts 16 bytes and a quarter of a byte for each row. The other one has eight bytes for each row.
  const int64_t batch_bytes = 100 * (16 + rows / 4) + 8 * rows;
  EXPECT_THAT(RowGroupRows(FileOf(FileFormat::kParquet, batches, {.max_row_group_bytes = 4 * batch_bytes})),
              ElementsAre(3 * rows));
  EXPECT_THAT(RowGroupRows(FileOf(FileFormat::kParquet, batches, {.max_row_group_bytes = batch_bytes * 3 / 2})),
              ElementsAre(2 * rows, rows));
}

TEST(ParquetTest, ColumnsWithoutValuesTakeBoundedMemoryInManySmallBatches) {
  constexpr int64_t kMaxBytes = 100'000;
  const StructuredTensor row = Sparse(1, 100);
  MemoryFile file;
  auto writer = OpenColumnFile(FileFormat::kParquet, file.fd(), SchemaOf(row), {.max_row_group_bytes = kMaxBytes}).value();
  int64_t most_bytes = 0;
  for (int i = 0; i < 2000; ++i) {
    ASSERT_TRUE(writer->Write(row).ok());
    most_bytes = std::max(most_bytes, writer->buffered_bytes());
  }
  ASSERT_TRUE(writer->Close().ok());
  EXPECT_LE(most_bytes, 5 * kMaxBytes);  // the columns themselves take a part of it
  EXPECT_GE(RowGroupRows(file.Content()).size(), 2000 * 100 * 16 / kMaxBytes);
}

// Empty lists have levels, and no values.
TEST(ParquetTest, RowGroupEndsAtItsBytesOfLevels) {
  std::mt19937 random(1);
  std::vector<int64_t> splits = {0};
  for (int i = 0; i < 64'000; ++i) splits.push_back(splits.back() + (random() % 2));
  const auto count = static_cast<size_t>(splits.back());
  const Tensor absent = Nullable<int64_t>(std::vector<int64_t>(count, 1), std::vector<uint8_t>((count + 63) / 64 * 8, 0));
  const std::vector<StructuredTensor> batches(4, OneField(Ragged({Splits(splits)}, absent)));
  // A bit and two bits for each list, and a column without values.
  const int64_t batch_bytes = 64'000 * 3 / 8 + 64'000 / 4;
  EXPECT_THAT(RowGroupRows(FileOf(FileFormat::kParquet, batches, {.max_row_group_bytes = batch_bytes * 3 / 2})),
              ElementsAre(128'000, 128'000));
}

TEST(ParquetTest, SlicesCountWithTheirOwnBytes) {
  const StructuredTensor all = OneField(Strings(std::vector<std::string>(1000, std::string(1000, 'x'))));
  std::vector<StructuredTensor> slices;
  for (int64_t begin = 0; begin < 1000; begin += 10) slices.push_back(all.SliceRows(begin, begin + 10));
  EXPECT_THAT(RowGroupRows(FileOf(FileFormat::kParquet, slices, {.max_row_group_bytes = 1'100'000})), ElementsAre(1000));
}

TEST(ParquetTest, FlushEndsTheRowGroup) {
  MemoryFile file;
  auto writer = OpenColumnFile(FileFormat::kParquet, file.fd(), SchemaOf(Numbers(1))).value();
  ASSERT_TRUE(writer->Flush().ok());
  ASSERT_TRUE(writer->Write(Numbers(10)).ok());
  ASSERT_TRUE(writer->Write(Numbers(20)).ok());
  const int64_t before = writer->bytes_written();
  EXPECT_GT(writer->buffered_bytes(), 0);
  ASSERT_TRUE(writer->Flush().ok());
  EXPECT_EQ(writer->buffered_bytes(), 0);
  EXPECT_GT(writer->bytes_written(), before);
  ASSERT_TRUE(writer->Flush().ok());
  ASSERT_TRUE(writer->Write(Numbers(5)).ok());
  ASSERT_TRUE(writer->Close().ok());
  EXPECT_THAT(RowGroupRows(file.Content()), ElementsAre(30, 5));
  EXPECT_TRUE(Read(FileFormat::kParquet, file.Content())->Equals(*Expected({Numbers(10), Numbers(20), Numbers(5)})));
}

// The metadata of row groups wait for the end of the file, in little memory.
TEST(ParquetTest, ManySmallRowGroups) {
  constexpr int64_t kGroups = 500;
  constexpr size_t kColumns = 50;
  std::vector<Field> fields;
  for (size_t i = 0; i < kColumns; ++i) fields.push_back({"f" + std::to_string(i), Tensor::FromVector<int64_t>({1, 2, 3})});
  const StructuredTensor rows = StructuredTensor::FromFields(3, std::move(fields)).value();
  MemoryFile file;
  auto writer = OpenColumnFile(FileFormat::kParquet, file.fd(), SchemaOf(rows)).value();
  EXPECT_EQ(writer->retained_bytes(), 0);
  for (int64_t i = 0; i < kGroups; ++i) {
    ASSERT_TRUE(writer->Write(rows).ok());
    ASSERT_TRUE(writer->Flush().ok());
  }
  EXPECT_GT(writer->retained_bytes(), kGroups * static_cast<int64_t>(kColumns) * 20);
  EXPECT_LT(writer->retained_bytes(), kGroups * static_cast<int64_t>(kColumns) * 500);
  ASSERT_TRUE(writer->Close().ok());
  EXPECT_THAT(RowGroupRows(file.Content()), std::vector<int64_t>(kGroups, 3));
  EXPECT_TRUE(Read(FileFormat::kParquet, file.Content())->Equals(*Expected(std::vector(kGroups, rows))));
}

// Values that are encoded with a dictionary, and plain ones.
TEST(ParquetTest, BufferedBytesFollowTheRows) {
  std::vector<std::string> different;
  for (int i = 0; i < 50'000; ++i) different.push_back(std::string(20, 'x') + std::to_string(i));
  for (const auto& [rows, least] : std::vector<std::pair<StructuredTensor, int64_t>>{
           {Numbers(100'000), 100'000}, {OneField(Strings(different)), 1'000'000}}) {
    MemoryFile file;
    auto writer =
        OpenColumnFile(FileFormat::kParquet, file.fd(), SchemaOf(rows), {.compression = FileCompression::kNone}).value();
    ASSERT_TRUE(writer->Write(rows).ok());
    EXPECT_GT(writer->buffered_bytes(), least);
    EXPECT_LT(writer->buffered_bytes(), 10 * least);
    ASSERT_TRUE(writer->Close().ok());
  }
}

TEST(ParquetTest, EmptyMessagesBecomeBooleans) {
  const StructuredTensor batch = StructuredTensor::FromFields(3, {{"ping", Structs({}, 3, {}, Bits({0b101}))},
                                                                  {"pings", Structs({Splits({0, 0, 2, 2})}, 2, {})}})
                                     .value();
  const StructuredTensor expected =
      StructuredTensor::FromFields(3, {{"ping", Nullable<uint8_t>({1, 1, 1}, {0b101})},
                                       {"pings", Ragged({Splits({0, 0, 2, 2})}, Tensor::FromVector<uint8_t>({1, 1}))}})
          .value();
  ExpectSameTable(*Read(FileFormat::kParquet, FileOf(FileFormat::kParquet, {batch})), *Expected({expected}));
  ExpectSameTable(*Read(FileFormat::kArrowFile, FileOf(FileFormat::kArrowFile, {batch})), *Expected({batch}));
}

TEST(ParquetTest, MessageWithoutFieldsIsRefused) {
  MemoryFile file;
  const absl::Status status = WriteAll(FileFormat::kParquet, file.fd(), {Structs({}, 3, {})});
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(status.message()), HasSubstr("Arrow file instead"));
}

TEST(ArrowFileTest, MessageWithoutFieldsKeepsItsRows) {
  MemoryFile file;
  ASSERT_TRUE(WriteAll(FileFormat::kArrowFile, file.fd(), {Structs({}, 3, {})}).ok());
  auto input = std::make_shared<arrow::io::BufferReader>(arrow::Buffer::FromString(file.Content()));
  EXPECT_EQ(arrow::ipc::RecordBatchFileReader::Open(input).ValueOrDie()->CountRows().ValueOrDie(), 3);
}

TEST(CompressionTest, EveryChoiceReadsBackEqual) {
  for (FileFormat format : kFormats) {
    ExpectSameTable(*Read(format, FileOf(format, {Numbers(5000)})), *Expected({Numbers(5000)}));
    for (const CompressionCodec& codec : CompressionCodecs()) {
      if (!(format == FileFormat::kParquet ? codec.in_parquet : codec.in_arrow)) continue;
      ColumnFileOptions options = {.compression = codec.compression};
      ExpectSameTable(*Read(format, FileOf(format, {Numbers(5000)}, options)), *Expected({Numbers(5000)}));
      if (codec.greatest_level == 0) continue;
      for (const int level : {codec.least_level, codec.greatest_level}) {
        options.compression_level = level;
        ExpectSameTable(*Read(format, FileOf(format, {Numbers(5000)}, options)), *Expected({Numbers(5000)}));
      }
    }
  }
}

// Values with patterns that a high level finds and a low level does not.
StructuredTensor ManyStrings(int64_t count) {
  std::vector<std::string> strings;
  uint32_t state = 1;
  for (int64_t i = 0; i < count; ++i) {
    state = state * 1664525 + 1013904223;
    strings.push_back("span " + std::to_string(state % 5000) + " of service " + std::to_string(state / 65536 % 100) + " at " +
                      std::to_string(i * 1000));
  }
  return StructuredTensor::FromFields(count, {{"text", Tensor::FromVector(std::move(strings))}}).value();
}

TEST(CompressionTest, LevelsReachTheCodec) {
  const StructuredTensor rows = ManyStrings(2000);
  for (FileFormat format : kFormats) {
    const auto size_of = [&](FileCompression compression, int level) {
      return FileOf(format, {rows}, {.compression = compression, .compression_level = level}).size();
    };
    EXPECT_LT(size_of(FileCompression::kZstd, 19), size_of(FileCompression::kZstd, 1)) << static_cast<int>(format);
    if (format == FileFormat::kParquet) {
      EXPECT_LT(size_of(FileCompression::kGzip, 9), size_of(FileCompression::kGzip, 1));
    }
  }
}

TEST(CompressionTest, ThreadsDoNotChangeTheFile) {
  for (FileFormat format : kFormats) {
    const auto content = [&](int threads) {
      return FileOf(format, {ManyStrings(5000)},
                    {.compression = FileCompression::kZstd, .compression_level = 5, .threads = threads});
    };
    EXPECT_EQ(content(1), content(3));
  }
}

TEST(CompressionTest, ArrowFilesAreSmallByDefault) {
  for (FileFormat format : {FileFormat::kArrowFile, FileFormat::kArrowStream}) {
    const std::string content = FileOf(format, {ManyStrings(5000)});
    EXPECT_EQ(content, FileOf(format, {ManyStrings(5000)}, {.compression = FileCompression::kZstd}));
    EXPECT_LT(2 * content.size(), FileOf(format, {ManyStrings(5000)}, {.compression = FileCompression::kNone}).size());
  }
}

std::string ErrorOf(FileFormat format, const ColumnFileOptions& options) {
  const absl::Status status = OpenColumnFile(format, 1, SchemaOf(Numbers(1)), options).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << status;
  return std::string(status.message());
}

TEST(CompressionTest, ArrowFilesHaveNoSnappyAndNoGzip) {
  EXPECT_EQ(ErrorOf(FileFormat::kArrowStream, {.compression = FileCompression::kSnappy}),
            "`compression=snappy`: Arrow files take none, lz4 or zstd");
  EXPECT_EQ(ErrorOf(FileFormat::kArrowFile, {.compression = FileCompression::kGzip}),
            "`compression=gzip`: Arrow files take none, lz4 or zstd");
  EXPECT_EQ(ErrorOf(FileFormat::kParquet, {.compression = static_cast<FileCompression>(6)}),
            "`compression=6`: expected kDefault (0), kNone (1), kSnappy (2), kZstd (3), kGzip (4) or kLz4 (5)");
}

TEST(CompressionTest, LevelsThatTheCodecDoesNotHaveAreErrors) {
  for (const int level : {-1, 0, 23, INT32_MIN, INT32_MAX}) {
    const std::string expected = "`compression_level=" + std::to_string(level) + "`: zstd has levels from 1 to 22";
    for (FileFormat format : kFormats) {
      EXPECT_EQ(ErrorOf(format, {.compression_level = level}), expected);
      EXPECT_EQ(ErrorOf(format, {.compression = FileCompression::kZstd, .compression_level = level}), expected);
    }
  }
  EXPECT_EQ(ErrorOf(FileFormat::kParquet, {.compression = FileCompression::kGzip, .compression_level = 10}),
            "`compression_level=10`: gzip has levels from 1 to 9");
  for (const FileCompression compression : {FileCompression::kSnappy, FileCompression::kLz4}) {
    EXPECT_THAT(ErrorOf(FileFormat::kParquet, {.compression = compression, .compression_level = 1}),
                HasSubstr(" has no levels; gzip (1 to 9) and zstd (1 to 22) have"));
  }
  EXPECT_THAT(ErrorOf(FileFormat::kArrowFile, {.compression = FileCompression::kNone, .compression_level = 1}),
              HasSubstr("a file without compression has no levels"));
  EXPECT_THAT(ErrorOf(FileFormat::kCsv, {.compression_level = 1}), HasSubstr("a file without compression has no levels"));
}

TEST(CsvTest, HasAColumnForEachFieldThatIsNotRepeated) {
  const StructuredTensor inner =
      Structs({}, 3, {{"year", Tensor::FromVector<int32_t>({1900, 0, 2000})}, {"note", Strings({"a,b", "c", "\"d\"\n"})}},
              Bits({0b101}));
  const StructuredTensor rows =
      StructuredTensor::FromFields(
          3, {{"title", Strings({"Bread", "", "Größe"})},
              {"rating", Nullable<double>({4.5, 0, 3}, {0b101})},
              {"origin", inner},
              {"raw", Tensor::FromVector(std::vector<std::string>{"", std::string("\0\xff", 2), "abc"}, DType::kBytes)},
              {"cooked", Nullable<int64_t>({1'000'000'001, 0, -1}, {0b101}, DType::kTimestampNs)},
              {"time", Tensor::FromVector<int64_t>({60, 0, 30}, DType::kDurationNs)},
              {"empty", Structs({}, 3, {}, Bits({0b001}))}})
          .value();
  EXPECT_EQ(FileOf(FileFormat::kCsv, {rows, rows.SliceRows(1, 2)}),
            "\"title\",\"rating\",\"origin.year\",\"origin.note\",\"raw\",\"cooked\",\"time\",\"empty\"\n"
            "\"Bread\",4.5,1900,\"a,b\",\"\",1970-01-01 00:00:01.000000001Z,\"0.00000006s\",true\n"
            "\"\",,,,\"AP8=\",,\"0s\",\n"
            "\"Größe\",3,2000,\"\"\"d\"\"\n\",\"YWJj\",1969-12-31 23:59:59.999999999Z,\"0.00000003s\",\n"
            "\"\",,,,\"AP8=\",,\"0s\",\n");
}

TEST(CsvTest, RepeatedFieldsHaveNoPlace) {
  const auto writer = OpenColumnFile(FileFormat::kCsv, 1, SchemaOf(Recipes()));
  EXPECT_EQ(writer.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(writer.status().message()), HasSubstr("the repeated field ingredients"));
}

TEST(CsvTest, HasNoCompression) {
  for (const FileCompression compression : {FileCompression::kSnappy, FileCompression::kZstd, FileCompression::kGzip}) {
    const auto writer = OpenColumnFile(FileFormat::kCsv, 1, SchemaOf(Numbers(1)), {.compression = compression});
    EXPECT_EQ(writer.status().code(), absl::StatusCode::kInvalidArgument) << writer.status();
  }
}

TEST(ColumnFileErrorTest, FullDiskIsReportedAsSuch) {
  for (FileFormat format : kFormats) {
    const int fd = open("/dev/full", O_WRONLY);
    const absl::Status status = WriteAll(format, fd, {Numbers(10)});
    EXPECT_EQ(status.code(), absl::StatusCode::kResourceExhausted) << status;
    EXPECT_THAT(std::string(status.message()), HasSubstr("No space left on device"));
    close(fd);
  }
}

TEST(ColumnFileErrorTest, BatchOfAnotherSchemaMakesTheFileUnusable) {
  for (FileFormat format : kFormats) {
    MemoryFile file;
    {
      auto writer = OpenColumnFile(format, file.fd(), SchemaOf(Numbers(1))).value();
      EXPECT_TRUE(writer->Write(Numbers(10)).ok());
      const absl::Status status = writer->Write(Recipes());
      EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << status;
      EXPECT_FALSE(writer->Write(Numbers(10)).ok());
      EXPECT_FALSE(writer->Close().ok());
    }
    EXPECT_FALSE(format != FileFormat::kArrowStream && TryRead(format, file.Content()).ok());
  }
}

// Fields, some known to have no value.
class KnownFields : public FieldSource {
 public:
  KnownFields(std::vector<Value> fields, std::vector<bool> may_have_values)
      : fields_(std::move(fields)), may_have_values_(std::move(may_have_values)) {}
  Value MakeField(size_t i) const override {
    made_without_values += may_have_values_[i] ? 0 : 1;
    return fields_[i];
  }
  bool MayHaveValues(size_t i) const override { return may_have_values_[i]; }

  static inline int made_without_values = 0;  // how many fields that have no value were made

 private:
  const std::vector<Value> fields_;
  const std::vector<bool> may_have_values_;
};

StructuredTensor Deferred(int64_t nrows, std::vector<std::string> names, std::vector<Value> fields,
                          std::vector<bool> may_have_values, Validity validity = {}) {
  return StructuredTensor::CreateDeferred({}, nrows, std::make_shared<const std::vector<std::string>>(std::move(names)),
                                          std::make_shared<const KnownFields>(std::move(fields), std::move(may_have_values)),
                                          StructKind::kStruct, std::move(validity));
}

// Four rows with a number, an optional number, a list, and an optional struct with two optional numbers. Fields whose bit in
// `with_values` is 0 have no value. If `known`, the fields know it.
StructuredTensor FourRows(unsigned with_values, bool known) {
  const auto has = [with_values](unsigned field) { return (with_values >> field & 1) != 0; };
  const auto may_have = [&](unsigned field) { return !known || has(field); };
  const auto bits = [&](unsigned field) { return std::vector<uint8_t>{static_cast<uint8_t>(has(field) ? 0b0101 : 0)}; };
  const auto optional = [&](unsigned field) { return Value(Nullable<int64_t>({1, 2, 3, 4}, bits(field))); };
  const RaggedTensor list = has(2) ? Ragged({Splits({0, 2, 2, 3, 4})}, Tensor::FromVector<int64_t>({1, 2, 3, 4}))
                                   : Ragged({Splits({0, 0, 0, 0, 0})}, Tensor::FromVector<int64_t>({}));
  const StructuredTensor structs = Deferred(4, {"a", "b"}, {optional(4), optional(5)}, {may_have(4), may_have(5)},
                                            Validity(Buffer<uint8_t>::FromVector(bits(3))));
  return Deferred(4, {"number", "optional", "list", "struct"},
                  {Tensor::FromVector<int64_t>({1, 2, 3, 4}), optional(1), list, structs},
                  {true, may_have(1), may_have(2), may_have(3)});
}

TEST(ColumnFileTest, ColumnsThatAreKnownToBeEmptyMakeTheSameFile) {
  for (const int threads : {1, 3}) {
    for (const FileFormat format : kFormats) {
      std::vector<StructuredTensor> known;
      std::vector<StructuredTensor> unknown;
      for (const unsigned with_values : {0b111111u, 0b000000u, 0b001000u, 0b001000u, 0b000000u, 0b001010u, 0b011000u, 0b011000u,
                                         0b000100u, 0b111011u, 0b111011u}) {
        known.push_back(FourRows(with_values, true));
        unknown.push_back(FourRows(with_values, false));
      }
      for (const int64_t rows : {3, 1000}) {
        const ColumnFileOptions options = {.max_row_group_rows = rows, .threads = threads};
        EXPECT_EQ(FileOf(format, known, options), FileOf(format, unknown, options));
      }
    }
  }
}

TEST(ColumnFileTest, ParquetDoesNotReadColumnsWhereMostAreEmpty) {
  KnownFields::made_without_values = 0;
  FileOf(FileFormat::kParquet, {FourRows(0b111111, true), FourRows(0, true), FourRows(0, true), FourRows(0b001000, true)});
  EXPECT_EQ(KnownFields::made_without_values, 0);
  FileOf(FileFormat::kArrowFile, {FourRows(0b111111, true), FourRows(0, true)});
  EXPECT_GT(KnownFields::made_without_values, 0);
}

TEST(ColumnFileErrorTest, ColumnsThatMustHaveValuesCannotBeEmpty) {
  MemoryFile file;
  const StructuredTensorSpec spec(Shape({kUnknownDimension}), {{"x", TensorSpec(Shape({kUnknownDimension}), DType::kInt64)}});
  auto writer = OpenColumnFile(FileFormat::kParquet, file.fd(), spec).value();
  const Value absent =
      Tensor::FromBuffer(Buffer<int64_t>::FromVector({1, 2}), DType::kInt64, Validity(Buffer<uint8_t>::FromVector({0})));
  const auto names = std::make_shared<const std::vector<std::string>>(std::vector<std::string>{"x"});
  class Absent : public FieldSource {
   public:
    explicit Absent(Value value) : value_(std::move(value)) {}
    Value MakeField(size_t) const override { return value_; }
    bool MayHaveValues(size_t) const override { return false; }

   private:
    const Value value_;
  };
  const absl::Status status = writer->Write(StructuredTensor::CreateDeferred({}, 2, names, std::make_shared<Absent>(absent)));
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << status;
  EXPECT_THAT(status.message(), HasSubstr("x"));
}

TEST(ColumnFileErrorTest, WriterThatWasNotClosedLeavesNoCompleteFile) {
  for (FileFormat format : {FileFormat::kParquet, FileFormat::kArrowFile}) {
    MemoryFile file;
    EXPECT_TRUE(OpenColumnFile(format, file.fd(), SchemaOf(Recipes())).value()->Write(Recipes()).ok());
    EXPECT_FALSE(TryRead(format, file.Content()).ok());
  }
}

TEST(ColumnFileErrorTest, RowsCannotBeAbsent) {
  const StructuredTensorSpec nullable(Shape({kUnknownDimension}), {}, StructKind::kStruct, true);
  EXPECT_EQ(OpenColumnFile(FileFormat::kArrowFile, 1, nullable).status().code(), absl::StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace structtensor
