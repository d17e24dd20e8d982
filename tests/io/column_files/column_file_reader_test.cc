// From column files to tensors: files that we wrote come back; damaged files, and files that are not column files, are errors.
#include "structtensor/io/column_files/column_file_reader.h"

#include <arrow/array.h>
#include <arrow/array/builder_binary.h>
#include <arrow/array/builder_primitive.h>
#include <arrow/buffer.h>
#include <arrow/io/file.h>
#include <arrow/ipc/writer.h>
#include <arrow/memory_pool.h>
#include <arrow/record_batch.h>
#include <arrow/table.h>
#include <arrow/type.h>
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <parquet/arrow/writer.h>
#include <parquet/properties.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <numeric>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "recipes_testutil.h"
#include "structtensor/io/column_files/column_file.h"
#include "structtensor/tensor/values/constant.h"
#include "structtensor/tensor/values/text.h"

namespace structtensor {
namespace {

using ::testing::AnyOf;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Le;

// A folder for the files of a test.
class ColumnFileReaderTest : public ::testing::Test {
 protected:
  ColumnFileReaderTest() {
    std::string name = ::testing::TempDir() + "column_file_reader_XXXXXX";
    folder_ = mkdtemp(name.data());
  }
  ~ColumnFileReaderTest() override { std::filesystem::remove_all(folder_); }

  std::string Path(const std::string& name) const { return folder_ + "/" + name; }

  std::string Write(FileFormat format, const std::vector<StructuredTensor>& batches,
                    const ColumnFileOptions& options = {}) const {
    return WriteAs(batches.front().spec(), format, batches, options);
  }

  std::string WriteAs(const TypeSpec& type, FileFormat format, const std::vector<StructuredTensor>& batches,
                      const ColumnFileOptions& options = {}) const {
    const std::string path = Path("rows");
    const int fd = open(path.c_str(), O_CREAT | O_TRUNC | O_WRONLY, 0600);
    const StructuredTensorSpec spec = *type.WithUnknownSizes().structured();
    std::unique_ptr<ColumnFileWriter> writer = *OpenColumnFile(format, fd, spec, options);
    for (const StructuredTensor& batch : batches) EXPECT_EQ(writer->Write(batch), absl::OkStatus());
    EXPECT_TRUE(writer->Close().ok());
    close(fd);
    return path;
  }

  // Writes a batch as an Arrow file, without any check that would find the damage.
  std::string WriteArrow(const std::shared_ptr<arrow::RecordBatch>& batch) const {
    const std::string path = Path("damaged.arrow");
    auto file = *arrow::io::FileOutputStream::Open(path);
    auto writer = *arrow::ipc::MakeFileWriter(file, batch->schema());
    EXPECT_TRUE(writer->WriteRecordBatch(*batch).ok());
    EXPECT_TRUE(writer->Close().ok() && file->Close().ok());
    return path;
  }

  // The rows of all batches, or the first error.
  static absl::StatusOr<std::vector<StructuredTensor>> ReadAll(const std::string& path, int64_t batch_rows,
                                                               bool skip_absent_fields = false) {
    absl::StatusOr<std::unique_ptr<ColumnFileReader>> reader =
        ColumnFileReader::Open(path, {.batch_rows = batch_rows, .skip_absent_fields = skip_absent_fields});
    if (!reader.ok()) return reader.status();
    std::vector<StructuredTensor> all;
    while (true) {
      absl::StatusOr<std::optional<StructuredTensor>> rows = (*reader)->Next();
      if (!rows.ok()) return rows.status();
      if (!rows->has_value()) return all;
      all.push_back(**std::move(rows));
    }
  }

