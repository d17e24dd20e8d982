#include "structtensor/app/sinks/partitioned_sink.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <climits>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <memory>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "structtensor/io/column_files/column_file_reader.h"
#include "structtensor/tensor/values/value.h"

namespace structtensor {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;
using ::testing::UnorderedElementsAre;

Validity PresentWhere(std::vector<uint8_t> bits) { return Validity(Buffer<uint8_t>::FromVector(std::move(bits))); }

StructuredTensor RowsOf(std::vector<Field> fields) {
  const int64_t nrows = fields.front().value.nrows();
  return StructuredTensor::FromFields(nrows, std::move(fields)).value();
}

StructuredTensor Numbered(std::vector<std::string> days, int32_t first_number) {
  std::vector<int32_t> numbers;
  for (size_t i = 0; i < days.size(); ++i) numbers.push_back(first_number + static_cast<int32_t>(i));
  return RowsOf({{"day", Tensor::FromVector(days)}, {"n", Tensor::FromVector(std::move(numbers))}});
}

class PartitionedSinkTest : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = testing::TempDir() + "partitioned_sink_XXXXXX";
    around_ = mkdtemp(pattern.data());
  }
  void TearDown() override { fs::remove_all(around_); }

  std::string path() const { return around_ + "/rows"; }

  absl::Status Write(const PartitionedSinkOptions& options, const std::vector<StructuredTensor>& batches) {
    absl::StatusOr<std::unique_ptr<OutputFolder>> folder = OutputFolder::Open(path(), /*overwrite=*/true);
    if (!folder.ok()) return folder.status();
    const StructuredTensor empty = batches.front().SliceRows(0, 0);
    absl::StatusOr<std::unique_ptr<PartitionedSink>> sink = PartitionedSink::Create(options, folder->get(), empty);
    EXPECT_EQ(PartitionedSink::Check(options, empty), sink.status());
    if (!sink.ok()) return sink.status();
    for (const StructuredTensor& batch : batches) {
      if (absl::Status status = (*sink)->Write(batch); !status.ok()) return status;
    }
    if (absl::Status status = (*sink)->Finish(); !status.ok()) return status;
    return (*folder)->Commit().status();
  }

  // The files by their paths, as JSON lines.
  std::map<std::string, std::string> Lines(std::vector<std::string> partition_by,
                                           const std::vector<StructuredTensor>& batches) {
    const absl::Status status =
        Write({.files = {.format = SinkFormat::kJsonLines}, .partition_by = std::move(partition_by)}, batches);
    EXPECT_EQ(status, absl::OkStatus());
    std::map<std::string, std::string> files;
    for (const auto& entry : fs::recursive_directory_iterator(path())) {
      if (entry.is_directory()) continue;
      std::ifstream in(entry.path());
      files[fs::relative(entry.path(), path()).string()] = {std::istreambuf_iterator<char>(in), {}};
    }
    return files;
  }

  std::string Refusal(std::vector<std::string> partition_by, const StructuredTensor& batch) {
    const absl::Status status =
        Write({.files = {.format = SinkFormat::kParquet}, .partition_by = std::move(partition_by)}, {batch});
    EXPECT_FALSE(status.ok());
    return std::string(status.message());
  }

  std::string around_;
};

TEST_F(PartitionedSinkTest, RowsGoToTheFilesOfTheirValuesInOrder) {
  EXPECT_THAT(
      Lines({"day"}, {Numbered({"b", "a", "b"}, 0), Numbered({}, 3), Numbered({"a", "c"}, 3), Numbered({"b"}, 5)}),
      ElementsAre(Pair("day=a/part-0.jsonl", "{\"n\":1}\n{\"n\":3}\n"),
                  Pair("day=b/part-0.jsonl", "{\"n\":0}\n{\"n\":2}\n{\"n\":5}\n"), Pair("day=c/part-0.jsonl", "{\"n\":4}\n")));
}

TEST_F(PartitionedSinkTest, NoRowsMakeNoFiles) {
  EXPECT_TRUE(Lines({"day"}, {Numbered({}, 0)}).empty());
  EXPECT_TRUE(fs::is_empty(path()));
}

