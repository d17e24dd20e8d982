#include "structtensor/app/sinks/sink.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <climits>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>

#include "structtensor/tensor/values/value.h"

namespace structtensor {
namespace {

StructuredTensor Rows() { return StructuredTensor::FromFields(2, {{"n", Tensor::FromVector<int32_t>({1, 2})}}).value(); }

absl::Status WriteTo(int fd, const SinkOptions& options) {
  const StructuredTensor rows = Rows();
  absl::StatusOr<std::unique_ptr<Sink>> sink =
      Sink::Create(options, fd, *TypeSpec(rows.spec()).WithUnknownSizes().structured());
  if (!sink.ok()) return sink.status();
  if (absl::Status status = (*sink)->Write(rows); !status.ok()) return status;
  return (*sink)->Finish();
}

TEST(Sink, ThreadsAreOneOrMore) {
  for (const SinkFormat format : {SinkFormat::kParquet, SinkFormat::kJsonLines, SinkFormat::kCsv}) {
    FILE* const file = std::tmpfile();
    for (const int threads : {INT_MIN, -1, 0}) {
      const absl::Status status = WriteTo(fileno(file), {.format = format, .threads = threads});
      EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
      EXPECT_THAT(std::string(status.message()), testing::HasSubstr("`threads="));
    }
    for (const int threads : {1, 2, INT_MAX}) {
      EXPECT_EQ(WriteTo(fileno(file), {.format = format, .threads = threads}), absl::OkStatus());
    }
    std::fclose(file);
  }
}

TEST(Sink, FlushWritesTheRowsThatAreInMemory) {
  for (const SinkFormat format : SinkFormats()) {
    if (format == SinkFormat::kNpz) continue;  // which has nothing to write before it has all rows
    FILE* const file = std::tmpfile();
    const StructuredTensor rows = Rows();
    const StructuredTensorSpec schema = *TypeSpec(rows.spec()).WithUnknownSizes().structured();
    const std::unique_ptr<Sink> sink = *Sink::Create({.format = format}, fileno(file), schema);
    for (int i = 0; i < 2; ++i) {
      ASSERT_EQ(sink->Write(rows), absl::OkStatus());
      EXPECT_GT(sink->buffered_bytes(), 0) << SinkFormatName(format);
      const off_t before = lseek(fileno(file), 0, SEEK_CUR);
      ASSERT_EQ(sink->Flush(), absl::OkStatus());
      EXPECT_EQ(sink->buffered_bytes(), 0) << SinkFormatName(format);
      EXPECT_GT(lseek(fileno(file), 0, SEEK_CUR), before) << SinkFormatName(format);
    }
    EXPECT_EQ(sink->Finish(), absl::OkStatus());
    std::fclose(file);
  }
}

TEST(Sink, CheckTellsWhatCreateWould) {
  const StructuredTensorSpec schema = *TypeSpec(Rows().spec()).WithUnknownSizes().structured();
  EXPECT_EQ(Sink::Check({.format = SinkFormat::kParquet}, schema), absl::OkStatus());
  EXPECT_EQ(Sink::Check({.format = SinkFormat::kArrowFile, .compression = SinkCompression::kSnappy}, schema).code(),
            absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(
      Sink::Check({.format = static_cast<SinkFormat>(6)}, schema).message(),
      "`format=6`: expected one of 0 to 5: parquet, arrow (IPC file), arrows (IPC stream), rows (a JSON object of its columns "
      "for each row), csv or npz (NumPy's arrays)");
  EXPECT_EQ(Sink::Check({.compression = static_cast<SinkCompression>(-1)}, schema).message(),
            "`compression=-1`: expected kDefault (0), kNone (1), kSnappy (2), kZstd (3), kGzip (4) or kLz4 (5)");
  EXPECT_EQ(Sink::Check({.format = SinkFormat::kArrowFile, .compression_level = 23}, schema).message(),
            "`compression_level=23`: zstd has levels from 1 to 22");
  for (const SinkFormat format : {SinkFormat::kJsonLines, SinkFormat::kNpz, SinkFormat::kCsv}) {
    for (const SinkOptions& options : {SinkOptions{.format = format, .compression = SinkCompression::kGzip},
                                       SinkOptions{.format = format, .compression_level = 1}}) {
      EXPECT_EQ(Sink::Check(options, schema).code(), absl::StatusCode::kInvalidArgument) << SinkFormatName(format);
    }
  }
}

TEST(Sink, FormatsHaveNamesAndEndings) {
  for (const SinkFormat format : SinkFormats()) {
    EXPECT_NE(SinkFormatName(format), "");
    EXPECT_EQ(SinkFormatOfPath("rows" + std::string(SinkEndingOf(format))), format);
  }
}

TEST(Sink, EndingsNameTheirFormat) {
  EXPECT_EQ(SinkFormatOfPath("rows.csv"), SinkFormat::kCsv);
  EXPECT_EQ(SinkFormatOfPath("a.parquet/rows.ndjson"), SinkFormat::kJsonLines);
  EXPECT_EQ(SinkFormatOfPath("csv"), std::nullopt);
  EXPECT_THAT(SinkEndings(), testing::HasSubstr(".csv"));
}

}  // namespace
}  // namespace structtensor