  std::string folder_;
};

TEST_F(ColumnFileReaderTest, RowsComeBackInBatchesOfAnySize) {
  for (const FileFormat format : {FileFormat::kParquet, FileFormat::kArrowFile, FileFormat::kArrowStream}) {
    const std::string path = Write(format, {Recipes(), Recipes()});
    EXPECT_TRUE(IsColumnFile(path));
    for (const int64_t batch_rows : {1, 2, 3, 100}) {
      const absl::StatusOr<std::vector<StructuredTensor>> batches = ReadAll(path, batch_rows);
      ASSERT_TRUE(batches.ok()) << batches.status();
      int64_t row = 0;
      for (const StructuredTensor& batch : *batches) {
        ASSERT_LE(batch.nrows(), batch_rows);
        for (int64_t i = 0; i < batch.nrows(); ++i, ++row) {
          EXPECT_EQ(batch.SliceRows(i, i + 1), Recipes().SliceRows(row % 3, row % 3 + 1)) << "row " << row;
        }
      }
      EXPECT_EQ(row, 6);
    }
  }
}

TEST_F(ColumnFileReaderTest, CountsRowsWithoutImportingThem) {
  for (const FileFormat format : {FileFormat::kParquet, FileFormat::kArrowFile, FileFormat::kArrowStream}) {
    EXPECT_EQ(*(*ColumnFileReader::Open(Write(format, {Recipes(), Recipes()})))->CountRows(), 6);
    EXPECT_EQ(*(*ColumnFileReader::Open(Write(format, {Recipes().SliceRows(0, 0)})))->CountRows(), 0);
  }
}

TEST_F(ColumnFileReaderTest, FilesCarryMetadata) {
  for (const FileFormat format : {FileFormat::kParquet, FileFormat::kArrowFile, FileFormat::kArrowStream}) {
    const std::string path = Write(format, {Recipes()}, {.metadata = {{"colour", "red"}, {"empty", ""}}});
    const std::unique_ptr<ColumnFileReader> reader = *ColumnFileReader::Open(path);
    EXPECT_EQ(reader->Metadata("colour"), "red");
    EXPECT_EQ(reader->Metadata("empty"), "");
    EXPECT_EQ(reader->Metadata("shape"), std::nullopt);
    EXPECT_EQ(reader->size_bytes(), static_cast<int64_t>(std::filesystem::file_size(path)));
  }
}

TEST_F(ColumnFileReaderTest, EmptyHasTheFieldsOfAllRows) {
  for (const FileFormat format : {FileFormat::kParquet, FileFormat::kArrowFile, FileFormat::kArrowStream}) {
    const std::unique_ptr<ColumnFileReader> reader = *ColumnFileReader::Open(Write(format, {Recipes()}));
    const absl::StatusOr<StructuredTensor> empty = reader->Empty();
    ASSERT_TRUE(empty.ok()) << empty.status();
    EXPECT_EQ(empty->nrows(), 0);
    const absl::StatusOr<std::optional<StructuredTensor>> rows = reader->Next();
    ASSERT_TRUE(rows.ok() && rows->has_value());
    EXPECT_EQ(TypeSpec(empty->spec()).WithUnknownSizes(), TypeSpec((*rows)->spec()).WithUnknownSizes());
  }
}

// The value without what is absent: fields, elements of lists that are absent, and empty lists. A struct that is present stays.
NestedValue WithoutAbsent(const NestedValue& nested) {
  if (const NestedValue::List* list = nested.list()) {
    NestedValue::List present;
    for (const NestedValue& item : *list) present.push_back(WithoutAbsent(item));
    return present.empty() ? NestedValue() : NestedValue(std::move(present));
  }
  if (const NestedValue::Dict* dict = nested.dict()) {
    NestedValue::Dict present;
    for (const auto& [name, item] : *dict) {
      NestedValue value = WithoutAbsent(item);
      if (!value.is_none()) present.emplace_back(name, std::move(value));
    }
    return present;
  }
  return nested;
}

// Random structs, in which some fields are absent everywhere.
class RandomStructs {
 public:
  explicit RandomStructs(unsigned seed) : random_(seed), type_(MakeType(3)) {}