TEST_F(PartitionedSinkTest, SeveralColumnsMakeFoldersInFolders) {
  const StructuredTensor rows = RowsOf({{"n", Tensor::FromVector<int64_t>({-1, 1, INT64_MIN})},
                                        {"flag", Tensor::FromVector<uint8_t>({0, 1, 1}, DType::kBool)},
                                        {"u", Tensor::FromVector<uint64_t>({UINT64_MAX, 0, 0})},
                                        {"rest", Tensor::FromVector<int32_t>({0, 1, 2})}});
  EXPECT_THAT(Lines({"flag", "n", "u"}, {rows}),
              ElementsAre(Pair("flag=false/n=-1/u=18446744073709551615/part-0.jsonl", "{\"rest\":0}\n"),
                          Pair("flag=true/n=-9223372036854775808/u=0/part-0.jsonl", "{\"rest\":2}\n"),
                          Pair("flag=true/n=1/u=0/part-0.jsonl", "{\"rest\":1}\n")));
}

TEST_F(PartitionedSinkTest, AbsentValuesHaveAFolderOfTheirOwn) {
  const StructuredTensor inner =
      StructuredTensor::Create({}, 4,
                               {{"service", Tensor::FromVector(std::vector<std::string>{"x", "x", "", "x"})},
                                {"n", Tensor::FromVector<int32_t>({0, 1, 2, 3})}},
                               StructKind::kStruct, PresentWhere({0b0101}));
  EXPECT_THAT(Lines({"resource.service"}, {RowsOf({{"resource", inner}})}),
              ElementsAre(Pair("resource.service=/part-0.jsonl", "{\"resource\":{\"n\":2}}\n"),
                          Pair("resource.service=__HIVE_DEFAULT_PARTITION__/part-0.jsonl",
                               "{\"resource\":null}\n{\"resource\":null}\n"),
                          Pair("resource.service=x/part-0.jsonl", "{\"resource\":{\"n\":0}}\n")));
  const Tensor numbers = Tensor::FromBuffer(Buffer<int32_t>::FromVector({0, 0, 7}), DType::kInt32, PresentWhere({0b101}));
  const auto files = Lines({"n"}, {RowsOf({{"n", numbers}, {"row", Tensor::FromVector<int32_t>({0, 1, 2})}})});
  EXPECT_EQ(files.at("n=0/part-0.jsonl"), "{\"row\":0}\n");
  EXPECT_EQ(files.at("n=__HIVE_DEFAULT_PARTITION__/part-0.jsonl"), "{\"row\":1}\n");
}

TEST_F(PartitionedSinkTest, NamesOfFoldersAreEscaped) {
  const std::vector<std::string> strings = {"a b/c", "100%=x", "-_.~", "\xc3\xa9", std::string("\0\n", 2), "..", "A"};
  const auto files = Lines({"day"}, {Numbered(strings, 0)});
  std::vector<std::string> names;
  for (const auto& [name, lines] : files) names.push_back(name.substr(0, name.find('/')));
  EXPECT_THAT(names, UnorderedElementsAre("day=a%20b%2Fc", "day=100%25%3Dx", "day=-_.~", "day=\xc3\xa9", "day=%00%0A", "day=..",
                                          "day=A"));
}

TEST_F(PartitionedSinkTest, ValuesThatNameNoFolderAreErrors) {
  EXPECT_THAT(Refusal({"day"}, Numbered({"__HIVE_DEFAULT_PARTITION__"}, 0)),
              HasSubstr("`partition_by` day: a row has the text"));
  EXPECT_EQ(Lines({"day"}, {Numbered({std::string(251, 'x')}, 0)}).size(), 1);
  EXPECT_THAT(Refusal({"day"}, Numbered({std::string(252, 'x')}, 0)), HasSubstr("256 bytes; at most 255"));
  EXPECT_THAT(Refusal({"day"}, Numbered({std::string(1'000'000, '/')}, 0)), HasSubstr("3000004 bytes"));
}

