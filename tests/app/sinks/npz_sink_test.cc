// What numpy.load reads is compared in tests/python/test_npz.py.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "structtensor/app/sinks/sink.h"
#include "structtensor/tensor/values/value.h"

namespace structtensor {
namespace {

using ::testing::HasSubstr;

StructuredTensor RowsWith(std::vector<Field> fields) {
  const int64_t nrows = fields.front().value.nrows();
  return StructuredTensor::FromFields(nrows, std::move(fields)).value();
}

absl::StatusOr<std::unique_ptr<Sink>> NpzOf(const StructuredTensor& rows, int fd = -1) {
  return Sink::Create({.format = SinkFormat::kNpz}, fd, *TypeSpec(rows.spec()).WithUnknownSizes().structured());
}

std::string Refused(const StructuredTensor& rows) { return std::string(NpzOf(rows).status().message()); }

TEST(NpzSinkTest, SchemasWithoutAPlaceAreRefused) {
  EXPECT_THAT(Refused(StructuredTensor::Create({}, 3, std::vector<Field>())), HasSubstr("cannot store rows without columns"));
  EXPECT_THAT(Refused(RowsWith({{"x", Tensor::FromVector<BFloat16>({BFloat16()})}})),
              HasSubstr("x: NumPy has no type for bfloat16"));
  const Tensor text = Tensor::FromVector(std::vector<std::string>{"a"});
  EXPECT_THAT(Refused(RowsWith({{"x", text.Reshape(Shape({1, 1}))}})), HasSubstr("x: npz has no arrays for strings"));
  EXPECT_THAT(Refused(RowsWith({{"x", text}, {"x/bytes", Tensor::FromVector<int32_t>({1})}})),
              HasSubstr("two arrays would have this name"));
  EXPECT_THAT(Refused(RowsWith({{std::string(65'532, 'x'), Tensor::FromVector<int32_t>({1})}})), HasSubstr("too long"));
  EXPECT_TRUE(NpzOf(RowsWith({{std::string(65'531, 'x'), Tensor::FromVector<int32_t>({1})}})).ok());
}

TEST(NpzSinkTest, BatchesOfAnotherSchemaAreRefused) {
  const StructuredTensor numbers = RowsWith({{"x", Tensor::FromVector<int32_t>({1})}});
  const Validity absent(Buffer<uint8_t>::FromVector({0}));
  const Validity present(Buffer<uint8_t>::FromVector({1}));
  const RaggedTensor lists = RaggedTensor::FromRowPartitionsUnchecked({RowPartition::FromUniformRowLength(1, 1).value()},
                                                                      Tensor::FromVector<int32_t>({1}));
  for (const StructuredTensor& other :
       {RowsWith({{"x", Tensor::FromVector<int64_t>({1})}}),
        RowsWith({{"x", Tensor::FromVector(std::vector<std::string>{"1"})}}), RowsWith({{"x", numbers}}),
        RowsWith({{"x", lists}}),
        RowsWith({{"x", Tensor::FromBuffer(Buffer<int32_t>::FromVector({1}), DType::kInt32, absent)}}),
        RowsWith({{"x", Tensor::FromVector<int32_t>({1})}, {"y", Tensor::FromVector<int32_t>({1})}})}) {
    EXPECT_EQ((*NpzOf(numbers))->Write(other).code(), absl::StatusCode::kInvalidArgument);
  }
  EXPECT_TRUE((*NpzOf(numbers))
                  ->Write(RowsWith({{"x", Tensor::FromBuffer(Buffer<int32_t>::FromVector({1}), DType::kInt32, present)}}))
                  .ok());
}

TEST(NpzSinkTest, NothingIsWrittenBeforeTheEnd) {
  FILE* const file = std::tmpfile();
  const StructuredTensor rows = RowsWith({{"x", Tensor::FromVector(std::vector<int64_t>(100'000, 7))}});
  const std::unique_ptr<Sink> sink = *NpzOf(rows, fileno(file));
  ASSERT_EQ(sink->Write(rows), absl::OkStatus());
  ASSERT_EQ(sink->Flush(), absl::OkStatus());
  EXPECT_EQ(lseek(fileno(file), 0, SEEK_CUR), 0);
  ASSERT_EQ(sink->Finish(), absl::OkStatus());
  EXPECT_GT(lseek(fileno(file), 0, SEEK_CUR), 800'000);
  std::fclose(file);
}

TEST(NpzSinkTest, AFullDiskIsReportedAsSuch) {
  FILE* const full = std::fopen("/dev/full", "w");
  const StructuredTensor rows = RowsWith({{"x", Tensor::FromVector<int64_t>({7})}});
  const std::unique_ptr<Sink> sink = *NpzOf(rows, fileno(full));
  ASSERT_EQ(sink->Write(rows), absl::OkStatus());
  EXPECT_EQ(sink->Finish().code(), absl::StatusCode::kResourceExhausted);
  std::fclose(full);
}

}  // namespace
}  // namespace structtensor