  TypeSpec Spec() const { return SpecOf(type_, Shape({-1}), false); }
  NestedValue Row() { return Make(type_); }

 private:
  enum class Kind { kInteger, kText, kIntegers, kStruct, kStructs };
  struct Type {
    Kind kind = Kind::kStruct;
    int percent = 0;  // how often it is present, if the struct around it is
    std::vector<Type> fields = {};
  };

  int Below(int limit) { return static_cast<int>(random_() % static_cast<unsigned>(limit)); }
  static std::string NameOf(size_t field) { return std::string(1, static_cast<char>('a' + field)); }

  Type MakeType(int depth) {
    Type type{Kind::kStruct, std::max(0, Below(160) - 60)};
    for (int i = Below(4); i >= 0; --i) {
      const auto kind = static_cast<Kind>(Below(depth > 0 ? 5 : 3));
      type.fields.push_back(kind < Kind::kStruct ? Type{kind, std::max(0, Below(160) - 60)} : MakeType(depth - 1));
      type.fields.back().kind = kind;
    }
    return type;
  }

  static TypeSpec SpecOf(const Type& type, Shape shape, bool nullable) {
    std::vector<FieldSpec> fields;
    for (size_t i = 0; i < type.fields.size(); ++i) {
      const Type& field = type.fields[i];
      switch (field.kind) {
        case Kind::kInteger:
          fields.push_back({NameOf(i), TensorSpec(Shape({-1}), DType::kInt64, /*nullable=*/true)});
          break;
        case Kind::kText:
          fields.push_back({NameOf(i), TensorSpec(Shape({-1}), DType::kString, /*nullable=*/true)});
          break;
        case Kind::kIntegers:
          fields.push_back({NameOf(i), RaggedTensorSpec(Shape({-1, -1}), DType::kInt32, 1)});
          break;
        case Kind::kStruct:
          fields.push_back({NameOf(i), SpecOf(field, Shape({-1}), true)});
          break;
        case Kind::kStructs:
          fields.push_back({NameOf(i), SpecOf(field, Shape({-1, -1}), false)});
          break;
      }
    }
    return StructuredTensorSpec(std::move(shape), std::move(fields), StructKind::kStruct, nullable);
  }

  NestedValue Make(const Type& type) {
    NestedValue::Dict dict;
    for (size_t i = 0; i < type.fields.size(); ++i) {
      const Type& field = type.fields[i];
      const bool present = Below(100) < field.percent;
      NestedValue::List list;
      switch (field.kind) {
        case Kind::kInteger:
          dict.emplace_back(NameOf(i), present ? NestedValue(Below(5)) : NestedValue());
          break;
        case Kind::kText:
          dict.emplace_back(NameOf(i), present ? NestedValue("text") : NestedValue());
          break;
        case Kind::kIntegers:
          for (int n = present ? 1 + Below(2) : 0; n > 0; --n) list.emplace_back(Below(5));
          dict.emplace_back(NameOf(i), std::move(list));
          break;
        case Kind::kStruct:
          dict.emplace_back(NameOf(i), present ? Make(field) : NestedValue());
          break;
        case Kind::kStructs:
          for (int n = present ? 1 + Below(2) : 0; n > 0; --n) list.push_back(Make(field));
          dict.emplace_back(NameOf(i), std::move(list));
          break;
      }
    }
    return dict;
  }