TEST_F(PartitionedSinkTest, OnlyColumnsOfOneScalarARowArePossible) {
  const StructuredTensor items = StructuredTensor::Create({}, 1, {{"x", Tensor::FromVector<int32_t>({1})}})
                                     .WithOuterPartition(RowPartition::FromUniformRowLength(1, 1).value());
  const StructuredTensor rows =
      RowsOf({{"day", Tensor::FromVector(std::vector<std::string>{"a"})},
              {"real", Tensor::FromVector<double>({1})},
              {"raw", Tensor::FromVector({"a"}, DType::kBytes)},
              {"at", Tensor::FromVector<int64_t>({1}, DType::kTimestampNs)},
              {"list", RaggedTensor::FromRowPartitionsUnchecked({RowPartition::FromUniformRowLength(1, 1).value()},
                                                                Tensor::FromVector<int32_t>({1}))},
              {"message", StructuredTensor::Create({}, 1, {{"x", Tensor::FromVector<int32_t>({1})}})},
              {"items", items}});
  EXPECT_THAT(Refusal({"month"}, rows), AllOf(HasSubstr("`partition_by` month: there is no such column"), HasSubstr("day")));
  EXPECT_THAT(Refusal({"message.y"}, rows), AllOf(HasSubstr("there is no such column"), HasSubstr("its only field is x")));
  EXPECT_THAT(Refusal({"day.x"}, rows), HasSubstr("day has no fields"));
  EXPECT_THAT(Refusal({"items.x"}, rows), HasSubstr("items is repeated"));
  EXPECT_THAT(Refusal({"list"}, rows), HasSubstr("it is repeated"));
  EXPECT_THAT(Refusal({"items"}, rows), HasSubstr("it is repeated"));
  for (const std::string path : {"real", "raw", "at", "message"}) {
    EXPECT_THAT(Refusal({path}, rows), HasSubstr("partitions are made of strings, integers, booleans and enums")) << path;
  }
  EXPECT_THAT(Refusal({"day", "message.x", "day"}, rows), HasSubstr("`partition_by` day: it is given twice"));
  for (const std::string path : {"", "day.", "*", "list[0]"})
    EXPECT_THAT(Refusal({path}, rows), HasSubstr("`partition_by`")) << path;
  EXPECT_THAT(Refusal({}, rows), HasSubstr("partition_by is empty"));
  // The remaining columns must fit the format.
  EXPECT_THAT(Refusal({"day"}, RowsOf({{"day", Tensor::FromVector(std::vector<std::string>{"a"})}})), HasSubstr("no fields"));
  EXPECT_FALSE(fs::exists(path()));
}

TEST_F(PartitionedSinkTest, OptionsOutsideTheirRangesAreRefused) {
  EXPECT_THAT(std::string(Write({.partition_by = {"day"}, .max_partitions = 0}, {Numbered({"a"}, 0)}).message()),
              HasSubstr("max_partitions = 0"));
  for (const int64_t bytes : {int64_t{-1}, INT64_MIN}) {
    EXPECT_THAT(std::string(Write({.partition_by = {"day"}, .max_buffered_bytes = bytes}, {Numbered({"a"}, 0)}).message()),
                HasSubstr("max_buffered_bytes"));
    EXPECT_THAT(std::string(Write({.partition_by = {"day"}, .max_retained_bytes = bytes}, {Numbered({"a"}, 0)}).message()),
                HasSubstr("max_retained_bytes"));
  }
  EXPECT_EQ(Write({.files = {.threads = 0}, .partition_by = {"day"}}, {Numbered({"a"}, 0)}).code(),
            absl::StatusCode::kInvalidArgument);
}

TEST_F(PartitionedSinkTest, MoreValuesThanAllowedAreAnError) {
  const StructuredTensor rows = Numbered({"a", "b", "c", "a"}, 0);
  EXPECT_EQ(Write({.partition_by = {"day"}, .max_partitions = 3}, {rows}), absl::OkStatus());
  const absl::Status status = Write({.partition_by = {"day"}, .max_partitions = 2}, {rows});
  EXPECT_EQ(status.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_THAT(std::string(status.message()), HasSubstr("more than 2 different values"));
}

int64_t RowsInParquet(const std::string& path) {
  const std::unique_ptr<ColumnFileReader> reader = *ColumnFileReader::Open(path);
  int64_t nrows = 0;
  while (const std::optional<StructuredTensor> rows = *reader->Next()) nrows += rows->nrows();
  return nrows;
}

// Batches that take more than rows may wait for, and sinks that may not keep any.
TEST_F(PartitionedSinkTest, LittleMemoryMakesTheSameRows) {
  constexpr size_t kRows = 21'000;
  std::vector<std::string> strings;
  std::vector<int32_t> parts;
  for (size_t i = 0; i < kRows; ++i) {
    strings.push_back(std::to_string(i) + std::string(600, 'x'));
    parts.push_back(static_cast<int32_t>(i % 7 % 3));
  }
  const StructuredTensor batch = RowsOf({{"part", Tensor::FromVector(parts)}, {"text", Tensor::FromVector(strings)}});
  std::vector<uintmax_t> sizes;
  for (const int64_t max_buffered_bytes : {int64_t{0}, INT64_MAX}) {
    const PartitionedSinkOptions options = {
        .files = {.format = SinkFormat::kParquet}, .partition_by = {"part"}, .max_buffered_bytes = max_buffered_bytes};
    ASSERT_EQ(Write(options, {batch, batch, batch}), absl::OkStatus());
    EXPECT_EQ(RowsInParquet(path() + "/part=0/part-0.parquet"), 3 * 9000);
    EXPECT_EQ(RowsInParquet(path() + "/part=1/part-0.parquet"), 3 * 6000);
    EXPECT_EQ(RowsInParquet(path() + "/part=2/part-0.parquet"), 3 * 6000);
    sizes.push_back(fs::file_size(path() + "/part=0/part-0.parquet"));
  }
  EXPECT_NE(sizes[0], sizes[1]);  // other row groups
}

// Files whose ends would take too much memory are finished, and closed; the rows after them go into new ones.
TEST_F(PartitionedSinkTest, AFolderGetsMoreFilesThatKeepTheOrder) {
  for (const SinkFormat format : {SinkFormat::kParquet, SinkFormat::kNpz}) {
    PartitionedSinkOptions options = {
        .files = {.format = format}, .partition_by = {"part"}, .max_buffered_bytes = 0, .max_retained_bytes = 0};
    const std::string text(1000, 'x');
    std::vector<StructuredTensor> batches;
    for (int64_t i = 0; i < 3; ++i) {
      const size_t nrows = 20'000;  // of 20 MB, which do not wait
      std::vector<int64_t> numbers(nrows);
      std::iota(numbers.begin(), numbers.end(), i * static_cast<int64_t>(nrows));
      std::vector<int32_t> parts(nrows, 0);
      for (size_t k = 0; k < nrows; k += 2) parts[k] = i == 1 ? 0 : 1;
      batches.push_back(RowsOf({{"part", Tensor::FromVector(std::move(parts))},
                                {"n", Tensor::FromVector(std::move(numbers))},
                                {"text", Tensor::FromVector(std::vector<std::string>(nrows, text))}}));
    }
    const auto names = [this] {
      std::vector<std::string> names;
      for (const auto& entry : fs::recursive_directory_iterator(path())) {
        if (!entry.is_directory()) names.push_back(fs::relative(entry.path(), path()).replace_extension("").string());
      }
      return names;
    };
    ASSERT_EQ(Write(options, batches), absl::OkStatus());
    EXPECT_THAT(names(),
                UnorderedElementsAre("part=0/part-0", "part=0/part-1", "part=0/part-2", "part=1/part-0", "part=1/part-1"));
    if (format == SinkFormat::kParquet) {
      EXPECT_EQ(RowsInParquet(path() + "/part=0/part-0.parquet"), 10'000);
      EXPECT_EQ(RowsInParquet(path() + "/part=0/part-1.parquet"), 20'000);
      EXPECT_EQ(RowsInParquet(path() + "/part=1/part-1.parquet"), 10'000);
    }
    options.max_retained_bytes = INT64_MAX;
    ASSERT_EQ(Write(options, batches), absl::OkStatus());
    EXPECT_THAT(names(), UnorderedElementsAre("part=0/part-0", "part=1/part-0"));
  }
}

TEST_F(PartitionedSinkTest, FlushWritesWhatWaits) {
  const std::unique_ptr<OutputFolder> folder = *OutputFolder::Open(path(), false);
  const StructuredTensor rows = Numbered({"a", "b"}, 0);
  const PartitionedSinkOptions options = {.files = {.format = SinkFormat::kJsonLines}, .partition_by = {"day"}};
  const std::unique_ptr<PartitionedSink> sink = *PartitionedSink::Create(options, folder.get(), rows.SliceRows(0, 0));
  EXPECT_EQ(sink->buffered_bytes(), 0);
  ASSERT_EQ(sink->Write(rows), absl::OkStatus());
  EXPECT_GT(sink->buffered_bytes(), 0);
  EXPECT_EQ(folder->number_of_files(), 0);
  ASSERT_EQ(sink->Flush(), absl::OkStatus());
  EXPECT_EQ(sink->buffered_bytes(), 0);
  EXPECT_EQ(folder->number_of_files(), 2);
  ASSERT_EQ(sink->Finish(), absl::OkStatus());
  EXPECT_EQ(*folder->Commit(), 16);
}

}  // namespace
}  // namespace structtensor