  std::mt19937 random_;
  const Type type_;
};

TEST_F(ColumnFileReaderTest, FieldsThatAreAbsentEverywhereMayBeSkipped) {
  int skipped = 0;
  for (unsigned seed = 0; seed < 200; ++seed) {
    RandomStructs random(seed);
    std::vector<StructuredTensor> batches;
    for (int i = 0; i < 2; ++i) {
      NestedValue::List rows;
      for (int row = 0; row < 5; ++row) rows.push_back(random.Row());
      batches.push_back(*Constant(rows, {.spec = random.Spec()})->structured());
    }
    const std::string path = WriteAs(random.Spec(), FileFormat::kParquet, batches);
    const auto reader = *ColumnFileReader::Open(path, {.skip_absent_fields = true});
    const std::optional<StructuredTensor> rows = *reader->Next();
    ASSERT_EQ(rows->nrows(), 10);
    skipped += rows->num_fields() < batches[0].num_fields() ? 1 : 0;
    for (int64_t row = 0; row < 10; ++row) {
      EXPECT_EQ(WithoutAbsent(ToNestedValue(rows->Row(row))),
                WithoutAbsent(ToNestedValue(batches[static_cast<size_t>(row / 5)].Row(row % 5))))
          << "seed " << seed << ", row " << row << ": " << ToJson(rows->Row(row));
    }
  }
  EXPECT_GT(skipped, 50);
}

TEST_F(ColumnFileReaderTest, WhatIsNoColumnFileIsSaid) {
  EXPECT_EQ(ReadAll(Path("none"), 1).status().code(), absl::StatusCode::kNotFound);
  EXPECT_FALSE(IsColumnFile(Path("none")));
  std::ofstream(Path("text")) << "PAR";
  EXPECT_FALSE(IsColumnFile(Path("text")));
  EXPECT_THAT(ReadAll(Path("text"), 1).status().message(), HasSubstr("expected a Parquet or Arrow file"));
  EXPECT_THAT(ReadAll(folder_, 1).status().message(), HasSubstr("not from a pipe or folder"));
  EXPECT_EQ(ReadAll(Write(FileFormat::kParquet, {Recipes()}), 0).status().code(), absl::StatusCode::kInvalidArgument);
}

// The writer of a pipe would take a check of the file type for its reader.
TEST_F(ColumnFileReaderTest, NamedPipesAreNotOpened) {
  const std::string pipe = Path("pipe");
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_FALSE(IsColumnFile(pipe));  // it would wait for ever
}

TEST_F(ColumnFileReaderTest, ACutFileIsDamaged) {
  for (const FileFormat format : {FileFormat::kParquet, FileFormat::kArrowFile, FileFormat::kArrowStream}) {
    const std::string path = Write(format, {Recipes()});
    const auto size_bytes = std::filesystem::file_size(path);
    for (const auto kept_bytes : {size_bytes / 4, size_bytes / 2, size_bytes * 3 / 4}) {
      Write(format, {Recipes()});
      std::filesystem::resize_file(path, kept_bytes);
      const absl::Status status = ReadAll(path, 2).status();
      EXPECT_EQ(status.code(), absl::StatusCode::kDataLoss) << status;
      EXPECT_THAT(status.message(), HasSubstr("the file is damaged"));
    }
  }
}

// Files with some bytes changed, cut out or repeated are read to their end or refused. Rows that are read can be used safely.
TEST_F(ColumnFileReaderTest, ChangedFilesDoNoHarm) {
  std::mt19937_64 random(23);
  const auto below = [&random](size_t end) { return std::uniform_int_distribution<size_t>(0, end - 1)(random); };
  for (const FileFormat format : {FileFormat::kParquet, FileFormat::kArrowFile, FileFormat::kArrowStream}) {
    std::string path = Write(format, {Recipes(), Recipes()});
    std::ifstream in(path, std::ios::binary);
    const std::string whole((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
    int read = 0;
    int refused = 0;
    for (int i = 0; i < 1500; ++i) {
      std::string bytes = whole;
      for (size_t changes = 1 + below(3); changes > 0; --changes) {
        // The metadata, which locate everything else, are at the end.
        const size_t at = bytes.size() - 1 - below(below(2) == 0 ? bytes.size() : std::min<size_t>(bytes.size(), 600));
        switch (below(4)) {
          case 0:
            bytes[at] = static_cast<char>(random());
            break;
          case 1:
            bytes[at] = static_cast<char>(bytes[at] ^ (1 << below(8)));
            break;
          case 2:
            bytes.erase(at, 1 + below(8));
            break;
          default:
            bytes.insert(at, bytes.substr(at, 1 + below(8)));
        }
      }
      path = Path("changed");
      std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
      const absl::StatusOr<std::vector<StructuredTensor>> batches = ReadAll(path, 2, /*skip_absent_fields=*/i % 2 == 0);
      ++(batches.ok() ? read : refused);
      if (!batches.ok()) {
        EXPECT_FALSE(batches.status().message().empty());
        continue;
      }
      for (const StructuredTensor& batch : *batches) EXPECT_FALSE(DebugString(Value(batch)).empty());
    }
    // Changes that break everything, or nothing, would find little.
    EXPECT_GT(read, 50) << static_cast<int>(format);
    EXPECT_GT(refused, 300) << static_cast<int>(format);
  }
}

// Rows of a column of strings; row i has sizes[i] times the same letter.
std::shared_ptr<arrow::RecordBatch> Letters(const std::vector<size_t>& sizes) {
  arrow::StringBuilder builder;
  for (size_t i = 0; i < sizes.size(); ++i) {
    EXPECT_TRUE(builder.Append(std::string(sizes[i], static_cast<char>('a' + i % 26))).ok());
  }
  return arrow::RecordBatch::Make(arrow::schema({arrow::field("x", arrow::utf8())}), static_cast<int64_t>(sizes.size()),
                                  {*builder.Finish()});
}

// One row group, whose pages have `page_rows` rows.
std::string WriteParquet(const std::string& path, const std::shared_ptr<arrow::RecordBatch>& batch, int64_t page_rows = 20) {
  auto file = *arrow::io::FileOutputStream::Open(path);
  const auto properties = parquet::WriterProperties::Builder()
                              .disable_dictionary()
                              ->compression(arrow::Compression::SNAPPY)
                              ->write_batch_size(page_rows)
                              ->data_pagesize(1)
                              ->build();
  const auto table = *arrow::Table::FromRecordBatches({batch});
  EXPECT_TRUE(parquet::arrow::WriteTable(*table, arrow::default_memory_pool(), file, 1 << 20, properties).ok());
  EXPECT_TRUE(file->Close().ok());
  return path;
}

// Reads all rows of Letters() and checks them. Returns the sizes of the batches.
std::vector<int64_t> BatchesOfLetters(const std::string& path, const ColumnFileReaderOptions& options,
                                      const std::vector<size_t>& sizes) {
  const std::unique_ptr<ColumnFileReader> reader = *ColumnFileReader::Open(path, options);
  std::vector<int64_t> batches;
  size_t row = 0;
  while (true) {
    const absl::StatusOr<std::optional<StructuredTensor>> rows = reader->Next();
    EXPECT_TRUE(rows.ok()) << rows.status();
    if (!rows.ok() || !rows->has_value()) break;
    batches.push_back((*rows)->nrows());
    const Value letters = (*rows)->flat_field(0);
    for (int64_t i = 0; i < (*rows)->nrows(); ++i, ++row) {
      const std::string_view text = letters.tensor()->string_at(i);
      EXPECT_EQ(text.size(), sizes[row]);
      EXPECT_EQ(text.find_first_not_of(static_cast<char>('a' + row % 26)), std::string_view::npos);
    }
  }
  EXPECT_EQ(row, sizes.size());
  return batches;
}

TEST_F(ColumnFileReaderTest, SmallRowsAreReadAsManyAtATimeAsAsked) {
  const std::vector<size_t> sizes(10000, 100);
  EXPECT_THAT(BatchesOfLetters(WriteParquet(Path("a.parquet"), Letters(sizes)), {.batch_rows = 4096}, sizes),
              ElementsAre(4096, 4096, 1808));
}

TEST_F(ColumnFileReaderTest, LargeRowsAreReadFewAtATime) {
  const std::vector<size_t> sizes(60, 2 << 20);
  const std::vector<int64_t> batches =
      BatchesOfLetters(WriteParquet(Path("a.parquet"), Letters(sizes)), {.batch_rows = 4096}, sizes);
  EXPECT_THAT(batches, Each(Le(8)));  // of 16 MiB
  EXPECT_LE(batches.size(), 12u);
}

// The mean of a row group says little about these rows: together they would take 240 MB.
TEST_F(ColumnFileReaderTest, LargeRowsAmongSmallOnesAreReadFewAtATime) {
  std::vector<size_t> sizes(30000, 10);
  std::fill_n(sizes.begin() + 20000, 60, 4 << 20);
  const std::vector<int64_t> batches =
      BatchesOfLetters(WriteParquet(Path("a.parquet"), Letters(sizes)), {.batch_rows = 4096}, sizes);
  EXPECT_THAT(batches, Each(Le(4096)));
  EXPECT_LE(batches.size(), 250u);
}

TEST_F(ColumnFileReaderTest, ARowBeyondTheLimitIsAnErrorThatNamesIt) {
  std::vector<size_t> sizes(100, 10);
  sizes[70] = 9 << 20;
  const std::string path = WriteParquet(Path("a.parquet"), Letters(sizes), 1);
  const std::unique_ptr<ColumnFileReader> reader = *ColumnFileReader::Open(path, {.max_memory_bytes = 1 << 20});
  int64_t rows_read = 0;
  while (true) {
    const absl::StatusOr<std::optional<StructuredTensor>> rows = reader->Next();
    if (!rows.ok()) {
      EXPECT_EQ(rows.status().code(), absl::StatusCode::kResourceExhausted);
      EXPECT_THAT(std::string(rows.status().message()),
                  HasSubstr("row 70, or a page with values of it, takes more memory than `max_memory_bytes=1048576"));
      break;
    }
    ASSERT_TRUE(rows->has_value());
    rows_read += (*rows)->nrows();
  }
  EXPECT_EQ(rows_read, 70);
  BatchesOfLetters(path, {.max_memory_bytes = 40 << 20}, sizes);
}

TEST_F(ColumnFileReaderTest, RowsThatShareADictionaryValueAreReadFewAtATime) {
  const auto values = Letters({1 << 20, 1 << 10})->column(0);
  arrow::Int8Builder indices;
  for (int i = 0; i < 3000; ++i) ASSERT_TRUE(indices.Append(i % 30 == 0 ? 0 : 1).ok());
  const auto column = *arrow::DictionaryArray::FromArrays(*indices.Finish(), values);
  const auto batch = arrow::RecordBatch::Make(arrow::schema({arrow::field("x", column->type())}), 3000, {column});
  const std::string path = WriteArrow(batch);
  for (const int64_t max_memory_bytes : {int64_t{2} << 20, int64_t{1} << 30}) {
    const std::unique_ptr<ColumnFileReader> reader =
        *ColumnFileReader::Open(path, {.batch_rows = 3000, .max_memory_bytes = max_memory_bytes});
    int64_t row = 0;
    while (true) {
      const absl::StatusOr<std::optional<StructuredTensor>> rows = reader->Next();
      ASSERT_TRUE(rows.ok()) << rows.status();
      if (!rows->has_value()) break;
      const Value strings = (*rows)->flat_field(0);
      int64_t size_bytes = 0;
      for (int64_t i = 0; i < (*rows)->nrows(); ++i, ++row) {
        const std::string_view text = strings.tensor()->string_at(i);
        ASSERT_EQ(text.size(), row % 30 == 0 ? 1u << 20 : 1u << 10);
        size_bytes += static_cast<int64_t>(text.size());
      }
      EXPECT_LE(size_bytes, std::min<int64_t>(max_memory_bytes, 128 << 20));
    }
    EXPECT_EQ(row, 3000);
  }
  EXPECT_THAT((*ColumnFileReader::Open(path, {.max_memory_bytes = 1000}))->Next().status().message(),
              HasSubstr("row 0 takes more memory than `max_memory_bytes=1000"));
}

// The reader is gone, and its memory pool must not be.
TEST_F(ColumnFileReaderTest, RowsOutliveTheirReader) {
  const std::vector<StructuredTensor> rows = *ReadAll(Write(FileFormat::kParquet, {Recipes(), Recipes()}), 2);
  for (const StructuredTensor& batch : rows) EXPECT_FALSE(DebugString(Value(batch)).empty());
}

TEST_F(ColumnFileReaderTest, NextReturnsAtMostAsManyRowsAsAsked) {
  for (const FileFormat format : {FileFormat::kParquet, FileFormat::kArrowFile, FileFormat::kArrowStream}) {
    const std::unique_ptr<ColumnFileReader> reader = *ColumnFileReader::Open(Write(format, {Recipes(), Recipes()}));
    std::vector<int64_t> sizes;
    for (const int64_t most : {1, 1, 5, 2, 9}) {
      const absl::StatusOr<std::optional<StructuredTensor>> rows = reader->Next(most);
      ASSERT_TRUE(rows.ok()) << rows.status();
      sizes.push_back(rows->has_value() ? (*rows)->nrows() : 0);
      EXPECT_LE(sizes.back(), most);
    }
    EXPECT_EQ(std::accumulate(sizes.begin(), sizes.end(), int64_t{0}), 6);
    EXPECT_EQ(reader->Next(0).status().code(), absl::StatusCode::kInvalidArgument);
  }
}

TEST_F(ColumnFileReaderTest, AFileThatCannotBeOpenedIsNotTakenForAnotherKind) {
  EXPECT_EQ(OpensAsColumnFile(Path("none")).status().code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(*OpensAsColumnFile(Write(FileFormat::kParquet, {Recipes()})), true);
  std::ofstream(Path("text")) << "PAR";
  for (const std::string& path : {Path("text"), folder_, std::string("-")}) EXPECT_EQ(*OpensAsColumnFile(path), false);
}

std::shared_ptr<arrow::Array> StringsOf(std::vector<int32_t> offsets, std::string bytes) {
  const auto size = static_cast<int64_t>(offsets.size()) - 1;
  return std::make_shared<arrow::StringArray>(size, arrow::Buffer::FromVector(std::move(offsets)),
                                              arrow::Buffer::FromString(std::move(bytes)));
}

// Offsets that lead beyond the bytes, where only the first and the last are right, must not be followed: however few rows are
// read at a time, and however few elements a list has.
TEST_F(ColumnFileReaderTest, OffsetsThatLeadElsewhereAreNotFollowed) {
  const auto damaged = StringsOf({0, 1 << 20, 3, 5}, "abcde");
  const auto list_offsets = arrow::Buffer::FromVector(std::vector<int32_t>{0, 1});
  const auto list = std::make_shared<arrow::ListArray>(arrow::list(arrow::utf8()), 1, list_offsets, damaged);
  for (const std::shared_ptr<arrow::Array>& array : std::vector<std::shared_ptr<arrow::Array>>{damaged, list}) {
    const std::string path =
        WriteArrow(arrow::RecordBatch::Make(arrow::schema({arrow::field("x", array->type())}), array->length(), {array}));
    for (const int64_t batch_rows : {1, 100}) {
      const absl::Status status = ReadAll(path, batch_rows).status();
      EXPECT_THAT(std::string(status.message()),
                  AnyOf(HasSubstr("field x: the offsets of the array decrease"), HasSubstr("the file is damaged")));
    }
  }
}

}  // namespace
}  // namespace structtensor
